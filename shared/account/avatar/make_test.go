package avatar

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"miramundo.dev/shared/fault"
)

// The colours of the quarters of the picture that most tests upload: those above,
// then those below.
var quarterColours = [4]color.NRGBA{{200, 30, 30, 255}, {20, 160, 40, 255}, {30, 40, 200, 255}, {240, 240, 240, 255}}

// quarters returns a picture of four colours around its middle.
func quarters(w, h int) *image.NRGBA {
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			im.SetNRGBA(x, y, quarterColours[2*(2*y/h)+2*x/w])
		}
	}
	return im
}

// photo returns what a photo is like to an encoder: slopes of light, edges, texture
// and the noise of a sensor.
func photo(w, h int) *image.NRGBA {
	rnd := rand.New(rand.NewPCG(1, 1))
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := float64(x)/float64(w), float64(y)/float64(h)
			light := 90 + 80*u + 40*math.Sin(6*v+3*u) + 25*math.Sin(60*u*v+40*v) + 3*rnd.NormFloat64()
			if math.Hypot(u-0.5, v-0.4) < 0.25 {
				light += 50 - 120*math.Hypot(u-0.4, v-0.3)
			}
			value := func(x float64) uint8 { return uint8(min(max(x, 0), 255)) }
			im.SetNRGBA(x, y, color.NRGBA{value(light + 12), value(light), value(light - 20 + 10*rnd.Float64()), 255})
		}
	}
	return im
}

// noise returns the picture that is hardest to encode.
func noise(side int) *image.NRGBA {
	rnd := rand.New(rand.NewPCG(2, 2))
	im := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range im.Pix {
		im.Pix[i] = uint8(rnd.Uint32())
	}
	return im
}

func encoded(t testing.TB, f func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, im image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, im) })
}

func jpegOf(t testing.TB, im image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, im, &jpeg.Options{Quality: 92}) })
}

// gifOf returns an animation of a picture and one of nothing.
func gifOf(t testing.TB, im image.Image) []byte {
	palette := color.Palette{color.NRGBA{}}
	for _, c := range quarterColours {
		palette = append(palette, c)
	}
	first, second := image.NewPaletted(im.Bounds(), palette), image.NewPaletted(im.Bounds(), palette)
	for y := range im.Bounds().Dy() {
		for x := range im.Bounds().Dx() {
			first.Set(x, y, im.At(x, y))
		}
	}
	return encoded(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{1, 1}})
	})
}

// deep returns a picture of 16 bits for each value.
func deep(im *image.NRGBA) *image.NRGBA64 {
	out := image.NewNRGBA64(im.Rect)
	for y := range im.Rect.Dy() {
		for x := range im.Rect.Dx() {
			out.Set(x, y, im.At(x, y))
		}
	}
	return out
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../raster/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// segment returns a segment of a JPEG.
func segment(marker byte, body string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

// exif returns EXIF metadata with an orientation, a place and the name of a camera.
func exif(order binary.AppendByteOrder, orientation uint16) string {
	head := map[bool]string{true: "MM\x00*", false: "II*\x00"}[order == binary.AppendByteOrder(binary.BigEndian)]
	b := order.AppendUint32([]byte("Exif\x00\x00"+head), 8)
	b = order.AppendUint16(b, 3)
	entry := func(tag, kind uint16, n uint32, value []byte) {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), kind), n)
		b = append(b, value...)
	}
	entry(0x010f, 2, 4, []byte("Cam\x00"))
	entry(0x0112, 3, 1, order.AppendUint16(order.AppendUint16(nil, orientation), 0))
	entry(0x8825, 4, 1, order.AppendUint32(nil, 50))
	return string(b) + "GPSLatitude 41.9028 N\x00"
}

// withMetadata returns a JPEG with everything that says where and how it was taken.
func withMetadata(jpeg []byte, order binary.AppendByteOrder, orientation uint16) []byte {
	out := bytes.Clone(jpeg[:2])
	for _, s := range [][]byte{
		segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"),
		segment(0xe1, exif(order, orientation)),
		segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta>GPSLatitude</x:xmpmeta>"),
		segment(0xe2, "ICC_PROFILE\x00\x01\x01"+strings.Repeat("icc", 99)),
		segment(0xfe, "Photoshop says hello"),
	} {
		out = append(out, s...)
	}
	return append(out, jpeg[2:]...)
}

// headPNG returns the header of a PNG, and no pixels.
func headPNG(w, h uint32) []byte {
	body := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	body = append(body, 8, 6, 0, 0, 0)
	out := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	return append(binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body)), make([]byte, 64)...)
}

