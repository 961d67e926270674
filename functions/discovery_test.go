package functions

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/describe"
	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/functions/describe/prose"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/price/quota"
)

// The documents about the service are tested over the whole table and all pages: what
// they link to exists, and a program that has nothing but the address of the service
// comes from there to a library.

// documentPaths returns the paths of everything that describes the service.
func documentPaths() []string {
	paths := []string{quota.ListPath, quota.LivePath, api.PaymentsPath}
	for _, e := range describe.Endpoints {
		if !strings.Contains(e.Path, "{file}") {
			paths = append(paths, openapi.Path(e))
		}
	}
	for file := range prose.Bundle(&profile.Profile{}) {
		paths = append(paths, profile.BundlePath+file)
	}
	slices.Sort(paths)
	return paths
}

// TestWellKnown checks that the files below /.well-known/ are those of the interface.
func TestWellKnown(t *testing.T) {
	const folder = "/.well-known/"
	want := []string{"agent-card.json", "api-catalog", "apis.json", "mcp-registry-auth", "security.txt", "x402"}
	var served, listed []string
	for _, e := range Table() {
		if name, ok := strings.CutPrefix(e.Path, folder); ok {
			served = append(served, name)
		}
	}
	for _, path := range api.WellKnown {
		listed = append(listed, strings.TrimPrefix(path, folder))
	}
	slices.Sort(served)
	slices.Sort(listed)
	if diff := cmp.Diff([][]string{want, want}, [][]string{served, listed}); diff != "" {
		t.Errorf("(-want +served and listed):\n%s", diff)
	}
}

// TestNoDeadLinks checks every address of this service in every document: that of an
// endpoint must be in the table, and any other must answer 200.
func TestNoDeadLinks(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	checked := 0
	for _, path := range append(documentPaths(), "/") {
		answer, body := apitest.Do(t, h, "GET", path, "", "Accept", "text/html")
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s answers %d", path, answer.StatusCode)
		}
		for _, address := range addressesIn(path, withoutExamples(t, body), answer.Header) {
			checked++
			if why := dead(t, h, address); why != "" {
				t.Errorf("%s links to %s: %s", path, address, why)
			}
		}
	}
	if checked < 250 {
		t.Errorf("found %d links", checked)
	}
}

// withoutExamples returns a document in JSON without the members example and examples:
// what they show was answered to other callers at another time. Any other document is
// returned as it is.
func withoutExamples(t *testing.T, body string) string {
	t.Helper()
	var document map[string]any
	if json.Unmarshal([]byte(body), &document) != nil {
		return body
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "example")
			delete(v, "examples")
			for _, member := range v {
				strip(member)
			}
		case []any:
			for _, item := range v {
				strip(item)
			}
		}
	}
	strip(document)
	rest, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(rest)
}

// absolute matches an address of the service, and relative the target of a link in
// Markdown or in the header Link.
var (
	absolute = regexp.MustCompile(regexp.QuoteMeta(apitest.Origin) + "[^\\s\"'`<>()|\\\\]*")
	relative = regexp.MustCompile(`\]\(([^):]+)\)|<(/[^>]*)>`)
)

