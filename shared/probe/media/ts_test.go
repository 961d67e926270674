package media

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Broadcasts that the tests of transport streams change.
var (
	broadcast = recipe{"640x360", 25, "libx264 -preset ultrafast -pix_fmt yuv420p -g 20 -qp 20", aac128, ts, 8}
	filledUp  = recipe{"640x360", 25, x264, aac128, ts + " -muxrate 2500k", 5}
	overWrap  = recipe{"640x360", 25, x264, aac128, ts + " -output_ts_offset 95441", 5} // 33 bits end after 2.7 s
)

// TestTSBeginning holds the bitrate of beginnings to that of the whole.
func TestTSBeginning(t *testing.T) {
	for _, test := range []struct {
		name   string
		recipe recipe
		sizes  []int
		off    float64 // as a part of one
	}{
		{"pictures as large as they come", broadcast, []int{256 << 10, 512 << 10, 1 << 20}, 0.1},
		{"filled up to one rate", filledUp, []int{256 << 10, 512 << 10, 1 << 20}, 0.005},
		{"time runs over", overWrap, []int{1 << 20}, 0.1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := test.recipe.make(t).data
			want := float64(len(data)) * 8 / float64(test.recipe.seconds)
			for _, size := range test.sizes {
				got := Read(data[:min(size, len(data))])
				if off := float64(got.Bitrate)/want - 1; math.Abs(off) > test.off {
					t.Errorf("bitrate of %d bytes is %d, want %.0f: %+.1f%%", size, got.Bitrate, want, 100*off)
				}
				if got.Width != 640 || got.Height != 360 || len(got.Codecs) != 2 {
					t.Errorf("%d bytes say %+v", size, got)
				}
			}
		})
	}
}

