// Package localnet plays the facilitator, the node and the chain for payments with
// test money on one machine: for the local stack and for tests.
//
// It checks payments as a real facilitator does, their signatures included, so that
// real clients can pay, and moves the money in a ledger of its own:
//
//	localnet_accounts/{address}    the balance of an account; "faucet" holds what is not given out
//	localnet_nonces/{payment}      that the authorization of a payment was used
//
// The endpoints are those of a facilitator (/supported, /verify, /settle), of a node
// (/rpc), and /faucet and /balance/{address} for people. POST /fault makes it fail in
// ways that tests of the callers ask for.
package localnet

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// Network is the network that is played: real wallets sign for it, and its money is
// worth nothing.
const Network = "base-sepolia"

// Paths beside those of a facilitator.
const (
	RPCPath    = "/rpc"
	FaucetPath = "/faucet"
)

// maxBody bounds the body of a request, in bytes.
const maxBody = 64 << 10

// A Net is a chain with its facilitator. Its state is in the database, so several may
// play the same chain, and it survives a restart; only the fault is its own.
type Net struct {
	ledger ledger
	asset  x402.Asset
	now    func() time.Time
	fault  switchboard
	mux    *http.ServeMux
}

// New returns the chain whose documents are in db.
func New(db store.DB, now func() time.Time) *Net {
	asset, _ := x402.AssetOf(Network)
	n := &Net{ledger: ledger{db}, asset: asset, now: now, mux: http.NewServeMux()}
	for pattern, h := range map[string]func(*http.Request) (any, error){
		"GET " + facilitator.SupportedPath: n.supported,
		"POST " + facilitator.VerifyPath:   n.verify,
		"POST " + facilitator.SettlePath:   n.settle,
		"POST " + RPCPath:                  n.rpc,
		"GET " + FaucetPath:                n.faucetHelp,
		"POST " + FaucetPath:               n.faucet,
		"GET /balance/{address}":           n.balance,
		"POST /fault":                      n.setFault,
	} {
		n.mux.HandleFunc(pattern, serve(h))
	}
	return n
}

func (n *Net) ServeHTTP(w http.ResponseWriter, r *http.Request) { n.mux.ServeHTTP(w, r) }

// A problem is an answer with a status other than 200.
type problem struct {
	status int
	text   string
}

func (p problem) Error() string { return p.text }

// serve answers with the JSON of a result, or with an error.
func serve(h func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		result, err := h(r)
		status := http.StatusOK
		if err != nil {
			status, result = http.StatusInternalServerError, map[string]string{"error": err.Error()}
			if p, ok := errors.AsType[problem](err); ok {
				status = p.status
			}
		}
		if page, ok := result.(text); ok {
			w.Write([]byte(page))
			return
		}
		body, err := json.Marshal(result)
		if err != nil {
			panic(err) // results are structs and maps of text and numbers
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write(append(body, '\n'))
	}
}

// A text is a result that is not JSON.
type text string

// read decodes the body of a request, which may be of any type, as curl sends it.
func read(r *http.Request, body any) error {
	err := json.NewDecoder(r.Body).Decode(body)
	if err == nil {
		return nil
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return problem{http.StatusRequestEntityTooLarge, "the body is too large"}
	}
	return problem{http.StatusBadRequest, "the body must be JSON of the documented form"}
}

// Balance returns the test money of an account.
func (n *Net) Balance(ctx context.Context, address string) (price.Amount, error) {
	return n.ledger.balance(ctx, address)
}

// Fund gives an account test money, without the limits of the faucet, and returns its
// balance. It fails when the faucet has not enough.
func (n *Net) Fund(ctx context.Context, address string, amount price.Amount) (price.Amount, error) {
	return n.ledger.fund(ctx, address, amount, Supply)
}

func (n *Net) supported(*http.Request) (any, error) {
	type kind struct {
		X402Version int    `json:"x402Version"`
		Scheme      string `json:"scheme"`
		Network     string `json:"network"`
	}
	return map[string]any{
		"kinds":      []kind{{1, x402.Exact, n.asset.Network}, {2, x402.Exact, n.asset.CAIP2}},
		"extensions": []string{}, "signers": map[string][]string{},
	}, nil
}

