// Package poster knows the pictures that stand for the service and its channels
// where others show them: what a link to a page is shared with, and the icons of
// the app.
//
// They are drawn from shapes and from the letters of one font. A name that the
// font cannot write is left out: the logo says who it is.
package poster

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	xdraw "golang.org/x/image/draw"
)

// The size of a picture that links are shared with, in pixels.
const (
	Width  = 1200
	Height = 630
)

// The colours of the light theme.
var (
	ground = color.RGBA{0xf6, 0xf7, 0xf5, 0xff}
	plate  = color.RGBA{0xff, 0xff, 0xff, 0xff}
	line   = color.RGBA{0xdd, 0xe1, 0xdc, 0xff}
	brand  = color.RGBA{0x0f, 0x6b, 0x62, 0xff}
	text   = color.RGBA{0x16, 0x20, 0x1e, 0xff}
	soft   = color.RGBA{0x53, 0x60, 0x5c, 0xff}
	stage  = color.RGBA{0x06, 0x09, 0x08, 0xff}
)

const service = "Miramundo"

// A Subject is the channel or station of a picture.
type Subject struct {
	Name  string
	Radio bool
	Logo  image.Image // nil when there is none
}

// Site returns the picture of the service itself, as PNG.
func Site() ([]byte, error) {
	c := newCanvas()
	const side = 250
	mark(c.RGBA, image.Rect((Width-side)/2, 120, (Width+side)/2, 120+side))
	c.centred(service, bold, 96, 500, text)
	return c.encode()
}

// Channel returns the picture of a channel, as PNG.
func Channel(s Subject) ([]byte, error) {
	c := newCanvas()
	lines, size := layOut(s.Name)
	left := 80
	if len(lines) == 0 {
		left = (Width - plateSide) / 2
	}
	c.plate(left, s)
	if len(lines) == 0 {
		c.signature((Width - c.signatureWidth()) / 2)
		return c.encode()
	}
	c.name(lines, size, s.Radio)
	c.signature(textLeft)
	return c.encode()
}

// Where the parts of the picture of a channel are.
const (
	plateSide = 400
	plateTop  = 100
	textLeft  = 540
	textWidth = Width - textLeft - 70
)

type canvas struct{ *image.RGBA }

func newCanvas() canvas {
	c := canvas{image.NewRGBA(image.Rect(0, 0, Width, Height))}
	draw.Draw(c.RGBA, c.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	draw.Draw(c.RGBA, image.Rect(0, Height-12, Width, Height), image.NewUniform(brand), image.Point{}, draw.Src)
	return c
}

// plate draws the plate with the logo; without one, a sign of what it is.
func (c canvas) plate(left int, s Subject) {
	box := image.Rect(left, plateTop, left+plateSide, plateTop+plateSide)
	tile(c.RGBA, box, 36, line)
	if s.Logo == nil || s.Logo.Bounds().Empty() {
		tile(c.RGBA, box.Inset(2), 34, plate)
		sign(c.RGBA, box.Inset(110), s.Radio, brand)
		return
	}
	logo, under := plain(s.Logo), plate
	if pale(logo) {
		under = stage
	}
	tile(c.RGBA, box.Inset(2), 34, under)
	at := fit(logo.Rect.Size(), box.Inset(48))
	xdraw.CatmullRom.Scale(c.RGBA, at, logo, logo.Rect, xdraw.Over, nil)
}

// pale reports whether a logo is drawn for a dark ground: what is to be seen of
// it is all but white, and much of it is not.
func pale(logo *image.RGBA) bool {
	const bright, much = 0.9, 0.1
	light, seen, pixels := 0, 0, 0
	for px := logo.Pix; len(px) >= 4; px = px[4:] { // multiplied by their alpha
		light += 30*int(px[0]) + 59*int(px[1]) + 11*int(px[2])
		seen += int(px[3])
		pixels++
	}
	return seen > 0 && float64(light) > bright*100*float64(seen) && float64(seen) < (1-much)*255*float64(pixels)
}

// plain returns a logo in the form that is drawn fastest.
func plain(logo image.Image) *image.RGBA {
	b := logo.Bounds()
	im := image.NewRGBA(image.Rectangle{Max: b.Size()})
	draw.Draw(im, im.Rect, logo, b.Min, draw.Src)
	return im
}

// enlarged is by how much a small logo may grow: more shows its pixels.
const enlarged = 2.5

// fit returns where in box a picture of a size stands, as large as it may be.
func fit(size image.Point, box image.Rectangle) image.Rectangle {
	scale := min(enlarged, float64(box.Dx())/float64(size.X), float64(box.Dy())/float64(size.Y))
	w, h := max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))
	at := image.Pt(box.Min.X+(box.Dx()-w)/2, box.Min.Y+(box.Dy()-h)/2)
	return image.Rectangle{at, at.Add(image.Pt(w, h))}
}

// name writes the lines of the name beside the plate, and below them what it is.
func (c canvas) name(lines []string, size float64, radio bool) {
	const kindHeight, gap = 44, 34
	step := int(size * 1.18)
	top := plateTop + (plateSide-len(lines)*step-gap-kindHeight)/2
	for i, words := range lines {
		c.write(words, bold, size, textLeft, top+i*step+int(size*0.95), text)
	}
	top += len(lines)*step + gap
	sign(c.RGBA, image.Rect(textLeft, top, textLeft+kindHeight, top+kindHeight), radio, soft)
	kind := "TV"
	if radio {
		kind = "Radio"
	}
	c.write(kind, regular, 34, textLeft+kindHeight+16, top+34, soft)
}

const (
	markSide      = 44
	signatureTop  = 545
	signatureSize = 32
)

func (c canvas) signatureWidth() int { return markSide + 14 + measure(service, bold, signatureSize) }

// signature says whose the picture is.
func (c canvas) signature(left int) {
	mark(c.RGBA, image.Rect(left, signatureTop, left+markSide, signatureTop+markSide))
	c.write(service, bold, signatureSize, left+markSide+14, signatureTop+33, text)
}

func (c canvas) encode() ([]byte, error) { return encode(c.RGBA) }

func encode(im image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, im)
	return b.Bytes(), err
}
