// Package brand decides whether two names can belong to one radio station.
//
// Listeners name a station as they please ("RNE Radio 3" and "RTVE Radio 3",
// "LOR'FM" and "LORFM 92.1", "Радио Мята" and "Radio Myata"), and the register of
// stations gives the same stream address to stations that have nothing in common,
// by mistake or by a relay. Names are therefore compared by their cores: folded,
// romanized, without words that any station could have (radio, fm, live, mp3) and
// without frequencies. Two cores agree when one is the other in another spelling,
// or when enough of the shorter one is in the longer one.
//
// A core may be empty, as in "Radio" or "98.5 FM"; such a name agrees only with
// itself. Small numbers distinguish programmes ("Radio 1", "Radio 2"): two names
// that each have one, and none in common, do not agree.
package brand

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/translit"
)

// Threshold is the likeness from which two names belong to one station. Of 200
// pairs of names that share a stream address in the real register, labelled by
// hand, 171 are of one station. From this likeness on, 140 of those agree, and 2
// of the others; at 0.4 it is 144 and 3, at 0.6 129 and 2. A pair that is missed is
// shown as two stations, which is the lesser mistake.
const Threshold = 0.5

// A Name is a name prepared for comparison.
type Name struct {
	words   string   // folded
	native  core     // in its own script
	latin   core     // romanized
	numbers []string // short numbers in the name
	script  script
	address bool // the name is a URL, which says nothing about the brand
}

// A core is the distinctive words of a name.
type core struct {
	words  []string
	joined []rune // in one word
}

// A script says how a name can be compared.
type script int

const (
	latin   script = iota
	foreign        // alphabets that are romanized letter by letter
	han            // compared by its characters, since romanized words are all alike
)

// commonWords are words that say nothing about which station a name means:
// kinds of station, articles, and how a stream is encoded.
const commonWords = `radio radyo raadio radijo radyosu radios webradio rundfunk hoerfunk emisora estacion station sender channel kanal
fm am dab mhz khz mw lw ukw
the a la le el il lo los las les l de der die das du des do da dos of and et e y en in im on and
live livestream stream streaming online web internet direct vivo ao uzivo onair listen official oficial playlist
hd hq lq uhq high low quality stereo mono mp3 aac aacp aacplus flac ogg vorbis opus hls m3u8 m3u pls kbps kbit kbits kb bit bits
http https www com net org tv fi`

// hanCommonWords are the like in Chinese: broadcasting, people's, station,
// frequency.
var hanCommonWords = strings.NewReplacer(
	"广播电台", "", "广播电视台", "", "人民广播", "", "广播", "", "电台", "", "频率", "", "廣播", "", "電台", "", "频道", "", "之声", "", "台", "")

var common = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(commonWords) {
		words[word] = true
	}
	return words
})

// Of prepares a name.
func Of(name string) *Name {
	n := &Name{words: fold.Words(name), script: scriptOf(name), address: IsAddress(name)}
	text := withoutFrequencies(hanCommonWords.Replace(name))
	n.native, n.numbers = coreOf(fold.Words(text))
	if n.latin = n.native; n.script != latin {
		n.latin, _ = coreOf(romanize(text))
	}
	return n
}

// IsAddress reports whether a name has an address in it. It then says nothing
// about the brand, and agrees with every name.
func IsAddress(name string) bool { return strings.Contains(name, "://") }

// coreOf returns the core of folded words, and the short numbers in it. Where
// nothing distinctive is left, all words are the core.
func coreOf(words string) (c core, numbers []string) {
	var rest []string
	for word := range strings.FieldsSeq(words) {
		if common()[word] {
			continue
		}
		for _, part := range parts(withoutAffixes(word)) {
			switch {
			case !isNumber(part):
				if !common()[part] {
					c.words = append(c.words, part)
				}
			case len(part) <= 2:
				numbers = append(numbers, part)
				c.words = append(c.words, part)
			default: // a frequency without its point, a bit rate, a year
				rest = append(rest, part)
			}
		}
	}
	switch {
	case len(c.words) == 0 && len(rest) > 0:
		c.words = rest
	case len(c.words) == 0:
		c.words = strings.Fields(words)
	}
	c.joined = []rune(strings.Join(c.words, ""))
	return c, numbers
}

// withoutAffixes returns word without a "radio" or "fm" that is written in one
// word with the name.
func withoutAffixes(word string) string {
	for _, cut := range []func(string) string{
		func(s string) string { return strings.TrimPrefix(s, "radio") },
		func(s string) string { return strings.TrimSuffix(s, "radio") },
		func(s string) string { return strings.TrimSuffix(s, "fm") },
	} {
		if rest := cut(word); rest != "" {
			word = rest
		}
	}
	return word
}

func romanize(name string) string {
	if spellings := translit.Latin(name); len(spellings) > 0 {
		return spellings[0]
	}
	return fold.Words(name)
}

