package codec

import (
	"bytes"
	"fmt"
)

// AnyVideo detects and parses video of an unknown codec.
func AnyVideo(es []byte) (Track, bool) { return firstOf(es, MPEGUnits, HEVCUnits, AVCUnits) }

// AnyAudio detects and parses audio of an unknown codec.
func AnyAudio(es []byte) (Track, bool) {
	return firstOf(es, ADTS.First, MPEG.First, Dolby.First, LATM)
}

func firstOf(es []byte, reads ...func([]byte) (Track, bool)) (Track, bool) {
	for _, read := range reads {
		if t, ok := read(es); ok {
			return t, true
		}
	}
	return Track{}, false
}

// StartCode precedes every video unit.
var StartCode = []byte{0, 0, 1}

// longestSPS is more than any sequence parameter set takes, in bytes.
const longestSPS = 1 << 10

// units calls f with each video unit in b, truncated, until f succeeds.
func units(b []byte, f func(unit []byte) (Track, bool)) (Track, bool) {
	at := bytes.Index(b, StartCode)
	for at >= 0 {
		b = b[at+len(StartCode):]
		at = bytes.Index(b, StartCode)
		end := len(b)
		if at >= 0 {
			end = at
		}
		if t, ok := f(b[:min(end, longestSPS)]); ok {
			return t, true
		}
	}
	return Track{}, false
}

// AVCUnits reads the first sequence parameter set of H.264.
func AVCUnits(es []byte) (Track, bool) {
	return units(es, func(u []byte) (Track, bool) {
		if len(u) == 0 || u[0]&0x9f != 7 {
			return Track{}, false
		}
		return avcSPS(u)
	})
}

// HEVCUnits reads the first sequence parameter set of H.265.
func HEVCUnits(es []byte) (Track, bool) {
	return units(es, func(u []byte) (Track, bool) {
		if len(u) < 2 || u[0]&0xfe != 33<<1 || u[1] == 0 {
			return Track{}, false
		}
		return hevcSPS(u)
	})
}

// MPEGUnits reads a sequence header of MPEG-1 or MPEG-2, ISO/IEC 13818-2
// §6.2.2. Only the second has an extension behind it.
func MPEGUnits(es []byte) (Track, bool) {
	var t Track
	last, ok := units(es, func(u []byte) (Track, bool) {
		switch {
		case len(u) >= 8 && u[0] == 0xb3:
			t = Track{Codec: MPEG1, Video: true, Width: int(u[1])<<4 | int(u[2]>>4), Height: int(u[2]&0xf)<<8 | int(u[3])}
		case len(u) >= 4 && u[0] == 0xb5 && u[1]>>4 == 1 && t.Video:
			return mpeg2Extension(t, u), true
		case len(u) > 0 && u[0] == 0: // a picture
			return t, t.Video
		}
		return Track{}, false
	})
	if ok {
		return last, true
	}
	return t, t.Video
}

// mpeg2Extension adds what a sequence_extension says: the profile and the
// upper bits of the size.
func mpeg2Extension(t Track, u []byte) Track {
	t.Codec = MPEG2
	switch profile := u[1]<<4 | u[2]>>4; {
	case profile&0x80 != 0: // 4:2:2
		t.Codec = "mp4v.65"
	case profile>>4 >= 1 && profile>>4 <= 5: // high, spatial, SNR, main, simple
		t.Codec = fmt.Sprintf("mp4v.6%d", 5-profile>>4)
	}
	t.Width |= int(u[2]&1)<<13 | int(u[3]>>7)<<12
	t.Height |= int(u[3]>>5&3) << 12
	return t
}

// MPEG4Units names MPEG-4 part 2 by the profile in its sequence header.
func MPEG4Units(es []byte) (Track, bool) {
	return units(es, func(u []byte) (Track, bool) {
		if len(u) < 2 || u[0] != 0xb0 {
			return Track{}, false
		}
		return Track{Codec: fmt.Sprintf("%s.%d", MPEG4, u[1]), Video: true}, true
	})
}