// animatedWebP returns the beginning of a WebP of several frames.
func animatedWebP() []byte {
	body := []byte{1 << 1, 0, 0, 0, 99, 0, 0, 99, 0, 0}
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(12+len(body)))
	out = binary.LittleEndian.AppendUint32(append(out, "WEBPVP8X"...), uint32(len(body)))
	return append(out, body...)
}

// decoded returns the photo in data, which must be a square WebP of one chunk that
// is small enough.
func decoded(t testing.TB, data []byte) *image.NRGBA {
	t.Helper()
	if len(data) > MaxSize {
		t.Errorf("%d bytes", len(data))
	}
	if chunk := 20 + int(binary.LittleEndian.Uint32(data[16:20])); string(data[:4])+string(data[8:16]) != "RIFFWEBPVP8L" || len(data) > chunk+1 {
		t.Errorf("%d bytes that begin with %q are more than pixels", len(data), data[:20])
	}
	im, err := webp.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := im.Bounds(); b.Dx() != b.Dy() || b.Dx() > sides[0] {
		t.Errorf("the sides are %v", b)
	}
	return im.(*image.NRGBA)
}

// shown returns the numbers of the colours in the quarters of a photo, above and then
// below. A colour of the tests is meant if it is nearest.
func shown(im *image.NRGBA) (found [4]int) {
	for i := range found {
		side := im.Rect.Dx()
		c := im.NRGBAAt(side/4+i%2*side/2, side/4+i/2*side/2)
		best := math.MaxInt
		for k, q := range quarterColours {
			d := 0
			for _, pair := range [][2]uint8{{c.R, q.R}, {c.G, q.G}, {c.B, q.B}} {
				d += (int(pair[0]) - int(pair[1])) * (int(pair[0]) - int(pair[1]))
			}
			if d < best {
				best, found[i] = d, k
			}
		}
	}
	return found
}

// TestMake makes photos of every kind of picture.
func TestMake(t *testing.T) {
	for name, upload := range map[string][]byte{
		"PNG":                    pngOf(t, quarters(96, 72)),
		"PNG of 16 bits":         pngOf(t, deep(quarters(96, 72))),
		"PNG, interlaced":        file(t, "interlaced.png"),
		"PNG, wide":              pngOf(t, quarters(900, 100)),
		"PNG, high":              pngOf(t, quarters(100, 900)),
		"JPEG":                   jpegOf(t, quarters(640, 480)),
		"JPEG, progressive":      file(t, "progressive.jpg"),
		"JPEG of four inks":      file(t, "cmyk.jpg"),
		"GIF, animated":          gifOf(t, quarters(96, 72)),
		"WebP, lossy":            file(t, "lossy.webp"),
		"WebP, lossless":         file(t, "lossless.webp"),
		"WebP, lossy with alpha": file(t, "lossy_alpha.webp"),
	} {
		data, err := Make(upload)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		im := decoded(t, data)
		if got := shown(im); got[0] != 0 || got[1] != 1 || got[2] != 2 {
			t.Errorf("%s shows %v", name, got)
		}
	}
}

