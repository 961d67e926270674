package meaning_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/meaning"
	"miramundo.dev/shared/i18n"
)

// terms returns codes with their names in the locales.
func terms(codes string, name func(string, i18n.Locale) (string, bool)) (all []catalog.Term) {
	for code := range strings.FieldsSeq(codes) {
		t := catalog.Term{Code: code}
		for i, l := range i18n.Locales {
			t.Name[i], _ = name(code, l)
		}
		all = append(all, t)
	}
	return all
}

// sample is a catalog of most countries and languages and of some places,
// where each value has 100 records, and Ga and Vai, languages with short names, have 5.
func sample() meaning.Catalog {
	c := meaning.Catalog{
		Countries: terms("AD AE AF AL AM AO AR AT AU AZ BA BD BE BG BH BO BR BY CA CD CG CH CI CL CM CN CO CR CU CV CY CZ DE DK DO DZ EC EE EG ES ET FI FR GB GE GH GR GT HN HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KP KR KW KZ LB LK LT LU LV LY MA MD ME MG MK ML MM MN MT MX MY MZ NG NI NL NO NP NZ PA PE PH PK PL PR PS PT PY QA RO RS RU SA SD SE SG SI SK SN SO SV SY TD TH TN TR TT TW TZ UA UG US UY UZ VE VN XK YE ZA ZM ZW", i18n.CountryName),
		Languages: terms("ara ben bul cat ces dan deu ell eng est fas fin fra gaa heb hin hrv hun ind ita jpn kat kor lat lav lit mkd nld nor pol por ron rus slk slv spa sqi srp swe tam tgl tha tur ukr urd vai vie zho", i18n.LanguageName),
		Subdivisions: []catalog.Subdivision{
			{Code: "DE-BY", Country: "DE", Name: "Bayern"}, {Code: "DE-BE", Country: "DE", Name: "Berlin"}, {Code: "BR-SP", Country: "BR", Name: "São Paulo"},
			{Code: "US-CA", Country: "US", Name: "California"}, {Code: "US-GA", Country: "US", Name: "Georgia"}, {Code: "ES-CT", Country: "ES", Name: "Catalunya [Cataluña]"}, {Code: "RU-TA", Country: "RU", Name: "Tatarstan, Respublika"},
		},
		Cities: []catalog.City{
			{Code: "DEMUC", Country: "DE", Name: "Munich"}, {Code: "DECGN", Country: "DE", Name: "Köln"}, {Code: "PTLIS", Country: "PT", Name: "Lisboa"},
			{Code: "FRNCE", Country: "FR", Name: "Nice"}, {Code: "BRSAO", Country: "BR", Name: "São Paulo"}, {Code: "USSJC", Country: "US", Name: "San Jose"},
			{Code: "CRSJO", Country: "CR", Name: "San José"}, {Code: "USMOB", Country: "US", Name: "Mobile"},
		},
	}
	c.Count = func(id filter.ID, value string) int {
		known := func(s catalog.Subdivision) bool { return s.Code == value }
		if id == filter.Subdivision && !slices.ContainsFunc(c.Subdivisions, known) {
			return 0
		}
		switch value {
		case "arb", "science":
			return 0
		case "gaa", "vai":
			return 5
		case "USSJC":
			return 900
		}
		return 100
	}
	for id := range strings.FieldsSeq("animation auto business comedy cooking culture documentary education entertainment family general kids legislative movies music news religious science series shop sports travel weather") {
		k := catalog.Category{ID: id}
		for i, l := range i18n.Locales {
			k.Name[i] = l.T("category."+id, nil)
		}
		c.Categories = append(c.Categories, k)
	}
	return c
}

// read returns the spans of a query in words: their text, then each sense with
// its strength.
func read(m *meaning.Meanings, query string) (spans []string) {
	words := bytes.Fields(fold.AppendWords(nil, query))
	for _, s := range m.Append(nil, words) {
		text := string(bytes.Join(words[s.From:s.To], []byte(" "))) + ":"
		for _, sense := range s.Senses {
			text += fmt.Sprintf(" %s=%s", filter.All[sense.Filter].Name, sense.Value)
		}
		spans = append(spans, text)
	}
	return spans
}

