// Package challenge is a provider of human verification for the local stack: its widget
// is a box, and every visitor who ticks it passes.
//
// It speaks to pages and to the service as Turnstile does (package shared/human says
// how), so that the contact form works and can be tested without a network. Nothing that
// is deployed serves it.
//
//	GET /dev/human/widget.js      the script that draws the widget
//	POST /dev/human/token         a token for a box that was ticked
//	POST /dev/human/siteverify    whether a token is good: once, for five minutes
package challenge

import (
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Path is what the paths of the provider begin with.
const Path = "/dev/human/"

// SiteKey is the public key of the stack.
const SiteKey = "local"

//go:embed widget.js
var widget []byte

const (
	validFor  = 5 * time.Minute // as at Turnstile
	maxTokens = 1000            // that are valid at a time
)

// A Provider issues and verifies tokens. It may be called concurrently.
type Provider struct {
	secret string
	now    func() time.Time
	mux    *http.ServeMux

	mu     sync.Mutex
	tokens map[string]time.Time // until when each is valid; guarded by mu
}

// New returns a provider that shares a secret with the service.
func New(secret string, now func() time.Time) *Provider {
	p := &Provider{secret: secret, now: now, mux: http.NewServeMux(), tokens: map[string]time.Time{}}
	p.mux.HandleFunc("GET "+Path+"widget.js", p.script)
	p.mux.HandleFunc("POST "+Path+"token", p.issue)
	p.mux.HandleFunc("POST "+Path+"siteverify", p.verify)
	return p
}

// ServeHTTP implements [http.Handler].
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	p.mux.ServeHTTP(w, r)
}

// Settings are the settings with which the service uses the provider at base.
func (p *Provider) Settings(base string) map[string]string {
	return map[string]string{
		"HUMAN_VERIFY_URL": base + Path + "siteverify", "HUMAN_SECRET": p.secret,
		"HUMAN_SITE_KEY": SiteKey, "HUMAN_SCRIPT": base + Path + "widget.js",
	}
}

func (p *Provider) script(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(widget)
}

// issue returns a new token.
func (p *Provider) issue(w http.ResponseWriter, _ *http.Request) {
	token := rand.Text()
	p.mu.Lock()
	now := p.now()
	for t, until := range p.tokens {
		if !now.Before(until) || len(p.tokens) >= maxTokens {
			delete(p.tokens, t)
		}
	}
	p.tokens[token] = now.Add(validFor)
	p.mu.Unlock()
	answer(w, map[string]any{"token": token})
}

// verify takes a token, which is then used up.
func (p *Provider) verify(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.PostFormValue("secret")), []byte(p.secret)) != 1 {
		answer(w, map[string]any{"success": false, "error-codes": []string{"invalid-input-secret"}})
		return
	}
	token := r.PostFormValue("response")
	p.mu.Lock()
	until, ok := p.tokens[token]
	delete(p.tokens, token)
	p.mu.Unlock()
	if !ok || !p.now().Before(until) {
		answer(w, map[string]any{"success": false, "error-codes": []string{"timeout-or-duplicate"}})
		return
	}
	answer(w, map[string]any{"success": true, "challenge_ts": p.now().UTC().Format(time.RFC3339), "error-codes": []string{}})
}

func answer(w http.ResponseWriter, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // the caller is gone
}
