package thumbnail

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/HugoSmits86/nativewebp"
	"github.com/sergeymakinen/go-ico"
	"golang.org/x/image/bmp"

	"miramundo.dev/shared/raster"
)

// The colours of the quarters of the picture that most tests make: those above,
// then those below.
var quarterColours = [4]color.NRGBA{{200, 30, 30, 255}, {20, 160, 40, 255}, {30, 40, 200, 255}, {240, 240, 240, 255}}

// quarters returns a picture of four colours; the last quarter may be
// transparent.
func quarters(w, h int, last uint8) *image.NRGBA {
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := quarterColours[2*(2*y/h)+2*x/w]
			if x >= w/2 && y >= h/2 {
				c.A = last
			}
			im.SetNRGBA(x, y, c)
		}
	}
	return im
}

// A sample is a file of the corpus, and what Make is to do with it.
type sample struct {
	name string
	data []byte
	skip string // the reason; empty when there is to be a logo

	format        string
	width, height int   // of the logo
	last          uint8 // alpha of the last quarter
	loss          int   // how far colours may lie off
}

// made is the corpus, once it is made.
var made []sample

// corpus returns files of every kind that logos come in.
func corpus(t testing.TB) []sample {
	if made == nil {
		made = newCorpus(t)
	}
	return made
}

func newCorpus(t testing.TB) []sample {
	opaque, clear := quarters(96, 72, 255), quarters(96, 72, 0)
	aPNG, aJPEG := pngOf(t, clear), jpegOf(t, opaque)
	return append([]sample{
		{name: "PNG", data: aPNG, format: "png", width: 96, height: 72},
		{name: "PNG of 16 bits", data: pngOf(t, deep(clear)), format: "png", width: 96, height: 72},
		{name: "PNG of a palette", data: pngOf(t, paletted(clear)), format: "png", width: 96, height: 72},
		{name: "PNG, interlaced", data: file(t, "interlaced.png"), format: "png", width: 96, height: 72, loss: 20},
		{name: "PNG, small", data: pngOf(t, quarters(40, 30, 128)), format: "png", width: 40, height: 30, last: 128},
		{name: "PNG, to be scaled", data: pngOf(t, quarters(400, 300, 0)), format: "png", width: 256, height: 192},
		{name: "PNG, large", data: pngOf(t, quarters(1000, 750, 0)), format: "png", width: 256, height: 192},
		{name: "PNG, narrow", data: pngOf(t, quarters(20, 800, 255)), format: "png", width: 6, height: 256, last: 255, loss: 4},
		{name: "APNG", data: animatedPNG(t, aPNG), format: "png", width: 96, height: 72},
		{name: "JPEG", data: aJPEG, format: "jpeg", width: 96, height: 72, last: 255, loss: 8},
		{name: "JPEG, to be scaled", data: jpegOf(t, quarters(401, 299, 255)), format: "jpeg", width: 256, height: 191, last: 255, loss: 8},
		{name: "JPEG, progressive", data: file(t, "progressive.jpg"), format: "jpeg", width: 96, height: 72, last: 255, loss: 20},
		{name: "JPEG of CMYK", data: file(t, "cmyk.jpg"), format: "jpeg", width: 96, height: 72, last: 255, loss: 110}, // without their profile, inks are a guess
		{name: "JPEG of CMYK, by hand", data: inkJPEG(t, opaque), format: "jpeg", width: 96, height: 72, last: 255, loss: 8},
		{name: "GIF", data: gifOf(t, paletted(clear)), format: "gif", width: 96, height: 72},
		{name: "GIF, animated", data: gifOf(t, paletted(clear), paletted(opaque)), format: "gif", width: 96, height: 72},
		{name: "WebP, lossless", data: file(t, "lossless.webp"), format: "webp", width: 96, height: 72, loss: 20},
		{name: "WebP, lossy", data: file(t, "lossy.webp"), format: "webp", width: 96, height: 72, last: 255, loss: 25},
		{name: "WebP, lossy with alpha", data: file(t, "lossy_alpha.webp"), format: "webp", width: 96, height: 72, loss: 25},
		{name: "BMP", data: bmpOf(t, opaque), format: "bmp", width: 96, height: 72, last: 255},
		{name: "BMP of a palette", data: bmpOf(t, paletted(opaque)), format: "bmp", width: 96, height: 72, last: 255},
		{name: "ICO of bitmaps", data: icoOf(t, quarters(16, 16, 0), quarters(48, 48, 0), quarters(32, 32, 0)), format: "ico", width: 48, height: 48},
		{name: "ICO of a PNG", data: icon([]byte{0, 0}, pngOf(t, quarters(100, 80, 0))), format: "ico", width: 100, height: 80},
		{name: "ICO without a mask", data: withoutMask(icoOf(t, quarters(32, 32, 255))), format: "ico", width: 32, height: 32, last: 255},
	}, refused(t, aPNG, aJPEG)...)
}

