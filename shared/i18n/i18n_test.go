package i18n

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// TestMessages checks that every locale has the same keys with the same
// placeholders, and says something for each.
func TestMessages(t *testing.T) {
	for key, text := range messages[PT] {
		want := placeholder.FindAllString(text, -1)
		slices.Sort(want)
		for _, l := range Locales {
			got := placeholder.FindAllString(messages[l][key], -1)
			slices.Sort(got)
			if strings.TrimSpace(messages[l][key]) == "" {
				t.Errorf("%s has no text for %s", l, key)
			}
			if diff := cmp.Diff(want, got); diff != "" && !strings.HasSuffix(key, ".one") { // which may say the number in words
				t.Errorf("%s: placeholders of %s (-%s +%s):\n%s", l, key, PT, l, diff)
			}
		}
	}
	for _, l := range Locales {
		if diff := cmp.Diff(keys(PT), keys(l)); diff != "" {
			t.Errorf("keys (-%s +%s):\n%s", PT, l, diff)
		}
	}
}

func keys(l Locale) []string { return slices.Sorted(maps.Keys(messages[l])) }

// TestMessagesKeepOneTone finds texts that address people otherwise than the
// rest of their language does, or that are not set as its typography wants.
func TestMessagesKeepOneTone(t *testing.T) {
	wrong := map[Locale]*regexp.Regexp{
		ES: regexp.MustCompile(`(?i)\b(ustedes|usted|abra|elija|envíe|escriba|espere|intente|inténtelo|pruebe|pulse)\b`), // tú
		DE: regexp.MustCompile(`\b(Ihr|Ihre|Ihnen|Ihren|Ihrem|Ihrer|Ihres)\b|[\pL\d,] Sie\b`),                            // du
		FR: regexp.MustCompile(`'| [:;?!»]|« `),                                                                          // no-break spaces, and the apostrophe of print
	}
	for l, form := range wrong {
		for _, key := range keys(l) {
			if found := form.FindString(messages[l][key]); found != "" {
				t.Errorf("%s: %s says %q: %s", l, key, found, messages[l][key])
			}
		}
	}
}

// retired are words that the texts of the pages do not use any more, by locale, each
// with the word that replaced it. docs/words.md explains the choices.
var retired = map[Locale]map[string]string{
	EN: {"HTTP player": "Compatibility player", "There is nothing here": "Page not found", "on the air lately": "working recently", "Wait for the playlist": "Start-up time", "Votes at the source": "Votes on Radio Browser", "may not read this": "can’t be played", "Copy address": "Copy link", "Work best": "Most reliable", "sub-tab": "tab", "These do find something": "Try one of these", "no longer knows": "is not recognized any more"},
	PT: {"Player HTTP": "Player de compatibilidade", "Copiar endereço": "Copiar link", "utilizador": "usuário", "ficheiro": "arquivo", "ecrã": "tela", "subaba": "aba", "telemóvel": "celular", "Estes caminhos levam": "Tente por aqui"},
	ES: {"Reproductor HTTP": "Reproductor de compatibilidad", "Copiar dirección": "Copiar enlace", "vosotros": "tú", "vídeo": "video", "ordenador": "computadora", "móvil": "celular", "pulsa": "presiona", "en directo": "en vivo", "huso": "zona horaria", "parrilla": "programación", "subpestaña": "pestaña", "Informar de un problema": "Reportar un problema"},
	FR: {"Lecteur HTTP": "Lecteur de compatibilité", "Copier l’adresse": "Copier le lien", "Ranger": "Enregistrer", "rangez-la": "enregistrez-la", "En service": "À l’antenne", "Hors service": "Hors antenne", "sous-onglet": "onglet"},
	DE: {"HTTP-Player": "Kompatibilitäts-Player", "Reiter": "Tab", "Merken": "Speichern", "ablegen": "speichern", "Abgelegt": "Gespeichert", "Farben": "Design", "Adresse kopieren": "Link kopieren", "Hier wird man fündig": "Damit findest du etwas"},
}

// TestRetiredWords checks that no text has a word that was replaced by a better one.
func TestRetiredWords(t *testing.T) {
	for l, words := range retired {
		for word, instead := range words {
			has := regexp.MustCompile(`(?i)(^|\P{L})` + regexp.QuoteMeta(word) + `($|\P{L})`)
			for key, text := range messages[l] {
				if has.MatchString(text) {
					t.Errorf("%s: %s says %q, where %q is said now: %s", l, key, word, instead, text)
				}
			}
		}
	}
}

// TestMessagesAreSorted keeps the files easy to review and to merge, and each
// key in one file: of an area those that begin with its name.
func TestMessagesAreSorted(t *testing.T) {
	line := regexp.MustCompile(`(?m)^  "([^"]+)":`)
	for _, l := range Locales {
		total := 0
		for _, name := range filesOf(l) {
			data, err := files.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			area := strings.TrimSuffix(filepath.Base(name), l.Tag()+".json")
			for _, m := range line.FindAllSubmatch(data, -1) {
				got = append(got, string(m[1]))
				if !strings.HasPrefix(got[len(got)-1], area) {
					t.Errorf("%s: %s belongs to another area", name, m[1])
				}
			}
			if !slices.IsSorted(got) {
				t.Errorf("%s: the keys are not sorted", name)
			}
			total += len(got)
		}
		if total != len(messages[l]) {
			t.Errorf("%s: the files have %d keys, of which %d differ", l, total, len(messages[l]))
		}
	}
}

