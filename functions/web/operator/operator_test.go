package operator

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/fact/undelivered"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestPage checks what the script finds on the page in each locale: a place, the path
// of channels, and a text for each value of the API that it names. Search engines are
// told to leave the page out.
func TestPage(t *testing.T) {
	h := webtest.Handler(New(page.NewRenderer(webtest.Links)), Endpoints)
	for _, l := range i18n.Locales {
		t.Run(l.Tag(), func(t *testing.T) {
			path := site.Operator.Path(l, "")
			tree := webtest.Tree(t, h, path)
			if webtest.ByID(tree, "operator") == nil {
				t.Error("the script has nowhere to show the tabs")
			}
			if body := webtest.Body(t, h, path); !strings.Contains(body, `name="robots" content="noindex`) {
				t.Error("search engines may index the page")
			}
			var data, texts map[string]string
			for id, to := range map[string]*map[string]string{"data": &data, "texts": &texts} {
				if err := json.Unmarshal([]byte(webtest.ByID(tree, id).FirstChild.Data), to); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(map[string]string{"channel": site.Channel.Path(l, "")}, data); d != "" {
				t.Errorf("data (-want +got):\n%s", d)
			}
			var names []string
			for _, verb := range []undelivered.Verb{undelivered.SendLetter, undelivered.DropLetter, undelivered.ReplayEvent, undelivered.DropEvent} {
				names = append(names, "act_"+string(verb))
			}
			for _, kind := range []string{block.Channel, block.Stream, block.Host} {
				names = append(names, "kind_"+kind, "block_note_"+kind)
			}
			for _, state := range []billing.State{billing.Open, billing.Delivered, billing.Refused} {
				names = append(names, "receipt_"+string(state))
			}
			for _, name := range names {
				if texts["operator.ui."+name] == "" {
					t.Errorf("no text %s", name)
				}
			}
		})
	}
}
