package search

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"

	"miramundo.dev/shared/catalog/index/layout/recordtext"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// Relevance ranks the matches of a search for words by one number for each, the
// lowest first: how the name matches, in the highest bits (the constants below);
// then the merit of the record, which is 32 when it plays, up to 25 for its
// measured score and up to 32 for its votes, by their logarithm; then the number
// of the record, which is its place by name. Names that the whole query begins are a span of records,
// because records are in the order of names; alternative names are found by their
// hashes. Only when these do not fill the page are the words of the names of all
// matches compared.

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
func (e *Engine) pageByRelevance(s *scratch, res *result, skip, limit int) {
	list := res.all(s)
	exact, end := e.named(s)
	e.findOthers(s)
	s.ranks = s.ranks[:0]
	for _, doc := range list {
		if m := e.matchAll(s, doc, exact, end); m <= matchStart {
			s.ranks = append(s.ranks, e.relevance(doc, m))
		}
	}
	if len(s.ranks) < skip+limit { // else the others come later
		s.ranks = s.ranks[:0]
		for _, doc := range list {
			m := e.matchAll(s, doc, exact, end)
			if m == matchOther {
				m = e.matchWords(s, doc)
			}
			s.ranks = append(s.ranks, e.relevance(doc, m))
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
func (e *Engine) named(s *scratch) (exact, start nameSpan) {
	recordtext.Hyphenate(s.folded)
	slug := func(i int) []byte { return e.ix.Texts(uint32(i)).Part[recordtext.Slug] }
	from := sort.Search(e.ix.N, func(i int) bool { return bytes.Compare(slug(i), s.folded) >= 0 })
	same := sort.Search(e.ix.N-from, func(i int) bool { return !bytes.Equal(slug(from+i), s.folded) })
	to := sort.Search(e.ix.N-from, func(i int) bool { return !bytes.HasPrefix(slug(from+i), s.folded) })
	return nameSpan{uint32(from), uint32(from + same)}, nameSpan{uint32(from), uint32(from + to)}
}

// matchAll says how the whole query matches a name of doc; matchOther when it
// matches none.
func (e *Engine) matchAll(s *scratch, doc uint32, exact, start nameSpan) int {
	switch {
	case exact.has(doc):
		if bytes.Equal(e.ix.Texts(doc).Part[recordtext.Name], s.typed) {
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
func (e *Engine) findOthers(s *scratch) {
	s.others = s.others[:0]
	s.name = append(s.name[:0], s.folded...)
	hash := uint64(snapshot.Hash(recordtext.Unhyphenate(s.name)))
	at, _ := slices.BinarySearch(e.ix.AltNameHashes, hash<<32)
	for ; at < len(e.ix.AltNameHashes) && e.ix.AltNameHashes[at]>>32 == hash; at++ {
		if doc := uint32(e.ix.AltNameHashes[at]); e.isOtherName(s, doc) {
			s.others = append(s.others, doc)
		}
	}
}

// isOtherName reports whether the query is an alternative name of doc.
func (e *Engine) isOtherName(s *scratch, doc uint32) bool {
	for rest := e.ix.Texts(doc).Part[recordtext.AltNames]; len(rest) > 1; {
		var name []byte
		name, rest = layout.NextElement(rest)
		s.name = recordtext.Hyphenate(fold.AppendWords(s.name[:0], jsontext.Text(name)))
		if bytes.Equal(s.name, s.folded) {
			return true
		}
	}
	return false
}

// matchWords says how the words of the query match the name of doc.
func (e *Engine) matchWords(s *scratch, doc uint32) int {
	name := e.ix.Texts(doc).Part[recordtext.Slug]
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
func (e *Engine) relevance(doc uint32, match int) uint64 {
	merit := 0
	if e.now.Playable.Has(doc) {
		merit += 32
	}
	if e.now.Scores != nil {
		merit += int(e.now.Scores[doc]) / 4
	}
	if e.ix.Radio.Has(doc) {
		merit += bits.Len32(e.ix.Stations.Votes[e.ix.Rows[doc].Station])
	}
	return uint64(match)<<56 | uint64(255-merit)<<32 | uint64(doc)
}
