// Package human verifies that a person filled in a form, by a provider of
// challenges.
//
// The form holds a widget of the provider, which gives the page a token once the
// visitor has passed its challenge. The page sends the token with the form, and
// [Verifier.Verify] asks the provider whether it is good, by the protocol
// "siteverify" that Turnstile, hCaptcha and reCAPTCHA share: a form with secret,
// response and remoteip is posted, and the answer is a JSON object whose member
// success is true or false. A token is good once and for some minutes. The provider
// enforces that, and callers record the tokens that they accepted by [Key], so that
// a provider that forgets does not let one challenge pay for many messages.
//
// A provider that does not answer, or answers nonsense, is [ErrUnavailable]: the
// form cannot be sent meanwhile, since a person cannot be distinguished from a
// program.
//
// # The widget
//
// A page shows the widget of [Widget] where it is set. It loads the script at
// Widget.Script, whose origin its content security policy must allow for script-src,
// frame-src and connect-src, and renders the widget into an element by the interface
// of Turnstile:
//
//	const id = turnstile.render(element, {sitekey, language, theme, callback(token) {…},
//	    "expired-callback"() {…}, "error-callback"() {…}});
//	turnstile.getResponse(id)   // the token, "" before there is one
//	turnstile.reset(id)         // after each answer of the service: a token is good once
//	turnstile.remove(id)
//
// The token is the member challenge_response, or cf-turnstile-response, of the body
// of POST /api/contact.
package human

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
)

// Faults of verifications.
var (
	// ErrRefused means that the token is not valid, has expired or was used.
	ErrRefused = fault.New(fault.Forbidden, "human_verification_failed")
	// ErrUnavailable means that no provider is configured, or that it does not
	// answer as it should. The token may still be good later.
	ErrUnavailable = fault.New(fault.Unavailable, "human_verification_unavailable").With("retry_after", 30)
)

const (
	// timeout bounds one call of the provider. A person waits for it.
	timeout = 5 * time.Second
	// maxAnswer is the largest answer that is read, in bytes. Real ones are below 1 KiB.
	maxAnswer = 16 << 10
	// MaxToken is the length of the longest token, as the providers document it.
	MaxToken = 2048
)

// A Widget is what a page needs to show a challenge.
type Widget struct {
	SiteKey string // public; names the site at the provider
	Script  string // address of the script that draws the widget
}

// Origin returns the origin of the script, for the content security policy of pages
// that show w; empty without a widget.
func (w Widget) Origin() string {
	u, err := url.Parse(w.Script)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Options are how a provider is reached. Its address is a setting of the operator, so
// the provider is called by an ordinary client and not by shared/origin, which is for
// addresses that strangers choose.
type Options struct {
	URL       string            // of siteverify; empty where no provider is configured
	Secret    string            // shared with the provider
	Host      string            // of the pages that show the widget; a token for another is refused
	Transport http.RoundTripper // nil: the default
}

// A Verifier asks one provider. Its methods may be called concurrently.
type Verifier struct {
	o      Options
	client *http.Client
}

// New returns a verifier. It does not call the provider.
func New(o Options) *Verifier {
	return &Verifier{o, &http.Client{
		Transport: o.Transport,
		Timeout:   timeout,
		// A redirect would send the secret to an address that nobody configured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Key returns a name of a token under which its use is recorded. The token cannot be
// computed from it.
func Key(token string) string {
	sum := sha256.Sum256([]byte("human\x00" + token))
	return hex.EncodeToString(sum[:])
}

// An answer is what the provider says of a token.
type answer struct {
	Success  *bool    `json:"success"`
	Hostname string   `json:"hostname"` // of the page that showed the widget
	Codes    []string `json:"error-codes"`
}

// Verify returns nil when the provider accepts a token that the caller at addr sent,
// ErrRefused when it does not, and ErrUnavailable when it cannot be asked. A token is
// used up by this.
func (v *Verifier) Verify(ctx context.Context, token string, addr netip.Addr) error {
	if v.o.URL == "" {
		return ErrUnavailable.Because(errors.New("HUMAN_VERIFY_URL is not set"))
	}
	if token == "" || len(token) > MaxToken {
		return ErrRefused.Because(errors.New("the token is empty or too long"))
	}
	form := url.Values{"secret": {v.o.Secret}, "response": {token}}
	if addr.IsValid() {
		form.Set("remoteip", addr.String())
	}
	a, err := v.ask(ctx, form)
	if err != nil {
		return ErrUnavailable.Because(err)
	}
	return v.judge(a)
}

// ask posts a form to the provider. Its errors hold neither the secret nor the token.
func (v *Verifier) ask(ctx context.Context, form url.Values) (a answer, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.o.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return a, errors.New("HUMAN_VERIFY_URL is not an address")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	res, err := v.client.Do(r)
	if err != nil {
		return a, fmt.Errorf("the provider does not answer: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return a, fmt.Errorf("the provider answers %d", res.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return a, fmt.Errorf("the provider breaks off: %w", err)
	}
	if len(body) > maxAnswer {
		return a, errors.New("the provider sends too much")
	}
	if err := json.Unmarshal(body, &a); err != nil || a.Success == nil {
		return a, errors.New("the provider sends no verdict")
	}
	return a, nil
}

// own are the codes by which a provider says that the service, and not the visitor, did
// something wrong, or that the provider itself failed.
var own = []string{"missing-input-secret", "invalid-input-secret", "bad-request", "internal-error", "sitekey-secret-mismatch"}

// judge returns the error that an answer stands for.
func (v *Verifier) judge(a answer) error {
	if *a.Success {
		if a.Hostname != "" && v.o.Host != "" && !strings.EqualFold(a.Hostname, v.o.Host) {
			return ErrRefused.Because(errors.New("the token is of another site"))
		}
		return nil
	}
	if i := slices.IndexFunc(a.Codes, func(code string) bool { return slices.Contains(own, code) }); i >= 0 {
		return ErrUnavailable.Because(errors.New("the provider says " + a.Codes[i]))
	}
	return ErrRefused.Because(errors.New("the provider refuses the token"))
}
