package similar_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/catalog/similar"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/source/collect"
)

var links = catalog.LinkBase{Base: "https://m.example"}

// viewOf returns a view of a register.
func viewOf(t testing.TB, reg *catalog.Register, o index.Overlay) *index.View {
	t.Helper()
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	return index.NewView(ix, o, links)
}

// loaded returns the view of the catalog that a plan names.
func loaded(t testing.TB, plan collect.Plan) *index.View {
	t.Helper()
	ds, err := collect.Load(t.Context(), plan, collect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reg, _ := build.Register(ds, nil, time.Now())
	return viewOf(t, reg, index.Overlay{})
}

// register returns channels that share traits with others. All but Silent play.
func register() *catalog.Register {
	reg := &catalog.Register{
		BuiltAt:    time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC),
		Categories: []catalog.Category{{ID: "news", Name: catalog.Labels{"Notícias", "News", "Noticias", "Actualités", "Nachrichten"}}},
		Languages:  []catalog.Term{{Code: "por", Name: catalog.Labels{"Português", "Portuguese", "Portugués", "Portugais", "Portugiesisch"}}},
		Cities:     []catalog.City{{Code: "PTOPO", Country: "PT", Name: "Porto"}},
	}
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
		name, _, _ := strings.Cut(id, ".")
		r := catalog.Record{ID: id, Name: name, Country: country, Network: network, Categories: categories}
		if language != "" {
			r.Languages = []string{language}
		}
		add(r)
	}
	station := func(id, name, country, city string, votes int, tags ...string) {
		add(catalog.Record{ID: id, Kind: catalog.Station, Name: name, Country: country, City: city, Radio: &catalog.Radio{Tags: tags, Votes: votes}})
	}
	tv("Home.br", "BR", "Rede", "por", "news", "general")
	tv("News.br", "BR", "", "por", "news")
	tv("General.br", "BR", "", "por", "general")
	tv("Sister.br", "BR", "Rede", "por", "sports")
	tv("Both.br", "BR", "Rede", "por", "news")
	tv("Notícias.pt", "PT", "", "por", "news")
	tv("Infos.fr", "FR", "", "fra", "news")
	tv("Kids.br", "BR", "", "por", "kids")
	tv("Enfants.fr", "FR", "", "fra", "kids")
	tv("Silent.br", "BR", "Rede", "por", "news")
	tv("Bare.us", "US", "", "")
	tv("Barren.pt", "PT", "", "por")
	station("rb.1", "Bossa", "BR", "", 10, "jazz", "bossa nova")
	station("rb.2", "Fala", "BR", "", 900, "news")
	station("rb.3", "Sax", "BR", "", 5, "jazz")
	station("rb.4", "Cave", "FR", "", 700, "jazz")
	station("rb.5", "Douro", "PT", "PTOPO", 1)
	station("rb.6", "Ribeira", "PT", "PTOPO", 2, "zabumba")
	station("rb.7", "Coimbra", "PT", "", 900, "zabumba")
	return reg
}

func idsOf(list []similar.Channel) (ids []string) {
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// listOf returns what is similar to a channel, which must be shown.
func listOf(t testing.TB, f similar.Finder, id string, limit int) []similar.Channel {
	t.Helper()
	c, ok := f.View.Item(id, int(i18n.EN))
	if !ok {
		t.Fatalf("%s is not shown", id)
	}
	return f.List(c, i18n.EN, limit)
}

func TestOrder(t *testing.T) {
	f := similar.Finder{View: viewOf(t, register(), index.Overlay{})}
	for _, tt := range []struct {
		id, what string
		want     []string
	}{
		{"Home.br", "the network and the category, then the category, then the network, then the language, then the world", []string{"Both.br", "News.br", "Sister.br", "General.br", "Notícias.pt", "Infos.fr"}},
		{"Kids.br", "nothing but the category elsewhere, and none of the country alone", []string{"Enfants.fr"}},
		{"Infos.fr", "the language of others is another", []string{"Both.br", "Home.br", "News.br", "Notícias.pt"}},
		{"rb.1", "stations of the genre, those of the country first", []string{"rb.3", "rb.4"}},
		{"rb.2", "a station of the country alone says nothing of news", nil},
		{"Bare.us", "no other in the country", nil},
		{"Barren.pt", "nothing is known but the country", []string{"Notícias.pt"}},
		{"rb.5", "the city before the country", []string{"rb.6", "rb.7"}},
		{"rb.6", "the country with the tag before the city", []string{"rb.7", "rb.5"}},
	} {
		if diff := cmp.Diff(tt.want, idsOf(listOf(t, f, tt.id, 20))); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tt.id, tt.what, diff)
		}
	}
}

