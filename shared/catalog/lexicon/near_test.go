package lexicon_test

import (
	stdcmp "cmp"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/lexicon"
	"miramundo.dev/shared/catalog/snapshot"
	"miramundo.dev/shared/source/collect"
)

// near returns the words that l finds near word.
func near(l *lexicon.Lexicon, order []string, word string) (words []string) {
	for _, i := range l.Near(nil, []byte(word)) {
		words = append(words, order[i])
	}
	return words
}

func TestNear(t *testing.T) {
	l, order := lexiconOf(map[string][]uint32{
		"globo": {1, 2, 3}, "globe": {1}, "global": {2}, "television": {4}, "televisao": {5}, "news": {6}, "россия": {7}, "tv": {8},
	}, 10)
	for _, c := range []struct {
		word string
		want []string
	}{
		{"glob", []string{"globo", "globe"}},  // a letter is missing: the more frequent first
		{"globx", []string{"globo", "globe"}}, // a letter is wrong
		{"golbo", []string{"globo"}},          // letters changed places
		{"alobo", []string{"globo"}},          // the first letter is wrong
		{"telewizion", []string{"television"}},
		{"tilewizion", nil}, // three letters
		{"росия", []string{"россия"}},
		{"tw", nil}, {"new", nil}, // too short to correct
		{"zzzzzz", nil}, {"", nil},
	} {
		if d := cmp.Diff(c.want, near(l, order, c.word)); d != "" {
			t.Errorf("Near(%q) (-want +got):\n%s", c.word, d)
		}
	}
}

// TestNearFindsAll compares Near with the distances of all words.
func TestNearFindsAll(t *testing.T) {
	for seed, alphabet := range []string{"ab", "aeirt", "abcdefghijklmnopqrstuvwxyz0123456789", "aйжи中文é0"} {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		letters := []rune(alphabet)
		records := map[string][]uint32{}
		for range 400 {
			word := randomWord(r, letters, 1+r.IntN(12))
			records[word] = make([]uint32, 1+r.IntN(3))
			for range r.IntN(4) { // words of the catalog resemble each other
				word = misspelled(r, letters, word)
				records[word] = make([]uint32, 1+r.IntN(3))
			}
		}
		l, order := lexiconOf(records, 10)
		found := 0
		for range 250 {
			word := order[r.IntN(len(order))]
			for range r.IntN(4) {
				word = misspelled(r, letters, word)
			}
			got := near(l, order, word)
			if d := cmp.Diff(allNear(records, order, word), got); d != "" {
				t.Fatalf("Near(%q) of words of %q (-want +got):\n%s", word, alphabet, d)
			}
			found += len(got)
		}
		if found < 100 {
			t.Errorf("found %d words of %q, too few for this test", found, alphabet)
		}
	}
}

// TestNearAddsToDst requires that Near keeps what dst has, also when it finds
// nothing, and allocates nothing.
func TestNearAddsToDst(t *testing.T) {
	l, _ := lexiconOf(map[string][]uint32{"globo": {1}, "radio": {2}, "россия": {3}}, 5)
	dst := append(make([]int, 0, 8), 7)
	allocs := testing.AllocsPerRun(20, func() {
		dst = l.Near(l.Near(l.Near(l.Near(dst[:1], []byte("rsdio")), []byte("gl")), []byte("zzzzzz")), []byte("поссия"))
	})
	if d := cmp.Diff([]int{7, 1, 2}, dst); d != "" || allocs > 0 {
		t.Errorf("Near allocates %v times, and returns (-want +got):\n%s", allocs, d)
	}
}

func FuzzNear(f *testing.F) {
	for _, seed := range [][2]string{
		{"globo globe global", "golbo"}, {"телеканал телевизор", "телеконал"}, {"aaaaaaa aaaaaab baaaaaa", "aaaaaaaa"},
		{"\x00\x00\x00\x00 \x00\x00\x00", "\x00\x00\x00\x00"}, {"\ufffd\ufffd\ufffd\ufffd", "\xff\xfe\ufffd\xfd"}, {"", "radio"},
		{strings.Repeat("a", 50) + " " + strings.Repeat("a", 47), strings.Repeat("a", 48)},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, word string) {
		if len(text) > 1000 || !utf8.ValidString(text) {
			return // words of the catalog are valid
		}
		records := map[string][]uint32{}
		for w := range strings.SplitSeq(text, " ") {
			if w != "" {
				records[w] = append(records[w], 0)
			}
		}
		l, order := lexiconOf(records, 5)
		if d := cmp.Diff(allNear(records, order, word), near(l, order, word)); d != "" {
			t.Errorf("Near(%q) of %q (-want +got):\n%s", word, text, d)
		}
	})
}

