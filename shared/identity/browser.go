package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"miramundo.dev/shared/fault"
)

// A browser sends the cookie of a session with every request to the service,
// whichever page caused the request. So a write is accepted with a session only
// from a page of the service itself, which two things prove: the header Origin,
// which browsers set and pages cannot, and a token that only such a page can read
// (rules of the interface, Authentication 1).
//
// The token is a keyed hash of two cookies: a random one, which each browser has
// before it signs in, and that of the session. So it needs no storage, ends with
// the session, and is worth nothing in another browser.

// Faults of requests that no page of the service sent.
var (
	ErrOrigin = fault.New(fault.Forbidden, "invalid_origin") // the request comes from a page of another origin, or from none
	ErrCSRF   = fault.New(fault.Forbidden, "invalid_csrf")   // the token is absent, or of another session
)

// A Browser is what a request shows of the page that sent it. A field is empty when
// the request lacks it.
type Browser struct {
	Origin string // header Origin
	Token  string // header X-CSRF-Token
	Boot   string // value of the cookie that every browser has
}

// A Signer signs with named keys; a [miramundo.dev/shared/keyring.Ring] is one.
type Signer interface {
	Sign(purpose string, data []byte) (mac []byte, keyID string)
	Verify(purpose, keyID string, data, mac []byte) bool
}

// Pages recognizes the requests that pages of the service send. Its methods may be
// called concurrently.
type Pages struct {
	Origins []string // scheme://host:port, each exactly as browsers send it
	Keys    Signer   // nil answers ErrUnavailable
}

// csrfPurpose is the purpose of the keys of tokens.
const csrfPurpose = "csrf token"

// bootLen is the length of a boot cookie: 32 random bytes in base64url.
const bootLen = 43

// NewBoot returns a value for the cookie of a browser that has none.
func NewBoot() string { return randomText(32) }

// randomText returns n random bytes in base64url.
func randomText(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// IsBoot reports whether s has the form of those that NewBoot returns.
func IsBoot(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(s) == bootLen && len(b) == 32
}

// Token returns the token of the pages of a browser, by its boot cookie and the
// value of its account cookie, which is empty without one. It returns
// ErrUnavailable when no key is configured.
func (p *Pages) Token(boot, session string) (string, error) {
	if p == nil || p.Keys == nil {
		return "", ErrUnavailable.Because(errNoPages)
	}
	mac, id := p.Keys.Sign(csrfPurpose, tokenData(boot, session))
	return id + "." + base64.RawURLEncoding.EncodeToString(mac), nil
}

func tokenData(boot, session string) []byte { return []byte(boot + "\x00" + session) }

// Context returns a name of what a browser shows: another for each session, and for
// each browser without one. It is not a credential, and neither cookie can be
// computed from it, since both are random. No key is used, so that pages see the
// same name at every instance while a key is being replaced.
func Context(boot, session string) string {
	sum := sha256.Sum256([]byte("view context\x00" + boot + "\x00" + session))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// CheckOrigin returns ErrOrigin when the request was sent by a page of another
// origin. A request without the header is accepted only where required is false:
// browsers leave it out of reads.
func (p *Pages) CheckOrigin(b Browser, required bool) error {
	switch {
	case p == nil:
		return ErrUnavailable.Because(errNoPages)
	case b.Origin == "" && !required, slices.Contains(p.Origins, b.Origin):
		return nil
	}
	return ErrOrigin
}

// CheckWrite returns nil when a page of the service sent the request, in the browser
// whose cookies it shows; else ErrOrigin, ErrCSRF or ErrUnavailable.
func (p *Pages) CheckWrite(b Browser, session string) error {
	if err := p.CheckOrigin(b, true); err != nil {
		return err
	}
	if p.Keys == nil {
		return ErrUnavailable.Because(errNoPages)
	}
	id, text, ok := strings.Cut(b.Token, ".")
	if !ok || len(b.Token) > maxCredential || !IsBoot(b.Boot) {
		return ErrCSRF
	}
	mac, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || !p.Keys.Verify(csrfPurpose, id, tokenData(b.Boot, session), mac) {
		return ErrCSRF
	}
	return nil
}

var errNoPages = errors.New("no key for the tokens of pages is configured")
