package web_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions"
	"miramundo.dev/functions/web"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/wire/wiretest"
)

// The tests of this package render whole pages from a catalog and a guide in which
// every text tries to break out of its place, and parse them as a browser does.

// noon is the time at which every test of this package takes place.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const turned = "\u202egnihtyna\u202c" // is read from right to left

// texts are names that must be shown as they are: markup, templates, texts that are
// read from right to left, long words.
var texts = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "{{.}}", "{{template \"main\" .}}", "</title><script>alert(1)</script>",
	"</script><script>alert(1)</script>", "]]>", "<!--", "-->", "&lt;b&gt;&amp;", "${alert(1)}", "`+alert(1)+`", turned, strings.Repeat("W", 500), strings.Repeat("word ", 100) + "end",
	"👩‍👩‍👧‍👦 🇧🇷 ¯\\_(ツ)_/¯", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "%3Cscript%3E %00 %", "a\u2028b\u2029c", "قناة العالم", "../../etc/passwd?a=b&c=d#e",
}

// addresses are mostly addresses to which no link may lead, and some to which links
// may lead.
var addresses = []string{
	"javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:msgbox(1)", "//evil.example/x",
	`https://evil.example/"onclick="alert(1)`, "https://evil.example/<script>", "https://user:secret@evil.example/", "file:///etc/passwd", "about:blank", "", "https://site.example/?a=1&b=2",
}

// register returns a catalog in which every text is hostile.
func register() *catalog.Register {
	reg := &catalog.Register{BuiltAt: noon.Add(-time.Hour), Sources: []catalog.Source{{Name: "iptv-org/channels", FetchedAt: noon.Add(-2 * time.Hour), Items: len(texts)}}}
	for i, text := range texts {
		named := catalog.Labels{text, text, text, text, text}
		reg.Categories = append(reg.Categories, catalog.Category{ID: fmt.Sprintf("c%d&=<%s", i, text[:min(4, len(text))]), Name: named, Description: named, Icon: text})
		reg.Languages = append(reg.Languages, catalog.Term{Code: fmt.Sprintf("q%c%c", 'a'+i/26, 'a'+i%26), Name: named})
		reg.Subdivisions = append(reg.Subdivisions, catalog.Subdivision{Code: fmt.Sprintf("BR-%d", i), Country: "BR", Name: text})
		reg.Cities = append(reg.Cities, catalog.City{Code: fmt.Sprintf("BR%03d", i), Country: "BR", Subdivision: fmt.Sprintf("BR-%d", i), Name: text})
		reg.Records = append(reg.Records, record(reg, i, catalog.TV), record(reg, i, catalog.Station))
	}
	reg.Countries = []catalog.Term{{Code: "BR", Name: catalog.Labels{"Brasil", "Brazil", "Brasil", "Brésil", "Brasilien"}}}
	reg.ChannelAliases = map[string]string{"former<b>": idOf(0, catalog.TV)}
	return reg
}

// idOf returns the id of a record. Some must be escaped in addresses.
func idOf(i int, kind catalog.Kind) string {
	return fmt.Sprintf("%s %d<b>&\"'?#%%41/..", kind, i)
}

func record(reg *catalog.Register, i int, kind catalog.Kind) catalog.Record {
	text, address := texts[i], addresses[i%len(addresses)]
	r := catalog.Record{
		ID: idOf(i, kind), Kind: kind, Name: text, AltNames: []string{text, text + text}, FeedNames: []catalog.FeedName{{Feed: text, Name: text}},
		Country: "BR", Categories: []string{reg.Categories[i].ID, reg.Categories[0].ID}, Languages: []string{reg.Languages[i].Code}, Website: address, Network: text,
		Owners: []string{text}, Launched: "2001-02-03", FeedName: text, FeedFormat: text, Timezones: []string{text}, BroadcastArea: []string{"c/BR", text}, Quality: "1080p",
		GuideSite: address, GuideLang: text, HasGuide: true, Subdivision: reg.Subdivisions[i].Code, City: reg.Cities[i].Code, Origin: "iptv-org", LogoSource: address,
	}
	if i%5 == 1 {
		r.ReplacedBy = idOf(i-1, kind)
	}
	if kind == catalog.Station {
		r.Origin, r.Radio = "radio-browser", &catalog.Radio{Tags: []string{text}, Votes: 3, Clicks: 1, Codec: &text, Geo: &catalog.Geo{Lat: -23.55, Lon: -46.63}}
	}
	for n, how := range []string{catalog.StreamHLS, catalog.StreamYouTube, catalog.StreamExternal, catalog.StreamAudio} {
		if i%7 == 6 {
			break // and some have none
		}
		r.Streams = append(r.Streams, catalog.StreamRecord{
			ID: catalog.StreamID(uint64(i)<<8 | uint64(kind)<<4 | uint64(n)), URL: addresses[(i+n)%len(addresses)], Feed: text, Title: text, Quality: text,
			Label: text, Referrer: address, UserAgent: text, Kind: how, Origin: r.Origin, Playable: n != 2,
		})
	}
	return r
}

