package index

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// How well a name matches, the best first.
const (
	matchSame       = iota // the query is the name, letter by letter
	matchExact             // the query is the name
	matchExactOther        // the query is an alternative name
	matchStart             // the name begins with the query
	matchWhole             // the words of the query are words of the name
	matchPrefix            // the words of the query begin words of the name
	matchOther             // other names were needed
)

// pageByRelevance fills s.page with the records that match best: by how their
// names match, then by whether they play, their measured score and their
// votes, then by name.
func (v *View) pageByRelevance(s *scratch, res *result, skip, limit int) {
	list := res.all(s)
	exact, end := v.ix.named(s)
	v.ix.findOthers(s)
	s.ranks = s.ranks[:0]
	for _, doc := range list {
		if m := v.ix.matchAll(s, doc, exact, end); m <= matchStart {
			s.ranks = append(s.ranks, v.relevance(doc, m))
		}
	}
	if len(s.ranks) < skip+limit { // else the others come later
		s.ranks = s.ranks[:0]
		for _, doc := range list {
			m := v.ix.matchAll(s, doc, exact, end)
			if m == matchOther {
				m = v.ix.matchWords(s, doc)
			}
			s.ranks = append(s.ranks, v.relevance(doc, m))
		}
	}
	ranks := firstSorted(s.ranks, skip+limit)
	for _, key := range ranks[min(skip, len(ranks)):] {
		s.page = append(s.page, uint32(key))
	}
}

// all returns the records of r, ascending: in the memory of s when they are not
// a list already. Such a list may be a part of the index, which s must not take
// for its own.
func (r *result) all(s *scratch) []uint32 {
	if r.bits == nil {
		return r.list
	}
	s.list = r.bits.Append(s.list[:0])
	return s.list
}

// A nameSpan is the records from from up to to.
type nameSpan struct{ from, to uint32 }

func (n nameSpan) has(doc uint32) bool { return n.from <= doc && doc < n.to }

// named returns the records whose name is the query, and those whose name
// begins with it. Both are in one place, because records are in the order of
// their names.
func (ix *Index) named(s *scratch) (exact, start nameSpan) {
	hyphenated(s.folded)
	slug := func(i int) []byte { return ix.texts(uint32(i)).part[ownSlug] }
	from := sort.Search(ix.n, func(i int) bool { return bytes.Compare(slug(i), s.folded) >= 0 })
	same := sort.Search(ix.n-from, func(i int) bool { return !bytes.Equal(slug(from+i), s.folded) })
	to := sort.Search(ix.n-from, func(i int) bool { return !bytes.HasPrefix(slug(from+i), s.folded) })
	return nameSpan{uint32(from), uint32(from + same)}, nameSpan{uint32(from), uint32(from + to)}
}

// matchAll says how the whole query matches a name of doc; matchOther when it
// matches none.
func (ix *Index) matchAll(s *scratch, doc uint32, exact, start nameSpan) int {
	switch {
	case exact.has(doc):
		if bytes.Equal(ix.texts(doc).part[ownName], s.typed) {
			return matchSame
		}
		return matchExact
	case slices.Contains(s.others, doc):
		return matchExactOther
	case start.has(doc):
		return matchStart
	}
	return matchOther
}

// findOthers fills s.others with the records that the query is an alternative
// name of.
func (ix *Index) findOthers(s *scratch) {
	s.others = s.others[:0]
	s.name = append(s.name[:0], s.folded...)
	hash := uint64(snapshot.Hash(spaced(s.name)))
	at, _ := slices.BinarySearch(ix.otherNames, hash<<32)
	for ; at < len(ix.otherNames) && ix.otherNames[at]>>32 == hash; at++ {
		if doc := uint32(ix.otherNames[at]); ix.isOtherName(s, doc) {
			s.others = append(s.others, doc)
		}
	}
}

// isOtherName reports whether the query is an alternative name of doc.
func (ix *Index) isOtherName(s *scratch, doc uint32) bool {
	for rest := ix.texts(doc).part[ownAltNames]; len(rest) > 1; {
		var name []byte
		name, rest = nextElement(rest)
		s.name = hyphenated(fold.AppendWords(s.name[:0], jsontext.Text(name)))
		if bytes.Equal(s.name, s.folded) {
			return true
		}
	}
	return false
}

// nextElement parts the elements of an array of strings after the first.
func nextElement(elements []byte) (text, rest []byte) {
	end := 1
	for elements[end] != '"' {
		if elements[end] == '\\' {
			end++
		}
		end++
	}
	return elements[1:end], elements[min(len(elements), end+2):]
}

// matchWords says how the words of the query match the name of doc.
func (ix *Index) matchWords(s *scratch, doc uint32) int {
	name := ix.texts(doc).part[ownSlug]
	worst := matchWhole
	for _, word := range s.words {
		worst = max(worst, matchWord(name, word))
	}
	return worst
}

// matchWord says how word matches the words of name, which hyphens part. A
// word of the query may be several of the name written as one.
func matchWord(name, word []byte) int {
	best := matchOther
	for at := 0; at < len(name); {
		if m := matchAt(name[at:], word); m < best {
			best = m
			if best == matchWhole {
				break
			}
		}
		next := bytes.IndexByte(name[at:], '-')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return best
}

func matchAt(name, word []byte) int {
	i := 0
	for _, c := range word {
		if i < len(name) && name[i] == '-' {
			i++
		}
		if i == len(name) || name[i] != c {
			return matchOther
		}
		i++
	}
	if i == len(name) || name[i] == '-' {
		return matchWhole
	}
	return matchPrefix
}

// relevance returns a key that is lower for what should come first.
func (v *View) relevance(doc uint32, match int) uint64 {
	merit := 0
	if v.playable.Has(doc) {
		merit += 32
	}
	if v.scores != nil {
		merit += int(v.scores[doc]) / 4
	}
	if v.ix.radio.Has(doc) {
		merit += bits.Len32(v.ix.stations.votes[v.ix.rows[doc].station])
	}
	return uint64(match)<<56 | uint64(255-merit)<<32 | uint64(doc)
}
