package prose

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/social"
)

// handler serves the pages with a contact.
func handler(t *testing.T, contact string) http.Handler {
	t.Helper()
	sample := webtest.Sample(t, index.Overlay{})
	o := Options{Pages: page.NewRenderer(webtest.Links), Sources: sample, Catalog: sample, Base: webtest.Links.Base, Contact: contact}
	return webtest.Handler(New(o), Endpoints)
}

// textOf returns a page with its entities decoded.
func textOf(t testing.TB, h http.Handler, path string) string {
	t.Helper()
	return html.UnescapeString(webtest.Body(t, h, path))
}

// missingText matches the key of a text in the place of the text.
var missingText = regexp.MustCompile(`>\s*(guide|connect|kodi|jellyfin|homeassistant|about|error|layout|health|seo)\.[\w.-]+\s*<`)

// TestGuidePage checks that the page explains every key and every reason of a play
// report, and that its table of contents lists its sections.
func TestGuidePage(t *testing.T) {
	h := handler(t, "")
	for _, l := range i18n.Locales {
		page := textOf(t, h, site.Guide.Path(l, ""))
		if found := missingText.FindString(page); found != "" {
			t.Errorf("%s: no text: %s", l, found)
		}
		for _, code := range social.Codes {
			if label := l.T("health.reason."+code+".label", nil); !strings.Contains(page, label) {
				t.Errorf("%s does not explain %q", l, label)
			}
		}
		for key, text := range l.Under("layout.ui.key_") {
			if !strings.Contains(page, ">"+text+"<") {
				t.Errorf("%s does not explain %s: %s", l, key, text)
			}
		}
		for _, id := range guideParts.Sections {
			if !strings.Contains(page, `href="#`+id+`"`) || !strings.Contains(page, `<section id="`+id+`">`) {
				t.Errorf("%s: %s is not both in the contents and there", l, id)
			}
		}
		if n := strings.Count(page, "<section id="); n != len(guideParts.Sections) {
			t.Errorf("%s has %d parts, of which %d are in the contents", l, n, len(guideParts.Sections))
		}
	}
}

// TestAboutPage checks that the page names every source of records with its
// freshness, and the contact.
func TestAboutPage(t *testing.T) {
	const contact = "rights+a@mira.example"
	h, quiet := handler(t, contact), handler(t, "")
	reg, err := webtest.SampleRegister()
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
		if found := missingText.FindString(page); found != "" {
			t.Errorf("%s: no text: %s", l, found)
		}
		for origin := range names {
			if !strings.Contains(page, `id="`+origin+`"`) {
				t.Errorf("%s has no place for %s", l, origin)
			}
		}
		if n := strings.Count(page, `<time datetime="2026-11-22T12:00Z">2026-11-22 12:00 UTC</time>`); n != 2 {
			t.Errorf("%s has the fetch times of %d sources", l, n)
		}
		if !strings.Contains(page, `href="mailto:`+contact+`"`) || strings.Contains(page, l.T("about.takedown_none", nil)) {
			t.Errorf("%s does not name the contact", l)
		}
		if page := textOf(t, quiet, site.About.Path(l, "")); strings.Contains(page, "mailto:") || !strings.Contains(page, l.T("about.takedown_none", nil)) {
			t.Errorf("%s names a contact that does not exist", l)
		}
	}
}

// TestSourceWith checks how the state of the files of a source is summed up.
func TestSourceWith(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 1, 2, hour, 3, 0, 0, time.FixedZone("", 3600)) }
	got := source{ID: "x"}.with([]catalog.Source{
		{FetchedAt: at(9), Items: 5}, {FetchedAt: at(7), Items: 2}, {Missing: true}, {FetchedAt: at(8)},
	})
	if want := (source{ID: "x", Items: 7, Missing: 1, Oldest: "2026-01-02 06:03"}); got != want || got.Moment() != "2026-01-02T06:03Z" {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (source{}).with(nil); got != (source{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