func TestAppend(t *testing.T) {
	m := meaning.New(sample())
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"", nil},
		{"globo", nil},
		// Countries: names, codes, adjectives.
		{"brazil news", []string{"brazil: country=BR", "news: category=news genre=news"}},
		{"usa", []string{"usa: country=US"}},
		{"reino unido", []string{"reino unido: country=GB"}},
		{"UK", []string{"uk: country=GB"}},
		{"united states of america", []string{"united states: country=US", "united states of america: country=US", "america: country=US"}},
		{"rádio brasileira", []string{"radio: kind=radio", "brasileira: country=BR"}},
		{"films brésiliens", []string{"films: category=movies", "bresiliens: country=BR"}},
		{"brasileñas", []string{"brasilenas: country=BR"}},
		{"österreichischer", []string{"osterreichischer: country=AT"}},
		{"Россия", []string{"россия: country=RU"}},
		{"日本", []string{"日 本: country=JP"}},
		{"Türkiye haber", []string{"turkiye: country=TR", "haber: category=news genre=news"}},
		{"korea", []string{"korea: country=KR country=KP"}},
		{"côte d’ivoire", []string{"cote d ivoire: country=CI"}},
		// Languages.
		{"news in english", []string{"news: category=news genre=news", "in english: language=eng", "english: language=eng country=GB"}},
		{"notícias em português", []string{"noticias: category=news genre=news", "em portugues: language=por", "portugues: language=por country=PT"}},
		{"nachrichten auf deutsch", []string{"nachrichten: category=news genre=news", "auf deutsch: language=deu", "deutsch: language=deu country=DE"}},
		{"cine en español", []string{"cine: category=movies genre=soundtracks", "en espanol: language=spa", "espanol: language=spa country=ES"}},
		{"infos en français", []string{"infos: category=news genre=news", "en francais: language=fra", "francais: language=fra country=FR"}},
		{"العربية", []string{"العربيه: language=ara"}},
		// Categories and genres.
		{"deportes", []string{"deportes: category=sports genre=sports"}},
		{"canais religiosos", []string{"canais: kind=tv", "religiosos: category=religious"}},
		{"météo", []string{"meteo: category=weather genre=weather"}},
		{"фильмы", []string{"фильмы: category=movies"}},
		{"新闻", []string{"新 闻: category=news genre=news"}},
		{"ニュース", []string{"ニ ュ ー ス: category=news genre=news"}},
		{"rock 80s", []string{"rock: genre=rock", "80s: genre=80s"}},
		{"80er", []string{"80er: genre=80s"}},
		{"anos 80", []string{"anos 80: genre=80s", "80: genre=80s"}},
		{"techno berlin", []string{"techno: genre=techno", "berlin: subdivision=DE-BE"}},
		{"forró", []string{"forro: genre=forro"}},
		{"hip-hop", []string{"hip hop: genre=hip-hop"}},
		{"ciencia", []string{"ciencia: genre=culture"}}, // no channel is of the category
		// Places, by all their names.
		{"München Munich Munique", []string{"munchen: city=DEMUC subdivision=DE-BY", "munich: city=DEMUC subdivision=DE-BY", "munique: city=DEMUC"}},
		{"Cologne", []string{"cologne: city=DECGN"}},
		{"Lisbon", []string{"lisbon: city=PTLIS"}},
		{"Bavaria", []string{"bavaria: subdivision=DE-BY"}},
		{"Cataluña", []string{"cataluna: subdivision=ES-CT"}},
		{"Tatarstan", []string{"tatarstan: subdivision=RU-TA"}},
		{"радио Казань", []string{"радио: kind=radio", "казань: subdivision=RU-TA"}},
		{"são paulo", []string{"sao paulo: city=BRSAO subdivision=BR-SP"}},
		// Words with several senses, the likeliest first.
		{"georgia", []string{"georgia: subdivision=US-GA country=GE"}},
		{"san jose", []string{"san jose: city=CRSJO city=USSJC"}},
		// Kinds.
		{"canal de tv", []string{"canal: kind=tv", "canal de tv: kind=tv", "tv: kind=tv"}},
	} {
		if d := cmp.Diff(test.want, read(m, test.query)); d != "" {
			t.Errorf("%q (-want +got):\n%s", test.query, d)
		}
	}
}

// strength returns how surely a query of one phrase means a value.
func strength(t *testing.T, m *meaning.Meanings, query, value string) int {
	t.Helper()
	words := bytes.Fields(fold.AppendWords(nil, query))
	for _, s := range m.Append(nil, words) {
		for _, sense := range s.Senses {
			if s.From == 0 && s.To == len(words) && sense.Value == value {
				return int(sense.Strength)
			}
		}
	}
	return 0
}

