package lexicon_test

import (
	stdcmp "cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog/lexicon"
	"miramundo.dev/shared/catalog/snapshot"
)

// lexiconOf returns the lexicon of records that have the given words, and the
// words in order.
func lexiconOf(records map[string][]uint32, n int) (*lexicon.Lexicon, []string) {
	var w snapshot.Words
	var order []string
	for word := range records {
		order = append(order, word)
	}
	slices.Sort(order)
	for _, word := range order {
		w.Tokens.Add(word)
		w.Docs = append(w.Docs, records[word]...)
		w.Ends = append(w.Ends, uint32(len(w.Docs)))
	}
	return lexicon.New(w, n), order
}

// TestSpan compares what is known of every beginning with what the words say,
// on so many records that the sets of short beginnings are kept ready.
func TestSpan(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(1, 2))
	records := map[string][]uint32{}
	for len(records) < 600 {
		word := ""
		for range 1 + r.IntN(5) {
			word += string([]rune("abcдж中")[r.IntN(6)])
		}
		seen := map[uint32]bool{}
		for range r.IntN(200) {
			seen[uint32(r.IntN(n))] = true
		}
		for doc := range seen {
			records[word] = append(records[word], doc)
		}
		slices.Sort(records[word])
	}
	l, order := lexiconOf(records, n)
	ready := 0
	for _, prefix := range append([]string{"", "zz", "a", "ab", "ж", "中中"}, order...) {
		lo, hi := l.Span([]byte(prefix))
		var words []string
		var docs []uint32
		for _, word := range order {
			if strings.HasPrefix(word, prefix) {
				words = append(words, word)
				docs = append(docs, records[word]...)
			}
		}
		if d := cmp.Diff(words, order[lo:hi], cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("Span(%q) (-want +got):\n%s", prefix, d)
		}
		slices.Sort(docs)
		docs = slices.Compact(docs)
		some, ok := l.Ready(lo, hi)
		if !ok {
			continue
		}
		ready++
		got := some.List
		if got == nil {
			got = some.Bits.Append(nil)
		}
		if d := cmp.Diff(docs, got); some.Size != len(docs) || d != "" {
			t.Fatalf("Ready of %q: %d records, want %d", prefix, some.Size, len(docs))
		}
	}
	if ready < 5 {
		t.Errorf("only %d sets were ready, too few for this test", ready)
	}
}

func TestPartings(t *testing.T) {
	l, _ := lexiconOf(map[string][]uint32{"globo": {1, 2}, "news": {1, 2}, "glob": {3}, "onews": {3}, "g": {4}}, 5)
	for _, c := range []struct {
		word string
		want []int
	}{
		{"globonews", []int{5, 4}}, {"globonew", []int{5, 4}}, {"gnews", nil}, {"newsglobo", []int{4}}, {"xyz", nil}, {"", nil},
	} {
		if d := cmp.Diff(c.want, l.Partings(nil, []byte(c.word))); d != "" {
			t.Errorf("Partings(%q) (-want +got):\n%s", c.word, d)
		}
	}
	if got := l.Frequency([]byte("glob")); got != 3 {
		t.Errorf("Frequency(glob) = %d, want 3", got)
	}
}

// TestPartingsFindsAll compares Partings with trying each position.
func TestPartingsFindsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	records := map[string][]uint32{}
	for range 300 {
		records[randomWord(r, []rune("abж"), 1+r.IntN(6))] = make([]uint32, 1+r.IntN(3))
	}
	l, order := lexiconOf(records, 5)
	for range 2000 {
		word := randomWord(r, []rune("abж"), 1+r.IntN(9))
		most := map[int]int{} // by position
		for at := range word {
			frequency := 0
			for _, w := range order {
				if strings.HasPrefix(w, word[at:]) {
					frequency += len(records[w])
				}
			}
			if f := min(len(records[word[:at]]), frequency); f > 0 && at >= 2 && len(word)-at >= 2 {
				most[at] = f
			}
		}
		want := slices.SortedFunc(maps.Keys(most), func(a, b int) int { return stdcmp.Or(most[b]-most[a], a-b) })
		if d := cmp.Diff(want[:min(len(want), 4)], l.Partings(nil, []byte(word)), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("Partings(%q) (-want +got):\n%s", word, d)
		}
	}
}
