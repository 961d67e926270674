package translit

import "strings"

// minSkeleton is the least length of a skeleton: shorter ones are shared by too
// many names.
const minSkeleton = 3

// groups are letters of romanised words that are written differently for one
// sound, the longer first, with what a skeleton has for them.
var groups = []struct{ letters, key string }{
	{"shch", "s"}, {"sch", "s"}, {"dzh", "j"}, {"kh", "k"}, {"gh", "g"}, {"sh", "s"}, {"ch", "k"}, {"th", "t"}, {"dh", "z"}, {"zh", "j"},
	{"ph", "f"}, {"dj", "j"}, {"dz", "z"}, {"tz", "s"}, {"ts", "s"}, {"ck", "k"}, {"ce", "s"}, {"ci", "s"}, {"cy", "s"}, {"ks", "ks"},
}

// Skeleton returns a key of the consonants of a text, under which spellings of
// one name agree that differ in vowels: "al jazeera", "aljazirah" and "الجزيرة"
// have the key "ljzr". Vowels, w, y and a remaining h are dropped, doubled
// consonants are written once, and letters that romanisations exchange (q and
// k, p and b, v and f, sh and s) are one. It returns "" for a text of fewer than
// three consonants. Digits are kept and count as consonants.
//
// A skeleton is ambiguous: of the Cyrillic names of the real catalog that have
// the one of their Latin name, each shares it with 6 other channels in the mean,
// with 2 or 3 from four consonants on, and with every second one from five on.
// It finds candidates when nothing else did; their names have to be compared.
func Skeleton(words string) string {
	if spellings := Latin(words); spellings != nil {
		words = spellings[0]
	}
	key := make([]byte, 0, len(words))
	for i := 0; i < len(words); {
		sound, n := soundAt(words[i:])
		i += n
		for j := range len(sound) {
			if len(key) == 0 || key[len(key)-1] != sound[j] || isDigit(sound[j]) {
				key = append(key, sound[j])
			}
		}
	}
	if len(key) < minSkeleton {
		return ""
	}
	return string(key)
}

// soundAt returns what a skeleton has for the first letters of s, and how many
// they are.
func soundAt(s string) (key string, n int) {
	for _, g := range groups {
		if strings.HasPrefix(s, g.letters) {
			return g.key, len(g.letters)
		}
	}
	switch c := s[0]; c {
	case 'a', 'e', 'i', 'o', 'u', 'y', 'w', 'h', ' ':
		return "", 1
	case 'q', 'c':
		return "k", 1
	case 'p':
		return "b", 1
	case 'v':
		return "f", 1
	case 'x':
		return "ks", 1
	default:
		return s[:1], 1
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
