package billing

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const tenCents = 10 * price.Cent

// otherPayer is not the payer of any payment.
const otherPayer = "0x0000000000000000000000000000000000000001"

// TestRefusals checks the answer to each payment that does not pay, and that nothing
// is stored or charged.
func TestRefusals(t *testing.T) {
	verdict := func(v x402.Verdict, err error) func(*world) {
		return func(w *world) { w.chain.verify = func() (x402.Verdict, error) { return v, err } }
	}
	for _, test := range []struct {
		name         string
		pay          signing
		with         func(*world)
		code, reason string
	}{
		{"another amount", signing{amount: 9 * price.Cent}, nil, "payment_refused", x402.ReasonAmount},
		{"another network", signing{amount: tenCents, network: "base"}, nil, "payment_refused", x402.ReasonNetwork},
		{"an unknown network", signing{amount: tenCents, network: "solana"}, nil, "payment_refused", x402.ReasonNetwork},
		{"another receiver", signing{amount: tenCents, to: otherPayer}, nil, "payment_refused", x402.ReasonRecipient},
		{"expired", signing{amount: tenCents, before: noon.Add(-time.Second)}, nil, "payment_refused", x402.ReasonTooLate},
		{"not yet valid", signing{amount: tenCents, after: noon.Add(time.Minute)}, nil, "payment_refused", x402.ReasonTooEarly},
		{"without funds", signing{amount: tenCents}, verdict(x402.Verdict{Reason: x402.ReasonFunds}, nil), "payment_refused", x402.ReasonFunds},
		{"not valid, without a reason", signing{amount: tenCents}, verdict(x402.Verdict{}, nil), "payment_refused", x402.ReasonVerifyError},
		{"verified by nobody", signing{amount: tenCents}, verdict(x402.Verdict{}, errSilent), "pass_unavailable", ""},
		{"verified for another payer", signing{amount: tenCents}, verdict(x402.Verdict{Valid: true, Payer: otherPayer}, nil), "pass_unavailable", ""},
		{"looked up in vain", signing{amount: tenCents}, func(w *world) { w.db.Fail(1, false) }, "pass_unavailable", ""},
		{"not reserved", signing{amount: tenCents}, func(w *world) { w.db.Fail(2, false) }, "pass_unavailable", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, wiretest.OpenDB(t))
			if test.with != nil {
				test.with(w)
			}
			_, err := w.Sell(t.Context(), chatOrder(), w.pay(test.pay))
			if code, reason := reasonOf(err); code != test.code || reason != test.reason {
				t.Errorf("%s with the reason %q, want %s with %q (%v)", code, reason, test.code, test.reason, err)
			}
			if offer, ok := fault.From(err).Fields["accepts"].(x402.Offer); test.code == "payment_refused" && (!ok || len(offer.Terms) != 1) {
				t.Errorf("the fault has the fields %v", fault.From(err).Fields)
			}
			if n, err := w.plain.Count(t.Context(), store.Query{Collection: payments}); n != 0 || err != nil || w.chain.settles != 0 {
				t.Errorf("%d payments are stored, %v; %d were sent to be settled", n, err, w.chain.settles)
			}
		})
	}
}

// TestWithoutPayment checks the answers to calls that show nothing that can be read.
func TestWithoutPayment(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	for _, test := range []struct {
		name  string
		order Order
		shown identity.Credentials
		want  error
	}{
		{"nothing", networkOrder(), identity.Credentials{}, price.ErrRequired},
		{"a broken header", chatOrder(), identity.Credentials{Payment: "%%%"}, price.ErrMalformed},
		{"a broken header and a credit", chatOrder(), identity.Credentials{Payment: "%%%", Credit: "cred_x"}, price.ErrMalformed},
		{"a credit for a credit", creditOrder(), identity.Credentials{Credit: "cred_" + strings.Repeat("a", 40)}, price.ErrRequired},
		{"a malformed credit", chatOrder(), identity.Credentials{Credit: "cred_../../x"}, price.ErrRefused},
		{"an unknown credit", chatOrder(), identity.Credentials{Credit: "cred_" + strings.Repeat("a", 40)}, price.ErrRefused},
	} {
		_, err := w.Sell(t.Context(), test.order, test.shown)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if _, reason := reasonOf(err); errors.Is(test.want, price.ErrRefused) && reason != ReasonUnknownCredit {
			t.Errorf("%s: the reason is %q", test.name, reason)
		}
	}
	o := creditOrder()
	o.Credit = "cred_" + strings.Repeat("a", 40)
	_, err := w.Sell(t.Context(), o, w.pay(signing{amount: 100 * price.Cent}))
	if _, reason := reasonOf(err); !errors.Is(err, price.ErrRefused) || reason != ReasonUnknownCredit {
		t.Errorf("an unknown credit is topped up: %v", err)
	}
	if w.chain.verifies != 0 {
		t.Errorf("%d payments were verified", w.chain.verifies)
	}
}

