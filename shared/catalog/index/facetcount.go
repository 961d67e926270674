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

var counts0 counts

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
			b = appendJSON(append(b, `,"name":`...), k.Name[l])
			out[i].before[l] = append(b, `,"count":`...)
		}
		out[i].after = append(appendJSON([]byte(`,"icon":`), textOrNil(k.Icon)), '}')
	}
	return out
}

// countList adds the categories of the records of list.
func (ix *Index) countList(c *counts, list []uint32) {
	for _, doc := range list {
		for m := ix.masks[doc]; m != 0; m &= m - 1 {
			c[bits.TrailingZeros64(m)]++
		}
	}
}

// countBits adds the categories of the records of b.
func (ix *Index) countBits(c *counts, b docset.Bits) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			for m := ix.masks[i<<6|bits.TrailingZeros64(w)]; m != 0; m &= m - 1 {
				c[bits.TrailingZeros64(m)]++
			}
		}
	}
}

// appendFacets adds the array of the categories with a count, most first and
// then by id.
func (ix *Index) appendFacets(dst []byte, c *counts, locale int) []byte {
	var order [maxCategories]uint64 // count, then the lower number, which has the lower id
	n := 0
	for i := range ix.counted {
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
	dst = append(dst, '[')
	for k, key := range order[:n] {
		if k > 0 {
			dst = append(dst, ',')
		}
		one := &ix.counted[maxCategories-int(key&0xff)]
		dst = append(dst, one.before[locale]...)
		dst = strconv.AppendUint(dst, key>>8, 10)
		dst = append(dst, one.after...)
	}
	return append(dst, ']')
}

// textOrNil returns what the interface shows of a text: null when empty.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
