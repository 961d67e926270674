package api_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/budget"
)

// A panel is a server that only the operator may ask.
type panel struct{}

func (panel) show(context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }

func (panel) pushed(ctx context.Context, in pushedIn) (api.NoContent, error) {
	return api.NoContent{}, api.CheckToken(ctx, api.EventsToken, in.Token)
}

type pushedIn struct {
	Token string `query:"token" doc:"The token."`
}

// panels are endpoints that ask for the operator's tokens in every way.
var panels = []api.Endpoint{
	api.Bind(panel.show, api.Endpoint{Method: "GET", Path: "/metrics", Auth: api.Operator, Credential: api.MetricsToken, Summary: "X", Doc: "X."}),
	api.Bind(panel.show, api.Endpoint{Method: "GET", Path: "/catalog", Auth: api.Operator, Summary: "Y", Doc: "Y."}),
	api.Bind(panel.pushed, api.Endpoint{Method: "GET", Path: "/events", Auth: api.None, Credential: api.EventsToken, Summary: "Z", Doc: "Z."}),
}

const rightToken = "the operator's own token"

// ask shows a token from an address, and returns the answer.
func ask(h http.Handler, path, token, from string) *httptest.ResponseRecorder {
	if path == "/events" {
		path += "?token=" + strings.ReplaceAll(token, " ", "+")
	}
	r := httptest.NewRequest("GET", path, http.NoBody)
	r.RemoteAddr = from + ":1234"
	if !strings.HasPrefix(path, "/events") && token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestGuesses shows 5,000 wrong tokens from one network for each of the tokens. The first
// are answered 401 and the others 429; the right token is accepted from everywhere, and
// the log has few records and no token.
func TestGuesses(t *testing.T) {
	for path, name := range map[string]string{"/metrics": api.MetricsToken, "/catalog": api.CatalogToken, "/events": api.EventsToken} {
		counted := map[string]int{}
		var log strings.Builder
		now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		g := api.NewGuesses(slog.New(slog.NewTextHandler(&log, nil)), clock, func(name string) { counted[name]++ })
		h := request.Handler(request.Options{
			Now: clock, Guesses: g, Tokens: map[string]string{api.MetricsToken: rightToken, api.CatalogToken: rightToken, api.EventsToken: rightToken},
		}, panel{}, panels)
		statuses := map[int]int{}
		for range 5000 {
			w := ask(h, path, "a guess of the attacker", "192.0.2.1")
			statuses[w.Code]++
			if w.Code == http.StatusTooManyRequests && (w.Header().Get("Retry-After") != "10" || !strings.Contains(w.Body.String(), "too_many_requests")) {
				t.Fatalf("%s: Retry-After %q: %s", path, w.Header().Get("Retry-After"), w.Body)
			}
		}
		if n := budget.Guesses.AtOnce; statuses[401] != n || statuses[429] != 5000-n {
			t.Errorf("%s: statuses %v, want 401 for %d", path, statuses, n)
		}
		for _, test := range []struct {
			name, token, from string
			want              int
		}{
			{"the right token of the same network", rightToken, "192.0.2.1", 204},
			{"the right token of another network", rightToken, "192.0.2.2", 204},
			{"a wrong token of another network", "a mistake of the operator", "192.0.2.2", 401},
			{"no token", "", "192.0.2.1", 401},
		} {
			if w := ask(h, path, test.token, test.from); w.Code != test.want {
				t.Errorf("%s, %s: %d, want %d", path, test.name, w.Code, test.want)
			}
		}
		now = now.Add(budget.Guesses.Every)
		if w := ask(h, path, "a guess of the attacker", "192.0.2.1"); w.Code != 401 {
			t.Errorf("%s: a wrong token after the wait: %d, want 401", path, w.Code)
		}
		if diff := cmp.Diff(map[string]int{name: 5002}, counted); diff != "" {
			t.Errorf("%s: the guesses counted (-want +got):\n%s", path, diff)
		}
		_ = g.Flush()
		if text := log.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "count=5001") ||
			strings.Contains(text, "guess of") || strings.Contains(text, "own token") || strings.Contains(text, "192.0.2") {
			t.Errorf("%s: the log:\n%s", path, text)
		}
	}
}

// TestGuessesOfManyNetworks guesses from a thousand networks, each of which would have its
// own allowance.
func TestGuessesOfManyNetworks(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	g := api.NewGuesses(slog.New(slog.DiscardHandler), clock, nil)
	t.Cleanup(func() { _ = g.Flush() })
	h := request.Handler(request.Options{Now: clock, Guesses: g, Tokens: map[string]string{api.MetricsToken: rightToken}}, panel{}, panels)
	guessed := 0
	for i := range 1000 {
		for range 5 {
			if ask(h, "/metrics", "a guess", fmt.Sprintf("198.18.%d.%d", i>>8, i&255)).Code == 401 {
				guessed++
			}
		}
	}
	if guessed != budget.AllGuesses.AtOnce {
		t.Errorf("%d guesses were answered, want %d", guessed, budget.AllGuesses.AtOnce)
	}
	if w := ask(h, "/metrics", rightToken, "192.0.2.1"); w.Code != 204 {
		t.Errorf("the right token: %d", w.Code)
	}
}