// refused returns files that are skipped, and polyglots: files that another
// program takes for something else.
func refused(t testing.TB, aPNG, aJPEG []byte) []sample {
	script := []byte("*/=1;alert(document.domain)/*")
	aGIF := gifOf(t, paletted(quarters(96, 72, 0)))
	white, nothing := image.NewNRGBA(image.Rect(0, 0, 64, 64)), image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	return []sample{
		{name: "nothing", skip: raster.Unknown},
		{name: "text", data: []byte("404 not found"), skip: raster.Unknown},
		{name: "HTML", data: []byte("<!doctype html><title>Not found</title>"), skip: raster.HTML},
		{name: "SVG", data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), skip: raster.SVG},
		{name: "SVG after a declaration", data: []byte("\xef\xbb\xbf\n<?xml version='1.0'?>\n<!-- x --><SVG/>"), skip: raster.SVG},
		{name: "AVIF", data: file(t, "quarters.avif"), skip: raster.AVIF},
		{name: "TIFF", data: file(t, "quarters.tif"), skip: raster.TIFF},
		{name: "WebP, animated", data: animatedWebP(), skip: raster.Animated},
		{name: "RIFF of sound", data: []byte("RIFF\x40\x00\x00\x00WAVEfmt " + strings.Repeat("\x00", 64)), skip: raster.Unknown},
		{name: "1x1", data: pngOf(t, quarters(1, 1, 255)), skip: raster.TooSmall},
		{name: "1x1 GIF", data: gifOf(t, paletted(quarters(1, 1, 255))), skip: raster.TooSmall},
		{name: "a line", data: pngOf(t, quarters(300, 7, 255)), skip: raster.TooSmall},
		{name: "white", data: pngOf(t, white), skip: raster.Blank},
		{name: "white JPEG", data: jpegOf(t, white), skip: raster.Blank},
		{name: "transparent", data: pngOf(t, nothing), skip: raster.Blank},
		{name: "20,000 x 20,000", data: headPNG(20000, 20000, 8, 6), skip: raster.TooLarge},
		{name: "20,000 x 20,000 of one bit", data: headPNG(20000, 20000, 1, 0), skip: raster.TooLarge},
		{name: "more pixels than an int holds", data: headPNG(1<<31-1, 1<<31-1, 16, 6), skip: raster.TooLarge},
		{name: "20,000 x 20,000 GIF", data: []byte("GIF89a\x20\x4e\x20\x4e\x00\x00\x00\x2c"), skip: raster.TooLarge},
		{name: "65,535 x 65,535 JPEG", data: headJPEG(65535, 65535, 0xc0, 0x11), skip: raster.TooLarge},
		{name: "2,000 x 2,000 progressive JPEG in full colour", data: headJPEG(2000, 2000, 0xc2, 0x11), skip: raster.TooLarge},
		{name: "JPEG of many scans", data: append(headJPEG(512, 512, 0xc2, 0x11), bytes.Repeat([]byte("\xff\xda\x00\x08"), 200)...), skip: raster.TooLarge},
		{name: "16,384 x 16,384 WebP", data: headWebP("VP8L", "\x2f\xff\xff\xff\x0f"), skip: raster.TooLarge},
		{name: "16,384 x 16,384 WebP of many transforms", data: transformBomb(100_000, 16384), skip: raster.TooLarge},
		{name: "WebP of many transforms", data: transformBomb(100_000, 2000), skip: raster.Damaged},
		{name: "WebP of many chunks that are larger than it says", data: chunkBomb(20_000), skip: raster.Damaged},
		{name: "16,384 x 16,384 BMP", data: headBMP(16384, 16384), skip: raster.TooLarge},
		{name: "ICO of a large PNG", data: icon([]byte{16, 16}, headPNG(20000, 20000, 8, 6)), skip: raster.TooLarge},
		{name: "ICO without pictures", data: []byte("\x00\x00\x01\x00\x00\x00"), skip: raster.Damaged},
		{name: "ICO whose pictures lie outside", data: append(icon([]byte{16, 16}, aPNG)[:6+12], 0xff, 0xff, 0xff, 0x7f), skip: raster.Damaged},
		{name: "WebP that says too much of its length", data: headWebP("VP8 ", strings.Repeat("\xff", 20)), skip: raster.Damaged},
		{name: "too many bytes", data: append(bytes.Clone(aPNG), make([]byte, MaxSource)...), skip: raster.TooManyBytes},

		{name: "GIF and script", data: append(bytes.Clone(aGIF), script...), format: "gif", width: 96, height: 72},
		{name: "PNG and ZIP", data: append(bytes.Clone(aPNG), "PK\x03\x04evil"...), format: "png", width: 96, height: 72},
		{name: "JPEG and HTML", data: commented(aJPEG, "<html><script>alert(1)</script>"), format: "jpeg", width: 96, height: 72, last: 255, loss: 8},
		{name: "PNG with a text bomb", data: textBomb(aPNG), format: "png", width: 96, height: 72},
	}
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../raster/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func pngOf(t testing.TB, im image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return pngEncoder.Encode(b, im) })
}

