package thumbnail

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"testing"

	"golang.org/x/image/webp"

	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/raster"
)

// TestMake makes logos of the corpus, and compares what is seen of them.
func TestMake(t *testing.T) {
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			im, err := Make(s.data)
			if got := raster.Reason(err); got != s.skip || (err == nil) != (s.skip == "") {
				t.Fatalf("Make = %v (%q), want the reason %q", err, got, s.skip)
			}
			if s.skip != "" {
				return
			}
			if got := raster.Format(s.data); got != s.format {
				t.Errorf("the format is %q, want %q", got, s.format)
			}
			check(t, s, im)
			for _, word := range []string{"script", "alert", "PK\x03\x04", "html", "tEXt", "zTXt", "Exif"} {
				if bytes.Contains(im.Data, []byte(word)) {
					t.Errorf("the logo holds %q", word) // nothing but pixels is kept
				}
			}
		})
	}
}

// check checks a logo of the four quarters.
func check(t *testing.T, s sample, im logo.Image) {
	t.Helper()
	if err := im.Check(); err != nil {
		t.Errorf("Check refuses the logo: %v", err)
	}
	got := decoded(t, im)
	if got.Bounds() != image.Rect(0, 0, s.width, s.height) {
		t.Fatalf("the bounds are %v, want %d by %d", got.Bounds(), s.width, s.height)
	}
	for i, want := range quarterColours {
		if i == 3 {
			want.A = s.last
		}
		x, y := s.width/4+i%2*(s.width/2), s.height/4+i/2*(s.height/2)
		c := color.NRGBAModel.Convert(got.At(x, y)).(color.NRGBA)
		far := max(off(c.R, want.R), off(c.G, want.G), off(c.B, want.B))
		if off(c.A, want.A) > 2 || want.A > 0 && far > s.loss+2 {
			t.Errorf("the pixel at %d,%d is %v, want %v", x, y, c, want)
		}
	}
}

func off(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func decoded(t testing.TB, im logo.Image) image.Image {
	t.Helper()
	decode := map[string]func(*bytes.Reader) (image.Image, error){
		"image/png":  func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) },
		"image/webp": func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) },
	}[im.Type]
	got, err := decode(bytes.NewReader(im.Data))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestCut cuts every file of the corpus at many places. What is left is skipped,
// or, when only its end is missing, makes a logo.
func TestCut(t *testing.T) {
	for _, s := range corpus(t) {
		if s.skip != "" || s.width > 100 {
			continue
		}
		step := max(1, len(s.data)/7)
		for n := 0; n < len(s.data); n += step {
			im, err := Make(s.data[:n])
			if err == nil {
				decoded(t, im)
			} else if !errors.Is(err, raster.ErrRefused) || raster.Reason(err) == "" {
				t.Errorf("%s, the first %d bytes: %v", s.name, n, err)
			}
			if err == nil && n < len(s.data)/2 && s.format != "ico" { // another picture of it may be whole
				t.Errorf("%s: a logo of the first %d bytes of %d", s.name, n, len(s.data))
			}
		}
	}
}

// TestAlpha checks that the colour of what is transparent does not bleed into
// what is seen.
func TestAlpha(t *testing.T) {
	im := image.NewNRGBA(image.Rect(0, 0, 800, 800))
	for y := range 800 {
		for x := range 800 {
			c := color.NRGBA{R: 255, A: 0} // red, where nothing is seen
			if (x/64+y/64)%2 == 0 {
				c = color.NRGBA{B: 255, A: 255}
			}
			im.SetNRGBA(x, y, c)
		}
	}
	got, err := Make(pngOf(t, im))
	if err != nil {
		t.Fatal(err)
	}
	out := decoded(t, got)
	for y := range out.Bounds().Dy() {
		for x := range out.Bounds().Dx() {
			if c := color.NRGBAModel.Convert(out.At(x, y)).(color.NRGBA); c.A > 40 && c.R > 8 {
				t.Fatalf("the pixel at %d,%d is %v: the colour of transparent pixels shows", x, y, c)
			}
		}
	}
}

// TestFrame checks that a first frame which fills a part of its animation is
// seen where it lies.
func TestFrame(t *testing.T) {
	frame := paletted(quarters(100, 100, 255))
	frame.Rect = frame.Rect.Add(image.Pt(100, 0))
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 200, Height: 100, ColorModel: frame.Palette}}); err != nil {
		t.Fatal(err)
	}
	im, err := Make(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	out := decoded(t, im)
	left := color.NRGBAModel.Convert(out.At(50, 50)).(color.NRGBA)
	right := color.NRGBAModel.Convert(out.At(125, 25)).(color.NRGBA)
	if out.Bounds().Dx() != 200 || left.A != 0 || right != quarterColours[0] {
		t.Errorf("%v: left %v, right %v", out.Bounds(), left, right)
	}
}

// FuzzMake checks that no file breaks Make, and that what it makes is a picture
// within bounds.
func FuzzMake(f *testing.F) {
	im := quarters(24, 16, 0)
	aPNG, aJPEG := pngOf(f, im), jpegOf(f, im)
	for _, data := range [][]byte{
		aPNG, aJPEG, pngOf(f, paletted(im)), pngOf(f, deep(im)), gifOf(f, paletted(im), paletted(im)), bmpOf(f, im), webpOf(f, im),
		webpOf(f, artwork(32)), icoOf(f, im, quarters(16, 16, 255)), icon([]byte{24, 16}, aPNG), inkJPEG(f, im), animatedWebP(), treeBomb(3, 24),
		file(f, "lossy.webp"), file(f, "lossy_alpha.webp"), resizedJPEG(file(f, "progressive.jpg"), 24, 16), wideGIF(24, 16), headBMP(24, 16),
	} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		im, err := Make(data)
		if err != nil {
			if raster.Reason(err) == "" {
				t.Fatal(err)
			}
			return
		}
		out := decoded(t, im)
		if b := out.Bounds(); max(b.Dx(), b.Dy()) > MaxSide || im.Check() != nil {
			t.Errorf("%v: %v", b, im.Check())
		}
	})
}