// TestOrders checks that an order without what its delivery needs is a defect, and
// that a free till sells nothing.
func TestOrders(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	for name, change := range map[string]func(*Order){
		"no product":            func(o *Order) { o.Products = nil },
		"a chat pass for none":  func(o *Order) { o.Owner = "" },
		"a network without one": func(o *Order) { o.Products = []price.Product{price.Network30} },
		"no message":            func(o *Order) { o.Products = []price.Product{price.Contact} },
		"a credit for none":     func(o *Order) { o.Products, o.Owner = []price.Product{price.Credit1}, "" },
		"too much data":         func(o *Order) { o.Data = make([]byte, MaxData+1) },
	} {
		o := chatOrder()
		change(&o)
		if _, err := w.Sell(t.Context(), o, w.pay(signing{amount: tenCents})); err == nil || fault.From(err).Kind != fault.Internal {
			t.Errorf("%s: %v, want a defect", name, err)
		}
	}
	for _, free := range []*Till{nil, New(Options{})} {
		if _, err := free.Sell(t.Context(), chatOrder(), w.pay(signing{amount: tenCents})); !errors.Is(err, price.ErrUnavailable) || !free.Free() {
			t.Errorf("a free till sells: %v", err)
		}
	}
	if w.chain.verifies != 0 {
		t.Errorf("%d payments were verified", w.chain.verifies)
	}
}

// TestUsedPayment shows a payment that has bought something once more: for another
// route, owner, network, message and credit, and as another authorization with the
// same nonce.
func TestUsedPayment(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := signing{amount: tenCents, nonce: 77}
		first, err := w.Sell(t.Context(), chatOrder(), w.pay(s))
		w.must(err)
		for name, change := range map[string]func(*Order){
			"route":   func(o *Order) { o.Route = "POST /api/chat/x/mensagens" },
			"owner":   func(o *Order) { o.Owner = "g_2" },
			"network": func(o *Order) { o.Network = "n2" },
			"body":    func(o *Order) { o.Data = []byte("other") },
			"credit":  func(o *Order) { o.Credit = "cred_" + strings.Repeat("a", 40) },
		} {
			o := chatOrder()
			change(&o)
			sale, err := w.Sell(t.Context(), o, w.pay(s))
			if code, reason := reasonOf(err); code != "payment_refused" || reason != ReasonUsed {
				t.Errorf("another %s: %+v, %v", name, sale, err)
			}
		}
		other := s
		other.before = noon.Add(time.Hour)
		if _, err := w.Sell(t.Context(), chatOrder(), w.pay(other)); !errors.Is(err, price.ErrRefused) {
			t.Errorf("another authorization with the same nonce: %v", err)
		}
		w.pass(24 * time.Hour) // it has expired meanwhile
		s.after, s.before = noon.Add(-10*time.Minute), noon.Add(timeout)
		if again, err := w.Sell(t.Context(), chatOrder(), w.pay(s)); err != nil || again.Receipt.ID != first.Receipt.ID {
			t.Errorf("a day later: %+v, %v", again, err)
		}
		if len(w.chain.settled) != 1 {
			t.Errorf("%d transfers", len(w.chain.settled))
		}
	})
}

// settle is how a facilitator answers a settlement.
type settle = func(settle func() x402.Settlement) (x402.Settlement, error)

func lost(settle func() x402.Settlement) (x402.Settlement, error) {
	settle()
	return x402.Settlement{}, errSilent
}

func unsent(func() x402.Settlement) (x402.Settlement, error) { return x402.Settlement{}, errSilent }

func notTaken(func() x402.Settlement) (x402.Settlement, error) {
	return x402.Settlement{}, facilitator.ErrNotTaken
}