func jpegOf(t testing.TB, im image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, im, &jpeg.Options{Quality: 90}) })
}

func bmpOf(t testing.TB, im image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, im) })
}

func webpOf(t testing.TB, im image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return nativewebp.Encode(b, im, nil) })
}

func icoOf(t testing.TB, icons ...image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return ico.EncodeAll(b, icons) })
}

func gifOf(t testing.TB, frames ...*image.Paletted) []byte {
	return encoded(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: frames, Delay: make([]int, len(frames))})
	})
}

func encoded(t testing.TB, f func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// paletted returns a picture with a palette of its colours.
func paletted(im *image.NRGBA) *image.Paletted {
	out := indexed(im)
	for i, c := range out.Palette {
		if _, _, _, a := c.RGBA(); a == 0 {
			out.Palette[i] = color.NRGBA{}
		}
	}
	return out
}

// deep returns a picture of 16 bits for each channel.
func deep(im *image.NRGBA) *image.NRGBA64 {
	out := image.NewNRGBA64(im.Rect)
	for y := range im.Rect.Dy() {
		for x := range im.Rect.Dx() {
			c := im.NRGBAAt(x, y)
			wide := func(v uint8) uint16 { return uint16(v) * 0x101 }
			out.SetNRGBA64(x, y, color.NRGBA64{R: wide(c.R), G: wide(c.G), B: wide(c.B), A: wide(c.A)})
		}
	}
	return out
}

// chunk returns a chunk of a PNG.
func chunk(name string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, name...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// headPNG returns the header of a PNG, and no pixels.
func headPNG(w, h uint32, depth, colours byte) []byte {
	data := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	head := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(data, depth, colours, 0, 0, 0))...)
	return append(head, chunk("IDAT", make([]byte, 64))...)
}

// inserted returns a PNG with chunks after its header.
func inserted(png []byte, chunks ...[]byte) []byte {
	const header = 33
	out := bytes.Clone(png[:header])
	for _, c := range chunks {
		out = append(out, c...)
	}
	return append(out, png[header:]...)
}

// animatedPNG returns png with a frame after it that shows nothing of it.
func animatedPNG(t testing.TB, png []byte) []byte {
	t.Helper()
	frame := pngOf(t, quarters(96, 72, 255))
	at := bytes.Index(frame, []byte("IDAT")) - 4
	size := binary.BigEndian.Uint32(frame[at:])
	body := append([]byte{0, 0, 0, 1}, frame[at+8:at+8+int(size)]...)
	control := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte{0, 0, 0, 0}, 96), 72), make([]byte, 14)...)
	out := inserted(png, chunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0}))
	end := len(out) - 12
	return append(append(append(bytes.Clone(out[:end]), chunk("fcTL", control)...), chunk("fdAT", body)...), out[end:]...)
}

// textBomb returns a PNG with chunks that unpack to 20 MB each.
func textBomb(png []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	zeros := make([]byte, 1<<20)
	for range 20 {
		w.Write(zeros)
	}
	w.Close()
	return inserted(png,
		chunk("zTXt", append([]byte("Comment\x00\x00"), b.Bytes()...)),
		chunk("iCCP", append([]byte("profile\x00\x00"), b.Bytes()...)))
}

