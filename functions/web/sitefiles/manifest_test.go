package sitefiles

import (
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestManifest checks the app manifest of each locale, and that its icons exist.
func TestManifest(t *testing.T) {
	h := handler(t, index.Overlay{}, nil)
	for _, l := range i18n.Locales {
		w := webtest.Request(h, "GET", page.ManifestPath(l))
		var m appManifest
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || w.Header().Get("Content-Type") != "application/manifest+json" {
			t.Fatalf("%s: %v, %s", l, err, w.Header().Get("Content-Type"))
		}
		if m.Lang != l.HTML() || m.StartURL != site.Home.Path(l, "") || m.Name == "" || m.Description == "" || len(m.Shortcuts) != 2 {
			t.Errorf("%s: %+v", l, m)
		}
		shortcuts := []shortcut{{l.T("layout.favorites", nil), site.Favorites.Path(l, "")}, {l.T("layout.library", nil), site.Library.Path(l, "")}}
		if diff := cmp.Diff(shortcuts, m.Shortcuts); diff != "" {
			t.Errorf("%s: shortcuts (-want +got):\n%s", l, diff)
		}
		open := strings.Replace(site.EmbedPath(l, ""), "/embed/", "/open", 1)
		if m.ShareTarget != (shareTarget{open, "GET", shareParams{"title", "text", "url"}}) || m.LaunchHandler.ClientMode != "navigate-existing" {
			t.Errorf("%s: %+v, %+v", l, m.ShareTarget, m.LaunchHandler)
		}
		if diff := cmp.Diff([]protocolHandler{{"web+miramundo", open + "?url=%s"}}, m.ProtocolHandlers); diff != "" {
			t.Errorf("%s: protocol handlers (-want +got):\n%s", l, diff)
		}
		purposes := map[string]int{}
		for _, icon := range m.Icons {
			w := webtest.Request(h, "GET", icon.Src)
			if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), icon.Type) {
				t.Errorf("%s: icon %+v: %d", l, icon, w.Code)
			}
			if icon.Type != "image/png" {
				continue
			}
			purposes[icon.Purpose]++
			c, err := png.DecodeConfig(w.Body)
			if got := fmt.Sprintf("%dx%d", c.Width, c.Height); err != nil || got != icon.Sizes {
				t.Errorf("%s is %s: %v", icon.Src, got, err)
			}
		}
		if diff := cmp.Diff(map[string]int{"any": 2, "maskable": 2}, purposes); diff != "" {
			t.Errorf("%s: purposes (-want +got):\n%s", l, diff)
		}
	}
	for _, path := range []string{"/manifest/PT.webmanifest", "/manifest/pt", "/manifest/pt-BR.webmanifest", "/icons/193.png", "/icons/%2e%2e"} {
		if w := webtest.Request(h, "GET", path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	for path, size := range map[string]int{page.TouchIcon: touchIcon, faviconPath: 0} {
		w := webtest.Request(h, "GET", path)
		c, err := png.DecodeConfig(w.Body)
		if w.Code != http.StatusOK || size > 0 && (err != nil || c.Width != size) {
			t.Errorf("%s: %d, %d, %v", path, w.Code, c.Width, err)
		}
	}
}
