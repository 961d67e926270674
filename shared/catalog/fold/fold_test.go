package fold_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"miramundo.dev/shared/catalog/fold"
)

var cases = []struct{ in, words, joined string }{
	{"", "", ""},
	{"!!! ☂ — …", "", ""},
	{"São Paulo", "sao paulo", ""},
	{"SÃO  PAULO", "sao paulo", ""},
	{"Sa\u0303o Paulo", "sao paulo", ""}, // decomposed
	{"C-SPAN", "c span", "cspan"},
	{"A&E | AT&T", "a e at t", "ae att"},
	{"Canal+ Sport", "canal sport", ""},
	{"R.E.M.", "r e m", "rem"},
	{"L’Équipe", "l equipe", "lequipe"},
	{"Ørsted Łódź Straße Ærø Đắk Iğdır İzmir þing", "orsted lodz strasse aero dak igdir izmir thing", ""},
	{"TVP ﬁlm ｆｕｌｌ　ｗｉｄｔｈ ①²", "tvp film full width 12", ""},
	{"الجزيرة", "الجزيره", ""},
	{"إِذاعة القُرْآن", "اذاعه القران", ""},
	{"۱۲۳ ٤٥٦ १२३", "123 456 123", ""},
	{"Россия-24", "россия 24", "россия24"},
	{"Ёлка й", "елка и", ""},
	{"ΕΡΤ Ειδήσεις", "ερτ ειδησεισ", ""},
	{"ערוץ כאן", "ערוצ כאנ", ""},
	{"中央电视台", "中 央 电 视 台", ""},
	{"NHKワールド", "nhk ワ ー ル ト\u3099", ""},
	{"ｶﾞ", "カ\u3099", ""},
	{"ไทยรัฐทีวี", "ไ ท ย รั ฐ ที วี", ""},
	{"हिन्दी न्यूज़", "हिन्दी न्यूज़", ""},
	{"한국방송", "한국방송", ""},
	{"soft\u00adhyphen zero\u200dwidth", "softhyphen zerowidth", ""},
	{"\xff\xfeabc\xc3", "abc", ""},
	{strings.Repeat("x", 70) + "-y", strings.Repeat("x", 64) + " y", ""},
}

func TestWords(t *testing.T) {
	for _, c := range cases {
		want := nfc(c.words)
		if got := fold.Words(c.in); got != want {
			t.Errorf("Words(%q) = %q, want %q", c.in, got, want)
		}
		if got := fold.Joined(c.in); got != c.joined {
			t.Errorf("Joined(%q) = %q, want %q", c.in, got, c.joined)
		}
	}
}

// TestAppend checks that what a buffer holds already is left alone.
func TestAppend(t *testing.T) {
	for _, s := range []string{"Globo News", "São Paulo"} {
		if got, want := string(fold.AppendWords([]byte("kept"), s)), "kept"+fold.Words(s); got != want {
			t.Errorf("AppendWords(%q) = %q, want %q", s, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, c := range cases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words := fold.Words(s)
		check(t, s, words)
		if again := fold.Words(words); again != words {
			t.Errorf("%q folds to %q and then to %q", s, words, again)
		}
		joined := fold.Joined(s)
		check(t, s, joined)
		if again := fold.Words(joined); again != joined {
			t.Errorf("%q joins to %q, which folds to %q", s, joined, again)
		}
	})
}

func check(t *testing.T, s, words string) {
	t.Helper()
	if !utf8.ValidString(words) {
		t.Errorf("%q folds to invalid UTF-8 %q", s, words)
	}
	if words == "" {
		return
	}
	for w := range strings.SplitSeq(words, " ") {
		if w == "" || len(w) > fold.MaxWord {
			t.Errorf("%q has the word %q", s, w)
		}
	}
}

func BenchmarkWords(b *testing.B) {
	for _, s := range []string{"Globo News Internacional", "São Paulo é Notícia"} {
		b.Run(s, func(b *testing.B) {
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				buf = fold.AppendWords(buf[:0], s)
			}
		})
	}
}

func nfc(s string) string { return norm.NFC.String(s) }
