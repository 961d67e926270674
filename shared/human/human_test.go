package human

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const secret = "the secret of the site"

// provider returns a verifier whose provider answers by h.
func provider(t *testing.T, h http.HandlerFunc) *Verifier {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return New(Options{URL: s.URL + "/siteverify", Secret: secret, Host: "mira.example"})
}

// TestVerify checks what each answer of a provider means: a verdict is taken from
// nothing but the member success.
func TestVerify(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"good":               {200, `{"success":true,"hostname":"mira.example","challenge_ts":"2026-11-22T12:00:00Z"}`, nil},
		"good, host in caps": {200, `{"success":true,"hostname":"MIRA.example"}`, nil},
		"good without host":  {200, `{"success":true}`, nil},
		"of another site":    {200, `{"success":true,"hostname":"evil.example"}`, ErrRefused},
		"bad":                {200, `{"success":false,"error-codes":["invalid-input-response"]}`, ErrRefused},
		"used":               {200, `{"success":false,"error-codes":["timeout-or-duplicate"]}`, ErrRefused},
		"bad without codes":  {200, `{"success":false}`, ErrRefused},
		"our secret":         {200, `{"success":false,"error-codes":["invalid-input-secret"]}`, ErrUnavailable},
		"its failure":        {200, `{"success":false,"error-codes":["internal-error"]}`, ErrUnavailable},
		"success as text":    {200, `{"success":"true"}`, ErrUnavailable},
		"success as number":  {200, `{"success":1}`, ErrUnavailable},
		"no verdict":         {200, `{}`, ErrUnavailable},
		"a list":             {200, `[{"success":true}]`, ErrUnavailable},
		"not JSON":           {200, `success: true`, ErrUnavailable},
		"nothing":            {200, ``, ErrUnavailable},
		"too much":           {200, `{"success":true,"x":"` + strings.Repeat("a", maxAnswer) + `"}`, ErrUnavailable},
		"down":               {503, `{"success":true}`, ErrUnavailable},
		"refused":            {403, `{"success":true}`, ErrUnavailable},
	} {
		v := provider(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		})
		if err := v.Verify(t.Context(), "a token", netip.Addr{}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

// TestRequest checks what the provider receives.
func TestRequest(t *testing.T) {
	var got url.Values
	v := provider(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Method != http.MethodPost || r.URL.RawQuery != "" {
			t.Errorf("the provider receives %s %s, %v", r.Method, r.URL, err)
		}
		got = r.PostForm
		_, _ = io.WriteString(w, `{"success":true}`)
	})
	if err := v.Verify(t.Context(), "a&token=b", netip.MustParseAddr("203.0.113.9")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(url.Values{"secret": {secret}, "response": {"a&token=b"}, "remoteip": {"203.0.113.9"}}, got); diff != "" {
		t.Errorf("the form (-want +got):\n%s", diff)
	}
}

// TestRedirect checks that the secret is not sent on to another address.
func TestRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		t.Error("the other address is called")
		_, _ = io.WriteString(w, `{"success":true}`)
	}))
	defer other.Close()
	v := provider(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if err := v.Verify(t.Context(), "a token", netip.Addr{}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a redirect is answered %v", err)
	}
}

// TestNotAsked checks what is decided without the provider.
func TestNotAsked(t *testing.T) {
	v := provider(t, func(http.ResponseWriter, *http.Request) { t.Error("the provider is asked") })
	for _, token := range []string{"", strings.Repeat("a", MaxToken+1)} {
		if err := v.Verify(t.Context(), token, netip.Addr{}); !errors.Is(err, ErrRefused) {
			t.Errorf("a token of %d bytes: %v", len(token), err)
		}
	}
	if err := New(Options{}).Verify(t.Context(), "a token", netip.Addr{}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("without a provider: %v", err)
	}
}

// TestErrorsKeepSecrets checks that no error holds the secret or the token.
func TestErrorsKeepSecrets(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, address := range []string{gone.URL, "http://127.0.0.1:0", "%"} {
		err := New(Options{URL: address, Secret: secret}).Verify(t.Context(), "a token of the visitor", netip.Addr{})
		if !errors.Is(err, ErrUnavailable) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "a token of") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestOrigin(t *testing.T) {
	for script, want := range map[string]string{
		"": "", "https://challenges.example/turnstile/v0/api.js?render=explicit": "https://challenges.example",
		"http://127.0.0.1:8787/dev/human/widget.js": "http://127.0.0.1:8787", "/widget.js": "",
	} {
		if got := (Widget{Script: script}).Origin(); got != want {
			t.Errorf("the origin of %q is %q, want %q", script, got, want)
		}
	}
}

// hanging is a connection to a provider that never answers.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestSlow checks that a person does not wait for a provider for more than five seconds.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		err := New(Options{URL: "https://provider.example/siteverify", Transport: hanging{}}).Verify(t.Context(), "a token", netip.Addr{})
		if waited := time.Since(start); !errors.Is(err, ErrUnavailable) || waited != 5*time.Second {
			t.Errorf("after %v: %v", waited, err)
		}
	})
}
