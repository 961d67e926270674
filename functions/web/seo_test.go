package web

import (
	"bytes"
	"context"
	"encoding/json"
	settings "flag"
	"fmt"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/poster"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/source/collect"
)

var update = settings.Bool("update", false, "rewrite the golden files")

// released is when the catalog of the tests of the heads was made.
var released = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A fixed catalog is one view, with the files that it came from; without a view
// none is loaded.
type fixed struct {
	at    *index.View
	files []catalog.Source
}

func (f fixed) View() (*index.View, error) {
	if f.at == nil {
		return nil, catalog.ErrNotLoaded
	}
	return f.at, nil
}
func (f fixed) Synced() (time.Time, bool) { return released, f.at != nil }
func (f fixed) Sources() []catalog.Source { return f.files }

const base = "https://mira.example"

// known is a channel of the sample, which has streams.
const known = "DWEnglish.de"

var sampled = sync.OnceValues(func() (*catalog.Register, error) {
	ds, err := collect.Load(context.Background(), collect.Sample(), collect.Options{Now: func() time.Time { return released }})
	if err != nil {
		return nil, err
	}
	reg, _ := build.Register(ds, nil, released)
	reg.ChannelAliases = map[string]string{"Former.xx": reg.Records[0].ID}
	return reg, nil
})

// sampleServer shows the sample, and with it an overlay.
func sampleServer(t testing.TB, o index.Overlay, more Options) (*Server, http.Handler) {
	t.Helper()
	reg, err := sampled()
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	more.Links = catalog.LinkBase{Base: base, Hop: "https://hop.example", Legacy: "https://legacy.example"}
	more.Catalog = fixed{index.NewView(ix, o, more.Links), reg.Sources}
	more.Now = func() time.Time { return released }
	s := New(more)
	return s, handle(s)
}

func handle(s *Server) http.Handler {
	return request.Handler(request.Options{Log: slog.New(slog.DiscardHandler), Now: s.Now, FaultPage: s.FaultPage}, s, Endpoints)
}

// ask asks for an address as a browser does; pairs are headers.
func ask(h http.Handler, method, target string, pairs ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, strings.TrimPrefix(target, base), nil)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	for i := 1; i < len(pairs); i += 2 {
		r.Header.Set(pairs[i-1], pairs[i])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// A head is what the head of a page says.
type head struct {
	status     int
	lang       string
	title      string
	metas      map[string][]string // by name or property, with the medium
	links      map[string][]string // by rel, and for alternates by hreflang
	statements []map[string]any
}

func headOf(t testing.TB, h http.Handler, target string, pairs ...string) head {
	t.Helper()
	w := ask(h, "GET", target, pairs...)
	tree, err := html.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := head{status: w.Code, metas: map[string][]string{}, links: map[string][]string{}}
	for n := range tree.Descendants() {
		has := map[string]string{}
		for _, a := range n.Attr {
			has[a.Key] = a.Val
		}
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "html":
			out.lang = has["lang"]
		case n.Data == "title" && n.Parent.Data == "head":
			out.title += n.FirstChild.Data
		case n.Data == "meta" && has["name"]+has["property"] != "":
			key := has["name"] + has["property"] + has["media"]
			out.metas[key] = append(out.metas[key], has["content"])
		case n.Data == "link":
			key := strings.TrimSpace(has["rel"] + " " + has["hreflang"])
			out.links[key] = append(out.links[key], has["href"])
		case n.Data == "script" && has["type"] == "application/ld+json":
			var statement map[string]any
			if err := json.Unmarshal([]byte(n.FirstChild.Data), &statement); err != nil {
				t.Errorf("%s: %v in %s", target, err, n.FirstChild.Data)
			}
			out.statements = append(out.statements, statement)
		}
	}
	return out
}

func (h head) link(key string) string { return strings.Join(h.links[key], " and ") }
func (h head) meta(key string) string { return strings.Join(h.metas[key], " and ") }

