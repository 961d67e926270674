package sitefiles

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// sitemapURLs reads the site maps as search engines do, starting at robots.txt, and
// returns their URLs.
func sitemapURLs(t testing.TB, h http.Handler) []string {
	t.Helper()
	_, address, ok := strings.Cut(webtest.Body(t, h, "/robots.txt"), "\nSitemap: ")
	if !ok {
		t.Fatal("robots.txt names no site map")
	}
	var list sitemapList
	if err := xml.Unmarshal([]byte(webtest.Body(t, h, strings.TrimSpace(address))), &list); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range list.Maps {
		var file sitemapFile
		if err := xml.Unmarshal([]byte(webtest.Body(t, h, m.Address)), &file); err != nil {
			t.Fatalf("%s: %v", m.Address, err)
		}
		if len(file.Pages) == 0 || len(file.Pages) > maxURLs || m.Changed != "2026-11-22" {
			t.Errorf("%s of %s has %d pages", m.Address, m.Changed, len(file.Pages))
		}
		for _, p := range file.Pages {
			all = append(all, p.Address)
			path := strings.TrimPrefix(p.Address, webtest.Links.Base)
			if listed := path == "/" || path == "/en" || path == "/brasil"; listed && p.Changed != "2026-11-22" {
				t.Errorf("the list at %s has changed on %q", p.Address, p.Changed)
			}
			if unknown := strings.Contains(path, "/canal/") || strings.Contains(path, "/channel/") || path == "/sobre"; unknown && p.Changed != "" {
				t.Errorf("%s says that it has changed on %q, which is not known", p.Address, p.Changed)
			}
		}
	}
	return all
}

// TestSitemap checks that the site maps have every channel with a stream, and no
// URL twice. That each URL leads to a page is checked where all pages are.
func TestSitemap(t *testing.T) {
	shown := webtest.Sample(t, index.Overlay{})
	atlas := cities.New(func() []byte { return []byte("2267057\tLisbon\tPT\t38.72\t-9.13\n1\tNowhere\tPT\t0\t0\n") })
	s := New(Options{Catalog: shown, Cities: atlas, Links: webtest.Links})
	h := webtest.Handler(s, Endpoints)
	all := sitemapURLs(t, h)
	if sorted := slices.Sorted(slices.Values(all)); len(slices.Compact(sorted)) != len(all) {
		t.Error("a URL is listed twice")
	}
	for _, l := range i18n.Locales {
		if !slices.Contains(all, webtest.Base+site.City.Path(l, "lisbon-2267057")) || slices.Contains(all, webtest.Base+site.City.Path(l, "nowhere-1")) {
			t.Errorf("%s: the cities with stations are not listed, or one without", l)
		}
	}
	reg, err := webtest.SampleRegister()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range i18n.Locales {
		for i := range reg.Records {
			r := &reg.Records[i]
			if got := slices.Contains(all, webtest.Base+site.Channel.Path(l, r.ID)); got != (len(r.Streams) > 0) {
				t.Errorf("%s with %d streams is listed: %t", r.ID, len(r.Streams), got)
			}
		}
	}
	id := reg.Records[0].ID
	h = handler(t, index.Overlay{BlockedChannels: []string{id}}, nil)
	if slices.Contains(sitemapURLs(t, h), webtest.Base+site.Channel.Path(i18n.PT, id)) {
		t.Error("a blocked channel is listed")
	}
	if pages := s.sitemapPages(shown.Snapshot, i18n.PT, 5); len(pages) == 0 || pages[0].Address != all[5] {
		t.Errorf("the pages from index 5 start with %v", pages[:1])
	}
}

// TestSitemapRefuses checks that only the paths of existing parts are served.
func TestSitemapRefuses(t *testing.T) {
	h := handler(t, index.Overlay{}, nil)
	for _, file := range []string{"pt-0.xml", "pt-2.xml", "pt-01.xml", "pt--1.xml", "pt-65536.xml", "pt-1", "pt.xml", "xx-1.xml", "PT-1.xml", "pt-BR-1.xml", "pt-1.xml.gz", "%2e%2e"} {
		if w := webtest.Request(h, "GET", sitemapsPath+file); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", file, w.Code)
		}
	}
	empty := webtest.Handler(New(Options{Catalog: webtest.Catalog{}, Links: webtest.Links}), Endpoints)
	for _, path := range []string{sitemapPath, sitemapsPath + "pt-1.xml", site.ChannelPicture("x")} {
		if w := webtest.Request(empty, "GET", path); w.Code != http.StatusServiceUnavailable || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s without a catalog: %d", path, w.Code)
		}
	}
}

// TestRobots checks what search engines may not read.
func TestRobots(t *testing.T) {
	got := webtest.Body(t, handler(t, index.Overlay{}, nil), "/robots.txt")
	const want = "User-agent: *\nAllow: /api/$\nAllow: /api/oembed\nDisallow: /api/\nDisallow: /f/\nDisallow: /l/*/\nDisallow: /live/\nDisallow: /player_api.php\nDisallow: /get.php\nDisallow: /xmltv.php\nDisallow: /lists/\nDisallow: /json/\nDisallow: /xml/\nDisallow: /csv/\nDisallow: /m3u/\nDisallow: /pls/\nDisallow: /xspf/\n\nSitemap: https://mira.example/sitemap.xml\n"
	if got != want {
		t.Errorf("robots.txt is %q, want %q", got, want)
	}
}
