package index_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// hinted returns a catalog with channels to be understood, corrected and missed.
func hinted(t testing.TB) *index.View {
	t.Helper()
	reg := &catalog.Register{
		Categories: []catalog.Category{{ID: "news", Name: catalog.Labels{"Notícias", "News", "Noticias", "Infos", "Nachrichten"}}, {ID: "xxx"}},
		Gone: []catalog.Gone{
			{ID: "Folded.br", Name: "Folded", Country: "BR", Reason: catalog.GoneClosed, Since: "2023-05-31", ReplacedBy: "Middle.br"},
			{ID: "Lost.br", Name: "Lost", Country: "BR", Reason: catalog.GoneVanished, Since: "2026-03-01"},
			{ID: "Middle.br", Name: "Middle", Country: "BR", Reason: catalog.GoneClosed, ReplacedBy: "GloboNews.br"},
			{ID: "Ne.fr", Name: "Ne", Reason: catalog.GoneClosed},
			{ID: "OldGlobo.br", Name: "Globo Velha", Reason: catalog.GoneClosed},
			{ID: "OldNews.br", Name: "Old News", Reason: catalog.GoneClosed},
			{ID: "rb.9", Name: "Lost", Country: "FR", Kind: catalog.Station, Reason: catalog.GoneClosed},
		},
	}
	add := func(r catalog.Record, playable bool) {
		r.Origin = "iptv-org"
		r.Streams = []catalog.StreamRecord{{ID: catalog.StreamID(len(reg.Records) + 1), URL: "https://o.example/x", Kind: catalog.StreamHLS, Origin: r.Origin, Playable: playable}}
		reg.Records = append(reg.Records, r)
	}
	for _, name := range []string{"Globo News", "Record News", "Band News", "Jovem Pan News"} {
		add(catalog.Record{ID: strings.ReplaceAll(name, " ", "") + ".br", Name: name, Country: "BR", Categories: []string{"news"}}, true)
	}
	add(catalog.Record{ID: "France24.fr", Name: "France 24", Country: "FR", Categories: []string{"news"}, FeedNames: []catalog.FeedName{
		{Feed: "English", Name: "English"}, {Feed: "a b&c", Name: "Español"}, {Feed: "", Name: "F24"}, {Feed: "FR", Name: "France 24"},
	}}, true)
	add(catalog.Record{ID: "Brasil.br", Name: "Brasil", Country: "BR"}, true)
	add(catalog.Record{ID: "Silent.br", Name: "Silent", AltNames: []string{"News"}, Country: "BR"}, false)
	add(catalog.Record{ID: "Barred.br", Name: "Barred", Country: "BR"}, true)
	add(catalog.Record{ID: "Adult.br", Name: "Adult Only", Country: "BR", Categories: []string{"xxx"}}, false)
	add(catalog.Record{ID: "rb.1", Name: "Clássica", Country: "FR", Kind: catalog.Station, Radio: &catalog.Radio{}}, true)
	return index.NewView(build(t, reg), index.Overlay{BlockedChannels: []string{"Barred.br"}}, links)
}

