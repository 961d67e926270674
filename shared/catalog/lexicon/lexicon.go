// Package lexicon looks up the words of the catalog: the records of each, the
// words with a common prefix, and the words that resemble a misspelled one.
//
// Words are sorted, so that the words with a prefix are a range, found by binary
// search, and their records lie together. A search for a prefix must join the
// records of all its words; for short prefixes that would be most of the
// catalog, so that their sets are computed when a snapshot is loaded.
package lexicon

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/snapshot"
)

// A Lexicon finds the records of words and of prefixes. It is immutable, and
// safe for concurrent use.
type Lexicon struct {
	words snapshot.Words
	n     int       // records
	ready []wordSet // by lo, then hi

	sets    []letterSet       // by word
	endings hashTable[uint32] // words by their last three letters
	seconds hashTable[run]    // runs by their second and third letter
}

// A wordSet is the set of the records of the words from lo up to hi, without hi,
// computed in advance.
type wordSet struct {
	lo, hi int
	docset.Set
}

// minReady is the number of entries from which the set of a prefix is computed in
// advance.
const minReady = 2048

// New returns the lexicon of the words of n records. It keeps w, which must not
// be changed.
func New(w snapshot.Words, n int) *Lexicon {
	l := &Lexicon{words: w, n: n}
	l.prepare(0, l.words.Tokens.Len(), nil, docset.NewBits(n), new(spareBits))
	slices.SortFunc(l.ready, compareSpans)
	l.setLetters()
	return l
}

func compareSpans(a, b wordSet) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi)) }

// prepare computes the sets of the frequent prefixes longer than prefix, among
// the words from lo up to hi, which all begin with prefix, and adds the records of
// all these words to all. A prefix with the same words as a shorter one is skipped:
// the range is the same.
func (l *Lexicon) prepare(lo, hi int, prefix []byte, all docset.Bits, spare *spareBits) {
	first := lo
	for lo < hi {
		word := l.words.Tokens.At(uint32(lo))
		if len(word) == len(prefix) { // the word is the prefix itself
			all.AddAll(l.Docs(lo, lo+1))
			lo++
			continue
		}
		longer := word[:len(prefix)+1]
		end := lo + l.past(lo, hi, longer)
		switch n := len(l.Docs(lo, end)); {
		case n < minReady || end-lo == 1 && n <= l.n/docset.HeavyShare:
			all.AddAll(l.Docs(lo, end))
		case lo == first && end == hi && len(prefix) > 0:
			l.prepare(lo, end, longer, all, spare)
		default:
			some := spare.take(l.n)
			l.prepare(lo, end, longer, some, spare)
			all.Or(some)
			set := docset.BitsSet(some, l.n)
			l.ready = append(l.ready, wordSet{lo, end, set})
			if set.Bits == nil {
				*spare = append(*spare, some)
			}
		}
		lo = end
	}
}

// spareBits are bits whose sets are kept as lists. They are used again.
type spareBits []docset.Bits

// take returns an empty set of numbers below n.
func (s *spareBits) take(n int) docset.Bits {
	last := len(*s) - 1
	if last < 0 {
		return docset.NewBits(n)
	}
	b := (*s)[last]
	*s = (*s)[:last]
	clear(b)
	return b
}

// past returns how many of the words from lo up to hi begin with prefix. Those
// that do must come first.
func (l *Lexicon) past(lo, hi int, prefix []byte) int {
	return sort.Search(hi-lo, func(i int) bool {
		return !bytes.HasPrefix(l.words.Tokens.At(uint32(lo+i)), prefix)
	})
}

// Docs returns the records of the words from lo up to hi, word by word: a record
// with several of the words is repeated. It shares the memory of the snapshot.
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

// Ready returns the set of the words from lo up to hi when it was computed in
// advance.
func (l *Lexicon) Ready(lo, hi int) (docset.Set, bool) {
	i, ok := slices.BinarySearchFunc(l.ready, wordSet{lo: lo, hi: hi}, compareSpans)
	if !ok {
		return docset.Set{}, false
	}
	return l.ready[i].Set, true
}

// Span returns the range of the words that begin with prefix, without hi. It is
// empty when no word does.
func (l *Lexicon) Span(prefix []byte) (lo, hi int) {
	lo = l.search(0, l.words.Tokens.Len(), prefix)
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

// search returns the position of the first word, from lo up to hi, that is not
// less than word, or hi.
func (l *Lexicon) search(lo, hi int, word []byte) int {
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

// Frequency returns about how many records have a word that begins with word.
// Records with several of these words are counted several times.
func (l *Lexicon) Frequency(word []byte) int {
	lo, hi := l.Span(word)
	return len(l.Docs(lo, hi))
}

// At returns word i. It shares the memory of the snapshot.
func (l *Lexicon) At(i int) []byte { return l.words.Tokens.At(uint32(i)) }
