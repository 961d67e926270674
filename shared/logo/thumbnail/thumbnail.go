// Package thumbnail makes logos from picture files: small images that are encoded
// by us, so that nothing a stranger sent is served as it came.
package thumbnail

import (
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/logo/raster"
)

// MaxSide is the greatest side of a logo, in pixels.
const MaxSide = 256

// Make makes a logo from a file: scaled to at most MaxSide pixels and encoded
// again, as PNG or WebP, whichever is smaller. Nothing of the file but its pixels
// is kept. The error is raster.ErrSkipped.
func Make(data []byte) (logo.Image, error) {
	p, err := raster.Decode(data)
	if err != nil {
		return logo.Image{}, err
	}
	small := scale(p)
	if blank(small) {
		return logo.Image{}, raster.Skip(raster.Blank)
	}
	return encode(small)
}
