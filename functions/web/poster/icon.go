package poster

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
)

// Icon returns the icon of the app as PNG with a side in pixels: the mark, whose
// round corners are transparent.
func Icon(side int) ([]byte, error) {
	im := image.NewRGBA(image.Rect(0, 0, side, side))
	mark(im, im.Rect)
	return encode(im)
}

// safe is the diameter, in sides of a maskable icon, of the circle that every
// platform shows: the safe zone of the Web Application Manifest.
const safe = 0.8

// WholeIcon returns the icon of the app as PNG for platforms that cut it into a
// shape of their own: the background fills the square, and the emblem stands within
// the safe zone.
func WholeIcon(side int) ([]byte, error) {
	im := image.NewRGBA(image.Rect(0, 0, side, side))
	draw.Draw(im, im.Rect, image.NewUniform(brand), image.Point{}, draw.Src)
	emblem(im, im.Rect.Inset(int(float64(side)*(1-safe)/2)))
	return encode(im)
}

// Favicon returns the icon as an ICO file that contains one PNG, the form in which
// clients request it when they have not read a page.
func Favicon() ([]byte, error) {
	const side, header, entry = 32, 6, 16
	data, err := Icon(side)
	if err != nil {
		return nil, err
	}
	b := new(bytes.Buffer)
	b.Write([]byte{0, 0, 1, 0, 1, 0})                    // an icon, of one picture
	b.Write([]byte{side, side, 0, 0, 1, 0, 32, 0})       // its sides, no palette, one plane, 32 bits
	for _, n := range []int{len(data), header + entry} { // its length, and where it begins
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(n))) //nolint:gosec // an icon of 32 pixels is short
	}
	b.Write(data)
	return b.Bytes(), nil
}
