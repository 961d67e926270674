package raster

import (
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

// Each format has a function that reads the header and returns an upper bound of
// the memory that its decoder takes. A header that is cut or contradicts itself is refused here, so that
// the decoder never runs on it.

// A format is a kind of file that can be decoded.
type format struct {
	name   string
	starts []string                             // what its files start with
	need   func(data []byte) (need, error)      // reads from the header what decoding takes
	decode func(io.Reader) (image.Image, error) // decodes need.data
}

// A need is what decoding a file takes.
type need struct {
	data          []byte // what to decode: of a file with many pictures, the chosen one
	width, height int
	memory        int64 // bytes, an upper bound
}

// magicPNG is what a PNG starts with.
const magicPNG = "\x89PNG\r\n\x1a\n"

var formats = []format{
	{"png", []string{magicPNG}, needPNG, png.Decode},
	{"jpeg", []string{"\xff\xd8\xff"}, needJPEG, jpeg.Decode},
	{"gif", []string{"GIF87a", "GIF89a"}, needGIF, gif.Decode},
	{"webp", []string{"RIFF"}, needWebP, webp.Decode},
	{"bmp", []string{"BM"}, needBMP, bmp.Decode},
	{"ico", []string{"\x00\x00\x01\x00"}, needICO, decodeICO},
}

func formatOf(data []byte) *format {
	for i := range formats {
		if has(data, formats[i].starts...) {
			return &formats[i]
		}
	}
	return nil
}

var errCut = errors.New("the header is cut or contradicts itself")

// area returns the number of pixels of a picture of any size.
func area(width, height int) int64 { return int64(width) * int64(height) }

// needPNG reads the header, which comes first. The decoder skips chunks without
// pixels of the main picture, and never uncompresses them; the frames of an
// animation are in such chunks.
func needPNG(data []byte) (need, error) {
	if len(data) < 33 || string(data[12:16]) != "IHDR" {
		return need{}, errCut
	}
	w, h := binary.BigEndian.Uint32(data[16:]), binary.BigEndian.Uint32(data[20:])
	if w > 1<<24 || h > 1<<24 {
		return need{}, Refuse(TooLarge)
	}
	depth, colour, interlaced := data[24], data[25], data[28] != 0
	perPixel := int64(4) // of grey too: it may have a transparent tone
	switch {
	case depth == 16:
		perPixel = 8
	case colour == 3: // a palette
		perPixel = 1
	}
	if interlaced {
		perPixel *= 2 // each pass is decoded to an image of its own
	}
	width, height := int(w), int(h)
	return need{data, width, height, area(width, height)*perPixel + 32*int64(width)}, nil // pixels and buffers of rows
}

// needGIF reads the size of the canvas, which no frame exceeds. The first frame
// has a byte for each pixel, twice when it is interlaced.
func needGIF(data []byte) (need, error) {
	if len(data) < 10 {
		return need{}, errCut
	}
	w, h := int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
	return need{data, w, h, 2 * area(w, h)}, nil
}

// needBMP reads the file's header, and the fields that all headers after it have.
func needBMP(data []byte) (need, error) {
	if len(data) < 30 {
		return need{}, errCut
	}
	w, h := side(data[18:]), side(data[22:])
	return need{data, w, h, 4*area(w, h) + 4*int64(w)}, nil
}

// side reads a side of a bitmap. Its sign is the order of the rows.
func side(data []byte) int {
	n := int(int32(binary.LittleEndian.Uint32(data)))
	return max(n, -n)
}
