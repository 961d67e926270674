package raster

import (
	"bytes"
	"encoding/binary"
)

// maxScans is how many scans a JPEG may have. Progressive ones have about ten;
// each may make a decoder go over all blocks for a few bytes of the file.
const maxScans = 100

// needJPEG finds the header of the frame. It follows segments as strictly as
// the format asks, so that it finds the one that the decoder does.
func needJPEG(data []byte) (need, error) {
	if bytes.Count(data, []byte{0xff, 0xda}) > maxScans {
		return need{}, Skip(TooLarge)
	}
	for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		marker := rest[1]
		if marker == 0xff { // fills the space before a marker
			rest = rest[1:]
			continue
		}
		size := int(binary.BigEndian.Uint16(rest[2:]))
		if marker < 0xc0 || marker >= 0xd0 && marker <= 0xda || size < 2 || len(rest) < 2+size {
			break
		}
		if marker <= 0xc2 {
			n, err := frameNeed(rest[4:2+size], marker == 0xc2)
			if err == nil && whole(data, rest[4:2+size]) {
				n.memory += 4 * area(n.width, n.height)
			}
			n.data = data
			return n, err
		}
		rest = rest[2+size:]
	}
	return need{}, errCut
}

// whole reports whether the parts of a picture may be put together at the end,
// into four bytes for each pixel: those of RGB and of inks are.
func whole(data, frame []byte) bool {
	switch frame[5] {
	case 3:
		return bytes.Contains(data, []byte("Adobe")) || frame[6] == 'R' && frame[9] == 'G' && frame[12] == 'B'
	case 4:
		return true
	}
	return false
}

// frameNeed computes what a frame takes: its samples in whole blocks of 8 by 8,
// and four bytes more for each when it is progressive, since its coefficients
// are collected.
func frameNeed(frame []byte, progressive bool) (need, error) {
	if len(frame) < 9 || len(frame) != 6+3*int(frame[5]) {
		return need{}, errCut
	}
	h, w := int(binary.BigEndian.Uint16(frame[1:])), int(binary.BigEndian.Uint16(frame[3:]))
	parts := int(frame[5])
	h0, v0 := 1, 1
	if parts > 1 {
		h0, v0 = int(frame[7]>>4), int(frame[7]&15)
	}
	if h0 == 0 || v0 == 0 {
		return need{}, errCut
	}
	units := area((w+8*h0-1)/(8*h0), (h+8*v0-1)/(8*v0))
	samples := int64(0)
	for i := range parts {
		hi, vi := int(frame[7+3*i]>>4), int(frame[7+3*i]&15)
		if parts == 1 {
			hi, vi = 1, 1
		}
		samples += 64 * units * int64(hi*vi)
	}
	memory := samples
	if progressive {
		memory += 4 * samples
	}
	return need{width: w, height: h, memory: memory}, nil
}
