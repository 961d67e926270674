package channel

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestEmbed checks what other sites may frame: the player of each channel in each
// language, with a link to the channel's page, and nothing of a session.
func TestEmbed(t *testing.T) {
	h := webtest.Handler(watchServer(t), Endpoints)
	for _, l := range i18n.Locales {
		w := webtest.Request(h, "GET", site.EmbedPath(l, "Aurora.br"))
		policy, body := w.Header().Get("Content-Security-Policy"), w.Body.String()
		if w.Code != http.StatusOK || !strings.Contains(policy, "frame-ancestors *") || !strings.Contains(policy, "form-action 'none'") {
			t.Errorf("%s: %d, policy %s", l, w.Code, policy)
		}
		for name, want := range map[string]string{"X-Frame-Options": "", "Cross-Origin-Opener-Policy": "", "Set-Cookie": "", "X-Robots-Tag": "noindex", "Cache-Control": "public, max-age=0, s-maxage=60"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", l, name, got, want)
			}
		}
		for _, want := range []string{`<html lang="` + l.HTML() + `">`, `href="` + site.Channel.Path(l, "Aurora.br") + `" target="_blank"`, `<meta name="robots" content="noindex">`, `id="data"`, `data-page="embed"`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: lacks %s in %s", l, want, body)
			}
		}
	}
}

// TestEmbedOfOthers checks the answers for channels that are not at their address.
func TestEmbedOfOthers(t *testing.T) {
	h := webtest.Handler(watchServer(t), Endpoints)
	for id, want := range map[string]struct {
		code int
		to   string
	}{
		"Older.br": {http.StatusMovedPermanently, "/de/embed/Aurora.br"}, "Mundo.pt": {http.StatusNotFound, ""}, "nowhere": {http.StatusNotFound, ""}, "Evil.br": {http.StatusOK, ""},
	} {
		w := webtest.Request(h, "GET", site.EmbedPath(i18n.DE, id))
		if w.Code != want.code || w.Header().Get("Location") != want.to {
			t.Errorf("%s: %d to %q, want %d to %q", id, w.Code, w.Header().Get("Location"), want.code, want.to)
		}
		body := w.Body.String()
		if strings.Contains(body, webtest.HostileName) || strings.Contains(body, `href="javascript:`) {
			t.Errorf("%s: the page has the markup of a channel: %s", id, body)
		}
		if want.code == http.StatusNotFound && (!strings.Contains(w.Header().Get("Content-Security-Policy"), "frame-ancestors *") || !strings.Contains(body, i18n.DE.T("embed.gone", nil))) {
			t.Errorf("%s: says nothing to those who see the frame: %s", id, body)
		}
	}
}

// TestOEmbedIsFound checks the addresses of the player as oEmbed in the head of a page.
func TestOEmbedIsFound(t *testing.T) {
	h := webtest.Handler(watchServer(t), Endpoints)
	got := map[string]string{}
	for _, link := range webtest.Elements(webtest.Tree(t, h, "/fr/chaine/Aurora.br?feed=SD"), func(n *html.Node) bool {
		return n.Data == "link" && strings.HasSuffix(webtest.Attr(n, "type"), "+oembed")
	}) {
		got[webtest.Attr(link, "type")] = webtest.Attr(link, "href")
	}
	if raw := webtest.Request(h, "GET", "/fr/chaine/Aurora.br").Body.String(); !strings.Contains(raw, `type="application/json+oembed"`) {
		t.Error("programs that search the page as text do not find the address")
	}
	page := "&url=" + url.QueryEscape(webtest.Links.Base+"/fr/chaine/Aurora.br")
	at := webtest.Links.Base + "/api/oembed?format="
	if d := cmp.Diff(map[string]string{"application/json+oembed": at + "json" + page, "text/xml+oembed": at + "xml" + page}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
