package raster

import (
	"encoding/binary"
)

// A WebP file is a RIFF container with lossy (VP8), lossless (VP8L) or extended
// content (VP8X: a picture, its alpha channel and metadata in chunks). The memory
// of lossless pixels depends on their Huffman trees; see trees.go.

// needWebP reads the container and the size in its first chunk. The decoder
// trusts the length of the container, which must lie within the file.
func needWebP(data []byte) (need, error) {
	if len(data) < 30 || string(data[8:12]) != "WEBP" {
		return need{}, Refuse(Unknown)
	}
	if int64(binary.LittleEndian.Uint32(data[4:])) > int64(len(data)-8) {
		return need{}, errCut
	}
	switch body := data[20:]; string(data[12:16]) {
	case "VP8 ":
		return lossyNeed(data, body)
	case "VP8L":
		return losslessNeed(data, body)
	case "VP8X":
		return extendedNeed(data, body)
	}
	return need{}, errCut
}

// lossyNeed reads the header of a frame of VP8.
func lossyNeed(data, frame []byte) (need, error) {
	w, h := int(binary.LittleEndian.Uint16(frame[6:])&0x3fff), int(binary.LittleEndian.Uint16(frame[8:])&0x3fff)
	return need{data, w, h, lossyMemory(w, h) + int64(len(data))}, nil
}

// lossyMemory returns the memory of a lossy picture: a byte and a half for each
// pixel, in whole blocks of 16 by 16, and 16 bytes for each block.
func lossyMemory(w, h int) int64 {
	return area((w+15)/16, (h+15)/16) * (384 + 16)
}

// losslessNeed reads the header of VP8L.
func losslessNeed(data, body []byte) (need, error) {
	w, h, err := losslessSides(body)
	n := need{data, w, h, losslessMemory(w, h)}
	if err != nil || n.memory > maxMemory {
		return n, err
	}
	trees, err := treeMemory(body[losslessHeader:], w, h)
	n.memory += trees
	return n, err
}

// losslessMemory returns the memory of lossless pixels without their trees: a
// transform may copy all pixels, of four bytes each.
func losslessMemory(w, h int) int64 { return 9 * area(w, h) }

// extendedNeed reads the header of an extended file. A lossy picture and its
// alpha channel, which may be lossless, are both decoded.
func extendedNeed(data, body []byte) (need, error) {
	const animated = 1 << 1
	if body[0]&animated != 0 {
		return need{}, Refuse(Animated)
	}
	size := func(at int) int { return (int(body[at]) | int(body[at+1])<<8 | int(body[at+2])<<16) + 1 }
	w, h := size(4), size(7)
	n := need{data, w, h, lossyMemory(w, h) + losslessMemory(w, h) + area(w, h) + int64(len(data))}
	if n.memory > maxMemory {
		return n, nil
	}
	trees, err := extendedTrees(body[10:], w, h)
	n.memory += trees
	return n, err
}

// extendedTrees returns the memory of the trees of the picture in data and of its
// alpha channel. It stops at the picture, as the decoder does.
func extendedTrees(data []byte, w, h int) (memory int64, err error) {
	alpha := false
	for name, chunk := range chunks(data) {
		switch {
		case name == "VP8 ":
			return memory, nil
		case name == "VP8L":
			if width, height, err := losslessSides(chunk); err != nil || width != w || height != h {
				return 0, errCut
			}
			trees, err := treeMemory(chunk[losslessHeader:], w, h)
			return memory + trees, err
		case name == "ALPH" && alpha:
			return 0, errCut // a second one
		case name == "ALPH":
			alpha = true
			if len(chunk) > 0 && chunk[0]&3 == 1 {
				if memory, err = treeMemory(chunk[1:], w, h); err != nil {
					return 0, err
				}
			}
		}
	}
	return memory, nil
}
