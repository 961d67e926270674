package billing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
	"miramundo.dev/shared/wire/wiretest"
)

// A storedChain is a facilitator whose ledger survives the process: a document for
// each nonce that was used.
type storedChain struct{ db store.DB }

func (storedChain) nonce(p *x402.Payment) store.Path { return store.Path("nonces").Join(p.Key()) }

// Verify implements Facilitator.
func (storedChain) Verify(_ context.Context, p *x402.Payment, _ x402.Terms) (x402.Verdict, error) {
	return x402.Verdict{Valid: true, Payer: p.From}, nil
}

// Settle implements Facilitator.
func (c storedChain) Settle(ctx context.Context, p *x402.Payment, _ x402.Terms) (x402.Settlement, error) {
	killtest.Say("settle")
	err := c.db.Create(ctx, c.nonce(p), map[string]int{"used": 1})
	if errors.Is(err, store.ErrExists) {
		return x402.Settlement{Reason: x402.ReasonState}, nil
	}
	return x402.Settlement{Success: err == nil, Transaction: "0x1"}, err
}

// Trace implements Facilitator, without a node.
func (storedChain) Trace(context.Context, *x402.Payment, x402.Terms, time.Time) (facilitator.Fate, string, error) {
	return facilitator.Unknown, "", nil
}

// openWorld opens the embedded database in a folder as a world with a stored chain.
func openWorld(t *testing.T, dir string) (w *world, end func()) {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: dir, Now: wiretest.Epoch})
	if err != nil {
		t.Fatal(err)
	}
	w = newWorld(t, db)
	w.o.Facilitator = storedChain{db}
	return w, func() {
		if err := errors.Join(events.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// sellAll is the child process: it sells one chat pass after another to one owner.
func sellAll(t *testing.T, dir, owner string) {
	w, _ := openWorld(t, dir)
	o := chatOrder()
	o.Owner = identity.Owner(owner)
	for n := 1; ; n++ {
		killtest.Say("sell")
		if _, err := w.Sell(t.Context(), o, w.pay(signing{amount: tenCents, nonce: n, from: payerOf(owner)})); err != nil {
			t.Fatal(err)
		}
		killtest.Say("sold")
	}
}

// payerOf returns an address without letters for an owner g_N.
func payerOf(owner string) string {
	var n int
	_, _ = fmt.Sscanf(owner, "g_%d", &n)
	return fmt.Sprintf("0x%040d", 1000+n)
}

// TestKilled kills processes that sell, at random points. After the repair job each
// nonce that was used bought one pass, every sale that was answered is delivered, and
// no payment is left undecided.
func TestKilled(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		sellAll(t, args[0], args[1])
	}
	runs := 40
	if testing.Short() {
		runs = 5
	}
	dir, rnd := filepath.Join(t.TempDir(), "data"), rand.New(rand.NewPCG(4, 2))
	undecided := 0
	for run := range runs {
		owner, sold, heard, last := fmt.Sprintf("g_%d", run), 0, 0, 1+rnd.IntN(12)
		killtest.Run(t, killtest.Plan{
			Args: []string{dir, owner}, After: time.Duration(rnd.IntN(1500)) * time.Microsecond,
			Hear: func(line string) bool {
				if heard++; line == "sold" {
					sold++
				}
				return heard >= last
			},
		})
		undecided += checkKilled(t, dir, identity.Owner(owner), sold)
	}
	t.Logf("%d runs, %d payments were undecided when their process was killed", runs, undecided)
	if undecided == 0 && !testing.Short() { // a few runs may miss every sale
		t.Error("no process was killed within a sale")
	}
}

// checkKilled ends what a killed process left, checks it, and returns how many payments
// were undecided.
func checkKilled(t *testing.T, dir string, owner identity.Owner, sold int) (undecided int) {
	t.Helper()
	w, end := openWorld(t, dir)
	defer end()
	w.pass(time.Minute)
	for range 10 {
		got, err := w.Repair(t.Context())
		w.must(err)
		undecided += got.Delivered + got.Refused
		w.pass(maxBackoff)
	}
	used := 0
	for doc, err := range w.plain.Query(t.Context(), store.Query{Collection: payments}) {
		w.must(err)
		p := &payment{key: doc.ID}
		w.must(doc.Decode(p))
		found := w.plain.Get(t.Context(), store.Path("nonces").Join(doc.ID), &map[string]int{}) == nil
		if found != (p.State == Delivered) || !p.ended() {
			t.Errorf("a payment is %s; its nonce was used: %t", p.State, found)
		}
		if found && p.Purchase.Payer == payerOf(string(owner)) {
			used++
		}
	}
	passes, err := pass.Of(t.Context(), w.plain, owner)
	w.must(err)
	list, err := w.Purchases(t.Context(), owner)
	w.must(err)
	first := passes.ChatUntil.Add(-time.Duration(used) * month)
	if len(list) != used || used < sold || used > 0 && (first.Before(noon) || first.After(w.now())) {
		t.Errorf("%d nonces were used and %d sales answered; %d purchases, a pass until %v", used, sold, len(list), passes.ChatUntil)
	}
	return undecided
}
