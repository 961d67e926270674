package billing

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const (
	guest = identity.Owner("g_1")
	payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	payer = "0x857b06519E91e3A54538791bDbb0E22373e36b66"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// A world is a Till before a database and a chain of which each can fail.
type world struct {
	t *testing.T
	*Till
	chain   *chain
	plain   store.DB          // as it is stored
	db      *storetest.Faulty // of which single calls fail
	process *storetest.Switch // which dies between two writes
	meter   *storetest.Meter

	mu    sync.Mutex
	clock time.Time // guarded by mu
	sales int       // that the Till reported; guarded by mu
	nonce int
}

// newWorld returns a world on a database.
func newWorld(t *testing.T, plain store.DB) *world {
	w := &world{t: t, plain: plain, clock: noon}
	w.chain = &chain{now: w.now, used: map[string]bool{}, canceled: map[string]bool{}, rpc: true}
	w.meter = storetest.NewMeter(plain)
	w.process = storetest.NewSwitch(w.meter)
	w.db = storetest.NewFaulty(w.process)
	asset, _ := x402.AssetOf("base-sepolia")
	w.Till = New(Options{
		DB: sealed.DB(w.db, keyringtest.Ring(strings.Repeat("k", 32))), Facilitator: w.chain, Asset: asset, PayTo: payTo,
		Log: slog.New(slog.DiscardHandler), Now: w.now, Sold: w.sold,
	})
	return w
}

func (w *world) sold(price.Product) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sales++
}

// reported checks how many sales the Till has reported.
func (w *world) reported(want int) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sales != want {
		w.t.Errorf("%d sales are reported, want %d", w.sales, want)
	}
}

// each runs a test on a world on each backend.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) { test(t, newWorld(t, db)) })
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

// pass lets time go by.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// A signing is what a client signs. The zero value of a field stands for the usual.
type signing struct {
	version int
	network string
	from    string
	to      string
	amount  price.Amount
	after   time.Time
	before  time.Time
	nonce   int
}

// pay returns the credentials of a call with a payment. Its signature is that of a
// contract, which only a facilitator verifies.
func (w *world) pay(s signing) identity.Credentials {
	if s.nonce == 0 {
		w.nonce++
		s.nonce = w.nonce
	}
	if s.after.IsZero() {
		s.after = w.now().Add(-10 * time.Minute)
	}
	if s.before.IsZero() {
		s.before = w.now().Add(timeout)
	}
	asset, _ := x402.AssetOf("base-sepolia")
	text := func(given, usual string) string {
		if given == "" {
			return usual
		}
		return given
	}
	inner := map[string]any{
		"signature": fmt.Sprintf("0x%0140x", s.nonce),
		"authorization": map[string]any{
			"from": text(s.from, payer), "to": text(s.to, payTo), "value": fmt.Sprint(int64(s.amount)),
			"validAfter": fmt.Sprint(s.after.Unix()), "validBefore": fmt.Sprint(s.before.Unix()), "nonce": fmt.Sprintf("0x%064x", s.nonce),
		},
	}
	payload := map[string]any{"x402Version": 1, "scheme": "exact", "network": text(s.network, asset.Network), "payload": inner}
	if s.version == 2 {
		payload = map[string]any{"x402Version": 2, "payload": inner, "accepted": map[string]any{
			"scheme": "exact", "network": text(s.network, asset.CAIP2), "amount": fmt.Sprint(int64(s.amount)), "asset": asset.Address, "payTo": payTo,
		}}
	}
	b, err := json.Marshal(payload)
	w.must(err)
	header := base64.StdEncoding.EncodeToString(b)
	if s.version == 2 {
		return identity.Credentials{Signature: header}
	}
	return identity.Credentials{Payment: header}
}

// A chain is a facilitator with its ledger.
type chain struct {
	now func() time.Time

	mu       sync.Mutex
	used     map[string]bool // nonces by payer
	canceled map[string]bool // nonces that their payers have used otherwise
	received price.Amount    // by payTo
	verifies int
	settles  int

	// Faults, each nil or false when it does not happen.
	behind  bool                                                         // the node does not show what was used
	rpc     bool                                                         // the chain can be asked
	rpcErr  error                                                        // of the question
	verify  func() (x402.Verdict, error)                                 // instead of the right answer
	settle  func(settle func() x402.Settlement) (x402.Settlement, error) // instead of the right answer
	settled []string                                                     // nonces in the order of their transfers
}

