// Package numeral maps the words for small numbers to their values and back.
//
// Channels are numbered in words as often as in digits: BBC One, Antena Trei,
// Rai Uno. The table holds folded words (package fold) of the languages that
// number their channels this way. A word with the same spelling in several
// languages has one value; where languages disagree ("to" is two in Danish and
// a preposition in English) the word is weak.
package numeral

import (
	"strings"

	"miramundo.dev/shared/catalog/fold"
)

// Numeral is the value of a word for a number.
type Numeral struct {
	Value uint8
	// Weak is set for a word that is more often not a number in some language,
	// such as "un", "sex" or "v". Callers should require more evidence before
	// they read it as one: a neighbouring word that is not weak, or a name that
	// has the digit in this place.
	Weak bool
}

// Of returns the number that a folded word spells. It does not allocate.
func Of(word []byte) (n Numeral, ok bool) {
	if len(word) > longest {
		return Numeral{}, false
	}
	n, ok = values[string(word)]
	return n, ok
}

// Words returns the folded words for a number, English first and weak ones
// last. It is nil for a number that has no words here. Callers must not change
// the slice.
func Words(value uint8) []string { return spellings[value] }

// longest is the length of the longest word, in bytes.
var longest int

// values and spellings are the table in both directions.
var values, spellings = func() (map[string]Numeral, map[uint8][]string) {
	values, spellings := map[string]Numeral{}, map[uint8][]string{}
	add := func(value uint8, words string, weak bool) {
		for word := range strings.FieldsSeq(fold.Words(words)) {
			if _, ok := values[word]; ok {
				continue
			}
			values[word] = Numeral{value, weak}
			spellings[value] = append(spellings[value], word)
			longest = max(longest, len(word))
		}
	}
	for _, row := range table {
		add(row.value, row.words, false)
	}
	for _, row := range table {
		add(row.value, row.weak, true)
	}
	return values, spellings
}()
