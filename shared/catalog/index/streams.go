package index

import (
	"encoding/binary"
	"hash/maphash"
	"net/url"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// streamColumns are the streams of all records, in the order of the records.
type streamColumns struct {
	ends   []uint32 // by record
	ids    []uint64
	slots  []uint32 // streams by id: number+1, or 0
	host   []uint32 // value: the URL up to its path
	path   snapshot.Texts
	title  []uint32 // value
	trait  []uint32
	traits snapshot.Table
}

func newStreams(s *snapshot.Streams) streamColumns {
	c := streamColumns{ends: s.Ends, ids: s.IDs, host: s.Host, path: s.Path, title: s.Title, trait: s.Trait, traits: s.Traits}
	size := 4
	for size < len(c.ids)+len(c.ids)/2 {
		size *= 2
	}
	c.slots = make([]uint32, size)
	for i, id := range c.ids {
		at := c.slot(id)
		for c.slots[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		c.slots[at] = uint32(i) + 1
	}
	return c
}

func (c *streamColumns) slot(id uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], id)
	return maphash.Bytes(seed, b[:]) & uint64(len(c.slots)-1)
}

// find returns the number of the stream with an id.
func (c *streamColumns) find(id catalog.StreamID) (uint32, bool) {
	for at := c.slot(uint64(id)); ; at = (at + 1) & uint64(len(c.slots)-1) {
		s := c.slots[at]
		if s == 0 {
			return 0, false
		}
		if c.ids[s-1] == uint64(id) {
			return s - 1, true
		}
	}
}

// of returns where the streams of a record are.
func (c *streamColumns) of(doc uint32) (start, end uint32) {
	if doc > 0 {
		start = c.ends[doc-1]
	}
	return start, c.ends[doc]
}

// doc returns the record of stream i.
func (c *streamColumns) doc(i uint32) uint32 {
	lo, hi := 0, len(c.ends)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); c.ends[mid] <= i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint32(lo)
}

// hosts returns the values, ascending, that begin the URLs of streams.
func (c *streamColumns) hosts() []uint32 {
	return slices.Compact(slices.Sorted(slices.Values(c.host)))
}

// traitsOf returns the traits of stream i.
func (c *streamColumns) traitsOf(i uint32) []uint32 { return c.traits.Row(c.trait[i]) }

// stream returns stream i as the register had it.
func (ix *Index) stream(i uint32) catalog.StreamRecord {
	c := &ix.streams
	t := c.traitsOf(i)
	return catalog.StreamRecord{
		ID:        catalog.StreamID(c.ids[i]),
		URL:       ix.text(c.host[i]) + string(c.path.At(i)),
		Feed:      ix.text(t[snapshot.TraitFeed]),
		Title:     ix.text(c.title[i]),
		Quality:   ix.text(t[snapshot.TraitQuality]),
		Label:     ix.text(t[snapshot.TraitLabel]),
		Referrer:  ix.text(t[snapshot.TraitReferrer]),
		UserAgent: ix.text(t[snapshot.TraitUserAgent]),
		Kind:      ix.text(t[snapshot.TraitKind]),
		Origin:    ix.text(t[snapshot.TraitOrigin]),
		Playable:  t[snapshot.TraitPlayable] != 0,
	}
}

// text returns a value as the register had it.
func (ix *Index) text(value uint32) string { return jsontext.Text(ix.values.At(value)) }

// hostname returns the host of the URL that begins with prefix, in the form by
// which blocks name it; "" when it has none.
func hostname(prefix string) string {
	u, err := url.Parse(prefix)
	if err != nil {
		return ""
	}
	if host, ok := catalog.Hostname(u.Hostname()); ok {
		return host
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
