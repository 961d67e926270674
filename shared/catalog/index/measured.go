package index

import (
	"slices"
	"strconv"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/snapshot"
)

// setMeasured notes what is known of each stream.
func (v *View) setMeasured(o *Overlay) {
	if o.Streams == nil {
		return
	}
	streams := &v.ix.streams
	measured, any := make([]*catalog.Measurement, len(streams.ids)), false
	for id, m := range o.Streams {
		if i, ok := streams.find(id); ok && m != nil {
			measured[i], any = m, true
		}
	}
	if any {
		v.measured = measured
	}
}

// measurement returns what is known of stream i; nil when that is nothing.
func (v *View) measurement(i uint32) *catalog.Measurement {
	if v.measured == nil {
		return nil
	}
	return v.measured[i]
}

// setHealth decides anew which records of blocked and of measured streams are
// playable, sums up what was measured of each record, and orders them by score:
// the measured best first, the unmeasured last.
func (v *View) setHealth(blocked []uint32, since time.Time) {
	ix := v.ix
	online := docset.NewBits(ix.n)
	v.playable = ix.playable
	if len(blocked) > 0 || v.measured != nil {
		v.playable = slices.Clone(ix.playable)
	}
	for _, i := range blocked {
		v.decide(ix.streams.doc(i))
	}
	if v.measured != nil {
		v.latest, v.scores = make([]uint32, ix.n), make([]uint8, ix.n)
		start := uint32(0)
		for doc, end := range ix.streams.ends {
			for i := start; i < end; i++ {
				if v.measured[i] != nil {
					v.decide(uint32(doc))
					v.sum(uint32(doc), i, end, since, online)
					break
				}
			}
			start = end
		}
		v.byScore = newSmallOrder(v.scores)
	}
	v.flags[filter.Online] = docset.Rank(online)
}

// sum notes of record doc what was measured of its streams from start to end.
// Blocked ones do not count.
func (v *View) sum(doc, start, end uint32, since time.Time, online docset.Bits) {
	for i := start; i < end; i++ {
		m := v.measured[i]
		if m == nil || v.isBlocked(i) {
			continue
		}
		if !m.OnlineAt.IsZero() && m.OnlineAt.After(since) {
			online.Add(doc)
		}
		if s := m.Health.Score; s != nil {
			v.scores[doc] = max(v.scores[doc], 1+uint8(min(max(*s, 0), 100)))
		}
		if last := v.latest[doc]; last == 0 || later(m.Health.CheckedAt, v.measured[last-1].Health.CheckedAt) {
			v.latest[doc] = i + 1
		}
	}
}

// later reports whether a, a time in RFC 3339, is after b. None is before all,
// and so is what is no time.
func later(a, b *string) bool {
	if a == nil || b == nil {
		return a != nil
	}
	if n := len(*a); n == len(time.DateTime)+1 && n == len(*b) && (*a)[n-1] == 'Z' && (*b)[n-1] == 'Z' {
		return *a > *b
	}
	x, _ := time.Parse(time.RFC3339, *a)
	y, _ := time.Parse(time.RFC3339, *b)
	return x.After(y)
}

// decide notes whether record doc has a usable stream.
func (v *View) decide(doc uint32) {
	v.playable.Remove(doc)
	start, end := v.ix.streams.of(doc)
	for i := start; i < end; i++ {
		if v.usable(i) {
			v.playable.Add(doc)
			return
		}
	}
}

// usable reports whether stream i is thought to play: as its last measurement
// says when that was clear, or else as the register says. What plays only with
// headers that pages cannot send is not usable. A stream that is blocked for
// some places only is left as it was.
func (v *View) usable(i uint32) bool {
	if v.isBlocked(i) {
		return false
	}
	if m := v.measurement(i); m != nil {
		switch m.Health.Status {
		case "online":
			return !m.Closed
		case "offline", "timeout", "error":
			return false
		}
	}
	return v.ix.streams.traitsOf(i)[snapshot.TraitPlayable] != 0
}

// healthOf returns what was measured of record doc; nil when that is nothing.
func (v *View) healthOf(doc uint32) *catalog.MeasuredHealth {
	if v.latest == nil || v.latest[doc] == 0 {
		return nil
	}
	h := &catalog.MeasuredHealth{Online: v.flags[filter.Online].Has(doc), CheckedAt: v.measured[v.latest[doc]-1].Health.CheckedAt}
	if s := int(v.scores[doc]); s > 0 {
		s--
		h.Score = &s
	}
	return h
}

// appendHealth adds what was measured of record doc as a
// catalog.MeasuredHealth, or null.
func (v *View) appendHealth(dst []byte, doc uint32) []byte {
	if v.latest == nil || v.latest[doc] == 0 {
		return append(dst, null...)
	}
	dst = append(dst, `{"score":`...)
	if s := v.scores[doc]; s > 0 {
		dst = strconv.AppendUint(dst, uint64(s-1), 10)
	} else {
		dst = append(dst, null...)
	}
	dst = strconv.AppendBool(append(dst, `,"online":`...), v.flags[filter.Online].Has(doc))
	dst = appendText(dst, `,"checked_at":`, v.measured[v.latest[doc]-1].Health.CheckedAt)
	return append(dst, '}')
}
