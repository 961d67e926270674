package catalog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/guide"
)

// TestWholeLists gets whole lists in each format, with filters, and names that nothing has.
func TestWholeLists(t *testing.T) {
	h := lister(t, 700)
	for _, test := range []struct {
		path   string
		status int
		count  int    // of mark in the body
		mark   string // what each channel has
	}{
		{"/lists/tv.m3u", 200, 700, "#EXTINF"},
		{"/lists/index.m3u8", 200, 700, "#EXTINF"},
		{"/lists/radio.m3u", 200, 1, "#EXTINF"},
		{"/lists/all.m3u", 200, 701, "#EXTINF"},
		{"/lists/tv.m3u?category=news", 200, 350, "#EXTINF"},
		{"/lists/tv.m3u?q=0001", 200, 1, "#EXTINF"},
		{"/lists/tv.m3u?kind=radio", 200, 700, "#EXTINF"}, // the path says the kind
		{"/lists/country/br.m3u", 200, 700, "#EXTINF"},
		{"/lists/country/BR.m3u?kind=all", 200, 701, "#EXTINF"},
		{"/lists/country/br.m3u?country=PT", 200, 700, "#EXTINF"}, // and the country
		{"/lists/category/news.xspf", 200, 350, "<track>"},
		{"/lists/category/news.json", 200, 350, `"name":"Channel,`},
		{"/lists/tv.xml", 200, 0, "<channel "}, // without a guide
		{"/lists/country/zz.m3u", 404, 0, "#EXTINF"},
		{"/lists/country/.m3u", 404, 0, "#EXTINF"},
		{"/lists/country/br.txt", 404, 0, "#EXTINF"},
		{"/lists/country/br", 404, 0, "#EXTINF"},
		{"/lists/language/%00.m3u", 404, 0, "#EXTINF"},
		{"/lists/colours/red.m3u", 404, 0, "#EXTINF"},
		{"/lists/film.m3u", 404, 0, "#EXTINF"},
		{"/lists/tv.m3u?sort=colour", 400, 0, "#EXTINF"},
		{"/lists/tv.m3u?sort=works", 200, 700, "#EXTINF"},
		{"/lists/tv.m3u?works_in=BR", 200, 0, "#EXTINF"}, // nothing was reported, and no probe found anything
		{"/lists/tv.m3u?works_in=Q1", 400, 0, "#EXTINF"},
		{"/lists/" + strings.Repeat("x", 500) + ".m3u", 404, 0, "#EXTINF"},
	} {
		res, text := apitest.Do(t, h, "GET", test.path, "")
		if res.StatusCode != test.status || strings.Count(text, test.mark) != test.count {
			t.Errorf("%s: %d with %d channels, want %d with %d: %.200s", test.path, res.StatusCode, strings.Count(text, test.mark), test.status, test.count, text)
		}
	}
}

// TestWholeListVersion checks that a list is revalidated, for every country of the caller
// alike, and that its version differs by what it is of.
func TestWholeListVersion(t *testing.T) {
	h := lister(t, 4)
	seen := map[string]string{}
	for _, path := range []string{
		"/lists/tv.m3u", "/lists/tv.xspf", "/lists/all.m3u", "/lists/country/br.m3u", "/lists/tv.m3u?category=news", "/lists/tv.m3u?lang=en", "/lists/tv.m3u?playable=0",
	} {
		res, _ := apitest.Do(t, h, "GET", path, "")
		tag := res.Header.Get("ETag")
		if other, ok := seen[tag]; ok || tag == "" {
			t.Errorf("%s has the version %q, as %s", path, tag, other)
		}
		seen[tag] = path
		if res.Header.Get("Cache-Control") != "public, max-age=900" {
			t.Errorf("%s: Cache-Control %q", path, res.Header.Get("Cache-Control"))
		}
		for _, country := range []string{"", "BR", "JP"} {
			if res, text := apitest.Do(t, h, "GET", path, "", "If-None-Match", tag, "X-Country", country); res.StatusCode != http.StatusNotModified || text != "" {
				t.Errorf("%s from %q: %d with %d bytes, want 304", path, country, res.StatusCode, len(text))
			}
		}
	}
}

