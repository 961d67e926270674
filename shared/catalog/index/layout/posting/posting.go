// Package posting finds records by number: which have a value, which number a
// key has, and which come first by a rank.
package posting

import (
	"slices"

	"miramundo.dev/shared/catalog/docset"
)

// Lists are the records of each value that a filter selects by. The lists of
// all values stand in one slice, ascending within a value; values that so many
// records have that a bitset is smaller have one besides.
type Lists struct {
	Values []uint32 // ascending
	ends   []uint32
	docs   []uint32 // by value, ascending
	heavy  map[uint32]docset.Bits
}

// A Posting is a record that has a value.
type Posting struct{ Value, Doc uint32 }

// A Sorter makes postings, in memory that it uses again.
type Sorter struct {
	n        int      // records
	starts   []uint32 // by value: how many records, then where they begin
	last     []uint32 // by value: record+1 that it was last seen with
	Postings []Posting
}

// NewSorter returns a sorter of the postings of n records, of values below
// the given number.
func NewSorter(n, values int) *Sorter {
	return &Sorter{n: n, starts: make([]uint32, values), last: make([]uint32, values), Postings: make([]Posting, 0, 2*n)}
}

// Sort sorts m.Postings, which come by ascending record and may repeat, by
// value.
func (m *Sorter) Sort() Lists {
	clear(m.starts)
	clear(m.last)
	kept := m.Postings[:0]
	for _, p := range m.Postings {
		if p.Value != 0 && m.last[p.Value] != p.Doc+1 {
			m.last[p.Value] = p.Doc + 1
			m.starts[p.Value]++
			kept = append(kept, p)
		}
	}
	c := Lists{docs: make([]uint32, len(kept)), heavy: map[uint32]docset.Bits{}}
	at := uint32(0)
	for v, count := range m.starts {
		m.starts[v] = at
		if count > 0 {
			at += count
			c.Values = append(c.Values, uint32(v))
			c.ends = append(c.ends, at)
		}
	}
	for _, p := range kept {
		c.docs[m.starts[p.Value]] = p.Doc
		m.starts[p.Value]++
	}
	c.Values, c.ends = slices.Clip(c.Values), slices.Clip(c.ends)
	for i := range c.Values {
		if some := docset.ListSet(c.List(i), m.n); some.Bits != nil {
			c.heavy[uint32(i)] = some.Bits
		}
	}
	return c
}

// List returns the records of the i-th value.
func (c *Lists) List(i int) []uint32 {
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.docs[start:c.ends[i]:c.ends[i]]
}

// Set returns the records that have value.
func (c *Lists) Set(value uint32) (docset.Set, bool) {
	i, ok := slices.BinarySearch(c.Values, value)
	if !ok {
		return docset.Set{}, false
	}
	list := c.List(i)
	return docset.Set{Size: len(list), List: list, Bits: c.heavy[uint32(i)]}, true
}
