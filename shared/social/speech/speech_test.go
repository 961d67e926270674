package speech

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		text string
		want Problem
	}{
		{"a", Fine},
		{"Olá, mundo!", Fine},
		{"two\nlines\r\nand\ta tab", Fine},
		{"👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️", Fine}, // joiners, tags and selectors of emoji
		{"שלום \u200fעולם\u200f", Fine},
		{"العربية", Fine},
		{"日本語", Fine},
		{"क्ष", Fine},
		{"<script>alert(1)</script>", Fine}, // whoever shows it escapes it
		{strings.Repeat("x", 11), TooLong},
		{strings.Repeat("é", 11), TooLong},
		{strings.Repeat("e\u0301", 6), TooLong}, // code points, as in JSON Schema
		{"", Empty},
		{" \n\t ", Empty},
		{"\u200b\ufeff\u2060", Empty},
		{"\u3164\u2800", Empty},
		{"\u0301", Empty},
		{"a\rb", Control},
		{"a\r", Control},
		{"a\x00", Control},
		{"a\x1b[0m", Control},
		{"a\x7f", Control},
		{"a\u0085b", Control},
		{"a\u2028b", Control},
		{"a\u2029b", Control},
		{"a\u202ab", Control},
		{"a\u202eb", Control},
		{"a\u2066b", Control},
		{"a\u2069b", Control},
		{"a\xffb", Encoding},
	} {
		max := 10
		if test.want == Fine {
			max = 26
		}
		if got := Check(test.text, max); got != test.want {
			t.Errorf("Check(%q, %d) = %q, want %q", test.text, max, got, test.want)
		}
	}
	for text, max := range map[string]int{strings.Repeat("x", 500): 500, strings.Repeat("é", 500): 500, "👩‍👩‍👧": 5} {
		if at, over := Check(text, max), Check(text, max-1); at != Fine || over != TooLong {
			t.Errorf("%.20q is %q at its length, %q over it", text, at, over)
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, want := range map[string]Problem{
		"Ana": Fine, "Ana Maria": Fine, "a\nb": Control, "a\tb": Control, "": Empty, "12345678901": TooLong, "a\u202e": Control,
	} {
		if got := CheckName(name, 10); got != want {
			t.Errorf("CheckName(%q) = %q, want %q", name, got, want)
		}
	}
}

// FuzzCheck checks that a text which is fine has what it is said to have.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"", "a", "a\r\nb", "a\u202e", "\xff", "é\x00", "👩‍👩‍👧"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if Check(s, 20) != Fine {
			return
		}
		if !utf8.ValidString(s) || strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > 20 || strings.ContainsAny(s, "\x00\x1b\u202e\u2066\u2028") {
			t.Errorf("%q is fine", s)
		}
		if strings.Contains(strings.ReplaceAll(s, "\r\n", ""), "\r") {
			t.Errorf("%q is fine, with a line that is written over", s)
		}
	})
}

// TestNickname holds nicknames to what they were: they are nobody's to change.
func TestNickname(t *testing.T) {
	for owner, want := range map[string]string{
		"g_00000000000000000000000000000000": "Procyon 5302",
		"g_00000000000000000000000000000001": "Arcturus 8016",
		"":                                   "Markab 7026",
	} {
		if got := Nickname(owner); got != want {
			t.Errorf("Nickname(%q) = %q, want %q", owner, got, want)
		}
		if p := CheckName(Nickname(owner), 40); p != Fine {
			t.Errorf("%q may not be shown: %s", Nickname(owner), p)
		}
	}
}

// TestNicknamesSpread checks that few people share a nickname by chance.
func TestNicknamesSpread(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1000 {
		seen[Nickname(strings.Repeat("x", i))] = true
	}
	if len(seen) < 990 {
		t.Errorf("1000 owners have %d nicknames", len(seen))
	}
}
