package challenge

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"miramundo.dev/shared/human"
)

const secret = "a secret of the tests"

// provider returns a provider with a clock, and its address.
func provider(t *testing.T) (p *Provider, clock *time.Time, base string) {
	t.Helper()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	p = New(secret, func() time.Time { return now })
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return p, &now, s.URL
}

// issued returns a token as the widget gets it.
func issued(t *testing.T, base string) string {
	t.Helper()
	res, err := http.Post(base+Path+"token", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body struct{ Token string }
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil || body.Token == "" {
		t.Fatalf("the token is %q, %v", body.Token, err)
	}
	return body.Token
}

// TestVerify checks by the client of the service that a token is good once and for a
// while, and that another secret is refused.
func TestVerify(t *testing.T) {
	p, clock, base := provider(t)
	settings := p.Settings(base)
	v := human.New(human.Options{URL: settings["HUMAN_VERIFY_URL"], Secret: settings["HUMAN_SECRET"], Host: "127.0.0.1"})
	verify := func(what, token string, want error) {
		t.Helper()
		if err := v.Verify(t.Context(), token, netip.Addr{}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	token := issued(t, base)
	verify("a token", token, nil)
	verify("a used token", token, human.ErrRefused)
	verify("no token of ours", "x", human.ErrRefused)
	late := issued(t, base)
	*clock = clock.Add(validFor)
	verify("an old token", late, human.ErrRefused)
	v = human.New(human.Options{URL: settings["HUMAN_VERIFY_URL"], Secret: "another"})
	verify("another secret", issued(t, base), human.ErrUnavailable)
}

// TestBound checks that tokens which nobody uses do not fill the memory.
func TestBound(t *testing.T) {
	p, _, base := provider(t)
	for n := range maxTokens + 10 {
		p.tokens[string(rune(n+'a'))] = p.now().Add(time.Minute)
	}
	token := issued(t, base)
	if len(p.tokens) > maxTokens || p.tokens[token].IsZero() {
		t.Errorf("%d tokens are kept", len(p.tokens))
	}
}

// TestScript checks that the script is served where the settings say.
func TestScript(t *testing.T) {
	p, _, base := provider(t)
	address, err := url.Parse(p.Settings(base)["HUMAN_SCRIPT"])
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("GET", address.Path, nil))
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/javascript; charset=utf-8" || w.Body.Len() == 0 {
		t.Errorf("the script: %d, %v", w.Code, w.Header())
	}
}
