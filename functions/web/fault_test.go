package web_test

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"miramundo.dev/functions/web"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
)

// missingText matches the key of a text in the place of the text.
var missingText = regexp.MustCompile(`>\s*(error|layout)\.[\w.-]+\s*<`)

// serve serves all pages of a catalog.
func serve(c webtest.Catalog) http.Handler {
	s := web.New(web.Options{Catalog: c, Links: webtest.Links, Now: webtest.Clock})
	return request.Mux(request.Options{FaultPage: s.FaultPage, Now: webtest.Clock}, s.Groups()...)
}

// TestFaultPage checks how browsers and programs are answered when something fails:
// with the status, in their language, and with where to go on.
func TestFaultPage(t *testing.T) {
	h, empty := sample(t), serve(webtest.Catalog{})
	for _, test := range []struct {
		name, method, path, language string
		handler                      http.Handler
		status                       int
		says                         string
		l                            i18n.Locale
	}{
		{"nowhere", "GET", "/de/nichts/da", "fr", h, 404, "error.missing_title", i18n.DE},
		{"nowhere at the root", "GET", "/a/b/c", "fr", h, 404, "error.missing_title", i18n.FR},
		{"no channel", "GET", "/en/channel/No.such", "", h, 404, "error.missing_title", i18n.EN},
		{"no channel by its short link", "GET", "/c/No.such", "de", h, 404, "error.missing_title", i18n.DE},
		{"no country", "GET", "/es/atlantida", "", h, 404, "error.missing_title", i18n.ES},
		{"no catalog", "GET", "/en?q=a&kind=tv", "", empty, 503, "fault.catalog_unavailable", i18n.EN},
		{"no catalog, nowhere", "GET", "/en/x/y", "", empty, 404, "error.missing_title", i18n.EN},
		{"too long", "GET", "/fr?q=" + strings.Repeat("x", 300), "", h, 400, "error.refused_title", i18n.FR},
		{"head", "HEAD", "/de/nichts/da", "", h, 404, "", i18n.DE},
	} {
		w := webtest.Request(test.handler, test.method, test.path, "Accept-Language", test.language)
		page := html.UnescapeString(w.Body.String())
		if w.Code != test.status || w.Header().Get("Content-Language") != test.l.HTML() || w.Header().Get("Cache-Control") != "no-store" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d, %v", test.name, w.Code, w.Header())
		}
		if test.says == "" {
			if page != "" {
				t.Errorf("%s: %d bytes", test.name, len(page))
			}
			continue
		}
		if !strings.Contains(page, test.l.T(test.says, nil)) || !strings.Contains(page, `data-page="error"`) || missingText.MatchString(page) {
			t.Errorf("%s says %s", test.name, page)
		}
		if again := strings.Contains(page, `href="`+test.path+`"`); again != (test.status >= 500) {
			t.Errorf("%s: to be tried again: %t", test.name, again)
		}
		if search, links := strings.Contains(page, `id="find"`), strings.Contains(page, `class="chip"`); search != (test.status < 500) || links != (test.status == 404 && test.handler == h) {
			t.Errorf("%s: search %t, countries %t", test.name, search, links)
		}
		w = webtest.Request(test.handler, test.method, test.path, "Accept", "application/json")
		var body struct{ Error, Message string }
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != test.status || body.Error == "" || body.Message == "" {
			t.Errorf("%s, to a program: %d %s", test.name, w.Code, w.Body)
		}
	}
	if w := webtest.Request(h, "GET", "/api/nothing"); !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		t.Errorf("the API answers a browser with %s", w.Header().Get("Content-Type"))
	}
}

// TestGonePage checks the page of a channel that is known but not shown: a browser
// reads its name, what became of it and what replaced it, a program reads the same
// as JSON.
func TestGonePage(t *testing.T) {
	h := serve(webtest.Show(t, &catalog.Register{
		Records: []catalog.Record{{ID: "Tape.us", Name: `Tape "Live" <b>`}},
		Gone: []catalog.Gone{
			{ID: "Ended.us", Name: "Ended", Reason: catalog.GoneClosed, Since: "2019-12-31"},
			{ID: "Gone.us", Name: "<i>Gone</i>", Reason: catalog.GoneVanished, ReplacedBy: "Tape.us"},
			{ID: "Listed.us", Name: "Listed", Reason: catalog.GoneBlocked, Since: "2020-01-02", ReplacedBy: "Ended.us"},
			{ID: "Nameless.us", Reason: catalog.GoneClosed},
		},
	}, index.Overlay{}))
	for _, test := range []struct {
		path      string
		want, not []string
	}{
		{"/en/channel/Ended.us", []string{"Ended is no longer shown", "It closed on 31 December 2019."}, []string{"which replaced it"}},
		{"/de/sender/Ended.us", []string{"Ended wird nicht mehr gezeigt", "am 31.12.2019"}, nil},
		{"/en/channel/Gone.us", []string{"&lt;i&gt;Gone&lt;/i&gt; is no longer shown", "no longer list it.", `href="/en/channel/Tape.us"`, "Go to Tape &#34;Live&#34; &lt;b&gt;, which replaced it"}, []string{"<i>"}},
		{"/en/channel/Listed.us", []string{"Listed is no longer shown", "It may not be shown here."}, []string{"which replaced it"}},
		{"/c/Listed.us", []string{"Listed"}, nil},
		{"/en/channel/Nameless.us", []string{i18n.EN.T("error.missing_title", nil)}, nil},
	} {
		w := webtest.Request(h, "GET", test.path)
		page := w.Body.String()
		if w.Code != http.StatusNotFound || missingText.MatchString(page) || !strings.Contains(page, "noindex") {
			t.Errorf("%s: %d %s", test.path, w.Code, page)
		}
		for _, text := range test.want {
			if !strings.Contains(page, text) {
				t.Errorf("%s lacks %s: %s", test.path, text, page)
			}
		}
		for _, text := range test.not {
			if strings.Contains(page, text) {
				t.Errorf("%s contains %s", test.path, text)
			}
		}
	}
}
