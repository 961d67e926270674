package offline

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestPages checks that each language has its page, which search engines leave out.
func TestPages(t *testing.T) {
	h := webtest.Handler(New(page.NewRenderer(webtest.Links)), Endpoints)
	for _, l := range i18n.Locales {
		w := webtest.Request(h, "GET", site.OfflinePath(l))
		for _, want := range []string{`<html lang="` + l.HTML() + `"`, l.T("error.offline_title", nil), `content="noindex"`, "data-offline"} {
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d, lacks %s", l, w.Code, want)
			}
		}
	}
}

// TestWorker checks that the worker names everything that it keeps, is asked for anew
// each time, and may fetch from here alone.
func TestWorker(t *testing.T) {
	pages := page.NewRenderer(webtest.Links)
	if pages.File("worker.js") == nil {
		t.Skip("nothing was built: make generate")
	}
	h := webtest.Handler(New(pages), Endpoints)
	w := webtest.Request(h, "GET", site.WorkerPath)
	for name, want := range map[string]string{
		"Cache-Control": "no-cache", "Content-Type": "text/javascript; charset=utf-8", "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	first, script, _ := strings.Cut(w.Body.String(), ";\n")
	list, found := strings.CutPrefix(first, "self.shell=")
	var kept shell
	if err := json.Unmarshal([]byte(list), &kept); err != nil || !found {
		t.Fatalf("%v in %.200s", err, w.Body)
	}
	if len(kept.Version) != 12 || len(kept.Pages) != len(i18n.Locales) || kept.Pages["de"] != "/de/offline" || kept.Pages[""] != "/offline" || len(kept.Files) < 5 {
		t.Errorf("keeps %+v", kept)
	}
	for _, file := range kept.Files {
		if !strings.HasPrefix(file, site.AssetsPath) {
			t.Errorf("keeps %s, which has no hash", file)
		}
	}
	if strings.Contains(script, "import") || strings.Contains(script, "export") {
		t.Error("the worker is a module")
	}
	if again := webtest.Request(h, "GET", site.WorkerPath, "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("the same worker again answers %d", again.Code)
	}
}
