package web

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/social"
)

// textOf returns what a page says, as a person reads it.
func textOf(t testing.TB, h http.Handler, path string) string {
	t.Helper()
	return html.UnescapeString(string(bodyOf(t, h, path)))
}

// lost is the key of a text, where the text should stand.
var lost = regexp.MustCompile(`>\s*(guide|about|error|layout|health|seo)\.[\w.-]+\s*<`)

// TestGuidePage checks that the page tells of every key and every reason, and
// that its contents lead to what is there.
func TestGuidePage(t *testing.T) {
	_, h := sampleServer(t, index.Overlay{}, Options{})
	for _, l := range i18n.Locales {
		page := textOf(t, h, site.Guide.Path(l, ""))
		if found := lost.FindString(page); found != "" {
			t.Errorf("%s: no text: %s", l, found)
		}
		for _, code := range social.Codes {
			if label := l.T("health.reason."+code+".label", nil); !strings.Contains(page, label) {
				t.Errorf("%s does not tell of %q", l, label)
			}
		}
		for key, text := range l.Under("layout.ui.key_") {
			if !strings.Contains(page, ">"+text+"<") {
				t.Errorf("%s does not tell of %s: %s", l, key, text)
			}
		}
		for _, id := range guideTexts.Sections {
			if !strings.Contains(page, `href="#`+id+`"`) || !strings.Contains(page, `<section id="`+id+`">`) {
				t.Errorf("%s: %s is not both in the contents and there", l, id)
			}
		}
		if n := strings.Count(page, "<section id="); n != len(guideTexts.Sections) {
			t.Errorf("%s has %d parts, of which %d are in the contents", l, n, len(guideTexts.Sections))
		}
	}
}

// TestAboutPage checks that the page names every source that records come from,
// with how fresh it is, and whom to ask.
func TestAboutPage(t *testing.T) {
	const contact = "rights+a@mira.example"
	_, h := sampleServer(t, index.Overlay{}, Options{Contact: contact})
	_, quiet := sampleServer(t, index.Overlay{}, Options{})
	reg, err := sampled()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range reg.Sources {
		name, _, _ := strings.Cut(f.Name, "/")
		names[name] = true
	}
	if len(names) != 2 {
		t.Fatalf("the sample has files of %v", names)
	}
	for _, l := range i18n.Locales {
		page := textOf(t, h, site.About.Path(l, ""))
		if found := lost.FindString(page); found != "" {
			t.Errorf("%s: no text: %s", l, found)
		}
		for origin := range names {
			if !strings.Contains(page, `id="`+origin+`"`) {
				t.Errorf("%s has no place for %s", l, origin)
			}
		}
		if n := strings.Count(page, `<time datetime="2026-11-22T12:00Z">2026-11-22 12:00 UTC</time>`); n != 2 {
			t.Errorf("%s tells of %d sources when they were read", l, n)
		}
		if !strings.Contains(page, `href="mailto:`+contact+`"`) || strings.Contains(page, l.T("about.takedown_none", nil)) {
			t.Errorf("%s does not name the contact", l)
		}
		if page := textOf(t, quiet, site.About.Path(l, "")); strings.Contains(page, "mailto:") || !strings.Contains(page, l.T("about.takedown_none", nil)) {
			t.Errorf("%s names a contact that there is not", l)
		}
	}
}

func TestOriginWith(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 1, 2, hour, 3, 0, 0, time.FixedZone("", 3600)) }
	got := origin{ID: "x"}.with([]catalog.Source{
		{FetchedAt: at(9), Items: 5}, {FetchedAt: at(7), Items: 2}, {Missing: true}, {FetchedAt: at(8)},
	})
	if want := (origin{ID: "x", Items: 7, Missing: 1, Oldest: "2026-01-02 06:03"}); got != want || got.Moment() != "2026-01-02T06:03Z" {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (origin{}).with(nil); got != (origin{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestFaultPage checks what a person and a program are told when something
// fails: the status, in their language, and where to go on.
func TestFaultPage(t *testing.T) {
	_, h := sampleServer(t, index.Overlay{}, Options{})
	empty := handle(New(Options{Catalog: fixed{}, Links: catalog.LinkBase{Base: base}}))
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
		{"no country", "GET", "/es/atlantida", "", h, 404, "error.missing_title", i18n.ES},
		{"no catalog", "GET", "/en?q=a&kind=tv", "", empty, 503, "fault.catalog_unavailable", i18n.EN},
		{"no catalog, nowhere", "GET", "/en/x/y", "", empty, 404, "error.missing_title", i18n.EN},
		{"too long", "GET", "/fr?q=" + strings.Repeat("x", 300), "", h, 400, "error.refused_title", i18n.FR},
		{"head", "HEAD", "/de/nichts/da", "", h, 404, "", i18n.DE},
	} {
		w := ask(test.handler, test.method, test.path, "Accept-Language", test.language)
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
		if !strings.Contains(page, test.l.T(test.says, nil)) || !strings.Contains(page, `data-page="error"`) || lost.MatchString(page) {
			t.Errorf("%s says %s", test.name, page)
		}
		if again := strings.Contains(page, `href="`+test.path+`"`); again != (test.status >= 500) {
			t.Errorf("%s: to be tried again: %t", test.name, again)
		}
		if search, links := strings.Contains(page, `id="find"`), strings.Contains(page, `class="chip"`); search != (test.status < 500) || links != (test.status == 404 && test.handler == h) {
			t.Errorf("%s: search %t, countries %t", test.name, search, links)
		}
		w = ask(test.handler, test.method, test.path, "Accept", "application/json")
		var body struct{ Error, Message string }
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != test.status || body.Error == "" || body.Message == "" {
			t.Errorf("%s, to a program: %d %s", test.name, w.Code, w.Body)
		}
	}
	if w := ask(h, "GET", "/api/nothing"); !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		t.Errorf("the API answers a browser with %s", w.Header().Get("Content-Type"))
	}
}
