package index_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// knownRegister returns channels and stations with names like those of the world.
func knownRegister() *catalog.Register {
	reg := &catalog.Register{
		Categories: []catalog.Category{{ID: "news", Name: catalog.Labels{"Notícias", "News", "Noticias", "Actualités", "Nachrichten"}}, {ID: "music", Name: catalog.Labels{"Música", "Music", "Música", "Musique", "Musik"}}},
		Languages: []catalog.Term{
			{Code: "eng", Name: catalog.Labels{"inglês", "English", "inglés", "anglais", "Englisch"}},
			{Code: "por", Name: catalog.Labels{"português", "Portuguese", "portugués", "portugais", "Portugiesisch"}},
			{Code: "rus", Name: catalog.Labels{"russo", "Russian", "ruso", "russe", "Russisch"}},
		},
		Countries: []catalog.Term{
			{Code: "BR", Name: catalog.Labels{"Brasil", "Brazil", "Brasil", "Brésil", "Brasilien"}},
			{Code: "GB", Name: catalog.Labels{"Reino Unido", "United Kingdom", "Reino Unido", "Royaume-Uni", "Vereinigtes Königreich"}},
		},
	}
	tv := func(id, name, country string, guides int, change func(*catalog.Record)) {
		r := catalog.Record{ID: id, Name: name, Country: country, GuideSites: guides}
		if change != nil {
			change(&r)
		}
		reg.Records = append(reg.Records, r)
	}
	radio := func(id, name, country string, votes int, tags ...string) {
		reg.Records = append(reg.Records, catalog.Record{
			ID: id, Kind: catalog.Station, Name: name, Country: country, Radio: &catalog.Radio{Tags: tags, Votes: votes},
		})
	}
	tv("BBCOne.uk", "BBC One", "GB", 30, func(r *catalog.Record) {
		r.FeedNames = []catalog.FeedName{{Feed: "Scotland", Name: "Scotland"}, {Feed: "Wales", Name: "BBC One Wales"}}
		r.Languages = []string{"eng"}
	})
	tv("RTP1.pt", "RTP1", "PT", 5, nil)
	tv("Antena3.es", "Antena 3", "ES", 9, nil)
	tv("TeleSUR.ve", "TeleSUR", "VE", 4, nil)
	tv("CanalPlus.fr", "Canal+", "FR", 8, nil)
	tv("CanalSur.es", "Canal Sur", "ES", 8, nil)
	tv("Perviy.ru", "Первый канал", "RU", 8, func(r *catalog.Record) { r.Languages = []string{"rus"} })
	tv("Match.ru", "Match TV", "RU", 3, func(r *catalog.Record) { r.Languages = []string{"rus"} })
	tv("GloboNews.br", "GloboNews", "BR", 9, func(r *catalog.Record) { r.Categories, r.Languages = []string{"news"}, []string{"por"} })
	tv("Record.br", "Record", "BR", 9, nil)
	tv("India.ru", "India", "RU", 1, nil)
	tv("WorldNews.uk", "World News", "GB", 9, func(r *catalog.Record) { r.Categories, r.Languages = []string{"news"}, []string{"eng"} })
	tv("Tagesschau.de", "tagesschau24", "DE", 6, nil)
	radio("rb.four", "BBC Radio 4", "GB", 90_000, "talk")
	radio("rb.uganda", "Radio 4", "UG", 9)
	radio("rb.kissgb", "Kiss", "GB", 400)
	radio("rb.kissua", "Kiss", "UA", 500)
	radio("rb.rock", "Best of the Eighties", "BR", 50, "rock", "80s")
	for i := range reg.Records { // each has a stream, so that a search without a choice finds it
		reg.Records[i].Streams = []catalog.StreamRecord{{ID: catalog.StreamID(i + 1), URL: "https://a.example/", Kind: "hls", Playable: true}}
	}
	return reg
}

// TestRelevance checks what people find first by what they type.
func TestRelevance(t *testing.T) {
	v := index.NewView(build(t, knownRegister()), index.Overlay{}, links)
	for _, c := range []struct{ about, q, near, want string }{
		{"a name", "bbc one", "", "BBCOne.uk"},
		{"letters and digits together", "bbc1", "", "BBCOne.uk"},
		{"a number for a word", "bbc 1", "", "BBCOne.uk"},
		{"a word for a number", "rtp um", "", "RTP1.pt"},
		{"parted", "rtp 1", "", "RTP1.pt"},
		{"joined", "antena3", "", "Antena3.es"},
		{"a number in another language", "antena trei", "", "Antena3.es"},
		{"a word parted", "tele sur", "", "TeleSUR.ve"},
		{"a sign as a word", "canal plus", "", "CanalPlus.fr"},
		{"a sign", "canal+", "", "CanalPlus.fr"},
		{"what a feed adds", "bbc one scotland", "", "BBCOne.uk"},
		{"the whole name of a feed", "bbc one wales", "", "BBCOne.uk"},
		{"a name in another script, in Latin", "pervyy kanal", "", "Perviy.ru"},
		{"a Latin name in another script", "матч тв", "", "Match.ru"},
		{"half a name", "globon", "", "GloboNews.br"},
		{"two letters wrong", "tagesshcau24", "", "Tagesschau.de"},
		{"a letter wrong in a part of a name", "tagesshau", "", "Tagesschau.de"},
		{"words that say nothing", "watch bbc one live online free", "", "BBCOne.uk"},
		{"a country and a category", "brazil news", "", "GloboNews.br"},
		{"words of another language", "brasil notícias", "", "GloboNews.br"},
		{"a category in a language", "news in english", "", "WorldNews.uk"},
		{"a genre and a decade", "rock 80s", "", "rb.rock"},
		{"an exact name that nobody knows", "radio 4", "", "rb.four"},
		{"the same name", "kiss", "", "rb.kissua"},
		{"the same name where it is heard", "kiss", "GB", "rb.kissgb"},
	} {
		docs, _ := v.Find(index.Query{Selection: filter.Selection{Q: c.q, Kind: "all", Sort: "relevance", Playable: true}, Limit: 1, Home: c.near})
		got := "nothing"
		if len(docs) > 0 {
			got = v.ID(docs[0])
		}
		if got != c.want {
			t.Errorf("%s: %q finds %s first, want %s", c.about, c.q, got, c.want)
		}
	}
}

