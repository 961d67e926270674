package speech

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// TestNeutral checks which invisible characters are kept.
func TestNeutral(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain words", "Olá, mundo!", "Olá, mundo!"},
		{"composed", "e\u0301", "é"},
		{"a family", "👩‍👩‍👧", "👩‍👩‍👧"},
		{"a heart of emoji", "❤️", "❤️"},
		{"a keycap", "#️⃣", "#️⃣"},
		{"the flag of a region", "🏴󠁧󠁢󠁥󠁮󠁧󠁿!", "🏴󠁧󠁢󠁥󠁮󠁧󠁿!"},
		{"Persian with a joiner", "می\u200cخواهم", "می\u200cخواهم"},
		{"Indic with a joiner", "क्\u200dष", "क्\u200dष"},
		{"marks of direction", "שלום \u200fעולם\u200e", "שלום \u200fעולם\u200e"},
		{"an Arabic number sign", "\u0600٣", "\u0600٣"},
		{"a variant of Han", "葛\U000e0100", "葛\U000e0100"},
		{"zero width spaces", "a\u200bb\ufeffc\u2060d\u00ade", "abcde"},
		{"joiners that join nothing", "a \u200d \u200c\u200db\u200d", "a  b"},
		{"runs of joiners", "a\u200d\u200d\u200db", "a\u200db"},
		{"tags that are no flag", "a\U000e0061\U000e0062", "a"},
		{"a hidden message of selectors", "a\U000e0100\U000e0101\ufe01\ufe02", "a\ufe01"},
		{"fillers", "\u3164\uffa0\u2800\u115f", ""},
		{"invisible operators", "1\u20622\u034f", "12"},
		{"piled marks", "a" + strings.Repeat("\u0323", 40), "ạ" + strings.Repeat("\u0323", maxMarks)},
		{"vocalized Hebrew", "בְּרֵאשִׁ֖ית", norm.NFC.String("בְּרֵאשִׁ֖ית")},
		{"a control that Check refuses", "a\u202eb", "a\u202eb"},
	} {
		if got := Neutral(test.text); got != test.want {
			t.Errorf("%s: %+q, want %+q", test.name, got, test.want)
		}
	}
}

// TestLine checks the texts of one line.
func TestLine(t *testing.T) {
	for _, test := range []struct {
		text, want string
		problem    Problem
	}{
		{"  hi \r\n\t world ", "hi world", Fine},
		{"1234567890", "1234567890", Fine},
		{"12345678901", "", TooLong},
		{strings.Repeat("👩‍👩‍👧", 2), strings.Repeat("👩‍👩‍👧", 2), Fine},
		{strings.Repeat("👩‍👩‍👧", 4), "", TooLong}, // bytes
		{strings.Repeat("e\u0301", 10), strings.Repeat("é", 10), Fine},
		{strings.Repeat("\u200b", 100) + "a", "a", Fine},
		{strings.Repeat("x", 1000), "", TooLong},
		{"\u200b\u2800 \n", "", Empty},
		{"", "", Empty},
		{"a\u202eb", "", Control},
		{"a\u2067b\u2069", "", Control},
		{"a\x00", "", Control},
		{"a\xff", "", Encoding},
		{"<b>https://example.com</b>", "", TooLong},
		{"<b>x</b>", "<b>x</b>", Fine}, // the page escapes it
	} {
		max := 80
		if strings.HasPrefix(test.text, "👩") {
			max = 60
		}
		if got, p := Line(test.text, 10, max); got != test.want || p != test.problem {
			t.Errorf("Line(%+.60q) = %+q %q, want %+q %q", test.text, got, p, test.want, test.problem)
		}
	}
}

// FuzzLine checks that a line that is fine has nothing that Line promises to remove,
// and is the same when it is cleaned again.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "a\r\nb", "a\u202e", "\xff", "é\x00", "👩‍👩‍👧", "a\u200d\u200d", "🏴\U000e0067", "\u1160\u0301", "a\u0301\u200d\u0302b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, p := Line(s, 50, 200)
		if p != Fine {
			return
		}
		if !norm.NFC.IsNormalString(got) || uniseg.GraphemeClusterCount(got) > 50 || len(got) > 200 ||
			strings.ContainsAny(got, "\n\r\t\x00\u200b\u2060\ufeff\u00ad\u202e\u2066\u2800\u3164") || strings.TrimSpace(got) != got {
			t.Errorf("Line(%+q) = %+q", s, got)
		}
		if again, p := Line(got, 50, 200); p != Fine || again != got {
			t.Errorf("Line of its result %+q = %+q %q", got, again, p)
		}
	})
}
