package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"miramundo.dev/shared/i18n"
)

// attr returns an attribute of an element, and whether it has it.
func attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// find returns the first element with a tag, and an attribute unless that is
// empty; nil when there is none.
func find(doc *html.Node, tag, key, value string) *html.Node {
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != tag {
			continue
		}
		if got, ok := attr(n, key); key == "" || ok && got == value {
			return n
		}
	}
	return nil
}

// hasAttr reports whether any element has an attribute.
func hasAttr(doc *html.Node, key string) bool {
	for n := range doc.Descendants() {
		if _, ok := attr(n, key); ok {
			return true
		}
	}
	return false
}

// textOf returns the text within an element.
func textOf(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// A checker collects the faults of a page: markup that a hostile text added, links
// that lead nowhere, controls without a name.
type checker struct {
	doc    *html.Node
	locale i18n.Locale
	all    *http.ServeMux // routes every path of the service that links may lead to
	faults []string
	ids    map[string]bool
	labels map[string]bool // ids that labels are for
	count  map[string]int  // elements by their tags
}

// faultsOf returns the faults of a page, sorted and each once.
func faultsOf(doc *html.Node, l i18n.Locale, all *http.ServeMux) []string {
	k := &checker{doc: doc, locale: l, all: all, ids: map[string]bool{}, labels: map[string]bool{}, count: map[string]int{}}
	for n := range doc.Descendants() {
		if id, ok := attr(n, "for"); ok && n.Data == "label" {
			k.labels[id] = true
		}
	}
	for n := range doc.Descendants() {
		switch n.Type {
		case html.ElementNode:
			k.element(n)
		case html.TextNode:
			k.text(n)
		}
	}
	k.whole()
	slices.Sort(k.faults)
	return slices.Compact(k.faults)
}

func (k *checker) fault(n *html.Node, format string, args ...any) {
	tag := n.Data
	for _, a := range n.Attr {
		tag += fmt.Sprintf(" %s=%.60q", a.Key, a.Val)
	}
	k.faults = append(k.faults, fmt.Sprintf(format, args...)+" at <"+tag+">")
}

// element looks at one element by itself.
func (k *checker) element(n *html.Node) {
	if n.Data != "title" || n.Parent.Data == "head" { // a drawing has titles of its own
		k.count[n.Data]++
	}
	for _, a := range n.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc":
			k.fault(n, "has %s", a.Key)
		case a.Key == "id" && (a.Val == "" || k.ids[a.Val]):
			k.fault(n, "its id is empty or another's")
		case a.Key == "id":
			k.ids[a.Val] = true
		case slices.Contains([]string{"href", "src", "action", "formaction", "poster", "data", "cite"}, a.Key):
			k.address(n, a.Val)
		}
	}
	switch n.Data {
	case "script":
		k.script(n)
	case "style", "iframe", "object", "embed", "base", "frame", "applet":
		k.fault(n, "does not belong here")
	case "img":
		k.image(n)
	case "input", "select", "textarea", "button":
		k.control(n)
	}
}

// script allows those of ours: one that sets the theme, the module that is
// built, and data.
func (k *checker) script(n *html.Node) {
	kind, _ := attr(n, "type")
	src, _ := attr(n, "src")
	switch {
	case len(n.Attr) == 0 && strings.HasPrefix(textOf(n), "(d=>{d.classList.add(\"js\")"):
	case kind == "module" && strings.HasPrefix(src, "/assets/"):
	case (kind == "application/json" || kind == "application/ld+json") && src == "" && valid(textOf(n)):
	default:
		k.fault(n, "a script that is not ours: %.80q", textOf(n))
	}
}

// address allows what is of the web, and within the service what there is.
func (k *checker) address(n *html.Node, address string) {
	u, err := url.Parse(address)
	if err != nil || strings.TrimSpace(address) != address {
		k.fault(n, "%q is no address: %v", address, err)
		return
	}
	if !slices.Contains([]string{"", "https", "http", "mailto"}, u.Scheme) {
		k.fault(n, "leads to %q", address)
	}
	within := u.Scheme == "" && u.Host == "" || u.Scheme+"://"+u.Host == links.Base
	if address == "" || !within {
		if u.Scheme == "" && u.Host != "" || address == "" {
			k.fault(n, "leads to %q", address)
		}
		return
	}
	if u.Path == "" {
		return // a place on the page, or another state of it
	}
	r, err := http.NewRequest(http.MethodGet, links.Base+u.EscapedPath(), nil)
	if err != nil {
		k.fault(n, "%v", err)
		return
	}
	if _, pattern := k.all.Handler(r); pattern == "" || pattern == "/" {
		k.fault(n, "leads to %s, which nothing serves", u.Path)
	}
}

func (k *checker) image(n *html.Node) {
	for _, key := range []string{"alt", "width", "height", "src"} {
		if _, ok := attr(n, key); !ok {
			k.fault(n, "an image lacks %s", key)
		}
	}
}