func declined(func() x402.Settlement) (x402.Settlement, error) {
	return x402.Settlement{Reason: x402.ReasonFunds}, nil
}

func denied(settle func() x402.Settlement) (x402.Settlement, error) {
	settle()
	return x402.Settlement{Reason: x402.ReasonFunds}, nil
}

func unexpected(settle func() x402.Settlement) (x402.Settlement, error) {
	settle()
	return x402.Settlement{Reason: x402.ReasonSettleError}, nil
}

func lying(settle func() x402.Settlement) (x402.Settlement, error) {
	s := settle()
	s.Payer = otherPayer
	return s, nil
}

func bare(settle func() x402.Settlement) (x402.Settlement, error) {
	s := settle()
	s.Transaction = ""
	return s, nil
}

// A node is what can be asked about the chain.
type node string

const (
	noNode  node = ""
	current node = "that is current"
	behind  node = "that is behind"
	silent  node = "that is silent"
)

// TestSettlements lets facilitators fail in each way: the answer, whether the same
// call later gets the pass, and what the repair job makes of it when nobody calls.
func TestSettlements(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault settle
		node  node
		code  string // of the first answer; empty for a pass
		state State  // in its receipt
		again string // the code of the same call later; empty for a pass
		later State  // after the repair job, when the facilitator is well and hours have passed
	}{
		{"lost", lost, noNode, "payment_pending", Settling, "", Delivered},
		{"lost, with a node", lost, current, "payment_pending", Settling, "", Delivered},
		{"not sent", unsent, noNode, "payment_pending", Settling, "", Open},
		{"not sent, with a node", unsent, current, "payment_pending", Settling, "", Refused},
		{"not taken", notTaken, noNode, "pass_unavailable", "", "", Refused},
		{"declined", declined, noNode, "payment_refused", "", "payment_refused", Refused},
		{"unexpected", unexpected, noNode, "payment_pending", Settling, "", Delivered},
		{"denied", denied, noNode, "payment_refused", "", "payment_refused", Refused},
		{"denied, with a node", denied, current, "", "", "", Delivered},
		{"denied, with a node", denied, behind, "payment_refused", "", "payment_refused", Open},
		{"denied, with a node", denied, silent, "payment_pending", Settling, "", Delivered},
		{"declined, with a node", declined, current, "payment_refused", "", "payment_refused", Refused},
		{"declined, with a node", declined, silent, "payment_pending", Settling, "", Refused},
		{"of another payer", lying, noNode, "payment_pending", Settling, "", Delivered},
		{"without a transaction", bare, noNode, "payment_pending", Settling, "", Delivered},
	} {
		t.Run(strings.TrimSpace(test.name+" "+string(test.node)), func(t *testing.T) {
			for _, repaired := range []bool{false, true} {
				w := newWorld(t, wiretest.OpenDB(t))
				w.chain.rpc, w.chain.behind, w.chain.settle = test.node != noNode, test.node == behind, test.fault
				if test.node == silent {
					w.chain.rpcErr = errSilent
				}
				c := w.pay(signing{amount: tenCents})
				_, err := w.Sell(t.Context(), chatOrder(), c)
				if code, _ := reasonOf(err); err == nil && test.code != "" || err != nil && (code != test.code || receiptOf(err).State != test.state) {
					t.Errorf("%v with the receipt %+v, want %s", err, receiptOf(err), test.code)
				}
				w.chain.behind, w.chain.settle, w.chain.rpcErr = false, nil, nil
				if repaired {
					w.pass(2 * time.Hour)
					w.repairAll()
					w.is(c, test.later)
					continue
				}
				sale, err := w.Sell(t.Context(), chatOrder(), c)
				if code, _ := reasonOf(err); err != nil && code != test.again || err == nil && (test.again != "" || !sale.Until.Equal(noon.Add(month))) {
					t.Errorf("again: %+v, %v", sale, err)
				}
			}
		})
	}
}

// repairAll runs the repair job until no payment is due.
func (w *world) repairAll() (last Repaired) {
	w.t.Helper()
	for range 20 {
		var err error
		last, err = w.Repair(w.t.Context())
		w.must(err)
		if last.Pending == 0 && last.Delivered == 0 && last.Refused == 0 {
			return last
		}
		w.pass(maxBackoff)
	}
	return last
}

