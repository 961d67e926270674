package lexicon

import (
	"bytes"
	"unicode/utf8"
)

const maxParted = 4 // ways to split a word

// Partings adds to dst the positions, in bytes, at which word can be split into a
// word of the catalog and the prefix of another, the most frequent pairs first.
// Both parts have two bytes at least.
func (l *Lexicon) Partings(dst []int, word []byte) []int {
	type parting struct{ at, frequency int }
	var room [maxParted + 1]parting
	list := room[:0]
	first := 0
	end := l.search(0, l.words.Tokens.Len(), word) // beginnings of word come before it, the shortest first
	for at := range word {
		if at < 2 || len(word)-at < 2 || !utf8.RuneStart(word[at]) {
			continue
		}
		first = l.search(first, end, word[:at])
		if first == end {
			break
		}
		if !bytes.Equal(l.At(first), word[:at]) {
			continue
		}
		if f := min(len(l.Docs(first, first+1)), l.Frequency(word[at:])); f > 0 {
			list = append(list, parting{at, f})
			for k := len(list) - 1; k > 0 && list[k-1].frequency < list[k].frequency; k-- {
				list[k-1], list[k] = list[k], list[k-1]
			}
			list = list[:min(len(list), maxParted)]
		}
	}
	for _, p := range list {
		dst = append(dst, p.at)
	}
	return dst
}
