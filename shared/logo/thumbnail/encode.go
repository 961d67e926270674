package thumbnail

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"sync"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/raster"
)

// encode returns an image as PNG or as lossless WebP, whichever is smaller. An
// image of at most 256 colours is encoded with a palette. PNG is written with the
// default compression: the best would save a tenth at most, in ten times the time
// of everything else.
func encode(im *image.RGBA) (logo.Image, error) {
	plain := image.NewNRGBA(im.Rect)
	draw.Draw(plain, plain.Rect, im, im.Rect.Min, draw.Src)
	var forPNG, forWebP image.Image = plain, plain
	if few := indexed(plain); few != nil {
		forPNG = few
		if len(few.Palette) > bundled {
			forWebP = few
		}
	}
	var asPNG bytes.Buffer
	if err := pngEncoder.Encode(&asPNG, forPNG); err != nil {
		return logo.Image{}, fault.ErrInternal.Because(err)
	}
	if asWebP, err := raster.EncodeWebP(forWebP, plain); err == nil && len(asWebP) < asPNG.Len() {
		return logo.NewImage("image/webp", asWebP), nil
	}
	return logo.NewImage("image/png", asPNG.Bytes()), nil
}

// pngEncoder reuses its buffers, of a megabyte each.
var pngEncoder = png.Encoder{BufferPool: new(buffers)}

// buffers are the buffers of encoders that are not in use.
type buffers struct{ pool sync.Pool }

// Get returns a buffer, or nil when there is none; the encoder then allocates one.
func (b *buffers) Get() *png.EncoderBuffer {
	buffer, _ := b.pool.Get().(*png.EncoderBuffer)
	return buffer
}

// Put takes a buffer back.
func (b *buffers) Put(buffer *png.EncoderBuffer) { b.pool.Put(buffer) }

// bundled is the greatest palette with which WebP puts several pixels into a
// byte. The encoder does not support that.
const bundled = 16

// indexed returns an image as one with a palette, or nil when it has more than
// 256 colours.
func indexed(im *image.NRGBA) *image.Paletted {
	out := image.NewPaletted(im.Rect, nil)
	numbers := make(map[color.NRGBA]uint8, 256)
	for i := range out.Pix {
		px := im.Pix[4*i : 4*i+4]
		c := color.NRGBA{R: px[0], G: px[1], B: px[2], A: px[3]}
		n, known := numbers[c]
		if !known {
			if len(out.Palette) == 256 {
				return nil
			}
			n = uint8(len(out.Palette))
			numbers[c] = n
			out.Palette = append(out.Palette, c)
		}
		out.Pix[i] = n
	}
	return out
}
