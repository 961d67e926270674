package media

import (
	"encoding/binary"
	"strings"

	"miramundo.dev/shared/probe/media/box"
	"miramundo.dev/shared/probe/media/codec"
)

// A file describes its tracks in the box moov, with a table of the sizes and
// durations of all samples. A fragmented file, as in DASH and HLS, leaves the
// table empty and describes the samples of each fragment in a box moof before
// their bytes. The bitrate of a track is computed from these tables, never from
// the positions of bytes, so that a truncated fragment still has one.

// topKinds are the boxes that a file or segment may begin with.
const topKinds = "ftyp styp moov moof sidx emsg prft free skip mdat uuid pdin wide"

// An mp4 is a file as far as it was read.
type mp4 struct {
	tracks     map[uint32]*mp4Track // by id
	order      []*mp4Track          // as in the file
	fragmented bool
	fragments  int64 // bytes of the boxes that describe fragments
}

// An mp4Track is a track of a file.
type mp4Track struct {
	codec.Track
	timescale   uint32 // units of time in a second
	usual       sample // the defaults of its fragments
	bytes, time uint64 // of all samples read
	incomplete  bool   // a table is truncated, so that bytes and time do not fit
}

// A sample has a duration, in units of the track's timescale, and a size.
type sample struct{ duration, size uint32 }

// readMP4 reads an ISO base media file, whole or in fragments, or a segment
// of one.
func readMP4(data []byte) Facts {
	if len(data) < 8 || !strings.Contains(topKinds, string(data[4:8])) || data[4] == ' ' {
		return Facts{}
	}
	m := mp4{tracks: map[uint32]*mp4Track{}}
	known := false
	box.Each(data, func(x box.Box) {
		known = known || x.Kind == "ftyp" || x.Kind == "moov" || x.Kind == "moof"
		switch x.Kind {
		case "styp":
			m.fragmented = true
		case "moov":
			box.Each(x.Body, m.describe)
			m.defaults(box.Child(x.Body, "mvex"))
		case "moof":
			m.fragmented = true
			m.fragments += int64(x.Size)
			box.Each(x.Body, m.fragment)
		}
	})
	if !known && !m.fragmented {
		return Facts{}
	}
	f := Facts{Container: "mp4", Bitrate: m.bitrate()}
	if m.fragmented {
		f.Container = "fmp4"
	}
	for _, t := range m.order {
		f.add(t.Track)
	}
	return f
}

// describe adds the track of a box of moov, if it is one.
func (m *mp4) describe(x box.Box) {
	head, media := box.Child(x.Body, "tkhd"), box.Child(x.Body, "mdia")
	clock := box.Child(media, "mdhd")
	if x.Kind != "trak" || len(head) < 24 || len(clock) < 24 {
		return
	}
	id, scale := binary.BigEndian.Uint32(head[12:]), binary.BigEndian.Uint32(clock[12:])
	if head[0] == 1 { // times of 64 bits
		id = binary.BigEndian.Uint32(head[20:])
	}
	if clock[0] == 1 {
		scale = binary.BigEndian.Uint32(clock[20:])
	}
	t := &mp4Track{timescale: scale}
	if stsd := box.Child(media, "minf/stbl/stsd"); len(stsd) >= 8 {
		box.Each(stsd[8:], func(x box.Box) {
			if t.Codec == "" {
				t.Track = box.Track(x)
			}
		})
	}
	t.whole(box.Child(media, "minf/stbl"))
	if m.tracks[id] == nil && len(m.order) < maxTracks {
		m.order = append(m.order, t)
		m.tracks[id] = t
	}
}

