package jobs

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
)

const (
	audience = "https://jobs.example"
	email    = "scheduler@project.example"
)

// A provider publishes keys as the platform's identity provider does, and signs
// tokens. It is the transport of the validator, so no network is used.
type provider struct {
	key  *rsa.PrivateKey
	down bool // no connection
	ill  bool // answers 500
	asks int
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return &provider{key: key}
}

func (p *provider) RoundTrip(r *http.Request) (*http.Response, error) {
	p.asks++
	if p.down {
		return nil, errors.New("connection refused")
	}
	if p.ill {
		return &http.Response{StatusCode: http.StatusInternalServerError, Request: r, Body: http.NoBody}, nil
	}
	e := big.NewInt(int64(p.key.E)).Bytes()
	body, err := json.Marshal(map[string]any{"keys": []map[string]string{{
		"kid": "k1", "kty": "RSA", "alg": "RS256", "use": "sig",
		"n": base64.RawURLEncoding.EncodeToString(p.key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(e),
	}}})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Cache-Control": {"public, max-age=3600"}},
	}, nil
}

// token signs a token whose claims are those of the scheduler, but for changes.
func (p *provider) token(t *testing.T, key *rsa.PrivateKey, changes map[string]any) string {
	t.Helper()
	claims := jwt.MapClaims{
		"iss": "https://accounts.google.com", "aud": audience, "email": email, "email_verified": true, "sub": "1",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	for name, value := range changes {
		claims[name] = value
	}
	unsigned := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	unsigned.Header["kid"] = "k1"
	signed, err := unsigned.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// TestOIDC checks which tokens are the scheduler's.
func TestOIDC(t *testing.T) {
	p := newProvider(t)
	verify, err := OIDC(audience, email, p)
	if err != nil {
		t.Fatal(err)
	}
	other := newProvider(t)
	hour := time.Hour
	good := p.token(t, p.key, nil)
	for _, test := range []struct {
		name, authorization string
		want                error
	}{
		{"the scheduler's", "Bearer " + good, nil},
		{"in other letters", "bearer  " + good, nil},
		{"the issuer without a scheme", "Bearer " + p.token(t, p.key, map[string]any{"iss": "accounts.google.com"}), nil},
		{"nothing", "", ErrCaller},
		{"another scheme", "Basic " + good, ErrCaller},
		{"not a token", "Bearer abc", ErrCaller},
		{"cut off", "Bearer " + good[:len(good)-4], ErrCaller},
		{"signed by another key", "Bearer " + p.token(t, other.key, nil), ErrCaller},
		{"for another audience", "Bearer " + p.token(t, p.key, map[string]any{"aud": "https://other.example"}), ErrCaller},
		{"of another account", "Bearer " + p.token(t, p.key, map[string]any{"email": "x@project.example"}), ErrCaller},
		{"of an unverified address", "Bearer " + p.token(t, p.key, map[string]any{"email_verified": false}), ErrCaller},
		{"of another issuer", "Bearer " + p.token(t, p.key, map[string]any{"iss": "https://evil.example"}), ErrCaller},
		{"expired", "Bearer " + p.token(t, p.key, map[string]any{"exp": time.Now().Add(-hour).Unix()}), ErrCaller},
		{"of no algorithm", "Bearer " + unsigned(t), ErrCaller},
	} {
		if err := verify(t.Context(), test.authorization); !errors.Is(err, test.want) || (test.want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	if p.asks != 1 {
		t.Errorf("the provider was asked for its keys %d times, want once", p.asks)
	}
}

// unsigned returns a token with the scheduler's claims and the algorithm none.
func unsigned(t *testing.T) string {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims{"aud": audience, "email": email, "email_verified": true}).
		SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestOIDCWithoutKeys checks that no call is accepted, and none is called
// false, while the provider's keys cannot be fetched.
func TestOIDCWithoutKeys(t *testing.T) {
	p := newProvider(t)
	p.down = true
	verify, err := OIDC(audience, email, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(t.Context(), "Bearer "+p.token(t, p.key, nil)); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("without keys: %v, want %v", err, fault.ErrUnavailable)
	}
	p.down, p.ill = false, true
	if err := verify(t.Context(), "Bearer "+p.token(t, p.key, nil)); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("with a provider that fails: %v, want %v", err, fault.ErrUnavailable)
	}
	for _, half := range [][2]string{{"", email}, {audience, ""}} {
		if _, err := OIDC(half[0], half[1], p); err == nil {
			t.Errorf("OIDC(%q, %q) succeeded", half[0], half[1])
		}
	}
}

// A fakeRunner runs jobs that end as its fields say.
type fakeRunner struct {
	report *job.Report
	err    error
	orders []job.Order
}

func (f *fakeRunner) RunToEnd(_ context.Context, _ string, o job.Order) (*job.Report, error) {
	f.orders = append(f.orders, o)
	return f.report, f.err
}

// TestRun checks what the scheduler is answered, and that its runs are
// automatic ones.
func TestRun(t *testing.T) {
	const secret = "a token of the tests"
	for _, test := range []struct {
		name, authorization string
		runner              fakeRunner
		status              int
		contains            string
		orders              []job.Order
	}{
		{"done", "Bearer " + secret, fakeRunner{report: &job.Report{Job: "guide", OK: true}}, 200, `"job":"guide"`, []job.Order{{}}},
		{"failed", "Bearer " + secret, fakeRunner{report: &job.Report{Error: "no source"}, err: errors.New("no source")}, 503, `"error":"job_failed"`, []job.Order{{}}},
		{"under way", "Bearer " + secret, fakeRunner{err: job.ErrRunning}, 409, `"job_running"`, []job.Order{{}}},
		{"unknown", "Bearer " + secret, fakeRunner{err: job.ErrUnknown}, 404, `"unknown_job"`, []job.Order{{}}},
		{"no database", "Bearer " + secret, fakeRunner{err: errors.New("no route to host")}, 503, `"unavailable"`, []job.Order{{}}},
		{"nobody", "", fakeRunner{}, 401, `"invalid_scheduler_token"`, nil},
		{"another token", "Bearer " + secret + "x", fakeRunner{}, 401, `"invalid_scheduler_token"`, nil},
	} {
		h := request.Handler(request.Options{Tokens: map[string]string{api.JobsToken: secret}}, New(&test.runner, Token()), Endpoints)
		answer, body := apitest.Do(t, h, "POST", "/jobs/guide", "", "Authorization", test.authorization)
		if answer.StatusCode != test.status || !strings.Contains(body, test.contains) {
			t.Errorf("%s: %d %s, want %d with %s", test.name, answer.StatusCode, body, test.status, test.contains)
		}
		if d := cmp.Diff(test.orders, test.runner.orders); d != "" {
			t.Errorf("%s: orders (-want +got):\n%s", test.name, d)
		}
	}
}

// TestNoToken checks that a service without a token accepts nobody.
func TestNoToken(t *testing.T) {
	h := request.Handler(request.Options{}, New(&fakeRunner{}, Token()), Endpoints)
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer x"} {
		answer, body := apitest.Do(t, h, "POST", "/jobs/guide", "", "Authorization", header)
		if answer.StatusCode != 503 || !strings.Contains(body, `"operator_token_unavailable"`) {
			t.Errorf("%q: %d %s", header, answer.StatusCode, body)
		}
	}
}
