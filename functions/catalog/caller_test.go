package catalog

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// places serves two channels of one name and rating, of which only the country and
// the language differ.
func places(t testing.TB) http.Handler {
	t.Helper()
	reg := &catalog.Register{BuiltAt: noon}
	for i, place := range [][2]string{{"CL", "spa"}, {"FR", "fra"}} {
		reg.Records = append(reg.Records, catalog.Record{
			ID: "Canal." + place[0], Name: "Canal", Country: place[0], Languages: []string{place[1]}, Origin: "iptv-org",
			Streams: []catalog.StreamRecord{{ID: catalog.StreamID(i + 1), URL: "https://o.example/x.m3u8", Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true}},
		})
	}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	server := New(Options{Catalog: shown{index.NewView(ix, index.Overlay{}, catalog.LinkBase{})}, Now: func() time.Time { return noon }})
	return request.Handler(request.Options{CountryHeader: "X-Country"}, server, Endpoints)
}

// TestCaller checks which searches answer by the caller's country and language.
func TestCaller(t *testing.T) {
	h := places(t)
	const chile, france = "Canal.CL", "Canal.FR"
	for _, test := range []struct {
		query, country, languages string
		want                      string
	}{
		{"sort=popular", "", "", chile},
		{"sort=popular", "FR", "", france},
		{"sort=popular&country=CL", "FR", "", chile},
		{"sort=relevance&q=canal", "FR", "", france},
		{"sort=relevance&q=canal", "", "", chile},
		{"sort=relevance&q=canal", "", "fr-CA,fr", france},
		{"sort=relevance&q=canal&lang=fr", "", "es", france},
		{"sort=relevance&q=canal&lang=x", "", "fr", france},
		{"sort=relevance&q=canal", "ZZ", "*", chile},
		{"sort=name", "FR", "fr", chile},
		{"sort=score", "FR", "fr", chile},
		{"q=canal", "FR", "fr", chile},
	} {
		header := []string{"X-Country", test.country, "Accept-Language", test.languages}
		for path, items := range map[string]string{"/api/channels": "items", "/api/channels.json": "channels"} {
			res, body := apitest.Do(t, h, "GET", path+"?"+test.query, "", header...)
			if res.StatusCode != http.StatusOK {
				t.Fatalf("%s?%s: %s %s", path, test.query, res.Status, body)
			}
			if got := firstOf(t, body, items); got != test.want {
				t.Errorf("%s?%s from %q in %q: %s is first, want %s", path, test.query, test.country, test.languages, got, test.want)
			}
			if cache := res.Header.Get("Cache-Control"); cache != string(api.Private) {
				t.Errorf("%s: Cache-Control is %q", path, cache)
			}
		}
	}
}

// TestSetCaller checks that the caller of an order that is the same for everybody
// is not looked at.
func TestSetCaller(t *testing.T) {
	for _, sort := range []string{"name", "score", "votes", ""} {
		want := index.Query{Selection: filter.Selection{Sort: sort}}
		got := want
		setCaller(context.Background(), &got, "fr")
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("sort %q (-want +got):\n%s", sort, d)
		}
	}
}

// firstOf returns the id of the first of the items of an answer.
func firstOf(t testing.TB, body, items string) string {
	t.Helper()
	var all map[string]json.RawMessage
	var list []struct{ ID string }
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[items], &list); err != nil || len(list) == 0 {
		t.Fatalf("no %s in %s (%v)", items, body, err)
	}
	return list[0].ID
}

func TestFirstLanguage(t *testing.T) {
	for header, want := range map[string]string{
		"": "", "*": "", ";;;": "", "und": "", "zxx,de": "deu", "pt-BR,pt;q=0.9": "por", "en;q=0,fr": "fra", "de;q=0.5,fr": "fra",
		strings.Repeat("de,", 400): "",
	} {
		if got, ok := firstLanguage(header); got != want || ok != (want != "") {
			t.Errorf("firstLanguage(%.20q) = %q, %v, want %q", header, got, ok, want)
		}
	}
}
