package thumbnail

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"miramundo.dev/shared/logo"
)

// A shape is a rectangle of a colour, in hundredths of the picture.
type shape struct {
	x0, y0, x1, y1 int
	colour         color.Color
}

// drawn returns a picture of shapes on a ground, as PNG.
func drawn(t *testing.T, w, h int, ground color.Color, shapes ...shape) []byte {
	t.Helper()
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(im, im.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	for _, s := range shapes {
		at := image.Rect(s.x0*w/100, s.y0*h/100, s.x1*w/100, s.y1*h/100)
		draw.Draw(im, at, image.NewUniform(s.colour), image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// letters are bars that stand apart, as letters do.
func letters(c color.Color) []shape {
	return []shape{{10, 30, 20, 70, c}, {30, 30, 40, 70, c}, {50, 30, 60, 70, c}, {70, 30, 80, 70, c}}
}

func TestTone(t *testing.T) {
	clear := color.NRGBA{}
	white, black := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 0, 0, 255}
	red, yellow, navy := color.NRGBA{214, 30, 40, 255}, color.NRGBA{255, 230, 0, 255}, color.NRGBA{16, 24, 80, 255}
	for _, tt := range []struct {
		name string
		data []byte
		want logo.Tone
	}{
		{"white letters", drawn(t, 300, 200, clear, letters(white)...), logo.OnDark},
		{"black letters", drawn(t, 300, 200, clear, letters(black)...), logo.OnLight},
		{"red letters", drawn(t, 300, 200, clear, letters(red)...), logo.OnAny},
		{"yellow letters", drawn(t, 300, 200, clear, letters(yellow)...), logo.OnDark},
		{"navy letters", drawn(t, 300, 200, clear, letters(navy)...), logo.OnLight},
		{"white letters at half strength", drawn(t, 300, 200, clear, letters(color.NRGBA{255, 255, 255, 128})...), logo.OnDark},
		{"black letters at half strength", drawn(t, 300, 200, clear, letters(color.NRGBA{0, 0, 0, 128})...), logo.OnLight},
		{"white letters on a red sign", drawn(t, 300, 200, clear, append([]shape{{5, 20, 90, 80, red}}, letters(white)...)...), logo.OnAny},
		{"white letters beside a red sign", drawn(t, 300, 200, clear, shape{5, 20, 25, 80, red}, shape{40, 30, 50, 70, white}, shape{60, 30, 70, 70, white}), logo.OnDark},
		{"red letters on white", drawn(t, 300, 200, white, letters(red)...), "ffffff"},
		{"white letters on navy", drawn(t, 300, 200, navy, letters(white)...), "101850"},
		{"two grounds, of which one is at most edges", drawn(t, 200, 200, navy, shape{0, 0, 30, 100, red}), "101850"},
		{"tiny, white on clear", drawn(t, 16, 16, clear, shape{25, 25, 75, 75, white}), logo.OnDark},
		{"tiny, filled", drawn(t, 8, 8, red, shape{25, 25, 75, 75, white}), "d61e28"},
		{"a line", drawn(t, 400, 8, clear, shape{0, 25, 100, 75, black}), logo.OnLight},
		{"larger than a logo", drawn(t, 900, 700, clear, letters(white)...), logo.OnDark},
	} {
		t.Run(tt.name, func(t *testing.T) {
			im, err := Make(tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if im.Tone != tt.want {
				t.Errorf("the tone is %q, want %q", im.Tone, tt.want)
			}
			if got := logo.ToneOf(im.ID()); got != tt.want {
				t.Errorf("the id %q says %q, want %q", im.ID(), got, tt.want)
			}
		})
	}
}
