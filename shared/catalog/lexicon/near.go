package lexicon

import (
	"cmp"
	"math/bits"
	"unicode/utf8"
)

// A search that finds little is tried again with words that resemble a misspelled
// one. Resemblance is the edit distance of Damerau and Levenshtein, with a letter
// inserted, deleted or replaced, or two neighbours swapped, for 1 each.
//
// Near compares only words that may be near enough. First it scans the words with
// the same first letter: a bit set of the letters of each (letters.go) excludes
// nearly all of them. When none is near, one of the edits must be at the first
// letter, and the rest of the word has one edit less. It then has letters that
// must be intact, either its last ones or those next to the first, and the words
// with such letters are found in hash tables.

const (
	// MaxNear is how many words Near returns at most.
	MaxNear = 12

	maxLetters = 48 // letters of a word that is compared
	mostEdits  = 2
)

// Near adds to dst the positions of the words within an edit distance of word,
// the nearest first, then the most frequent, at most MaxNear. The distance is 1
// for words of 4 to 6 letters and 2 for longer ones. For words of fewer than 4
// letters, which resemble too many, and of more than maxLetters it adds nothing.
// Words with another first letter are tried only when no other word is near.
func (l *Lexicon) Near(dst []int, word []byte) []int {
	var room [maxLetters]rune
	letters, ok := appendLetters(room[:0], word)
	if !ok || len(letters) < 4 {
		return dst
	}
	s := seeker{l: l, word: word, plain: isASCII(word), letters: letters, set: setOf(letters), most: 1}
	if len(letters) >= 7 {
		s.most = mostEdits
	}
	s.scan(letters[:1]) // the first letter is seldom wrong
	if s.count == 0 {
		s.scanOthers()
	}
	for _, c := range s.best[:s.count] {
		dst = append(dst, c.word)
	}
	return dst
}

// A candidate is a word by its position, with its distance and its records.
type candidate struct{ word, distance, frequency int }

func compareCandidates(a, b candidate) int {
	return cmp.Or(a.distance-b.distance, b.frequency-a.frequency, a.word-b.word)
}

// A seeker looks for the words that are near one word.
type seeker struct {
	l       *Lexicon
	word    []byte // the word that is looked for
	plain   bool   // it is ASCII
	letters []rune // its letters
	set     letterSet
	most    int // the greatest distance

	best  [MaxNear]candidate // in order
	count int
}

// scan tries the words that begin with prefix.
func (s *seeker) scan(prefix []rune) {
	var room [2 * utf8.UTFMax]byte
	start := room[:0]
	for _, letter := range prefix {
		start = utf8.AppendRune(start, letter)
	}
	s.scanSpan(s.l.Span(start))
}

func (s *seeker) scanSpan(lo, hi int) {
	letters, most := s.set, s.most
	for i, set := range s.l.sets[lo:hi] {
		if mayBeNear(letters, set, most) {
			s.try(lo + i)
		}
	}
}

// scanOthers tries all words with another first letter that may be near. Their
// first letter is replaced, deleted, inserted or swapped with the next.
func (s *seeker) scanOthers() {
	a := s.letters
	for _, i := range s.l.endings.at(hashOf(a[len(a)-3:])) {
		if mayBeNear(s.set, s.l.sets[i], s.most) {
			s.try(int(i))
		}
	}
	s.scan([]rune{a[1], a[0]})
	if s.most == 1 {
		return // without another edit, the last letters are intact
	}
	s.scan(a[1:3])       // deleted
	s.scanSecond(a[1:3]) // replaced
	s.scanSecond(a[0:2]) // inserted
}

// scanSecond tries the words with the given letters after the first.
func (s *seeker) scanSecond(letters []rune) {
	for _, sp := range s.l.seconds.at(hashOf(letters)) {
		s.scanSpan(int(sp.lo), int(sp.hi))
	}
}

// mayBeNear reports whether a word with the letters of b may be within a distance
// of one with the letters of a: an edit removes one letter at most, and adds one
// at most. It has a single condition, which is seldom true, because branches
// that cannot be predicted would take most of the time of a scan.
func mayBeNear(a, b letterSet, most int) bool {
	return (most-bits.OnesCount64(uint64(a&^b)))|(most-bits.OnesCount64(uint64(b&^a))) >= 0
}

// try compares word i, and notes it when it is near.
func (s *seeker) try(i int) {
	word := s.l.At(i)
	d := 0
	if s.plain && isASCII(word) {
		d = distance(s.word, word, s.most)
	} else {
		var room [maxLetters + mostEdits]rune
		letters, ok := appendLetters(room[:0], word)
		if !ok {
			return // it is too long
		}
		d = distance(s.letters, letters, s.most)
	}
	if d <= s.most {
		s.note(candidate{i, d, len(s.l.Docs(i, i+1))})
	}
}

// note adds c to the best candidates, unless there are enough better ones. It may
// be called again with the same candidate.
func (s *seeker) note(c candidate) {
	at := s.count
	for ; at > 0; at-- {
		order := compareCandidates(s.best[at-1], c)
		if order == 0 {
			return
		}
		if order < 0 {
			break
		}
	}
	if at == MaxNear {
		return
	}
	s.count = min(s.count+1, MaxNear)
	copy(s.best[at+1:s.count], s.best[at:])
	s.best[at] = c
}

// distance returns the edit distance of a and b, or any number above most when it
// is greater than most. Letters that both begin or end with do not matter; where
// the rest differs first, each edit is tried.
func distance[L byte | rune](a, b []L, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) <= 1 && len(b) <= 1 || len(a) == 0 || len(b) == 0 {
		return max(len(a), len(b))
	}
	swapped := len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
	if swapped && len(a) == 2 && len(b) == 2 {
		return 1
	}
	if most < 2 {
		return most + 1
	}
	least := min(distance(a[1:], b[1:], most-1), distance(a[1:], b, most-1), distance(a, b[1:], most-1))
	if swapped {
		least = min(least, distance(a[2:], b[2:], most-1))
	}
	return 1 + least
}
