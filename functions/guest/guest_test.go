package guest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
)

// atOnce is how many tokens a network gets at once here.
const atOnce = 30

// A clock stands still until it is moved.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newClock() *clock { return &clock{time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)} }

func handler(c *clock, key string) (http.Handler, *identity.Guests) {
	g := identity.NewGuests(keyringtest.Ring(key), c.now)
	return request.Handler(request.Options{Now: c.now, AddressHeader: "X-Client-Address"}, New(g, atOnce, c.now), Endpoints), g
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

// TestLimit checks how many guests a network brings, and when it may bring more.
func TestLimit(t *testing.T) {
	c := newClock()
	h, _ := handler(c, key)
	for _, step := range []struct {
		after time.Duration
		from  string // with %d in place of what differs from call to call
		calls int
		given int
		wait  string // Retry-After of what is refused
	}{
		{0, "192.0.2.1", atOnce + 5, atOnce, "30"},
		{0, "192.0.2.2", 1, 1, ""},
		{0, "::ffff:192.0.2.1", 1, 0, "30"},
		{29 * time.Second, "192.0.2.1", 3, 0, "1"},
		{500 * time.Millisecond, "192.0.2.1", 3, 0, "1"},
		{500 * time.Millisecond, "192.0.2.1", 3, 1, "30"},
		{time.Minute, "192.0.2.1", 3, 2, "30"},
		{time.Hour, "192.0.2.1", atOnce + 5, atOnce, "30"},
		{0, "2001:db8::%d", atOnce + 5, atOnce, "30"},
		{0, "2001:db8:0:1::%d", 1, 1, ""},
		{0, "192.0.2.3, 192.0.2.1", 1, 0, "30"},
		{0, "192.0.2.1, 192.0.2.3", 1, 1, ""},
	} {
		c.t = c.t.Add(step.after)
		given := 0
		for i := range step.calls {
			from := step.from
			if strings.Contains(from, "%d") {
				from = fmt.Sprintf(from, i+1)
			}
			w := call(h, "POST", "/api/guest", from, "")
			switch {
			case w.Code == http.StatusOK:
				given++
			case w.Code != http.StatusTooManyRequests || !strings.Contains(w.Body.String(), `"error":"too_many_requests"`):
				t.Fatalf("%s: %d %s", from, w.Code, w.Body)
			case w.Header().Get("Retry-After") != step.wait:
				t.Errorf("%s: Retry-After is %q, want %q", from, w.Header().Get("Retry-After"), step.wait)
			}
		}
		if given != step.given {
			t.Errorf("at %s %s got %d guests, want %d", c.t.Format(time.TimeOnly), step.from, given, step.given)
		}
	}
}

// TestLimitAtOnce checks that calls at a time get no more than calls in turn.
func TestLimitAtOnce(t *testing.T) {
	l := newLimit(atOnce, newClock().now)
	var given atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range atOnce {
				if l.take(netip.MustParseAddr("192.0.2.1")) == nil {
					given.Add(1)
				}
			}
		})
	}
	all.Wait()
	if given.Load() != atOnce {
		t.Errorf("%d guests, want %d", given.Load(), atOnce)
	}
}

// TestCrowd checks that memory is bounded when very many networks come, that
// those it has no room for get little together, and that it has room again.
func TestCrowd(t *testing.T) {
	c := newClock()
	l := newLimit(atOnce, c.now)
	network := func(i int) netip.Addr {
		return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
	}
	for i := range maxNetworks {
		if err := l.take(network(i)); err != nil {
			t.Fatalf("network %d: %v", i, err)
		}
	}
	given := 0
	for i := range 1000 {
		if l.take(network(maxNetworks+i)) == nil {
			given++
		}
	}
	if given != atOnce || len(l.by) != maxNetworks {
		t.Errorf("%d guests of networks there is no room for, want %d; %d networks are told apart", given, atOnce, len(l.by))
	}
	if err := l.take(network(7)); err != nil {
		t.Errorf("a network that was there before: %v", err)
	}
	c.t = c.t.Add(every)
	if err := l.take(network(2 * maxNetworks)); err != nil || len(l.by) != 2 {
		t.Errorf("when the crowd has gone: %v; %d networks are told apart, want network 7 and the last", err, len(l.by))
	}
	if err := l.take(netip.Addr{}); err != nil {
		t.Errorf("without an address: %v", err)
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
