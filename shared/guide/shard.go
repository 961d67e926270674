package guide

import (
	"errors"
	"math"
	"time"
)

// A shard is a part of the guide as it is stored. In its bytes, numbers are
// unsigned varints, a text follows its length, and a list follows its number of
// elements:
//
//	format      1
//	sources     a list of names with their sites
//	titles      a list of texts
//	categories  a list of texts
//	channels    a list by ascending ids, each of
//	              id, number of its source, first of its two days since 1970,
//	              a list of programmes, each of
//	                seconds since the end of the one before, or since 1970,
//	                its length in seconds, number of its title,
//	                number of its category from 1 on, 0 for none
//	              descriptions, packed
//
// A title that repeats is stored once. The texts of a shard stay in its bytes,
// so that a reader holds few objects however large the guide is.
type shard struct {
	sources    []origin
	titles     texts
	categories texts
	lines      []line // by rising ids
	shows      []show // of all lines, in their order
	search     search
}

// An origin is the source of a grid, with the name that the interface shows.
type origin struct{ name, site string }

// A line is a grid within a shard.
type line struct {
	channel  string
	source   int32
	date     int32
	from, to int32  // its shows, without to
	descs    string // packed by packDescs
}

// A show is a programme within a shard.
type show struct {
	start    uint32 // in seconds since 1970
	length   uint32 // in seconds
	title    uint32
	category uint32 // from 1 on; 0 for none
}

func (s show) stop() uint32 { return s.start + s.length }

// texts are strings within the bytes of a shard, decoded on access.
type texts struct {
	all  string
	ends []uint32 // by text: its end in all; each text follows its length
}

// at returns text i.
func (t *texts) at(i uint32) string {
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	c := cursor{text: t.all[from:t.ends[i]]}
	return c.string()
}

const format = 1

// errShard is returned for bytes that are not a valid shard.
var errShard = errors.New("guide: the shard cannot be read")

// decodeShard decodes a shard; no bytes are an empty shard. It copies data once,
// and all texts of the shard are parts of that copy.
func decodeShard(data []byte) (*shard, error) {
	s := &shard{}
	if len(data) == 0 {
		return s, nil
	}
	c := &cursor{text: string(data)}
	if c.uint() != format {
		return nil, errShard
	}
	for range c.count(2) {
		s.sources = append(s.sources, origin{c.word(), c.word()})
	}
	s.titles, s.categories = c.texts(), c.texts()
	n := c.count(6)
	s.lines = make([]line, 0, n)
	for range n {
		s.readLine(c)
	}
	if c.broken || c.text != "" {
		return nil, errShard
	}
	return s, nil
}

// readLine decodes a line and adds it with its shows.
func (s *shard) readLine(c *cursor) {
	l := line{
		channel: c.word(), source: int32(c.below(uint64(len(s.sources)))),
		date: int32(c.below(math.MaxUint32 / uint64(daySeconds))), from: int32(len(s.shows)),
	}
	if len(s.lines) > 0 && s.lines[len(s.lines)-1].channel >= l.channel {
		c.broken = true
	}
	at := uint64(0)
	for range c.count(4) {
		at += c.below(math.MaxUint32)
		w := show{
			start: uint32(at), length: uint32(c.below(uint64(daySeconds) + 1)),
			title: uint32(c.below(uint64(len(s.titles.ends)))), category: uint32(c.below(uint64(len(s.categories.ends)) + 1)),
		}
		at += uint64(w.length)
		if w.length == 0 || at > math.MaxUint32 {
			c.broken = true
		}
		if c.broken {
			return
		}
		s.shows = append(s.shows, w)
	}
	l.to = int32(len(s.shows))
	l.descs = c.string()
	s.lines = append(s.lines, l)
}

// grid returns line l as a grid.
func (s *shard) grid(l *line) Grid {
	g := Grid{Source: s.sources[l.source].name, Site: s.sources[l.source].site, date: int64(l.date), descs: l.descs}
	g.ps = make([]Programme, 0, l.to-l.from)
	for _, w := range s.shows[l.from:l.to] {
		g.ps = append(g.ps, s.programme(w))
	}
	return g
}

// programme returns w without its description.
func (s *shard) programme(w show) Programme {
	p := Programme{Start: time.Unix(int64(w.start), 0).UTC(), Stop: time.Unix(int64(w.stop()), 0).UTC(), Title: s.titles.at(w.title)}
	if w.category > 0 {
		p.Category = s.categories.at(w.category - 1)
	}
	return p
}
