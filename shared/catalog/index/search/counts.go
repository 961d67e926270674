package search

import (
	"cmp"
	"math/bits"
	"strconv"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/jsontext"
)

// counts are how many records have each category.
type counts [layout.MaxCategories]uint32

// A categoryText is a category as facets show it, around the count.
type categoryText struct {
	before [layout.Locales][]byte
	after  []byte
}

func categoryTexts(list []catalog.Category) []categoryText {
	out := make([]categoryText, len(list))
	for i, k := range list {
		for l := range layout.Locales {
			b := jsontext.AppendValue([]byte(`{"id":`), k.ID)
			b = jsontext.AppendValue(append(b, `,"name":`...), cmp.Or(k.Name[l], k.ID))
			out[i].before[l] = append(b, `,"count":`...)
		}
		out[i].after = append(jsontext.AppendValue([]byte(`,"icon":`), catalog.TextOrNil(k.Icon)), '}')
	}
	return out
}

// A histogram counts records by which set of categories they have: adding a
// record then takes no loop over its categories. There are far fewer sets than records, and their
// counts are distributed to the categories at the end.
type histogram []uint32

// counter returns an empty histogram, in the memory of h when it suffices.
func (e *Engine) counter(h histogram) histogram {
	if len(h) < len(e.ix.CategorySets) {
		return make(histogram, len(e.ix.CategorySets))
	}
	clear(h)
	return h
}

// countList adds the records of list.
func (e *Engine) countList(h histogram, list []uint32) {
	for _, doc := range list {
		h[e.ix.CategorySetOf[doc]]++
	}
}

// countBits adds the records of b that have categories: radio has none.
func (e *Engine) countBits(h histogram, b docset.Bits) {
	for i, w := range b {
		for w &= e.ix.HasCategories[i]; w != 0; w &= w - 1 {
			h[e.ix.CategorySetOf[i<<6|bits.TrailingZeros64(w)]]++
		}
	}
}

// counts returns how many records of h have each category.
func (e *Engine) counts(h histogram) (c counts) {
	for i, mask := range e.ix.CategorySets {
		if n := h[i]; n > 0 {
			for ; mask != 0; mask &= mask - 1 {
				c[bits.TrailingZeros64(mask)] += n
			}
		}
	}
	return c
}

// sorted returns the categories with a count, most first and then by id: of each
// its count, and below 8 bits its number.
func (c *counts) sorted() (order [layout.MaxCategories]uint64, n int) {
	for i := range c {
		if c[i] == 0 {
			continue
		}
		key := uint64(c[i])<<8 | uint64(layout.MaxCategories-i)
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
func categoryOf(key uint64) int { return layout.MaxCategories - int(key&0xff) }

// appendFacets adds the array of the categories with a count, most first and
// then by id.
func (e *Engine) appendFacets(dst []byte, c *counts, locale int) []byte {
	order, n := c.sorted()
	dst = append(dst, '[')
	for k, key := range order[:n] {
		if k > 0 {
			dst = append(dst, ',')
		}
		one := &e.categories[categoryOf(key)]
		dst = append(dst, one.before[locale]...)
		dst = strconv.AppendUint(dst, key>>8, 10)
		dst = append(dst, one.after...)
	}
	return append(dst, ']')
}
