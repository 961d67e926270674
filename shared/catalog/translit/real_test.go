package translit_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
	"unicode"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/translit"
)

const realChannels = "../../../../shared/data/catalog/database/data/channels.csv"

// scripts are those with a floor for the share of names that are found, in
// percent: by a distinctive word of a romanisation, and by skeletons. What is
// missing are mostly names that are translated ("Channel 9" is "9 канал"), which
// no romanisation finds.
var scripts = []struct {
	name            string
	table           *unicode.RangeTable
	latin, skeleton int
}{
	{"Cyrillic", unicode.Cyrillic, 74, 58},
	{"Greek", unicode.Greek, 48, 26},
	{"Arabic", unicode.Arabic, 43, 22},
	{"Hebrew", unicode.Hebrew, 28, 20},
	{"Han", unicode.Han, 26, 1},
	{"Hangul", unicode.Hangul, 32, 28},
	{"Katakana", unicode.Katakana, 34, 28},
	{"Devanagari", unicode.Devanagari, 64, 40},
	{"Bengali", unicode.Bengali, 40, 40},
	{"Thai", unicode.Thai, 28, 28},
	{"Georgian", unicode.Georgian, 60, 58},
	{"Armenian", unicode.Armenian, 60, 50},
	{"Ethiopic", unicode.Ethiopic, 33, 55},
}

// A pair is a name of a channel in another script, with the Latin names of the
// same channel.
type pair struct {
	channel string
	foreign string
	latin   []string
}

// realPairs returns the pairs of the real catalog, and the channels by the
// skeletons of their Latin names.
func realPairs(t *testing.T) (pairs []pair, bySkeleton map[string]map[string]bool) {
	t.Helper()
	f, err := os.Open(realChannels)
	if err != nil {
		t.Skip("no ../shared/data")
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	bySkeleton = map[string]map[string]bool{}
	for _, row := range rows[1:] {
		var latin []string
		names := append([]string{row[1]}, strings.Split(row[2], ";")...)
		for _, name := range names {
			if name = fold.Words(name); name == "" || translit.Latin(name) != nil {
				continue
			}
			latin = append(latin, name)
			if key := translit.Skeleton(name); key != "" {
				if bySkeleton[key] == nil {
					bySkeleton[key] = map[string]bool{}
				}
				bySkeleton[key][row[0]] = true
			}
		}
		for _, name := range names {
			if translit.Latin(name) != nil && len(latin) > 0 {
				pairs = append(pairs, pair{row[0], name, latin})
			}
		}
	}
	return pairs, bySkeleton
}

// TestRealNames measures how many of the names in other scripts lead to the
// Latin name of the same channel. It logs, for each script, the share whose
// whole name is a romanisation (spaces aside), the share that has a distinctive
// word in common, the share that has the same skeleton, and how many channels
// share such a skeleton in the mean.
func TestRealNames(t *testing.T) {
	pairs, bySkeleton := realPairs(t)
	for _, s := range scripts {
		var total, whole, word, skeleton, sharing int
		for _, p := range pairs {
			if !strings.ContainsFunc(p.foreign, func(r rune) bool { return unicode.Is(s.table, r) }) {
				continue
			}
			total++
			spellings := translit.Latin(p.foreign)
			if anyPair(spellings, p.latin, sameLetters) {
				whole++
			}
			if anyPair(spellings, p.latin, shareWord) {
				word++
			}
			if key := translit.Skeleton(p.foreign); bySkeleton[key][p.channel] {
				skeleton++
				sharing += len(bySkeleton[key])
			}
		}
		if total == 0 {
			t.Errorf("%s: no names", s.name)
			continue
		}
		t.Logf("%-10s %5d names: whole %d %%, word %d %%, skeleton %d %% with %.2f channels each", s.name, total,
			100*whole/total, 100*word/total, 100*skeleton/total, float64(sharing)/float64(max(1, skeleton)))
		if 100*word/total < s.latin || 100*skeleton/total < s.skeleton {
			t.Errorf("%s: %d %% by a word and %d %% by skeletons, want %d and %d", s.name, 100*word/total, 100*skeleton/total, s.latin, s.skeleton)
		}
	}
}

func anyPair(a, b []string, same func(a, b string) bool) bool {
	for _, x := range a {
		for _, y := range b {
			if same(x, y) {
				return true
			}
		}
	}
	return false
}

func sameLetters(a, b string) bool {
	return strings.ReplaceAll(a, " ", "") == strings.ReplaceAll(b, " ", "")
}

// shareWord reports whether two names share a word of four letters that is not
// a word of many names.
func shareWord(a, b string) bool {
	for word := range strings.FieldsSeq(a) {
		switch word {
		case "news", "radio", "channel", "kanal", "music", "sport", "sports", "television", "cinema":
			continue
		}
		if len(word) >= 4 && strings.Contains(" "+b+" ", " "+word+" ") {
			return true
		}
	}
	return sameLetters(a, b)
}
