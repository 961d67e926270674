package media

import (
	"encoding/binary"

	"miramundo.dev/shared/probe/media/codec"
)

// Sizes of what stands in a sample entry before its boxes, ISO/IEC 14496-12
// §12.1.3 and §12.2.3, and what QuickTime adds for sound by version.
const (
	visualEntry = 78
	soundEntry  = 28
)

var quickTime = map[uint16]int{1: 16, 2: 36}

// entry reads a sample entry. An encrypted one says in frma what it would be.
func entry(x box) codec.Track {
	letters, encrypted := x.kind, false
	var inner []byte
	switch letters {
	case "encv":
		inner, encrypted = x.body[min(len(x.body), visualEntry):], true
	case "enca":
		inner, encrypted = afterSound(x.body), true
	}
	if encrypted {
		letters = string(child(inner, "sinf/frma"))
	}
	c := codec.Letters(letters)
	if inner = afterSound(x.body); c.Video {
		inner = x.body[min(len(x.body), visualEntry):]
	}
	t := c.Track(child(inner, c.Box))
	if c.Video && len(x.body) >= visualEntry {
		if w, h := binary.BigEndian.Uint16(x.body[24:]), binary.BigEndian.Uint16(x.body[26:]); w > 0 && h > 0 {
			t.Width, t.Height = int(w), int(h)
		}
	}
	t.Encrypted = encrypted
	return t
}

// afterSound returns the boxes of a sample entry of sound.
func afterSound(b []byte) []byte {
	if len(b) < soundEntry {
		return nil
	}
	size := soundEntry + quickTime[binary.BigEndian.Uint16(b[8:])]
	return b[min(len(b), size):]
}