// whole adds up the tables of a file that is not in fragments.
func (t *mp4Track) whole(stbl []byte) {
	stsz, stts := box.Child(stbl, "stsz"), box.Child(stbl, "stts")
	if len(stsz) < 12 || len(stts) < 8 {
		return
	}
	size, count := binary.BigEndian.Uint32(stsz[4:]), binary.BigEndian.Uint32(stsz[8:])
	if size > 0 {
		t.bytes = uint64(size) * uint64(count)
	} else {
		t.incomplete = uint64(len(stsz)-12) < 4*uint64(count)
		for rest := stsz[12:]; len(rest) >= 4; rest = rest[4:] {
			t.bytes += uint64(binary.BigEndian.Uint32(rest))
		}
	}
	for rest := stts[8:]; len(rest) >= 8; rest = rest[8:] {
		t.time += uint64(binary.BigEndian.Uint32(rest)) * uint64(binary.BigEndian.Uint32(rest[4:]))
	}
}

// defaults reads the defaults of fragments, which these need not repeat.
func (m *mp4) defaults(mvex []byte) {
	m.fragmented = m.fragmented || mvex != nil
	box.Each(mvex, func(x box.Box) {
		if x.Kind != "trex" || len(x.Body) < 24 {
			return
		}
		if t := m.tracks[binary.BigEndian.Uint32(x.Body[4:])]; t != nil {
			t.usual = sample{binary.BigEndian.Uint32(x.Body[12:]), binary.BigEndian.Uint32(x.Body[16:])}
		}
	})
}

// fragment adds the samples of one track of a fragment.
func (m *mp4) fragment(x box.Box) {
	head := box.Child(x.Body, "tfhd")
	if x.Kind != "traf" || len(head) < 8 {
		return
	}
	t := m.tracks[binary.BigEndian.Uint32(head[4:])]
	if t == nil {
		return
	}
	r := fields{head[8:], binary.BigEndian.Uint32(head)}
	r.skip(0x1, 8)
	r.skip(0x2, 4)
	usual := sample{r.take(0x8, t.usual.duration), r.take(0x10, t.usual.size)}
	box.Each(x.Body, func(run box.Box) {
		if run.Kind == "trun" && len(run.Body) >= 8 {
			t.run(run, usual)
		}
	})
	t.incomplete = t.incomplete || x.Cut
}

// run adds the samples of a track run.
func (t *mp4Track) run(x box.Box, usual sample) {
	flags, count := binary.BigEndian.Uint32(x.Body), binary.BigEndian.Uint32(x.Body[4:])
	r := fields{x.Body[8:], flags}
	r.skip(0x1, 4)
	r.skip(0x4, 4)
	if flags&0xf00 == 0 {
		t.bytes += uint64(count) * uint64(usual.size)
		t.time += uint64(count) * uint64(usual.duration)
		return
	}
	for ; count > 0 && len(r.b) > 0; count-- {
		t.time += uint64(r.take(0x100, usual.duration))
		t.bytes += uint64(r.take(0x200, usual.size))
		r.skip(0x400, 4)
		r.skip(0x800, 4)
	}
	t.incomplete = t.incomplete || x.Cut || count > 0
}

// fields are the optional fields of a box, which its flags announce.
type fields struct {
	b     []byte
	flags uint32
}

// skip skips the field of a flag, if it is there.
func (f *fields) skip(flag uint32, size int) {
	if f.flags&flag != 0 {
		f.b = f.b[min(size, len(f.b)):]
	}
}

// take returns the field of a flag, or usual when it is not there.
func (f *fields) take(flag, usual uint32) uint32 {
	if f.flags&flag == 0 || len(f.b) < 4 {
		return usual
	}
	n := binary.BigEndian.Uint32(f.b)
	f.b = f.b[4:]
	return n
}

// bitrate returns the sum of the bitrates of the tracks, each over its own time,
// or 0 when that of some track is unknown.
func (m *mp4) bitrate() int {
	sum, longest := 0, 0.0
	for _, t := range m.order {
		if t.Codec == "" {
			continue
		}
		seconds := float64(t.time) / float64(max(t.timescale, 1))
		rate := bitrate(int64(min(t.bytes, 1<<40)), seconds)
		if t.incomplete || rate == 0 {
			return 0
		}
		sum += rate
		longest = max(longest, seconds)
	}
	if longest == 0 {
		return 0
	}
	return sum + bitrate(m.fragments, longest)
}