// TestHouse lists a house with many channels and one other: the names of a house come
// first, and not all of them.
func TestHouse(t *testing.T) {
	reg := &catalog.Register{BuiltAt: time.Now()}
	add := func(name, country string) {
		id := catalog.StreamID(len(reg.Records) + 1)
		reg.Records = append(reg.Records, catalog.Record{
			ID: fmt.Sprintf("C%d", id), Name: name, Country: country, Categories: []string{"news"}, Origin: "iptv-org",
			Streams: []catalog.StreamRecord{{ID: id, URL: fmt.Sprintf("https://o.example/%d", id), Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true}},
		})
	}
	add("RTX1", "PT")
	for _, name := range []string{"RTX 2", "RTX3", "RTX Açores", "rtx notícias", "RTX África", "RTX-Mundo", "RTX Memória", "RTX Madeira"} {
		add(name, "PT")
	}
	for _, name := range []string{"RTXonline", "Canal Norte", "Canal Sul"} {
		add(name, "PT")
	}
	add("Canal Norte", "BR")
	add("RTX International", "BR")
	f := similar.Finder{View: viewOf(t, reg, index.Overlay{})}
	named := func(list []similar.Channel) (n int) {
		for _, c := range list {
			if c.Reasons[0].Code == similar.Name {
				n++
			}
		}
		return n
	}
	list := listOf(t, f, "C1", 20)
	if len(list) != 13 || named(list) != 9 || named(list[:6]) != 6 || named(list[:8]) != 6 {
		t.Errorf("%d channels, %d of the house, %d of it among six and %d among eight", len(list), named(list), named(list[:6]), named(list[:8]))
	}
	for _, c := range list {
		if (c.Name == "RTXonline") == (c.Reasons[0].Code == similar.Name) && strings.HasPrefix(c.Name, "RTX") {
			t.Errorf("%s: %v", c.Name, c.Reasons)
		}
	}
	for _, c := range listOf(t, f, "C11", 20) { // Canal Norte
		if c.Name == "Canal Norte" && c.Reasons[0].Code == similar.Name || c.Name == "Canal Sul" && c.Reasons[0].Code == similar.Name {
			t.Errorf("%s of %s has a name in common with Canal Norte of PT: %v", c.Name, c.Country, c.Reasons)
		}
	}
}

// TestLeftOut checks that a channel that is blocked or does not play is never listed, and
// that one whose measurement failed but that may play stands last.
func TestLeftOut(t *testing.T) {
	status := func(s string) *catalog.Measurement {
		return &catalog.Measurement{Health: catalog.StreamHealth{Status: s}}
	}
	v := viewOf(t, register(), index.Overlay{BlockedChannels: []string{"News.br"}, Streams: maps.All(map[catalog.StreamID]*catalog.Measurement{
		3: status("timeout"), 5: status("geo"), // General.br and Both.br
	})})
	got := idsOf(listOf(t, similar.Finder{View: v}, "Home.br", 20))
	want := []string{"Sister.br", "Notícias.pt", "Infos.fr", "Both.br"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with News.br blocked, General.br down and Both.br perhaps down (-want +got):\n%s", diff)
	}
}

// A fixed list of companions of every channel.
type fixed []similar.Companion

func (f fixed) Of(string) []similar.Companion { return f }