// of returns the stored payment of credentials.
func (w *world) of(c identity.Credentials) *payment {
	w.t.Helper()
	signed, err := x402.Parse(c.Payment, c.Signature)
	w.must(err)
	p := &payment{key: signed.Key()}
	w.must(w.plain.Get(w.t.Context(), p.path(), p))
	return p
}

// is checks the state of a payment, and that what ended keeps no payload.
func (w *world) is(c identity.Credentials, want State) {
	w.t.Helper()
	p := w.of(c)
	if p.State != want {
		w.t.Errorf("the payment is %s after %d attempts, want %s", p.State, p.Attempts, want)
	}
	if p.ended() && (p.Payload != "" || p.Order != order{} || p.ExpireAt == nil) {
		w.t.Errorf("the payment keeps %+v", p)
	}
}

// TestNotRecorded fails the transaction that delivers: the call answers so, and the
// repair job and the same call deliver.
func TestNotRecorded(t *testing.T) {
	for _, repaired := range []bool{false, true} {
		for _, done := range []bool{false, true} {
			w := newWorld(t, wiretest.OpenDB(t))
			c := w.pay(signing{amount: tenCents})
			w.db.Fail(4, done) // find, reserve, begin, conclude
			_, err := w.Sell(t.Context(), chatOrder(), c)
			r := receiptOf(err)
			if !errors.Is(err, price.ErrNotRecorded) || r.State != Settled || r.Transaction == "" || r.ID == "" {
				t.Errorf("%v with the receipt %+v", err, r)
			}
			w.db.Fail(0, false)
			w.pass(leaseFor)
			if repaired {
				w.repairAll()
			}
			sale, err := w.Sell(t.Context(), chatOrder(), c)
			if err != nil || sale.Receipt.ID != r.ID || sale.Receipt.State != Delivered || !sale.Until.After(noon) {
				t.Errorf("again: %+v, %v", sale, err)
			}
			if len(w.chain.settled) != 1 {
				t.Errorf("%d transfers", len(w.chain.settled))
			}
		}
	}
}

// TestBusy repeats a call while its first settlement runs: the second waits for it,
// and does not settle.
func TestBusy(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	c := w.pay(signing{amount: tenCents})
	began, finish := make(chan struct{}), make(chan struct{})
	var entered atomic.Bool
	w.chain.settle = func(settle func() x402.Settlement) (x402.Settlement, error) {
		if entered.CompareAndSwap(false, true) {
			close(began)
			<-finish
		}
		return settle(), nil
	}
	first := make(chan error, 1)
	go func() {
		_, err := w.Sell(t.Context(), chatOrder(), c)
		first <- err
	}()
	<-began
	if _, err := w.Sell(t.Context(), chatOrder(), c); !errors.Is(err, price.ErrPending) || receiptOf(err).State != Settling {
		t.Errorf("beside the first call: %v", err)
	}
	if got, err := w.Repair(t.Context()); err != nil || got != (Repaired{}) {
		t.Errorf("the repair job takes it up: %+v, %v", got, err)
	}
	close(finish)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if w.chain.settles != 1 {
		t.Errorf("%d settlements", w.chain.settles)
	}
}

// TestTwice concludes two attempts to settle one payment, as when the first process
// stopped for longer than its lease: the second finds what the first delivered.
func TestTwice(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	c := w.pay(signing{amount: tenCents})
	w.chain.settle = unsent
	_, _ = w.Sell(t.Context(), chatOrder(), c)
	signed, err := x402.Parse(c.Payment, "")
	w.must(err)
	slow, mine, err := w.begin(t.Context(), signed.Key())
	if err != nil || !mine {
		t.Fatalf("%t, %v", mine, err)
	}
	w.pass(leaseFor)
	w.chain.settle = nil
	first, err := w.Sell(t.Context(), chatOrder(), c)
	w.must(err)
	for _, result := range []outcome{{state: Delivered}, {state: Refused}, {state: Settling}, {state: Open}} {
		after, err := w.conclude(t.Context(), slow, result)
		if err != nil || after.State != Delivered || !after.sale().Until.Equal(first.Until) {
			t.Errorf("%s: %+v, %v", result.state, after, err)
		}
	}
}

