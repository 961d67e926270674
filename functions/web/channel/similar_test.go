package channel

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// similarRegister returns a catalog of channels that share traits with others. All but
// Silent.br play.
func similarRegister() *catalog.Register {
	reg := &catalog.Register{BuiltAt: webtest.Now}
	add := func(r catalog.Record) {
		id := catalog.StreamID(len(reg.Records) + 1)
		r.Origin = "iptv-org"
		kind := catalog.StreamHLS
		if r.Kind == catalog.Station {
			kind = catalog.StreamAudio
		}
		r.Streams = []catalog.StreamRecord{{ID: id, URL: fmt.Sprintf("https://live.example/%d", id), Kind: kind, Origin: r.Origin, Playable: r.ID != "Silent.br"}}
		reg.Records = append(reg.Records, r)
	}
	tv := func(id, country, network, language string, categories ...string) {
		r := catalog.Record{ID: id, Name: id, Country: country, Network: network, Categories: categories}
		if language != "" {
			r.Languages = []string{language}
		}
		add(r)
	}
	station := func(id, country string, votes int, tags ...string) {
		add(catalog.Record{ID: id, Kind: catalog.Station, Name: id, Country: country, Radio: &catalog.Radio{Tags: tags, Votes: votes}})
	}
	tv("Home.br", "BR", "Rede", "por", "news", "general")
	tv("News.br", "BR", "", "por", "news")
	tv("General.br", "BR", "", "por", "general")
	tv("Sister.br", "BR", "Rede", "por", "sports")
	tv("Both.br", "BR", "Rede", "por", "news")
	tv("News.pt", "PT", "", "por", "news")
	tv("News.fr", "FR", "", "fra", "news")
	tv("Kids.br", "BR", "", "por", "kids")
	tv("Kids.fr", "FR", "", "fra", "kids")
	tv("Silent.br", "BR", "Rede", "por", "news")
	tv("Bare.us", "US", "", "")
	tv("Bare.pt", "PT", "", "por")
	station("rb.1", "BR", 10, "jazz", "bossa nova")
	station("rb.2", "BR", 900, "news")
	station("rb.3", "BR", 5, "jazz")
	station("rb.4", "FR", 700, "jazz")
	return reg
}

func TestSimilar(t *testing.T) {
	shown := webtest.Show(t, similarRegister(), index.Overlay{})
	s := New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: shown, Now: webtest.Clock})
	snapshot, _ := s.Catalog.View()
	for _, tt := range []struct {
		id, what string
		want     []string
	}{
		{"Home.br", "the network and the category, then the category, then the network, then the language, then the world", []string{"Both.br", "News.br", "Sister.br", "General.br", "News.pt", "News.fr"}},
		{"Kids.br", "nothing but the category elsewhere, and none of the country alone", []string{"Kids.fr"}},
		{"News.fr", "the language of others is another", []string{"Both.br", "Home.br", "News.br", "News.pt"}},
		{"rb.1", "stations of the genre, those of the country first", []string{"rb.3", "rb.4"}},
		{"rb.2", "no station alike", nil},
		{"Bare.us", "no other in the country", nil},
		{"Bare.pt", "nothing is known but the country", []string{"News.pt"}},
	} {
		c, ok := snapshot.Item(tt.id, 0)
		if !ok {
			t.Fatal(tt.id)
		}
		var got []string
		for _, card := range s.similar(s.Pages.View(site.Channel, i18n.PT, nil), snapshot, c) {
			got = append(got, card.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tt.id, tt.what, diff)
		}
	}
	hostile := &catalog.Channel{ID: "x", Kind: "tv", Country: new(webtest.HostileName), Categories: []string{webtest.HostileName, "", "\x00"}, Network: new(webtest.HostileName)}
	if got := s.similar(s.Pages.View(site.Channel, i18n.PT, nil), snapshot, hostile); len(got) != 0 {
		t.Errorf("similar to a hostile one: %v", got)
	}
}
