package codec

import (
	"encoding/binary"
	"fmt"

	"github.com/bluenviron/mediacommon/v2/pkg/codecs/ac3"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/eac3"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/mpeg1audio"
)

// A Frame is a frame of audio that states its own length, as in broadcasts
// without a container.
type Frame struct {
	Codec   string
	Size    int // in bytes, header and all
	Samples int
	Rate    int // of samples, in hertz
}

// A Framing splits audio into frames.
type Framing struct {
	Header func([]byte) (Frame, bool) // reads that of the frame at the beginning; it needs up to HeaderSize bytes
}

// HeaderSize is the greatest size of a frame header, in bytes.
const HeaderSize = 8

// The framings of sound.
var (
	ADTS  = Framing{adtsHeader}  // of AAC
	MPEG  = Framing{mpegHeader}  // of MPEG audio, layers 2 and 3
	Dolby = Framing{dolbyHeader} // of AC-3 and Enhanced AC-3
)

// adtsRates are the sampling frequencies of ISO/IEC 14496-3 table 1.18.
var adtsRates = [...]int{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350}

// adtsHeader reads an adts_frame, ISO/IEC 14496-3 §1.A.2, with a checksum or without.
func adtsHeader(b []byte) (Frame, bool) {
	if len(b) < 7 || b[0] != 0xff || b[1]&0xf6 != 0xf0 {
		return Frame{}, false
	}
	index := int(b[2] >> 2 & 0xf)
	size := int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5]>>5)
	if index >= len(adtsRates) || size <= 7 {
		return Frame{}, false
	}
	return Frame{
		Codec:   fmt.Sprintf("mp4a.40.%d", b[2]>>6+1),
		Size:    size,
		Samples: 1024 * (int(b[6]&3) + 1),
		Rate:    adtsRates[index],
	}, true
}

// mpegHeader reads the header of a frame of MPEG audio, of layer 2 or 3. Half
// the sampling frequencies of MPEG-2, known as MPEG-2.5, differ by one bit.
func mpegHeader(b []byte) (Frame, bool) {
	if len(b) < 5 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return Frame{}, false
	}
	half := b[1]&0x18 == 0
	head := [5]byte{b[0], b[1] | 0x10, b[2], b[3], b[4]}
	var h mpeg1audio.FrameHeader
	if b[1]&0x18 == 0x08 || h.Unmarshal(head[:]) != nil {
		return Frame{}, false
	}
	f := Frame{Codec: MP2, Samples: h.SampleCount(), Rate: h.SampleRate}
	if h.Layer == 3 {
		f.Codec = MP3
	}
	if half {
		f.Rate /= 2
	}
	f.Size = f.Samples / 8 * h.Bitrate / f.Rate
	if h.Padding {
		f.Size++
	}
	return f, true
}

// dolbyHeader reads the header of a frame of AC-3 or Enhanced AC-3, which the
// number of the bit stream's version tells apart.
func dolbyHeader(b []byte) (Frame, bool) {
	if len(b) < 8 {
		return Frame{}, false
	}
	if b[5]>>3 <= 10 {
		var h ac3.SyncInfo
		if h.Unmarshal(b) != nil {
			return Frame{}, false
		}
		return Frame{AC3, h.FrameSize(), 6 * 256, h.SampleRate()}, true
	}
	var h eac3.SyncInfo
	if h.Unmarshal(b) != nil {
		return Frame{}, false
	}
	f := Frame{EAC3, h.FrameSize(), h.NumBlocks() * 256, h.SampleRate()}
	if h.Strmtyp == 1 { // more channels of the sound of the frame before
		f.Samples = 0
	}
	return f, true
}

// Enough is how many consecutive frames are believed: the bytes that begin a
// frame also occur by chance.
const Enough = 4

// Run reports whether b begins with enough consecutive frames of one kind;
// half as many are enough when b ends early.
func (f Framing) Run(b []byte, enough int) bool {
	first, ok := f.Header(b)
	h := first
	for n := 1; ok && n < enough; n++ {
		if len(b) < h.Size+HeaderSize {
			return n >= enough/2
		}
		b = b[h.Size:]
		h, ok = f.Header(b)
		ok = ok && h.Codec == first.Codec && h.Rate == first.Rate
	}
	return ok
}

// Find returns the index of the first run of frames in b, or -1.
func (f Framing) Find(b []byte) int {
	for at := range b {
		if (b[at] == 0xff || b[at] == 0x0b) && len(b)-at >= HeaderSize && f.Run(b[at:], Enough) {
			return at
		}
	}
	return -1
}

// LATM names the AAC of an AudioSyncStream, ISO/IEC 14496-3 §1.7, by its
// first element. The configuration of the usual kind stands at whole bytes.
func LATM(b []byte) (Track, bool) {
	if len(b) < 8 || binary.BigEndian.Uint16(b)>>5 != 0x2b7 || b[3]&0x80 != 0 {
		return Track{}, false // another element holds the configuration
	}
	if b[3]&0x40 != 0 { // a later version, with lengths before it
		return Track{Codec: AAC}, true
	}
	return Track{Codec: AudioConfig(b[5:])}, true
}

// First parses the audio at the beginning of a unit, or further on where
// consecutive frames begin.
func (f Framing) First(es []byte) (Track, bool) {
	h, ok := f.Header(es)
	if !ok || h.Size < len(es) && !f.Run(es, 2) {
		at := f.Find(es)
		if at < 0 {
			return Track{}, false
		}
		h, _ = f.Header(es[at:])
	}
	return Track{Codec: h.Codec}, true
}
