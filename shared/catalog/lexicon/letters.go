package lexicon

import (
	"slices"
	"unicode/utf8"
)

// What Near finds words by: the set of the letters of each word, the words with
// the same last three letters, and those with the same letters after the first.
// For the words of the real catalog this takes less than 6 bytes a record.

// A letterSet is the set of the letters of a word, by their classes.
type letterSet uint16

// letterClasses are the classes of the ASCII letters and digits. The most frequent
// letters have a class of their own, and each class is about as frequent.
var letterClasses = [16]string{
	"a", "e", "i", "t", "r", "o", "n", "s", "l", "d", "c", "m", "ku05", "hwy16", "vbj27", "pfgxzq3489",
}

var classOf = func() (classes [utf8.RuneSelf]uint8) {
	for class, letters := range letterClasses {
		for _, letter := range letters {
			classes[letter] = uint8(class)
		}
	}
	return classes
}()

// setOf returns the set of letters.
func setOf(letters []rune) letterSet {
	var set letterSet
	for _, letter := range letters {
		class := uint8(letter) % 16
		if letter < utf8.RuneSelf {
			class = classOf[letter]
		}
		set |= 1 << class
	}
	return set
}

// appendLetters appends the letters of word to dst. It reports false when dst
// has no capacity for all of them.
func appendLetters(dst []rune, word []byte) ([]rune, bool) {
	for len(word) > 0 {
		if len(dst) == cap(dst) {
			return dst, false
		}
		letter, width := rune(word[0]), 1
		if letter >= utf8.RuneSelf {
			letter, width = utf8.DecodeRune(word)
		}
		dst, word = append(dst, letter), word[width:]
	}
	return dst, true
}

func isASCII(word []byte) bool {
	for _, c := range word {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// A run is the range of the words that begin with the same three letters.
type run struct{ lo, hi uint32 }

// setLetters computes what Near finds words by.
func (l *Lexicon) setLetters() {
	n := l.words.Tokens.Len()
	l.sets = make([]letterSet, n)
	endings := grouping[uint32]{make([]uint32, 0, n), make([]uint32, 0, n)}
	seconds := grouping[run]{}
	var first [3]rune // letters of the last run
	var letters []rune
	for i := range n {
		word := l.At(i)
		letters, _ = appendLetters(slices.Grow(letters[:0], len(word)), word)
		l.sets[i] = setOf(letters)
		if len(letters) < 3 {
			continue // it is never near
		}
		endings.add(hashOf(letters[len(letters)-3:]), uint32(i))
		if start := [3]rune(letters); start == first && len(seconds.items) > 0 {
			seconds.items[len(seconds.items)-1].hi = uint32(i + 1)
		} else {
			seconds.add(hashOf(start[1:]), run{uint32(i), uint32(i + 1)})
			first = start
		}
	}
	l.endings, l.seconds = endings.table(n), seconds.table(n)
}

// hashOf returns a hash of letters.
func hashOf(letters []rune) uint32 {
	h := uint32(0)
	for _, letter := range letters {
		h = (h + uint32(letter)) * 0x9e3779b1
	}
	return h
}

// A hashTable is lists of items by the hash of some letters. A list may hold items
// of other letters too.
type hashTable[T any] struct {
	shift uint8
	ends  []uint32 // by hash: the end of its items
	items []T
}

func (t *hashTable[T]) at(hash uint32) []T {
	k := hash >> t.shift
	start := uint32(0)
	if k > 0 {
		start = t.ends[k-1]
	}
	return t.items[start:t.ends[k]]
}

// A grouping is items and their hashes, from which a table is made.
type grouping[T any] struct {
	hashes []uint32
	items  []T
}

func (g *grouping[T]) add(hash uint32, item T) {
	g.hashes, g.items = append(g.hashes, hash), append(g.items, item)
}

// table returns the table of the items, with lists for a vocabulary of n words.
func (g *grouping[T]) table(n int) hashTable[T] {
	shift := uint8(31)
	for ; shift > 0 && n > 16<<(32-shift); shift-- {
	}
	t := hashTable[T]{shift, make([]uint32, 1<<(32-shift)), make([]T, len(g.items))}
	for _, h := range g.hashes {
		t.ends[h>>shift]++
	}
	start := uint32(0)
	for k, size := range t.ends {
		t.ends[k] = start // until its items are in place
		start += size
	}
	for i, h := range g.hashes {
		end := &t.ends[h>>shift]
		t.items[*end] = g.items[i]
		*end++
	}
	return t
}