func scriptOf(name string) script {
	found := latin
	for _, r := range name {
		switch {
		case unicode.Is(unicode.Han, r):
			return han
		case unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r):
			found = foreign
		}
	}
	return found
}

// withoutFrequencies returns name without numbers that have a decimal point,
// such as "104.7" and "93,5".
func withoutFrequencies(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		size := frequency(name[i:])
		if size == 0 {
			r, n := utf8.DecodeRuneInString(name[i:])
			b.WriteRune(r)
			i += n
			continue
		}
		b.WriteByte(' ')
		i += size
	}
	return b.String()
}

// frequency returns the length of the number with a decimal point that s begins
// with, or 0.
func frequency(s string) int {
	whole := digits(s)
	if whole < 2 || whole > 3 || whole+1 >= len(s) || s[whole] != '.' && s[whole] != ',' {
		return 0
	}
	if part := digits(s[whole+1:]); part > 0 && part <= 3 {
		return whole + 1 + part
	}
	return 0
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func isNumber(word string) bool { return digits(word) == len(word) }

// parts splits words also where letters and digits meet, as in "3fm" and "90s".
func parts(words string) []string {
	var list []string
	for word := range strings.FieldsSeq(words) {
		for len(word) > 0 {
			n := digits(word)
			if n == 0 {
				for n < len(word) && digits(word[n:]) == 0 {
					n++
				}
			}
			list = append(list, word[:n])
			word = word[n:]
		}
	}
	return list
}

// Likeness returns how much of the shorter core is in the longer one, or how
// alike they are spelled, from 0 for nothing to 1 for all.
func (n *Name) Likeness(o *Name) float64 {
	if n.words == o.words || n.address || o.address {
		return 1
	}
	if differ(n.numbers, o.numbers) {
		return 0
	}
	if n.script == han && o.script == han {
		a, b := n.native.joined, o.native.joined
		return max(pairs(a, b), within(string(a), string(b), minHan*len("中")))
	}
	a, b := n.latin, o.latin
	return max(shared(a.words, b.words), pairs(a.joined, b.joined), within(string(a.joined), string(b.joined), minLatin))
}

// Agree reports whether two names can belong to one station.
func (n *Name) Agree(o *Name) bool { return n.Likeness(o) >= Threshold }

// SameScript reports whether the names can be compared without romanization,
// which is a guess.
func (n *Name) SameScript(o *Name) bool { return n.script == o.script }

// differ reports whether both lists have numbers, and none in common.
func differ(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// shared returns the share of the letters of the shorter core that are in words
// of the longer one.
func shared(a, b []string) float64 {
	switch n, m := length(a), length(b); {
	case n < m:
		return contained(a, b)
	case n > m:
		return contained(b, a)
	}
	return min(contained(a, b), contained(b, a)) // the same in either order
}

// contained returns the share of the letters of a that are in words of b.
func contained(a, b []string) float64 {
	found := 0
	for _, word := range a {
		if slices.ContainsFunc(b, func(other string) bool { return alike(word, other) }) {
			found += len(word)
		}
	}
	return float64(found) / float64(max(1, length(a)))
}

func length(core []string) int {
	n := 0
	for _, word := range core {
		n += len(word)
	}
	return n
}

// alike reports whether two words are spellings of one: equal, one letter apart,
// or one the beginning of the other.
func alike(a, b string) bool {
	const minStem, minTypo = 4, 5
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= minStem && strings.HasPrefix(b, a) || len(a) >= minTypo && oneApart(a, b)
}

// oneApart reports whether b is a with one byte inserted or replaced. A is not
// longer than b.
func oneApart(a, b string) bool {
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i < len(a) && a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}

// pairs returns the likeness of two words by the pairs of letters that they
// share (Dice's coefficient).
func pairs(a, b []rune) float64 {
	if slices.Equal(a, b) && len(a) > 0 {
		return 1
	}
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	count := map[[2]rune]int{}
	for i := range len(a) - 1 {
		count[[2]rune{a[i], a[i+1]}]++
	}
	both := 0
	for i := range len(b) - 1 {
		if p := [2]rune{b[i], b[i+1]}; count[p] > 0 {
			count[p]--
			both++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b)-2)
}

// Letters from which a part of a core is not in another by chance.
const minHan, minLatin = 3, 4

// within returns 1 when one word is a part of the other, of at least size bytes.
func within(a, b string, size int) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) >= size && strings.Contains(b, a) {
		return 1
	}
	return 0
}

// Distinctive reports whether the name is unlikely to be that of two stations.
func (n *Name) Distinctive() bool { return len(n.latin.joined) >= 8 }

// In reports whether an address names the brand: one of the longer words of its
// core, or the core as a whole, is in the letters of the address.
func (n *Name) In(address string) bool {
	const minWord, minCore = 4, 3
	text := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, address)
	if len(n.latin.joined) >= minCore && strings.Contains(text, string(n.latin.joined)) {
		return true
	}
	return slices.ContainsFunc(n.latin.words, func(word string) bool { return len(word) >= minWord && strings.Contains(text, word) })
}