// TestRefusals checks why no photo is made of some files.
func TestRefusals(t *testing.T) {
	whole := jpegOf(t, quarters(640, 480))
	for name, test := range map[string]struct {
		upload []byte
		want   string
	}{
		"nothing":               {nil, Format},
		"text":                  {[]byte("a photo"), Format},
		"HTML":                  {[]byte("<!doctype html>"), Format},
		"SVG":                   {[]byte("<svg><script>alert(1)</script></svg>"), Format},
		"AVIF":                  {file(t, "quarters.avif"), Format},
		"TIFF":                  {file(t, "quarters.tif"), Format},
		"WebP, animated":        {animatedWebP(), Animated},
		"half a JPEG":           {whole[:len(whole)/2], Damaged},
		"a JPEG's beginning":    {whole[:3], Damaged},
		"half a PNG":            {pngOf(t, photo(100, 100))[:5000], Damaged},
		"a PNG of many pixels":  {headPNG(20_000, 20_000), TooLarge},
		"a PNG of most pixels":  {headPNG(1<<31-1, 1<<31-1), TooLarge},
		"a GIF of many pixels":  {[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00\x2c"), TooLarge},
		"a tracking pixel":      {pngOf(t, quarters(1, 1)), TooSmall},
		"many bytes":            {append(bytes.Clone(whole), make([]byte, MaxUpload)...), TooLarge},
		"a JPEG of many passes": {append(bytes.Clone(whole), bytes.Repeat([]byte("\xff\xda\x00\x08"), 200)...), TooLarge},
	} {
		_, err := Make(test.upload)
		f := fault.From(err)
		if err == nil || f.Code != ErrImage.Code || f.Fields["reason"] != test.want {
			t.Errorf("%s: %v, %v; want the reason %s", name, err, f, test.want)
		}
	}
}

// TestSize checks that large photos are small enough, and that they look like what
// was uploaded: rounding costs at most 46 dB, far below what is seen.
func TestSize(t *testing.T) {
	for name, test := range map[string]struct {
		im    *image.NRGBA
		least int // the smallest side
	}{
		"photo":       {photo(2400, 1800), 192},
		"small photo": {photo(300, 200), 160},
		"noise":       {noise(700), 96},
		"small noise": {noise(130), 96},
		"flat":        {quarters(1000, 1000), 256},
	} {
		data, err := Make(pngOf(t, test.im))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		im := decoded(t, data)
		t.Logf("%s: %d pixels, %d bytes", name, im.Rect.Dx(), len(data))
		if im.Rect.Dx() < test.least {
			t.Errorf("%s: a side of %d, want %d", name, im.Rect.Dx(), test.least)
		}
	}
}

// TestMemory checks that a photo of the largest picture that is decoded is made in
// 112 MiB. What is allocated in all bounds what is ever held.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute with the race detector")
	}
	upload := pngOf(t, image.NewNRGBA(image.Rect(0, 0, 4900, 4900))) // 92 MiB
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Make(upload); err != nil {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 112<<20 {
		t.Errorf("Make took %d MiB", took>>20)
	}
}

// TestRound checks that rounding leaves smooth areas as they are, and changes others
// by half a step at most.
func TestRound(t *testing.T) {
	im := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			v := uint8(60 + x) // a slope, beside an edge
			if x >= 32 {
				v = uint8(37 * x * y)
			}
			im.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	out := round(im, 2)
	for y := 1; y < 63; y++ {
		for x := 1; x < 63; x++ {
			was, is := int(im.NRGBAAt(x, y).R), int(out.NRGBAAt(x, y).R)
			if x < 31 && was != is {
				t.Fatalf("the slope at %d,%d is %d, was %d", x, y, is, was)
			}
			if is%4 != 0 && is != 255 && x >= 33 && !isSmooth(im, x, y, 4) || max(is-was, was-is) > 3 {
				t.Fatalf("the pixel at %d,%d is %d, was %d", x, y, is, was)
			}
		}
	}
}

// TestMetadata checks that a photo is upright by the metadata of its file, of which
// nothing is left.
func TestMetadata(t *testing.T) {
	plain := jpegOf(t, quarters(640, 480))
	for orientation, want := range map[uint16][4]int{
		0: {0, 1, 2, 3}, 1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 3: {3, 2, 1, 0}, 4: {2, 3, 0, 1},
		5: {0, 2, 1, 3}, 6: {2, 0, 3, 1}, 7: {3, 1, 2, 0}, 8: {1, 3, 0, 2}, 9: {0, 1, 2, 3},
	} {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			upload := withMetadata(plain, order, orientation)
			data, err := Make(upload)
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(decoded(t, data)); got != want {
				t.Errorf("orientation %d, %s: %v, want %v", orientation, order, got, want)
			}
			for _, word := range []string{"Exif", "EXIF", "GPS", "ICC", "icc", "XMP", "xmp", "Cam", "Photoshop"} {
				if !bytes.Contains(upload, []byte(word)) && word != "EXIF" && word != "XMP" {
					t.Fatalf("the upload has no %s", word)
				}
				if bytes.Contains(data, []byte(word)) {
					t.Errorf("the photo has %s", word)
				}
			}
		}
	}
}

// FuzzMake checks that no upload breaks Make, and that what it makes is a photo.
func FuzzMake(f *testing.F) {
	small := quarters(24, 16)
	aJPEG := jpegOf(f, small)
	for _, upload := range [][]byte{
		pngOf(f, small), aJPEG, gifOf(f, small), pngOf(f, deep(small)), animatedWebP(), headPNG(20_000, 20_000), aJPEG[:len(aJPEG)/2],
		withMetadata(aJPEG, binary.BigEndian, 6), withMetadata(aJPEG, binary.LittleEndian, 8), pngOf(f, noise(40)),
		file(f, "lossy.webp"), file(f, "lossy_alpha.webp"), file(f, "lossless.webp"), file(f, "progressive.jpg"), file(f, "cmyk.jpg"),
		file(f, "interlaced.png"), file(f, "quarters.avif"),
	} {
		f.Add(upload)
	}
	f.Fuzz(func(t *testing.T, upload []byte) {
		data, err := Make(upload)
		if err == nil {
			decoded(t, data)
		} else if reason, _ := fault.From(err).Fields["reason"].(string); reason == "" {
			t.Fatal(err)
		}
	})
}

// BenchmarkMake makes the photo of a picture of 12 million pixels.
func BenchmarkMake(b *testing.B) {
	upload := jpegOf(b, photo(4000, 3000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Make(upload); err != nil {
			b.Fatal(err)
		}
	}
}
