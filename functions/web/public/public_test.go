package public

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// published returns a database in which ana publishes one of two folders.
func published(t *testing.T, d public.Draft) (store.DB, *library.Library) {
	t.Helper()
	db := wiretest.OpenDB(t)
	l, err := library.Update(t.Context(), db, "g_ana", webtest.Now, func(l *library.Library) error {
		for _, name := range []string{"Rádios & TV", "Secret", "More"} {
			c, err := l.AddCategory(name)
			if err != nil {
				return err
			}
			for _, id := range []string{"TVGlobo.br", "Gone<b>.br"} {
				if _, _, err := l.AddItem(c.Groups[0].ID, library.ItemOf(id, "Was "+id+" in "+name, catalog.TV, "BR"), nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Name, d.Folders = "ana-tv", []string{l.Categories[0].ID, l.Categories[2].ID}
	if _, _, err := public.Put(t.Context(), db, "g_ana", d, webtest.Now); err != nil {
		t.Fatal(err)
	}
	return db, l
}

func handler(t *testing.T, db store.DB) http.Handler {
	t.Helper()
	return webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: webtest.Sample(t, index.Overlay{}), DB: db, Now: webtest.Clock}), Endpoints)
}

// TestPage checks the page in each language: with the texts, the chosen folders and the
// feeds, and without anything else of the owner.
func TestPage(t *testing.T) {
	db, l := published(t, public.Draft{Title: `A <b>"title"</b>`, About: "One line,\n<script>alert(1)</script>", Author: "Ana & co"})
	h := handler(t, db)
	for _, locale := range i18n.Locales {
		path := site.Public.Path(locale, "ana-tv")
		body := webtest.Body(t, h, path)
		for _, want := range []string{
			"<h1 dir=\"auto\">A &lt;b&gt;&#34;title&#34;&lt;/b&gt;</h1>", "Ana &amp; co", "&lt;script&gt;alert(1)", "Rádios &amp; TV", path + "?folder=more",
			"/l/ana-tv/library.m3u", "/l/ana-tv/radios-tv.xspf", "Was Gone&lt;b&gt;.br", `content="noindex"`, `type="audio/x-mpegurl"`, `property="og:title"`, `id="follow"`, `id="copy-folder"`,
		} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the page lacks %q", path, want)
			}
		}
		for _, secret := range []string{l.Token, "g_ana", l.Categories[0].ID, "Secret", "secret.m3u", "/f/"} {
			if strings.Contains(body, secret) {
				t.Errorf("%s: the page has %q", path, secret)
			}
		}
		for _, key := range []string{"public.", "guard.", "keep."} {
			if strings.Contains(body, ">"+key) {
				t.Errorf("%s: a text is missing: %s", path, key)
			}
		}
	}
	if body := webtest.Body(t, h, "/l/ana-tv?folder=more"); !strings.Contains(body, `<h2 id="folder-title" dir="auto">More</h2>`) {
		t.Error("the second folder is not shown")
	}
	for _, folder := range []string{"secret", "%3Cb%3E"} {
		if body := webtest.Body(t, h, "/l/ana-tv?folder="+folder); !strings.Contains(body, "Rádios &amp; TV</h2>") {
			t.Errorf("%s: the first folder is not shown", folder)
		}
	}
}

// TestListed lets search engines show the page of a listed library alone.
func TestListed(t *testing.T) {
	db, _ := published(t, public.Draft{Title: "T", Listed: true})
	body := webtest.Body(t, handler(t, db), "/l/ana-tv")
	if strings.Contains(body, "noindex") || !strings.Contains(body, `rel="canonical"`) {
		t.Error("a listed page has noindex")
	}
}

// TestAnswers checks addresses without a page, and those of feeds.
func TestAnswers(t *testing.T) {
	db, _ := published(t, public.Draft{Title: "T"})
	h := handler(t, db)
	for _, test := range []struct {
		path     string
		status   int
		location string
	}{
		{"/l/ana-tv.m3u", http.StatusMovedPermanently, "/l/ana-tv/library.m3u"},
		{"/l/ana-tv.xspf", http.StatusMovedPermanently, "/l/ana-tv/library.xspf"},
		{"/en/l/ana-tv.json", http.StatusMovedPermanently, "/l/ana-tv/library.json"},
		{"/l/%2F%2Fevil.example.m3u", http.StatusNotFound, ""},
		{"/l/ana-tv.zip", http.StatusNotFound, ""},
		{"/l/nobody", http.StatusNotFound, ""},
		{"/l/Ana-TV", http.StatusNotFound, ""},
		{"/l/..%2Fana-tv", http.StatusNotFound, ""},
		{"/l/" + strings.Repeat("a", 65), http.StatusNotFound, ""},
		{"/l/ana-tv", http.StatusOK, ""},
	} {
		w := webtest.Request(h, "GET", test.path)
		if w.Code != test.status || w.Header().Get("Location") != test.location {
			t.Errorf("%s: %d to %q, want %d to %q", test.path, w.Code, w.Header().Get("Location"), test.status, test.location)
		}
	}
	err := db.Update(t.Context(), func(tx store.Tx) error {
		p, err := public.Lookup(tx, "ana-tv")
		if err != nil {
			return err
		}
		return p.Hide(tx, &public.Hiding{Reason: "spam"})
	})
	if w := webtest.Request(h, "GET", "/l/ana-tv"); err != nil || w.Code != http.StatusNotFound {
		t.Errorf("a hidden one: %d, %v", w.Code, err)
	}
	if w := webtest.Request(handler(t, storetest.Broken()), "GET", "/l/ana-tv"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("without a database: %d", w.Code)
	}
	if _, _, err := public.Read(t.Context(), db, "ana-tv"); !errors.Is(err, public.ErrUnknown) {
		t.Error(err)
	}
}