// kinds returns the types that the statements of a page are of.
func (h head) kinds() (kinds []string) {
	for _, s := range h.statements {
		kinds = append(kinds, fmt.Sprint(s["@type"]))
	}
	return kinds
}

// TestPaths shows where every page is, so that a change of an address, which
// breaks what others link to, is seen in review.
func TestPaths(t *testing.T) {
	var b strings.Builder
	for _, e := range Endpoints {
		fmt.Fprintf(&b, "%s\n", e.Pattern())
		if !e.Page {
			t.Errorf("%s is no page", e.Pattern())
		}
	}
	const file = "testdata/paths.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("paths (-want +got), or run with -update:\n%s", diff)
	}
}

// somePages are addresses of every kind of page in a locale; those of personal
// ones are not for search engines.
func somePages(l i18n.Locale) (shown, hidden []string) {
	brazil, _ := site.CountryPath(l, "BR")
	shown = []string{brazil, site.Channel.Path(l, known)}
	for _, p := range site.Pages {
		switch {
		case p.Personal():
			hidden = append(hidden, p.Path(l, ""))
		case !p.Named():
			shown = append(shown, p.Path(l, ""))
		}
	}
	hidden = append(hidden, site.Home.Path(l, "")+"?q=test", site.Home.Path(l, "")+"?category=news&offset=24", site.Channel.Path(l, "no-such"))
	return append(shown, site.Home.Path(l, "")+"?kind=radio"), hidden
}

// TestHeads checks of every kind of page that it says its one address, and in
// which languages it is, and that each of those says the same.
func TestHeads(t *testing.T) {
	_, h := sampleServer(t, index.Overlay{}, Options{})
	locales := i18n.Locales
	if testing.Short() {
		locales = locales[:1] // whose pages lead to those of all others
	}
	for _, l := range locales {
		shown, _ := somePages(l)
		for i, path := range shown {
			got := headOf(t, h, path)
			if got.status != http.StatusOK || got.lang != l.HTML() {
				t.Errorf("%s: status %d in %s", path, got.status, got.lang)
			}
			if got.link("canonical") != base+path || got.meta("og:url") != base+path || got.metas["robots"] != nil {
				t.Errorf("%s: canonical %s, og:url %s, robots %s", path, got.link("canonical"), got.meta("og:url"), got.metas["robots"])
			}
			for _, other := range i18n.Locales {
				theirs, _ := somePages(other)
				if address := got.link("alternate " + other.HTML()); address != base+theirs[i] {
					t.Errorf("%s is in %s at %q, want %s", path, other, address, base+theirs[i])
				}
			}
			if first, _ := somePages(i18n.PT); got.link("alternate x-default") != base+first[i] {
				t.Errorf("%s is for all others at %q", path, got.link("alternate x-default"))
			}
			checkHead(t, h, path, got)
		}
	}
}

// TestHidden checks that pages that are not for search engines say so, and say
// no address for them.
func TestHidden(t *testing.T) {
	_, h := sampleServer(t, index.Overlay{}, Options{})
	for _, l := range i18n.Locales {
		_, hidden := somePages(l)
		for _, path := range hidden {
			got := headOf(t, h, path)
			if got.meta("robots") != "noindex" || got.links["canonical"] != nil || got.links["alternate en"] != nil || got.metas["og:url"] != nil || got.statements != nil {
				t.Errorf("%s: robots %q, canonical %q, %d statements", path, got.meta("robots"), got.link("canonical"), len(got.statements))
			}
			checkHead(t, h, path, got)
		}
	}
}

