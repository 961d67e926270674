package list

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
)

// TestSuggestions reads suggestions as a browser does: an array of the words, names,
// descriptions and addresses.
func TestSuggestions(t *testing.T) {
	h := listHandler(t)
	base := webtest.Links.Base
	none := []any{}
	for query, want := range map[string][]any{
		"":                       {"", none, none, none},
		"?q=":                    {"", none, none, none},
		"?q=%21":                 {"!", none, none, none},
		"?q=qwertyuio":           {"qwertyuio", none, none, none},
		"?q=portug&lang=de":      {"portug", []any{"Portugal"}, []any{""}, []any{base + "/de/portugal"}},
		"?q=solo&lang=fr":        {"solo", []any{"Solo"}, []any{"Portugal"}, []any{base + "/fr/chaine/Solo.pt"}},
		"?q=%3Cqqq%3E%22&lang=x": {`<qqq>"`, none, none, none},
	} {
		w := webtest.Request(h, "GET", page.SuggestionsPath+query)
		var got []any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Header().Get("Content-Type") != "application/x-suggestions+json" || !strings.Contains(w.Header().Get("Cache-Control"), "s-maxage") {
			t.Errorf("%s: %v, %v", query, err, w.Header())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", query, d)
		}
	}
	if w := webtest.Request(h, "GET", page.SuggestionsPath+"?q="+strings.Repeat("a", 201)); w.Code != http.StatusBadRequest {
		t.Errorf("201 letters: %d", w.Code)
	}
}
