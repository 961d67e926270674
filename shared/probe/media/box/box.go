// Package box reads the boxes of ISO base media files: MP4, fragmented MP4 and
// QuickTime.
package box

import (
	"encoding/binary"
	"strings"
)

// A Box is a box of an ISO base media file, ISO/IEC 14496-12 §4.2.
type Box struct {
	Kind string
	Body []byte
	Size int  // of the whole box, by its header
	Cut  bool // the data end within the box
}

// Each calls f with each of the boxes in b, in order.
func Each(b []byte, f func(Box)) {
	for len(b) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(b)), uint64(8)
		switch {
		case size == 0: // to the end
			size = uint64(len(b))
		case size == 1 && len(b) >= 16:
			size, head = binary.BigEndian.Uint64(b[8:]), 16
		}
		if size < head {
			return
		}
		end := min(size, uint64(len(b)))
		f(Box{string(b[4:8]), b[head:end], int(min(size, 1<<40)), end < size})
		b = b[end:]
	}
}

// Child returns the body of the first box of a kind along a path: "mdia/hdlr".
func Child(b []byte, path string) []byte {
	for kind := range strings.SplitSeq(path, "/") {
		inner := b
		b = nil
		Each(inner, func(x Box) {
			if x.Kind == kind && b == nil {
				b = x.Body
			}
		})
	}
	return b
}
