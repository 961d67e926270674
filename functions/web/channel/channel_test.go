package channel

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store/embedded"
)

// watchRegister returns a catalog with a channel that has every property, some that
// are similar, and one whose every text is hostile.
func watchRegister() *catalog.Register {
	stream := func(id catalog.StreamID, address, kind string) catalog.StreamRecord {
		return catalog.StreamRecord{ID: id, URL: address, Kind: kind, Origin: "iptv-org", Playable: true}
	}
	whole := stream(1, "https://live.aurora.example/index.m3u8", catalog.StreamHLS)
	whole.Feed, whole.Title, whole.Quality, whole.Label = "SP", "Aurora São Paulo", "1080p", "Geo-blocked"
	many := catalog.Record{ID: "Many.br", Name: "Many", Country: "BR", Categories: []string{"news"}, Origin: "iptv-org"}
	for i := range 20 {
		many.Streams = append(many.Streams, stream(catalog.StreamID(100+i), fmt.Sprintf("https://many.example/%d.m3u8", i), catalog.StreamHLS))
	}
	many.Streams[12].Feed = "Sul & Norte"
	evil := stream(50, "javascript:alert(1)//", catalog.StreamExternal)
	evil.Feed, evil.Title, evil.Quality, evil.Label = webtest.HostileName, webtest.HostileName, webtest.HostileName, webtest.HostileName
	return &catalog.Register{
		BuiltAt:    webtest.Now,
		Categories: []catalog.Category{{ID: "news", Name: catalog.Labels{"Notícias", "News", "Noticias", "Actualités", "Nachrichten"}}},
		Languages:  []catalog.Term{{Code: "por", Name: catalog.Labels{"Português", "Portuguese", "Portugués", "Portugais", "Portugiesisch"}}},
		Cities:     []catalog.City{{Code: "BRSAO", Country: "BR", Name: "São Paulo"}},
		Records: []catalog.Record{
			{
				ID: "Aurora.br", Name: "Aurora", AltNames: []string{"TV Aurora"}, Country: "BR", Categories: []string{"news"}, Languages: []string{"por"},
				Website: "https://aurora.example/", Network: "Rede Aurora", Owners: []string{"Grupo Aurora"}, Launched: "1965-04-26",
				Timezones: []string{"America/Sao_Paulo"}, BroadcastArea: []string{"c/BR", "ct/BRSAO", "r/INT", "r/XYZ"}, City: "BRSAO", Quality: "1080p", Origin: "iptv-org",
				Streams: []catalog.StreamRecord{
					whole,
					stream(2, "http://old.aurora.example/live.mp3", catalog.StreamAudio),
					stream(3, "https://www.youtube.com/watch?v=AAAAAAAAAAA", catalog.StreamYouTube),
					stream(4, "rtmp://rtmp.aurora.example/live", catalog.StreamExternal),
				},
			},
			many,
			{ID: "Bare.us", Name: "Bare", Country: "US", Origin: "iptv-org", ReplacedBy: "Aurora.br"},
			{ID: "Mundo.pt", Name: "Mundo", Country: "PT", Categories: []string{"news"}, Origin: "iptv-org", Streams: []catalog.StreamRecord{stream(60, "https://mundo.example/a.m3u8", catalog.StreamHLS)}},
			{
				ID: "rb.1", Kind: catalog.Station, Name: "Rádio Aurora", Country: "BR", Origin: "radio-browser",
				Radio:   &catalog.Radio{Tags: []string{"jazz & blues", "beira & mar"}, Votes: 1234, Codec: ref("MP3"), Bitrate: ref(128)},
				Streams: []catalog.StreamRecord{stream(70, "https://radio.example/mp3", catalog.StreamAudio)},
			},
			{
				ID: "Evil.br", Name: webtest.HostileName, AltNames: []string{webtest.HostileName}, Country: "BR", Categories: []string{webtest.HostileName}, Languages: []string{"xx\"'"},
				Website: "javascript:alert(document.domain)//https://x.example/", Network: webtest.HostileName, Owners: []string{webtest.HostileName}, Launched: webtest.HostileName,
				Timezones: []string{webtest.HostileName}, BroadcastArea: []string{"c/" + webtest.HostileName, "s/" + webtest.HostileName, "ct/", webtest.HostileName}, Quality: webtest.HostileName,
				City: webtest.HostileName, Subdivision: webtest.HostileName, Origin: webtest.HostileName, ReplacedBy: webtest.HostileName, Streams: []catalog.StreamRecord{evil},
			},
		},
		ChannelAliases: map[string]string{"Old.br": "Aurora.br", "Older.br": "Old.br"},
	}
}

