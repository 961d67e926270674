package index

import (
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/snapshot"
)

// An Overlay is what changes between reloads. A view keeps it: it must not be
// changed afterwards. What it says of ids that the catalog does not have is
// left aside.
type Overlay struct {
	BlockedChannels []string
	BlockedStreams  []catalog.StreamID
	BlockedHosts    []string // with their subdomains

	Health  map[string]catalog.MeasuredHealth // by channel
	Streams map[catalog.StreamID]catalog.StreamHealth
}

// setBlocks takes out of v what is blocked, and decides anew which records of
// whose streams more is known are playable.
func (v *View) setBlocks() {
	ix := v.ix
	for _, id := range v.overlay.BlockedChannels {
		if doc, ok := ix.resolve(id); ok {
			if v.removed == nil {
				v.removed = docset.NewBits(ix.n)
			}
			v.removed.Add(doc)
		}
	}
	blocked := v.blockedStreams()
	v.setPlayable(blocked)
	if len(blocked) > 0 {
		v.setQualities(blocked)
	}
}

// blockedStreams fills in v.blocked and returns its numbers.
func (v *View) blockedStreams() []uint32 {
	ix := v.ix
	var list []uint32
	for _, id := range v.overlay.BlockedStreams {
		if i, ok := ix.resolveStream(id.String()); ok {
			list = append(list, i)
		}
	}
	if hosts := v.blockedHosts(); len(hosts) > 0 {
		for i, host := range ix.streams.host {
			if _, ok := slices.BinarySearch(hosts, host); ok {
				list = append(list, uint32(i))
			}
		}
	}
	if len(list) > 0 {
		v.blocked = docset.NewBits(len(ix.streams.ids))
		v.blocked.AddAll(list)
	}
	return list
}

// blockedHosts returns the values, ascending, that begin URLs of blocked hosts.
func (v *View) blockedHosts() []uint32 {
	if len(v.overlay.BlockedHosts) == 0 {
		return nil
	}
	blocked := map[string]bool{}
	for _, host := range v.overlay.BlockedHosts {
		blocked[strings.Trim(strings.ToLower(host), ".[] ")] = true
	}
	var values []uint32
	for _, value := range v.ix.streams.hosts() {
		for h := hostname(v.ix.text(value)); h != ""; {
			if blocked[h] {
				values = append(values, value)
				break
			}
			_, h, _ = strings.Cut(h, ".")
		}
	}
	return values
}

// setPlayable decides again for the records of blocked and of measured streams.
func (v *View) setPlayable(blocked []uint32) {
	ix := v.ix
	v.playable = ix.playable
	if len(blocked) == 0 && len(v.overlay.Streams) == 0 {
		return
	}
	v.playable = slices.Clone(ix.playable)
	for _, i := range blocked {
		v.decide(ix.streams.doc(i))
	}
	for id := range v.overlay.Streams {
		if i, ok := ix.streams.find(id); ok {
			v.decide(ix.streams.doc(i))
		}
	}
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
// says when that was clear, or else as the register says. A stream that is
// blocked for some places only is left as it was.
func (v *View) usable(i uint32) bool {
	if v.blocked != nil && v.blocked.Has(i) {
		return false
	}
	switch h := v.overlay.Streams[catalog.StreamID(v.ix.streams.ids[i])]; h.Status {
	case "online":
		return true
	case "offline", "timeout", "error":
		return false
	}
	return v.ix.streams.traitsOf(i)[snapshot.TraitPlayable] != 0
}

// setQualities corrects the records of the qualities that blocked streams had.
func (v *View) setQualities(blocked []uint32) {
	ix := v.ix
	v.qualities = map[uint32]docset.Set{}
	lost := map[uint32]docset.Bits{} // by quality
	for _, i := range blocked {
		doc, q := ix.streams.doc(i), ix.streams.traitsOf(i)[snapshot.TraitQuality]
		if q == 0 || slices.Contains(ix.qualities(nil, doc, v.blocked), pair{q, doc}) {
			continue
		}
		if lost[q] == nil {
			lost[q] = docset.NewBits(ix.n)
		}
		lost[q].Add(doc)
	}
	for q, docs := range lost {
		old, _ := ix.classes[classQuality].set(q)
		var left []uint32
		for _, doc := range old.List {
			if !docs.Has(doc) {
				left = append(left, doc)
			}
		}
		v.qualities[q] = docset.ListSet(left, ix.n)
	}
}

// A side holds JSON of the few records that have it, or nil for none.
type side struct {
	at   []uint32 // by record: 1 + where in text, or 0
	text snapshot.Texts
}

// newSide renders what the overlay says by channel.
func newSide[T any](ix *Index, of map[string]T, each func(doc uint32, value T)) side {
	var s side
	for id, value := range of {
		doc, ok := ix.find(id)
		if !ok {
			continue
		}
		if s.at == nil {
			s.at = make([]uint32, ix.n)
		}
		s.text.Add(string(appendJSON(nil, value)))
		s.at[doc] = uint32(s.text.Len())
		each(doc, value)
	}
	return s
}

// of returns what s has of record doc, or other.
func (s *side) of(doc uint32, other []byte) []byte {
	if s.at == nil || s.at[doc] == 0 {
		return other
	}
	return s.text.At(s.at[doc] - 1)
}