// TestPlurals checks that what has one form of a number has the other, and that
// each may say the number.
func TestPlurals(t *testing.T) {
	for key := range messages[PT] {
		stem, form := key[:strings.LastIndexByte(key, '.')+1], key[strings.LastIndexByte(key, '.')+1:]
		if form == "one" && !Has(stem+"other") || form == "other" && Has(stem+"one") != strings.Contains(messages[PT][key], "{n}") {
			t.Errorf("%s: the forms of a number are .one and .other, of which the last says {n}", key)
		}
	}
}

func TestNumber(t *testing.T) {
	for l, want := range map[Locale]string{PT: "1.234.567", EN: "1,234,567", ES: "1.234.567", FR: "1\u00a0234\u00a0567", DE: "1.234.567"} {
		if got := l.Number(1234567); got != want {
			t.Errorf("%s: %q, want %q", l, got, want)
		}
	}
	for _, test := range []struct {
		l    Locale
		n    int
		want string
	}{{EN, 0, "other"}, {EN, 1, "one"}, {EN, 2, "other"}, {FR, 0, "one"}, {FR, 1, "one"}, {FR, 2, "other"}, {PT, 0, "one"}, {ES, 0, "other"}, {DE, 1, "one"}} {
		if got := test.l.pluralForm(test.n); got != test.want {
			t.Errorf("%s: the form of %d is %s, want %s", test.l, test.n, got, test.want)
		}
	}
}

var code = regexp.MustCompile(`fault\.New\(fault\.\w+, "(\w+)"\)|New\(\w+, +"(\w+)"\)`)

func TestDate(t *testing.T) {
	for _, test := range []struct {
		l         Locale
		day, want string
	}{
		{PT, "2023-04-05", "05/04/2023"},
		{EN, "2023-04-05", "5 April 2023"},
		{ES, "2023-04-05", "05/04/2023"},
		{FR, "2023-04-05", "05/04/2023"},
		{DE, "2023-04-05", "05.04.2023"},
		{EN, "2023-02-31", "2023-02-31"},
		{EN, "soon", "soon"},
	} {
		if got := test.l.Date(test.day); got != test.want {
			t.Errorf("%s in %v is %q, want %q", test.day, test.l, got, test.want)
		}
	}
}

// TestFaultsHaveTexts reads the source of the service for the codes of its
// faults: each has a text in every locale.
func TestFaultsHaveTexts(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return skipHidden(path, d, err)
		}
		data, err := os.ReadFile(path)
		for _, m := range code.FindAllStringSubmatch(string(data), -1) {
			found++
			if key := "fault." + m[1] + m[2]; !Has(key) {
				t.Errorf("%s: no text %s", path, key)
			}
		}
		return err
	})
	if err != nil || found < 10 {
		t.Errorf("found %d codes of faults, error %v", found, err)
	}
}

// skipHidden leaves out folders that hold no source of ours.
func skipHidden(path string, d fs.DirEntry, err error) error {
	name := filepath.Base(path)
	if err == nil && d.IsDir() && (name == "node_modules" || strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "..")) {
		return fs.SkipDir
	}
	return err
}

