package codec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h265"
)

// A decoder configuration record is the form in which containers store the
// headers of a codec: profile, level and, for H.264 and H.265, the parameter sets
// that give the size of the picture. A record that is too short or does not parse
// yields the plain name of its codec, since the container already says which it
// is.

// avcSPS reads a sequence parameter set of H.264.
func avcSPS(nal []byte) (Track, bool) {
	if len(nal) < 4 {
		return Track{}, false
	}
	var sps h264.SPS
	err := sps.Unmarshal(nal)
	if err != nil && sps.VUI == nil { // what follows the size may be beyond the parser
		return Track{}, false
	}
	return Track{Codec: avcName(nal[1:]), Video: true, Width: sps.Width(), Height: sps.Height()}, true
}

// avcName names H.264 by the profile, constraints and level.
func avcName(b []byte) string { return fmt.Sprintf("avc1.%02x%02x%02x", b[0], b[1], b[2]) }

// AVCC reads an AVCDecoderConfigurationRecord, ISO/IEC 14496-15 §5.3.3.
func AVCC(b []byte) Track {
	if len(b) < 8 {
		return Track{Codec: AVC, Video: true}
	}
	t := Track{Codec: avcName(b[1:]), Video: true}
	if size := int(binary.BigEndian.Uint16(b[6:])); b[5]&0x1f > 0 && len(b) >= 8+size {
		if sps, ok := avcSPS(b[8 : 8+size]); ok {
			t.Width, t.Height = sps.Width, sps.Height
		}
	}
	return t
}

// hevcSPS reads a sequence parameter set of H.265.
func hevcSPS(nal []byte) (Track, bool) {
	var sps h265.SPS
	err := sps.Unmarshal(nal)
	if err != nil && sps.MaxDecPicBufferingMinus1 == nil { // it is read after the size
		return Track{}, false
	}
	profile := h264.EmulationPreventionRemove(nal)[3:]
	return Track{Codec: hevcName(profile), Video: true, Width: sps.Width(), Height: sps.Height()}, true
}

// hevcName names H.265 by the general part of its profile_tier_level, 12 bytes,
// as ISO/IEC 14496-15 §E.3 says.
func hevcName(b []byte) string {
	tier := "L"
	if b[0]&0x20 != 0 {
		tier = "H"
	}
	space := []string{"", "A", "B", "C"}[b[0]>>6]
	name := fmt.Sprintf("hvc1.%s%d.%X.%s%d", space, b[0]&0x1f, bits.Reverse32(binary.BigEndian.Uint32(b[1:])), tier, b[11])
	constraints := strings.TrimRight(string(b[5:11]), "\x00")
	for i := range len(constraints) {
		name += fmt.Sprintf(".%X", constraints[i])
	}
	return name
}

// HVCC reads an HEVCDecoderConfigurationRecord, ISO/IEC 14496-15 §8.3.3.
func HVCC(b []byte) Track {
	if len(b) < 23 {
		return Track{Codec: HEVC, Video: true}
	}
	t := Track{Codec: hevcName(b[1:13]), Video: true}
	for rest := b[23:]; len(rest) >= 3; {
		units := binary.BigEndian.Uint16(rest[1:])
		for rest = rest[3:]; units > 0 && len(rest) >= 2; units-- {
			size := min(2+int(binary.BigEndian.Uint16(rest)), len(rest))
			if sps, ok := hevcSPS(rest[2:size]); ok {
				t.Width, t.Height = sps.Width, sps.Height
			}
			rest = rest[size:]
		}
	}
	return t
}

// AV1C reads an AV1CodecConfigurationRecord.
func AV1C(b []byte) Track {
	if len(b) < 3 {
		return Track{Codec: AV1, Video: true}
	}
	tier, depth := "M", 8
	if b[2]&0x80 != 0 {
		tier = "H"
	}
	switch b[2] & 0x60 {
	case 0x40:
		depth = 10
	case 0x60:
		depth = 12
	}
	return Track{Codec: fmt.Sprintf("av01.%d.%02d%s.%02d", b[1]>>5, b[1]&0x1f, tier, depth), Video: true}
}

// VPCC reads a VPCodecConfigurationRecord, after its version and flags.
func VPCC(b []byte) Track {
	if len(b) < 7 {
		return Track{Codec: VP9, Video: true}
	}
	return Track{Codec: VP9Name(b[4], b[5], b[6]>>4), Video: true}
}

// VP9Name names VP9 by its profile, level and bits of colour.
func VP9Name(profile, level, depth byte) string {
	return fmt.Sprintf("vp09.%02d.%02d.%02d", profile, level, depth)
}

// AudioConfig returns the name of AAC, or another codec of MPEG-4 audio, by the
// object type at the beginning of an AudioSpecificConfig, ISO/IEC 14496-3
// §1.6.2.1.
func AudioConfig(config []byte) string {
	if len(config) < 2 {
		return AAC
	}
	object := int(config[0] >> 3)
	if object == 31 {
		object = 32 + int(config[0]&7)<<3 + int(config[1]>>5)
	}
	switch object {
	case 0:
		return AAC
	case 34:
		return MP3
	}
	return fmt.Sprintf("mp4a.40.%d", object)
}

// esds names the codec of an elementary stream descriptor, ISO/IEC 14496-1
// §7.2.6, by its object type indication.
func esds(b []byte) (string, bool) {
	es, ok := descriptor(b, 3)
	if !ok || len(es) < 3 {
		return "", false
	}
	es = es[min(len(es), 3+optional(es)):]
	config, ok := descriptor(es, 4)
	if !ok || len(config) < 13 {
		return "", false
	}
	if config[0] == 0x40 {
		specific, _ := descriptor(config[13:], 5)
		return AudioConfig(specific), true
	}
	if name, ok := indications[config[0]]; ok {
		return name, true
	}
	return fmt.Sprintf("mp4a.%02X", config[0]), true
}

// indications are the names of object types that are not "mp4a" with the type in
// hex.
var indications = map[byte]string{
	0x20: MPEG4, 0x60: "mp4v.60", 0x61: MPEG2, 0x64: "mp4v.64", 0x65: "mp4v.65", 0x6a: MPEG1,
	0x69: MP3, 0x6b: MP3, 0xa5: AC3, 0xa6: EAC3, 0xad: Opus,
}

// optional returns the length of the optional fields of an ES_Descriptor, by its
// flags.
func optional(es []byte) int {
	n := 0
	if es[2]&0x80 != 0 {
		n += 2
	}
	if es[2]&0x40 != 0 && len(es) > 3+n {
		n += 1 + int(es[3+n])
	}
	if es[2]&0x20 != 0 {
		n += 2
	}
	return n
}

// descriptor returns the body of the descriptor at the beginning of b. It reports
// false when the descriptor has another tag.
func descriptor(b []byte, tag byte) ([]byte, bool) {
	if len(b) < 2 || b[0] != tag {
		return nil, false
	}
	size, b := 0, b[1:]
	for i := 0; i < 4 && len(b) > 0; i++ {
		more := b[0]&0x80 != 0
		size, b = size<<7|int(b[0]&0x7f), b[1:]
		if !more {
			break
		}
	}
	return b[:min(size, len(b))], true
}

func esdsVideo(b []byte) Track { return Track{Codec: esdsName(b, MPEG4), Video: true} }

func esdsAudio(b []byte) Track { return Track{Codec: esdsName(b, AAC)} }

// esdsName returns the codec of an esds box, or usual when the box does not parse.
func esdsName(b []byte, usual string) string {
	if name, ok := esds(b[min(4, len(b)):]); ok {
		return name
	}
	return usual
}