// Verify implements Facilitator.
func (c *chain) Verify(_ context.Context, p *x402.Payment, t x402.Terms) (x402.Verdict, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.verifies++
	if c.verify != nil {
		return c.verify()
	}
	return x402.Verdict{Valid: true, Payer: p.From}, nil
}

// Settle implements Facilitator.
func (c *chain) Settle(_ context.Context, p *x402.Payment, t x402.Terms) (x402.Settlement, error) {
	c.mu.Lock()
	c.settles++
	fails := c.settle
	c.mu.Unlock()
	if fails != nil {
		return fails(func() x402.Settlement { return c.transfer(p, t) })
	}
	return c.transfer(p, t), nil
}

// transfer settles a payment on the chain.
func (c *chain) transfer(p *x402.Payment, t x402.Terms) x402.Settlement {
	c.mu.Lock()
	defer c.mu.Unlock()
	failed := func(reason string) x402.Settlement {
		return x402.Settlement{Reason: reason, Payer: p.From, Network: p.Network}
	}
	id := p.Key()
	switch {
	case p.To != t.PayTo || p.Value != t.Amount:
		return failed(x402.ReasonRequirements)
	case c.used[id], c.canceled[id]:
		return failed(x402.ReasonState)
	case !c.now().Before(p.ValidBefore):
		return failed(x402.ReasonTooLate)
	}
	c.used[id] = true
	c.received += p.Value
	c.settled = append(c.settled, id)
	return x402.Settlement{Success: true, Payer: p.From, Network: p.Network, Transaction: "0x" + id}
}

// Trace implements Facilitator.
func (c *chain) Trace(_ context.Context, p *x402.Payment, _ x402.Terms, since time.Time) (facilitator.Fate, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.rpcErr != nil:
		return facilitator.Unused, "", c.rpcErr
	case !c.rpc:
		return facilitator.Unknown, "", nil
	case since.IsZero():
		return facilitator.Unused, "", errors.New("the chain was not told since when to search")
	case c.behind && c.now().Before(p.ValidBefore):
		return facilitator.Unused, "", nil
	case c.canceled[p.Key()]:
		return facilitator.Void, "", nil
	case c.used[p.Key()]:
		return facilitator.Paid, "0x" + p.Key(), nil
	case !c.now().Before(p.ValidBefore):
		return facilitator.Void, "", nil
	}
	return facilitator.Unused, "", nil
}

// cancel uses the nonce of a payment without a transfer to the receiver.
func (c *chain) cancel(p *x402.Payment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.canceled[p.Key()] = true
}

// chatOrder is an order of a chat pass.
func chatOrder() Order {
	return Order{
		Products: []price.Product{price.ChatPass}, Route: "POST /api/chat/pass", URL: "https://mira.example/api/chat/pass", Owner: guest,
	}
}

// creditOrder is an order of a credit.
func creditOrder() Order {
	return Order{
		Products: []price.Product{price.Credit1, price.Credit5}, Route: "POST /api/credits", URL: "https://mira.example/api/credits", Owner: guest,
	}
}

// networkOrder is an order of a network pass.
func networkOrder() Order {
	return Order{
		Products: []price.Product{price.Network30, price.Network90, price.Network365}, Route: "GET /hls", URL: "https://hop.example/hls", Network: "n1",
	}
}

// contactOrder is an order of a message.
func contactOrder(text string) Order {
	return Order{
		Products: []price.Product{price.Contact}, Route: "POST /api/contact", URL: "https://mira.example/api/contact", Data: []byte(text),
	}
}

// reasonOf returns the code of a fault and its field reason.
func reasonOf(err error) (code, reason string) {
	f := fault.From(err)
	reason, _ = f.Fields["reason"].(string)
	return f.Code, reason
}

// receiptOf returns the receipt in a fault.
func receiptOf(err error) Receipt {
	r, _ := fault.From(err).Fields["receipt"].(Receipt)
	return r
}

var errSilent = errors.New("no answer")

// contextOf returns a context that the test can cancel.
func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}