// TestCompanions checks that channels that people keep together come first, and that one
// that is not shown, does not play, is of another kind or is the channel itself does not.
func TestCompanions(t *testing.T) {
	f := similar.Finder{View: viewOf(t, register(), index.Overlay{BlockedChannels: []string{"News.br"}}), Companions: fixed{
		{"Nowhere.br", 50}, {"News.br", 40}, {"Silent.br", 30}, {"Home.br", 20}, {"rb.1", 15}, {"Enfants.fr", 12}, {"Enfants.fr", 7}, {"Both.br", 5},
	}}
	list := listOf(t, f, "Home.br", 3)
	want := []string{"Both.br", "Enfants.fr", "Sister.br"}
	if diff := cmp.Diff(want, idsOf(list)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]similar.Reason{{similar.Kept, "Kept together by 12 people", 12}}, list[1].Reasons); diff != "" {
		t.Errorf("reasons of Enfants.fr (-want +got):\n%s", diff)
	}
	if r := list[0].Reasons; len(r) != 3 || r[0].People != 5 || r[1].Code != similar.Network || r[2].Code != similar.Category {
		t.Errorf("reasons of Both.br: %v", r)
	}
	if got := listOf(t, similar.Finder{View: f.View}, "Home.br", 1); got[0].Reasons[0].Code != similar.Network {
		t.Errorf("without companions: %v", got)
	}
}

func TestReasons(t *testing.T) {
	v := viewOf(t, register(), index.Overlay{})
	for _, tt := range []struct {
		of, to string
		want   [5]string // in the order of i18n.Locales
	}{
		{"Home.br", "Sister.br", [5]string{"Mesma rede: Rede", "Same network: Rede", "Misma red: Rede", "Même réseau : Rede", "Gleiches Netzwerk: Rede"}},
		{"News.br", "Both.br", [5]string{"Também: Notícias, Brasil", "Also: News, Brazil", "También: Noticias, Brasil", "Aussi : Actualités, Brésil", "Auch: Nachrichten, Brasilien"}},
		{"News.br", "Notícias.pt", [5]string{"Também: Notícias, em português", "Also: News, in Portuguese", "También: Noticias, en portugués", "Aussi : Actualités, en portugais", "Auch: Nachrichten, auf Portugiesisch"}},
		{"News.br", "Infos.fr", [5]string{"Também: Notícias", "Also: News", "También: Noticias", "Aussi : Actualités", "Auch: Nachrichten"}},
		{"rb.1", "rb.4", [5]string{"Também: Jazz", "Also: Jazz", "También: Jazz", "Aussi : Jazz", "Auch: Jazz"}},
		{"rb.6", "rb.7", [5]string{"Também: zabumba, Portugal", "Also: zabumba, Portugal", "También: zabumba, Portugal", "Aussi : zabumba, Portugal", "Auch: zabumba, Portugal"}},
		{"rb.5", "rb.6", [5]string{"Mesma cidade: Porto", "Same city: Porto", "Misma ciudad: Porto", "Même ville : Porto", "Gleiche Stadt: Porto"}},
		{"Barren.pt", "Notícias.pt", [5]string{"Mesmo país: Portugal", "Same country: Portugal", "Mismo país: Portugal", "Même pays : Portugal", "Gleiches Land: Portugal"}},
	} {
		for at, l := range i18n.Locales {
			c, _ := v.Item(tt.of, int(l))
			list := similar.Finder{View: v}.List(c, l, 50)
			i := slices.IndexFunc(list, func(c similar.Channel) bool { return c.ID == tt.to })
			if i < 0 || list[i].Reasons[0].Text != tt.want[at] {
				t.Errorf("%s to %s in %s: %v, want %q", tt.of, tt.to, l, list, tt.want[at])
			}
		}
	}
}

// TestCodes has a text for every reason.
func TestCodes(t *testing.T) {
	for _, code := range similar.Codes {
		key := "similar." + code
		if slices.Contains([]string{similar.Category, similar.Genre, similar.Tag}, code) {
			key = "similar.about"
		}
		if !i18n.Has(key) && !i18n.Has(key+".other") {
			t.Errorf("%s has no text", code)
		}
	}
}

