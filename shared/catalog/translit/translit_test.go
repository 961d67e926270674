package translit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/translit"
)

// TestLatin has one name for each script with all its spellings in order.
func TestLatin(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"BBC One", ""},
		{"Ｔｅｌｅ 5, São Paulo", ""},
		{"", ""},
		{"Матч ТВ", "match tv, matc tv"},
		{"Эхо Москвы", "ekho moskvy, echo moscow, eho moscow"},
		{"Первый канал", "pervyy kanal, pervyi kanal, perviy kanal, pervyj kanal"},
		{"Россия24", "rossiya24, russia24, rossiia24, rossija24"},
		{"Перший Київ", "pershyy kyiv, pershyi kiev, pershiy kiev, persyj kiev"},
		{"България", "balgariya, bulgariia, bulgariq"},
		{"Љубав", "ljubav, lubav"},
		{"Қазақстан", "qazaqstan, kazakstan"},
		{"Ειδήσεις", "eidiseis, idisis"},
		{"Εύβοια", "evvoia, evvia, evboia, evboea"},
		{"Μπλου Σκάι", "blou skai, blu skai, blu scai"},
		{"الجزيرة", "al jazeera, aljazeera, al jazira"},
		{"المجد", "al majd, al majad, almadjd, el magd"},
		{"ام بي سي", "mbc"},
		{"شبکه خبر", "shabakeh khabar"},
		{"כאן 11", "kan 11"},
		{"גלגל״צ", "galgalatz, glglz, galgalaz"},
		{"央视", "yangshi, cctv"},
		{"湖南卫视", "hunan weishi, hunan tv"},
		{"临沂", "linyi, lin yi"},
		{"テレビ朝日", "tv asahi, terebi asahi"},
		{"マッチ", "matchi"},
		{"KBS강릉", "kbs gangreung"},
		{"부산 뉴스", "busan news, busan nyuseu"},
		{"भारत समाचार", "bharat samachar, bhaarat samaachaar"},
		{"যমুনা টিভি", "jamuna tv, jamunaa tv, jomunaa tv"},
		{"മലയാളം", "malayalam, malayaalam"},
		{"ไทยรัฐทีวี", "thairath tv"},
		{"เวิร์คพอยท์", "workpoint"},
		{"პირველი არხი", "pirveli arkhi"},
		{"Հայաստան", "hayastan"},
		{"ስፖርት", "sport"},
		{"ABEMAアニメ2", "abema anime 2"},
	} {
		if got := strings.Join(translit.Latin(c.in), ", "); got != c.want {
			t.Errorf("Latin(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSkeleton(t *testing.T) {
	for _, same := range [][]string{
		{"aljazeera", "al jazeera", "al jazirah", "el djazira", "الجزيرة"},
		{"al arabiya", "al arabia", "alarabiyya", "العربية"},
		{"al mayadeen", "almayadin", "الميادين"},
		{"shabakeh khabar", "shabake khabar", "شبکه خبر"},
		{"keshet 12", "kesheth 12", "קשת 12"},
		{"rossiya 24", "rossiia 24", "rosia 24", "Россия 24"},
	} {
		want := translit.Skeleton(same[0])
		for _, s := range same {
			if got := translit.Skeleton(s); got != want || got == "" {
				t.Errorf("Skeleton(%q) = %q, and %q for %q", s, got, want, same[0])
			}
		}
	}
	for _, other := range []string{"al jadeed", "al arabiya", "jazz", "al jaras"} {
		if translit.Skeleton(other) == translit.Skeleton("al jazeera") {
			t.Errorf("%q has the skeleton of al jazeera", other)
		}
	}
	if got := translit.Skeleton("radio 1"); got == translit.Skeleton("radio 11") {
		t.Errorf("radio 1 and radio 11 share the skeleton %q", got)
	}
	if got := translit.Skeleton("auto"); got != "" {
		t.Errorf("Skeleton(auto) = %q, want nothing for one consonant", got)
	}
}

func FuzzLatin(f *testing.F) {
	for _, s := range []string{"", "BBC", "Матч ТВ", "ЪЄЇ'’", "قناة ـ", "גל״צ", "ʼ央", "ไเ", "क़्", "ঃ", "ﷺ", "\u0301я", "ー", "ｶﾞ", "፼ᎀ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		spellings := translit.Latin(s)
		if len(spellings) > 4 {
			t.Errorf("Latin(%q) has %d spellings, want at most 4", s, len(spellings))
		}
		for i, words := range spellings {
			if words == "" || words != fold.Words(words) || slices.Contains(spellings[:i], words) {
				t.Errorf("Latin(%q) = %q: %q is empty, not folded, or a repetition", s, spellings, words)
			}
			if again := translit.Latin(words); again != nil {
				t.Errorf("Latin(%q) has %q, which is not Latin", s, words)
			}
		}
		if key := translit.Skeleton(s); strings.ContainsAny(key, "aeiou ") {
			t.Errorf("Skeleton(%q) = %q has a vowel", s, key)
		}
	})
}

func TestLatinDoesNotAllocateForLatin(t *testing.T) {
	got := testing.AllocsPerRun(100, func() { translit.Latin("Rádio Itatiaia São Paulo") })
	if diff := cmp.Diff(0.0, got); diff != "" {
		t.Errorf("allocations (-want +got):\n%s", diff)
	}
}

func BenchmarkLatin(b *testing.B) {
	for _, s := range []string{"Rádio Itatiaia", "Первый канал", "الجزيرة الرياضية", "中央电视台新闻频道", "भारत समाचार"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				translit.Latin(s)
			}
		})
	}
}

func BenchmarkSkeleton(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		translit.Skeleton("al jazeera mubasher")
	}
}
