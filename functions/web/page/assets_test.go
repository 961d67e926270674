package page

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
)

// TestAssetInFrames checks that a frame without an origin of its own gets scripts and
// styles, and that nothing else may be done with them.
func TestAssetInFrames(t *testing.T) {
	w := httptest.NewRecorder()
	a := asset{api.NewDocument("text/javascript", []byte("1"))}
	if err := a.Reply(w, httptest.NewRequest(http.MethodGet, "/assets/a-1.js", nil)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin",
		"Content-Security-Policy": "default-src 'none'", "X-Robots-Tag": "noindex",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestScripts checks which scripts a page names in its head: all that it runs at
// once, each of them once, and no other.
func TestScripts(t *testing.T) {
	a := loadAssets(fstest.MapFS{"assets.json": {Data: []byte(`{
		"begins": ["chunk-a.js"],
		"later": {"list": ["list-1.js", "chunk-a.js", "chunk-b.js"], "keep": ["keep-2.js", "chunk-b.js"], "channel": ["channel-3.js"]}
	}`)}})
	for name, test := range map[string]struct{ modules, want []string }{
		"a page without a module": {[]string{"guide"}, []string{"/assets/chunk-a.js"}},
		"a list":                  {[]string{"list", "keep"}, []string{"/assets/chunk-a.js", "/assets/list-1.js", "/assets/chunk-b.js", "/assets/keep-2.js"}},
		"a fault":                 {nil, []string{"/assets/chunk-a.js"}},
	} {
		if d := cmp.Diff(test.want, a.scripts(test.modules)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	unbuilt := loadAssets(fstest.MapFS{})
	if got := unbuilt.scripts([]string{"list"}); len(got) != 0 {
		t.Errorf("before a build: %q", got)
	}
}