// addressesIn returns the paths and queries on this host that a document links to.
func addressesIn(path, body string, h http.Header) []string {
	var all []string
	add := func(address string) {
		to, err := url.Parse(strings.TrimRight(address, ".,;"))
		if err == nil {
			from := &url.URL{Path: path}
			all = append(all, from.ResolveReference(&url.URL{Path: to.Path, RawQuery: to.RawQuery}).String())
		}
	}
	for _, address := range absolute.FindAllString(body, -1) {
		if rest := strings.TrimPrefix(address, apitest.Origin); rest != "" {
			add(rest)
		}
	}
	markdown := body
	if strings.HasPrefix(h.Get("Content-Type"), "text/html") {
		markdown = "" // whose relative addresses the tests of the pages check
	}
	for _, m := range relative.FindAllStringSubmatch(markdown+"\n"+h.Get("Link"), -1) {
		add(m[1] + m[2])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestAddressesIn checks that links of each form are found.
func TestAddressesIn(t *testing.T) {
	body := `{"a":"` + apitest.Origin + `/api/x?y=1","b":"https://elsewhere.example/"} [c](c.md), see ` + apitest.Origin + `/en.`
	got := addressesIn("/okf/index.md", body, http.Header{"Link": {`</openapi.json>; rel="service-desc"`}})
	if diff := cmp.Diff([]string{"/api/x?y=1", "/en", "/okf/c.md", "/openapi.json"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// dead returns why an address cannot be followed; empty when it can.
func dead(t *testing.T, h http.Handler, address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return err.Error()
	}
	named := func(e api.Endpoint) bool { return profile.Path(e) == at.Path || openapi.Path(e) == at.Path }
	if slices.ContainsFunc(Table(), named) {
		return ""
	}
	if answer, _ := apitest.Do(t, h, "GET", address, ""); answer.StatusCode != http.StatusOK {
		return answer.Status
	}
	return ""
}

// TestDead checks that an address without an endpoint or a page is found.
func TestDead(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	for address, want := range map[string]bool{
		"/api/guest": false, "/api/channels/:id": false, "/en/about": false, "/en/nothing": true, "/api/nothing": true, "/okf/nothing.md": true,
	} {
		if got := dead(t, h, address); (got != "") != want {
			t.Errorf("%s: %q", address, got)
		}
	}
}

// TestFromTheBaseAddress follows the links from the first page: by the header Link to
// the API catalog, the index and the OpenAPI document, and by the head of the page to
// llms.txt.
func TestFromTheBaseAddress(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	home, page := apitest.Do(t, h, "GET", "/", "", "Accept", "text/html")
	links := linksOf(home.Header)
	for _, rel := range []string{"service-desc", "service-doc", "api-catalog"} {
		if answer, _ := apitest.Do(t, h, "GET", links[rel], ""); links[rel] == "" || answer.StatusCode != http.StatusOK {
			t.Errorf("the relation %s leads to %q, %d", rel, links[rel], answer.StatusCode)
		}
	}
	var catalog struct {
		Linkset []struct {
			Item []struct{ Href string }
		}
	}
	get(t, h, links["api-catalog"], &catalog)
	var index struct{ Docs map[string]string }
	get(t, h, strings.TrimPrefix(catalog.Linkset[0].Item[0].Href, apitest.Origin), &index)
	if index.Docs["openapi"] != apitest.Origin+links["service-desc"] {
		t.Errorf("the index names %q, and the header %q", index.Docs["openapi"], links["service-desc"])
	}
	llms := regexp.MustCompile(`<link rel="describedby"[^>]* href="([^"]+)"`).FindStringSubmatch(page)
	if llms == nil {
		t.Fatal("the head of the page has no link to llms.txt")
	}
	if _, text := apitest.Do(t, h, "GET", llms[1], ""); !strings.Contains(text, index.Docs["openapi"]) {
		t.Errorf("llms.txt does not name the OpenAPI document:\n%s", text)
	}
}

// linksOf returns the targets of the header Link by their relation.
func linksOf(h http.Header) map[string]string {
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`<([^>]+)>; rel="([^"]+)"`).FindAllStringSubmatch(h.Get("Link"), -1) {
		all[m[2]] = m[1]
	}
	return all
}

// TestLinkHeader checks which answers lead to the description of the service.
func TestLinkHeader(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	for _, test := range []struct {
		method, path string
		want         bool
	}{
		{"GET", "/", true}, {"HEAD", "/", true}, {"GET", "/de/ueber", true}, {"GET", "/api/channels?limit=1", true}, {"HEAD", api.CatalogPath, true},
		{"GET", "/api/channels?limit=x", true}, {"GET", "/api/nothing", true}, {"GET", "/robots.txt", false}, {"GET", "/og.png", false},
	} {
		answer, _ := apitest.Do(t, h, test.method, test.path, "")
		if got := linksOf(answer.Header)["api-catalog"] == api.CatalogPath; got != test.want {
			t.Errorf("%s %s: Link is %q", test.method, test.path, answer.Header.Get("Link"))
		}
	}
}

// TestQuickstart follows the quickstart of the index literally, and opens the feed that
// it ends with.
func TestQuickstart(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	var index struct{ Quickstart []profile.Step }
	get(t, h, profile.IndexPath, &index)
	if len(index.Quickstart) != 4 {
		t.Fatalf("the quickstart has %d calls", len(index.Quickstart))
	}
	kept := map[string]string{}
	for _, s := range index.Quickstart {
		follow(t, h, s, kept)
	}
	feed := strings.TrimPrefix(kept["feed"], apitest.Origin)
	if _, body := apitest.Do(t, h, "GET", feed, ""); !strings.HasPrefix(body, "#EXTM3U") || strings.Count(body, "#EXTINF") != 1 {
		t.Errorf("the feed %s is\n%s", feed, body)
	}
}

// follow makes the call of a step, and keeps the values that the step names.
func follow(t *testing.T, h http.Handler, s profile.Step, kept map[string]string) {
	t.Helper()
	fill := func(text string) string {
		for name, value := range kept {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		return text
	}
	var headers []string
	for name, value := range s.Headers {
		headers = append(headers, name, fill(value))
	}
	body := ""
	if s.Body != nil {
		data, err := json.Marshal(s.Body)
		if err != nil {
			t.Fatal(err)
		}
		body = fill(string(data))
	}
	answer, text := apitest.Do(t, h, s.Method, strings.TrimPrefix(fill(s.URL), apitest.Origin), body, headers...)
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err != nil || answer.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("%s %s %s: %d, %v, %s", s.Method, s.URL, body, answer.StatusCode, err, text)
	}
	for name, pointer := range s.Keep {
		kept[name] = valueAt(t, tree, pointer)
	}
}

// valueAt returns the text at a JSON Pointer.
func valueAt(t *testing.T, tree any, pointer string) string {
	t.Helper()
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch v := tree.(type) {
		case map[string]any:
			tree = v[name]
		case []any:
			if name != "0" || len(v) == 0 {
				t.Fatalf("the answer has nothing at %s", pointer)
			}
			tree = v[0]
		}
	}
	text, ok := tree.(string)
	if !ok {
		t.Fatalf("at %s is %v", pointer, tree)
	}
	return text
}