// Limits of the faucet, which keep a script from emptying it by mistake.
const (
	gift    = 1000 * price.Cent // that is given when the request names no amount
	maxGift = 2500 * price.Cent // in one request
	maxHeld = 10_000 * price.Cent
)

func (n *Net) faucetHelp(*http.Request) (any, error) {
	return text("Test money of this machine. POST {\"address\": \"0x…\", \"usd\": 10} to this address.\n"), nil
}

func (n *Net) faucet(r *http.Request) (any, error) {
	in := struct {
		Address string  `json:"address"`
		USD     float64 `json:"usd"`
	}{USD: float64(gift) / float64(100*price.Cent)}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	address, ok := x402.ParseAddress(in.Address)
	amount := price.Amount(math.Round(min(in.USD, 1e6) * float64(100*price.Cent)))
	switch {
	case !ok:
		return nil, problem{http.StatusBadRequest, "address must be 0x and 40 hexadecimal digits"}
	case amount <= 0 || amount > maxGift:
		return nil, problem{http.StatusBadRequest, "usd must be above 0 and at most " + maxGift.USD()}
	}
	held, err := n.ledger.fund(r.Context(), address, amount, maxHeld)
	if errors.Is(err, errHeld) || errors.Is(err, errEmpty) {
		return nil, problem{http.StatusTooManyRequests, err.Error()}
	}
	return wallet{address, held, held.USD()}, err
}

// A wallet is an account as people see it.
type wallet struct {
	Address string       `json:"address"`
	Balance price.Amount `json:"balance"` // in atomic units
	USD     string       `json:"usd"`
}

func (n *Net) balance(r *http.Request) (any, error) {
	address, ok := x402.ParseAddress(r.PathValue("address"))
	if !ok {
		return nil, problem{http.StatusBadRequest, "the address must be 0x and 40 hexadecimal digits"}
	}
	held, err := n.ledger.balance(r.Context(), address)
	return wallet{address, held, held.USD()}, err
}

// The terms of a request are compared with the network before the payment is compared
// with the terms: a facilitator serves many shops, and takes the receiver and the
// amount from the request, but the token and its domain only from its own list.

// terms reads the terms of a request to verify or settle, and returns the reason when
// they are not terms of this network.
func (n *Net) terms(version int, requirements json.RawMessage) (t x402.Terms, reason string) {
	var v1 x402.Requirement1
	var v2 x402.Requirement2
	switch version {
	case 1:
		if json.Unmarshal(requirements, &v1) != nil {
			return t, x402.ReasonRequirements
		}
		v2 = x402.Requirement2{Scheme: v1.Scheme, Network: v1.Network, Amount: v1.MaxAmountRequired, Asset: v1.Asset, PayTo: v1.PayTo, Extra: v1.Extra}
	case 2:
		if json.Unmarshal(requirements, &v2) != nil {
			return t, x402.ReasonRequirements
		}
	default:
		return t, x402.ReasonVersion
	}
	return n.termsOf(v2)
}

// termsOf returns the part of the terms that the check of a payment needs.
func (n *Net) termsOf(r x402.Requirement2) (t x402.Terms, reason string) {
	asset, known := x402.AssetOf(r.Network)
	payTo, isAddress := x402.ParseAddress(r.PayTo)
	token, _ := x402.ParseAddress(r.Asset)
	amount, err := strconv.ParseInt(r.Amount, 10, 64)
	switch {
	case r.Scheme != x402.Exact:
		return t, x402.ReasonScheme
	case !known || asset != n.asset:
		return t, x402.ReasonNetwork
	case !isAddress || token != n.asset.Address || err != nil || amount <= 0 || r.Extra != (x402.Domain{Name: asset.Name, Version: asset.Version}):
		return t, x402.ReasonRequirements
	}
	return x402.Terms{Amount: price.Amount(amount), Asset: n.asset, PayTo: payTo}, ""
}
