package media

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"miramundo.dev/shared/probe/media/codec"
)

// Elements of Matroska, RFC 9559, and EBML, RFC 8794.
const (
	ebmlDocType     = 0x4282
	mkvScale        = 0x2ad7b1
	mkvTrackEntry   = 0xae
	mkvTrackType    = 0x83
	mkvCodecID      = 0x86
	mkvCodecPrivate = 0x63a2
	mkvPixelWidth   = 0xb0
	mkvPixelHeight  = 0xba
	mkvEncryption   = 0x5035
	mkvClusterTime  = 0xe7
	mkvSimpleBlock  = 0xa3
	mkvBlock        = 0xa1
)

// mkvMasters are the elements whose content is parsed. Their sizes, which live
// streams leave open, are ignored: the parser goes from element to element, and
// skips the content of all others.
var mkvMasters = map[uint32]bool{
	0x1a45dfa3:    true, // EBML
	0x18538067:    true, // Segment
	0x1549a966:    true, // Info
	0x1654ae6b:    true, // Tracks
	mkvTrackEntry: true,
	0xe0:          true, // Video
	0x6d80:        true, // ContentEncodings
	0x6240:        true, // ContentEncoding
	0x1f43b675:    true, // Cluster
	0xa0:          true, // BlockGroup
}

// An mkvTrack is a track by its entry.
type mkvTrack struct {
	kind, width, height uint64
	codec               string
	private             []byte
	encrypted           bool
}

// mkvCodecs are the codecs by their CodecID, with the parsers of their
// CodecPrivate.
var mkvCodecs = map[string]codec.Configuration{
	"V_VP8":            {Codec: codec.VP8, Video: true},
	"V_VP9":            {Codec: codec.VP9, Video: true, Read: mkvVP9},
	"V_AV1":            {Codec: codec.AV1, Video: true, Read: codec.AV1C},
	"V_MPEG4/ISO/AVC":  {Codec: codec.AVC, Video: true, Read: codec.AVCC},
	"V_MPEGH/ISO/HEVC": {Codec: codec.HEVC, Video: true, Read: codec.HVCC},
	"V_MPEG2":          {Codec: codec.MPEG2, Video: true},
	"A_OPUS":           {Codec: codec.Opus},
	"A_VORBIS":         {Codec: codec.Vorbis},
	"A_FLAC":           {Codec: codec.FLAC},
	"A_AAC":            {Codec: codec.AAC, Read: func(b []byte) codec.Track { return codec.Track{Codec: codec.AudioConfig(b)} }},
	"A_AC3":            {Codec: codec.AC3},
	"A_EAC3":           {Codec: codec.EAC3},
	"A_MPEG/L2":        {Codec: codec.MP2},
	"A_MPEG/L3":        {Codec: codec.MP3},
}

// mkvVP9 reads the features of VP9: pairs of number, length 1 and value.
func mkvVP9(b []byte) codec.Track {
	features := [4]byte{3: 8}
	for ; len(b) >= 3 && b[1] == 1; b = b[3:] {
		if b[0] < byte(len(features)) {
			features[b[0]] = b[2]
		}
	}
	return codec.Track{Codec: codec.VP9Name(features[1], features[2], features[3]), Video: true}
}

// An mkv is a file as far as it was read.
type mkv struct {
	doc     string // the DocType: "webm" or "matroska"
	tracks  []mkvTrack
	scale   uint64 // the unit of times, in nanoseconds
	cluster uint64 // time of the current cluster, in units of scale
	clock   clock
}

