package media

import (
	"bytes"
	"encoding/binary"

	"miramundo.dev/shared/probe/media/codec"
)

// An Ogg file interleaves pages of several logical streams. The first page of a
// stream names its codec; every page has the position of its last sample, from
// which the bitrate is measured on the stream with the longest span.

// An oggStream is a logical stream of an Ogg file.
type oggStream struct {
	codec.Track
	rate  uint64 // of its positions, in hertz; 0 when positions are not times
	clock clock
}

// oggHeads are the codecs by the beginning of their first packet.
var oggHeads = []struct {
	mark string
	open func(packet []byte) *oggStream
}{
	{"OpusHead", func([]byte) *oggStream { return &oggStream{Track: codec.Track{Codec: codec.Opus}, rate: 48000} }},
	{"\x01vorbis", func(p []byte) *oggStream {
		return &oggStream{Track: codec.Track{Codec: codec.Vorbis}, rate: uint64(little32(p, 12))}
	}},
	{"\x7fFLAC", func(p []byte) *oggStream {
		return &oggStream{Track: codec.Track{Codec: codec.FLAC}, rate: uint64(flacRate(p))}
	}},
	{"Speex   ", func(p []byte) *oggStream {
		return &oggStream{Track: codec.Track{Codec: "speex"}, rate: uint64(little32(p, 36))}
	}},
	{"\x80theora", func(p []byte) *oggStream {
		t := codec.Track{Codec: "theora", Video: true}
		if len(p) >= 20 {
			t.Width, t.Height = int(p[14])<<16|int(p[15])<<8|int(p[16]), int(p[17])<<16|int(p[18])<<8|int(p[19])
		}
		return &oggStream{Track: t}
	}},
}

func little32(b []byte, at int) uint32 {
	if len(b) < at+4 {
		return 0
	}
	return binary.LittleEndian.Uint32(b[at:])
}

// flacRate returns the sampling frequency in the STREAMINFO after the head of
// FLAC in Ogg: 20 bits.
func flacRate(p []byte) uint32 {
	const at = 13 + 4 + 10
	if len(p) < at+4 {
		return 0
	}
	return binary.BigEndian.Uint32(p[at:]) >> 12
}

// readOgg reads an Ogg file or stream, RFC 3533. The position in a page is that
// of its end.
func readOgg(data []byte) Facts {
	if !bytes.HasPrefix(data, oggMark) {
		return Facts{}
	}
	f := Facts{Container: "ogg"}
	streams := map[uint32]*oggStream{}
	var best *oggStream
	for at := 0; len(data)-at >= oggHeader && bytes.HasPrefix(data[at:], oggMark); {
		page := data[at:]
		body, size := oggBody(page)
		at += size
		serial := binary.LittleEndian.Uint32(page[14:])
		if page[5]&2 != 0 && streams[serial] == nil && len(streams) < maxTracks {
			streams[serial] = oggOpen(body)
			f.add(streams[serial].Track)
		}
		position := binary.LittleEndian.Uint64(page[6:])
		s := streams[serial]
		if s == nil || s.rate == 0 || position == 0 || position > oggLast {
			continue
		}
		s.clock.tick(at, position*hertz/s.rate)
		if best == nil || s.clock.now.ticks > best.clock.now.ticks {
			best = s
		}
	}
	if best != nil {
		f.Bitrate = best.clock.bitrate()
	}
	return f
}

var oggMark = []byte("OggS\x00")

const (
	oggHeader = 27
	oggLast   = 1 << 46 // greater positions are invalid: years, or -1 in a page where no packet ends
)

// oggBody returns the content of a page, as far as it is there, and the size of
// the whole page.
func oggBody(page []byte) (body []byte, size int) {
	segments := page[oggHeader:min(len(page), oggHeader+int(page[26]))]
	size = oggHeader + int(page[26])
	body = page[min(len(page), size):]
	for _, s := range segments {
		size += int(s)
	}
	return body[:min(len(body), size-oggHeader-len(segments))], size
}

func oggOpen(packet []byte) *oggStream {
	for _, h := range oggHeads {
		if bytes.HasPrefix(packet, []byte(h.mark)) {
			return h.open(packet)
		}
	}
	return &oggStream{}
}