// allNear returns what Near promises, from the distances of all words.
func allNear(records map[string][]uint32, order []string, word string) []string {
	letters := []rune(word)
	if len(letters) < 4 || len(letters) > 48 {
		return nil
	}
	most := 1
	if len(letters) >= 7 {
		most = 2
	}
	var same, others []string
	distances := map[string]int{}
	for _, w := range order {
		other := []rune(w)
		distances[w] = editDistance(letters, other)
		switch {
		case distances[w] > most:
		case other[0] == letters[0]:
			same = append(same, w)
		default:
			others = append(others, w)
		}
	}
	if len(same) == 0 {
		same = others
	}
	slices.SortStableFunc(same, func(a, b string) int {
		return stdcmp.Or(distances[a]-distances[b], len(records[b])-len(records[a]))
	})
	return same[:min(len(same), lexicon.MaxNear)]
}

// editDistance returns the distance of Damerau and Levenshtein, in which letters
// that were swapped are not edited again.
func editDistance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j-1]+cost, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

func randomWord(r *rand.Rand, letters []rune, n int) string {
	word := make([]rune, n)
	for i := range word {
		word[i] = letters[r.IntN(len(letters))]
	}
	return string(word)
}

// misspelled returns word with one edit.
func misspelled(r *rand.Rand, letters []rune, word string) string {
	w := []rune(word)
	letter := letters[r.IntN(len(letters))]
	i := r.IntN(len(w))
	switch {
	case r.IntN(4) == 0:
		return string(slices.Insert(w, i, letter))
	case r.IntN(3) == 0 && len(w) > 1:
		return string(slices.Delete(w, i, i+1))
	case r.IntN(2) == 0 && i > 0:
		w[i-1], w[i] = w[i], w[i-1]
	default:
		w[i] = letter
	}
	return string(w)
}

// BenchmarkNear looks for misspelled words of the real catalog, or of a synthetic
// vocabulary when there is no ../shared/data, and for words that resemble none.
func BenchmarkNear(b *testing.B) {
	l := largeLexicon(b)
	_, n := l.Span(nil)
	letters := []rune("abcdefghijklmnopqrstuvwxyz")
	for _, c := range []struct {
		name string
		word func(r *rand.Rand, word string) string
	}{
		{"letter wrong", func(r *rand.Rand, word string) string { return misspelled(r, letters, word) }},
		{"first letter wrong", func(r *rand.Rand, word string) string { return "q" + word[1:] }},
		{"two letters wrong", func(r *rand.Rand, word string) string {
			return misspelled(r, letters, misspelled(r, letters, word))
		}},
		{"unknown", func(r *rand.Rand, word string) string { return randomWord(r, letters, len(word)) }},
	} {
		r := rand.New(rand.NewPCG(5, 5))
		var words [][]byte
		for len(words) < 2000 {
			if word := string(l.At(r.IntN(n))); len(word) >= 4 {
				words = append(words, []byte(c.word(r, word)))
			}
		}
		b.Run(c.name, func(b *testing.B) {
			var dst []int
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				dst = l.Near(dst[:0], words[i%len(words)])
			}
		})
	}
}

// BenchmarkNew prepares the lexicon of a synthetic vocabulary.
func BenchmarkNew(b *testing.B) {
	words := syntheticWords()
	b.ReportAllocs()
	for b.Loop() {
		lexicon.New(words, words.Tokens.Len())
	}
}

const realData = "../../../../shared/data/catalog"

// largeLexicon returns the words of the names of the real catalog, or synthetic
// ones.
func largeLexicon(b *testing.B) *lexicon.Lexicon {
	if _, err := os.Stat(realData); err != nil || testing.Short() {
		words := syntheticWords()
		return lexicon.New(words, words.Tokens.Len())
	}
	plan := collect.Plan{IPTVOrg: collect.Folder(realData), Radio: collect.Folder(realData)}
	ds, err := collect.Load(b.Context(), plan, collect.Options{})
	if err != nil {
		b.Fatal(err)
	}
	reg, _ := build.Register(ds, nil, time.Now())
	ix, err := layout.Build(reg)
	if err != nil {
		b.Fatal(err)
	}
	return ix.Words
}

// syntheticWords returns 100,000 words, each of one record.
func syntheticWords() (words snapshot.Words) {
	r := rand.New(rand.NewPCG(9, 9))
	letters := []rune("aaaabcdeeeefghiiiijklmnnooopqrrrsssttttuuvwxyz")
	unique := map[string]bool{}
	for len(unique) < 100_000 {
		unique[randomWord(r, letters, 4+r.IntN(9))] = true
	}
	for i, word := range slices.Sorted(maps.Keys(unique)) {
		words.Tokens.Add(word)
		words.Docs, words.Ends = append(words.Docs, uint32(i)), append(words.Ends, uint32(i+1))
	}
	return words
}
