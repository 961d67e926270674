package web

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// mapped reads the site maps as search engines do, from robots.txt on, and
// returns the addresses in them.
func mapped(t testing.TB, h http.Handler) []string {
	t.Helper()
	_, address, ok := strings.Cut(string(bodyOf(t, h, "/robots.txt")), "\nSitemap: ")
	if !ok {
		t.Fatal("robots.txt names no site map")
	}
	var list sitemapList
	if err := xml.Unmarshal(bodyOf(t, h, strings.TrimSpace(address)), &list); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range list.Maps {
		var file sitemapFile
		if err := xml.Unmarshal(bodyOf(t, h, m.Address), &file); err != nil {
			t.Fatalf("%s: %v", m.Address, err)
		}
		if len(file.Pages) == 0 || len(file.Pages) > sitemapMost || m.Changed != "2026-11-22" {
			t.Errorf("%s of %s has %d pages", m.Address, m.Changed, len(file.Pages))
		}
		for _, p := range file.Pages {
			all = append(all, p.Address)
			if p.Changed != "2026-11-22" {
				t.Errorf("%s has changed on %q", p.Address, p.Changed)
			}
		}
	}
	return all
}

// TestSitemap follows every address of the site maps: each is there, is its own
// one address, and is for search engines. Every channel with a stream is among
// them.
func TestSitemap(t *testing.T) {
	s, h := sampleServer(t, index.Overlay{}, Options{})
	all := mapped(t, h)
	every := 1
	if testing.Short() {
		every = 7
	}
	for i := 0; i < len(all); i += every {
		address := all[i]
		if got := headOf(t, h, address); got.status != http.StatusOK || got.link("canonical") != address || got.metas["robots"] != nil {
			t.Errorf("%s: %d, canonical %s, robots %s", address, got.status, got.link("canonical"), got.metas["robots"])
		}
	}
	if sorted := slices.Sorted(slices.Values(all)); len(slices.Compact(sorted)) != len(all) {
		t.Error("an address is there twice")
	}
	reg, err := sampled()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range i18n.Locales {
		for i := range reg.Records {
			r := &reg.Records[i]
			if got := slices.Contains(all, base+site.Channel.Path(l, r.ID)); got != (len(r.Streams) > 0) {
				t.Errorf("%s with %d streams is listed: %t", r.ID, len(r.Streams), got)
			}
		}
	}
	id := reg.Records[0].ID
	_, h = sampleServer(t, index.Overlay{BlockedChannels: []string{id}}, Options{})
	if slices.Contains(mapped(t, h), base+site.Channel.Path(i18n.PT, id)) {
		t.Error("a blocked channel is listed")
	}
	if pages := s.sitemapPages(mustView(t, s), i18n.PT, 5); len(pages) == 0 || pages[0].Address != all[5] {
		t.Errorf("from 5 on there is %v", pages[:1])
	}
}

func mustView(t testing.TB, s *Server) *index.View {
	t.Helper()
	at, err := s.Catalog.View()
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestSitemapRefuses(t *testing.T) {
	_, h := sampleServer(t, index.Overlay{}, Options{})
	for _, file := range []string{"pt-0.xml", "pt-2.xml", "pt-01.xml", "pt--1.xml", "pt-65536.xml", "pt-1", "pt.xml", "xx-1.xml", "PT-1.xml", "pt-BR-1.xml", "pt-1.xml.gz", "%2e%2e"} {
		if w := ask(h, "GET", sitemapsPath+file); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", file, w.Code)
		}
	}
	s := New(Options{Catalog: fixed{}, Links: catalog.LinkBase{Base: base}})
	for _, path := range []string{sitemapPath, sitemapsPath + "pt-1.xml", "/c/x", pictureOf("x"), "/"} {
		if w := ask(handle(s), "GET", path); w.Code != http.StatusServiceUnavailable || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s without a catalog: %d", path, w.Code)
		}
	}
}

// TestRobots checks what search engines are kept from.
func TestRobots(t *testing.T) {
	_, h := sampleServer(t, index.Overlay{}, Options{})
	got := string(bodyOf(t, h, "/robots.txt"))
	const want = "User-agent: *\nAllow: /api/$\nDisallow: /api/\nDisallow: /f/\n\nSitemap: https://mira.example/sitemap.xml\n"
	if got != want {
		t.Errorf("robots.txt is %q, want %q", got, want)
	}
}

// TestShort checks that the address of a channel leads to its page in the
// caller's language, from ids that it once had too.
func TestShort(t *testing.T) {
	_, h := sampleServer(t, index.Overlay{}, Options{})
	reg, err := sampled()
	if err != nil {
		t.Fatal(err)
	}
	first := reg.Records[0].ID
	for _, test := range []struct{ id, language, want string }{
		{known, "", "/canal/" + known},
		{known, "fr-CA,en;q=0.5", "/fr/chaine/" + known},
		{known, "zh", "/canal/" + known},
		{"Former.xx", "de", site.Channel.Path(i18n.DE, first)},
	} {
		w := ask(h, "GET", "/c/"+test.id, "Accept-Language", test.language)
		if w.Code != http.StatusFound || w.Header().Get("Location") != test.want || w.Header().Get("Vary") != "Accept-Language" || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s in %q: %d to %q, %v", test.id, test.language, w.Code, w.Header().Get("Location"), w.Header())
		}
	}
	for _, id := range []string{"no-such", "%3Cscript%3E", "..%2f..%2fetc"} {
		w := ask(h, "GET", "/c/"+id, "Accept-Language", "de")
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), i18n.DE.T("error.missing_title", nil)) {
			t.Errorf("%s: %d", id, w.Code)
		}
	}
}
