package box

import (
	"encoding/binary"

	"miramundo.dev/shared/probe/media/codec"
)

// Sizes of the fields of a sample entry before its boxes, ISO/IEC 14496-12
// §12.1.3 and §12.2.3, and of what QuickTime adds for sound, by version.
const (
	visualEntry = 78
	soundEntry  = 28
)

var quickTime = map[uint16]int{1: 16, 2: 36}

// Track returns the track that a sample entry describes. The codec of an encrypted
// entry is in its box frma.
func Track(x Box) codec.Track {
	letters, encrypted := x.Kind, false
	var inner []byte
	switch letters {
	case "encv":
		inner, encrypted = x.Body[min(len(x.Body), visualEntry):], true
	case "enca":
		inner, encrypted = afterSound(x.Body), true
	}
	if encrypted {
		letters = string(Child(inner, "sinf/frma"))
	}
	c := codec.Letters(letters)
	if inner = afterSound(x.Body); c.Video {
		inner = x.Body[min(len(x.Body), visualEntry):]
	}
	t := c.Track(Child(inner, c.Box))
	if c.Video && len(x.Body) >= visualEntry {
		if w, h := binary.BigEndian.Uint16(x.Body[24:]), binary.BigEndian.Uint16(x.Body[26:]); w > 0 && h > 0 {
			t.Width, t.Height = int(w), int(h)
		}
	}
	t.Encrypted = encrypted
	return t
}

// afterSound returns the boxes of a sample entry of audio, after its fields.
func afterSound(b []byte) []byte {
	if len(b) < soundEntry {
		return nil
	}
	size := soundEntry + quickTime[binary.BigEndian.Uint16(b[8:])]
	return b[min(len(b), size):]
}