// TestCanceled checks that a call which the client left is completed.
func TestCanceled(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	c := w.pay(signing{amount: tenCents})
	ctx, cancel := contextOf(t)
	w.chain.settle = func(settle func() x402.Settlement) (x402.Settlement, error) {
		cancel()
		return settle(), nil
	}
	if sale, err := w.Sell(ctx, chatOrder(), c); err != nil || !sale.Charged {
		t.Errorf("%+v, %v", sale, err)
	}
	w.is(c, Delivered)
}

// TestAbandoned reserves a payment and loses its call: the job refuses it, nothing was
// charged, and the same call is refused too.
func TestAbandoned(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	c := w.pay(signing{amount: tenCents})
	w.db.Fail(2, true)
	if _, err := w.Sell(t.Context(), chatOrder(), c); !errors.Is(err, price.ErrUnavailable) {
		t.Fatal(err)
	}
	w.is(c, Reserved)
	w.pass(firstTry - 1)
	if got, err := w.Repair(t.Context()); err != nil || got != (Repaired{}) {
		t.Errorf("too early: %+v, %v", got, err)
	}
	w.pass(1)
	if got, err := w.Repair(t.Context()); err != nil || got != (Repaired{Refused: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	w.is(c, Refused)
	_, err := w.Sell(t.Context(), chatOrder(), c)
	if _, reason := reasonOf(err); reason != ReasonAbandoned || w.chain.settles != 0 {
		t.Errorf("again: %v; %d settlements", err, w.chain.settles)
	}
}

// TestOpen leaves a payment undecided until it expired: its receipt stays open for the
// operator, and a call with the same payment delivers once the chain can be asked.
func TestOpen(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.chain.rpc = false
		c, paid := w.pay(signing{amount: tenCents}), w.pay(signing{amount: tenCents})
		w.chain.settle = unsent
		_, _ = w.Sell(t.Context(), chatOrder(), c)
		w.chain.settle = lost
		_, _ = w.Sell(t.Context(), chatOrder(), paid)
		w.chain.settle = declined
		w.pass(time.Hour)
		if got := w.repairAll(); got.Open != 2 {
			t.Errorf("%+v, want two open receipts", got)
		}
		open, err := w.Open(t.Context())
		if err != nil || len(open) != 2 || open[0].State != Open || open[0].ID == "" {
			t.Errorf("%+v, %v", open, err)
		}
		if _, err := w.Sell(t.Context(), chatOrder(), c); !errors.Is(err, price.ErrPending) || receiptOf(err).State != Open {
			t.Errorf("the same call: %v", err)
		}
		w.is(c, Open)
		w.chain.rpc = true
		if _, err := w.Sell(t.Context(), chatOrder(), c); !errors.Is(err, price.ErrRefused) {
			t.Errorf("the chain has not used it: %v", err)
		}
		if sale, err := w.Sell(t.Context(), chatOrder(), paid); err != nil || !sale.Charged {
			t.Errorf("the chain has used it: %+v, %v", sale, err)
		}
		if got := w.repairAll(); got.Open != 0 {
			t.Errorf("%+v, want no open receipt", got)
		}
	})
}

// TestRetry decides open receipts at the word of the operator, once the chain can be
// asked. One that was charged after a refusal stays open.
func TestRetry(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.chain.rpc = false
	unpaid, paid := w.pay(signing{amount: tenCents}), w.pay(signing{amount: tenCents})
	w.chain.settle = unsent
	_, _ = w.Sell(t.Context(), chatOrder(), unpaid)
	w.chain.settle = lost
	_, _ = w.Sell(t.Context(), chatOrder(), paid)
	w.chain.settle = declined
	w.pass(time.Hour)
	w.repairAll()
	retry := func(id string, want State, code error) {
		t.Helper()
		if r, err := w.Retry(t.Context(), id); r.State != want || !errors.Is(err, code) {
			t.Errorf("Retry(%s) = %+v, %v, want %s, %v", id, r, err, want, code)
		}
	}
	id := w.of(unpaid).Purchase.ID
	retry(id, Open, nil)
	w.chain.rpc = true
	retry(id, Refused, nil)
	retry(id, "", ErrNoReceipt)
	retry(w.of(paid).Purchase.ID, Delivered, nil)

	w.chain.settle, w.chain.behind = denied, true
	contradicted := w.pay(signing{amount: tenCents, before: noon.Add(1000 * time.Hour)})
	_, _ = w.Sell(t.Context(), chatOrder(), contradicted)
	w.chain.settle, w.chain.behind = nil, false
	w.pass(2 * time.Hour)
	w.repairAll()
	settles := w.chain.settles
	retry(w.of(contradicted).Purchase.ID, Open, nil)
	if w.chain.settles != settles {
		t.Error("a payment that was refused and charged is settled again")
	}
}

