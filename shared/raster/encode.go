package raster

import (
	"bytes"
	"fmt"
	"image"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/webp"
)

// EncodeWebP returns an image as lossless WebP. It decodes the result and compares it
// with want, because the encoder writes some images wrongly; the caller must then
// choose another format or other pixels. im may have a palette of more than 16
// colours.
func EncodeWebP(im image.Image, want *image.NRGBA) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("encode WebP: panic: %v", p)
		}
	}()
	var b bytes.Buffer
	if err := nativewebp.Encode(&b, im, nil); err != nil {
		return nil, err
	}
	got, err := webp.Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		return nil, err
	}
	if back, ok := got.(*image.NRGBA); !ok || !alike(back, want) {
		return nil, fmt.Errorf("encode WebP: other pixels")
	}
	return b.Bytes(), nil
}

// alike reports whether two images look the same. Nearly transparent pixels may
// differ in colour, others by a little in each channel.
func alike(a, b *image.NRGBA) bool {
	if a.Rect.Size() != b.Rect.Size() || len(a.Pix) != len(b.Pix) {
		return false
	}
	const loss = 2
	for i := 0; i+3 < len(a.Pix); i += 4 {
		p, q := a.Pix[i:i+4], b.Pix[i:i+4]
		if p[3] != q[3] {
			return false
		}
		if p[3] < 32 {
			continue
		}
		for c := range 3 {
			if max(p[c], q[c])-min(p[c], q[c]) > loss {
				return false
			}
		}
	}
	return true
}
