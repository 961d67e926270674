package guide

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/overlay"
)

// A Live is the guide in the memory of this instance. Its methods may be
// called concurrently; those of a nil Live find no programmes.
//
// Each shard is immutable and replaced as a whole, so that readers take no locks;
// a channel is found by its shard and a binary search. Times and titles are
// decoded, descriptions stay compressed.
type Live struct {
	shards  [shards]atomic.Pointer[shard]
	notes   atomic.Pointer[[]Note]
	version atomic.Uint64 // counts what was shown
	changed chan struct{}
}

// Follow loads the guide from the database of set and follows it until ctx is
// done.
func Follow(ctx context.Context, set *overlay.Set) *Live {
	l := &Live{changed: make(chan struct{}, 1)}
	for n := range l.shards {
		l.shards[n].Store(&shard{})
	}
	l.notes.Store(&[]Note{})
	f := overlay.Follow(ctx, set, kind, l.show)
	go l.notify(ctx, f.Changed())
	return l
}

// notify signals Changed after each update and at midnight in UTC, when the
// programmes of a day end.
func (l *Live) notify(ctx context.Context, shown <-chan struct{}) {
	for {
		timer := time.NewTimer(time.Until(midnight(dateOf(time.Now()) + 1)))
		select {
		case <-ctx.Done():
		case <-shown:
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
		select {
		case l.changed <- struct{}{}:
		default: // a signal is already pending
		}
	}
}

// show replaces a shard by data. After an error the earlier one stays.
func (l *Live) show(n int, data []byte) error {
	if n == notesShard {
		notes, err := decodeNotes(data)
		if err == nil {
			l.notes.Store(&notes)
		}
		return err
	}
	s, err := decodeShard(data)
	if err != nil {
		return err
	}
	s.search = s.searchable()
	l.shards[n].Store(s)
	l.version.Add(1)
	return nil
}

// Version returns a number that changes whenever a programme does.
func (l *Live) Version() uint64 {
	if l == nil {
		return 0
	}
	return l.version.Load()
}

// Changed returns a channel that receives a token after the guide has changed
// or a day has begun. At most one token is pending.
func (l *Live) Changed() <-chan struct{} {
	if l == nil {
		return nil
	}
	return l.changed
}

// all yields the shards by number.
func (l *Live) all() iter.Seq2[int, *shard] {
	return func(yield func(int, *shard) bool) {
		if l == nil {
			return
		}
		for n := range l.shards {
			if s := l.shards[n].Load(); !yield(n, s) {
				return
			}
		}
	}
}

// Channels yields the channels with programmes today or tomorrow, those that began
// yesterday included.
func (l *Live) Channels(now time.Time) iter.Seq[string] {
	return func(yield func(string) bool) {
		for channel := range l.Sites(now) {
			if !yield(channel) {
				return
			}
		}
	}
}

// Sites yields the channels of Channels with the sites that their programmes come
// from, as Now and Day show them.
func (l *Live) Sites(now time.Time) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, s := range l.all() {
			for i := range s.lines {
				line := &s.lines[i]
				if s.isValid(line, now) && !yield(line.channel, s.sources[line.source].site) {
					return
				}
			}
		}
	}
}

// line returns a channel's line and its shard, or nil.
func (l *Live) line(channel string) (*shard, *line) {
	if l == nil {
		return nil, nil
	}
	s := l.shards[shardOf(channel)].Load()
	i, ok := slices.BinarySearchFunc(s.lines, channel, func(l line, id string) int { return strings.Compare(l.channel, id) })
	if !ok {
		return nil, nil
	}
	return s, &s.lines[i]
}

// covers reports whether a line is the guide of a day: one of its two, of which a
// programme is on at some time, even if it began the day before.
func (s *shard) covers(l *line, date int64) bool {
	if date != int64(l.date) && date != int64(l.date)+1 {
		return false
	}
	from := date * daySeconds
	shows := s.shows[l.from:l.to]
	i := stopsAfter(shows, from)
	return i < len(shows) && int64(shows[i].start) < from+daySeconds
}

// isOn reports whether a programme of a line is on. The last one may run into the
// day after the two days of the line.
func (s *shard) isOn(l *line, now time.Time) bool {
	shows := s.shows[l.from:l.to]
	i := stopsAfter(shows, now.Unix())
	return i < len(shows) && int64(shows[i].start) <= now.Unix() && dateOf(now) >= int64(l.date)
}

// isToday reports whether a line is the guide of today.
func (s *shard) isToday(l *line, now time.Time) bool {
	return s.covers(l, dateOf(now)) || s.isOn(l, now)
}