func ref[T any](v T) *T { return &v }

// watchServer returns a server of the register with measurements and a guide.
func watchServer(t testing.TB) *Server {
	t.Helper()
	health := catalog.StreamHealth{Status: "online", Score: ref(90), CheckedAt: ref("2026-11-22T11:00:00Z"), Resolution: ref("720p"), Bitrate: ref(3_200_000), LatencyMS: ref(1240)}
	evil := catalog.StreamHealth{Status: webtest.HostileName, CheckedAt: ref(webtest.HostileName), Resolution: ref(webtest.HostileName)}
	shown := webtest.Show(t, watchRegister(), index.Overlay{
		BlockedChannels: []string{"Mundo.pt"},
		OnlineSince:     webtest.Now.Add(-time.Hour),
		Logos:           maps.All(map[string]string{"Aurora.br": "logo-1"}),
		Streams: maps.All(map[catalog.StreamID]*catalog.Measurement{
			1: {Health: health, OnlineAt: webtest.Now}, 2: {Health: catalog.StreamHealth{Status: "timeout"}}, 50: {Health: evil},
		}),
	})
	return New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: shown, Guides: watchGuide(t), Now: webtest.Clock})
}

// watchGuide returns a guide of two channels around now.
func watchGuide(t testing.TB) *guide.Live {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	hour := func(n int) time.Time { return webtest.Now.Add(time.Duration(n) * time.Hour) }
	day := []guide.Programme{{Start: hour(-1), Stop: hour(1), Title: "Jornal", Desc: "As notícias."}, {Start: hour(1), Stop: hour(2), Title: "Filme"}}
	for n := 2; n < 16; n++ {
		day = append(day, guide.Programme{Start: hour(n), Stop: hour(n + 1), Title: fmt.Sprint("Série ", n)})
	}
	evil := []guide.Programme{{Start: hour(-1), Stop: hour(1), Title: webtest.HostileName, Desc: webtest.HostileName, Category: webtest.HostileName}}
	w, grids := guide.WindowOf(webtest.Now), map[string]guide.Grid{}
	for id, ps := range map[string][]guide.Programme{"Aurora.br": day, "Evil.br": evil} {
		g, ok := guide.NewGrid("test", "guia.example", w, ps)
		if !ok {
			t.Fatalf("%s has no guide", id)
		}
		grids[id] = g
	}
	c := guide.Change{Window: w, Sources: []string{"test"}}
	c.Add("test", grids)
	if _, err := c.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return guide.Follow(t.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
}

// watchTree returns the page of a channel as browsers parse it.
func watchTree(t testing.TB, s *Server, l i18n.Locale, id string) *html.Node {
	t.Helper()
	return webtest.Tree(t, webtest.Handler(s, Endpoints), site.Channel.Path(l, id))
}

// TestFormerIDRedirects checks that former ids of a channel are redirected to its page,
// in each language.
func TestFormerIDRedirects(t *testing.T) {
	h := webtest.Handler(watchServer(t), Endpoints)
	for _, l := range i18n.Locales {
		for _, id := range []string{"Old.br", "Older.br"} {
			res := webtest.Request(h, "GET", site.Channel.Path(l, id)).Result()
			if got, want := res.Header.Get("Location"), site.Channel.Path(l, "Aurora.br"); res.StatusCode != http.StatusMovedPermanently || got != want {
				t.Errorf("%s in %s: %s to %q, want %q", id, l, res.Status, got, want)
			}
		}
		for _, id := range []string{"No.such", "Mundo.pt", "%00", "javascript:alert(1)"} {
			if w := webtest.Request(h, "GET", site.Channel.Path(l, id)); w.Code != http.StatusNotFound {
				t.Errorf("%q in %s: %d", id, l, w.Code)
			}
		}
	}
}

// TestChannelTexts checks in each language that the page shows the facts, and that
// no text is missing.
func TestChannelTexts(t *testing.T) {
	s := watchServer(t)
	for l, want := range [5][]string{
		{"Canal de TV", "Brasil", "Notícias", "Português", "3.200 kbit/s", "responde em 1.240 ms", "Restrita por região", "Mundo todo", "08:00", "Horários de America/Sao_Paulo."},
		{"TV channel", "Brazil", "News", "Portuguese", "3,200 kbit/s", "answers in 1,240 ms", "Geo-blocked", "Worldwide"},
		{"Canal de TV", "Brasil", "Noticias", "Portugués", "3.200 kbit/s", "Restringida por región"},
		{"Chaîne de télévision", "Brésil", "Actualités", "Portugais", "Restreint selon la région"},
		{"Fernsehsender", "Brasilien", "Nachrichten", "Portugiesisch", "Regional gesperrt"},
	} {
		l := i18n.Locale(l)
		for _, id := range []string{"Aurora.br", "Many.br", "Bare.us", "rb.1"} {
			tree := watchTree(t, s, l, id)
			got := webtest.Text(webtest.ByID(tree, "main"))
			if strings.Contains(got, "channel.") || regexp.MustCompile(`\{[a-z]`).MatchString(got) {
				t.Errorf("%s in %s lacks a text: %s", id, l, got)
			}
			if id != "Aurora.br" {
				continue
			}
			for _, part := range append(want, "Aurora", "TV Aurora", "Rede Aurora", "Grupo Aurora", "1965-04-26", "São Paulo", "Jornal", "Filme", "As notícias.", "Aurora São Paulo", "HLS", "1080p") {
				if !strings.Contains(got, part) {
					t.Errorf("%s in %s does not contain %q: %s", id, l, part, got)
				}
			}
		}
	}
}

// TestChannelLinks checks where the page leads: streams to the hop, the isolated
// player and the video platform, and never to an address that is not a page.
func TestChannelLinks(t *testing.T) {
	s := watchServer(t)
	links := func(id string) (all []string) {
		for n := range webtest.ByID(watchTree(t, s, i18n.PT, id), "main").Descendants() {
			if href := webtest.Attr(n, "href"); n.Data == "a" && href != "" {
				all = append(all, href)
			}
		}
		return all
	}
	got := links("Aurora.br")
	hls, plain := catalog.StreamID(1).String(), catalog.StreamID(2).String()
	for _, want := range []string{
		"/brasil", "/?category=news", "/?language=por", "https://aurora.example/", "https://hop.example/api/s/" + hls + ".m3u8", "http://old.aurora.example/live.mp3",
		"https://legacy.example/?stream=" + plain, "https://www.youtube.com/watch?v=AAAAAAAAAAA", "/sobre#iptv-org", "/canal/Many.br",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no link to %s in %q", want, got)
		}
	}
	for _, not := range []catalog.StreamID{3, 4} { // which no other player could open
		if slices.Contains(got, "https://hop.example/api/s/"+not.String()) {
			t.Errorf("a link to %s", not)
		}
	}
	if got := links("rb.1"); !slices.Contains(got, "/?kind=radio&tag=beira+%26+mar") || slices.Contains(got, "/?kind=radio&tag=jazz+%26+blues") {
		t.Errorf("the links are to other tags than those that no genre says: %q", got)
	}
	if got := links("Bare.us"); !slices.Contains(got, "/canal/Aurora.br") {
		t.Errorf("no link to the channel that replaced it in %q", got)
	}
}

