package media

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// heads returns the kept beginnings of media, which ffmpeg made, by their names.
func heads(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/heads/*")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d heads, %v", len(names), err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = data
	}
	return all
}

// TestHeads shows what Read says of each kept beginning.
func TestHeads(t *testing.T) {
	var lines []string
	for name, data := range heads(t) {
		lines = append(lines, fmt.Sprintf("%s: %+v\n", name, Read(data)))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "")
	const golden = "testdata/heads.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("heads (-golden +got):\n%s", diff)
	}
}

// TestCut reads every kept beginning, cut at every byte of its first and at
// some of the others.
func TestCut(t *testing.T) {
	for name, data := range heads(t) {
		whole := Read(data)
		for size := 0; size < len(data); size += 1 + size/256*16 {
			if got := unguarded(data[:size]); got.Container != "" && got.Container != whole.Container && !short(got, whole) {
				t.Errorf("%d bytes of %s are %q", size, name, got.Container)
			}
		}
	}
}

// short reports whether what a fragmented file begins with is not yet known
// to be one.
func short(got, whole Facts) bool { return got.Container == "mp4" && whole.Container == "fmp4" }

// unguarded is Read without its guard against panics.
func unguarded(data []byte) Facts {
	for _, read := range containers {
		if f := read(data); f.Container != "" {
			return f
		}
	}
	return Facts{}
}

// TestNoMedia reads what stands where media should.
func TestNoMedia(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing":            nil,
		"one byte":           {0x47},
		"a page":             []byte("<!DOCTYPE html><html><head><title>Gone</title></head><body>" + strings.Repeat("<p>Gone.</p>", 5000)),
		"a playlist":         []byte("#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + strings.Repeat("#EXTINF:6,\nsegment.ts\n", 500)),
		"captions":           []byte("WEBVTT\n\n00:00.000 --> 00:01.000\nHi\n"),
		"a picture":          []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x06\x00\x00\x00"),
		"zeros":              make([]byte, 1<<20),
		"ones":               bytes.Repeat([]byte{0xff}, 1<<20),
		"marks of packets":   bytes.Repeat([]byte{0x47}, 1<<20),
		"the alphabet":       bytes.Repeat([]byte("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 10000),
		"an empty tag":       []byte("ID3\x04\x00\x00\x00\x00\x00\x00"),
		"a tag of 256 MiB":   []byte("ID3\x04\x00\x00\x7f\x7f\x7f\x7fabc"),
		"a box of media":     []byte("\x00\x00\x00\x10mdat\x00\x00\x00\x00\x00\x00\x00\x00"),
		"encrypted in whole": noise(1 << 20),
	} {
		if got := Read(data); got.Container != "" || got.Codecs != nil {
			t.Errorf("%s says %+v", name, got)
		}
	}
}

// noise are bytes without sense, always the same.
func noise(size int) []byte {
	out := make([]byte, size)
	x := uint64(88172645463325252)
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = byte(x >> 32)
	}
	return out
}

// TestHostile reads data that are made to cost much: the most memory that
// Read takes for Limit bytes is a few times as much.
func TestHostile(t *testing.T) {
	fill := func(head string, unit string) []byte {
		return append([]byte(head), bytes.Repeat([]byte(unit), (Limit+1000)/len(unit))...)
	}
	trun := append([]byte("\x00\x00\x00\x00"), "\xff\xff\xff\xff"...)
	nested := func(body []byte, kinds ...string) []byte {
		for _, kind := range kinds {
			body = append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), kind...), body...)
		}
		return body
	}
	for name, data := range map[string][]byte{
		"tracks of Matroska":         fill("\x1a\x45\xdf\xa3\x80", "\xae\x80"),
		"elements of Matroska":       fill("\x1a\x45\xdf\xa3\x80", "\xec\x80"),
		"an element that is endless": fill("\x1a\x45\xdf\xa3\x80", "\x86\x01\xff\xff\xff\xff\xff\xff\xff"),
		"empty boxes":                fill("\x00\x00\x00\x08ftyp", "\x00\x00\x00\x08free"),
		"endless boxes":              fill("\x00\x00\x00\x08ftyp", "\x00\x00\x00\x01moov\xff\xff\xff\xff\xff\xff\xff\xff"),
		"empty tracks":               nested(fill("", "\x00\x00\x00\x08trak"), "moov"),
		"endless runs":               nested(bytes.Repeat(nested(trun, "trun", "traf"), 100000), "moof"),
		"pages of Ogg":               fill("", "OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00"),
		"empty tags of FLV":          fill("FLV\x01\x05\x00\x00\x00\x09\x00\x00\x00\x00", "\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		"empty sets of H.264":        fill("", "\x47\x41\x00\x10\x00\x00\x01\xe0\x00\x00\x80\x00\x00\x00\x00\x01\x67\x64\x00\x1f"+strings.Repeat("\x00\x00\x01\x67", 42)),
		"streams of packets":         everyPID(),
		"frames that break off":      fill("", "\xff\xf1\x50\x80\x02\x1f\xfc\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xf1\x50\x80\x02\x1f\xfc\x00"),
		"tags before sound":          fill("", "ID3\x04\x00\x00\x00\x00\x00\x00"),
	} {
		before := allocated()
		f := unguarded(data[:min(len(data), Limit)])
		if took := allocated() - before; took > 16*Limit {
			t.Errorf("%s took %d MiB", name, took>>20)
		}
		if len(f.Codecs) > maxTracks || f.Bitrate < 0 {
			t.Errorf("%s says %+v", name, f)
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// everyPID is a transport stream whose packets begin pictures on every PID.
func everyPID() []byte {
	var out []byte
	for pid := range uint16(Limit / packetSize) {
		p := make([]byte, packetSize)
		copy(p, "\x47\x40\x00\x10\x00\x00\x01\xe0\x00\x00\x80\x80\x05\x21\x00\x01\x00\x01")
		binary.BigEndian.PutUint16(p[1:], 0x4000|pid&0x1fff)
		out = append(out, p...)
	}
	return out
}

// TestReadRecovers holds that what panics says nothing.
func TestReadRecovers(t *testing.T) {
	kept := containers
	defer func() { containers = kept }()
	containers = []func([]byte) Facts{func([]byte) Facts { panic("a parser of others") }}
	if got := Read([]byte("abc")); got.Container != "" {
		t.Errorf("Read says %+v", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range heads(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := unguarded(data)
		switch {
		case got.Bitrate < 0 || got.Bitrate > maxBitrate*maxTracks:
			t.Errorf("bitrate %d", got.Bitrate)
		case got.Width < 0 || got.Height < 0 || got.Width > maxSide || got.Height > maxSide:
			t.Errorf("picture %d×%d", got.Width, got.Height)
		case (got.Width == 0) != (got.Height == 0):
			t.Errorf("half a picture: %d×%d", got.Width, got.Height)
		case (got.Video || got.Audio) != (len(got.Codecs) > 0):
			t.Errorf("codecs %q, video %v, audio %v", got.Codecs, got.Video, got.Audio)
		case got.Container == "" && len(got.Codecs) > 0:
			t.Errorf("codecs %q of no container", got.Codecs)
		}
		if again := unguarded(data); !cmp.Equal(got, again) {
			t.Errorf("read twice:\n%s", cmp.Diff(got, again))
		}
	})
}