// TestHostile asks for what is similar to a channel whose every value is hostile.
func TestHostile(t *testing.T) {
	f := similar.Finder{View: viewOf(t, register(), index.Overlay{})}
	for _, bad := range []string{"\x00", "\xff\xfe", `"><script>alert(1)</script>`, strings.Repeat("رر ", 5000), "  ", "0", "{value}"} {
		list := []string{bad, "", bad, bad, bad}
		for _, kind := range []string{"tv", "radio", bad} {
			c := &catalog.Channel{ID: bad, Name: bad, Kind: kind, Country: &bad, Categories: list, Languages: list, Network: &bad, City: &bad, Subdivision: &bad}
			c.Radio = &catalog.RadioStation{Radio: catalog.Radio{Tags: list}, Genres: []catalog.StationGenre{{ID: bad, Name: bad}}}
			for _, limit := range []int{-1, 0, 12, 1 << 40} {
				if got := f.List(c, i18n.EN, limit); len(got) != 0 {
					t.Errorf("similar to %.40q: %v", bad, got)
				}
			}
		}
	}
}

// TestEvery checks of many channels that each list is the beginning of a longer one, the
// same each time, without doubles and the channel itself, of its kind, and with reasons.
func TestEvery(t *testing.T) {
	reg := indextest.Synthetic(7, 3000)
	f := similar.Finder{View: viewOf(t, reg, indextest.Overlay(7, reg))}
	listed := 0
	for _, r := range reg.Records[:400] {
		c, ok := f.View.Item(r.ID, int(i18n.DE))
		if !ok {
			continue
		}
		all := f.List(c, i18n.DE, 1000)
		if len(all) > similar.Max {
			t.Fatalf("%s: %d channels", r.ID, len(all))
		}
		if diff := cmp.Diff(all[:min(12, len(all))], f.List(c, i18n.DE, 12)); diff != "" {
			t.Fatalf("%s: 12 are not the first of all (-all +12):\n%s", r.ID, diff)
		}
		seen := map[string]bool{c.ID: true}
		for _, s := range all {
			if seen[s.ID] || s.Kind.String() != c.Kind || !s.Playable || len(s.Reasons) == 0 || len(s.Reasons) > 3 || strings.Contains(s.Reasons[0].Text, "similar.") {
				t.Fatalf("%s: %+v", r.ID, s)
			}
			seen[s.ID] = true
		}
		listed += len(all)
	}
	if listed < 1000 {
		t.Errorf("only %d channels were listed", listed)
	}
}

// A judgement says by names what must be among the first six channels that are similar to
// one, and what must not be among the first twelve.
type judgement struct{ of, country, must, never string }

// judge checks judgements of the TV channels or stations of a catalog.
func judge(t *testing.T, f similar.Finder, kind catalog.Kind, all []judgement) {
	t.Helper()
	for _, tt := range all {
		id := ""
		for _, r := range f.View.Index().Records() {
			if r.Name == tt.of && r.Country == tt.country && r.Kind == kind {
				id = r.ID
			}
		}
		if id == "" {
			t.Errorf("there is no %s of %s", tt.of, tt.country)
			continue
		}
		var got []string
		for _, c := range listOf(t, f, id, 12) {
			got = append(got, c.Name)
		}
		for name := range strings.SplitSeq(tt.must, ", ") {
			if !slices.Contains(got[:min(6, len(got))], name) {
				t.Errorf("%s: %s is not among the first of %q", tt.of, name, got)
			}
		}
		for name := range strings.SplitSeq(tt.never, ", ") {
			if slices.Contains(got, name) {
				t.Errorf("%s: %s is among %q", tt.of, name, got)
			}
		}
	}
}

func TestSample(t *testing.T) {
	f := similar.Finder{View: loaded(t, collect.Sample())}
	judge(t, f, catalog.TV, []judgement{
		{"RTP1", "PT", "RTP2, RTP Notícias, RTP África", "KiKA, Antena 1"},
		{"RTP2", "PT", "RTP1, RTP Notícias, TV Cultura, TV Brasil", "Al Jazeera"},
		{"RTP Notícias", "PT", "RTP1, RTP2, Canal Gov", "KiKA, arte"},
		{"France 24 English", "FR", "France 24, France 24 Arabic, DW English", "France Musique, arte"},
		{"NHK World-Japan", "JP", "CNA, Arirang TV", "NHKラジオ第1, KiKA"},
		{"tagesschau24", "DE", "phoenix, Das Erste, WDR Fernsehen", "PBS Kids, Deutschlandfunk"},
		{"KiKA", "DE", "phoenix, PBS Kids", "ZDF, CNA"},
		{"TV Brasil", "BR", "TV Cultura, Canal Gov, TV Câmara", "TV3, CNA"},
		{"TV Câmara", "BR", "Canal Gov, TV Brasil", "TV3, KiKA"},
		{"ZDF", "DE", "Das Erste, WDR Fernsehen", "KiKA, DW Arabic"},
	})
	judge(t, f, catalog.Station, []judgement{
		{"Radio Swiss Jazz", "CH", "FIP, France Musique, Klara", "Radio Nacional Argentina, Rádio Slovensko"},
		{"Antena 3", "PT", "Antena 1, Antena 2, RDP África", "RTP1"},
		{"WDR 5", "DE", "Deutschlandfunk, Deutschlandfunk Kultur", "WDR Fernsehen"},
		{"BBC World Service", "GB", "NPR News, RNZ National", "CNA"},
	})
}