// TestLiteral checks that words between quotation marks are only names.
func TestLiteral(t *testing.T) {
	v := index.NewView(build(t, knownRegister()), index.Overlay{}, links)
	for q, want := range map[string][]string{
		`"record"`:     {"Record.br"},
		`"brazil"`:     nil,
		`"world" news`: {"WorldNews.uk"},
		`"`:            nil,
		`""`:           nil,
	} {
		docs, _ := v.Find(index.Query{Selection: filter.Selection{Q: q, Kind: "all", Sort: "relevance"}, Limit: 10})
		var got []string
		for _, doc := range docs {
			got = append(got, v.ID(doc))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
}

// TestRelevanceOrder checks that the pages of a search by relevance are parts of
// one order of all matches, which has each match once and passes the filters.
func TestRelevanceOrder(t *testing.T) {
	reg := indextest.Synthetic(77, 3000)
	v := index.NewView(build(t, reg), indextest.Overlay(3, reg), links)
	r := rand.New(rand.NewPCG(5, 6))
	large := 0
	for range 150 {
		q := indextest.Query(r, reg)
		q.Sort, q.Home = "relevance", []string{"", "BR", "DE", "nowhere"}[r.IntN(4)]
		if q.Q == "" || r.IntN(3) == 0 {
			q.Q = []string{"n", "radio", "globo news", "news brasil", "россия", `"sport" tv`, "zürich fünf", "a b c d e f g h i j k l"}[r.IntN(8)]
		}
		q.Offset, q.Limit = 0, 500
		_, total := v.Find(q)
		all := v.Matches(q)
		if len(all) != total {
			t.Fatalf("%+v: %d matches, total %d", q, len(all), total)
		}
		if seen := slices.Compact(slices.Sorted(slices.Values(all))); len(seen) != total {
			t.Fatalf("%+v: %d of %d matches are there twice", q, total-len(seen), total)
		}
		if total > 200 {
			large++
		}
		for q.Limit = 7; q.Offset < total+7; q.Offset += 1 + r.IntN(40) {
			page, again := v.Find(q)
			want := all[min(q.Offset, total):min(q.Offset+q.Limit, total)]
			if d := cmp.Diff(want, page); again != total || len(want)+len(page) > 0 && d != "" {
				t.Fatalf("page %d of %+v: total %d, want %d; (-want +got):\n%s", q.Offset, q, again, total, d)
			}
		}
		q.Q, q.Sort, q.Offset, q.Limit = "", "name", 0, 500
		for _, doc := range all {
			if _, ok := slices.BinarySearch(slices.Sorted(slices.Values(v.Matches(q))), doc); !ok {
				t.Fatalf("%+v: %s does not pass the filters", q, v.ID(doc))
			}
			if r.IntN(50) == 0 {
				break // a few are enough
			}
		}
	}
	if large < 10 {
		t.Errorf("only %d searches found more than their candidates", large)
	}
}

// FuzzRelevance looks for anything.
func FuzzRelevance(f *testing.F) {
	v := index.NewView(build(f, knownRegister()), index.Overlay{}, links)
	for _, q := range []string{
		"bbc one", `"`, `"a" "b`, "++++", "a+", "+1", strings.Repeat("news ", 40), strings.Repeat("ab", 100), "матч тв", "央视", "\xff\xfe", "e\u0301", "😀 live",
		"one two three four five six seven eight nine ten eleven", "brazil news in english", "\x00", strings.Repeat("1a", 60),
	} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := index.Query{Selection: filter.Selection{Q: text, Kind: "all", Sort: "relevance"}, Limit: 50}
		docs, total := v.Find(q)
		if again, n := v.Find(q); !slices.Equal(docs, again) || n != total {
			t.Errorf("%q finds %v of %d, then %v of %d", text, docs, total, again, n)
		}
		if len(docs) != min(total, 50) {
			t.Errorf("%q: %d on the first page of %d", text, len(docs), total)
		}
	})
}
