// Package thumbnail makes logos from picture files: small images that this
// service encodes itself, so that no byte from a stranger is served unchanged.
package thumbnail

import (
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/logo/raster"
)

// MaxSide is the greatest side of a logo, in pixels.
const MaxSide = 256

// Make makes a logo from a file: scaled to at most MaxSide pixels and encoded
// again, as PNG or WebP, whichever is smaller. Only the pixels of the file are
// kept, no metadata. The error is raster.ErrSkipped when no logo can be made. It
// takes up to 64 MiB of memory; callers limit how many calls run at a time.
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