// A shown is the catalog of the tests. Without a view no catalog is loaded.
type shown struct{ view *index.View }

func (s shown) View() (*index.View, error) {
	if s.view == nil {
		return nil, catalog.ErrNotLoaded
	}
	return s.view, nil
}

func (s shown) Synced() (time.Time, bool) { return noon.Add(-time.Hour), s.view != nil }

func (s shown) Sources() []catalog.Source { return register().Sources }

// A harness serves the pages of the hostile catalog.
type harness struct {
	pages http.Handler
	empty http.Handler   // of a service without a catalog
	all   *http.ServeMux // has the endpoints of the whole service
}

var links = catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example", Legacy: "https://legacy.example"}

var indexed = sync.OnceValues(func() (*index.Index, error) { return index.Build(register()) })

// hostile returns the harness.
func hostile(t testing.TB) *harness {
	t.Helper()
	ix, err := indexed()
	if err != nil {
		t.Fatal(err)
	}
	s := &harness{all: http.NewServeMux(), empty: handler(shown{}, nil, nil)}
	s.pages = handler(shown{index.NewView(ix, index.Overlay{}, links)}, guides(t), published(t))
	for _, e := range slices.Concat(functions.Table(), web.Endpoints) {
		for _, path := range e.Paths() {
			s.all.Handle(e.Method+" "+path, http.NotFoundHandler())
		}
	}
	return s
}

func handler(c shown, g *guide.Live, db store.DB) http.Handler {
	server := web.New(web.Options{Catalog: c, Guides: g, DB: db, Links: links, Now: func() time.Time { return noon }})
	return request.Mux(request.Options{FaultPage: server.FaultPage, Now: func() time.Time { return noon }}, server.Groups()...)
}