// TestChannelHostile checks in each language that hostile texts do not add
// elements, scripts or links to the page.
func TestChannelHostile(t *testing.T) {
	s := watchServer(t)
	for _, l := range i18n.Locales {
		tree, headings := watchTree(t, s, l, "Evil.br"), 0
		for n := range tree.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Data == "h1" && webtest.Text(n) == strings.Join(strings.Fields(webtest.HostileName), " ") {
				headings++
			}
			if n.Data == "script" && webtest.Attr(n, "type") == "" && webtest.Text(n) != string(new(page.View).Boot()) {
				t.Errorf("%s: a script: %.100s", l, webtest.Text(n))
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: %s has %s=%.50q", l, n.Data, a.Key, a.Val)
				}
				if u, err := url.Parse(a.Val); (a.Key == "href" || a.Key == "src") && (err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https") {
					t.Errorf("%s: %s leads to %.100q", l, n.Data, a.Val)
				}
			}
		}
		if headings != 1 {
			t.Errorf("%s: %d headings have the name", l, headings)
		}
		var d data
		if err := json.Unmarshal([]byte(webtest.ByID(tree, "data").FirstChild.Data), &d); err != nil || d.Name != webtest.HostileName || d.Website != nil {
			t.Errorf("%s: the script reads %+v, %v", l, d, err)
		}
	}
}

