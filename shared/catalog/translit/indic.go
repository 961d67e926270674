package translit

// The nine blocks of India from Devanagari to Malayalam have the same letters
// in the same places, 128 apart. A consonant is followed by a short "a" unless
// another vowel sign or the virama takes it away; the languages of the north
// drop it at the end of a word, and often before a syllable with a vowel.

const (
	indicBlock = 0x80
	indicFirst = 0x0900
	virama     = 0x4D
	nukta      = 0x3C
	// southern is the first block whose languages speak the last short vowel.
	southern = 5
	bengali  = 1
)

// indicConsonants are the consonants from place 0x15 on.
var indicConsonants = [...]string{"k", "kh", "g", "gh", "n", "ch", "chh", "j", "jh", "n", "t", "th", "d", "dh", "n",
	"t", "th", "d", "dh", "n", "n", "p", "ph", "b", "bh", "m", "y", "r", "r", "l", "l", "zh", "v", "sh", "sh", "s", "h"}

// indicVowels are the vowels from place 0x05 on; their signs have the same order
// from 0x3E on, beginning with the second. Each has two spellings: short, and
// with long vowels doubled.
var indicVowels = [...][2]string{{"a", "a"}, {"a", "aa"}, {"i", "i"}, {"i", "ee"}, {"u", "u"}, {"u", "oo"}, {"ri", "ri"},
	{"l", "l"}, {"e", "e"}, {"e", "e"}, {"e", "e"}, {"ai", "ai"}, {"o", "o"}, {"o", "o"}, {"o", "o"}, {"au", "au"}}

// bengaliConsonants are the consonants that Bengali speaks otherwise.
var bengaliConsonants = map[rune]string{'য': "j", 'ব': "b", 'ৰ': "r", 'ৱ': "w"}

// dotted has the consonants with a dot below by those without; in Bengali the
// dot makes a "y" of the "j".
var dotted = map[string]string{"k": "q", "kh": "kh", "g": "g", "j": "z", "d": "r", "dh": "rh", "ph": "f", "b": "r"}

// A syllable is a consonant with its vowel, or a vowel alone.
type syllable struct {
	consonant, vowel string
	inherent         bool // the vowel is not written
}

func appendIndic(dst []byte, text []rune, scheme int) []byte {
	block := (text[0] - indicFirst) / indicBlock
	syllables := indicSyllables(text, block, min(scheme, 1))
	for i, s := range syllables {
		vowel := s.vowel
		switch {
		case !s.inherent:
		case i+1 == len(syllables) && i > 0 && block < southern:
			vowel = ""
		case scheme%2 == 0 && i > 0 && block < southern && i+2 < len(syllables) &&
			syllables[i-1].vowel != "" && syllables[i+1].vowel != "" && syllables[i+1].consonant != "" && !syllables[i+1].inherent:
			vowel = ""
		case block == bengali && scheme >= 2:
			vowel = "o"
		}
		dst = append(append(dst, s.consonant...), vowel...)
	}
	return dst
}

// indicSyllables parses a text of one block.
func indicSyllables(text []rune, block rune, long int) []syllable {
	var out []syllable
	for i, r := range text {
		place := r - indicFirst - block*indicBlock
		last := len(out) - 1
		switch {
		case bengaliConsonants[r] != "":
			out = append(out, syllable{bengaliConsonants[r], "a", true})
		case place >= 0x15 && place < 0x15+rune(len(indicConsonants)):
			out = append(out, syllable{indicConsonants[place-0x15], "a", true})
		case place >= 0x05 && place < 0x05+rune(len(indicVowels)):
			out = append(out, syllable{"", indicVowels[place-0x05][long], false})
		case place == virama && last >= 0:
			out[last].vowel, out[last].inherent = "", false
		case place == nukta && last >= 0:
			if c, ok := dotted[out[last].consonant]; ok {
				out[last].consonant = c
			}
			if block == bengali && text[i-1] == 'য' {
				out[last].consonant = "y"
			}
		case place >= 0x3E && place <= virama && last >= 0:
			out[last].vowel, out[last].inherent = indicVowels[signVowel(place)][long], false
		case place == 0x01 || place == 0x02:
			out = append(out, syllable{nasal(block, i+1 == len(text)), "", false})
		}
	}
	return out
}

// nasal returns the sound of the sign of a nasal vowel.
func nasal(block rune, last bool) string {
	switch {
	case block == bengali:
		return "ng"
	case block >= southern && last:
		return "m"
	}
	return "n"
}

// signVowel returns the index of the vowel of a sign: the sign of the long
// vocalic r has that of the short one.
func signVowel(place rune) int {
	if place == 0x44 {
		place--
	}
	return int(place-0x3E) + 1
}
