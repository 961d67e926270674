package guide

import (
	"slices"
	"time"
)

// Between returns the programmes of a channel of which a part is on from one time
// to another, without descriptions, in order; nil when there are none. It costs two binary searches
// and one slice: titles are parts of the shard.
func (l *Live) Between(channel string, from, to time.Time) []Programme {
	s, line := l.line(channel)
	if line == nil {
		return nil
	}
	shows := s.shows[line.from:line.to]
	shows = shows[stopsAfter(shows, from.Unix()):]
	end, _ := slices.BinarySearchFunc(shows, to.Unix(), func(w show, t int64) int { return int(int64(w.start) - t) })
	if end == 0 {
		return nil
	}
	ps := make([]Programme, end)
	for i, w := range shows[:end] {
		ps[i] = s.programme(w)
	}
	return ps
}

// At returns the programme of a channel that starts at a time, with its description,
// and whether there is one.
func (l *Live) At(channel string, start time.Time) (Programme, bool) {
	s, line := l.line(channel)
	if line == nil {
		return Programme{}, false
	}
	shows := s.shows[line.from:line.to]
	i, found := slices.BinarySearchFunc(shows, start.Unix(), func(w show, t int64) int { return int(int64(w.start) - t) })
	if !found {
		return Programme{}, false
	}
	p := s.programme(shows[i])
	if descs, err := unpackDescs(line.descs, len(shows)); err == nil {
		p.Desc = descs[i]
	}
	return p, true
}
