package avatar

import (
	"image"
	"image/draw"

	"miramundo.dev/shared/raster"
)

// The only encoder of WebP in pure Go is lossless, and a photo of 256 by 256 pixels
// takes it up to 140 KiB. So the photo is made smaller step by step, those steps
// first that are seen least: where neighbouring pixels differ, their values are
// rounded to multiples of 2 and of 4, which smooth areas do not show, as libwebp does
// for "near lossless"; after that the photo gets fewer pixels. Rounding smooth areas
// too would save more, but shows as bands of colour in skies and skins.
//
// Real photos need 192 to 256 pixels with values rounded to 4, whose error is -46 dB;
// an attempt takes about 10 ms.

// limits of uploaded files. Decoding 60 million pixels of a usual JPEG, or 12 million
// of a progressive one, takes 96 MiB at most.
var limits = raster.Limits{Bytes: MaxUpload, Memory: 96 << 20, Side: minSide}

const minSide = 8

// sides are the sides of photos that are tried, in pixels. Of the last one any
// pixels fit, even noise.
var sides = []int{256, 224, 192, 160, 128, 96}

// maxRounding is the greatest number of bits by which values are rounded.
const maxRounding = 2

// Make returns the photo of an uploaded file: the largest square in its middle,
// upright, as WebP of at most MaxSize bytes. The error is ErrImage.
func Make(upload []byte) ([]byte, error) {
	p, err := raster.Decode(upload, limits)
	if err != nil {
		return nil, ErrImage.With("reason", reasons[raster.Reason(err)]).Because(err)
	}
	p.Canvas = square(p.Canvas)
	orientation := raster.Orientation(upload)
	done := 0
	for _, side := range sides {
		im := raster.Upright(raster.Scale(p, side), orientation)
		if im.Rect.Dx() == done {
			continue // a small picture, which was tried at this size
		}
		done = im.Rect.Dx()
		if data := encode(im); data != nil {
			return data, nil
		}
	}
	return nil, ErrImage.With("reason", Damaged)
}

// reasons are the reasons of ErrImage by those of raster.
var reasons = map[string]string{
	raster.TooManyBytes: TooLarge, raster.TooLarge: TooLarge, raster.TooSmall: TooSmall,
	raster.Damaged: Damaged, raster.Animated: Animated,
	raster.SVG: Format, raster.AVIF: Format, raster.TIFF: Format, raster.HTML: Format, raster.Unknown: Format,
}

// square returns the largest square in the middle of r.
func square(r image.Rectangle) image.Rectangle {
	side := min(r.Dx(), r.Dy())
	corner := r.Min.Add(image.Pt((r.Dx()-side)/2, (r.Dy()-side)/2))
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(side, side))}
}

// encode returns im as WebP of at most MaxSize bytes, rounded as little as that
// takes; nil when it is larger all the same, or the encoder fails.
func encode(im *image.RGBA) []byte {
	exact := image.NewNRGBA(im.Rect)
	draw.Draw(exact, exact.Rect, im, im.Rect.Min, draw.Src)
	for bits := range maxRounding + 1 {
		rounded := round(exact, bits)
		if data, err := raster.EncodeWebP(rounded, rounded); err == nil && len(data) <= MaxSize {
			return data
		}
	}
	return nil
}

// round returns im with values rounded to multiples of 1<<bits, except in smooth
// areas.
func round(im *image.NRGBA, bits int) *image.NRGBA {
	if bits == 0 {
		return im
	}
	out := image.NewNRGBA(im.Rect)
	copy(out.Pix, im.Pix)
	for y := range im.Rect.Dy() {
		for x := range im.Rect.Dx() {
			if isSmooth(im, x, y, 1<<bits) {
				continue
			}
			for i := range 3 { // transparency stays as it is
				at := out.PixOffset(x, y) + i
				out.Pix[at] = roundValue(out.Pix[at], bits)
			}
		}
	}
	return out
}

// isSmooth reports whether the pixel at x, y differs by less than limit from those
// beside it. Those at the edge do not count as smooth.
func isSmooth(im *image.NRGBA, x, y, limit int) bool {
	if x == 0 || y == 0 || x == im.Rect.Dx()-1 || y == im.Rect.Dy()-1 {
		return false
	}
	at := im.PixOffset(x, y)
	for _, beside := range [4]int{at - 4, at + 4, at - im.Stride, at + im.Stride} {
		for i := range 4 {
			d := int(im.Pix[at+i]) - int(im.Pix[beside+i])
			if d >= limit || -d >= limit {
				return false
			}
		}
	}
	return true
}

// roundValue returns the multiple of 1<<bits that is nearest to v, the even one of
// two equally near, or 255.
func roundValue(v byte, bits int) byte {
	mask := 1<<bits - 1
	n := (int(v) + mask>>1 + int(v)>>bits&1) &^ mask
	return byte(min(n, 255))
}
