// Package thumbnail makes logos from picture files: small images that this
// service encodes itself, so that no byte from a stranger is served unchanged.
package thumbnail

import (
	"image"

	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/raster"
)

// MaxSide is the greatest side of a logo, in pixels.
const MaxSide = 256

// MaxSource is the greatest size of a file that a logo is made from, in bytes.
const MaxSource = 4 << 20

// limits of the files that logos are made from. With scaling and encoding, a logo is
// made in 64 MiB. A smaller picture is a tracking pixel.
var limits = raster.Limits{Bytes: MaxSource, Memory: 48 << 20, Side: 8}

// Make makes a logo from a file: scaled to at most MaxSide pixels and encoded
// again, as PNG or WebP, whichever is smaller, with the tone of the plate that it is
// meant for. Only the pixels of the file are kept, no metadata. The error is raster.ErrRefused when no logo can be made. It
// takes up to 64 MiB of memory; callers limit how many calls run at a time.
func Make(data []byte) (logo.Image, error) {
	p, err := raster.Decode(data, limits)
	if err != nil {
		return logo.Image{}, err
	}
	small := raster.Scale(p, MaxSide)
	if blank(small) {
		return logo.Image{}, raster.Refuse(raster.Blank)
	}
	im, err := encode(small)
	im.Tone = tone(small)
	return im, err
}

// blank reports whether an image shows nothing: its pixels differ by no more than
// the noise that compression adds to a single colour.
func blank(im *image.RGBA) bool {
	const noise = 3
	low, high := [4]byte{255, 255, 255, 255}, [4]byte{}
	for px := im.Pix; len(px) >= 4; px = px[4:] {
		for i, v := range px[:4] {
			low[i], high[i] = min(low[i], v), max(high[i], v)
		}
	}
	for i := range low {
		if high[i]-low[i] > noise {
			return false
		}
	}
	return true
}
