package layout

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout/posting"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// StreamColumns are the streams of all records, in the order of the records.
type StreamColumns struct {
	Ends   []uint32 // by record
	IDs    []uint64
	slots  []uint32 // streams by id: number+1, or 0
	Host   []uint32 // value: the URL up to its path
	path   snapshot.Texts
	title  []uint32 // value
	trait  []uint32
	traits snapshot.Table
}

// streamSeed makes hashes unforeseeable to callers who choose ids.
var streamSeed = maphash.MakeSeed()

func newStreams(s *snapshot.Streams) StreamColumns {
	c := StreamColumns{Ends: s.Ends, IDs: s.IDs, Host: s.Host, path: s.Path, title: s.Title, trait: s.Trait, traits: s.Traits}
	size := 4
	for size < len(c.IDs)+len(c.IDs)/2 {
		size *= 2
	}
	c.slots = make([]uint32, size)
	posting.BySlot(len(c.IDs), size, func(i uint32) uint64 { return c.slot(c.IDs[i])<<32 | uint64(i+1) }, func(entry uint64) {
		at := entry >> 32
		for c.slots[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		c.slots[at] = uint32(entry)
	})
	return c
}

func (c *StreamColumns) slot(id uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], id)
	return maphash.Bytes(streamSeed, b[:]) & uint64(len(c.slots)-1)
}

// Find returns the number of the stream with an id.
func (c *StreamColumns) Find(id catalog.StreamID) (uint32, bool) {
	for at := c.slot(uint64(id)); ; at = (at + 1) & uint64(len(c.slots)-1) {
		s := c.slots[at]
		if s == 0 {
			return 0, false
		}
		if c.IDs[s-1] == uint64(id) {
			return s - 1, true
		}
	}
}

// Of returns where the streams of a record are.
func (c *StreamColumns) Of(doc uint32) (start, end uint32) {
	if doc > 0 {
		start = c.Ends[doc-1]
	}
	return start, c.Ends[doc]
}

// Doc returns the record of stream i.
func (c *StreamColumns) Doc(i uint32) uint32 {
	lo, hi := 0, len(c.Ends)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); c.Ends[mid] <= i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint32(lo)
}

// Hosts returns the values, ascending, that begin the URLs of streams.
func (c *StreamColumns) Hosts() []uint32 {
	return slices.Compact(slices.Sorted(slices.Values(c.Host)))
}

// TraitsOf returns the traits of stream i.
func (c *StreamColumns) TraitsOf(i uint32) []uint32 { return c.traits.Row(c.trait[i]) }

// Stream returns stream i as the register had it.
func (ix *Index) Stream(i uint32) catalog.StreamRecord {
	c := &ix.Streams
	t := c.TraitsOf(i)
	return catalog.StreamRecord{
		ID:        catalog.StreamID(c.IDs[i]),
		URL:       ix.Text(c.Host[i]) + string(c.path.At(i)),
		Feed:      ix.Text(t[snapshot.TraitFeed]),
		Title:     ix.Text(c.title[i]),
		Quality:   ix.Text(t[snapshot.TraitQuality]),
		Label:     ix.Text(t[snapshot.TraitLabel]),
		Referrer:  ix.Text(t[snapshot.TraitReferrer]),
		UserAgent: ix.Text(t[snapshot.TraitUserAgent]),
		Kind:      ix.Text(t[snapshot.TraitKind]),
		Origin:    ix.Text(t[snapshot.TraitOrigin]),
		Playable:  t[snapshot.TraitPlayable] != 0,
	}
}

// Text returns a value as the register had it.
func (ix *Index) Text(value uint32) string { return jsontext.Text(ix.Values.At(value)) }
