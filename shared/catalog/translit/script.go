package translit

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A script is a set of letters that one function romanises.
type script uint8

const (
	latin script = iota // and digits, marks and everything that is not a letter
	cyrillic
	greek
	arabic
	hebrew
	hangul
	kana
	han
	thai
	indic
	other
)

// A language is the alphabet of a text within its script.
type language uint8

const (
	general language = iota // Russian or Arabic, or the only one of the script
	ukrainian
	bulgarian
	serbian
	belarusian
	turkic
	persian
)

// ranges are the letters of each script in the order of the letters.
var ranges = []struct {
	first, last rune
	script      script
}{
	{0x0370, 0x03FF, greek},
	{0x0400, 0x052F, cyrillic},
	{0x0530, 0x058F, other}, // Armenian
	{0x0590, 0x05FF, hebrew},
	{0x0600, 0x06FF, arabic},
	{0x0700, 0x074F, other},
	{0x0750, 0x077F, arabic},
	{0x0780, 0x089F, other},
	{0x08A0, 0x08FF, arabic},
	{0x0900, 0x0D7F, indic},
	{0x0D80, 0x0DFF, other},
	{0x0E00, 0x0E7F, thai},
	{0x0E80, 0x10FF, other}, // Lao, Tibetan, Burmese, Georgian
	{0x1100, 0x11FF, hangul},
	{0x1200, 0x1CFF, other}, // Ethiopic, Khmer, Mongolian
	{0x1F00, 0x1FFF, greek},
	{0x2D00, 0x2DDF, other},
	{0x3005, 0x3007, han},
	{0x3040, 0x30FF, kana},
	{0x3400, 0x9FFF, han},
	{0xA000, 0xA4CF, other},
	{0xAC00, 0xD7AF, hangul},
	{0xF900, 0xFAFF, han},
	{0x20000, 0x3FFFF, han},
}

// scriptOf returns the script of a letter or of a mark of one script.
func scriptOf(r rune) script {
	i, found := slices.BinarySearchFunc(ranges, r, func(g struct {
		first, last rune
		script      script
	}, r rune) int {
		switch {
		case r < g.first:
			return 1
		case r > g.last:
			return -1
		}
		return 0
	})
	if !found || unicode.IsDigit(r) {
		return latin
	}
	return ranges[i].script
}

// joined reports whether a script has no space between words, or not always.
func joined(s script) bool { return s == kana || s == han || s == thai || s == hangul }

// alphabets are letters that only one language of a script has. The first that
// has a letter of a text is its language.
var alphabets = []struct {
	letters  string
	language language
}{
	{"әғқңөұүһ", turkic},
	{"јљњђћџѓќѕ", serbian},
	{"ў", belarusian},
	{"іїєґ", ukrainian},
	{"پچژگکی", persian},
}

// languageOf returns the language of a lower-case text by the letters that only
// it has. Bulgarian is recognised by a "ъ" that no soft vowel follows.
func languageOf(text []rune) language {
	for _, a := range alphabets {
		if slices.ContainsFunc(text, func(r rune) bool { return r >= 0x400 && strings.ContainsRune(a.letters, r) }) {
			return a.language
		}
	}
	for i, r := range text {
		if r == 'ъ' && (i+1 == len(text) || !strings.ContainsRune("яеюё", text[i+1])) {
			return bulgarian
		}
	}
	return general
}

// romanisations maps letters or groups of letters to their spellings by scheme;
// the last is that of all further schemes.
type romanisations map[string][]string

// parse returns a function that reads tables when it is first called, so that a
// process that never meets a script does not pay for it. The entries are
// "letters=a|b", where a and b are the spellings of the first schemes; letters
// without a spelling are silent. A later table replaces entries of those before.
func parse(tables ...string) func() romanisations {
	return sync.OnceValue(func() romanisations {
		m := romanisations{}
		for _, table := range tables {
			for entry := range strings.FieldsSeq(table) {
				letters, spellings, _ := strings.Cut(entry, "=")
				m[letters] = strings.Split(spellings, "|")
			}
		}
		return m
	})
}

// spelling returns the spelling of a letter or group by a scheme.
func (m romanisations) spelling(letters string, scheme int) (string, bool) {
	s, ok := m[letters]
	if !ok {
		return "", false
	}
	return s[min(scheme, len(s)-1)], true
}

// appendLetters appends a text by a table, pairs of letters before single ones.
// Letters that the table lacks are decoded.
func (m romanisations) appendLetters(dst []byte, text []rune, scheme int) []byte {
	for i := 0; i < len(text); i++ {
		if i+1 < len(text) {
			if s, ok := m.spelling(string(text[i:i+2]), scheme); ok {
				dst = append(dst, s...)
				i++
				continue
			}
		}
		if s, ok := m.spelling(string(text[i]), scheme); ok {
			dst = append(dst, s...)
		} else {
			dst = appendDecoded(dst, text[i:i+1])
		}
	}
	return dst
}