// TestChannelData checks what the script starts with: a record as the API has it,
// without what differs by visitor.
func TestChannelData(t *testing.T) {
	s := watchServer(t)
	var got map[string]any
	if err := json.Unmarshal([]byte(webtest.ByID(watchTree(t, s, i18n.EN, "Aurora.br"), "data").FirstChild.Data), &got); err != nil {
		t.Fatal(err)
	}
	guide := got["guide_now"].(map[string]any)
	streams := got["streams"].([]any)
	if got["social"] != nil || got["id"] != "Aurora.br" || guide["agora"].(map[string]any)["titulo"] != "Jornal" || len(streams) != 4 {
		t.Errorf("%v", got)
	}
	if first := streams[0].(map[string]any); first["url"] != "https://hop.example/api/s/"+catalog.StreamID(1).String() || first["kind"] != "hls" {
		t.Errorf("the best stream is %v", first)
	}
	var many data
	if err := json.Unmarshal([]byte(webtest.ByID(watchTree(t, s, i18n.EN, "Many.br"), "data").FirstChild.Data), &many); err != nil || len(many.Streams) != maxData {
		t.Errorf("%d streams, %v", len(many.Streams), err)
	}
}

// TestChannelFeed checks that the page of a feed begins with its best stream, is the
// same page to search engines, and stays of that feed for a former id.
func TestChannelFeed(t *testing.T) {
	h := webtest.Handler(watchServer(t), Endpoints)
	first := func(query string) (catalog.StreamID, int) {
		var got data
		tree := webtest.Tree(t, h, "/en/channel/Many.br"+query)
		if err := json.Unmarshal([]byte(webtest.ByID(tree, "data").FirstChild.Data), &got); err != nil {
			t.Fatal(err)
		}
		id, _ := catalog.ParseStreamID(got.Streams[0].ID)
		return id, len(got.Streams)
	}
	for query, want := range map[string]catalog.StreamID{
		"": 100, "?feed=": 100, "?feed=Sul+%26+Norte": 112, "?feed=sul": 100, "?feed=%3Cscript%3E": 100,
	} {
		if got, n := first(query); got != want || n != maxData {
			t.Errorf("%q: the first of %d streams is %s, want %s", query, n, got, want)
		}
	}
	if body := webtest.Body(t, h, "/en/channel/Many.br?feed=Sul+%26+Norte"); !strings.Contains(body, `<link rel="canonical" href="`+webtest.Links.Base+`/en/channel/Many.br">`) {
		t.Error("the page of a feed has another canonical address")
	}
	res := webtest.Request(h, "GET", "/en/channel/Old.br?feed=a%26b").Result()
	if got := res.Header.Get("Location"); got != "/en/channel/Aurora.br?feed=a%26b" {
		t.Errorf("a former id leads to %q", got)
	}
}