// realPlan is the real catalog beside the repository; without it the test is skipped.
func realPlan(t testing.TB) collect.Plan {
	place := collect.Folder(reference.Dir(t) + "/catalog")
	return collect.Plan{IPTVOrg: place, Radio: place}
}

// TestReal judges well-known channels of the real catalog.
func TestReal(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the real catalog")
	}
	f := similar.Finder{View: loaded(t, realPlan(t))}
	judge(t, f, catalog.TV, []judgement{
		{"BBC News", "GB", "BBC Arabic, BBC Persian, GB News", "CBeebies"},
		{"RTP 1", "PT", "RTP 2, RTP Mundo, RTP Memoria", "TV Globo Sao Paulo"},
		{"TV Globo Sao Paulo", "BR", "TV Globo Rio de Janeiro, Record", "STZ TV"},
		{"NHK World-Japan", "JP", "NHK General TV, Al Jazeera", "BabyTV"},
		{"France 24", "FR", "Euronews French, LCI, BFM TV", "arte"},
		{"Al Jazeera", "QA", "Al Jazeera Mubasher, Al Jazeera 2", "CNews"},
		{"CGTN", "CN", "CGTN French, CGTN Documentary", "CBeebies"},
		{"Nickelodeon", "GB", "Nickelodeon Junior, Nick Jr. Asia", "BBC News"},
		{"ESPN", "BR", "ESPN 3, ESPN 4, Band Sports", "Record"},
		{"Record", "BR", "Record RS, Record News", "Band Sports"},
		{"Bloomberg TV", "US", "Bloomberg Originals, Fox Business Network", "Nickelodeon"},
	})
	judge(t, f, catalog.Station, []judgement{
		{"Jazz Radio Blues", "FR", "Jazz Radio Groove", "La Grosse Radio Métal"},
		{"101 SMOOTH JAZZ", "US", "101 SMOOTH JAZZ MELLOW MIX, SMOOTH JAZZ 24/7", "NPR Newscast"},
		{"Rádio Comercial", "PT", "RFM, Mega Hits", "Rádio Renascença"},
		{"Rádio Renascença", "PT", "Antena 1 (Portugal)", "Rádio Comercial"},
		{"RSI Rete Uno", "CH", "RSI Rete Due, RSI Rete Tre", "RTS Info"},
		{"KEXP 90.3 Seattle, WA", "US", "Radio Paradise Rock Mix 320k AAC", "Radio Paradise Main Mix FLAC"},
		{"Antena 1 (Portugal)", "PT", "TSF Rádio Notícias", "Antena 1 (Brasil)"},
		{"BBC Radio 2", "GB", "Smooth Radio", "NPR Newscast"},
	})
}

// BenchmarkList lists what is similar to every hundredth channel of the real catalog.
func BenchmarkList(b *testing.B) {
	f := similar.Finder{View: loaded(b, realPlan(b))}
	var some []*catalog.Channel
	for i := 0; i < f.View.Index().Len(); i += 100 {
		if c, ok := f.View.Item(f.View.Index().Record(i).ID, int(i18n.EN)); ok {
			some = append(some, c)
		}
	}
	for _, limit := range []int{12, similar.Max} {
		b.Run(fmt.Sprint(limit), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				f.List(some[i%len(some)], i18n.EN, limit)
			}
		})
	}
}
