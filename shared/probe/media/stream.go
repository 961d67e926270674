package media

import (
	"bytes"
	"encoding/binary"

	"miramundo.dev/shared/probe/media/codec"
)

// A program map names the codec family of each elementary stream; the exact
// codec and the size of the picture stand in the stream's own headers. So the
// payload of the first packets of each stream is collected, unit by unit, until
// its parser recognizes a header or a unit exceeds head. Timestamps are read
// from the beginning of every unit.

// A kind is a type of elementary stream.
type kind struct {
	codec     string // used until read finds more; empty for a stream without video or audio
	video     bool
	encrypted bool
	read      func([]byte) (codec.Track, bool) // parses the beginning of a unit; nil when the kind says all
}

// The kinds of streams that players decode.
var (
	kindMPEG1 = kind{codec: codec.MPEG1, video: true, read: codec.MPEGUnits}
	kindMPEG2 = kind{codec: codec.MPEG2, video: true, read: codec.MPEGUnits}
	kindMPEG4 = kind{codec: codec.MPEG4, video: true, read: codec.MPEG4Units}
	kindAVC   = kind{codec: codec.AVC, video: true, read: codec.AVCUnits}
	kindHEVC  = kind{codec: codec.HEVC, video: true, read: codec.HEVCUnits}
	kindMPEG  = kind{codec: codec.MP3, read: codec.MPEG.First}
	kindADTS  = kind{codec: codec.AAC, read: codec.ADTS.First}
	kindLATM  = kind{codec: codec.AAC, read: codec.LATM}
	kindAC3   = kind{codec: codec.AC3}
	kindEAC3  = kind{codec: codec.EAC3}
	kindOpus  = kind{codec: codec.Opus}
)

// kinds are the kinds by stream type: of ISO/IEC 13818-1 table 2-34, of ATSC A/53,
// and of Apple's sample encryption.
var kinds = map[byte]kind{
	0x01: kindMPEG1, 0x02: kindMPEG2, 0x10: kindMPEG4, 0x1b: kindAVC, 0x24: kindHEVC,
	0x33: {codec: codec.VVC, video: true},
	0x03: kindMPEG, 0x04: kindMPEG, 0x0f: kindADTS, 0x11: kindLATM, 0x81: kindAC3, 0x87: kindEAC3,
	0xdb: {codec: codec.AVC, video: true, encrypted: true},
	0xcf: {codec: codec.AAC, encrypted: true},
	0xc1: {codec: codec.AC3, encrypted: true},
	0xc2: {codec: codec.EAC3, encrypted: true},
}

// registrations are the kinds of private streams by their
// registration_descriptor.
var registrations = map[string]kind{
	"Opus": kindOpus, "AC-3": kindAC3, "EAC3": kindEAC3, "HEVC": kindHEVC, "AV01": {codec: codec.AV1, video: true},
}

// privateType is the type of private data, in which some broadcasts send audio
// without a descriptor.
const privateType = 0x06

// kindOf returns the kind of a stream from its type and its descriptors in a
// program map.
func kindOf(streamType byte, descriptors []byte) kind {
	k, ok := kinds[streamType]
	for d := descriptors; !ok && len(d) >= 2; {
		end := min(len(d), 2+int(d[1]))
		switch body := d[2:end]; d[0] {
		case 0x05:
			if len(body) >= 4 {
				k, ok = registrations[string(body[:4])]
			}
		case 0x6a: // of DVB, ETSI EN 300 468
			k, ok = kindAC3, true
		case 0x7a:
			k, ok = kindEAC3, true
		}
		d = d[end:]
	}
	if !ok && streamType == privateType {
		k.read = codec.AnyAudio
	}
	return k
}

// kindOfPES returns the kind of a stream without a program map, by the stream id
// at the beginning of a PES packet.
func kindOfPES(pes []byte) (kind, bool) {
	if len(pes) < 4 || !bytes.HasPrefix(pes, codec.StartCode) {
		return kind{}, false
	}
	switch id := pes[3]; {
	case id >= 0xe0 && id <= 0xef:
		return kind{video: true, read: codec.AnyVideo}, true
	case id >= 0xc0 && id <= 0xdf, id == 0xbd:
		return kind{read: codec.AnyAudio}, true
	}
	return kind{}, false
}

// A stream is an elementary stream within a transport stream.
type stream struct {
	kind
	clock  clock
	buffer []byte      // the current unit so far
	open   bool        // the current unit is collected
	found  codec.Track // as the stream's headers say; valid when known
	known  bool
}

// head is how much of a unit is searched for headers, in bytes.
const head = 16 << 10

// track returns the track of the stream, by its headers or else by its kind.
func (s *stream) track() codec.Track {
	if s.known {
		s.found.Encrypted = s.encrypted
		return s.found
	}
	return codec.Track{Codec: s.codec, Video: s.video, Encrypted: s.encrypted}
}

// add adds a packet of the stream at a position of the data.
func (s *stream) add(at int, p packet) {
	if p.scrambled() {
		s.encrypted = true
		return
	}
	body := p.payload()
	if p.starts() {
		s.settle()
		var now uint64
		var ok bool
		if now, body, ok = pes(body); ok {
			s.clock.tick(at, now)
			if p.key() && s.video {
				s.clock.key()
			}
		}
		s.open = !s.known && s.read != nil && !s.encrypted
	}
	if s.open {
		s.buffer = append(s.buffer, body...)
		if len(s.buffer) >= head {
			s.settle()
		}
	}
}

// settle ends the current unit and parses it.
func (s *stream) settle() {
	if len(s.buffer) > 0 && !s.known {
		s.found, s.known = s.read(s.buffer)
	}
	s.buffer, s.open = s.buffer[:0], false
}

// pes returns the decoding time of a PES packet and its payload, ISO/IEC 13818-1
// §2.4.3.6. It reports false for a packet without a time.
func pes(b []byte) (now uint64, body []byte, ok bool) {
	if len(b) < 9 || !bytes.HasPrefix(b, codec.StartCode) {
		return 0, nil, false
	}
	body = b[min(len(b), 9+int(b[8])):]
	switch {
	case b[7]&0xc0 == 0xc0 && len(b) >= 19:
		return timestamp(b[14:]), body, true
	case b[7]&0x80 != 0 && len(b) >= 14:
		return timestamp(b[9:]), body, true
	}
	return 0, body, false
}

// timestamp reads a timestamp: 33 bits in 5 bytes, with marker bits between.
func timestamp(b []byte) uint64 {
	return uint64(b[0]>>1&7)<<30 | uint64(binary.BigEndian.Uint16(b[1:])>>1)<<15 | uint64(binary.BigEndian.Uint16(b[3:])>>1)
}
