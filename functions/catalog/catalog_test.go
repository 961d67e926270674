package catalog

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// FuzzMore checks that what another page's address repeats of a query can
// stand in JSON as it is, holds no offset, and means what the query meant.
func FuzzMore(f *testing.F) {
	for _, s := range []string{
		"", "q=a&offset=5", "offset=1&offset=2&q=a+b", "q=%22", `q="<\>`, "q=São", "q=%zz", "&&a", "a=1;b=2", "q=\xff", "q=\x00", "offset", "OFFSET=1", "%6Fffset=3",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, rawQuery string) {
		got := nextQuery(rawQuery)
		var text string
		if err := json.Unmarshal([]byte(`"`+got+`"`), &text); err != nil || text != got {
			t.Fatalf("nextQuery(%q) = %q, which JSON reads as %q, %v", rawQuery, got, text, err)
		}
		if got != "" && !strings.HasSuffix(got, "&") {
			t.Errorf("nextQuery(%q) = %q, want a last &", rawQuery, got)
		}
		before, err := url.ParseQuery(rawQuery)
		if err != nil || strings.Contains(rawQuery, "offset") || strings.Contains(rawQuery, "%") {
			return
		}
		after, err := url.ParseQuery(got)
		if err != nil || len(after) != len(before) {
			t.Errorf("nextQuery(%q) = %q: %v, %v, want %v", rawQuery, got, after, err, before)
		}
		for name := range before {
			if after.Get(name) != before.Get(name) {
				t.Errorf("nextQuery(%q) = %q: %s is %q, want %q", rawQuery, got, name, after.Get(name), before.Get(name))
			}
		}
	})
}
