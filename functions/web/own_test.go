package web

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/site"
)

// An ownPage is what a test reads of a page of what a person keeps.
type ownPage struct {
	Lang, H1, Robots string
	Noscript         string
	Parts            []string // ids that its script looks for, of those that there are
	Empty            []string // links of the template for a person who keeps nothing
	Formats          []string
	Apps             int // that it helps with
	Data             map[string]string
	Keep             bool // whether its script has the texts of the dialog that keeps
	keys             []string
}

// ownParts are the ids that the scripts of these pages look for.
var ownParts = []string{
	"tools", "blank", "empty", "waiting", "library", "folders", "folder", "folder-name", "folder-size", "folder-more", "play-folder", "new-folder", "groups", "group",
	"group-more", "new-group", "items", "no-items", "order-help", "said", "feed", "feed-address", "feed-copy", "feed-qr", "feed-level", "qr", "guide-address", "guide-copy",
	"rotate", "import", "export", "total", "more", "clear",
}

var ownKey = regexp.MustCompile(`\b(library|favorites|history|keep)\.[a-z]+[a-z_.]*\b`)

func readOwn(t *testing.T, page *sheet) ownPage {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(string(page.data)))
	if err != nil {
		t.Fatal(err)
	}
	r := ownReader{page: ownPage{}, ids: map[string]bool{}}
	r.walk(doc, false)
	for _, id := range ownParts {
		if r.ids[id] {
			r.page.Parts = append(r.page.Parts, id)
		}
	}
	r.page.keys = ownKey.FindAllString(r.words.String(), -1)
	return r.page
}

// An ownReader goes over a page.
type ownReader struct {
	page  ownPage
	ids   map[string]bool
	words strings.Builder // what a person reads
}

func (r *ownReader) walk(n *html.Node, empty bool) {
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
		r.page.Apps++
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

// script reads what the page tells its script.
func (r *ownReader) script(n *html.Node, id string) {
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

// TestOwn checks the shells of the pages of what a person keeps: in the
// language that is asked for, kept from search engines, whole in what their
// scripts look for, and with words for those without scripts.
func TestOwn(t *testing.T) {
	s := New(Options{Now: func() time.Time { return time.Unix(0, 0) }})
	list := []string{"blank", "empty", "items", "total", "more"}
	for _, test := range []struct {
		page    site.Page
		show    func(context.Context, i18n.Locale, struct{}) (*sheet, error)
		parts   []string
		formats []string
		apps    int
	}{
		{site.Library, s.library, ownParts[:len(ownParts)-3], library.Formats, 4},
		{site.Favorites, s.favorites, list, nil, 0},
		{site.History, s.history, slices.Concat([]string{"tools"}, list, []string{"clear"}), nil, 0},
	} {
		for _, l := range i18n.Locales {
			t.Run(fmt.Sprint(test.page, "/", l), func(t *testing.T) {
				page, err := test.show(t.Context(), l, struct{}{})
				if err != nil {
					t.Fatal(err)
				}
				name, home := test.page.String(), site.Home.Path(l, "")
				want := ownPage{
					Lang: l.HTML(), H1: l.T(name+".title", nil), Robots: "noindex", Noscript: "<p class=\"panel\">" + l.T(name+".noscript", nil) + "</p>",
					Parts: test.parts, Empty: []string{home}, Formats: test.formats, Apps: test.apps,
					Data: map[string]string{"channel": site.Channel.Path(l, "")}, Keep: true,
				}
				got := readOwn(t, page)
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

// TestOwnIsNobodys checks that such a page is the same whenever it is asked
// for, so that caches may keep it.
func TestOwnIsNobodys(t *testing.T) {
	now := time.Unix(0, 0)
	s := New(Options{Now: func() time.Time { now = now.Add(time.Hour); return now }})
	for _, l := range i18n.Locales {
		first, err := s.library(t.Context(), l, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.library(t.Context(), l, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		if first.ETag() != again.ETag() {
			t.Errorf("%s: the page changes by itself", l)
		}
	}
}

// TestLimits checks that the script knows the limits as the library has them.
func TestLimits(t *testing.T) {
	source, err := os.ReadFile("app/own/shelf.ts")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("most = { folders: %d, groups: %d, items: %d, name: %d }", library.MaxCategories, library.MaxGroups, library.MaxItems, library.MaxName)
	if !strings.Contains(string(source), want) {
		t.Errorf("shelf.ts does not say %q", want)
	}
}
