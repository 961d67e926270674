package thumbnail

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"runtime"
	"testing"

	"miramundo.dev/shared/raster"
)

// TestMemory makes logos of files that ask for as much memory as is let through,
// and of some that ask for more. What is allocated in all, dead or alive, bounds
// what is ever held.
func TestMemory(t *testing.T) {
	if race {
		t.Skip("the race detector allocates too")
	}
	const most = 64 << 20
	for _, test := range []struct {
		name string
		data []byte
		skip string // empty when there is to be a logo
	}{
		{"PNG", flatPNG(3500, 3500, 8, 4), raster.Blank},
		{"PNG of 16 bits", flatPNG(2400, 2400, 16, 8), raster.Blank},
		{"PNG of 16 bits, interlaced, cut", interlacedPNG(1770, 1770), raster.Damaged},
		{"PNG of 16 bits, interlaced, larger", interlacedPNG(1800, 1800), raster.TooLarge},
		{"PNG of one bit, flat", headPNG(60000, 800, 1, 3), raster.Damaged},
		{"GIF, cut", wideGIF(4900, 4900), raster.Damaged},
		{"GIF, larger", wideGIF(5100, 5100), raster.TooLarge},
		{"BMP, cut", headBMP(3500, 3500), raster.Damaged},
		{"JPEG of CMYK, cut", resizedJPEG(file(t, "cmyk.jpg"), 2400, 2400), raster.Damaged},
		{"JPEG, progressive, cut", resizedJPEG(file(t, "progressive.jpg"), 2100, 2100), raster.Damaged},
		{"JPEG, progressive, larger", resizedJPEG(file(t, "progressive.jpg"), 4000, 4000), raster.TooLarge},
		{"WebP, lossy", resizedWebP(file(t, "lossy.webp"), 5000, 5000), raster.Damaged},
		{"WebP, many trees", treeBomb(900, 400), raster.Damaged},
		{"WebP, more trees", treeBomb(2600, 1000), raster.TooLarge},
		{"text bomb", textBomb(pngOf(t, quarters(96, 72, 0))), ""},
		{"ICO of 65,535 entries", manyIcons(), raster.TooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Make(test.data)
			runtime.ReadMemStats(&after)
			if got := raster.Reason(err); got != test.skip || (err == nil) != (test.skip == "") {
				t.Errorf("Make = %v (%q), want the reason %q", err, got, test.skip)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("Make took %.1f MiB", float64(took)/(1<<20))
			} else {
				t.Logf("%.1f MiB for %d bytes", float64(took)/(1<<20), len(test.data))
			}
		})
	}
}

// flatPNG returns a PNG of one colour, with a depth of each channel in bits, and
// of a pixel in bytes.
func flatPNG(w, h uint32, depth byte, pixel int) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, depth, 6, 0, 0, 0))...)
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	for row := make([]byte, 1+int(w)*pixel); h > 0; h-- {
		z.Write(row)
	}
	z.Close()
	return append(append(out, chunk("IDAT", b.Bytes())...), chunk("IEND", nil)...)
}

// interlacedPNG returns a PNG of 16 bits whose pixels end early.
func interlacedPNG(w, h uint32) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 16, 6, 0, 0, 1))...)
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	for range 24 {
		z.Write(make([]byte, 1<<20))
	}
	z.Close()
	return append(out, chunk("IDAT", b.Bytes())...)
}

// wideGIF returns a GIF of one interlaced frame that ends early.
func wideGIF(w, h uint16) []byte {
	sides := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, w), h)
	out := append([]byte("GIF89a"), sides...)
	out = append(out, 0x80, 0, 0, 0, 0, 0, 255, 255, 255)
	out = append(append(out, 0x2c, 0, 0, 0, 0), sides...)
	return append(out, 0x40, 2, 4, 0x84, 0x51, 0x51)
}

// resizedJPEG returns a JPEG that says it has other sides, and ends early.
func resizedJPEG(data []byte, w, h uint16) []byte {
	out := bytes.Clone(data)
	at := max(bytes.Index(out, []byte{0xff, 0xc2}), bytes.Index(out, []byte{0xff, 0xc0}))
	binary.BigEndian.PutUint16(out[at+5:], h)
	binary.BigEndian.PutUint16(out[at+7:], w)
	return out
}

