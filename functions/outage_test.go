package functions

import (
	"strings"
	"testing"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/store/storetest"
)

// TestNoDatabase makes the database fail: endpoints that need only memory still
// answer, the others answer with a fault, and health reports the failure.
// Everything answers once the database does.
func TestNoDatabase(t *testing.T) {
	db := storetest.NewSwitch(openEmbedded(t))
	h := mux(t, deps(t, db, fixture))
	v := apitest.Validating(t, h, documents(t, h)...)
	const blocks = "/api/admin/catalogo/bloqueios"
	calls := []struct {
		method, path, body string
		on, off            int
		contains           string // in the answer without a database
	}{
		{"GET", "/api/channels?q=aurora", "", 200, 200, `"total":2`},
		{"GET", "/api/channels/Aurora.br", "", 200, 200, `"streams":[{`},
		{"GET", "/api/countries", "", 200, 200, `"code":"BR"`},
		{"GET", "/api/health", "", 200, 200, `"database":false`},
		{"GET", "/logos/none", "", 404, 503, `"unavailable"`},
		{"GET", "/api/admin/catalogo", "", 200, 503, `"unavailable"`},
		{"GET", blocks, "", 200, 503, `"unavailable"`},
		{"POST", blocks, `{"kind":"channel","value":"X.br","reason":"r"}`, 200, 503, `"unavailable"`},
		{"DELETE", blocks + "/blk_none", "", 404, 503, `"unavailable"`},
		{"GET", "/api/admin/guide/pins", "", 200, 503, `"unavailable"`},
		{"DELETE", "/api/admin/guide/pins/pin_none", "", 404, 503, `"unavailable"`},
		{"POST", "/api/admin/catalogo/rollback", `{"version":"abc"}`, 404, 503, `"unavailable"`},
		{"POST", "/api/admin/catalogo/reload", `{}`, 200, 503, `"unavailable"`},
	}
	for _, off := range []bool{true, false} {
		if off {
			db.Off()
		} else {
			db.On()
		}
		for _, c := range calls {
			answer, body := apitest.Do(t, v, c.method, c.path, c.body,
				"Authorization", "Bearer "+operatorToken, "Content-Type", "application/json")
			want, contains := c.on, ""
			if off {
				want, contains = c.off, c.contains
			}
			if answer.StatusCode != want || !strings.Contains(body, contains) {
				t.Errorf("database off %t: %s %s answered %d %.300s, want %d with %q", off, c.method, c.path, answer.StatusCode, body, want, contains)
			}
		}
	}
}
