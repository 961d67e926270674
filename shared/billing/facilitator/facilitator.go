// Package facilitator is a client of the services that verify payments of x402 and
// settle them on the chain.
//
// The operator configures the facilitators, so they are called by an ordinary HTTP
// client and not by package origin, which guards against addresses that strangers
// choose. They are nevertheless not trusted: answers are bounded, redirects are not
// followed, and an answer that contradicts the payment is an error.
//
// Several facilitators stand in the order of preference, each with a circuit breaker.
// Verify changes nothing, so it asks the next one after any failure. Settle moves
// money, and a second facilitator must not begin what the first may have begun: the
// authorization moves money only once, but the second would then report a failure for
// a payment that was made. It goes to the next facilitator only when the first
// certainly began nothing:
//
//   - no connection was made, so the request was not sent;
//   - the answer was a status of 400 to 499 without a settlement, by which HTTP says
//     that a request was not carried out. 408 and 409 are excepted, since they are also
//     given to a request that is still being carried out;
//   - the facilitator answered that it does not serve the network, the scheme or the
//     version of the protocol.
//
// A status of 500 or more proves nothing: a gateway sends it too when the service
// behind it began and did not answer in time. The same is true of a failed settlement
// with the code unexpected_settle_error, which facilitators answer when they sent the
// transaction and lost sight of it.
package facilitator

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"miramundo.dev/shared/billing/x402"
)

// A timeouts is how long one service may take.
type timeouts struct {
	verify, settle, chain time.Duration
}

// Bounds on the calls to one service. A settlement takes the longest: a transaction is
// awaited for a few blocks. Real answers take under 1 KiB.
var defaultTimeouts = timeouts{verify: 5 * time.Second, settle: 20 * time.Second, chain: 5 * time.Second}

const maxAnswer = 64 << 10 // bytes

// maxBegun is how many payments with an unknown outcome a client remembers.
const maxBegun = 4096

// ErrNotTaken means that no facilitator took the payment: nothing was begun.
var ErrNotTaken = errors.New("facilitator: no facilitator took the payment")

var errNoVerdict = errors.New("facilitator: no facilitator verified the payment")

// Options configure a Client.
type Options struct {
	URLs []string         // of facilitators, without a trailing slash, in the order in which they are tried
	RPC  string           // of a JSON-RPC node of the network; empty: no node is asked
	HTTP *http.Client     // nil for one of its own; redirects are not followed
	Now  func() time.Time // nil for time.Now
	Log  *slog.Logger     // nil for slog.Default
}

// A Client verifies and settles payments. Its methods may be called concurrently.
type Client struct {
	services []*service
	rpc      string
	timeouts timeouts
	http     *http.Client
	now      func() time.Time
	log      *slog.Logger

	mu         sync.Mutex
	begun      map[string]*service // that may have begun to settle a payment, by Payment.Key
	rightChain bool                // the node was asked for its chain, and it is that of the asset
}

// A service is one facilitator.
type service struct {
	url, host string // host is for errors and the log; a URL may hold a key
	breaker   breaker
}

// New returns a client of the facilitators in o.
func New(o Options) *Client {
	c := &Client{
		rpc: o.RPC, timeouts: defaultTimeouts, http: &http.Client{Transport: fresh()}, now: o.Now,
		log: cmp.Or(o.Log, slog.Default()), begun: map[string]*service{},
	}
	if o.HTTP != nil {
		*c.http = *o.HTTP
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.now == nil {
		c.now = time.Now
	}
	for _, u := range o.URLs {
		c.services = append(c.services, &service{url: u, host: hostOf(u)})
	}
	return c
}

// fresh returns a transport that makes a connection for each request. A request on a
// connection that the service has closed meanwhile fails after it was sent, and so
// with an unknown outcome.
func fresh() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableKeepAlives = true
	return t
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// Verify asks whether a payment can be settled on terms that it matches. It asks the
// next facilitator when one does not answer, or answers nonsense; an error means that
// none answered.
func (c *Client) Verify(ctx context.Context, p *x402.Payment, t x402.Terms) (x402.Verdict, error) {
	errs := []error{errNoVerdict}
	for _, s := range c.services {
		if !s.breaker.allow(c.now()) {
			continue
		}
		v, err := c.verifyAt(ctx, s, p, t)
		if c.note(ctx, s, VerifyPath, p, err); err == nil {
			return v, nil
		}
		if ctx.Err() != nil {
			return x402.Verdict{}, err
		}
		errs = append(errs, err)
	}
	return x402.Verdict{}, errors.Join(errs...)
}

// Settle has a payment settled that matches terms and was verified. Success is false
// when a facilitator refused it with a reason.
//
// An error that is ErrNotTaken means that nothing was begun. After any other error the
// outcome is unknown; calling Settle again is safe, and goes to the same facilitator
// as long as this client remembers it. A refusal of such a repeated call does not
// prove that no money moved: facilitators check the balance first, so that a payer
// without further money is refused for insufficient funds after paying. [Client.Trace]
// decides.
//
// A cancelled ctx ends the wait and not the settlement; callers should pass one that
// outlives the request that they answer.
func (c *Client) Settle(ctx context.Context, p *x402.Payment, t x402.Terms) (x402.Settlement, error) {
	if s := c.begunAt(p); s != nil {
		settled, _, err := c.settleAt(ctx, s, p, t)
		return settled, err
	}
	errs := []error{ErrNotTaken}
	for _, s := range c.services {
		if !s.breaker.allow(c.now()) {
			continue
		}
		settled, begun, err := c.settleAt(ctx, s, p, t)
		if err == nil || begun {
			return settled, err
		}
		errs = append(errs, err)
	}
	return x402.Settlement{}, errors.Join(errs...)
}

// note records the outcome of a call in the breaker and in the log. A caller that gave
// up says nothing about the facilitator. Neither does a failure with a payment that a
// contract signed: the contract runs during the call and may make it fail, and anybody
// could keep the facilitator from other payers by it.
func (c *Client) note(ctx context.Context, s *service, path string, p *x402.Payment, err error) {
	if err != nil && (ctx.Err() != nil || len(p.Signature) != x402.SignatureSize) {
		return
	}
	if opened := s.breaker.note(c.now(), err == nil); opened {
		c.log.WarnContext(ctx, "facilitator is not called for a while", "host", s.host, "path", path, "err", err)
	}
}

func (c *Client) begunAt(p *x402.Payment) *service {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun[p.Key()]
}

// remember keeps or forgets which facilitator may have begun to settle p. When there
// are too many it forgets any other one.
func (c *Client) remember(p *x402.Payment, s *service, begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !begun {
		delete(c.begun, p.Key())
		return
	}
	for key := range c.begun {
		if len(c.begun) < maxBegun {
			break
		}
		delete(c.begun, key)
	}
	c.begun[p.Key()] = s
}