// headJPEG returns the header of a JPEG of three parts, and no blocks.
func headJPEG(w, h uint16, marker, sampling byte) []byte {
	head := []byte{0xff, 0xd8, 0xff, marker, 0, 17, 8}
	head = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(head, h), w)
	return append(head, 3, 1, sampling, 0, 2, 0x11, 0, 3, 0x11, 0)
}

// commented returns a JPEG with a comment before all else, and text behind.
func commented(jpeg []byte, text string) []byte {
	out := append([]byte{0xff, 0xd8, 0xff, 0xfe}, binary.BigEndian.AppendUint16(nil, uint16(len(text)+2))...)
	out = append(append(out, text...), jpeg[2:]...)
	return append(out, text...)
}

// inkJPEG returns a picture in four inks, each a scan of its own, as Adobe's
// programs say them: 255 is no ink.
func inkJPEG(t testing.TB, im *image.NRGBA) []byte {
	t.Helper()
	var tables, scans []byte
	for part := range 4 {
		plane := image.NewGray(im.Rect)
		for i := range plane.Pix {
			c := color.NRGBA{R: im.Pix[4*i], G: im.Pix[4*i+1], B: im.Pix[4*i+2]}
			_, _, _, k := color.RGBToCMYK(c.R, c.G, c.B)
			cy, ma, ye, _ := color.RGBToCMYK(c.R, c.G, c.B)
			plane.Pix[i] = 255 - [4]uint8{cy, ma, ye, k}[part]
		}
		grey := jpegOf(t, plane)
		frame, scan := bytes.Index(grey, []byte{0xff, 0xc0}), bytes.Index(grey, []byte{0xff, 0xda})
		tables = append(bytes.Clone(grey[2:frame]), grey[frame+13:scan]...)
		scans = append(scans, 0xff, 0xda, 0, 8, 1, byte(part+1), 0, 0, 63, 0)
		scans = append(scans, grey[scan+10:len(grey)-2]...)
	}
	out := append([]byte{0xff, 0xd8}, "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"...)
	out = append(out, tables...)
	out = append(out, 0xff, 0xc0, 0, 20, 8)
	out = binary.BigEndian.AppendUint16(out, uint16(im.Rect.Dy()))
	out = binary.BigEndian.AppendUint16(out, uint16(im.Rect.Dx()))
	out = append(out, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0)
	return append(append(out, scans...), 0xff, 0xd9)
}

// headWebP returns a WebP of one chunk that is not all there.
func headWebP(name, body string) []byte {
	body += strings.Repeat("\x00", 64)
	out := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(12+len(body)))...)
	if name == "VP8 " {
		out = append([]byte("RIFF"), 0xff, 0xff, 0xff, 0x7f)
	}
	out = append(append(out, "WEBP"...), name...)
	out = append(out, binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...)
	return append(out, body...)
}

func animatedWebP() []byte {
	body := []byte{1 << 1, 0, 0, 0, 99, 0, 0, 99, 0, 0}
	out := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(12+len(body)))...)
	out = append(append(out, "WEBPVP8X"...), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...)
	return append(out, body...)
}

// headBMP returns the header of a bitmap, and no pixels.
func headBMP(w, h uint32) []byte {
	out := append([]byte("BM"), make([]byte, 52)...)
	out[10], out[14], out[26], out[28] = 54, 40, 1, 24
	binary.LittleEndian.PutUint32(out[18:], w)
	binary.LittleEndian.PutUint32(out[22:], h)
	return out
}

// icon returns an icon file of one picture, whose entry begins with sides.
func icon(sides, body []byte) []byte {
	out := append([]byte("\x00\x00\x01\x00\x01\x00"), sides...)
	out = append(out, 0, 0, 1, 0, 32, 0)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(body)))
	out = binary.LittleEndian.AppendUint32(out, 6+16)
	return append(out, body...)
}

// withoutMask returns an icon file of a picture of 32 by 32 that ends with its
// colours.
func withoutMask(data []byte) []byte {
	const mask = 32 * 4
	data = data[:len(data)-mask]
	binary.LittleEndian.PutUint32(data[6+8:], uint32(len(data)-6-16))
	return data
}
