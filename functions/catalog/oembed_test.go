package catalog

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/html"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

const (
	oembedBase  = "https://mira.example"
	hostileName = `"><script>alert(1)</script><i title='&`
)

// oembedHandler serves two TV channels, one of which has a hostile name, and a station.
func oembedHandler(t testing.TB) http.Handler {
	t.Helper()
	stream := func(n int) []catalog.StreamRecord {
		return []catalog.StreamRecord{{ID: catalog.StreamID(n), URL: "https://o.example/x.m3u8", Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true}}
	}
	ix, err := index.Build(&catalog.Register{BuiltAt: noon, ChannelAliases: map[string]string{"Older.br": "Aurora.br"}, Records: []catalog.Record{
		{ID: "Aurora.br", Name: "Aurora", Country: "BR", Origin: "iptv-org", Streams: stream(1)},
		{ID: "Evil.br", Name: hostileName, Country: "BR", Origin: "iptv-org", Streams: stream(2)},
		{ID: "Blocked.br", Name: "Blocked", Country: "BR", Origin: "iptv-org", Streams: stream(4)},
		{ID: "rb.1", Kind: catalog.Station, Name: "Onda", Country: "BR", Origin: "radio-browser", Radio: &catalog.Radio{}, Streams: stream(3)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := New(Options{Catalog: shown{index.NewView(ix, index.Overlay{BlockedChannels: []string{"Blocked.br"}}, catalog.LinkBase{Base: oembedBase})}, Now: func() time.Time { return noon }})
	return request.Handler(request.Options{}, server, Endpoints)
}

// TestOEmbedVaries checks that caches tell the answers for a short address apart.
func TestOEmbedVaries(t *testing.T) {
	h := oembedHandler(t)
	res, _ := apitest.Do(t, h, "GET", site.OEmbedPath+"?url="+oembedBase+"/c/Aurora.br", "", "Accept-Language", "fr")
	if got := strings.Join(res.Header.Values("Vary"), ", "); !strings.Contains(got, "Accept-Language") {
		t.Errorf("Vary is %q", got)
	}
}

// askOEmbed asks for the player of an address, with further parameters.
func askOEmbed(t *testing.T, h http.Handler, address, more string, header ...string) (status int, contentType, body string) {
	t.Helper()
	res, body := apitest.Do(t, h, "GET", site.OEmbedPath+"?url="+url.QueryEscape(address)+more, "", header...)
	return res.StatusCode, res.Header.Get("Content-Type"), body
}

// frameIn returns the attributes of the iframe that an answer is.
func frameIn(t *testing.T, markup string) map[string]string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(markup))
	if err != nil {
		t.Fatal(err)
	}
	all, elements := map[string]string{}, []string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		elements = append(elements, n.Data)
		for _, a := range n.Attr {
			all[a.Key] = a.Val
		}
	}
	if d := cmp.Diff([]string{"html", "head", "body", "iframe"}, elements); d != "" {
		t.Fatalf("elements (-want +got):\n%s", d)
	}
	return all
}

// TestOEmbed asks for the player of a page by each of its addresses, in both forms.
func TestOEmbed(t *testing.T) {
	h := oembedHandler(t)
	base := oembedBase
	want := embedding{
		Version: "1.0", Type: "video", Title: "Aurora", ProviderName: "Miramundo", ProviderURL: base + "/", CacheAge: 3600, Width: 560, Height: 359,
		ThumbnailURL: base + "/og/Aurora.br.png", ThumbnailWidth: 1200, ThumbnailHeight: 630,
	}
	frame := map[string]string{
		"title": "Aurora", "width": "560", "height": "359", "loading": "lazy", "allow": "autoplay; fullscreen; picture-in-picture; screen-wake-lock",
	}
	for address, src := range map[string]string{
		base + site.Channel.Path(i18n.PT, "Aurora.br"):                              "/embed/Aurora.br",
		base + site.Channel.Path(i18n.DE, "Aurora.br") + "?feed=SD#comments":        "/de/embed/Aurora.br",
		base + site.Channel.Path(i18n.FR, "Older.br"):                               "/fr/embed/Aurora.br",
		base + site.EmbedPath(i18n.EN, "Aurora.br"):                                 "/en/embed/Aurora.br",
		base + "/c/Aurora.br":                                                       "/es/embed/Aurora.br",
		strings.Replace(strings.ToUpper(base), "HTTPS", "http", 1) + "/c/Aurora.br": "/es/embed/Aurora.br",
	} {
		for _, format := range []string{"", "&format=json", "&format=xml"} {
			status, contentType, body := askOEmbed(t, h, address, format, "Accept-Language", "es")
			var got embedding
			var err error
			if format == "&format=xml" {
				err = xml.Unmarshal([]byte(body), &got)
			} else {
				err = json.Unmarshal([]byte(body), &got)
			}
			if wantType := map[bool]string{true: "text/xml; charset=utf-8", false: "application/json"}[format == "&format=xml"]; err != nil || status != http.StatusOK || contentType != wantType {
				t.Errorf("%s%s: %d %s, %v in %s", address, format, status, contentType, err, body)
			}
			if d := cmp.Diff(want, got, cmpopts.IgnoreFields(embedding{}, "XMLName", "HTML")); d != "" {
				t.Errorf("%s%s (-want +got):\n%s", address, format, d)
			}
			frame["src"] = base + src
			if d := cmp.Diff(frame, frameIn(t, got.HTML)); d != "" {
				t.Errorf("%s%s: frame (-want +got):\n%s", address, format, d)
			}
		}
	}
}

// TestOEmbedSizes checks that players and pictures fit into what is asked for.
func TestOEmbedSizes(t *testing.T) {
	h := oembedHandler(t)
	for _, test := range []struct {
		id, query, kind      string
		width, height, thumb int
	}{
		{"Aurora.br", "", "video", 560, 359, 1200},
		{"Aurora.br", "&maxwidth=320", "video", 320, 224, 0},
		{"Aurora.br", "&maxheight=200", "video", 560, 200, 0},
		{"Aurora.br", "&maxwidth=0&maxheight=0", "video", 560, 359, 1200},
		{"Aurora.br", "&maxwidth=9999999999999999999", "video", 560, 359, 1200},
		{"Aurora.br", "&maxwidth=1200&maxheight=630", "video", 560, 359, 1200},
		{"Aurora.br", "&maxwidth=1&maxheight=1", "video", 1, 1, 0},
		{"rb.1", "", "rich", 560, 240, 1200},
		{"rb.1", "&maxwidth=300&maxheight=100", "rich", 300, 100, 0},
	} {
		_, _, body := askOEmbed(t, h, oembedBase+"/c/"+test.id, test.query)
		var got embedding
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err, body)
		}
		if got.Type != test.kind || got.Width != test.width || got.Height != test.height || got.ThumbnailWidth != test.thumb || (got.ThumbnailURL == "") != (test.thumb == 0) {
			t.Errorf("%s%s: %+v", test.id, test.query, got)
		}
	}
}

