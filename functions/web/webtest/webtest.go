// Package webtest provides what the tests of the pages share: catalogs to show, a
// handler to request pages from, and functions that read HTML.
//
// Its catalogs are of three sizes: a register that a test writes itself (Show), the
// sample sources of the repository (Sample), and the real ones for benchmarks
// (Real), which are not part of the repository.
package webtest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/source/collect"
)

// Now is the time at which all tests take place.
var Now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// Clock returns Now.
func Clock() time.Time { return Now }

// Base is the base URL of the service in tests.
const Base = "https://mira.example"

// Links are the base URLs of the parts of the service in tests.
var Links = catalog.LinkBase{Base: Base, Hop: "https://hop.example", Legacy: "https://legacy.example"}

// KnownID is the id of a channel of the sample that has streams.
const KnownID = "DWEnglish.de"

// FormerID is a former id of the first channel of the sample.
const FormerID = "FormerID.xx"

// HostileName is a name of a channel that would change any page that does not escape
// and truncate it.
var HostileName = `</script><script>alert(1)</script>"'><img src=x onerror=alert(1)> {{.}} ` + "\u202eevil\u2066 🏴‍☠️ javascript:alert(1) " + strings.Repeat("é", 500)

// A Catalog is a catalog that never changes: one view, and the source files that it
// was made from. The zero value behaves as a service whose catalog is not loaded.
type Catalog struct {
	Snapshot *index.View
	Files    []catalog.Source
}

// View returns the view, or catalog.ErrNotLoaded.
func (c Catalog) View() (*index.View, error) {
	if c.Snapshot == nil {
		return nil, catalog.ErrNotLoaded
	}
	return c.Snapshot, nil
}

// Synced returns Now.
func (c Catalog) Synced() (time.Time, bool) { return Now, c.Snapshot != nil }

// Sources returns the source files.
func (c Catalog) Sources() []catalog.Source { return c.Files }

// SampleRegister returns the register of the sample sources, which is built once.
// Callers must not change it.
var SampleRegister = sync.OnceValues(func() (*catalog.Register, error) {
	ds, err := collect.Load(context.Background(), collect.Sample(), collect.Options{Now: Clock})
	if err != nil {
		return nil, err
	}
	reg, _ := build.Register(ds, nil, Now)
	reg.ChannelAliases = map[string]string{FormerID: reg.Records[0].ID}
	return reg, nil
})

// Sample returns a catalog of the sample with an overlay.
func Sample(t testing.TB, o index.Overlay) Catalog {
	t.Helper()
	reg, err := SampleRegister()
	if err != nil {
		t.Fatal(err)
	}
	return Show(t, reg, o)
}

// Show returns a catalog of a register with an overlay.
func Show(t testing.TB, reg *catalog.Register, o index.Overlay) Catalog {
	t.Helper()
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	return Catalog{index.NewView(ix, o, Links), reg.Sources}
}

// Real returns the real catalog, half of it measured and with logos, and its
// register. It skips the test where the reference data is missing.
func Real(t testing.TB) (Catalog, *catalog.Register) {
	t.Helper()
	folder := collect.Folder(filepath.Join(reference.Dir(t), "catalog"))
	ds, err := collect.Load(t.Context(), collect.Plan{IPTVOrg: folder, Radio: folder}, collect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reg, _ := build.Register(ds, nil, Now)
	return Show(t, reg, indextest.Overlay(1, reg)), reg
}

// Handler returns the handler of endpoints whose methods are those of server.
func Handler(server any, endpoints []api.Endpoint) http.Handler {
	return request.Handler(request.Options{Log: slog.New(slog.DiscardHandler), Now: Clock}, server, endpoints)
}

// Request sends a request for a path or URL to h with the Accept header of a
// browser. pairs are names and values of further headers.
func Request(h http.Handler, method, target string, pairs ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, strings.TrimPrefix(target, Base), nil)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	for i := 1; i < len(pairs); i += 2 {
		r.Header.Set(pairs[i-1], pairs[i])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Body returns the body at a path or URL. The test fails unless the status is 200.
func Body(t testing.TB, h http.Handler, target string) string {
	t.Helper()
	res := Request(h, "GET", target).Result()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", target, res.Status, err)
	}
	return string(body)
}

// Tree returns the page at a path as browsers parse it. The test fails unless the
// status is 200.
func Tree(t testing.TB, h http.Handler, path string) *html.Node {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(Body(t, h, path)))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Lookup returns an attribute of an element, and whether the element has it.
func Lookup(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// Attr returns an attribute of an element, empty when it has none.
func Attr(n *html.Node, name string) string {
	value, _ := Lookup(n, name)
	return value
}

// HasClass reports whether an element has a class.
func HasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(Attr(n, "class")), class)
}

// Elements returns the elements in a tree for which f is true.
func Elements(tree *html.Node, f func(n *html.Node) bool) (all []*html.Node) {
	for n := range tree.Descendants() {
		if n.Type == html.ElementNode && f(n) {
			all = append(all, n)
		}
	}
	return all
}

// ByID returns the element with an id, or nil.
func ByID(tree *html.Node, id string) *html.Node {
	all := Elements(tree, func(n *html.Node) bool { return Attr(n, "id") == id })
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// Text returns the text in an element, with single spaces.
func Text(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Normal returns HTML as browsers parse it, written in one form, so that two parts
// of pages can be compared.
func Normal(t testing.TB, part string) string {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(part))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, tree); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
