// Package poster draws the pictures that represent the service and its channels
// elsewhere: the previews of shared links, and the icons of the app.
//
// A preview has the channel's logo on a plate, its name beside it, and the mark of
// the service below. Shapes are outlines in code and letters come from the Go
// fonts, so that drawing needs no files and gives the same picture everywhere. The
// fonts have Latin, Greek and Cyrillic letters; a name with any other letter is left
// out, since a logo alone is better than boxes in place of letters. All functions
// are pure: the caller caches their results and limits how many of them run.
package poster

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	xdraw "golang.org/x/image/draw"

	"miramundo.dev/shared/site"
)

// The size of a preview in pixels: the ratio of 1.91 to 1 that services which show
// previews ask for.
const (
	Width  = site.PictureWidth
	Height = site.PictureHeight
)

// The colours of the light theme, and the black behind the video.
var (
	ground = color.RGBA{0xf6, 0xf7, 0xf5, 0xff} // background
	plate  = color.RGBA{0xff, 0xff, 0xff, 0xff} // behind a logo
	line   = color.RGBA{0xdd, 0xe1, 0xdc, 0xff} // border of the plate
	brand  = color.RGBA{0x0f, 0x6b, 0x62, 0xff}
	text   = color.RGBA{0x16, 0x20, 0x1e, 0xff}
	soft   = color.RGBA{0x53, 0x60, 0x5c, 0xff} // less important text
	stage  = color.RGBA{0x06, 0x09, 0x08, 0xff} // behind a logo that is almost white
)

const service = "Miramundo"

// A Subject is the channel or station that a preview shows.
type Subject struct {
	Name  string      // of any length and in any script
	Radio bool        // a station, not a TV channel
	Logo  image.Image // nil to draw a symbol of the kind
}

// Site returns the preview of the service itself as PNG.
func Site() ([]byte, error) {
	c := newCanvas()
	const side = 250
	mark(c.RGBA, image.Rect((Width-side)/2, 120, (Width+side)/2, 120+side))
	c.centred(service, bold, 96, 500, text)
	return c.encode()
}

// Channel returns the preview of a channel as PNG. It takes about 20 ms.
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

// The layout of a channel's preview, in pixels.
const (
	plateSide = 400
	plateTop  = 100
	textLeft  = 540
	textWidth = Width - textLeft - 70
)

// A canvas is a preview while it is drawn.
type canvas struct{ *image.RGBA }

// newCanvas returns a canvas with the background and the strip at the bottom.
func newCanvas() canvas {
	c := canvas{image.NewRGBA(image.Rect(0, 0, Width, Height))}
	draw.Draw(c.RGBA, c.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	draw.Draw(c.RGBA, image.Rect(0, Height-12, Width, Height), image.NewUniform(brand), image.Point{}, draw.Src)
	return c
}

// plate draws the plate with the logo or, without one, a symbol of the kind.
func (c canvas) plate(left int, s Subject) {
	box := image.Rect(left, plateTop, left+plateSide, plateTop+plateSide)
	tile(c.RGBA, box, 36, line)
	if s.Logo == nil || s.Logo.Bounds().Empty() {
		tile(c.RGBA, box.Inset(2), 34, plate)
		sign(c.RGBA, box.Inset(110), s.Radio, brand)
		return
	}
	logo, under := toRGBA(s.Logo), plate
	if needsDarkGround(logo) {
		under = stage
	}
	tile(c.RGBA, box.Inset(2), 34, under)
	at := fit(logo.Rect.Size(), box.Inset(48))
	xdraw.CatmullRom.Scale(c.RGBA, at, logo, logo.Rect, xdraw.Over, nil)
}

// needsDarkGround reports whether a logo was made for a dark background: its opaque
// part is nearly white on average, and at least a tenth of it is transparent.
func needsDarkGround(logo *image.RGBA) bool {
	const bright, transparent = 0.9, 0.1
	light, alpha, pixels := 0, 0, 0
	for px := logo.Pix; len(px) >= 4; px = px[4:] { // multiplied by their alpha
		light += 30*int(px[0]) + 59*int(px[1]) + 11*int(px[2])
		alpha += int(px[3])
		pixels++
	}
	return alpha > 0 && float64(light) > bright*100*float64(alpha) && float64(alpha) < (1-transparent)*255*float64(pixels)
}

// toRGBA returns a copy of a logo in the form that is drawn fastest.
func toRGBA(logo image.Image) *image.RGBA {
	b := logo.Bounds()
	im := image.NewRGBA(image.Rectangle{Max: b.Size()})
	draw.Draw(im, im.Rect, logo, b.Min, draw.Src)
	return im
}

// maxEnlargement is the factor by which a small logo may be enlarged. A larger one
// makes its pixels visible.
const maxEnlargement = 2.5

// fit returns the rectangle of a picture of a size that is centred in box and as
// large as box and maxEnlargement allow.
func fit(size image.Point, box image.Rectangle) image.Rectangle {
	scale := min(maxEnlargement, float64(box.Dx())/float64(size.X), float64(box.Dy())/float64(size.Y))
	w, h := max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))
	at := image.Pt(box.Min.X+(box.Dx()-w)/2, box.Min.Y+(box.Dy()-h)/2)
	return image.Rectangle{at, at.Add(image.Pt(w, h))}
}

// name writes the lines of the name beside the plate, centred vertically, and the
// kind below them.
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

// The layout of the signature, in pixels.
const (
	markSide      = 44
	signatureTop  = 545
	signatureSize = 32
)

func (c canvas) signatureWidth() int { return markSide + 14 + measure(service, bold, signatureSize) }

// signature draws the mark and the name of the service.
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