// checkHead checks what every head has, once each, and that what it names is
// there.
func checkHead(t *testing.T, h http.Handler, path string, got head) {
	t.Helper()
	for _, key := range []string{
		"description", "og:type", "og:site_name", "og:title", "og:description", "og:locale", "og:image", "og:image:width", "og:image:height", "og:image:alt",
		"twitter:card", "viewport", "theme-color(prefers-color-scheme: light)", "theme-color(prefers-color-scheme: dark)",
	} {
		if values := got.metas[key]; len(values) != 1 || values[0] == "" {
			t.Errorf("%s: %s is %q", path, key, values)
		}
	}
	if got.title == "" || len(got.metas["og:locale:alternate"]) != 4 || slices.Contains(got.metas["og:locale:alternate"], got.meta("og:locale")) {
		t.Errorf("%s: title %q, other locales %q", path, got.title, got.metas["og:locale:alternate"])
	}
	for _, key := range []string{"manifest", "apple-touch-icon"} {
		if w := ask(h, "GET", got.link(key)); w.Code != http.StatusOK {
			t.Errorf("%s: its %s is %q: %d", path, key, got.link(key), w.Code)
		}
	}
	if strings.Contains(path, "no-such") {
		return
	}
	if w := ask(h, "HEAD", got.meta("og:image")); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" {
		t.Errorf("%s: its picture %s: %d", path, got.meta("og:image"), w.Code)
	}
}

// TestStatements checks what search engines are told in the words of schema.org.
func TestStatements(t *testing.T) {
	_, h := sampleServer(t, index.Overlay{}, Options{})
	for _, l := range i18n.Locales {
		home := headOf(t, h, site.Home.Path(l, ""))
		if diff := cmp.Diff([]string{"WebSite", "Organization"}, home.kinds()); diff != "" {
			t.Fatalf("%s: home (-want +got):\n%s", l, diff)
		}
		action := home.statements[0]["potentialAction"].(map[string]any)
		address := action["target"].(map[string]any)["urlTemplate"].(string)
		if w := ask(h, "GET", strings.Replace(address, "{search_term_string}", "rtp", 1)); w.Code != http.StatusOK || !strings.HasPrefix(address, base+site.Home.Path(l, "")+"?") {
			t.Errorf("%s: searched at %s: %d", l, address, w.Code)
		}
		path, _ := site.CountryPath(l, "BR")
		brazil := headOf(t, h, path)
		if diff := cmp.Diff([]string{"BreadcrumbList"}, brazil.kinds()); diff != "" {
			t.Fatalf("%s: country (-want +got):\n%s", l, diff)
		}
		for i, item := range brazil.statements[0]["itemListElement"].([]any) {
			step := item.(map[string]any)
			if w := ask(h, "GET", step["item"].(string)); w.Code != http.StatusOK || step["position"] != float64(i+1) || step["name"] == "" {
				t.Errorf("%s: step %d is %v: %d", l, i, step, w.Code)
			}
		}
	}
}

// TestColoursOfApp checks that colours outside of the stylesheets are those
// within.
func TestColoursOfApp(t *testing.T) {
	tokens, err := os.ReadFile("style/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	pair := func(name string) []string {
		return regexp.MustCompile(name + `: light-dark\((#\w+), (#\w+)\)`).FindStringSubmatch(string(tokens))[1:]
	}
	if diff := cmp.Diff(pair("--surface"), []string{barLight.Colour, barDark.Colour}); diff != "" {
		t.Errorf("the bar (-style +here):\n%s", diff)
	}
	if diff := cmp.Diff(pair("--ground")[0], groundColour); diff != "" {
		t.Errorf("the ground (-style +here):\n%s", diff)
	}
}

