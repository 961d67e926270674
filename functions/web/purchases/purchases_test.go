package purchases

import (
	"strings"
	"testing"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/site"
)

// TestPurchases checks that the page offers every credit, is the same for every visitor
// and is left out by search engines.
func TestPurchases(t *testing.T) {
	h := webtest.Handler(New(page.NewRenderer(webtest.Links)), Endpoints)
	for _, l := range i18n.Locales {
		body := webtest.Body(t, h, site.Purchases.Path(l, ""))
		for _, it := range price.All() {
			if has := strings.Contains(body, `data-credit="`+string(it.Product)+`"`); has != (it.Kind == price.Credit) {
				t.Errorf("%s: the page offers %s as a credit: %t", l, it.Product, has)
			}
		}
		for _, want := range []string{`content="noindex"`, "POST /api/credits", webtest.Base + "/api/chat/pass"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the page lacks %q", l, want)
			}
		}
	}
}
