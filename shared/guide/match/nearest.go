package match

import (
	"cmp"
	"strings"

	"miramundo.dev/shared/catalog/fold"
)

// The nearest channel is a proposal for the operator, who decides, so it may be
// wrong. Channels that share a word with the name, or its first letters, are
// compared by the pairs of letters that both have.

// A nearest finds channels whose names are like another.
type nearest struct {
	words map[string][]int32 // channels by the folded words and first letters of their names
}

// Bounds of the search for the nearest channel.
const (
	maxOwners = 1500 // of a word; a more common one is left out
	leastLike = 0.6  // share of the pairs of letters that two names must have in common
	firsts    = 4    // letters by which names that are written as one word are found
)

func newNearest(channels []entry) nearest {
	n := nearest{words: map[string][]int32{}}
	for i := range channels {
		for _, name := range channels[i].Names {
			for _, word := range probes(name) {
				if list := n.words[word]; len(list) == 0 || list[len(list)-1] != int32(i) {
					n.words[word] = append(list, int32(i))
				}
			}
		}
	}
	return n
}

// probes returns the words by which a name is found.
func probes(name string) []string {
	words := strings.Fields(fold.Words(name))
	if joined := []rune(strings.Join(words, "")); len(joined) >= firsts {
		words = append(words, " "+string(joined[:firsts]))
	}
	return words
}

// Nearest returns the id and the name of the channel whose name is most like one of
// those of c, in its country if that is known; empty when none is alike.
func (m *Matcher) Nearest(c *Channel) (id, name string) {
	var best float64
	var at int32
	for _, text := range append([]string{nameIn(c.ID)}, c.Names...) {
		in := cmp.Or(c.Country, countryOf(c.ID))
		k := keyOf(text, in)
		in = cmp.Or(k.country, in)
		rest, _ := unmark(text)
		want := pairsOf(strings.TrimSuffix(k.plain, k.shift))
		for _, word := range probes(rest) {
			owners := m.nearest.words[word]
			if len(owners) > maxOwners {
				continue
			}
			for _, n := range owners {
				if like := m.likeness(n, in, want); like > best {
					best, at = like, n
				}
			}
		}
	}
	if best < leastLike {
		return "", ""
	}
	return m.channels[at].ID, m.channels[at].Names[0]
}

// likeness returns how alike the names of channel n are to the pairs of a name, in
// a country, which may be unknown: 1 for the same.
func (m *Matcher) likeness(n int32, in string, want *pairs) (like float64) {
	c := &m.channels[n]
	for _, own := range c.plain {
		like = max(like, want.alike(own))
	}
	_, covered := c.covers[in]
	switch {
	case in == "" || c.Country == in:
		return like
	case covered:
		return 0.95 * like
	}
	return 0.8 * like // of another country
}

// pairs are the pairs of adjacent letters of a text.
type pairs struct {
	has map[[2]rune]bool
	n   int
}

func pairsOf(text string) *pairs {
	p := &pairs{has: map[[2]rune]bool{}}
	last := rune(0)
	for _, r := range text {
		p.has[[2]rune{last, r}] = true
		p.n++
		last = r
	}
	return p
}

// alike returns the share of pairs that a text has in common with p: 1 for the same
// text, 0 for one without any of them.
func (p *pairs) alike(text string) float64 {
	common, n := 0, 0
	last := rune(0)
	for _, r := range text {
		if p.has[[2]rune{last, r}] {
			common++
		}
		n++
		last = r
	}
	if n+p.n == 0 {
		return 0
	}
	return 2 * float64(min(common, p.n)) / float64(n+p.n)
}
