package media

import (
	"bytes"
	"encoding/binary"
	"math"

	"miramundo.dev/shared/probe/media/codec"
)

// Types of tags, Adobe Flash Video File Format Specification 10.1 §E.4.1.
const (
	flvAudio  = 8
	flvVideo  = 9
	flvScript = 18
)

// flvSounds are the codecs of sound by their SoundFormat.
var flvSounds = map[byte]string{
	0: "pcm", 1: "adpcm", 2: codec.MP3, 3: "pcm", 4: "nellymoser", 5: "nellymoser", 6: "nellymoser", 7: "alaw", 8: "ulaw",
	10: codec.AAC, 11: "speex", 14: codec.MP3,
}

// flvPictures are the codecs of video by their CodecID. 12 is not in the
// specification, but common.
var flvPictures = map[byte]string{2: "flv1", 3: "screen", 4: "vp6", 5: "vp6a", 6: "screen2", 7: codec.AVC, 12: codec.HEVC}

// An flv is a Flash video as far as it was read. It has one video and one audio
// track at most.
type flv struct {
	picture, sound codec.Track
	width, height  int // by the metadata, which are used when the codec does not say
	clock          clock
}

// readFLV reads a Flash video, from its header on.
func readFLV(data []byte) Facts {
	if len(data) < 9 || !bytes.HasPrefix(data, []byte("FLV\x01")) {
		return Facts{}
	}
	var v flv
	start := binary.BigEndian.Uint32(data[5:])
	for at := int64(start) + 4; at+11 <= int64(len(data)); {
		tag := data[at:]
		size := int64(tag[1])<<16 | int64(binary.BigEndian.Uint16(tag[2:]))
		now := uint64(tag[4])<<16 | uint64(binary.BigEndian.Uint16(tag[5:])) | uint64(tag[7])<<24
		v.add(int(at), tag[0]&0x1f, now, tag[11:min(11+size, int64(len(tag)))])
		at += 11 + size + 4
	}
	if v.picture.Video && v.picture.Width == 0 {
		v.picture.Width, v.picture.Height = v.width, v.height
	}
	f := Facts{Container: "flv"}
	f.add(v.picture)
	f.add(v.sound)
	f.Bitrate = v.clock.bitrate()
	return f
}

// add reads the body of a tag at a position of the data, which plays at now, in
// milliseconds.
func (v *flv) add(at int, tag byte, now uint64, body []byte) {
	if tag == flvScript {
		v.width, v.height = int(amfNumber(body, "width")), int(amfNumber(body, "height"))
	}
	if len(body) < 2 || tag != flvAudio && tag != flvVideo {
		return
	}
	v.clock.tick(at, now*(hertz/1000))
	if tag == flvAudio {
		v.hear(body)
		return
	}
	if body[0]>>4&7 == 1 {
		v.clock.key()
	}
	v.see(body)
}

// hear reads a tag of audio. The first of AAC is its configuration.
func (v *flv) hear(body []byte) {
	format := body[0] >> 4
	switch {
	case format == 9: // enhanced RTMP
		if body[0]&0xf == 0 && len(body) >= 5 {
			v.sound = flvFourCC(body)
		}
	case v.sound.Codec == "":
		v.sound = codec.Track{Codec: flvSounds[format]}
	}
	if format == 10 && body[1] == 0 {
		v.sound.Codec = codec.AudioConfig(body[2:])
	}
}

// see reads a tag of video. The first is the configuration of the codec.
func (v *flv) see(body []byte) {
	switch id := body[0] & 0xf; {
	case body[0]&0x80 != 0 && id == 0 && len(body) >= 5: // enhanced RTMP, the start of a sequence
		v.picture = flvFourCC(body)
	case body[0]&0x80 != 0:
	case v.picture.Codec == "":
		v.picture = codec.Track{Codec: flvPictures[id], Video: true}
		fallthrough
	default:
		if body[1] == 0 && len(body) > 5 && id == 7 {
			v.picture = codec.AVCC(body[5:])
		}
		if body[1] == 0 && len(body) > 5 && id == 12 {
			v.picture = codec.HVCC(body[5:])
		}
	}
}

// flvFourCC reads a configuration after the four-character code of its codec.
func flvFourCC(body []byte) codec.Track {
	letters, config := string(body[1:5]), body[5:]
	if letters == "mp4a" { // without the descriptors of files
		return codec.Track{Codec: codec.AudioConfig(config)}
	}
	return codec.Letters(letters).Track(config)
}

// amfNumber returns the number with a name in metadata, or 0. It searches for the
// encoded name instead of parsing the metadata.
func amfNumber(b []byte, name string) float64 {
	key := append([]byte{0, byte(len(name))}, name...)
	at := bytes.Index(b, append(key, 0)) // 0 is the mark of a number
	if at < 0 || len(b) < at+len(key)+9 {
		return 0
	}
	n := math.Float64frombits(binary.BigEndian.Uint64(b[at+len(key)+1:]))
	if !(n >= 0 && n <= maxSide) {
		return 0
	}
	return n
}
