package part

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// cardRegister returns a catalog whose cards differ in every text and mark that a
// card may have, two of them with hostile texts.
func cardRegister() *catalog.Register {
	reg := &catalog.Register{BuiltAt: webtest.Now, Categories: []catalog.Category{{ID: "news", Name: catalog.Labels{"Notícias", "News", "Noticias", "Infos", "Nachrichten"}}}}
	add := func(r catalog.Record) {
		id := catalog.StreamID(len(reg.Records) + 1)
		r.Origin = "iptv-org"
		r.Streams = []catalog.StreamRecord{{ID: id, URL: fmt.Sprintf("https://live.example/%d.m3u8", id), Kind: catalog.StreamHLS, Origin: r.Origin, Quality: r.Quality, Playable: true}}
		reg.Records = append(reg.Records, r)
	}
	for i := range 32 {
		r := catalog.Record{ID: fmt.Sprintf("C%02d.br", i), Name: fmt.Sprintf("Canal %02d", i)}
		if i&1 > 0 {
			r.Country = "BR"
		}
		if i&2 > 0 {
			r.Categories = []string{"news"}
		}
		if i&4 > 0 {
			r.Quality = "720p"
		}
		if i&8 > 0 {
			r.Kind, r.Radio = catalog.Station, &catalog.Radio{}
		}
		if i&16 > 0 {
			r.Name = "«…»"
		}
		add(r)
	}
	add(catalog.Record{ID: `<i>"'&/?#`, Name: webtest.HostileName, Country: "XX", Categories: []string{webtest.HostileName}, Quality: webtest.HostileName})
	add(catalog.Record{ID: "rb.3", Kind: catalog.Station, Name: webtest.HostileName, Radio: &catalog.Radio{}})
	return reg
}

// measured returns a measurement with a score.
func measured(score int, online bool) *catalog.Measurement {
	checked := "2026-11-22T11:00:00Z"
	m := &catalog.Measurement{Health: catalog.StreamHealth{Status: "online", Score: &score, CheckedAt: &checked}}
	if online {
		m.OnlineAt = webtest.Now
	}
	return m
}

// TestCards compares cards with what their template writes, in every locale, both
// when their stamp is made and when it is reused.
func TestCards(t *testing.T) {
	shown := webtest.Show(t, cardRegister(), index.Overlay{
		OnlineSince: webtest.Now.Add(-time.Hour),
		Logos:       maps.All(map[string]string{"C03.br": "logo-3", "C04.br": "0123456789abcdef--d", "C05.br": "0123456789abcdef--a", "C06.br": "0123456789abcdef--1f5f92", `<i>"'&/?#`: `"><script>`}),
		Streams:     maps.All(map[catalog.StreamID]*catalog.Measurement{1: measured(20, false), 2: measured(50, true), 3: measured(99, true)}),
	})
	pages := page.NewRenderer(webtest.Links)
	compared := 0
	for _, l := range i18n.Locales {
		v := pages.View(site.Home, l, nil)
		for _, c := range NewCards(v, shown.Snapshot.Cards(index.Query{Selection: filter.Selection{Kind: "all"}, Limit: 100}, int(l)).Cards, nil, webtest.Now) {
			if c.ID == "C05.br" {
				c.Now = webtest.HostileName
			}
			for range 2 {
				got, err := Cards{c}.HTML()
				var want strings.Builder
				if err := page.Fill(&want, "_card.html", c); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(webtest.Normal(t, want.String()), webtest.Normal(t, string(got))); d != "" || err != nil {
					t.Fatalf("%s in %s, %v (-template +card):\n%s", c.ID, l, err, d)
				}
			}
			compared++
		}
	}
	if compared != 34*len(i18n.Locales) {
		t.Errorf("%d cards", compared)
	}
}

// TestChips compares chips with what their template writes.
func TestChips(t *testing.T) {
	for name, c := range map[string]Chip{
		"a kind":      {ID: "kind-tv", Text: "TV", Href: "/?kind=tv", Count: "64"},
		"the kind":    {ID: "kind-tv", Text: "TV", Href: "/?kind=tv", Count: "64", Current: true},
		"a country":   {Text: "Brasil", Href: "/brasil", Count: "2.000", Flag: "/assets/flags-1.svg#br"},
		"hostile":     {ID: webtest.HostileName, Text: webtest.HostileName, Href: "/?q=%3Cscript%3E&tag=a+%22b%22", Count: "1"},
		"a plus sign": {ID: "topic-a+b", Text: "A+B & 'C'", Href: "/?tag=a%2Bb", Count: "1"},
	} {
		for range 2 {
			got, err := c.HTML()
			var want strings.Builder
			if err := page.Fill(&want, "_chip.html", c); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(webtest.Normal(t, want.String()), webtest.Normal(t, string(got))); d != "" || err != nil {
				t.Errorf("%s, %v (-template +chip):\n%s", name, err, d)
			}
		}
	}
}