// resizedWebP returns a lossy WebP that says it has other sides.
func resizedWebP(data []byte, w, h uint16) []byte {
	out := bytes.Clone(data)
	binary.LittleEndian.PutUint16(out[26:], w)
	binary.LittleEndian.PutUint16(out[28:], h)
	return out
}

// manyIcons returns an icon file that names one place again and again.
func manyIcons() []byte {
	out := []byte("\x00\x00\x01\x00\xff\xff")
	for range 65535 {
		out = append(out, 16, 16, 0, 0, 1, 0, 32, 0)
		out = binary.LittleEndian.AppendUint32(out, 64)
		out = binary.LittleEndian.AppendUint32(out, 6)
	}
	return out
}

// A bits writes a VP8L stream.
type bits struct {
	data []byte
	n    int
}

func (b *bits) put(v, n int) {
	for i := range n {
		if b.n%8 == 0 {
			b.data = append(b.data, 0)
		}
		b.data[b.n/8] |= byte(v>>i&1) << (b.n % 8)
		b.n++
	}
}

// one writes a tree of one symbol.
func (b *bits) one(symbol int) {
	b.put(1, 1)
	b.put(0, 1)
	b.put(1, 1)
	b.put(symbol, 8)
}

// full writes a tree of 256 symbols of 8 bits each, which takes 48 bits: the
// lengths are coded by a tree of one symbol, which takes none.
func (b *bits) full() {
	b.put(0, 1)
	b.put(12-4, 4)
	for i := range 12 {
		b.put(min(i/11, 1), 3) // the twelfth in order is the length 8
	}
	b.put(1, 1)
	b.put(3, 3)
	b.put(254, 8)
}

// treeBomb returns a lossless WebP of a side, whose pixels are coded by groups
// of the largest trees, and end early.
func treeBomb(groups, side int) []byte {
	b := &bits{data: []byte{0x2f}, n: 8}
	b.put(side-1, 14)
	b.put(side-1, 14)
	b.put(0, 4)
	b.put(0, 1) // no transform
	b.put(0, 1) // no cache
	b.put(1, 1) // groups, by tiles of
	b.put(0, 3) // 4 pixels
	b.put(0, 1) // no cache
	b.one((groups - 1) & 255)
	b.one((groups - 1) >> 8)
	for range 3 {
		b.one(0)
	}
	for range groups {
		for range 4 {
			b.full()
		}
		b.one(0)
	}
	return riff(webpChunk("VP8L", b.data))
}

// transformBomb returns a lossless WebP of a side with many transforms, each of
// which has an image of its own that takes no bits.
func transformBomb(transforms, side int) []byte {
	b := &bits{data: []byte{0x2f}, n: 8}
	b.put(side-1, 14)
	b.put(side-1, 14)
	b.put(0, 4)
	for range transforms {
		b.put(1, 1) // a transform
		b.put(0, 2) // by predictors
		b.put(0, 3) // of tiles of 4 pixels
		b.put(0, 1) // no cache
		for range 5 {
			b.one(0)
		}
	}
	b.put(0, 1)
	b.put(0, 64) // the beginning of what follows
	return riff(webpChunk("VP8L", b.data))
}

// chunkBomb returns a WebP of many chunks, of which the first says that the
// picture has 64 by 64 pixels, and the others that it has 16,384 by 16,384.
func chunkBomb(chunks int) []byte {
	large := transformBomb(1, 16384)[12:]
	return riff(append(webpChunk("VP8X", []byte{0, 0, 0, 0, 63, 0, 0, 63, 0, 0}), bytes.Repeat(large, chunks)...))
}

func webpChunk(name string, body []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body)))
	return append(append(out, body...), make([]byte, len(body)%2)...)
}

// riff wraps chunks as a WebP.
func riff(chunks []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+len(chunks)))
	return append(append(out, "WEBP"...), chunks...)
}
