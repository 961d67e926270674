package testchannel

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
)

// Where the logos of the channel and of the station are: one that fills its picture,
// and one that is seen on dark ground only.
const (
	logoPath        = "/logo.png"
	stationLogoPath = "/station.png"
)

// cardSize is the width and height of a logo, in pixels.
const cardSize = 512

// bars are the colours of a test card, from left to right.
var bars = []color.Color{
	color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{0xff, 0xff, 0, 0xff}, color.RGBA{0, 0xff, 0xff, 0xff}, color.RGBA{0, 0xff, 0, 0xff},
	color.RGBA{0xff, 0, 0xff, 0xff}, color.RGBA{0xff, 0, 0, 0xff}, color.RGBA{0, 0, 0xff, 0xff},
}

// night is the ground of the channel's logo, which fills its picture.
var night = color.RGBA{0x14, 0x1d, 0x3c, 0xff}

// card draws a disc of the bars on a ground.
func card() *image.RGBA {
	square := image.Rect(0, 0, cardSize, cardSize)
	striped, out := image.NewRGBA(square), image.NewRGBA(square)
	for n, c := range bars {
		stripe := image.Rect(n*cardSize/len(bars), 0, (n+1)*cardSize/len(bars), cardSize)
		draw.Draw(striped, stripe, image.NewUniform(c), image.Point{}, draw.Src)
	}
	draw.Draw(out, square, image.NewUniform(night), image.Point{}, draw.Src)
	draw.DrawMask(out, square, striped, image.Point{}, disc{}, image.Point{}, draw.Over)
	return out
}

// A disc is a mask: what lies in a circle within the card.
type disc struct{}

func (disc) ColorModel() color.Model { return color.AlphaModel }
func (disc) Bounds() image.Rectangle { return image.Rect(0, 0, cardSize, cardSize) }

func (disc) At(x, y int) color.Color {
	const centre, r = cardSize / 2, cardSize * 2 / 5
	if dx, dy := x-centre, y-centre; dx*dx+dy*dy < r*r {
		return color.Opaque
	}
	return color.Transparent
}

// heights are those of the bars of a sound, in hundredths of the logo.
var heights = []int{24, 52, 84, 40, 100, 66, 30, 58, 20}

// wave draws a sound in white on a clear ground, as logos for dark ground are drawn.
func wave() *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, cardSize, cardSize))
	for n, height := range heights {
		step := cardSize / len(heights)
		half := height * cardSize / 200
		bar := image.Rect(n*step+step/4, cardSize/2-half, n*step+3*step/4, cardSize/2+half)
		draw.Draw(out, bar, image.White, image.Point{}, draw.Src)
	}
	return out
}

// logos draws those of the channel and of the station, as PNG.
func logos() (channel, station []byte, err error) {
	var files [2]bytes.Buffer
	for i, im := range []image.Image{card(), wave()} {
		if err := png.Encode(&files[i], im); err != nil {
			return nil, nil, err
		}
	}
	return files[0].Bytes(), files[1].Bytes(), nil
}

func (o *Origin) logo(w http.ResponseWriter, r *http.Request) {
	o.send(w, r, "image/png", "no-cache", o.channelLogo)
}

func (o *Origin) logoOfStation(w http.ResponseWriter, r *http.Request) {
	o.send(w, r, "image/png", "no-cache", o.stationLogo)
}
