// Package lexicon knows the words of the catalog: which records have each, which
// words begin alike, and which a person may have meant.
package lexicon

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/snapshot"
)

// A Lexicon knows which records have each word, and each beginning of words.
type Lexicon struct {
	words snapshot.Words
	n     int // records
	ready []wordSet
}

// A wordSet is the records of the words from lo up to hi, kept ready because
// joining the lists of the words at each search would take long.
type wordSet struct {
	lo, hi int
	docset.Set
}

// minReady is how many entries words with one beginning have together before
// the set of their records is kept ready.
const minReady = 1024

// New returns the lexicon of the words of n records. It keeps w.
func New(w snapshot.Words, n int) *Lexicon {
	l := &Lexicon{words: w, n: n}
	l.prepare(0, l.words.Tokens.Len(), nil)
	slices.SortFunc(l.ready, compareSpans)
	return l
}

func compareSpans(a, b wordSet) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi)) }

// prepare keeps ready the sets of the beginnings that are longer than prefix,
// which the words from lo up to hi have.
func (l *Lexicon) prepare(lo, hi int, prefix []byte) {
	all := hi - lo
	for lo < hi {
		word := l.words.Tokens.At(uint32(lo))
		if len(word) == len(prefix) {
			lo++ // the word is the prefix itself
			continue
		}
		longer := word[:len(prefix)+1]
		end := lo + l.past(lo, hi, longer)
		if n := len(l.Docs(lo, end)); n >= minReady && (end-lo > 1 || n > l.n/docset.HeavyShare) {
			if end-lo < all || len(prefix) == 0 {
				l.keep(lo, end)
			}
			l.prepare(lo, end, longer)
		}
		lo = end
	}
}

func (l *Lexicon) keep(lo, hi int) {
	bits := docset.NewBits(l.n)
	bits.AddAll(l.Docs(lo, hi))
	l.ready = append(l.ready, wordSet{lo, hi, docset.BitsSet(bits, l.n)})
}

// past returns how many of the words from lo up to hi, which is where they
// may end, begin with prefix.
func (l *Lexicon) past(lo, hi int, prefix []byte) int {
	return sort.Search(hi-lo, func(i int) bool {
		return !bytes.HasPrefix(l.words.Tokens.At(uint32(lo+i)), prefix)
	})
}

// Docs returns the records of the words from lo up to hi, word by word.
func (l *Lexicon) Docs(lo, hi int) []uint32 {
	if lo == hi {
		return nil
	}
	start := uint32(0)
	if lo > 0 {
		start = l.words.Ends[lo-1]
	}
	return l.words.Docs[start:l.words.Ends[hi-1]:l.words.Ends[hi-1]]
}

// Ready returns the set of the words from lo up to hi when it is kept ready.
func (l *Lexicon) Ready(lo, hi int) (docset.Set, bool) {
	i, ok := slices.BinarySearchFunc(l.ready, wordSet{lo: lo, hi: hi}, compareSpans)
	if !ok {
		return docset.Set{}, false
	}
	return l.ready[i].Set, true
}

// Span returns which words begin with prefix.
func (l *Lexicon) Span(prefix []byte) (lo, hi int) {
	lo = l.search(0, prefix)
	hi = lo
	for step := 1; hi < l.words.Tokens.Len() && bytes.HasPrefix(l.words.Tokens.At(uint32(hi)), prefix); step *= 2 {
		lower := hi
		hi = min(hi+step, l.words.Tokens.Len())
		if hi == l.words.Tokens.Len() || !bytes.HasPrefix(l.words.Tokens.At(uint32(hi)), prefix) {
			return lo, lower + l.past(lower, hi, prefix)
		}
	}
	return lo, hi
}

// search returns the first word from lo on that is not below word.
func (l *Lexicon) search(lo int, word []byte) int {
	hi := l.words.Tokens.Len()
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if bytes.Compare(l.words.Tokens.At(uint32(mid)), word) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// whole returns the position of a word.
func (l *Lexicon) whole(word []byte) (int, bool) {
	i := l.search(0, word)
	return i, i < l.words.Tokens.Len() && bytes.Equal(l.words.Tokens.At(uint32(i)), word)
}