// TestTSChanged breaks a broadcast in ways that players bear.
func TestTSChanged(t *testing.T) {
	whole := broadcast.make(t).data[:1<<20/packetSize*packetSize]
	want := Read(whole)
	want.Bitrate = 0
	slices.Sort(want.Codecs)
	if !want.Video || !want.Audio || want.Height != 360 {
		t.Fatalf("the broadcast says %+v", want)
	}
	nothing := func(f *Facts) {}
	damaged := only(heads(t)["h264-aac.ts"], func(p packet) bool { return bytes.Contains(p, []byte("\x00\x00\x01\x67")) })
	damaged[1] |= 0x80
	damaged[2] = 0x01 // the PID of the pictures, so it says
	for _, test := range []struct {
		name   string
		change func([]byte) []byte
		want   func(*Facts) // what it changes
	}{
		{"bytes before it", func(b []byte) []byte { return append(bytes.Repeat([]byte("G\x00\x11"), 1000), b...) }, nothing},
		{"begins within a packet", func(b []byte) []byte { return b[100:] }, nothing},
		{"begins behind the maps", func(b []byte) []byte { return b[10*packetSize:] }, nothing},
		{"no maps", func(b []byte) []byte {
			return only(b, func(p packet) bool { return p.pid() >= 0x100 && p.pid() != 0x1000 })
		}, nothing},
		{"no tables but the maps", func(b []byte) []byte { return only(b, func(p packet) bool { return p.pid() != 0 }) }, nothing},
		{"a checksum behind each packet", func(b []byte) []byte {
			var out []byte
			for p := range slices.Chunk(b, packetSize) {
				out = append(append(out, p...), make([]byte, 16)...)
			}
			return out
		}, nothing},
		{"damaged packets", func(b []byte) []byte { return slices.Concat(damaged, damaged, damaged, b) }, nothing},
		{"a hole in a packet", func(b []byte) []byte {
			return slices.Delete(slices.Clone(b), 300*packetSize+7, 300*packetSize+90)
		}, nothing},
		{"scrambled", func(b []byte) []byte {
			return each(b, func(_ int, p packet) {
				if p.pid() >= 0x100 && p.pid() != 0x1000 {
					p[3] |= 0x80
				}
			})
		}, func(f *Facts) {
			f.Encrypted, f.Width, f.Height, f.Codecs = true, 0, 0, []string{"avc1", "mp4a.40.2"}
		}},
		{"the sound alone scrambled", func(b []byte) []byte {
			return each(b, func(_ int, p packet) {
				if p.pid() == 0x100 { // the first that the recipe maps
					p[3] |= 0xc0
				}
			})
		}, func(f *Facts) { f.Encrypted = true }},
		{"encrypted samples", func(b []byte) []byte {
			return each(b, func(_ int, p packet) { retype(p, map[byte]byte{0x1b: 0xdb, 0x0f: 0xcf}) })
		}, func(f *Facts) {
			f.Encrypted, f.Width, f.Height, f.Codecs = true, 0, 0, []string{"avc1", "mp4a.40.2"}
		}},
		{"teletext and marks beside it", func(b []byte) []byte {
			return each(b, func(_ int, p packet) { retype(p, map[byte]byte{0x0f: 0x86}) })
		}, func(f *Facts) { f.Audio, f.Codecs = false, []string{f.Codecs[0]} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := want
			test.want(&want)
			got := Read(test.change(whole))
			if got.Bitrate == 0 {
				t.Error("no bitrate")
			}
			got.Bitrate = 0
			slices.Sort(got.Codecs)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTSJump holds the bitrate of a broadcast that was cut.
func TestTSJump(t *testing.T) {
	whole := broadcast.make(t).data
	part := whole[:512<<10/packetSize*packetSize]
	later := whole[1<<20/packetSize*packetSize:][:512<<10/packetSize*packetSize]
	want := Read(whole).Bitrate
	for _, test := range []struct {
		name string
		data []byte
	}{
		{"forth", slices.Concat(part, hours(later, 1))},
		{"back", slices.Concat(hours(part, 1), later)},
	} {
		got := Read(test.data).Bitrate
		if off := float64(got)/float64(want) - 1; math.Abs(off) > 0.1 {
			t.Errorf("%s: bitrate %d, want %d", test.name, got, want)
		}
	}
}

// hours moves the clock and the times of a broadcast.
func hours(b []byte, n uint64) []byte {
	return each(b, func(_ int, p packet) {
		if now, ok := p.pcr(); ok {
			now += n * 3600 * hertz
			binary.BigEndian.PutUint32(p[6:], uint32(now>>1))
			p[10] = p[10]&0x7f | byte(now<<7)
		}
		body := p.payload()
		if !p.starts() || p.pid() < 0x100 || p.pid() == 0x1000 || len(body) < 19 {
			return
		}
		for at := 9; at < 9+int(body[8])/5*5; at += 5 {
			now := timestamp(body[at:]) + n*3600*hertz
			body[at] = body[at]&0xf1 | byte(now>>29)&0xe
			binary.BigEndian.PutUint16(body[at+1:], uint16(now>>14)|1)
			binary.BigEndian.PutUint16(body[at+3:], uint16(now<<1)|1)
		}
	})
}

func only(b []byte, keep func(packet) bool) []byte {
	var out []byte
	for p := range slices.Chunk(b, packetSize) {
		if keep(p) {
			out = append(out, p...)
		}
	}
	return out
}

func each(b []byte, change func(int, packet)) []byte {
	b = slices.Clone(b)
	i := 0
	for p := range slices.Chunk(b, packetSize) {
		change(i, p)
		i++
	}
	return b
}

// retype gives the streams of a map, should the packet hold one, other types.
func retype(p packet, types map[byte]byte) {
	body := p.payload()
	if !p.starts() || len(body) < 20 || body[0] != 0 || body[1] != mapTable {
		return
	}
	size := 3 + int(binary.BigEndian.Uint16(body[2:])&0xfff)
	table := body[1 : 1+size]
	for at := 12; at+5 <= size-4; at += 5 + int(binary.BigEndian.Uint16(table[at+3:])&0xfff) {
		if to, ok := types[table[at]]; ok {
			table[at] = to
		}
	}
	binary.BigEndian.PutUint32(table[size-4:], checksum(table[:size-4]))
}

// A map whose streams need more than a packet is read whole, one with a wrong
// checksum not at all.
func TestTSLongMap(t *testing.T) {
	table := []byte{mapTable, 0xb0, 0, 0, 1, 0xc1, 0, 0, 0xe1, 0, 0xf0, 0}
	for i := range 60 {
		table = append(table, 0x0d, 0xe2, byte(i), 0xf0, 0) // carousels
	}
	table = append(table, 0x06, 0xe3, 0, 0xf0, 3, 0x6a, 1, 0)
	table = append(table, 0x06, 0xe3, 1, 0xf0, 6, 0x05, 4, 'O', 'p', 'u', 's')
	binary.BigEndian.PutUint16(table[1:], 0xb000|uint16(len(table)-3+4))
	table = binary.BigEndian.AppendUint32(table, checksum(table))
	want := Facts{Container: "ts", Codecs: []string{"ac-3", "opus"}, Audio: true}
	if diff := cmp.Diff(want, Read(inPackets(table))); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	table[20] ^= 1
	if got := Read(inPackets(table)); got.Container != "" {
		t.Errorf("a damaged map says %+v", got)
	}
}

// inPackets puts a section in packets, and the null packets behind it that
// make a row.
func inPackets(section []byte) []byte {
	var out []byte
	body := append([]byte{0}, section...)
	for i := 0; len(body) > 0; i++ {
		p := bytes.Repeat([]byte{0xff}, packetSize)
		copy(p, []byte{syncByte, 0x02, 0, 0x10 | byte(i)})
		if i == 0 {
			p[1] |= 0x40
		}
		body = body[copy(p[4:], body):]
		out = append(out, p...)
	}
	null := append([]byte{syncByte, 0x1f, 0xff, 0x10}, make([]byte, packetSize-4)...)
	return append(out, bytes.Repeat(null, minRun)...)
}

func BenchmarkReadTS(b *testing.B) {
	data := broadcast.make(b).data[:1<<20]
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if f := Read(data); f.Height != 360 {
			b.Fatal(f)
		}
	}
}
