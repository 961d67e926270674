package liveorigin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// fragments are a fragmented MP4 file, taken apart: what comes before the
// first fragment, and each fragment.
type fragments struct {
	initial []byte
	parts   [][]byte // each a moof box with its mdat
}

// readFragments takes apart the file at path.
func readFragments(path string) (fragments, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return fragments{}, err
	}
	f, err := split(data)
	if err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	if want := int(length / partLength); len(f.parts) != want {
		return f, fmt.Errorf("%s has %d fragments, want %d", path, len(f.parts), want)
	}
	return f, nil
}

// split cuts data before each moof box.
func split(data []byte) (f fragments, err error) {
	for len(data) > 0 {
		box, rest, err := cutBox(data)
		if err != nil {
			return f, err
		}
		switch kind := box[4:8]; {
		case bytes.Equal(kind, []byte("moof")):
			f.parts = append(f.parts, box)
		case len(f.parts) == 0:
			f.initial = append(f.initial, box...)
		default:
			last := &f.parts[len(f.parts)-1]
			*last = append((*last)[:len(*last):len(*last)], box...)
		}
		data = rest
	}
	if len(f.parts) == 0 {
		return f, errors.New("no fragment")
	}
	return f, nil
}

// cutBox cuts the first box of ISO/IEC 14496-12 from data. Boxes of 4 GiB and
// those that go on to the end do not occur in fragments.
func cutBox(data []byte) (box, rest []byte, err error) {
	if len(data) < 8 {
		return nil, nil, errors.New("a box is cut")
	}
	size := binary.BigEndian.Uint32(data)
	if size < 8 || uint64(size) > uint64(len(data)) {
		return nil, nil, fmt.Errorf("a box says that it takes %d of %d bytes", size, len(data))
	}
	return data[:size:size], data[size:], nil
}

// segment returns segment n: its parts, one after another.
func (f fragments) segment(n int) ([]byte, bool) {
	const each = int(segmentLength / partLength)
	if n < 0 || (n+1)*each > len(f.parts) {
		return nil, false
	}
	return bytes.Join(f.parts[n*each:(n+1)*each], nil), true
}