// TestSilence keeps the facilitator and the chain silent: a payment stays pending for
// a day after its end, is tried less and less often, and is open then.
func TestSilence(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.chain.settle, w.chain.rpcErr = unsent, errSilent
	c := w.pay(signing{amount: tenCents})
	_, _ = w.Sell(t.Context(), chatOrder(), c)
	for w.now().Before(noon.Add(giveUpFor)) {
		if _, err := w.Repair(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Minute)
	}
	w.is(c, Settling)
	if n := w.of(c).Attempts; n < 100 || n > 200 {
		t.Errorf("%d attempts within a day", n)
	}
	w.pass(time.Hour)
	w.repairAll()
	w.is(c, Open)
}

// TestRefusedAndCharged checks that a transfer which shows up after a refusal is not
// forgotten: the operator sees it as an open receipt.
func TestRefusedAndCharged(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.chain.settle = declined
	c := w.pay(signing{amount: tenCents})
	_, _ = w.Sell(t.Context(), chatOrder(), c)
	p := w.of(c)
	signed, err := x402.Parse(c.Payment, "")
	w.must(err)
	p.key = signed.Key()
	if _, err := w.conclude(t.Context(), p, outcome{state: Delivered}); err != nil {
		t.Fatal(err)
	}
	w.is(c, Open)
}

// TestClockAhead refuses a payment while the clock is 30 days ahead, and the node is behind. Once it is set
// right the job does not wait for that date to check what the chain says.
func TestClockAhead(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	const ahead = 30 * 24 * time.Hour
	w.pass(ahead)
	w.chain.settle, w.chain.behind = denied, true
	c := w.pay(signing{amount: tenCents, before: noon.Add(1000 * time.Hour)})
	_, _ = w.Sell(t.Context(), chatOrder(), c)
	w.pass(-ahead)
	w.chain.settle, w.chain.behind = nil, false
	if got, err := w.Repair(t.Context()); err != nil || got != (Repaired{Open: 1}) {
		t.Errorf("Repair = %+v, %v, want the refused payment found to be charged", got, err)
	}
	p := &payment{State: Settling, BusyUntil: store.At(w.now().Add(ahead))}
	if !p.begin(w.now()) {
		t.Error("a payment stays busy until the date of a wrong clock")
	}
}