// readMatroska reads a WebM or other Matroska file.
func readMatroska(data []byte) Facts {
	if !bytes.HasPrefix(data, []byte{0x1a, 0x45, 0xdf, 0xa3}) {
		return Facts{}
	}
	m := mkv{scale: 1e6}
	for at := 0; at < len(data); {
		id, size, head := element(data[at:])
		if head == 0 {
			break
		}
		if id == mkvTrackEntry {
			if len(m.tracks) == maxTracks {
				break
			}
			m.tracks = append(m.tracks, mkvTrack{})
		}
		if !mkvMasters[id] {
			body := data[at+head:]
			m.add(at, id, body[:min(uint64(len(body)), size)])
			head += int(min(uint64(len(body)), size))
		}
		at += head
	}
	return m.facts()
}

func (m *mkv) facts() Facts {
	if m.doc != "webm" && m.doc != "matroska" { // other EBML, or too little to say
		return Facts{}
	}
	f := Facts{Container: m.doc, Bitrate: m.clock.bitrate()}
	for _, t := range m.tracks {
		f.add(t.track())
	}
	return f
}

func (t mkvTrack) track() codec.Track {
	known := mkvCodecs[t.codec].Track(t.private)
	if t.width <= maxSide && t.height <= maxSide {
		known.Width, known.Height = int(t.width), int(t.height)
	}
	known.Encrypted = t.encrypted
	return known
}

// element reads the identifier of the element at the beginning of b, the size of
// its body, and the length of its head, which is 0 when b is too short or
// invalid.
func element(b []byte) (id uint32, size uint64, head int) {
	if len(b) == 0 {
		return 0, 0, 0
	}
	width := bits.LeadingZeros8(b[0]) + 1
	if width > 4 || len(b) <= width {
		return 0, 0, 0
	}
	for _, c := range b[:width] {
		id = id<<8 | uint32(c)
	}
	rest := b[width:]
	more := bits.LeadingZeros8(rest[0]) + 1
	if more > 8 || len(rest) < more {
		return 0, 0, 0
	}
	size = uint64(rest[0]) & (1<<(8-more) - 1)
	for _, c := range rest[1:more] {
		size = size<<8 | uint64(c)
	}
	return id, size, width + more
}

// add reads an element with a value at a position of the data.
func (m *mkv) add(at int, id uint32, body []byte) {
	switch id {
	case ebmlDocType:
		m.doc = string(bytes.TrimRight(body[:min(len(body), 16)], "\x00"))
	case mkvScale:
		m.scale = unsigned(body)
	case mkvClusterTime:
		m.cluster = unsigned(body)
	case mkvSimpleBlock, mkvBlock:
		m.block(at, id, body)
	default:
		if len(m.tracks) > 0 {
			m.tracks[len(m.tracks)-1].add(id, body)
		}
	}
}

func (t *mkvTrack) add(id uint32, body []byte) {
	switch id {
	case mkvTrackType:
		t.kind = unsigned(body)
	case mkvCodecID:
		t.codec = string(bytes.TrimRight(body[:min(len(body), 32)], "\x00"))
	case mkvCodecPrivate:
		t.private = body
	case mkvPixelWidth:
		t.width = unsigned(body)
	case mkvPixelHeight:
		t.height = unsigned(body)
	case mkvEncryption:
		t.encrypted = true
	}
}

// block adds the time of a block, which is relative to its cluster and stands
// after the number of its track.
func (m *mkv) block(at int, id uint32, body []byte) {
	if len(body) < 4 {
		return
	}
	width := bits.LeadingZeros8(body[0]) + 1
	if len(body) < width+3 {
		return
	}
	now := int64(m.cluster) + int64(int16(binary.BigEndian.Uint16(body[width:])))
	m.clock.tick(at, uint64(float64(max(now, 0))*float64(m.scale)*(hertz/1e9)))
	number := int(body[0] & 0x7f)
	if id == mkvSimpleBlock && body[width+2]&0x80 != 0 && number >= 1 && number <= len(m.tracks) && m.tracks[number-1].kind == 1 {
		m.clock.key()
	}
}

func unsigned(b []byte) uint64 {
	var n uint64
	for _, c := range b[:min(len(b), 8)] {
		n = n<<8 | uint64(c)
	}
	return n
}
