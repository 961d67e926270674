package translit

import (
	"slices"
	"strings"
	"unicode"
)

// Arabic and Hebrew leave short vowels out and write long ones with letters that
// are consonants elsewhere. A romanisation is therefore a guess: a letter is a
// vowel where it stands between consonants, and an "a", the most frequent
// short vowel, is put where consonants could not be spoken together. Skeleton
// compares texts without vowels.

// The schemes of Arabic are: without doubled vowels, as English writes ("ee",
// "oo"), as French does ("ou", "dj"), and as Egyptians do ("g").
var arabicTable = parse(`ب=b ت=t ث=th|th|th|s ج=j|j|dj|g ح=h خ=kh د=d ذ=dh|z|dh|z ر=r ز=z س=s ش=sh|sh|ch|sh ص=s
ض=d|dh|d|d ط=t ظ=z|dh|z|z غ=gh ف=f ق=q|q|k|k ك=k ل=l م=m ن=n ه=h ء= ئ= ؤ=o پ=p چ=ch ژ=zh|j گ=g ک=k ڤ=v ڭ=g
ٹ=t ڈ=d ڑ=r ں=n ھ=h ہ=h ة=a|a|a|ah ى=a ا=a أ=a إ=i آ=a ٱ=a ع=a ے=e ی=i|ee|i|i ي=i|ee|i|i و=u|oo|ou|o
ې=e ۀ=eh ە=e ێ=e ۆ=o`)

// persianTable holds what Persian and Urdu write otherwise than Arabic.
var persianTable = parse(`و=u|oo|o|ou ث=s ذ=z ض=z ظ=z ح=h ق=gh|q ه=h`)

const (
	arabicVowels  = "اأإآٱىةعويیےېەێۆ"
	arabicMarks   = "\u0640" // the letter that only lengthens a word
	alwaysVowels  = "اأإآٱىةےېەێۆ"
	arabicArticle = "ال"
)

func appendArabic(dst []byte, text []rune, l language, scheme int) []byte {
	text = slices.DeleteFunc(slices.Clone(text), func(r rune) bool {
		return unicode.IsMark(r) || joins(r) || strings.ContainsRune(arabicMarks, r)
	})
	dst, text = appendArticle(dst, text, l, scheme)
	waw := "w"
	if l == persian {
		waw = "v"
	}
	var w vowels
	for i, r := range text {
		switch {
		case r == 'و' && consonantal(text, i):
			w.consonant(waw)
		case (r == 'ي' || r == 'ی') && consonantal(text, i):
			if w.ends() == consonant {
				w.vowel("i")
			}
			w.consonant("y")
		case r == 'ع' && (w.ends() == vowel || i+1 < len(text) && strings.ContainsRune(alwaysVowels, text[i+1])):
		case r == 'ه' && l == persian && i > 0 && i+1 == len(text) && !strings.ContainsRune(alwaysVowels, text[i-1]):
			w.vowel([maxSpellings]string{"eh", "e", "a", "ah"}[scheme])
		case strings.ContainsRune(arabicVowels, r):
			s, _ := arabicTable().spelling(string(r), scheme)
			w.vowel(s)
		default:
			w.consonant(arabicConsonant(r, l, scheme))
		}
	}
	return w.append(dst, scheme == 1)
}

// appendArticle writes the article that begins text, and returns what follows it.
func appendArticle(dst []byte, text []rune, l language, scheme int) (out []byte, rest []rune) {
	if len(text) > 4 && l != persian && string(text[:2]) == arabicArticle {
		return append(dst, [maxSpellings]string{"al ", "al ", "al", "el "}[scheme]...), text[2:]
	}
	return dst, text
}

// arabicConsonant returns the spelling of a consonant, by the table of the
// language first.
func arabicConsonant(r rune, l language, scheme int) string {
	if l == persian {
		if s, ok := persianTable().spelling(string(r), scheme); ok {
			return s
		}
	}
	if s, ok := arabicTable().spelling(string(r), scheme); ok {
		return s
	}
	return string(appendDecoded(nil, []rune{r}))
}

