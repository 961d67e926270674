package raster

import (
	"bytes"
	"encoding/binary"
)

// The header of a JPEG's frame says how large its picture is, how its parts are
// sampled and whether it is progressive. A progressive picture takes five times
// the memory of its samples, and each of its scans a pass over all blocks, so
// that both are bounded here.

// maxScans is the greatest number of scans of a JPEG. Progressive ones have about
// ten; a scan of a few bytes may make the decoder go over all blocks.
const maxScans = 100

// needJPEG finds the header of the frame. It follows the segments as strictly as
// the format requires, so that it finds the header that the decoder uses. It
// counts scans by their marker, which may overcount: entropy-coded data cannot
// contain the marker, other segments can.
func needJPEG(data []byte) (need, error) {
	if bytes.Count(data, []byte{0xff, 0xda}) > maxScans {
		return need{}, Refuse(TooLarge)
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

// whole reports whether the decoder may convert the picture to four bytes for
// each pixel at the end, as it does with RGB and CMYK.
func whole(data, frame []byte) bool {
	switch frame[5] {
	case 3:
		return bytes.Contains(data, []byte("Adobe")) || frame[6] == 'R' && frame[9] == 'G' && frame[12] == 'B'
	case 4:
		return true
	}
	return false
}

// frameNeed computes the memory of a frame: a byte for each sample, in whole
// blocks of 8 by 8, and four more for each when it is progressive, since the
// decoder collects its coefficients.
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