// byRelevance returns the page of a search by relevance.
func byRelevance(t testing.TB, v *index.View, s filter.Selection) catalog.Page {
	t.Helper()
	s.Sort = filter.ByRelevance
	var p catalog.Page
	if err := json.Unmarshal(v.Search(index.Query{Selection: s, Limit: 20}, int(i18n.EN), nil), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestUnderstood(t *testing.T) {
	v := hinted(t)
	for _, test := range []struct{ q, kind, want string }{
		{"Brazil  NEWS", "all", `; country=BR Brazil (brazil) without "NEWS" or literally "\"brazil\" NEWS"; category=news News (news) without "Brazil" or literally "Brazil \"news\""`},
		{"globo in brasil", "tv", `globo; country=BR Brazil (brasil) without "globo in" or literally "globo in \"brasil\""`},
		{"news", "tv", `; category=news News (news) without "" or literally "\"news\""`},
		{"brasil", "tv", `; country=BR Brazil (brasil) without "" or literally "\"brasil\""`}, // although a channel is called so
		{"france 24", "tv", ""},          // a channel is called so
		{"france 24 english", "all", ""}, // and a feed of it so
		{"globo news", "tv", ""},
		{`"brazil" "news"`, "all", ""},
		{`globo "brasil"`, "all", ""},
		{"globo", "all", ""},
		{"news", "radio", ""}, // no station has the category
		{"!!!", "all", ""},
	} {
		p := byRelevance(t, v, filter.Selection{Q: test.q, Kind: test.kind, Playable: true})
		got := ""
		if p.Understood != nil {
			got = p.Understood.Text
			for _, f := range p.Understood.Filters {
				got += fmt.Sprintf("; %s=%s %s (%s) without %q or literally %q", f.Filter, f.Value, f.Label, f.Words, f.Without, f.Literal)
			}
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%q in %s (-want +got):\n%s", test.q, test.kind, d)
		}
	}
}

func TestSuggestions(t *testing.T) {
	v := hinted(t)
	for _, test := range []struct {
		s    filter.Selection
		want []string
	}{
		{filter.Selection{Q: "globo news", Kind: "tv"}, nil},
		{filter.Selection{Q: "news", Kind: "tv"}, nil}, // which is another name of a channel that is not shown
		{filter.Selection{Q: "ne", Kind: "tv"}, []string{"known Ne has closed. Ne.fr closed"}},
		{filter.Selection{Q: "glbo news", Kind: "all"}, []string{"spelling Did you mean “globo news”? q=globo+news&sort=relevance&kind=all 1"}},
		{filter.Selection{Q: "globo zzzz", Kind: "all"}, []string{"drop Search only for “globo” q=globo&sort=relevance&kind=all 1"}},
		{filter.Selection{Q: "clássica", Kind: "tv"}, []string{"filter Look among TV and radio q=cl%C3%A1ssica&sort=relevance&kind=all 1"}},
		{filter.Selection{Q: "globo", Kind: "tv", Country: "FR"}, []string{
			"known Globo Velha has closed. OldGlobo.br closed",
			"filter Without the filter France q=globo&sort=relevance 1",
		}},
		{filter.Selection{Q: "globo", Kind: "tv", Country: "ZZ", Category: "zz"}, []string{"known Globo Velha has closed. OldGlobo.br closed"}},
		{filter.Selection{Q: "silent", Kind: "all"}, []string{
			"known Silent (Brazil) is known, but has no working stream. Silent.br no_stream",
			"filter Include channels that did not work q=silent&playable=0&sort=relevance&kind=all 1",
		}},
		{filter.Selection{Q: "barred", Kind: "all"}, []string{"known Barred (Brazil) is known, but may not be shown here. Barred.br blocked"}},
		{filter.Selection{Q: "folded", Kind: "tv"}, []string{"known Folded (Brazil) closed on 31 May 2023 and was replaced by Globo News. Folded.br replaced 2023-05-31 by GloboNews.br"}},
		{filter.Selection{Q: "lost", Kind: "tv"}, []string{"known Lost (Brazil) has not been listed by the sources of the catalog since 1 March 2026. Lost.br vanished 2026-03-01"}},
		{filter.Selection{Q: "lost", Kind: "radio"}, []string{"known Lost (France) has closed. rb.9 closed"}},
		{filter.Selection{Q: "adult only", Kind: "tv"}, []string{"filter Include channels that did not work q=adult+only&playable=0&sort=relevance 1"}},
		{filter.Selection{Q: "", Kind: "tv", Country: "ZZ"}, nil},
		{filter.Selection{Q: "!!!", Kind: "tv"}, nil},
	} {
		test.s.Playable = true
		if d := cmp.Diff(test.want, suggested(byRelevance(t, v, test.s).Suggestions)); d != "" {
			t.Errorf("%+v (-want +got):\n%s", test.s, d)
		}
	}
}

// suggested returns suggestions as lines.
func suggested(list []catalog.Suggestion) (lines []string) {
	for _, s := range list {
		line := s.Type + " " + s.Label
		if s.Query != nil {
			line += fmt.Sprint(" ", *s.Query, " ", *s.Count)
		}
		if c := s.Channel; c != nil {
			line += " " + c.ID + " " + c.Reason
			if c.Since != nil {
				line += " " + *c.Since
			}
			if c.ReplacedBy != nil {
				line += " by " + c.ReplacedBy.ID
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// TestSuggestedCounts checks that the query of a suggestion finds what it says.
func TestSuggestedCounts(t *testing.T) {
	v := hinted(t)
	counted := 0
	for _, q := range []string{"glbo news", "globo zzzz", "silent", "clássica", "frnce 24", "record quiet"} {
		for _, g := range byRelevance(t, v, filter.Selection{Q: q, Kind: "tv", Playable: true}).Suggestions {
			if g.Query == nil {
				continue
			}
			values, err := url.ParseQuery(*g.Query)
			if err != nil {
				t.Fatal(err)
			}
			s := filter.Selection{Q: values.Get("q"), Kind: values.Get("kind"), Playable: values.Get("playable") != "0"}
			counted++
			if p := byRelevance(t, v, s); p.Total < *g.Count || *g.Count == 0 {
				t.Errorf("%q: ?%s finds %d, want %d", q, *g.Query, p.Total, *g.Count)
			}
		}
	}
	if counted < 5 {
		t.Errorf("only %d suggestions have a query: the test checks little", counted)
	}
}

func TestMatched(t *testing.T) {
	v := hinted(t)
	for q, want := range map[string]string{
		"france 24 english": "France 24 English English https://base.example/api/channels/France24.fr?feed=English",
		"france 24 espanol": "France 24 Español a b&c https://base.example/api/channels/France24.fr?feed=a+b%26c",
		"english france":    "France 24 English English https://base.example/api/channels/France24.fr?feed=English",
		"france 24":         "", "france": "", "f24": "", "24": "", "globo news": "",
	} {
		p := byRelevance(t, v, filter.Selection{Q: q, Kind: "all", Playable: true})
		got := ""
		if len(p.Items) == 0 {
			t.Errorf("%q finds nothing", q)
		} else if m := p.Items[0].Matched; m != nil {
			got = m.Name + " " + m.Feed + " " + m.API
		}
		if got != want {
			t.Errorf("%q: matched %q, want %q", q, got, want)
		}
	}
	var p catalog.Page
	page := v.Search(index.Query{Selection: filter.Selection{Q: "france 24 english", Kind: "all"}, Limit: 20}, 0, nil)
	if err := json.Unmarshal(page, &p); err != nil || len(p.Items) != 0 || strings.Contains(string(page), "understood") {
		t.Errorf("%v, a search by name has hints: %s", err, page)
	}
}

// FuzzHints checks that the page of any search by relevance is what encoding/json
// writes of it, and keeps its promises.
func FuzzHints(f *testing.F) {
	for _, q := range []string{
		"", "brazil news", `"brazil`, `""" brasil "`, "globo\x00news", "\xff\xfe", "📺 news", "frnce \u2028 24", "ne\\ws {name} <b>", "silent&q=x#?",
		strings.Repeat("news ", 40), strings.Repeat("é", 200), strings.Repeat(`"`, 200), "央视 新闻", "france 24 english", "glbo nws zz",
	} {
		f.Add(q, uint8(0))
	}
	v := hinted(f)
	f.Fuzz(func(t *testing.T, q string, n uint8) {
		if utf8.RuneCountInString(q) > 200 {
			return
		}
		s := filter.Selection{Q: q, Kind: filter.Kinds[n%3], Sort: filter.ByRelevance, Playable: n&4 == 0}
		if n&8 != 0 {
			s.Country = q
		}
		locale := i18n.Locales[int(n>>4)%len(i18n.Locales)]
		got := v.Search(index.Query{Selection: s, Limit: int(n % 7), Offset: int(n % 5)}, int(locale), nil)
		var p catalog.Page
		if err := json.Unmarshal(got, &p); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if d := cmp.Diff(encode(t, p), string(got)); d != "" && utf8.ValidString(q) {
			t.Errorf("(-encoding/json +Search):\n%s", d)
		}
		if len(p.Suggestions) > 5 || p.Understood != nil && len(p.Understood.Filters) == 0 {
			t.Errorf("%d suggestions, understood %+v", len(p.Suggestions), p.Understood)
		}
		types := []string{"known", "spelling", "drop", "filter"}
		for i, g := range p.Suggestions {
			if i > 0 && slices.Index(types, g.Type) < slices.Index(types, p.Suggestions[i-1].Type) || strings.TrimSpace(g.Label) == "" {
				t.Errorf("suggestion %d of %q is %+v", i, q, g)
			}
		}
	})
}
