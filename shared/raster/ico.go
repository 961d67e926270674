package raster

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"io"

	"github.com/sergeymakinen/go-ico"
)

// maxIcons is how many of the pictures of an icon file are considered.
const maxIcons = 64

// An icon file holds up to 65,535 pictures, which may overlap in the file, and
// the decoder reads them all. So the best picture is chosen here, and passed to
// the decoder in a file of its own. A picture is a PNG, or a bitmap without a file
// header and with a mask of one bit for each pixel.
const (
	icoHeader = 6  // bytes of the file's header
	icoEntry  = 16 // bytes of an entry of its directory
	dibHeader = 40 // bytes of the header of a bitmap
)

// needICO chooses the largest of the pictures, and of equally large ones the one
// with the most colours.
func needICO(data []byte) (need, error) {
	if len(data) < icoHeader {
		return need{}, errCut
	}
	var best []byte
	var rank int
	for i := range min(int(binary.LittleEndian.Uint16(data[4:])), maxIcons) {
		at := icoHeader + i*icoEntry
		if len(data) < at+icoEntry {
			return need{}, errCut
		}
		entry := data[at : at+icoEntry]
		if body := iconBody(data, entry); body != nil && iconRank(entry) > rank {
			best, rank = body, iconRank(entry)
		}
	}
	if best == nil {
		return need{}, errCut
	}
	if has(best, magicPNG) {
		return needPNG(best)
	}
	return needDIB(best)
}

// iconBody returns the picture of a directory's entry, nil when it lies outside
// the file.
func iconBody(data, entry []byte) []byte {
	size, at := int64(binary.LittleEndian.Uint32(entry[8:])), int64(binary.LittleEndian.Uint32(entry[12:]))
	if size < dibHeader || at+size > int64(len(data)) {
		return nil
	}
	return data[at : at+size]
}

// iconRank returns the rank of a picture by its entry, at least 1; larger is
// better. A side of 256 is written as 0.
func iconRank(entry []byte) int {
	w, h := (int(entry[0])+255)%256+1, (int(entry[1])+255)%256+1
	return (w*h)<<8 + int(entry[6]) + 1
}

// needDIB reads the header of a bitmap with its mask below it, whose height
// counts both, and wraps the bitmap in an icon file. Some files lack the mask;
// then zeros are added, which hide nothing.
func needDIB(body []byte) (need, error) {
	w, h := side(body[4:]), side(body[8:])/2
	if w > 1024 || h > 1024 {
		return need{}, Refuse(TooLarge)
	}
	bits, colours := int(binary.LittleEndian.Uint16(body[14:])), int(binary.LittleEndian.Uint32(body[32:]))
	if bits <= 8 && colours == 0 {
		colours = 1 << bits
	}
	row := func(bits int) int { return (w*bits + 31) / 32 * 4 }
	if colours > 256 || bits > 32 || len(body) < dibHeader+4*colours+h*row(bits) {
		return need{}, errCut
	}
	file := make([]byte, icoHeader+icoEntry, icoHeader+icoEntry+len(body)+h*row(1))
	copy(file, "\x00\x00\x01\x00\x01\x00")
	binary.LittleEndian.PutUint32(file[icoHeader+8:], uint32(len(body)))
	binary.LittleEndian.PutUint32(file[icoHeader+12:], uint32(len(file)))
	file = append(file, body...)
	file = append(file, make([]byte, h*row(1))...) // a mask that hides nothing, where there is none
	return need{file, w, h, 10*area(w, h) + int64(len(file))}, nil
}

// decodeICO decodes what needICO has chosen.
func decodeICO(r io.Reader) (image.Image, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if has(data, magicPNG) {
		return png.Decode(bytes.NewReader(data))
	}
	return ico.Decode(bytes.NewReader(data))
}