func TestManifest(t *testing.T) {
	_, h := sampleServer(t, index.Overlay{}, Options{})
	for _, l := range i18n.Locales {
		w := ask(h, "GET", manifestPath(l))
		var m appManifest
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || w.Header().Get("Content-Type") != "application/manifest+json" {
			t.Fatalf("%s: %v, %s", l, err, w.Header().Get("Content-Type"))
		}
		if m.Lang != l.HTML() || m.StartURL != site.Home.Path(l, "") || m.Name == "" || m.Description == "" || len(m.Shortcuts) != 2 {
			t.Errorf("%s: %+v", l, m)
		}
		for _, s := range m.Shortcuts {
			if w := ask(h, "GET", s.URL); w.Code != http.StatusOK || s.Name == "" {
				t.Errorf("%s: shortcut %+v: %d", l, s, w.Code)
			}
		}
		purposes := map[string]int{}
		for _, icon := range m.Icons {
			w := ask(h, "GET", icon.Src)
			if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), icon.Type) {
				t.Errorf("%s: icon %+v: %d", l, icon, w.Code)
			}
			if icon.Type != "image/png" {
				continue
			}
			purposes[icon.Purpose]++
			c, err := png.DecodeConfig(w.Body)
			if got := fmt.Sprintf("%dx%d", c.Width, c.Height); err != nil || got != icon.Sizes {
				t.Errorf("%s is %s: %v", icon.Src, got, err)
			}
		}
		if diff := cmp.Diff(map[string]int{"any": 2, "maskable": 2}, purposes); diff != "" {
			t.Errorf("%s: purposes (-want +got):\n%s", l, diff)
		}
	}
	for _, path := range []string{"/manifest/PT.webmanifest", "/manifest/pt", "/manifest/pt-BR.webmanifest", "/icons/193.png", "/icons/%2e%2e"} {
		if w := ask(h, "GET", path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	for path, size := range map[string]int{touchIconPath: touchIcon, faviconPath: 0} {
		w := ask(h, "GET", path)
		c, err := png.DecodeConfig(w.Body)
		if w.Code != http.StatusOK || size > 0 && (err != nil || c.Width != size) {
			t.Errorf("%s: %d, %d, %v", path, w.Code, c.Width, err)
		}
	}
}

// TestPicture checks that a channel has a picture, that it is drawn once, and
// that nobody else has one.
func TestPicture(t *testing.T) {
	const id = known
	drawn, broken := 0, false
	data, err := poster.Icon(64)
	if err != nil {
		t.Fatal(err)
	}
	logos := func(_ context.Context, id string) (*logo.Image, error) {
		drawn++
		switch {
		case broken:
			return nil, fault.ErrUnavailable
		case id == "known":
			return &logo.Image{Type: "image/png", Data: data, Hash: "x"}, nil
		case id == "broken":
			return &logo.Image{Type: "image/webp", Data: data, Hash: "x"}, nil
		}
		return nil, logo.ErrNoLogo
	}
	bodies := map[string]string{}
	for _, name := range []string{"known", "broken", "gone", ""} {
		o := index.Overlay{Logos: func(yield func(string, string) bool) { yield(id, name) }}
		_, h := sampleServer(t, o, Options{Logos: logos})
		drawn = 0
		var tag string
		for range 2 {
			w := ask(h, "GET", pictureOf(id))
			c, err := png.DecodeConfig(bytes.NewReader(w.Body.Bytes()))
			if w.Code != http.StatusOK || err != nil || c.Width != poster.Width || c.Height != poster.Height || w.Header().Get("Cache-Control") != "public, max-age=86400" {
				t.Fatalf("logo %q: %d, %dx%d, %v", name, w.Code, c.Width, c.Height, err)
			}
			tag, bodies[name] = w.Header().Get("Etag"), w.Body.String()
		}
		if want := min(1, len(name)); drawn != want {
			t.Errorf("logo %q was read %d times, want %d", name, drawn, want)
		}
		if w := ask(h, "GET", pictureOf(id), "If-None-Match", tag); w.Code != http.StatusNotModified {
			t.Errorf("logo %q: again %d", name, w.Code)
		}
		for _, path := range []string{"/og/No.such.png", "/og/" + id, "/og/..%2f" + id + ".png", "/og/.png", "/og/" + strings.Repeat("x", 180) + ".png", "/og/%3Cscript%3E.png"} {
			if w := ask(h, "GET", path); w.Code != http.StatusNotFound {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
	}
	if bodies["known"] == bodies[""] || bodies["gone"] != bodies[""] || bodies["broken"] != bodies[""] {
		t.Error("the logo is not what differs")
	}
	broken = true
	_, h := sampleServer(t, index.Overlay{Logos: func(yield func(string, string) bool) { yield(id, "known") }}, Options{Logos: logos})
	if w := ask(h, "GET", pictureOf(id)); w.Code != http.StatusServiceUnavailable || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("without a database: %d, %s", w.Code, w.Header().Get("Cache-Control"))
	}
	_, h = sampleServer(t, index.Overlay{BlockedChannels: []string{id}}, Options{Logos: logos})
	if w := ask(h, "GET", pictureOf(id)); w.Code != http.StatusNotFound {
		t.Errorf("of a blocked channel: %d", w.Code)
	}
	w := ask(h, "GET", picturePath)
	if c, err := png.DecodeConfig(w.Body); err != nil || c.Width != poster.Width || c.Height != poster.Height {
		t.Errorf("of the service: %d, %v", w.Code, err)
	}
}

// TestGallery checks what is kept, and for how many.
func TestGallery(t *testing.T) {
	g, drawn := newGallery(), map[string]int{}
	get := func(key string) error {
		_, err := g.get(t.Context(), key, func() (api.Content, error) {
			drawn[key]++
			if key == "bad" {
				return api.Content{}, fault.ErrInternal
			}
			return api.Content{Data: make([]byte, galleryBytes/4)}, nil
		})
		return err
	}
	for _, key := range []string{"a", "b", "c", "d", "a", "e", "a", "b"} { // a is used, b makes room for e
		if err := get(key); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := get("bad"); err == nil {
			t.Error("a failure is kept")
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 1, "b": 2, "c": 1, "d": 1, "e": 1, "bad": 2}, drawn); diff != "" || g.bytes > galleryBytes || len(g.by) != g.used.Len() {
		t.Errorf("%d bytes in %d; drawn (-want +got):\n%s", g.bytes, len(g.by), diff)
	}
}

// TestGalleryIsBounded checks that few are drawn at a time, that those who go do
// not wait, and that who comes when too many wait is sent away.
func TestGalleryIsBounded(t *testing.T) {
	g := newGallery()
	release, started, answers := make(chan struct{}), make(chan struct{}), make(chan error)
	for i := range galleryWaiting {
		go func() {
			_, err := g.get(context.Background(), fmt.Sprint(i), func() (api.Content, error) {
				started <- struct{}{}
				<-release
				return api.Content{}, nil
			})
			answers <- err
		}()
	}
	for range galleryPainters {
		<-started
	}
	for len(g.waiting) < galleryWaiting { // each goes in by itself
		select {
		case <-started:
			t.Fatal("more are drawn than may be")
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := g.get(t.Context(), "late", nil); fault.From(err) != fault.ErrUnavailable {
		t.Errorf("one too many: %v", err)
	}
	close(release)
	for range galleryWaiting - galleryPainters {
		<-started
	}
	for range galleryWaiting {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	g.drawing <- struct{}{}
	g.drawing <- struct{}{}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.get(gone, "gone", nil); fault.From(err).Kind != fault.Unavailable {
		t.Errorf("one who is gone: %v", err)
	}
}

// bodyOf returns what is at an address, which must be there.
func bodyOf(t testing.TB, h http.Handler, target string) []byte {
	t.Helper()
	res := ask(h, "GET", target).Result()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", target, res.Status, err)
	}
	return body
}

// TestMark checks that what is drawn here is the mark of the pages.
func TestMark(t *testing.T) {
	svg, err := os.ReadFile(filepath.Join("style", markFile))
	if err != nil {
		t.Fatal(err)
	}
	data, err := poster.Icon(64)
	if err != nil {
		t.Fatal(err)
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ := im.At(32, 2).RGBA()
	if colour := fmt.Sprintf(`fill="#%02x%02x%02x"`, r>>8, g>>8, b>>8); !bytes.Contains(svg, []byte(colour)) {
		t.Errorf("the mark is drawn with %s, and is %s", colour, svg)
	}
}

const markFile = "icon.svg"
