package guest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
)

// A clock stands still until it is moved.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newClock() *clock { return &clock{time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)} }

func handler(c *clock, key string) (http.Handler, *identity.Guests) {
	g := identity.NewGuests(keyringtest.Ring(key), c.now)
	return request.Handler(request.Options{Now: c.now, AddressHeader: "X-Client-Address", Budgets: budget.New(budget.Options{Now: c.now})}, New(g), Endpoints), g
}

const key = "a key of guests for the tests alone"

// call makes a request from an address, as the edge tells it.
func call(h http.Handler, method, path, from string, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("X-Client-Address", from)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestCreate checks that each call makes a guest of its own, whatever is sent,
// and that nobody keeps the answer.
func TestCreate(t *testing.T) {
	h, g := handler(newClock(), key)
	seen := map[identity.Owner]bool{}
	for _, body := range []string{"", "{}", `{"token":"ipt_mine"}`, "junk", strings.Repeat("x", 1<<20)} {
		w := call(h, "POST", "/api/guest", "192.0.2.1", body)
		var answer struct{ Token string }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
			t.Fatalf("with %.20q: %d %s", body, w.Code, w.Body)
		}
		o, err := g.Verify(answer.Token)
		if err != nil || seen[o] {
			t.Errorf("with %.20q: the token is of %q, %v", body, o, err)
		}
		seen[o] = true
		if got := w.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control is %q", got)
		}
	}
	h, _ = handler(newClock(), "")
	if w := call(h, "POST", "/api/guest", "192.0.2.1", ""); w.Code != 503 || !strings.Contains(w.Body.String(), "auth_unavailable") {
		t.Errorf("without a key: %d %s", w.Code, w.Body)
	}
}

// TestLimit checks that a network gets so many guests at once, and what it is answered
// then.
func TestLimit(t *testing.T) {
	c := newClock()
	h, _ := handler(c, key)
	for i := range budget.Guests.Network.AtOnce {
		if w := call(h, "POST", "/api/guest", "192.0.2.1", ""); w.Code != http.StatusOK {
			t.Fatalf("guest %d: %d %s", i, w.Code, w.Body)
		}
	}
	for _, test := range []struct {
		from string
		code int
		wait string // Retry-After
	}{
		{"192.0.2.1", 429, "30"},
		{"192.0.2.3, 192.0.2.1", 429, "30"},
		{"192.0.2.1, 192.0.2.3", 200, ""},
		{"192.0.2.2", 200, ""},
	} {
		w := call(h, "POST", "/api/guest", test.from, "")
		if w.Code != test.code || w.Header().Get("Retry-After") != test.wait {
			t.Errorf("from %s: %d, Retry-After %q; want %d, %q", test.from, w.Code, w.Header().Get("Retry-After"), test.code, test.wait)
		}
		if test.code == 429 && !strings.Contains(w.Body.String(), `"error":"too_many_requests"`) {
			t.Errorf("from %s: %s", test.from, w.Body)
		}
	}
}

// TestRetired checks the paths of the keys of old, and those beside them.
func TestRetired(t *testing.T) {
	h, _ := handler(newClock(), key)
	for _, test := range []struct {
		method, path string
		status       int
		code         string
	}{
		{"POST", "/api/keys", 410, "api_keys_retired"},
		{"GET", "/api/keys", 410, "api_keys_retired"},
		{"GET", "/api/keys?limit=-1", 410, "api_keys_retired"},
		{"DELETE", "/api/keys/key_1", 410, "api_keys_retired"},
		{"DELETE", "/api/keys/%00", 410, "api_keys_retired"},
		{"DELETE", "/api/keys/%ff", 410, "api_keys_retired"},
		{"DELETE", "/api/keys/a%2Fb", 410, "api_keys_retired"},
		{"DELETE", "/api/keys/" + strings.Repeat("x", 5000), 410, "api_keys_retired"},
		{"PUT", "/api/keys", 405, "method_not_allowed"},
		{"GET", "/api/keys/key_1", 405, "method_not_allowed"},
		{"DELETE", "/api/keys", 405, "method_not_allowed"},
		{"DELETE", "/api/keys/a/b", 404, "not_found"},
		{"GET", "/api/keysx", 404, "not_found"},
		{"GET", "/api/key", 404, "not_found"},
		{"GET", "/api/guest", 405, "method_not_allowed"},
		{"POST", "/api/guest/x", 404, "not_found"},
	} {
		w := call(h, test.method, test.path, "192.0.2.1", "{")
		if w.Code != test.status || !strings.Contains(w.Body.String(), `"error":"`+test.code+`"`) {
			t.Errorf("%s %.40s: %d %s, want %d %s", test.method, test.path, w.Code, w.Body, test.status, test.code)
		}
	}
}