// TestWholeGuide checks the guide of a list, plain and in gzip, and that the list leads to it.
func TestWholeGuide(t *testing.T) {
	h := scheduledLister(t, 3)
	_, list := apitest.Do(t, h, "GET", "/lists/country/br.m3u?category=news", "")
	if want := `x-tvg-url="https://mira.example/lists/country/br.xml.gz?category=news"`; !strings.Contains(list, want) {
		t.Errorf("the list lacks %s: %.300s", want, list)
	}
	_, plain := apitest.Do(t, h, "GET", "/lists/country/br.xml", "")
	if strings.Count(plain, "<channel ") != 3 || !strings.Contains(plain, "<title>News of the hour</title>") {
		t.Errorf("the guide is %.500s", plain)
	}
	res, packed := apitest.Do(t, h, "GET", "/lists/country/br.xml.gz", "")
	z, err := gzip.NewReader(bytes.NewReader([]byte(packed)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != plain {
		t.Errorf("unpacked: %v, %.200s", err, text)
	}
	if again, _ := apitest.Do(t, h, "GET", "/lists/country/br.xml.gz", "", "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("again: %d", again.StatusCode)
	}
}

// A countedGuide counts how often the programmes of a channel are read.
type countedGuide struct {
	*guide.Live
	reads   int
	version uint64
}

func (c *countedGuide) Programmes(channel string, now time.Time) []guide.Programme {
	c.reads++
	return c.Live.Programmes(channel, now)
}

func (c *countedGuide) Version() uint64 { return c.version }

// TestWholeGuideKept checks that a guide is written once, until programmes change or a day
// begins, and that each list has its own.
func TestWholeGuideKept(t *testing.T) {
	const channels = 4
	now := noon
	o := listerOptions(t, channels, follow(t, openDB(t), scheduled(channels)))
	g := &countedGuide{Live: o.Guide.(*guide.Live)}
	o.Guide, o.Now = g, func() time.Time { return now }
	h := listingOf(o)
	_, first := apitest.Do(t, h, "GET", "/lists/tv.xml", "")
	for _, step := range []struct {
		name, path string
		change     func()
		reads      int
		same       bool // as the first answer
	}{
		{"again", "/lists/tv.xml", nil, 0, true},
		{"in gzip", "/lists/tv.xml.gz", nil, 0, false},
		{"in another language", "/lists/tv.xml?lang=de", nil, 0, true},
		{"by another path", "/lists/index.xml", nil, 0, true},
		{"of other channels", "/lists/tv.xml?category=news", nil, channels / 2, false},
		{"of a country", "/lists/country/br.xml", nil, channels, true},
		{"again after others", "/lists/tv.xml", nil, 0, true},
		{"after a change", "/lists/tv.xml", func() { g.version++ }, channels, true},
		{"on the next day", "/lists/tv.xml", func() { now = now.AddDate(0, 0, 1) }, channels, false},
	} {
		if step.change != nil {
			step.change()
		}
		g.reads = 0
		res, text := apitest.Do(t, h, "GET", step.path, "")
		if res.StatusCode != http.StatusOK || g.reads != step.reads || (text == first) != step.same {
			t.Errorf("%s: %d, %d channels read, want %d; the same as the first: %t", step.name, res.StatusCode, g.reads, step.reads, text == first)
		}
	}
}

// TestGuideWrittenOnce checks that requests for a guide that come while it is written wait
// for it, also when the first of them leaves, and that a failure is not kept.
func TestGuideWrittenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newWrittenGuides()
		ctx, leave := context.WithCancel(t.Context())
		writes, ready := 0, make(chan struct{})
		write := func(ctx context.Context) (writtenGuide, error) {
			writes++
			<-ready
			return writtenGuide{size: 7}, ctx.Err()
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if w, err := g.get(ctx, "a list", "now", write); err != nil || w.size != 7 {
					t.Errorf("%+v, %v", w, err)
				}
			})
		}
		synctest.Wait()
		leave()
		close(ready)
		all.Wait()
		failure := errors.New("too many")
		fails := func(context.Context) (writtenGuide, error) { return writtenGuide{}, failure }
		if _, err := g.get(t.Context(), "a list", "later", fails); !errors.Is(err, failure) {
			t.Errorf("a failure: %v", err)
		}
		if w, err := g.get(t.Context(), "a list", "later", write); err != nil || w.size != 7 {
			t.Errorf("after a failure: %+v, %v", w, err)
		}
		if _, err := g.get(t.Context(), "a list", "later", fails); err != nil {
			t.Errorf("what was written is not kept: %v", err)
		}
		if writes != 2 {
			t.Errorf("written %d times, want once for each state", writes)
		}
	})
}

// TestPlacePrivate checks that no shared cache keeps lists and guides around a place.
func TestPlacePrivate(t *testing.T) {
	h := scheduledLister(t, 3)
	for _, path := range []string{"/lists/all.m3u?near=41.15,-8.61", "/lists/all.xml?near=41.15,-8.61", "/lists/all.xml.gz?near=41.15,-8.61"} {
		res, text := apitest.Do(t, h, "GET", path, "")
		if got := res.Header.Get("Cache-Control"); res.StatusCode != http.StatusOK || !strings.HasPrefix(got, "private") {
			t.Errorf("%s: %d, Cache-Control %q: %.200s", path, res.StatusCode, got, text)
		}
	}
}

// TestLargeGuide checks that a guide of too many channels is refused, and that its list
// does not lead to one.
func TestLargeGuide(t *testing.T) {
	h := scheduledLister(t, maxGuide+1)
	if res, text := apitest.Do(t, h, "GET", "/lists/tv.xml.gz", ""); res.StatusCode != http.StatusNotFound || !strings.Contains(text, "guide_too_large") {
		t.Errorf("%d %s", res.StatusCode, text)
	}
	if _, list := apitest.Do(t, h, "GET", "/lists/tv.m3u", ""); strings.Contains(list, "x-tvg-url") || strings.Count(list, "#EXTINF") != maxGuide+1 {
		t.Errorf("the list is %.300s", list)
	}
	if res, _ := apitest.Do(t, h, "GET", "/lists/category/news.xml.gz", ""); res.StatusCode != http.StatusOK {
		t.Errorf("of fewer channels: %d", res.StatusCode)
	}
}

// scheduledLister serves lists of n channels with a programme each, every other of news.
func scheduledLister(t testing.TB, n int) http.Handler {
	t.Helper()
	return listerWith(t, n, follow(t, openDB(t), scheduled(n)))
}

// scheduled returns a programme for each of n channels.
func scheduled(n int) grid {
	g := grid{}
	for i := range n {
		g[fmt.Sprintf("Channel%04d.br", i)] = []guide.Programme{{Start: noon, Stop: noon.Add(time.Hour), Title: "News of the hour"}}
	}
	return g
}
