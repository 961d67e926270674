// Package meaning finds the words of a query that name a value of a filter: a
// country, a language, a category, a place, a genre or a kind of channel.
//
// Its table is made from the vocabularies of a catalog, so that it names only
// values that records have, and from the files in words: names in other
// languages, adjectives, codes and synonyms. Every phrase of the table is folded
// by package fold, as queries are. The table also has each beginning of a longer
// phrase, so that a query is read with about one look-up for each of its words.
//
// A word may have several senses ("georgia" is a country and a state), and most
// names of channels contain words that name something. The package does not
// choose: each sense has a strength, by which search weighs it against the
// reading as a name.
package meaning

import (
	"iter"
	"math/bits"

	"miramundo.dev/shared/catalog/filter"
)

// A Sense is a value of a filter that words name.
type Sense struct {
	Filter filter.ID
	Value  string

	// Strength says how surely the value is meant, from 0 to 255: over 200 for
	// words that mean little else ("brasil", "usa", "in english"), 128 for words
	// that mean it as often as not, under 64 for ordinary words.
	Strength uint8
}

// A Span is a run of words that names something.
type Span struct {
	From, To int       // the words from From up to To, without To
	Senses   []Sense   // the strongest first; never empty, and not to be changed
	Spoken   Languages // the languages that the words belong to; 0 when they say nothing about it
}

// Languages is a set of languages that the words of the table belong to. Its
// codes come from [Meanings.Codes].
type Languages uint64

// Meanings is the table of the words that name values. It is immutable.
type Meanings struct {
	phrases phraseTable
	lists   []uint32 // by phrase: which list of senses; 0 for the beginning of a longer phrase only
	spoken  []uint16 // by phrase: which of sets

	senses []Sense     // list by list, each list once; the first is empty
	ends   []uint32    // by list: where it ends in senses
	sets   []Languages // each once
	codes  []string    // of Languages, by bit
}

// maxPhrase is the length in bytes of the longest phrase in the table.
const maxPhrase = 96

// Append appends to dst every run of words that names something, in the order
// of the first word and then of the length. Words are as package fold returns
// them. It allocates only what dst lacks.
func (m *Meanings) Append(dst []Span, words [][]byte) []Span {
	var buf [maxPhrase]byte
	for from := range words {
		text := buf[:0]
		for to := from; to < len(words); to++ {
			if to > from {
				text = append(text, ' ')
			}
			if len(text)+len(words[to]) > maxPhrase {
				break
			}
			text = append(text, words[to]...)
			number, _, ok := m.phrases.find(text)
			if !ok {
				break
			}
			if list := m.lists[number]; list > 0 {
				dst = append(dst, Span{from, to + 1, m.sensesOf(list), m.sets[m.spoken[number]]})
			}
		}
	}
	return dst
}

// sensesOf returns the senses of a list, which is not the first.
func (m *Meanings) sensesOf(list uint32) []Sense {
	start, end := m.ends[list-1], m.ends[list]
	return m.senses[start:end:end]
}

// Len returns how many phrases the table has, the beginnings of longer ones
// included.
func (m *Meanings) Len() int { return len(m.lists) }

// Codes yields the ISO 639-3 codes of a set of languages.
func (m *Meanings) Codes(set Languages) iter.Seq[string] {
	return func(yield func(string) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(m.codes[bits.TrailingZeros64(uint64(set))]) {
				return
			}
		}
	}
}

// Noise reports whether a folded word says nothing about what is looked for:
// an article or a preposition, or a word such as "live" and "online" that suits
// every channel.
func Noise(word []byte) bool { return noise()[string(word)] }
