package channel

import (
	"net/http"
	"testing"

	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestShortLinkRedirects checks that the short link of a channel leads to its page in the
// caller's language, also by a former id.
func TestShortLinkRedirects(t *testing.T) {
	h := webtest.Handler(New(Options{Catalog: webtest.Sample(t, index.Overlay{})}), Endpoints)
	reg, err := webtest.SampleRegister()
	if err != nil {
		t.Fatal(err)
	}
	first := reg.Records[0].ID
	for _, test := range []struct{ id, language, want string }{
		{webtest.KnownID, "", "/canal/" + webtest.KnownID},
		{webtest.KnownID, "fr-CA,en;q=0.5", "/fr/chaine/" + webtest.KnownID},
		{webtest.KnownID, "zh", "/canal/" + webtest.KnownID},
		{webtest.FormerID, "de", site.Channel.Path(i18n.DE, first)},
	} {
		w := webtest.Request(h, "GET", "/c/"+test.id, "Accept-Language", test.language)
		if w.Code != http.StatusFound || w.Header().Get("Location") != test.want || w.Header().Get("Vary") != "Accept-Language" || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s in %q: %d to %q, %v", test.id, test.language, w.Code, w.Header().Get("Location"), w.Header())
		}
	}
	for _, id := range []string{"no-such", "%3Cscript%3E", "..%2f..%2fetc"} {
		if w := webtest.Request(h, "GET", "/c/"+id); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", id, w.Code)
		}
	}
	empty := webtest.Handler(New(Options{Catalog: webtest.Catalog{}}), Endpoints)
	if w := webtest.Request(empty, "GET", "/c/x"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("without a catalog: %d", w.Code)
	}
}
