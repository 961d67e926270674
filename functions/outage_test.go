package functions

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
)

// TestNoDatabase makes the database fail, for no known reason and for each that
// there is: endpoints that need only memory still answer, the others answer with a
// fault that says when to try again and carries the reason, and health reports the
// failure. Everything answers once the database does.
func TestNoDatabase(t *testing.T) {
	db := storetest.NewSwitch(openEmbedded(t))
	h := mux(t, deps(t, db, fixture))
	v := apitest.Validating(t, h, documents(t)...)
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
	for _, outage := range []error{storetest.ErrBroken, store.ErrFull, store.ErrReadOnly, store.ErrBusy, store.ErrStarting, nil} {
		if outage == nil {
			db.On()
		} else {
			db.OffBecause(outage)
		}
		for _, c := range calls {
			answer, body := apitest.Do(t, v, c.method, c.path, c.body,
				"Authorization", "Bearer "+operatorToken, "Content-Type", "application/json")
			want, contains := c.on, ""
			if outage != nil {
				want, contains = c.off, c.contains
			}
			if answer.StatusCode != want || !strings.Contains(body, contains) {
				t.Errorf("%v: %s %s answered %d %.300s, want %d with %q", outage, c.method, c.path, answer.StatusCode, body, want, contains)
			}
			if want == 503 {
				checkOutage(t, outage, answer.Header, body)
			}
		}
	}
}

// checkOutage checks what an answer says of the outage that caused it.
func checkOutage(t *testing.T, outage error, h http.Header, body string) {
	t.Helper()
	var got struct {
		Reason     fault.Reason
		RetryAfter int `json:"retry_after"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	known, _ := errors.AsType[*fault.Outage](outage)
	switch {
	case h.Get("Retry-After") == "":
		t.Errorf("%v: the answer has no Retry-After: %s", outage, body)
	case known == nil && got.Reason != "":
		t.Errorf("%v: the answer has the reason %q", outage, got.Reason)
	case known != nil && (got.Reason != known.Reason || got.RetryAfter != known.Seconds || h.Get("Retry-After") != strconv.Itoa(known.Seconds)):
		t.Errorf("%v: the answer has the reason %q, retry_after %d and the header %s, want those of %+v", outage, got.Reason, got.RetryAfter, h.Get("Retry-After"), known)
	}
}