// guides returns programmes whose texts are hostile.
func guides(t testing.TB) *guide.Live {
	t.Helper()
	f, err := sqlite.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.On(f, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w, grids := guide.WindowOf(noon), map[string]guide.Grid{}
	for i, text := range texts {
		ps := []guide.Programme{
			{Start: noon.Add(-time.Hour), Stop: noon.Add(time.Hour), Title: text, Desc: text[:min(300, len(text))], Category: text},
			{Start: noon.Add(time.Hour), Stop: noon.Add(2 * time.Hour), Title: text + text},
		}
		g, ok := guide.NewGrid("test", addresses[i%len(addresses)], w, ps)
		if !ok {
			t.Fatalf("%q makes no guide", text)
		}
		grids[idOf(i, catalog.TV)] = g
	}
	c := guide.Change{Window: w, Sources: []string{"test"}}
	c.Add("test", grids)
	if _, err := c.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	live := guide.Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
	for live.Now(idOf(0, catalog.TV), noon) == nil {
		select {
		case <-live.Changed():
		case <-time.After(time.Minute):
			t.Fatal("the guide is not shown")
		}
	}
	return live
}

// publicName is the name of the public library.
const publicName = "hostile"

// published returns a database with a public library, of which every text is as hostile as
// it may be.
func published(t testing.TB) store.DB {
	t.Helper()
	db := wiretest.OpenDB(t)
	d := public.Draft{Name: publicName}
	l, err := library.Update(t.Context(), db, "g_eve", noon, func(l *library.Library) error {
		var plan []library.Category
		for i, text := range texts {
			it := library.Item{Channel: idOf(i, catalog.TV), Name: text}
			if i%2 == 1 {
				it.Channel = "gone" + text
			}
			plan = append(plan, library.Category{Name: text, Groups: []library.Group{{Name: text, Items: []library.Item{it}}, {Name: text + "2"}}})
		}
		l.Merge(plan)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range l.Categories {
		d.Folders = append(d.Folders, c.ID)
	}
	for _, text := range texts {
		try := d
		try.Title, try.About, try.Author = text, text, text
		if _, err := try.Clean(); err == nil {
			d = try
			break
		}
	}
	if _, _, err := public.Put(t.Context(), db, "g_eve", d, noon); err != nil {
		t.Fatal(err)
	}
	return db
}

// nameOf returns the channel id, country name or name of a public library in the address
// of a page; empty for pages that need none.
func (s *harness) nameOf(l i18n.Locale, p site.Page) string {
	switch p {
	case site.Channel:
		return idOf(0, catalog.TV)
	case site.Public:
		return publicName
	case site.Country:
		path, _ := site.CountryPath(l, "BR")
		return path[strings.LastIndex(path, "/")+1:]
	case site.City:
		return "sao-paulo-3448439"
	}
	return ""
}

// get sends a browser's request to a handler.
func get(h http.Handler, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "https://mira.example"+target, nil)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// page returns a page as a browser without scripts reads it.
func (s *harness) page(t testing.TB, target string) *html.Node {
	t.Helper()
	w := get(s.pages, target)
	if w.Code != http.StatusOK {
		t.Fatalf("%s answers %d", target, w.Code)
	}
	return parse(t, w.Body.Bytes())
}

func parse(t testing.TB, data []byte) *html.Node {
	t.Helper()
	doc, err := html.ParseWithOptions(bytes.NewReader(data), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// targets lists the addresses to look at in a locale: every page, that of every
// record, and searches for every text.
func (s *harness) targets(l i18n.Locale) (all []string) {
	for _, p := range site.Pages {
		if p != site.Channel && !p.Private() {
			all = append(all, p.Path(l, s.nameOf(l, p)))
		}
	}
	for i, text := range texts {
		all = append(all, site.Channel.Path(l, idOf(i, catalog.TV)), site.Channel.Path(l, idOf(i, catalog.Station)))
		all = append(all, site.Home.Path(l, "")+"?"+url.Values{"q": {text}}.Encode())
		if i == 0 {
			all = append(all, site.Home.Path(l, "")+"?near=-23.55,-46.63")
		}
		if l == i18n.PT {
			all = append(all, site.Home.Path(l, "")+"?"+url.Values{"q": {text}, "kind": {"all"}, "category": {text}}.Encode())
		}
	}
	return all
}

// someLocales returns the locales to look at: all of them, or in short tests
// the one in which most is asked for.
func someLocales() []i18n.Locale {
	if testing.Short() {
		return []i18n.Locale{i18n.PT}
	}
	return i18n.Locales
}

// TestHostile checks every page in every locale with texts that would change a page
// which does not escape them.
func TestHostile(t *testing.T) {
	s := hostile(t)
	for _, l := range someLocales() {
		t.Run(l.Tag(), func(t *testing.T) {
			for _, target := range s.targets(l) {
				w := get(s.pages, target)
				if w.Code != http.StatusOK {
					if w.Code != http.StatusBadRequest && w.Code != http.StatusNotFound || !strings.Contains(target, "?") {
						t.Errorf("%.80s answers %d %.200s", target, w.Code, w.Body)
					}
				}
				for _, f := range faultsOf(parse(t, w.Body.Bytes()), l, s.all) {
					t.Errorf("%.80s: %.300s", target, f)
				}
				if f := policyFault(w); f != "" {
					t.Errorf("%.80s: %s", target, f)
				}
			}
		})
	}
}

// TestHostileNames checks that the names of channels are shown as they are.
func TestHostileNames(t *testing.T) {
	s := hostile(t)
	for i, text := range texts {
		for _, kind := range []catalog.Kind{catalog.TV, catalog.Station} {
			h1 := find(s.page(t, site.Channel.Path(i18n.EN, idOf(i, kind))), "h1", "", "")
			if diff := cmp.Diff(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(textOf(h1)), " ")); diff != "" {
				t.Errorf("the name of a %s (-want +got):\n%s", kind, diff)
			}
		}
	}
}

// TestHostileFaults checks the error pages for a missing channel and for a missing
// catalog, at hostile addresses.
func TestHostileFaults(t *testing.T) {
	s := hostile(t)
	for _, l := range someLocales() {
		for _, text := range append(texts, "nothing") {
			target := site.Channel.Path(l, text)
			for want, h := range map[int]http.Handler{http.StatusNotFound: s.pages, http.StatusServiceUnavailable: s.empty} {
				if len(text) > 128 || strings.Contains(text, "..") {
					continue // not the address of a channel
				}
				w := get(h, target)
				if w.Code != want || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
					t.Errorf("%.80s answers %d %s, want a page with %d", target, w.Code, w.Header().Get("Content-Type"), want)
					continue
				}
				for _, f := range faultsOf(parse(t, w.Body.Bytes()), l, s.all) {
					t.Errorf("%d of %.80s: %.300s", want, target, f)
				}
			}
		}
	}
}

// policyFault returns what is wrong with the Content-Security-Policy of a page;
// empty when nothing is.
func policyFault(w *httptest.ResponseRecorder) string {
	policy := w.Header().Get("Content-Security-Policy")
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
		return "the policy is " + policy
	}
	doc, err := html.Parse(w.Body)
	if err != nil {
		return err.Error()
	}
	for n := range doc.Descendants() {
		if n.Data == "script" && len(n.Attr) == 0 {
			sum := sha256.Sum256([]byte(textOf(n)))
			if !strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				return "the policy does not allow the script " + textOf(n)
			}
		}
	}
	return ""
}

// valid reports whether a text is JSON.
func valid(text string) bool { return json.Valid([]byte(text)) }