// consonantal reports whether the waw or yeh at i is a consonant: at the
// beginning, or beside a letter that is always a vowel.
func consonantal(text []rune, i int) bool {
	after := i+1 < len(text) && strings.ContainsRune(alwaysVowels, text[i+1])
	before := i > 0 && strings.ContainsRune(alwaysVowels, text[i-1]) && i+1 < len(text)
	return i == 0 || after || before
}

// hebrewTable has the schemes of Hebrew: as Israelis write, with ch, with kh,
// and as on old signs.
var hebrewTable = parse(`א=a ב=v|b|v|b ג=g ד=d ה=h ו=o|u|o|u ז=z ח=h|ch|kh|h ט=t י=i כ=k|ch|kh|k ך=ch|kh|k|ch ל=l
מ=m ם=m נ=n ן=n ס=s ע=a פ=p|f|p|f ף=f צ=tz|ts|z|ts ץ=tz|ts|z|ts ק=k|k|q|k ר=r ש=sh|s|sh|s ת=t|t|t|th`)

func appendHebrew(dst []byte, text []rune, scheme int) []byte {
	text = slices.DeleteFunc(slices.Clone(text), func(r rune) bool { return unicode.IsMark(r) || joins(r) })
	var w vowels
	for i, r := range text {
		last := i+1 == len(text)
		s, ok := hebrewTable().spelling(string(r), scheme)
		switch {
		case r == 'ו' && i == 0:
			w.consonant("v")
		case r == 'ב' && i == 0:
			w.consonant("b")
		case r == 'פ' && i == 0:
			w.consonant("p")
		case r == 'י' && (i == 0 || !last && text[i+1] == 'ה'):
			if w.ends() == consonant {
				w.vowel("i")
			}
			w.consonant("y")
		case r == 'ה' && last && i > 0:
			w.vowel("a")
		case strings.ContainsRune("אעוי", r):
			w.vowel(s)
		case ok:
			w.consonant(s)
		default:
			w.consonant(string(appendDecoded(nil, []rune{r})))
		}
	}
	return w.append(dst, scheme == 1)
}

// Kinds of sounds.
const (
	nothing = iota
	vowel
	consonant
)

// vowels puts the vowels into a word whose script leaves them out.
type vowels struct {
	sounds []string
	kinds  []int
}

func (w *vowels) vowel(s string)     { w.add(s, vowel) }
func (w *vowels) consonant(s string) { w.add(s, consonant) }

func (w *vowels) add(s string, kind int) {
	if s != "" {
		w.sounds, w.kinds = append(w.sounds, s), append(w.kinds, kind)
	}
}

// ends returns the kind of the last sound.
func (w *vowels) ends() int { return w.kind(len(w.kinds) - 1) }

func (w *vowels) kind(i int) int {
	if i < 0 || i >= len(w.kinds) {
		return nothing
	}
	return w.kinds[i]
}

// append appends the sounds. An "a" is put between two consonants at the
// beginning of the word and before the second of two that a third follows, and
// with spoken also between the last two: "balad", where "majd" needs none.
func (w *vowels) append(dst []byte, spoken bool) []byte {
	run := 0 // consonants since the last vowel
	for i, s := range w.sounds {
		if w.kinds[i] == vowel {
			run = 0
		} else {
			run++
		}
		opening := run == 2 && i == 1
		crowded := run == 2 && i > 1 && w.kind(i+1) == consonant
		closing := run == 2 && i > 1 && i+1 == len(w.sounds) && spoken
		if opening || crowded || closing || run == 3 {
			dst = append(dst, 'a')
			run = 1
		}
		if w.kinds[i] == vowel && w.kind(i-1) == vowel && w.sounds[i-1] == s {
			continue
		}
		dst = append(dst, s...)
	}
	return dst
}
