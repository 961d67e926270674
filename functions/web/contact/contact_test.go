package contact

import (
	"strings"
	"testing"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/partner"
	"miramundo.dev/shared/producer"
	"miramundo.dev/shared/site"
)

var widget = human.Widget{SiteKey: "site-key", Script: "https://human.example/api.js"}

// TestForm checks that the form has every space of the offer, and that the page alone
// may load the script of the challenge.
func TestForm(t *testing.T) {
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Widget: widget, Email: "to@mira.example"}), Endpoints)
	for _, l := range i18n.Locales {
		w := webtest.Request(h, "GET", site.Contact.Path(l, ""))
		for _, id := range partner.Spaces() {
			if !strings.Contains(w.Body.String(), `name="espaco" value="`+id+`"`) {
				t.Errorf("%s: the form lacks the space %s", l, id)
			}
		}
		for _, want := range []string{`data-site-key="site-key"`, "mailto:to@mira.example"} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: the page lacks %q", l, want)
			}
		}
		if n := strings.Count(w.Header().Get("Content-Security-Policy"), "https://human.example"); n != 3 {
			t.Errorf("%s: the policy names the provider %d times, want 3", l, n)
		}
		other := webtest.Request(h, "GET", site.Partners.Path(l, ""))
		if strings.Contains(other.Header().Get("Content-Security-Policy"), "human.example") {
			t.Errorf("%s: the page of partners may load the script of the challenge", l)
		}
	}
}

// TestKind checks that a link chooses the kind of contact, without a script.
func TestKind(t *testing.T) {
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Widget: widget}), Endpoints)
	for query, want := range map[string]bool{"": false, "?tipo=anuncio": true, "?tipo=nothing": false} {
		body := webtest.Body(t, h, site.Contact.Path(i18n.EN, "")+query)
		if chosen := strings.Contains(body, `value="anuncio" selected`); chosen != want || strings.Contains(body, `class="contact-offer" hidden`) == want {
			t.Errorf("%q: chosen %t, want %t", query, chosen, want)
		}
	}
}

// TestWithoutWidget checks that no form is shown where nobody could send it.
func TestWithoutWidget(t *testing.T) {
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links)}), Endpoints)
	if body := webtest.Body(t, h, site.Contact.Path(i18n.EN, "")); strings.Contains(body, "<textarea") || strings.Contains(body, "mailto:") {
		t.Error("the page has a form or an address")
	}
}

// TestOffers checks that the pages show what the API returns.
func TestOffers(t *testing.T) {
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links)}), Endpoints)
	for _, l := range i18n.Locales {
		body := webtest.Body(t, h, site.Partners.Path(l, ""))
		for _, p := range partner.Of(l, "", partner.Addresses{}).Placements {
			if !strings.Contains(body, p.Name) || !strings.Contains(body, p.Description) {
				t.Errorf("%s: the page of partners lacks %s", l, p.ID)
			}
		}
		body = webtest.Body(t, h, site.Producers.Path(l, ""))
		for _, text := range producer.Of(l, producer.Addresses{}).Services {
			if !strings.Contains(body, text) {
				t.Errorf("%s: the page of producers lacks %q", l, text)
			}
		}
	}
}
