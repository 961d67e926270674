package raster

import (
	"bytes"
	"encoding/binary"
	"image"
)

// A camera stores a photo as its sensor lies, and the way it was held in the metadata
// of the file (EXIF): a number from 1 to 8, which says how to turn and mirror the
// pixels to see the photo upright. Metadata is not kept, so the pixels are turned.

// Orientation returns the orientation that the EXIF metadata of a JPEG says, from 1
// to 8. It returns 1, upright, for other formats and for metadata that is absent or
// broken.
func Orientation(data []byte) int {
	if !has(data, "\xff\xd8\xff") {
		return 1
	}
	for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		marker, size := rest[1], int(binary.BigEndian.Uint16(rest[2:]))
		if marker < 0xe0 && marker != 0xdb || marker == 0xff || size < 2 || len(rest) < 2+size {
			break // the metadata stands before the pixels and their tables
		}
		if body, ok := bytes.CutPrefix(rest[4:2+size], []byte("Exif\x00\x00")); ok && marker == 0xe1 {
			return orientationOf(body)
		}
		rest = rest[2+size:]
	}
	return 1
}

// orientationOf reads the orientation from a TIFF header and its first directory.
func orientationOf(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if has(tiff, "II") {
		order = binary.LittleEndian
	}
	const tag, short, entry = 0x0112, 3, 12
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < entry {
			break
		}
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if o := int(order.Uint16(entries[8:])); 1 <= o && o <= 8 {
				return o
			}
			break
		}
		entries = entries[entry:]
	}
	return 1
}

// Upright returns im as it is seen when it has an orientation.
func Upright(im *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 || orientation > 8 {
		return im
	}
	w, h := im.Rect.Dx(), im.Rect.Dy()
	swapped := orientation >= 5
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if swapped {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			fromX, fromY := x, y
			if swapped {
				fromX, fromY = y, x
			}
			if o := orientation; o == 2 || o == 3 || o == 7 || o == 8 {
				fromX = w - 1 - fromX
			}
			if o := orientation; o == 3 || o == 4 || o == 6 || o == 7 {
				fromY = h - 1 - fromY
			}
			copy(out.Pix[out.PixOffset(x, y):][:4], im.Pix[im.PixOffset(im.Rect.Min.X+fromX, im.Rect.Min.Y+fromY):][:4])
		}
	}
	return out
}
