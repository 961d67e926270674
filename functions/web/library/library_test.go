package library

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/site"
)

// A readPage is what the tests read of a page.
type readPage struct {
	Lang, H1, Robots string
	Noscript         string
	Parts            []string // the ids that its script looks up and that the page has
	Empty            []string // links of the template for a visitor who keeps nothing
	Formats          []string
	Apps             int // with instructions
	Data             map[string]string
	Keep             bool // whether its script has the texts of the dialog that adds to the library
	keys             []string
}

// scriptIDs are the ids that the scripts of these pages look up.
var scriptIDs = []string{
	"tools", "blank", "empty", "waiting", "library", "folders", "folder", "folder-name", "folder-size", "folder-more", "play-folder", "new-folder", "groups", "group",
	"group-more", "new-group", "items", "no-items", "order-help", "said", "feed", "feed-address", "feed-copy", "feed-qr", "feed-level", "qr", "guide-address", "guide-copy",
	"login-server", "login-server-copy", "login-user", "login-user-copy", "login-password", "login-password-copy", "rotate", "import", "export", "total", "more", "clear",
}

// messageKey matches the key of a text that is missing.
var messageKey = regexp.MustCompile(`\b(library|favorites|history|keep)\.[a-z]+[a-z_.]*\b`)

// readBody reads the page at a path.
func readBody(t *testing.T, h http.Handler, path string) readPage {
	t.Helper()
	doc := webtest.Tree(t, h, path)
	r := reader{page: readPage{}, ids: map[string]bool{}}
	r.walk(doc, false)
	for _, id := range scriptIDs {
		if r.ids[id] {
			r.page.Parts = append(r.page.Parts, id)
		}
	}
	r.page.keys = messageKey.FindAllString(r.words.String(), -1)
	return r.page
}

// A reader goes through a page.
type reader struct {
	page  readPage
	ids   map[string]bool
	words strings.Builder // the text of the page
}

func (r *reader) walk(n *html.Node, empty bool) {
	at := map[string]string{}
	for _, a := range n.Attr {
		at[a.Key] = a.Val
	}
	r.ids[at["id"]] = true
	empty = empty || at["id"] == "empty"
	switch n.Data {
	case "html":
		r.page.Lang = at["lang"]
	case "meta":
		if at["name"] == "robots" {
			r.page.Robots = at["content"]
		}
	case "h1":
		r.page.H1 = n.FirstChild.Data
	case "noscript":
		r.page.Noscript = n.FirstChild.Data
	case "details":
		if at["id"] != "prefs" && at["class"] != "login" { // the first of which every page has
			r.page.Apps++
		}
	case "a":
		if empty {
			r.page.Empty = append(r.page.Empty, at["href"])
		}
	case "input":
		if at["name"] == "format" {
			r.page.Formats = append(r.page.Formats, at["value"])
		}
	case "script":
		r.script(n, at["id"])
		return
	}
	if n.Type == html.TextNode {
		r.words.WriteString(n.Data + "\n")
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.walk(c, empty)
	}
}

// script reads the data and texts of the page's script.
func (r *reader) script(n *html.Node, id string) {
	if n.FirstChild == nil || id != "data" && id != "texts" {
		return
	}
	values := map[string]string{}
	if json.Unmarshal([]byte(n.FirstChild.Data), &values) != nil {
		return
	}
	if id == "data" {
		r.page.Data = values
		return
	}
	_, r.page.Keep = values["keep.ui.title"]
}

// TestShells checks the pages: in the requested language, hidden from search
// engines, with all elements that their scripts look up, and with a text for
// browsers without scripts.
func TestShells(t *testing.T) {
	h := webtest.Handler(New(page.NewRenderer(webtest.Links)), Endpoints)
	list := []string{"blank", "empty", "items", "total", "more"}
	for _, test := range []struct {
		page    site.Page
		parts   []string
		formats []string
		apps    int
	}{
		{site.Library, scriptIDs[:len(scriptIDs)-3], library.Formats, 4},
		{site.Favorites, list, nil, 0},
		{site.History, slices.Concat([]string{"tools"}, list, []string{"clear"}), nil, 0},
	} {
		for _, l := range i18n.Locales {
			t.Run(fmt.Sprint(test.page, "/", l), func(t *testing.T) {
				name, home := test.page.String(), site.Home.Path(l, "")
				want := readPage{
					Lang: l.HTML(), H1: l.T(name+".title", nil), Robots: "noindex", Noscript: "<p class=\"panel\">" + l.T(name+".noscript", nil) + "</p>",
					Parts: test.parts, Empty: []string{home}, Formats: test.formats, Apps: test.apps,
					Data: map[string]string{"channel": site.Channel.Path(l, ""), "public": site.Public.Path(l, "")}, Keep: true,
				}
				got := readBody(t, h, test.page.Path(l, ""))
				if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "keys" }, cmp.Ignore())); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if len(got.keys) > 0 {
					t.Errorf("keys without a text: %v", got.keys)
				}
			})
		}
	}
}

// TestLimits checks that the script has the limits of package library.
func TestLimits(t *testing.T) {
	source, err := os.ReadFile("../app/own/shelf.ts")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("most = { folders: %d, groups: %d, items: %d, name: %d }", library.MaxCategories, library.MaxGroups, library.MaxItems, library.MaxName)
	if !strings.Contains(string(source), want) {
		t.Errorf("shelf.ts does not say %q", want)
	}
}
