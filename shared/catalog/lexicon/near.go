package lexicon

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// A search without matches is tried again with other words: with one word split
// in two, or with words that resemble a misspelled one. Resemblance is the edit
// distance of Damerau and Levenshtein, with a letter inserted, deleted or
// replaced, or two neighbours swapped, for 1 each. The sorted words are walked
// as a tree of prefixes: one row of the distance matrix is computed for each
// letter of a prefix, and a prefix whose row exceeds the limit everywhere is
// left with all its words.

// Bounds of the cost of a search without matches.
const (
	maxNear   = 12 // words that are tried in place of a word
	maxParted = 4  // ways to split a word

	maxLetters = 48 // letters of a word that is compared
)

// Frequency returns about how many records have a word that begins with word.
// Records with several of these words are counted several times.
func (l *Lexicon) Frequency(word []byte) int {
	lo, hi := l.Span(word)
	return len(l.Docs(lo, hi))
}

// Partings adds to dst the positions, in bytes, at which word can be split into a
// word of the catalog and the prefix of another, the most frequent pairs first.
// Both parts have two bytes at least.
func (l *Lexicon) Partings(dst []int, word []byte) []int {
	type parting struct{ at, frequency int }
	var room [maxParted + 1]parting
	list := room[:0]
	for at := range word {
		if at < 2 || len(word)-at < 2 || !utf8.RuneStart(word[at]) {
			continue
		}
		i, ok := l.whole(word[:at])
		if !ok {
			continue
		}
		if f := min(len(l.Docs(i, i+1)), l.Frequency(word[at:])); f > 0 {
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

// Near returns the words of the catalog within an edit distance of word, the
// nearest first, then the most frequent, at most maxNear. The distance is 1 for
// words of 4 to 6 letters and 2 for longer ones. For words of fewer than 4
// letters, which resemble too many, and of more than maxLetters it returns nil.
// Words with another first letter are tried only when no other word is near.
func (l *Lexicon) Near(word string) []string {
	letters := []rune(word)
	most := 0
	switch {
	case len(letters) > maxLetters:
		return nil
	case len(letters) >= 7:
		most = 2
	case len(letters) >= 4:
		most = 1
	default:
		return nil
	}
	n := newNearer(l, letters, most)
	first := string(letters[:1])
	lo, hi := l.Span([]byte(first))
	n.walk(lo, hi, 0, 0) // the first letter is seldom wrong
	if len(n.found) == 0 {
		n.walk(0, l.words.Tokens.Len(), 0, 0)
	}
	slices.SortStableFunc(n.found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(b.frequency, a.frequency))
	})
	var out []string
	for _, c := range n.found[:min(len(n.found), maxNear)] {
		out = append(out, string(l.words.Tokens.At(uint32(c.word))))
	}
	return out
}

// A candidate is a word by its position, with its distance and its records.
type candidate struct{ word, distance, frequency int }

// A nearer walks the tree of prefixes in search of one word.
type nearer struct {
	l     *Lexicon
	word  []rune // the word that is looked for
	most  int    // the greatest distance
	found []candidate

	// By the length of the current prefix, in letters: its distances to each
	// prefix of word, and its last letter.
	rows    [][]int
	letters []rune
}

func newNearer(l *Lexicon, word []rune, most int) *nearer {
	deep, wide := len(word)+most+2, len(word)+1 // a longer prefix is always too far
	n := &nearer{l: l, word: word, most: most, rows: make([][]int, deep), letters: make([]rune, deep)}
	all := make([]int, deep*wide)
	for i := range n.rows {
		n.rows[i] = all[i*wide : (i+1)*wide]
	}
	for i := range n.rows[0] {
		n.rows[0][i] = i
	}
	return n
}

// walk visits the words from lo up to hi, whose common prefix has size bytes and
// depth letters.
func (n *nearer) walk(lo, hi, size, depth int) {
	for lo < hi {
		word := n.l.words.Tokens.At(uint32(lo))
		if len(word) == size {
			if dist := n.rows[depth][len(n.word)]; dist <= n.most {
				n.found = append(n.found, candidate{lo, dist, len(n.l.Docs(lo, lo+1))})
			}
			lo++
			continue
		}
		letter, width := utf8.DecodeRune(word[size:])
		end := lo + n.l.past(lo, hi, word[:size+width])
		if n.step(depth+1, letter) <= n.most {
			n.walk(lo, end, size+width, depth+1)
		}
		lo = end
	}
}

// step fills in the row of a prefix of depth letters, the last of which is
// letter, and returns its least distance.
func (n *nearer) step(depth int, letter rune) int {
	next, last := n.rows[depth], n.rows[depth-1]
	n.letters[depth] = letter
	next[0] = last[0] + 1
	least := next[0]
	for i, c := range n.word {
		cost := 1
		if c == letter {
			cost = 0
		}
		d := min(last[i]+cost, last[i+1]+1, next[i]+1)
		if i > 0 && depth > 1 && c == n.letters[depth-1] && n.word[i-1] == letter {
			d = min(d, n.rows[depth-2][i-1]+1) // two letters swapped
		}
		next[i+1] = d
		least = min(least, d)
	}
	return least
}
