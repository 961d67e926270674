package facilitator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/billing/x402"
)

// Paths of a facilitator, below its URL.
const (
	VerifyPath    = "/verify"
	SettlePath    = "/settle"
	SupportedPath = "/supported"
)

// A Request is the body of a call to verify or settle a payment.
type Request struct {
	X402Version         int             `json:"x402Version"`
	PaymentPayload      json.RawMessage `json:"paymentPayload"`
	PaymentRequirements json.RawMessage `json:"paymentRequirements"`
}

// An answer is what came back from a call.
type answer struct {
	status int
	body   []byte
}

// verifyAt asks one facilitator, and checks its answer against the payment.
func (c *Client) verifyAt(ctx context.Context, s *service, p *x402.Payment, t x402.Terms) (x402.Verdict, error) {
	a, _, err := c.ask(ctx, s, VerifyPath, c.timeouts.verify, p, t)
	if err != nil {
		return x402.Verdict{}, err
	}
	var in struct {
		Valid *bool `json:"isValid"`
		x402.Verdict
	}
	switch err := json.Unmarshal(a.body, &in); {
	case err != nil || in.Valid == nil:
		return x402.Verdict{}, s.problem(a, "no verdict")
	case a.status >= 500, *in.Valid && a.status != http.StatusOK:
		return x402.Verdict{}, s.problem(a, "a verdict that contradicts the status")
	case !samePayer(in.Payer, p):
		return x402.Verdict{}, s.problem(a, "a verdict on another payer")
	case !*in.Valid && in.Reason == x402.ReasonVerifyError:
		return x402.Verdict{}, s.problem(a, "a failure of its own")
	case !*in.Valid && slices.Contains(unserved, in.Reason):
		return x402.Verdict{}, s.problem(a, in.Reason)
	}
	v := x402.Verdict{Valid: *in.Valid, Payer: p.From}
	if !v.Valid {
		v.Reason = code(in.Reason, x402.ReasonPayload)
	}
	return v, nil
}

// settleAt has one facilitator settle a payment. After an error, begun reports whether
// it may have begun.
func (c *Client) settleAt(ctx context.Context, s *service, p *x402.Payment, t x402.Terms) (settled x402.Settlement, begun bool, err error) {
	a, sent, err := c.ask(ctx, s, SettlePath, c.timeouts.settle, p, t)
	begun = sent
	if err == nil {
		settled, begun, err = s.settlement(a, p, t)
	}
	c.note(ctx, s, SettlePath, p, err)
	if err == nil || begun {
		c.remember(p, s, begun && err != nil)
	}
	return settled, begun, err
}

// unserved are the reasons by which a facilitator says that it does not serve what our
// terms ask for. The payment is not to blame: it matches them.
var unserved = []string{x402.ReasonNetwork, x402.ReasonScheme, x402.ReasonVersion, "invalid_scheme"}

// transaction matches the hash of a transaction.
var transaction = regexp.MustCompile(`^0x[0-9a-fA-F]{64}$`)

// settlement reads an answer. After an error, begun reports whether the facilitator
// may have begun to settle.
func (s *service) settlement(a answer, p *x402.Payment, t x402.Terms) (settled x402.Settlement, begun bool, err error) {
	var in struct {
		Success *bool `json:"success"`
		x402.Settlement
	}
	decoded := json.Unmarshal(a.body, &in) == nil && in.Success != nil
	asset, _ := x402.AssetOf(in.Network)
	switch {
	case !decoded:
		return settled, !refusesRequest(a.status), s.problem(a, "no settlement")
	case a.status >= 500, *in.Success && a.status != http.StatusOK:
		return settled, true, s.problem(a, "a settlement that contradicts the status")
	case !samePayer(in.Payer, p):
		return settled, true, s.problem(a, "a settlement of another payer")
	case !*in.Success && in.Reason == x402.ReasonSettleError:
		return settled, true, s.problem(a, "a failure of its own")
	case !*in.Success && slices.Contains(unserved, in.Reason):
		return settled, false, s.problem(a, in.Reason)
	case !*in.Success: // without a readable reason it must not look like a nonce that was used
		return x402.Settlement{Reason: code(in.Reason, x402.ReasonPayload), Payer: p.From, Network: t.Asset.Network}, false, nil
	case asset != t.Asset:
		return settled, true, s.problem(a, "a settlement on another network")
	case !transaction.MatchString(in.Transaction):
		return settled, true, s.problem(a, "a settlement without a transaction")
	}
	return x402.Settlement{Success: true, Payer: p.From, Transaction: strings.ToLower(in.Transaction), Network: t.Asset.Network}, false, nil
}

// refusesRequest reports whether a status means that a request was not carried out.
func refusesRequest(status int) bool {
	return status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusConflict
}

// samePayer reports whether an answer names the payer of p, or nobody.
func samePayer(payer string, p *x402.Payment) bool {
	return payer == "" || strings.EqualFold(payer, p.From)
}

// word matches what may be shown to callers as a code.
var word = regexp.MustCompile(`^[a-z0-9_]{1,100}$`)

// code returns a code that a facilitator gave, or another when it is not a word.
func code(given, other string) string {
	if word.MatchString(given) {
		return given
	}
	return other
}

// problem describes an answer by its status and size: the text may come from anywhere.
func (s *service) problem(a answer, what string) error {
	return fmt.Errorf("facilitator %s: status %d with %d bytes: %s", s.host, a.status, len(a.body), what)
}

// ask sends a payment and its terms to one facilitator. After an error, sent reports
// whether it may have received them.
func (c *Client) ask(ctx context.Context, s *service, path string, timeout time.Duration, p *x402.Payment, t x402.Terms) (a answer, sent bool, err error) {
	var requirements any = t.V1()
	if p.X402Version == 2 {
		requirements = t.V2()
	}
	terms, err := json.Marshal(requirements)
	if err != nil {
		return a, false, err
	}
	body, err := json.Marshal(Request{p.X402Version, p.Raw, terms})
	if err != nil {
		return a, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	a, sent, err = c.post(ctx, s.url+path, body, maxAnswer)
	if err != nil {
		err = fmt.Errorf("facilitator %s%s: %w", s.host, path, err)
	}
	return a, sent, err
}

// post sends JSON and reads an answer of at most limit bytes. After an error, sent
// reports whether a connection was made, and so the body may have been received.
func (c *Client) post(ctx context.Context, address string, body []byte, limit int) (a answer, sent bool, err error) {
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return a, false, errors.New("the address is not a URL")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(r)
	if err != nil {
		return a, connected.Load(), withoutURL(err)
	}
	defer resp.Body.Close()
	a.status = resp.StatusCode
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	switch {
	case err != nil:
		return a, true, withoutURL(err)
	case len(a.body) > limit:
		return a, true, fmt.Errorf("status %d with more than %d bytes", a.status, limit)
	}
	return a, true, nil
}

// withoutURL removes the URL from an error of the HTTP client: the addresses of some
// services hold a key.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
