package media

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	picture := Facts{Container: "fmp4", Codecs: []string{"avc1.64001f"}, Width: 1280, Height: 720, Bitrate: 2_000_000, Video: true}
	sound := Facts{Container: "adts", Codecs: []string{"mp4a.40.2"}, Bitrate: 128_000, Audio: true}
	whole := Facts{Container: "fmp4", Codecs: []string{"avc1.64001f", "mp4a.40.2"}, Width: 1280, Height: 720, Bitrate: 2_128_000, Video: true, Audio: true}
	change := func(f Facts, by func(*Facts)) Facts {
		by(&f)
		return f
	}
	unmeasured := func(f *Facts) { f.Bitrate = 0 }
	for _, test := range []struct {
		name       string
		f, g, want Facts
	}{
		{"a picture and its sound", picture, sound, whole},
		{"nothing else", picture, Facts{}, picture},
		{"nothing before", Facts{}, picture, picture},
		{"the same codec twice", whole, sound, change(whole, func(f *Facts) { f.Bitrate += 128_000 })},
		{"a picture of no known rate", change(picture, unmeasured), sound, change(whole, unmeasured)},
		{"sound of no known rate", picture, change(sound, unmeasured), change(whole, func(f *Facts) { f.Bitrate = picture.Bitrate })},
		{"a larger picture", picture, Facts{Width: 1920, Height: 1080, Bitrate: 1, Video: true}, change(picture, func(f *Facts) { f.Width, f.Height, f.Bitrate = 1920, 1080, 2_000_001 })},
		{"a locked sound", picture, change(sound, func(f *Facts) { f.Encrypted = true }), change(whole, func(f *Facts) { f.Encrypted = true })},
	} {
		if diff := cmp.Diff(test.want, test.f.Merge(test.g)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if len(picture.Codecs) != 1 {
		t.Errorf("Merge changed what it merged: %q", picture.Codecs)
	}
}

func TestResolution(t *testing.T) {
	for height, want := range map[int]string{
		-1: "", 0: "", 180: "180p", 360: "360p", 368: "360p", 544: "540p", 576: "576p", 720: "720p", 800: "800p",
		1080: "1080p", 1088: "1080p", 2160: "2160p",
	} {
		if got := Resolution(height); got != want {
			t.Errorf("Resolution(%d) = %q, want %q", height, got, want)
		}
	}
}

// Broadcasts of sound begin anywhere.
func TestFramesJoinedLate(t *testing.T) {
	for _, test := range []struct {
		name   string
		recipe recipe
		want   Facts
	}{
		{"adts", recipe{"", 0, "", aac128, "adts", 3}, Facts{Container: "adts", Codecs: []string{"mp4a.40.2"}, Audio: true}},
		{"mp3", recipe{"", 0, "", "libmp3lame -b:a 128k", "mp3", 3}, Facts{Container: "mp3", Codecs: []string{"mp3"}, Audio: true}},
		{"mp3 whose frames are as long as packets", recipe{"", 0, "", "libmp3lame -b:a 64k", "mp3", 3}, Facts{Container: "mp3", Codecs: []string{"mp3"}, Audio: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			data := test.recipe.make(t).data
			rate := Read(data).Bitrate
			id3 := append([]byte("ID3\x04\x00\x00\x00\x00\x02\x00"), make([]byte, 256)...)
			for name, data := range map[string][]byte{
				"late":             data[1001:],
				"broken off":       append(data[:9001:9001], data[11000:]...),
				"behind a tag":     append(id3, skipID3(data)...),
				"behind two tags":  append(append(id3, id3...), skipID3(data)...),
				"cut within frame": data[:len(data)-33],
			} {
				got := Read(data)
				if off := float64(got.Bitrate)/float64(rate) - 1; off > 0.05 || off < -0.05 {
					t.Errorf("%s: bitrate %d, want %d", name, got.Bitrate, rate)
				}
				got.Bitrate = 0
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// TestMP4Parts reads the parts of fragmented files apart.
func TestMP4Parts(t *testing.T) {
	data := recipe{"640x360", 25, x264B, aac128, fragments, 3}.make(t).data
	first, second := bytes.Index(data, []byte("moof"))-4, 0
	second = first + 8 + bytes.Index(data[first+8:], []byte("moof")) - 4
	whole := Read(data)
	alone := Facts{Container: "fmp4", Codecs: whole.Codecs, Width: 640, Height: 360, Video: true, Audio: true}
	measured := alone
	measured.Bitrate = Read(data[:second]).Bitrate
	if off := float64(measured.Bitrate)/float64(whole.Bitrate) - 1; off > 0.5 || off < -0.5 {
		t.Errorf("the bitrate of a fragment is %d, of the whole %d", measured.Bitrate, whole.Bitrate)
	}
	for _, test := range []struct {
		name string
		data []byte
		want Facts
	}{
		{"the initialisation alone", data[:first], alone},
		{"a fragment alone", data[first:second], Facts{Container: "fmp4"}},
		{"a fragment whose samples are cut", data[:first+2000], measured},
		{"a fragment whose description is cut", data[:first+300], alone},
		{"more samples than are described", lie(data[:second]), alone},
		{"behind marks of a segment", append([]byte("\x00\x00\x00\x10styp\x00\x00\x00\x00msdh"), data[:second]...), measured},
	} {
		if diff := cmp.Diff(test.want, Read(test.data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// lie makes the first run of samples claim more than it holds.
func lie(data []byte) []byte {
	data = bytes.Clone(data)
	count := data[bytes.Index(data, []byte("trun"))+8:]
	binary.BigEndian.PutUint32(count, binary.BigEndian.Uint32(count)+1)
	return data
}

// TestFLVTags reads tags as servers of several kinds write them.
func TestFLVTags(t *testing.T) {
	tag := func(kind byte, now uint32, body ...byte) []byte {
		size := len(body)
		head := []byte{kind, byte(size >> 16), byte(size >> 8), byte(size), byte(now >> 16), byte(now >> 8), byte(now), byte(now >> 24), 0, 0, 0}
		return binary.BigEndian.AppendUint32(append(head, body...), uint32(11+size))
	}
	file := func(tags ...[]byte) []byte {
		return append([]byte("FLV\x01\x05\x00\x00\x00\x09\x00\x00\x00\x00"), bytes.Join(tags, nil)...)
	}
	meta := tag(flvScript, 0, []byte("\x02\x00\x0aonMetaData\x08\x00\x00\x00\x02\x00\x05width\x00\x40\x94\x00\x00\x00\x00\x00\x00\x00\x06height\x00\x40\x86\x80\x00\x00\x00\x00\x00")...)
	absurd := tag(flvScript, 0, []byte("\x02\x00\x0aonMetaData\x08\x00\x00\x00\x02\x00\x05width\x00\x7f\xf8\x00\x00\x00\x00\x00\x01\x00\x06height\x00\xc0\x86\x80\x00\x00\x00\x00\x00")...)
	hvc := append([]byte("\x90hvc1"), "\x01\x01\x60\x00\x00\x00\x90\x00\x00\x00\x00\x00\x5d"...)
	hvc = append(hvc, make([]byte, 10)...)
	vp9 := []byte("\x90vp09\x01\x00\x00\x00\x00\x1f\x80\x02\x02\x02\x00\x00")
	for _, test := range []struct {
		name string
		data []byte
		want Facts
	}{
		{"no tags", file(), Facts{Container: "flv"}},
		{"sound alone", file(tag(flvAudio, 0, 0xaf, 0, 0x12, 0x10), tag(flvAudio, 0, 0xaf, 1, 0)), Facts{Container: "flv", Codecs: []string{"mp4a.40.2"}, Audio: true}},
		{"a size of metadata", file(meta, tag(flvVideo, 0, 0x24, 0)), Facts{Container: "flv", Codecs: []string{"vp6"}, Width: 1280, Height: 720, Video: true}},
		{"an absurd size of metadata", file(absurd, tag(flvVideo, 0, 0x24, 0)), Facts{Container: "flv", Codecs: []string{"vp6"}, Video: true}},
		{"enhanced, of H.265", file(meta, tag(flvVideo, 0, hvc...)), Facts{Container: "flv", Codecs: []string{"hvc1.1.6.L93.90"}, Width: 1280, Height: 720, Video: true}},
		{"enhanced, of VP9", file(tag(flvVideo, 0, vp9...), tag(flvVideo, 0, 0x91, 'v', 'p', '0', '9', 1)), Facts{Container: "flv", Codecs: []string{"vp09.00.31.08"}, Video: true}},
		{"enhanced sound", file(tag(flvAudio, 0, []byte("\x90Opus")...)), Facts{Container: "flv", Codecs: []string{"opus"}, Audio: true}},
		{"enhanced AAC", file(tag(flvAudio, 0, []byte("\x90mp4a\x2b\x92")...)), Facts{Container: "flv", Codecs: []string{"mp4a.40.5"}, Audio: true}},
		{"a header that points beyond", []byte("FLV\x01\x05\xff\xff\xff\xff\x00\x00\x00\x00"), Facts{Container: "flv"}},
		{"a later version", []byte("FLV\x02\x05\x00\x00\x00\x09\x00\x00\x00\x00"), Facts{}},
	} {
		if diff := cmp.Diff(test.want, Read(test.data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