// TestChannelSchema checks what search engines read about channels.
func TestChannelSchema(t *testing.T) {
	s := watchServer(t)
	snapshot, _ := s.Catalog.View()
	for id, want := range map[string]string{
		"Aurora.br": `{"@context":"https://schema.org","@graph":[{"@id":"https://mira.example/en/channel/Aurora.br#channel","@type":"BroadcastService",` +
			`"alternateName":["TV Aurora"],"areaServed":{"@type":"Country","name":"Brazil"},"broadcaster":{"@type":"Organization","name":"Rede Aurora"},"genre":["News"],` +
			`"inLanguage":["pt"],"logo":"https://mira.example/logos/logo-1","name":"Aurora","sameAs":"https://aurora.example/","url":"https://mira.example/en/channel/Aurora.br"},` +
			`{"@type":"BroadcastEvent","description":"As notícias.","endDate":"2026-11-22T13:00:00Z","isLiveBroadcast":true,"name":"Jornal",` +
			`"publishedOn":{"@id":"https://mira.example/en/channel/Aurora.br#channel"},"startDate":"2026-11-22T11:00:00Z"}]}`,
		"rb.1": `{"@context":"https://schema.org","@graph":[{"@id":"https://mira.example/en/channel/rb.1#channel","@type":"RadioBroadcastService",` +
			`"areaServed":{"@type":"Country","name":"Brazil"},"name":"Rádio Aurora","url":"https://mira.example/en/channel/rb.1"}]}`,
	} {
		c, _ := snapshot.Channel(id, int(i18n.EN), rank.Caller{})
		c.GuideNow = s.Guides.Detail(id, webtest.Now)
		text, err := json.Marshal(s.watch(snapshot, i18n.EN, c).Statements[0])
		var got, wanted any
		if err := errors.Join(err, json.Unmarshal(text, &got), json.Unmarshal([]byte(want), &wanted)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

// TestChannelHead checks the title and description, and that search engines must
// leave out channels that cannot be watched.
func TestChannelHead(t *testing.T) {
	s := watchServer(t)
	snapshot, _ := s.Catalog.View()
	for _, test := range []struct {
		l                  i18n.Locale
		id                 string
		title, description string
		noIndex            bool
	}{
		{i18n.PT, "Aurora.br", "Aurora ao vivo · Brasil", "Assista a Aurora ao vivo no navegador, sem cadastro. País: Brasil. Temas: Notícias. Idiomas: Português. Imagem de até 1080p.", false},
		{i18n.FR, "rb.1", "Rádio Aurora en direct · Brésil", "Écoutez Rádio Aurora en direct dans votre navigateur, sans inscription. Pays\u00a0: Brésil.", false},
		{i18n.EN, "Bare.us", "Bare live · United States", "Watch Bare live in your browser, without signing up. Country: United States.", true},
	} {
		c, _ := snapshot.Channel(test.id, int(test.l), rank.Caller{})
		v := s.watch(snapshot, test.l, c)
		if v.Title != test.title || v.Description != test.description || v.NoIndex != test.noIndex {
			t.Errorf("%s in %s: %q, %q, %t", test.id, test.l, v.Title, v.Description, v.NoIndex)
		}
	}
	c, _ := snapshot.Channel("Evil.br", 0, rank.Caller{})
	if v := s.watch(snapshot, i18n.PT, c); len([]rune(v.Title)) > 200 || len([]rune(v.Description)) > 600 {
		t.Errorf("a title of %d and a description of %d bytes", len(v.Title), len(v.Description))
	}
}

// TestStreamRows checks how measured streams are listed, and that many are folded
// away.
func TestStreamRows(t *testing.T) {
	s := watchServer(t)
	snapshot, _ := s.Catalog.View()
	c, _ := snapshot.Channel("Aurora.br", int(i18n.EN), rank.Caller{Now: webtest.Now})
	v := s.watch(snapshot, i18n.EN, c)
	rows, more := rowsOf(v, c)
	type row struct {
		Name, Status, Grade, Label, Traits, Facts, Check string
		Opens                                            bool
	}
	var got []row
	for _, r := range rows {
		got = append(got, row{r.Name, r.Status, r.Grade, r.Label, strings.Join(r.Traits, "|"), strings.Join(r.Facts, "|"), r.CheckedDay(), r.Open != ""})
	}
	want := []row{
		{"Stream 1", "On air", "good", "Geo-blocked", "Aurora São Paulo|SP|1080p|HLS", "720p|3,200 kbit/s|answers in 1,240 ms", "2026-11-22", true},
		{"Stream 2", "Not measured yet", "", "", "YouTube", "", "", false},
		{"Stream 3", "Not measured yet", "", "", "External players only", "", "", false},
		{"Stream 4", "Did not answer in time", "bad", "", "Audio", "", "", true},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(more) > 0 {
		t.Errorf("%d more, (-want +got):\n%s", len(more), diff)
	}
	for n, want := range map[int][2]int{0: {0, 0}, 6: {6, 0}, 7: {7, 0}, 8: {6, 2}, 20: {6, 14}} {
		c := &catalog.ChannelFull{Streams: make([]catalog.Stream, n)}
		if rows, more := rowsOf(v, c); len(rows) != want[0] || len(more) != want[1] {
			t.Errorf("of %d streams %d are listed and %d folded, want %v", n, len(rows), len(more), want)
		}
	}
}

// TestAiring checks the guide, in the time zone of the channel.
func TestAiring(t *testing.T) {
	s := watchServer(t)
	snapshot, _ := s.Catalog.View()
	c, _ := snapshot.Channel("Aurora.br", 0, rank.Caller{})
	a := s.airing(s.Pages.View(site.Channel, i18n.PT, nil), c)
	if a == nil || a.Now.Title != "Jornal" || a.Now.From != "08:00" || a.Now.To != "10:00" || a.Next.Title != "Filme" || a.Percent != 50 || a.Zone != "America/Sao_Paulo" || a.Site != "guia.example" {
		t.Fatalf("%+v", a)
	}
	if len(a.Day) != 15 || !a.Folds() || !a.Day[0].On || a.Day[1].On {
		t.Errorf("%d programmes: %+v", len(a.Day), a.Day)
	}
	none, _ := snapshot.Channel("Many.br", 0, rank.Caller{})
	if a := s.airing(nil, none); a != nil {
		t.Errorf("without a guide: %+v", a)
	}
	for zone, want := range map[string]string{"": "UTC", "Asia/Kolkata": "Asia/Kolkata", "../../etc/passwd": "UTC", "Local": "UTC", webtest.HostileName: "UTC"} {
		c := &catalog.Channel{Timezones: []string{zone}}
		if got := zoneOf(c).String(); got != want {
			t.Errorf("the zone %.20q is %s, want %s", zone, got, want)
		}
	}
	for _, test := range []struct {
		start, stop string
		want        int
	}{
		{"2026-11-22T11:00:00Z", "2026-11-22T15:00:00Z", 25}, {"2026-11-22T12:00:00Z", "2026-11-22T15:00:00Z", 0}, {"2026-11-22T13:00:00Z", "2026-11-22T15:00:00Z", 0},
		{"2026-11-22T10:00:00Z", "2026-11-22T11:00:00Z", 100}, {"2026-11-22T12:00:00Z", "2026-11-22T12:00:00Z", 0}, {"then", "later", 0},
	} {
		if got := part.Percent(&catalog.Programme{Start: test.start, Stop: test.stop}, webtest.Now); got != test.want {
			t.Errorf("from %s to %s: %d percent, want %d", test.start, test.stop, got, test.want)
		}
	}
}

// TestToday checks that the day is that of the channel's zone, and that near its end the
// hours after it belong to the list, the one on included, whatever the day is in UTC.
func TestToday(t *testing.T) {
	sao, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ now, from, to string }{
		{"2026-11-22T12:00:00-03:00", "2026-11-22T00:00:00-03:00", "2026-11-23T00:00:00-03:00"},
		{"2026-11-22T20:59:59-03:00", "2026-11-22T00:00:00-03:00", "2026-11-23T02:59:59-03:00"},
		{"2026-11-22T21:00:00-03:00", "2026-11-22T00:00:00-03:00", "2026-11-23T03:00:00-03:00"}, // midnight in UTC
		{"2026-11-22T23:59:59-03:00", "2026-11-22T00:00:00-03:00", "2026-11-23T05:59:59-03:00"},
		{"2026-11-23T00:00:00-03:00", "2026-11-23T00:00:00-03:00", "2026-11-24T00:00:00-03:00"},
	} {
		now, err := time.Parse(time.RFC3339, test.now)
		if err != nil {
			t.Fatal(err)
		}
		from, to := today(now.In(sao))
		if got := from.Format(time.RFC3339) + " " + to.Format(time.RFC3339); got != test.from+" "+test.to {
			t.Errorf("at %s today is %s", test.now, got)
		}
	}
}

// TestAiringAroundMidnight moves the clock over midnight in UTC and in the channel's zone: the
// list has what is on, and marks it.
func TestAiringAroundMidnight(t *testing.T) {
	s := watchServer(t)
	snapshot, _ := s.Catalog.View()
	c, _ := snapshot.Channel("Aurora.br", 0, rank.Caller{})
	over := webtest.Now.Add(16 * time.Hour) // at 4 of the next day in UTC, at 1 in São Paulo
	for at := webtest.Now.Add(-time.Hour); at.Before(over); at = at.Add(15 * time.Minute) {
		s.Now = func() time.Time { return at }
		a := s.airing(s.Pages.View(site.Channel, i18n.PT, nil), c)
		if a == nil || a.Now == nil {
			t.Fatalf("at %s nothing is on", at)
		}
		marked := 0
		for _, p := range a.Day {
			if p.On && p.Start == a.Now.Start {
				marked++
			}
		}
		if marked != 1 {
			t.Errorf("at %s the list marks %d programmes of %d", at, marked, len(a.Day))
		}
	}
}

// TestNext checks that the list beside the player goes on after the channel, begins
// again after its end, leaves out what does not play and the channel itself, and is of
// its kind and country.
func TestNext(t *testing.T) {
	s := watchServer(t)
	snapshot, _ := s.Catalog.View()
	v := s.Pages.View(site.Channel, i18n.PT, nil)
	all := func(c *catalog.Channel) (ids []string) {
		for _, row := range s.next(v, snapshot, c) {
			ids = append(ids, row.ID)
		}
		return ids
	}
	whole := all(&catalog.Channel{ID: "New.br", Kind: "tv", Country: ref("BR")})
	if diff := cmp.Diff([]string{"Aurora.br", "Evil.br", "Many.br"}, slices.Sorted(slices.Values(whole))); diff != "" {
		t.Fatalf("one that is not in the list (-want +got):\n%s", diff)
	}
	for i, id := range whole {
		c, _ := snapshot.Item(id, 0)
		if diff := cmp.Diff(slices.Concat(whole[i+1:], whole[:i]), all(c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	radio, _ := snapshot.Item("rb.1", 0)
	if got := all(radio); len(got) != 0 {
		t.Errorf("the only station of a country is followed by %q", got)
	}
	if got := all(&catalog.Channel{ID: "New", Kind: "tv"}); len(got) < len(whole) {
		t.Errorf("without a country: %q", got)
	}
	c, _ := snapshot.Item("Many.br", 0)
	for _, row := range s.next(v, snapshot, c) {
		if row.ID == "Aurora.br" && row.More != "Jornal" {
			t.Errorf("Aurora shows %q, and not its programme", row.More)
		}
		if n := len([]rune(row.Name)); n > 82 {
			t.Errorf("%s has a name of %d characters", row.ID, n)
		}
	}
}

func TestTruncated(t *testing.T) {
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc…", "ééé": "ééé", "éééé": "ééé…", "ab d": "ab…"} {
		if got := part.Truncated(text, 3); got != want {
			t.Errorf("part.Truncated(%q) = %q, want %q", text, got, want)
		}
	}
}
