package lexicon

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Bounds of what a search that matches nothing may cost.
const (
	maxNear   = 12 // words that are tried in the place of one
	maxParted = 4  // ways to part one word

	maxLetters = 48 // of a word that is compared
)

// Frequency returns how many records a word begins words of, about.
func (l *Lexicon) Frequency(word string) int {
	lo, hi := l.Span([]byte(word))
	return len(l.Docs(lo, hi))
}

// Partings returns where word may be two: the first a word, the second the
// beginning of one; the most frequent pairs first.
func (l *Lexicon) Partings(word string) []int {
	type parting struct{ at, frequency int }
	var list []parting
	for at := range word {
		if at < 2 || len(word)-at < 2 {
			continue
		}
		i, ok := l.whole([]byte(word[:at]))
		if !ok {
			continue
		}
		if f := min(len(l.Docs(i, i+1)), l.Frequency(word[at:])); f > 0 {
			list = append(list, parting{at, f})
		}
	}
	slices.SortStableFunc(list, func(a, b parting) int { return cmp.Compare(b.frequency, a.frequency) })
	var out []int
	for _, p := range list[:min(len(list), maxParted)] {
		out = append(out, p.at)
	}
	return out
}

// Near returns the words that are at most a few letters from word, the nearest
// first, then the most frequent. A word of fewer than 4 letters is left alone;
// one letter may differ, from 9 letters on two. So is one that is longer than
// words are, which would take long to compare.
func (l *Lexicon) Near(word string) []string {
	letters := []rune(word)
	most := 0
	switch {
	case len(letters) > maxLetters:
		return nil
	case len(letters) >= 9:
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

type candidate struct{ word, distance, frequency int }

// A nearer walks the words as the tree that their order makes of them, with
// the distances of each beginning of word to the beginning that they share: a
// branch is left when all are too large.
type nearer struct {
	l     *Lexicon
	word  []rune
	most  int
	found []candidate

	// Of the beginning that is looked at, by how many letters it has: its edit
	// distances to every beginning of the word, and its last letter.
	rows    [][]int
	letters []rune
}

func newNearer(l *Lexicon, word []rune, most int) *nearer {
	deep, wide := len(word)+most+2, len(word)+1 // of more letters every distance is too large
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

// walk visits the words from lo up to hi, which share size bytes that are depth
// letters.
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

// step fills in the distances after one more letter, which makes depth of them,
// and returns the least.
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
			d = min(d, n.rows[depth-2][i-1]+1) // two letters in each other's place
		}
		next[i+1] = d
		least = min(least, d)
	}
	return least
}
