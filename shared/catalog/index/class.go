package index

import (
	"slices"

	"miramundo.dev/shared/catalog/docset"
)

// A class knows which records have each of its values.
type class struct {
	values []uint32 // ascending
	ends   []uint32
	docs   []uint32 // by value, ascending
	heavy  map[uint32]docset.Bits
}

// A pair says that a record has a value.
type pair struct{ value, doc uint32 }

// A classifier makes classes, in memory that it uses again.
type classifier struct {
	n      int      // records
	starts []uint32 // by value: how many records, then where they begin
	last   []uint32 // by value: record+1 that it was last seen with
	pairs  []pair
}

// class makes the class of c.pairs, which come by ascending record and may
// repeat.
func (m *classifier) class() class {
	clear(m.starts)
	clear(m.last)
	kept := m.pairs[:0]
	for _, p := range m.pairs {
		if p.value != 0 && m.last[p.value] != p.doc+1 {
			m.last[p.value] = p.doc + 1
			m.starts[p.value]++
			kept = append(kept, p)
		}
	}
	c := class{docs: make([]uint32, len(kept)), heavy: map[uint32]docset.Bits{}}
	at := uint32(0)
	for v, count := range m.starts {
		m.starts[v] = at
		if count > 0 {
			at += count
			c.values = append(c.values, uint32(v))
			c.ends = append(c.ends, at)
		}
	}
	for _, p := range kept {
		c.docs[m.starts[p.value]] = p.doc
		m.starts[p.value]++
	}
	c.values, c.ends = slices.Clip(c.values), slices.Clip(c.ends)
	for i := range c.values {
		if some := docset.ListSet(c.list(i), m.n); some.Bits != nil {
			c.heavy[uint32(i)] = some.Bits
		}
	}
	return c
}

// list returns the records of the i-th value.
func (c *class) list(i int) []uint32 {
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.docs[start:c.ends[i]:c.ends[i]]
}

// set returns the records that have value.
func (c *class) set(value uint32) (docset.Set, bool) {
	i, ok := slices.BinarySearch(c.values, value)
	if !ok {
		return docset.Set{}, false
	}
	list := c.list(i)
	return docset.Set{Size: len(list), List: list, Bits: c.heavy[uint32(i)]}, true
}