func TestStrength(t *testing.T) {
	m := meaning.New(sample())
	for _, test := range []struct {
		query, value string
		least, most  int
	}{
		{"usa", "US", 220, 255},
		{"brasil", "BR", 220, 255},
		{"us", "US", 60, 120},
		{"in english", "eng", 240, 255},
		{"news", "news", 200, 255},
		{"golf", "sports", 40, 120},
		{"one", "", 0, 0},
		{"nice", "FRNCE", 1, 64},
		{"mobile", "USMOB", 1, 100},
		{"georgia", "GE", 100, 160},
		{"chad", "TD", 60, 120},
		{"gold", "oldies", 1, 64},
		{"love", "love-songs", 1, 64},
		{"bbc", "public-radio", 0, 32},
		{"ga", "gaa", 1, 64},
		{"island", "IS", 64, 128}, // German for Iceland
		{"latin", "lat", 1, 64},
		{"international", "world", 1, 64},
		{"vai", "vai", 1, 64},
		{"disco polo", "disco", 64, 128}, // of two genres
		{"tamil", "indian", 1, 64},
		{"tamil", "tam", 200, 255},
	} {
		if got := strength(t, m, test.query, test.value); got < test.least || got > test.most {
			t.Errorf("%q means %q with strength %d, want %d to %d", test.query, test.value, got, test.least, test.most)
		}
	}
}

// TestSpoken checks which languages words are said to belong to.
func TestSpoken(t *testing.T) {
	m := meaning.New(sample())
	for query, want := range map[string]string{
		"noticias": "por spa", "nachrichten": "deu", "news": "eng", "новости": "rus", "brasileño": "spa",
		"usa": "", "sport": "", "serie": "", "sports": "", "rock": "", "angola": "", "bayern": "",
	} {
		words := bytes.Fields(fold.AppendWords(nil, query))
		spans := m.Append(nil, words)
		if len(spans) != 1 {
			t.Fatalf("%q has %d spans", query, len(spans))
		}
		if got := strings.Join(slices.Sorted(m.Codes(spans[0].Spoken)), " "); got != want {
			t.Errorf("%q belongs to %q, want %q", query, got, want)
		}
	}
}

// TestLabels checks that the name of every value, in every locale, means it.
func TestLabels(t *testing.T) {
	c := sample()
	m := meaning.New(c)
	check := func(name, value string) {
		if strength(t, m, name, value) == 0 {
			t.Errorf("%q does not mean %s", name, value)
		}
	}
	for l := range i18n.Locales {
		for _, x := range c.Countries {
			check(x.Name[l], x.Code)
		}
		for _, x := range c.Languages {
			check(x.Name[l], x.Code)
		}
		for _, x := range c.Categories {
			if x.ID != "science" {
				check(x.Name[l], x.ID)
			}
		}
		for _, x := range genre.All() {
			check(x.Name[l], x.ID)
		}
	}
}

func TestNoise(t *testing.T) {
	for word, want := range map[string]bool{"live": true, "vivo": true, "de": true, "auf": true, "онлаин": true, "globo": false, "24": false, "news": false, "": false} {
		if got := meaning.Noise([]byte(word)); got != want {
			t.Errorf("Noise(%q) = %t", word, got)
		}
	}
}

// TestAppendReusesMemory checks that reading a query allocates nothing.
func TestAppendReusesMemory(t *testing.T) {
	m := meaning.New(sample())
	words := bytes.Fields([]byte("united states of america rock 80s radio live"))
	dst := m.Append(nil, words)
	if n := testing.AllocsPerRun(100, func() { dst = m.Append(dst[:0], words) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzAppend checks that spans lie within the words, in order, and have senses,
// strongest first.
func FuzzAppend(f *testing.F) {
	m := meaning.New(sample())
	for _, q := range []string{"", "news in english", "united states of america", "sao paulo", strings.Repeat("in ", 200), strings.Repeat("x", 300), "新 闻"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		words := bytes.Fields(fold.AppendWords(nil, q))
		last := meaning.Span{}
		for _, s := range m.Append(nil, words) {
			if s.From < 0 || s.From >= s.To || s.To > len(words) {
				t.Fatalf("%q: span from %d to %d of %d words", q, s.From, s.To, len(words))
			}
			if s.From < last.From || s.From == last.From && s.To <= last.To {
				t.Errorf("%q: span %d-%d after %d-%d", q, s.From, s.To, last.From, last.To)
			}
			if len(s.Senses) == 0 || !slices.IsSortedFunc(s.Senses, func(a, b meaning.Sense) int { return int(b.Strength) - int(a.Strength) }) {
				t.Errorf("%q: senses %v", q, s.Senses)
			}
			last = s
		}
	})
}