// control checks that what one fills in or presses has a name, unless it is
// hidden: then the script that shows it names it.
func (k *checker) control(n *html.Node) {
	kind, _ := attr(n, "type")
	hidden := func(a *html.Node) bool { _, ok := attr(a, "hidden"); return ok }
	if kind == "hidden" || slices.ContainsFunc(append(above(n), n), hidden) {
		return
	}
	if label, _ := attr(n, "aria-label"); strings.TrimSpace(label) != "" {
		return
	}
	if _, ok := attr(n, "aria-labelledby"); ok || n.Data == "button" && strings.TrimSpace(textOf(n)) != "" {
		return
	}
	if id, ok := attr(n, "id"); ok && k.labels[id] || slices.ContainsFunc(above(n), func(a *html.Node) bool { return a.Data == "label" }) {
		return
	}
	k.fault(n, "a control has no label")
}

// above lists the elements that n is in.
func above(n *html.Node) (all []*html.Node) {
	for a := range n.Ancestors() {
		all = append(all, a)
	}
	return all
}

// text checks that a name that is read from the right turns nothing around it.
func (k *checker) text(n *html.Node) {
	if !strings.Contains(n.Data, turned) {
		return
	}
	apart := func(a *html.Node) bool {
		dir, _ := attr(a, "dir")
		return dir == "auto" || slices.Contains([]string{"bdi", "title", "script", "option", "textarea"}, a.Data)
	}
	if !slices.ContainsFunc(above(n), apart) {
		k.fault(n.Parent, "%q stands among other words, without bdi or dir", turned)
	}
}

// whole looks at what a page has as a whole.
func (k *checker) whole() {
	for tag, want := range map[string]int{"html": 1, "head": 1, "body": 1, "title": 1, "h1": 1, "main": 1} {
		if k.count[tag] != want {
			k.faults = append(k.faults, fmt.Sprintf("has %d <%s>, want %d", k.count[tag], tag, want))
		}
	}
	if lang, _ := attr(find(k.doc, "html", "", ""), "lang"); lang != k.locale.HTML() {
		k.faults = append(k.faults, fmt.Sprintf("its lang is %q, want %q", lang, k.locale.HTML()))
	}
	if !strings.HasSuffix(textOf(find(k.doc, "title", "", "")), " · Miramundo") {
		k.faults = append(k.faults, fmt.Sprintf("its title is %.80q", textOf(find(k.doc, "title", "", ""))))
	}
	k.languages()
}

// languages checks that a page names itself in each language, unless search
// engines are to leave it out.
func (k *checker) languages() {
	want := []string{"x-default"}
	for _, l := range i18n.Locales {
		want = append(want, l.HTML())
	}
	slices.Sort(want)
	if robots := find(k.doc, "meta", "name", "robots"); robots != nil {
		if content, _ := attr(robots, "content"); strings.Contains(content, "noindex") {
			want = nil
		}
	}
	var got []string
	for n := range k.doc.Descendants() {
		if rel, _ := attr(n, "rel"); n.Data == "link" && rel == "alternate" {
			if lang, ok := attr(n, "hreflang"); ok {
				got = append(got, lang)
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(want, got) {
		k.faults = append(k.faults, fmt.Sprintf("is linked in the languages %v, want %v", got, want))
	}
}

// TestCheckerFindsFaults checks that the checker finds each fault in
// markup that has it, and none in correct markup.
func TestCheckerFindsFaults(t *testing.T) {
	const (
		head = `<html lang="en"><head><title>A · Miramundo</title><meta name="robots" content="noindex"></head><body><main><h1>A</h1>`
		tail = `</main></body></html>`
	)
	for markup, want := range map[string]string{
		"": "", `<p id="a"></p><p id="b"></p>`: "", `<p id="a"></p><p id="a"></p>`: "another's", `<a href="/api/health">`: "", `<a href="/api/none">`: "nothing serves",
		`<a href="javascript:x">`: "leads to", `<a href="//evil.example">`: "leads to", `<a href="https://a.example">`: "", `<a href="">`: "leads to", `<a href=" /">`: "is no address",
		`<p onclick="x">`: "has onclick", `<p style="x">`: "has style", `<script>x</script>`: "not ours", `<script type="application/json">{</script>`: "not ours",
		`<script type="application/json">{}</script>`: "", `<iframe></iframe>`: "does not belong", `<img src="/" alt="">`: "lacks width", `<input>`: "no label", `<label>a<input></label>`: "",
		`<label for="a">a</label><input id="a">`: "", `<button></button>`: "no label", `<p hidden><button></button></p>`: "", `<button>a</button>`: "", `<h1>B</h1>`: "has 2 <h1>",
		"<p>a " + turned + "</p>": "among other words", "<p>a <bdi>" + turned + "</bdi></p>": "", `<p dir="auto">` + turned: "", `<noscript><p onclick="x"></noscript>`: "has onclick",
	} {
		s := http.NewServeMux()
		s.Handle("GET /api/health", http.NotFoundHandler())
		s.Handle("GET /{$}", http.NotFoundHandler())
		got := strings.Join(faultsOf(parse(t, []byte("<!DOCTYPE html>"+head+markup+tail)), i18n.EN, s), "; ")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s has the faults %q, want %q", markup, got, want)
		}
	}
	bare := parse(t, []byte(`<!DOCTYPE html><html lang="pt-BR"><title>A</title><h1>A</h1>`))
	got := strings.Join(faultsOf(bare, i18n.EN, http.NewServeMux()), "; ")
	for _, want := range []string{"its lang", "its title", "0 <main>", "languages [], want [de en es fr pt-BR x-default]"} {
		if !strings.Contains(got, want) {
			t.Errorf("a bare page has the faults %q, want %q", got, want)
		}
	}
}