// TestOEmbedOfOthers refuses addresses that are not those of channels here, and writes
// hostile names as text.
func TestOEmbedOfOthers(t *testing.T) {
	h := oembedHandler(t)
	base := oembedBase
	for address, want := range map[string]int{
		base + "/canal/nowhere":                       http.StatusNotFound,
		base + "/canal/Blocked.br":                    http.StatusNotFound,
		base + "/":                                    http.StatusNotFound,
		base + "/canal/Aurora.br/more":                http.StatusNotFound,
		"https://other.example/canal/Aurora.br":       http.StatusNotFound,
		oembedBase + "@other.example/canal/Aurora.br": http.StatusNotFound,
		base + ".other.example/canal/Aurora.br":       http.StatusNotFound,
		"ftp" + base[5:] + "/canal/Aurora.br":         http.StatusNotFound,
		"javascript:alert(1)":                         http.StatusNotFound,
		"/canal/Aurora.br":                            http.StatusNotFound,
		"https://%zz":                                 http.StatusNotFound,
		"":                                            http.StatusBadRequest,
		base + "/canal/" + strings.Repeat("a", 2000):  http.StatusBadRequest,
	} {
		if status, _, body := askOEmbed(t, h, address, ""); status != want {
			t.Errorf("%s: %d %s, want %d", address, status, body, want)
		}
	}
	for _, query := range []string{"&format=yaml", "&maxheight=-1", "&maxwidth=x"} {
		if status, _, body := askOEmbed(t, h, base+"/c/Aurora.br", query); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	for format, read := range map[string]func([]byte, any) error{"json": json.Unmarshal, "xml": xml.Unmarshal} {
		status, _, body := askOEmbed(t, h, base+"/c/Evil.br", "&format="+format)
		var got embedding
		if err := read([]byte(body), &got); err != nil || status != http.StatusOK {
			t.Fatal(status, err, body)
		}
		if frame := frameIn(t, got.HTML); frame["title"] != hostileName || got.Title != hostileName {
			t.Errorf("the name is %q in the frame, and %q", frame["title"], got.Title)
		}
	}
	empty := request.Handler(request.Options{}, New(Options{Catalog: shown{}, Now: time.Now}), Endpoints)
	if status, _, _ := askOEmbed(t, empty, base+"/c/Aurora.br", ""); status != http.StatusServiceUnavailable {
		t.Errorf("without a catalog: %d", status)
	}
}