// TestContradicted checks that a payment that was charged although it was refused
// is never delivered by itself, since its order is deleted: the operator decides.
func TestContradicted(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.chain.settle, w.chain.behind = denied, true
	c := w.pay(signing{amount: tenCents, before: noon.Add(1000 * time.Hour)})
	_, _ = w.Sell(t.Context(), chatOrder(), c)
	w.chain.rpcErr, w.chain.behind = errSilent, false
	w.pass(2 * time.Hour)
	if got, err := w.Repair(t.Context()); err != nil || got != (Repaired{}) {
		t.Errorf("while the node is silent: %+v, %v", got, err)
	}
	w.chain.settle, w.chain.rpcErr = nil, nil
	w.pass(maxBackoff)
	if got, err := w.Repair(t.Context()); err != nil || got != (Repaired{Open: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	if sale, err := w.Sell(t.Context(), chatOrder(), c); !errors.Is(err, price.ErrPending) || receiptOf(err).State != Open {
		t.Errorf("again: %+v, %v", sale, err)
	}
	w.is(c, Open)
	if w.chain.settles != 1 {
		t.Errorf("%d settlements", w.chain.settles)
	}
}

// TestBroken checks the answers of every method while the database is down.
func TestBroken(t *testing.T) {
	w := newWorld(t, storetest.Broken())
	token := "cred_" + strings.Repeat("a", 40)
	_, sell := w.Sell(t.Context(), chatOrder(), w.pay(signing{amount: tenCents}))
	_, spend := w.Sell(t.Context(), chatOrder(), identity.Credentials{Credit: token})
	_, statement := w.Statement(t.Context(), token, 1, 0)
	_, purchases := w.Purchases(t.Context(), guest)
	_, open := w.Open(t.Context())
	for name, test := range map[string]struct{ got, want error }{
		"a payment": {sell, price.ErrUnavailable}, "a credit": {spend, price.ErrUnavailable},
		"a statement": {statement, fault.ErrUnavailable}, "purchases": {purchases, fault.ErrUnavailable}, "open receipts": {open, fault.ErrUnavailable},
	} {
		if !errors.Is(test.got, test.want) {
			t.Errorf("%s: %v, want %v", name, test.got, test.want)
		}
	}
	if _, err := w.Repair(t.Context()); !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("the job: %v", err)
	}
}

// TestSealed checks that the database has no secret in a form that can be read: no
// token, no payload and no message, neither while a payment is pending nor after it.
func TestSealed(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	bought := w.buy(creditOrder(), guest, 100*price.Cent)
	o := creditOrder()
	o.Credit = bought.Credit
	_, err := w.Sell(t.Context(), o, w.pay(signing{amount: 500 * price.Cent}))
	w.must(err)
	w.chain.settle = lost
	_, _ = w.Sell(t.Context(), o, w.pay(signing{amount: 500 * price.Cent}))
	_, _ = w.Sell(t.Context(), contactOrder("a secret message"), w.pay(signing{amount: tenCents}))
	w.chain.settle = nil
	_, err = w.Sell(t.Context(), contactOrder("a secret message"), w.pay(signing{amount: tenCents}))
	w.must(err)
	secrets := []string{bought.Credit[5:], "a secret message", base64.StdEncoding.EncodeToString([]byte("a secret message")), `"authorization"`}
	seen := 0
	for _, c := range []store.Path{payments, register, Contacts, "credits", ListPath(guest)[:strings.LastIndex(string(ListPath(guest)), "/")]} {
		for doc, err := range w.plain.Query(t.Context(), store.Query{Collection: c}) {
			w.must(err)
			var raw json.RawMessage
			var fields map[string]any
			w.must(doc.Decode(&fields))
			raw, err = json.Marshal(fields)
			w.must(err)
			seen++
			for _, secret := range secrets {
				if strings.Contains(string(doc.Path), secret) || strings.Contains(string(raw), secret) {
					t.Errorf("%s has %q", doc.Path, secret)
				}
			}
			if payload, ok := fields["payload"].(string); ok && payload != "" && !strings.Contains(payload, ".") {
				t.Errorf("the payload of %s is not sealed", doc.Path)
			}
		}
	}
	if seen != 11 {
		t.Errorf("%d documents, want 5 payments, 3 purchases, a message and a credit, and a list", seen)
	}
	var c Contact
	w.must(w.Till.db.Get(t.Context(), w.contactPath(), &c))
	if text, err := c.Message(); string(text) != "a secret message" || err != nil || c.Payer != payer {
		t.Errorf("the message is %q, %v", text, err)
	}
}

// contactPath returns where the only message is.
func (w *world) contactPath() store.Path {
	w.t.Helper()
	for doc, err := range w.plain.Query(w.t.Context(), store.Query{Collection: Contacts}) {
		w.must(err)
		return doc.Path
	}
	w.t.Fatal("no message waits")
	return ""
}

// TestBounded gives the job more payments than one run takes up, and a facilitator
// that is slow: a run ends in time, and later runs go on.
func TestBounded(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.chain.settle = lost
	for range maxRepairs + 5 {
		_, _ = w.Sell(t.Context(), contactOrder("x"), w.pay(signing{amount: tenCents}))
	}
	w.pass(time.Minute)
	w.chain.settle = nil
	if got, err := w.Repair(t.Context()); err != nil || got.Delivered != maxRepairs {
		t.Errorf("%+v, %v, want %d deliveries", got, err, maxRepairs)
	}
	w.chain.rpc = false
	w.chain.settle = func(settle func() x402.Settlement) (x402.Settlement, error) {
		w.pass(attemptFor)
		return settle(), nil
	}
	if got, err := w.Repair(t.Context()); err != nil || got != (Repaired{Delivered: 2, Pending: 3}) {
		t.Errorf("%+v, %v, want 2 deliveries within %v", got, err, repairFor)
	}
	if got := w.repairAll(); got != (Repaired{}) || len(w.chain.settled) != maxRepairs+5 {
		t.Errorf("%+v after %d transfers", got, len(w.chain.settled))
	}
}