func TestT(t *testing.T) {
	for _, test := range []struct {
		l      Locale
		key    string
		fields map[string]any
		want   string
	}{
		{EN, "fault.not_found", nil, "There is nothing at this address."},
		{DE, "reason.too_long", map[string]any{"bound": 40}, "Es darf höchstens 40 Zeichen haben."},
		{PT, "reason.too_large", map[string]any{"bound": 1e8}, "O maior valor aceito é 100000000."},
		{ES, "reason.too_small", map[string]any{"bound": -0.5}, "El menor valor aceptado es -0.5."},
		{EN, "reason.not_listed", map[string]any{"bound": []string{"tv", "radio"}}, "The values accepted are: tv, radio."},
		{EN, "reason.too_long", map[string]any{"other": 1}, "It may have at most {bound} characters."},
		{EN, "reason.too_long", map[string]any{"bound": "{bound}"}, "It may have at most {bound} characters."},
		{FR, "no.such.key", nil, "no.such.key"},
	} {
		if got := test.l.T(test.key, test.fields); got != test.want {
			t.Errorf("%s.T(%q, %v) = %q, want %q", test.l, test.key, test.fields, got, test.want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		header string
		want   Locale
	}{
		{"", PT},
		{"pt-PT,en;q=0.5", PT},
		{"en-GB,en;q=0.9", EN},
		{"de-AT;q=0.3,fr-CA;q=0.8", FR},
		{"es-419", ES},
		{"zh-CN,ja", PT},
		{"zh-CN,de;q=0.1", DE},
		{"*", PT},
		{"de;q=0,fr;q=0.1", FR},
		{"xx,;;q=", PT},
		{"de," + strings.Repeat("x", maxHeader), PT},
	} {
		for range 2 { // the second answer comes from what is kept
			if got := Match(test.header); got != test.want {
				t.Errorf("Match(%.40q) = %s, want %s", test.header, got, test.want)
			}
		}
	}
}

// TestMatchCacheIsBounded checks that callers can neither fill the memory
// with headers nor keep other callers' headers out of the cache.
func TestMatchCacheIsBounded(t *testing.T) {
	for i := range 3 * maxHeaders {
		Match(fmt.Sprintf("de;q=0.%d", i))
		n := 0
		matches.Load().locales.Range(func(any, any) bool { n++; return true })
		if n > maxHeaders {
			t.Fatalf("%d headers are kept, over %d", n, maxHeaders)
		}
	}
	for range maxHeaders + 2 { // the last header may be the one that makes room
		if Match("fr-BE"); isKept("fr-BE") {
			return
		}
	}
	t.Error("a header that comes again is never kept")
}

func isKept(header string) bool {
	_, ok := matches.Load().locales.Load(header)
	return ok
}

func TestFind(t *testing.T) {
	for _, l := range Locales {
		if got, ok := Find(l.Tag()); got != l || !ok {
			t.Errorf("Find(%q) = %s, %t", l.Tag(), got, ok)
		}
	}
	if l, ok := Find("xx"); ok || l != PT {
		t.Errorf("Find(xx) = %s, %t", l, ok)
	}
}

func TestLanguageCode(t *testing.T) {
	for in, want := range map[string]string{
		"pt": "por", "por": "por", "POR": "por", " de ": "deu", "ger": "deu", "deu": "deu",
		"chi": "zho", "zh": "zho", "cmn": "cmn", "nor": "nor", "no": "nor", "nob": "nob", "sgn": "sgn",
		"German": "deu", "portuguese": "por", "chinese": "zho", "norwegian": "nor",
		"": "", "und": "", "xq": "", "p": "", "klingonish": "", "por\x00": "", "ü": "",
		strings.Repeat("a", 1000): "",
	} {
		if got, ok := LanguageCode(in); got != want || ok != (want != "") {
			t.Errorf("LanguageCode(%.20q) = %q, %t, want %q", in, got, ok, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		name func(string, Locale) (string, bool)
		code string
		want [5]string
	}{
		{LanguageName, "por", [5]string{"Português", "Portuguese", "Portugués", "Portugais", "Portugiesisch"}},
		{LanguageName, "nor", [5]string{"Norueguês", "Norwegian", "Noruego", "Norvégien", "Norwegisch"}},
		{LanguageName, "zho", [5]string{"Chinês", "Chinese", "Chino", "Chinois", "Chinesisch"}},
		{LanguageName, "cmn", [5]string{"Mandarim", "Mandarin Chinese", "Chino mandarín", "Mandarin", "Mandarin"}},
		{LanguageName, "fil", [5]string{"Filipino", "Filipino", "Filipino", "Filipino", "Filipino"}},
		{LanguageName, "tgl", [5]string{"Tagalo", "Tagalog", "Tagalo", "Tagalog", "Tagalog"}},
		{LanguageName, "sgn", [5]string{}},
		{LanguageName, "und", [5]string{}},
		{LanguageName, "not a code", [5]string{}},
		{CountryName, "BR", [5]string{"Brasil", "Brazil", "Brasil", "Brésil", "Brasilien"}},
		{CountryName, "GB", [5]string{"Reino Unido", "United Kingdom", "Reino Unido", "Royaume-Uni", "Vereinigtes Königreich"}},
		{CountryName, "XK", [5]string{"Kosovo", "Kosovo", "Kosovo", "Kosovo", "Kosovo"}},
		{CountryName, "MK", [5]string{"Macedônia do Norte", "North Macedonia", "Macedonia del Norte", "Macédoine du Nord", "Nordmazedonien"}},
		{CountryName, "SZ", [5]string{"Essuatíni", "Eswatini", "Esuatini", "Eswatini", "Eswatini"}},
		{CountryName, "ZZ", [5]string{}},
		{CountryName, "br", [5]string{}},
		{CountryName, "001", [5]string{}},
	} {
		var got [5]string
		for _, l := range Locales {
			name, ok := test.name(test.code, l)
			if ok != (name != "") {
				t.Errorf("%s in %s: %q, %t", test.code, l, name, ok)
			}
			got[l] = name
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("names of %s (-want +got):\n%s", test.code, diff)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Match("pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7")
	}
}

// TestShortCode shortens codes of languages.
func TestShortCode(t *testing.T) {
	for code, want := range map[string]string{"por": "pt", "deu": "de", "pt": "pt", "ast": "ast", "": "", "no such": "no such"} {
		if got := ShortCode(code); got != want {
			t.Errorf("ShortCode(%q) = %q, want %q", code, got, want)
		}
	}
}
