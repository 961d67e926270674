package catalog

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/similar"
)

// friends are the companions of every channel.
type friends []similar.Companion

func (f friends) Of(string) []similar.Companion { return f }

// similarHandler serves three TV channels, of which people keep some together, one that is
// blocked, and a station.
func similarHandler(t testing.TB, together friends) http.Handler {
	t.Helper()
	reg := &catalog.Register{BuiltAt: noon, ChannelAliases: map[string]string{"Older.br": "Aurora.br"}}
	for n, r := range []catalog.Record{
		{ID: "Aurora.br", Name: "Aurora", Country: "BR", Network: hostileName},
		{ID: "Evil.br", Name: hostileName, Country: "BR", Network: hostileName},
		{ID: "Fado.pt", Name: "Fado", Country: "PT"},
		{ID: "Blocked.br", Name: "Blocked", Country: "BR"},
		{ID: "rb.1", Kind: catalog.Station, Name: "Onda", Country: "BR", Radio: &catalog.Radio{}},
	} {
		r.Origin = "iptv-org"
		r.Streams = []catalog.StreamRecord{{ID: catalog.StreamID(n + 1), URL: "https://o.example/x.m3u8", Kind: catalog.StreamHLS, Origin: r.Origin, Playable: true}}
		reg.Records = append(reg.Records, r)
	}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	view := index.NewView(ix, index.Overlay{BlockedChannels: []string{"Blocked.br"}}, catalog.LinkBase{Base: oembedBase})
	o := Options{Catalog: shown{view}, Now: func() time.Time { return noon }, Companions: together}
	return request.Handler(request.Options{}, New(o), Endpoints)
}

// askSimilar asks for what is similar to a channel.
func askSimilar(t *testing.T, h http.Handler, id, query string, header ...string) (*http.Response, similarList) {
	t.Helper()
	res, body := apitest.Do(t, h, "GET", catalog.ChannelsPath+"/"+url.PathEscape(id)+"/similar"+query, "", header...)
	var list similarList
	if res.StatusCode == http.StatusOK {
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatalf("%s: %v in %s", id, err, body)
		}
	}
	return res, list
}

func TestSimilarKept(t *testing.T) {
	h := similarHandler(t, friends{{Channel: "Fado.pt", People: 12}, {Channel: "rb.1", People: 9}, {Channel: "Blocked.br", People: 8}})
	res, list := askSimilar(t, h, "Older.br", "?lang=en")
	people := 12
	want := similarList{ChannelID: "Aurora.br", API: oembedBase + "/api/channels/Aurora.br/similar", Items: []similarItem{
		{ID: "Fado.pt", Name: "Fado", Kind: "tv", Country: catalog.TextOrNil("PT"), PlayableHint: true, API: oembedBase + "/api/channels/Fado.pt", Reasons: []reason{{"kept", "Kept together by 12 people", &people}}},
		{ID: "Evil.br", Name: hostileName, Kind: "tv", Country: catalog.TextOrNil("BR"), PlayableHint: true, API: oembedBase + "/api/channels/Evil.br", Reasons: []reason{{"network", "Same network: " + hostileName, nil}}},
	}}
	if diff := cmp.Diff(want, list); diff != "" || res.Header.Get("Cache-Control") != "private" {
		t.Errorf("%d, %v (-want +got):\n%s", res.StatusCode, res.Header, diff)
	}
	if again, _ := askSimilar(t, h, "Aurora.br", "?lang=en", "If-None-Match", res.Header.Get("Etag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("with the version %q: %d", res.Header.Get("Etag"), again.StatusCode)
	}
	if vary := strings.Join(res.Header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Language") {
		t.Errorf("Vary is %q", vary)
	}
	if _, alone := askSimilar(t, h, "rb.1", ""); alone.Items == nil || len(alone.Items) != 0 || alone.ChannelID != "rb.1" {
		t.Errorf("similar to the only station: %+v", alone)
	}
}

// TestSimilarUnknown answers ids that are not shown, and hostile ones, as the detail
// record does.
func TestSimilarUnknown(t *testing.T) {
	h := similarHandler(t, nil)
	for _, id := range []string{"Blocked.br", "Nowhere.br", hostileName, "..", "%00", strings.Repeat("x", 3000), "Aurora.br/similar", " ", "Aurora.BR"} {
		path := catalog.ChannelsPath + "/" + url.PathEscape(id)
		detail, want := apitest.Do(t, h, "GET", path, "")
		res, got := apitest.Do(t, h, "GET", path+"/similar", "")
		if res.StatusCode < 400 || res.StatusCode >= 500 || id != ".." && (res.StatusCode != detail.StatusCode || got != want) {
			t.Errorf("%.40q: %d %.200s, and the record %d %.200s", id, res.StatusCode, got, detail.StatusCode, want)
		}
	}
	empty := request.Handler(request.Options{}, New(Options{Catalog: shown{}, Now: func() time.Time { return noon }}), Endpoints)
	if res, _ := askSimilar(t, empty, "Aurora.br", ""); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("before the first release: %d", res.StatusCode)
	}
}

// TestSimilarLimits bounds the number of channels, and refuses what is not a number.
func TestSimilarLimits(t *testing.T) {
	h := similarHandler(t, friends{{Channel: "Fado.pt", People: 5}})
	for query, want := range map[string]int{"": 2, "?limit=1": 1, "?limit=50": 2, "?limit=51": 2, "?limit=999999999999999999": 2} {
		if _, list := askSimilar(t, h, "Aurora.br", query); len(list.Items) != want {
			t.Errorf("%q: %d items", query, len(list.Items))
		}
	}
	for _, query := range []string{"?limit=0", "?limit=-1", "?limit=1.5", "?limit=x", "?limit=%00", "?lang=" + strings.Repeat("x", 17)} {
		if res, _ := askSimilar(t, h, "Aurora.br", query); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %d", query, res.StatusCode)
		}
	}
}

// TestSimilarCodes holds the codes of reasons in the description to those that are given.
func TestSimilarCodes(t *testing.T) {
	field, _ := reflect.TypeFor[reason]().FieldByName("Code")
	if got := strings.Split(field.Tag.Get("enum"), ","); !slices.Equal(got, similar.Codes) {
		t.Errorf("the description lists %q, want %q", got, similar.Codes)
	}
}
