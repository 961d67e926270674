package list

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// hintsOf returns the links of a page with ids of a beginning, as "text -> address",
// and the sentences without a link.
func hintsOf(tree *html.Node, beginning, class string) (lines []string) {
	for _, list := range webtest.Elements(tree, func(n *html.Node) bool { return webtest.HasClass(n, class) }) {
		for _, item := range webtest.Elements(list, func(n *html.Node) bool { return n.Data == "li" }) {
			line := webtest.Text(item)
			for _, a := range webtest.Elements(item, func(n *html.Node) bool { return strings.HasPrefix(webtest.Attr(n, "id"), beginning) }) {
				line += " -> " + webtest.Attr(a, "href")
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// TestHints checks what a list says of how it read words and of what else to try.
func TestHints(t *testing.T) {
	reg := listRegister()
	reg.Gone = []catalog.Gone{
		{ID: "Alt.br", Name: "Canal Alt", Country: "BR", Reason: catalog.GoneClosed, Since: "2023-02-01", ReplacedBy: "C01.br"},
		{ID: "Weg.pt", Name: "Weg & <b>", Reason: catalog.GoneVanished},
	}
	reg.Records[62].FeedNames = []catalog.FeedName{{Feed: "A&B", Name: "Norte"}}
	server := New(Options{Pages: page.NewRenderer(webtest.Links), Catalog: webtest.Show(t, reg, index.Overlay{}), Now: webtest.Clock})
	h := webtest.Handler(server, Endpoints)
	for _, test := range []struct {
		path         string
		read, advice []string
	}{
		{"/en?q=canal+brazil+kids", []string{"Brazil -> /en?q=canal+kids", "Kids -> /en?q=canal+brazil"}, nil},
		{"/en?q=kids", []string{`Kids -> /en?q=%22kids%22`}, nil},
		{"/en?q=%22kids%22&kind=tv", nil, nil},
		{"/?q=canal+alt", nil, []string{"Canal Alt (Brasil) encerrou as transmissões em 01/02/2023 e foi substituído por Canal 01. -> /canal/C01.br", "Buscar só “canal” 64 -> /?q=canal"}},
		{"/en?q=weg", nil, []string{"Weg & <b> is no longer listed by the sources of the catalog."}},
		{"/en?q=silent", nil, []string{"Silent (Portugal) is known, but has no working stream. -> /en/channel/Silent.pt"}},
		{"/en?q=canxl+07", nil, []string{"Did you mean “canal 07”? 1 -> /en?q=canal+07"}},
		{"/en/portugal?q=solo&kind=tv", nil, nil},
		{"/en/portugal?q=canal+07", nil, []string{"Search only for “canal” 1 -> /en/portugal?q=canal", "Without the filter Portugal 1 -> /en?q=canal+07"}},
		{"/en?q=r%C3%A1dio+dois&kind=tv&country=BR", nil, nil}, // there is a link to the radio stations below
		{"/en?country=BR&kind=tv", nil, nil},
	} {
		tree := webtest.Tree(t, h, test.path)
		if d := cmp.Diff(test.read, hintsOf(tree, "read-", "list-read")); d != "" {
			t.Errorf("%s: understood (-want +got):\n%s", test.path, d)
		}
		if d := cmp.Diff(test.advice, hintsOf(tree, "advice-", "list-advice")); d != "" {
			t.Errorf("%s: suggestions (-want +got):\n%s", test.path, d)
		}
	}
	if body := webtest.Body(t, h, "/en?q=solo+norte"); !strings.Contains(body, `href="/en/channel/Solo.pt?feed=A%26B"`) {
		t.Error("a channel found by a feed is not linked with the feed")
	}
}

// TestWidened checks the search without each filter that a suggestion drops.
func TestWidened(t *testing.T) {
	v := page.NewRenderer(webtest.Links).View(site.Home, i18n.EN, nil)
	in := listIn{}
	in.Q, in.Country, in.Language, in.Playable, in.Kind, in.Offset = "a b", "BR", "por", true, "tv", 30
	for _, test := range []struct{ filter, want, inCountry string }{
		{"kind", "/en?q=a+b&country=BR&language=por", "/en/brazil?q=a+b&language=por"},
		{"playable", "/en?q=a+b&kind=tv&country=BR&language=por&playable=0", "/en/brazil?q=a+b&kind=tv&language=por&playable=0"},
		{"language", "/en?q=a+b&kind=tv&country=BR", "/en/brazil?q=a+b&kind=tv"},
		{"country", "/en?q=a+b&kind=tv&language=por", "/en?q=a+b&kind=tv&language=por"},
	} {
		if got := in.wanted("/en").widened(v, test.filter).address(); got != test.want {
			t.Errorf("without %s: %s, want %s", test.filter, got, test.want)
		}
		if got := in.wantedOf("/en/brazil", "BR").widened(v, test.filter).address(); got != test.inCountry {
			t.Errorf("in Brazil without %s: %s, want %s", test.filter, got, test.inCountry)
		}
	}
}
