package lexicon_test

import (
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

func TestNear(t *testing.T) {
	l, _ := lexiconOf(map[string][]uint32{
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
		if d := cmp.Diff(c.want, l.Near(c.word)); d != "" {
			t.Errorf("Near(%q) (-want +got):\n%s", c.word, d)
		}
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
