package index

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/snapshot"
)

// A lexicon knows which records have each word, and each beginning of words.
type lexicon struct {
	snapshot.Words
	n     int // records
	ready []wordSet
}

// A wordSet is the records of the words from lo up to hi, kept ready because
// joining the lists of the words at each search would take long.
type wordSet struct {
	lo, hi int
	set
}

// minReady is how many entries words with one beginning have together before
// the set of their records is kept ready.
const minReady = 1024

func newLexicon(w snapshot.Words, n int) lexicon {
	l := lexicon{Words: w, n: n}
	l.prepare(0, l.Tokens.Len(), nil)
	slices.SortFunc(l.ready, compareSpans)
	return l
}

func compareSpans(a, b wordSet) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi)) }

// prepare keeps ready the sets of the beginnings that are longer than prefix,
// which the words from lo up to hi have.
func (l *lexicon) prepare(lo, hi int, prefix []byte) {
	all := hi - lo
	for lo < hi {
		word := l.Tokens.At(uint32(lo))
		if len(word) == len(prefix) {
			lo++ // the word is the prefix itself
			continue
		}
		longer := word[:len(prefix)+1]
		end := lo + l.past(lo, hi, longer)
		if n := len(l.docs(lo, end)); n >= minReady && (end-lo > 1 || n > l.n/heavyShare) {
			if end-lo < all || len(prefix) == 0 {
				l.keep(lo, end)
			}
			l.prepare(lo, end, longer)
		}
		lo = end
	}
}

func (l *lexicon) keep(lo, hi int) {
	bits := docset.NewBits(l.n)
	bits.AddAll(l.docs(lo, hi))
	s := set{size: bits.Count()}
	if s.size <= l.n/driverShare {
		s.list = bits.Append(make([]uint32, 0, s.size))
	}
	if s.size > l.n/heavyShare {
		s.bits = bits
	}
	l.ready = append(l.ready, wordSet{lo, hi, s})
}

// past returns how many of the words from lo up to hi, which is where they
// may end, begin with prefix.
func (l *lexicon) past(lo, hi int, prefix []byte) int {
	return sort.Search(hi-lo, func(i int) bool {
		return !bytes.HasPrefix(l.Tokens.At(uint32(lo+i)), prefix)
	})
}

// docs returns the records of the words from lo up to hi, word by word.
func (l *lexicon) docs(lo, hi int) []uint32 {
	if lo == hi {
		return nil
	}
	start := uint32(0)
	if lo > 0 {
		start = l.Ends[lo-1]
	}
	return l.Docs[start:l.Ends[hi-1]:l.Ends[hi-1]]
}

// find returns the set of the words from lo up to hi when it is kept ready.
func (l *lexicon) find(lo, hi int) (set, bool) {
	i, ok := slices.BinarySearchFunc(l.ready, wordSet{lo: lo, hi: hi}, compareSpans)
	if !ok {
		return set{}, false
	}
	return l.ready[i].set, true
}

// span returns which words begin with prefix.
func (l *lexicon) span(prefix []byte) (lo, hi int) {
	lo = l.search(0, prefix)
	hi = lo
	for step := 1; hi < l.Tokens.Len() && bytes.HasPrefix(l.Tokens.At(uint32(hi)), prefix); step *= 2 {
		lower := hi
		hi = min(hi+step, l.Tokens.Len())
		if hi == l.Tokens.Len() || !bytes.HasPrefix(l.Tokens.At(uint32(hi)), prefix) {
			return lo, lower + l.past(lower, hi, prefix)
		}
	}
	return lo, hi
}

// search returns the first word from lo on that is not below word.
func (l *lexicon) search(lo int, word []byte) int {
	hi := l.Tokens.Len()
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if bytes.Compare(l.Tokens.At(uint32(mid)), word) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// whole returns the position of a word.
func (l *lexicon) whole(word []byte) (int, bool) {
	i := l.search(0, word)
	return i, i < l.Tokens.Len() && bytes.Equal(l.Tokens.At(uint32(i)), word)
}
