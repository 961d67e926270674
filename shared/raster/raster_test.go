package raster

import (
	"image"
	"image/color"
	"strings"
	"testing"
)

// Most of this package is tested by what is made with it: logos and photos.

// TestOrientation checks that metadata which is broken, or hostile, says that a
// picture is upright.
func TestOrientation(t *testing.T) {
	// A directory of one entry: the orientation 6, as a short integer.
	const good = "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00"
	jpeg := func(body string) string {
		return "\xff\xd8\xff\xe1\x00" + string(rune(len(body)+2)) + body + "\xff\xda"
	}
	for name, test := range map[string]struct {
		data string
		want int
	}{
		"as it should be":             {jpeg(good), 6},
		"after a table":               {"\xff\xd8\xff\xdb\x00\x03x" + jpeg(good)[2:], 6},
		"after other metadata":        {jpeg("http://ns.adobe.com/xap/1.0/\x00")[:len(jpeg("http://ns.adobe.com/xap/1.0/\x00"))-2] + jpeg(good)[2:], 6},
		"nothing":                     {"", 1},
		"a PNG":                       {magicPNG + good, 1},
		"without a segment":           {"\xff\xd8\xff", 1},
		"cut":                         {jpeg(good)[:30], 1},
		"an entry of another kind":    {jpeg(strings.Replace(good, "\x01\x12\x00\x03", "\x01\x12\x00\x04", 1)), 1},
		"an orientation of 9":         {jpeg(strings.Replace(good, "\x00\x06", "\x00\x09", 1)), 1},
		"a directory far away":        {jpeg(strings.Replace(good, "\x00\x00\x00\x08", "\xff\xff\xff\xf0", 1)), 1},
		"more entries than there are": {jpeg(strings.Replace(good, "\x08\x00\x01\x01\x12", "\x08\xff\xff\x01\x13", 1)), 1},
		"after the pixels":            {"\xff\xd8\xff\xda\x00\x02" + jpeg(good)[2:], 1},
	} {
		if got := Orientation([]byte(test.data)); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

// TestCropped checks that a part of a picture is scaled as if it was the whole, for
// pictures with a palette and without one.
func TestCropped(t *testing.T) {
	red, blue := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}
	plain := image.NewNRGBA(image.Rect(0, 0, 60, 20))
	few := image.NewPaletted(plain.Rect, color.Palette{red, blue})
	for y := range 20 {
		for x := range 60 {
			c := red
			if 20 <= x && x < 40 {
				c = blue
			}
			plain.Set(x, y, c)
			few.Set(x, y, c)
		}
	}
	for name, im := range map[string]image.Image{"plain": plain, "palette": few} {
		for _, side := range []int{20, 10} {
			got := Scale(Picture{im, image.Rect(20, 0, 40, 20)}, side)
			if got.Rect != image.Rect(0, 0, side, side) {
				t.Errorf("%s: the bounds are %v", name, got.Rect)
			}
			for i := 0; i < len(got.Pix); i += 4 {
				if got.Pix[i] != 0 || got.Pix[i+2] != 255 {
					t.Fatalf("%s, side %d: a pixel is %v, want blue", name, side, got.Pix[i:i+4])
				}
			}
		}
	}
}
