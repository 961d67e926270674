package index

import (
	"math/bits"
	"strconv"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
)

// maxCategories is how many a record's mask has bits for.
const maxCategories = 64

// counts are how many records have each category.
type counts [maxCategories]uint32

// A countedCategory is what facets show of a category, around the count.
type countedCategory struct {
	before [locales][]byte
	after  []byte
}

func countedCategories(list []catalog.Category) []countedCategory {
	out := make([]countedCategory, len(list))
	for i, k := range list {
		for l := range locales {
			b := appendJSON([]byte(`{"id":`), k.ID)
			b = appendJSON(append(b, `,"name":`...), or(k.Name[l], k.ID))
			out[i].before[l] = append(b, `,"count":`...)
		}
		out[i].after = append(appendJSON([]byte(`,"icon":`), catalog.TextOrNil(k.Icon)), '}')
	}
	return out
}

// A histogram counts records by which set of categories they have: to add
// one record then takes no loop over its categories.
type histogram []uint32

// counter returns an empty histogram, in the memory of h when it suffices.
func (ix *Index) counter(h histogram) histogram {
	if len(h) < len(ix.masks) {
		return make(histogram, len(ix.masks))
	}
	clear(h)
	return h
}

// countList adds the records of list.
func (ix *Index) countList(h histogram, list []uint32) {
	for _, doc := range list {
		h[ix.maskOf[doc]]++
	}
}

// countBits adds the records of b that have categories: radio has none.
func (ix *Index) countBits(h histogram, b docset.Bits) {
	for i, w := range b {
		for w &= ix.categorised[i]; w != 0; w &= w - 1 {
			h[ix.maskOf[i<<6|bits.TrailingZeros64(w)]]++
		}
	}
}

// counts returns how many records of h have each category.
func (ix *Index) counts(h histogram) (c counts) {
	for i, mask := range ix.masks {
		if n := h[i]; n > 0 {
			for ; mask != 0; mask &= mask - 1 {
				c[bits.TrailingZeros64(mask)] += n
			}
		}
	}
	return c
}

// sorted returns the categories with a count, most first and then by id: of each
// its count, and below 8 bits what tells which it is.
func (c *counts) sorted() (order [maxCategories]uint64, n int) {
	for i := range c {
		if c[i] == 0 {
			continue
		}
		key := uint64(c[i])<<8 | uint64(maxCategories-i)
		at := n
		for ; at > 0 && order[at-1] < key; at-- {
			order[at] = order[at-1]
		}
		order[at] = key
		n++
	}
	return order, n
}

// categoryOf returns which category a key of sorted is of.
func categoryOf(key uint64) int { return maxCategories - int(key&0xff) }

// appendFacets adds the array of the categories with a count, most first and
// then by id.
func (ix *Index) appendFacets(dst []byte, c *counts, locale int) []byte {
	order, n := c.sorted()
	dst = append(dst, '[')
	for k, key := range order[:n] {
		if k > 0 {
			dst = append(dst, ',')
		}
		one := &ix.counted[categoryOf(key)]
		dst = append(dst, one.before[locale]...)
		dst = strconv.AppendUint(dst, key>>8, 10)
		dst = append(dst, one.after...)
	}
	return append(dst, ']')
}
