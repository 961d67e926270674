package testchannel

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
)

// Where the logos of the channel and of the station are.
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

// card draws a disc of colours on a clear ground.
func card(colours []color.Color) ([]byte, error) {
	square := image.Rect(0, 0, cardSize, cardSize)
	striped := image.NewRGBA(square)
	for n, c := range colours {
		stripe := image.Rect(n*cardSize/len(colours), 0, (n+1)*cardSize/len(colours), cardSize)
		draw.Draw(striped, stripe, image.NewUniform(c), image.Point{}, draw.Src)
	}
	out := image.NewRGBA(square)
	draw.DrawMask(out, square, striped, image.Point{}, disc{}, image.Point{}, draw.Over)
	var b bytes.Buffer
	err := png.Encode(&b, out)
	return b.Bytes(), err
}

// A disc is a mask: what lies in the circle that the card's edges touch.
type disc struct{}

func (disc) ColorModel() color.Model { return color.AlphaModel }
func (disc) Bounds() image.Rectangle { return image.Rect(0, 0, cardSize, cardSize) }

func (disc) At(x, y int) color.Color {
	const r = cardSize / 2
	if dx, dy := x-r, y-r; dx*dx+dy*dy < r*r {
		return color.Opaque
	}
	return color.Transparent
}

// logos draws those of the channel and of the station.
func logos() (channel, station []byte, err error) {
	if channel, err = card(bars); err != nil {
		return nil, nil, err
	}
	station, err = card(bars[4:])
	return channel, station, err
}

func (o *Origin) logo(w http.ResponseWriter, r *http.Request) {
	o.send(w, r, "image/png", "no-cache", o.channelLogo)
}

func (o *Origin) logoOfStation(w http.ResponseWriter, r *http.Request) {
	o.send(w, r, "image/png", "no-cache", o.stationLogo)
}
