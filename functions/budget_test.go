package functions

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/store/storetest"
)

// TestGuestsOverInstances makes 60 guests from one network at two instances in turn: 30
// are given, as at one instance.
func TestGuestsOverInstances(t *testing.T) {
	db := openEmbedded(t)
	instances := []http.Handler{mux(t, deps(t, db, fixture)), mux(t, deps(t, db, fixture))}
	given := 0
	for i := range 60 {
		w := httptest.NewRecorder()
		instances[i%2].ServeHTTP(w, httptest.NewRequest("POST", "/api/guest", http.NoBody))
		switch {
		case w.Code == http.StatusOK:
			given++
		case w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "30":
			t.Fatalf("guest %d: %d, Retry-After %q: %s", i, w.Code, w.Header().Get("Retry-After"), w.Body)
		}
	}
	if given != budget.Guests.Network.AtOnce {
		t.Errorf("%d guests of one network, want %d", given, budget.Guests.Network.AtOnce)
	}
}

// TestBudgets repeats calls of one guest until they are refused, over HTTP and as tools
// of the MCP server, and checks that refused calls cost no document.
func TestBudgets(t *testing.T) {
	db := storetest.NewMeter(openEmbedded(t))
	h := mux(t, deps(t, db, fixture))
	for i, test := range []struct {
		name, method, path, body string
		most                     int
	}{
		{"history", "POST", "/api/history", `{"channel_id":"TVGlobo.br"}`, budget.Writes.Owner.AtOnce},
		{"favorites", "DELETE", "/api/favorites/none", "", budget.Writes.Owner.AtOnce},
		{"reports", "POST", "/api/play-report", `{"channel_id":"TVGlobo.br","ok":true}`, budget.Writes.Owner.AtOnce},
		{"rotations", "POST", "/api/library/feed-token", "", budget.Rotations.Owner.AtOnce},
		{"imports", "POST", "/api/library/import", `{"categories":[{"name":"A"}]}`, budget.Imports.Owner.AtOnce},
		{"publications", "PUT", "/api/library/public", `{"name":"none","title":"A","folders":["cat_0"]}`, budget.Publications.Owner.AtOnce},
		{"tools", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"clear_history","arguments":{}}}`, budget.Writes.Owner.AtOnce},
	} {
		token := guestTokenOf(t, h, i)
		refused := func() bool {
			r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
			r.Header.Set("X-Guest-Token", token)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			limited := strings.Contains(w.Body.String(), "too_many_requests")
			if limited && test.path != api.MCPPath && (w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "") {
				t.Fatalf("%s: %d, Retry-After %q: %s", test.name, w.Code, w.Header().Get("Retry-After"), w.Body)
			}
			return limited
		}
		allowed := 0
		for !refused() {
			if allowed++; allowed > test.most {
				break
			}
		}
		if allowed != test.most {
			t.Errorf("%s: %d calls were allowed, want %d", test.name, allowed, test.most)
			continue
		}
		before := db.Ops()
		for range 100 {
			if !refused() {
				t.Fatalf("%s: a call was allowed after a refusal", test.name)
			}
		}
		if cost := db.Ops().Less(before); cost != (storetest.Ops{}) {
			t.Errorf("%s: 100 refused calls cost %+v", test.name, cost)
		}
	}
}

// TestEveryWriteHasABudget checks that no endpoint that changes what a caller owns is
// without a limit.
func TestEveryWriteHasABudget(t *testing.T) {
	for _, f := range All() {
		for _, e := range f.Endpoints {
			if e.Writes() && (e.Auth == api.Guest || e.Auth == api.Session) && e.Budget == nil {
				t.Errorf("%s has no budget", e.Pattern())
			}
		}
	}
}
