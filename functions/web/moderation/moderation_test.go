package moderation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/site"
)

// TestPage checks what the script finds on the page in each locale, and that search
// engines are told to leave the page out.
func TestPage(t *testing.T) {
	h := webtest.Handler(New(page.NewRenderer(webtest.Links)), Endpoints)
	for _, l := range i18n.Locales {
		t.Run(l.Tag(), func(t *testing.T) {
			path := site.Moderation.Path(l, "")
			tree := webtest.Tree(t, h, path)
			if webtest.ByID(tree, "moderation") == nil {
				t.Error("the script has nowhere to show the reports")
			}
			if body := webtest.Body(t, h, path); !strings.Contains(body, `name="robots" content="noindex`) {
				t.Error("search engines may index the page")
			}
			var data map[string]string
			if err := json.Unmarshal([]byte(webtest.ByID(tree, "data").FirstChild.Data), &data); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(map[string]string{"channel": site.Channel.Path(l, "")}, data); d != "" {
				t.Errorf("data (-want +got):\n%s", d)
			}
			var texts map[string]string
			if err := json.Unmarshal([]byte(webtest.ByID(tree, "texts").FirstChild.Data), &texts); err != nil {
				t.Fatal(err)
			}
			for _, verb := range []act.Verb{act.RemoveComment, act.RemoveMessage, act.Dismiss, act.Mute, act.Unmute, act.CloseRoom, act.OpenRoom, act.RemoveAll, act.RestoreAll} {
				if texts["moderation.ui.act_"+string(verb)] == "" {
					t.Errorf("no text for the act %s", verb)
				}
			}
			for _, reason := range act.Reasons {
				if texts["guard.ui.reason_"+reason] == "" {
					t.Errorf("no text for the reason %s", reason)
				}
			}
		})
	}
}
