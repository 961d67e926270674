package speech

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRepeats compares texts with others that are the same, nearly the same, or not.
func TestRepeats(t *testing.T) {
	const offer = "Buy cheap followers at cheap-followers.example, write to Max today"
	for _, test := range []struct {
		name, one, other string
		want             bool
	}{
		{"the same", "boa!", "boa!", true},
		{"case, accents and punctuation", "Que saudade, SÃO PAULO!!!", "que saudade são paulo", true},
		{"composed or not", "canção de ninar para dormir", "canc\u0327a\u0303o de ninar para dormir", true},
		{"full width", "ｂｕｙ ｎｏｗ ｃｈｅａｐ ｔｈｉｎｇｓ ｈｅｒｅ", "buy now cheap things here", true},
		{"invisible characters", "b\u200bu\u2060y now", "buy now", true},
		{"spaces between letters", "b u y  n o w", "buy now", true},
		{"repeated letters", "booooa", "boa", true},
		{"repeated emoji", "👏👏👏", "👏", true},
		{"digits count", "nota 100", "nota 10", false},
		{"punctuation alone", "!!!", "!!!", true},
		{"other punctuation alone", "!!!", "...", false},
		{"short and nearly the same", "muito bom", "muito bem", false},
		{"short and long", "boa", offer, false},
		{"long with one letter changed", offer, strings.Replace(offer, "Max", "Mix", 1), true},
		{"long with three letters changed", offer, strings.NewReplacer("Buy", "Bay", "write", "wrote", "today", "totay").Replace(offer), true},
		{"long with a number at the end", offer, offer + " 48213", true},
		{"long with a word before it", offer, "Hello! " + offer, true},
		{"long and only alike", "o jornal da noite mudou de horário?", "alguém sabe o horário do jogo de domingo?", false},
		{"long, other subject", offer, "The picture freezes each evening at eight, but the sound goes on", false},
		{"empty and broken prints", "", "x", false},
	} {
		p, q := PrintOf(test.one), PrintOf(test.other)
		if p.Repeats(q) != test.want || q.Repeats(p) != test.want {
			t.Errorf("%s: Repeats is %t and %t, want %t", test.name, p.Repeats(q), q.Repeats(p), test.want)
		}
		if strings.Contains(string(p), "buy") || len(p) > 150 {
			t.Errorf("%s: print %q", test.name, p)
		}
	}
	for _, broken := range []Print{"", "x", Print(strings.Repeat("!", 40))} {
		if p := PrintOf(offer); p.Repeats(broken) || broken.Repeats(p) {
			t.Errorf("the broken print %q repeats a text", broken)
		}
	}
}

// TestLong checks which texts are long: those that say something.
func TestLong(t *testing.T) {
	for text, want := range map[string]bool{
		"boa!": false, "GOOOOOOOOOOOOOOOOOOOOOOOL": false, "muito bom": false, "👏👍👏👍👏👍👏👍👏👍👏👍👏👍👏👍👏👍👏👍👏👍": false,
		"hahahahahahahahahahahahaha": false, "jajajajajajajajajajajaja": false, "rsrsrsrsrsrsrsrsrsrsrsrs": false, "хахахахахахахахахахахаха": false,
		"ههههههههههههههههههههههه": false, "olé olé olé olé olé olé olé olé": false,
		"o jornal da noite mudou de horário?": true, "la imagen se corta cada noche": true, "l’image se fige chaque soir": true,
		"das Bild bleibt jeden Abend stehen": true, "لماذا تتوقف الصورة كل ليلة في هذه القناة": true, "למה התמונה נתקעת כל ערב בערוץ": true,
	} {
		if got := PrintOf(text).Long(); got != want {
			t.Errorf("%s: long is %t, want %t", text, got, want)
		}
	}
}

// TestSimilarity compares estimates with the true similarity of sets: the estimate is
// exact for small sets, and near for large ones.
func TestSimilarity(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) []rune {
		s := make([]rune, n)
		for i := range s {
			s[i] = 'a' + random.Int32N(26)
		}
		return s
	}
	shingles := func(s []rune) map[string]bool {
		set := map[string]bool{}
		for i := range len(s) - shingleLen + 1 {
			set[string(s[i:i+shingleLen])] = true
		}
		return set
	}
	for _, test := range []struct{ length, changed, most int }{{25, 0, 0}, {25, 3, 12}, {60, 3, 26}, {480, 10, 30}, {480, 200, 30}} {
		for range 20 {
			one := letters(test.length)
			other := append(letters(test.changed), one[test.changed:]...)
			a, b := shingles(one), shingles(other)
			common := 0
			for s := range a {
				if b[s] {
					common++
				}
			}
			want := 100 * common / (len(a) + len(b) - common)
			p, q := Print(strings.Repeat("k", keyText)+printText.EncodeToString(sketch(one))), Print(strings.Repeat("l", keyText)+printText.EncodeToString(sketch(other)))
			if got := similarity(p.hashes(), q.hashes()); got < want-test.most || got > want+test.most {
				t.Errorf("%s: the estimate is %d %%, want %d %%", fmt.Sprint(test.length, " letters, ", test.changed, " changed"), got, want)
			}
		}
	}
}
