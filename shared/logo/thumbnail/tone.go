package thumbnail

import (
	"fmt"
	"image"
	"math"

	"miramundo.dev/shared/logo"
)

// Whether a logo is seen on a plate is decided at its outline: white letters within
// a red disc are read on any plate, and white letters on nothing only on a dark one.
// So the tone is measured on the pixels that touch the transparent ground, as they
// come out over the plate.

// The luminance of the plates that logos stand on, of the theme in which the contrast
// is less; functions/web/style/tokens.css has their colours.
const (
	lightPlate = 0.78 // #e6eae8
	darkPlate  = 0.03 // #2a3531
)

// The contrast with the plate, by the formula of WCAG, from which an edge is seen, and
// the share of the outline that must be seen on a plate for it to be good.
const (
	seenContrast = 1.5
	seenShare    = 0.9
	preferred    = 0.05 // how much more must be seen on the dark plate to choose it
)

// tone returns the tone of a logo.
func tone(im *image.RGBA) logo.Tone {
	if opaque(im) {
		c := edgeColour(im)
		return logo.Tone(fmt.Sprintf("%02x%02x%02x", c[0], c[1], c[2]))
	}
	light, dark := outline(im)
	switch {
	case light >= seenShare && dark >= seenShare:
		return logo.OnAny
	case dark > light+preferred:
		return logo.OnDark
	}
	return logo.OnLight
}

// opaque reports whether a logo fills its picture: its border has no transparent
// pixels but the few that scaling blends.
func opaque(im *image.RGBA) bool {
	const solid, share = 240, 0.98
	filled, all := 0, 0
	border(im, func(px []byte) {
		all++
		if px[3] >= solid {
			filled++
		}
	})
	return float64(filled) >= share*float64(all)
}

// border calls f with each pixel of the border of an image.
func border(im *image.RGBA, f func(px []byte)) {
	w, h := im.Rect.Dx(), im.Rect.Dy()
	for x := range w {
		f(im.Pix[4*x:])
		f(im.Pix[(h-1)*im.Stride+4*x:])
	}
	for y := range h {
		f(im.Pix[y*im.Stride:])
		f(im.Pix[y*im.Stride+4*(w-1):])
	}
}

// edgeColour returns the most common colour of the border, as the mean of the pixels
// that are about the same.
func edgeColour(im *image.RGBA) (c [3]byte) {
	type sum struct{ n, r, g, b int }
	var most sum
	sums := map[[3]byte]sum{}
	border(im, func(px []byte) {
		at := [3]byte{px[0] >> 4, px[1] >> 4, px[2] >> 4}
		s := sums[at]
		s = sum{s.n + 1, s.r + int(px[0]), s.g + int(px[1]), s.b + int(px[2])}
		sums[at] = s
		if s.n > most.n {
			most = s
		}
	})
	return [3]byte{byte(most.r / most.n), byte(most.g / most.n), byte(most.b / most.n)}
}

// outline returns which shares of the outline are seen on a light and on a dark plate.
func outline(im *image.RGBA) (light, dark float64) {
	half := strongest(im) / 2
	w, h := im.Rect.Dx(), im.Rect.Dy()
	solid := func(x, y int) bool { return x >= 0 && y >= 0 && x < w && y < h && im.Pix[y*im.Stride+4*x+3] > half }
	all := 0
	for y := range h {
		for x := range w {
			if !solid(x, y) || solid(x-1, y) && solid(x+1, y) && solid(x, y-1) && solid(x, y+1) {
				continue
			}
			all++
			px := im.Pix[y*im.Stride+4*x:]
			if seen(px, lightPlate) {
				light++
			}
			if seen(px, darkPlate) {
				dark++
			}
		}
	}
	return light / float64(max(all, 1)), dark / float64(max(all, 1))
}

// strongest returns the greatest alpha of an image.
func strongest(im *image.RGBA) (alpha byte) {
	for px := im.Pix; len(px) >= 4; px = px[4:] {
		alpha = max(alpha, px[3])
	}
	return alpha
}

// seen reports whether a pixel, multiplied by its alpha, stands out from a plate of a
// luminance.
func seen(px []byte, plate float64) bool {
	under := companded(plate) * float64(255-px[3])
	over := 0.2126*linear(float64(px[0])+under) + 0.7152*linear(float64(px[1])+under) + 0.0722*linear(float64(px[2])+under)
	return (max(over, plate)+0.05)/(min(over, plate)+0.05) >= seenContrast
}

// linear returns the light of a channel of sRGB, of 255, from 0 to 1.
func linear(v float64) float64 {
	if v /= 255; v > 0.04045 {
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return v / 12.92
}

// companded returns the channel of sRGB, from 0 to 1, with which a grey has a luminance.
func companded(luminance float64) float64 {
	if luminance > 0.0031308 {
		return 1.055*math.Pow(luminance, 1/2.4) - 0.055
	}
	return luminance * 12.92
}
