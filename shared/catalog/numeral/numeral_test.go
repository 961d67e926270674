package numeral_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/numeral"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		word string
		want numeral.Numeral
	}{
		{"one", numeral.Numeral{Value: 1}},
		{"uno", numeral.Numeral{Value: 1}},
		{"eins", numeral.Numeral{Value: 1}},
		{"um", numeral.Numeral{Value: 1, Weak: true}},
		{"un", numeral.Numeral{Value: 1, Weak: true}},
		{"один", numeral.Numeral{Value: 1}},
		{"odin", numeral.Numeral{Value: 1}},
		{"três", numeral.Numeral{Value: 3}},
		{"trei", numeral.Numeral{Value: 3, Weak: true}},
		{"fünf", numeral.Numeral{Value: 5}},
		{"fire", numeral.Numeral{Value: 4, Weak: true}},
		{"sex", numeral.Numeral{Value: 6, Weak: true}},
		{"Dört", numeral.Numeral{Value: 4, Weak: true}},
		{"שתיים", numeral.Numeral{Value: 2}},
		{"ثلاثة", numeral.Numeral{Value: 3}},
		{"十", numeral.Numeral{Value: 10, Weak: true}},
		{"v", numeral.Numeral{Value: 5, Weak: true}},
		{"xii", numeral.Numeral{Value: 12, Weak: true}},
		{"twelve", numeral.Numeral{Value: 12}},
		{"vingt", numeral.Numeral{Value: 20}},
	} {
		got, ok := numeral.Of([]byte(fold.Words(c.word)))
		if diff := cmp.Diff(c.want, got); diff != "" || !ok {
			t.Errorf("Of(%q), ok %v (-want +got):\n%s", c.word, ok, diff)
		}
	}
	for _, word := range []string{"", "news", "television", "onetwo", "1"} {
		if n, ok := numeral.Of([]byte(word)); ok {
			t.Errorf("Of(%q) = %v, want nothing", word, n)
		}
	}
}

// TestWords checks that the two directions agree and that strong words come
// before weak ones.
func TestWords(t *testing.T) {
	for value := range uint8(101) {
		weak := false
		for _, word := range numeral.Words(value) {
			n, ok := numeral.Of([]byte(word))
			if !ok || n.Value != value {
				t.Errorf("Words(%d) has %q, which Of reads as %v, %v", value, word, n, ok)
			}
			if weak && !n.Weak {
				t.Errorf("Words(%d) has the strong word %q after a weak one", value, word)
			}
			weak = n.Weak
		}
	}
	if words := numeral.Words(1); words[0] != "one" || !slices.Contains(words, "jeden") || !slices.Contains(words, "i") {
		t.Errorf("Words(1) = %q, want one first, jeden and i", words)
	}
	if words := numeral.Words(77); words != nil {
		t.Errorf("Words(77) = %q, want nothing", words)
	}
}

func TestOfDoesNotAllocate(t *testing.T) {
	word := []byte("vierundzwanzig")
	if n := testing.AllocsPerRun(100, func() { numeral.Of(word) }); n != 0 {
		t.Errorf("Of allocates %v times, want 0", n)
	}
}

func BenchmarkOf(b *testing.B) {
	for _, word := range []string{"one", "dwanascie", "news"} {
		b.Run(word, func(b *testing.B) {
			w := []byte(word)
			b.ReportAllocs()
			for b.Loop() {
				numeral.Of(w)
			}
		})
	}
}