// stopsAfter returns the index of the first show that stops after second.
func stopsAfter(shows []show, second int64) int {
	i, _ := slices.BinarySearchFunc(shows, second+1, func(w show, t int64) int { return int(int64(w.stop()) - t) })
	return i
}

// Now returns the current and the next programme of a channel, without
// descriptions, or nil when its guide does not cover the day.
func (l *Live) Now(channel string, now time.Time) *catalog.GuideNow {
	g, _, _ := l.now(channel, now)
	return g
}

// OnAir reports whether a channel has a current programme, in a fraction of the
// time of Now.
func (l *Live) OnAir(channel string, now time.Time) bool {
	s, line := l.line(channel)
	if line == nil {
		return false
	}
	return s.isOn(line, now)
}

// Detail is Now with descriptions. Decompressing them is slow, so it is for
// one channel rather than a list.
func (l *Live) Detail(channel string, now time.Time) *catalog.GuideNow {
	g, s, line := l.now(channel, now)
	if g == nil {
		return nil
	}
	g.Now, g.After = onAir(s.full(line), now)
	return g
}

// now is Now; it also returns the shard and the line of the channel.
func (l *Live) now(channel string, now time.Time) (*catalog.GuideNow, *shard, *line) {
	s, line := l.line(channel)
	if line == nil || !s.isToday(line, now) {
		return nil, nil, nil
	}
	g := &catalog.GuideNow{Day: dayName(now), Site: s.site(line)}
	shows := s.shows[line.from:line.to]
	i := stopsAfter(shows, now.Unix())
	var near []Programme
	for _, w := range shows[i:min(i+2, len(shows))] {
		near = append(near, s.programme(w))
	}
	g.Now, g.After = onAir(near, now)
	return g, s, line
}

func (s *shard) site(l *line) *string { return catalog.TextOrNil(s.sources[l.source].site) }

func dayName(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// onAir returns the current and the next programme of ps, which are in order.
func onAir(ps []Programme, now time.Time) (on, next *catalog.Programme) {
	for i := range ps {
		switch p := &ps[i]; {
		case p.Start.After(now):
			return on, p.Wire()
		case p.Stop.After(now):
			on = p.Wire()
		}
	}
	return on, nil
}

// Wire returns p as the interface shows it.
func (p *Programme) Wire() *catalog.Programme {
	return &catalog.Programme{
		Start: p.Start.UTC().Format(time.RFC3339), Stop: p.Stop.UTC().Format(time.RFC3339),
		Title: p.Title, Desc: p.Desc, Category: p.Category,
	}
}

// full returns the programmes of a line with their descriptions.
func (s *shard) full(l *line) []Programme {
	g := s.grid(l)
	return g.full()
}

// Day returns the programmes of a channel on the UTC day of at. The current
// and next programmes in it are those of now, whichever day is asked for. It
// returns ErrNoGuide when the guide does not cover that day.
func (l *Live) Day(channel string, at, now time.Time) (*catalog.GuideDay, error) {
	s, line := l.line(channel)
	date := dateOf(at)
	if line == nil || !s.covers(line, date) && (date != dateOf(now) || !s.isOn(line, now)) {
		return nil, ErrNoGuide
	}
	d := &catalog.GuideDay{ChannelID: channel, Day: dayName(at), Site: s.site(line), Programmes: []catalog.Programme{}}
	ps := s.full(line)
	d.Now, d.After = onAir(ps, now)
	from, to := midnight(date), midnight(date+1)
	for i := range ps {
		if p := &ps[i]; p.Start.Before(to) && p.Stop.After(from) {
			d.Programmes = append(d.Programmes, *p.Wire())
		}
	}
	return d, nil
}

// Programmes returns the programmes of a channel that end after now, with
// descriptions.
func (l *Live) Programmes(channel string, now time.Time) []Programme {
	s, line := l.line(channel)
	if line == nil || !s.isValid(line, now) {
		return nil
	}
	ps := s.full(line)
	return slices.DeleteFunc(ps, func(p Programme) bool { return !p.Stop.After(now) })
}

// isValid reports whether a line has a guide for today or tomorrow.
func (s *shard) isValid(l *line, now time.Time) bool {
	return s.isToday(l, now) || s.covers(l, dateOf(now)+1)
}

// Sources returns the state of the guide's files, from their notes.
func (l *Live) Sources() []catalog.Source {
	if l == nil {
		return nil
	}
	var sources []catalog.Source
	for _, n := range *l.notes.Load() {
		sources = append(sources, n.source())
	}
	return sources
}

func decodeNotes(data []byte) (notes []Note, err error) {
	if len(data) > 0 {
		err = json.Unmarshal(data, &notes)
	}
	return notes, err
}
