package billing

import (
	"testing"
	"time"

	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/price"
)

// TestWithoutEnd pays with an authorization that never expires, as wallets may sign it:
// what it bought is delivered and stored, and one whose settlement has no answer becomes
// an open receipt for the operator after two days.
func TestWithoutEnd(t *testing.T) {
	end := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	each(t, func(t *testing.T, w *world) {
		c := w.pay(signing{amount: price.Of(price.ChatPass).Amount, before: end})
		if sale, err := w.Sell(t.Context(), chatOrder(), c); err != nil || !sale.Until.Equal(noon.Add(month)) {
			t.Fatalf("%+v, %v", sale, err)
		}
		w.is(c, Delivered)
		if at := w.of(c).ExpireAt; !at.Equal(lastDay) {
			t.Errorf("the payment is kept until %v, want %v", at, lastDay)
		}
		w.chain.settle = unsent
		c = w.pay(signing{amount: price.Of(price.ChatPass).Amount, before: end})
		if _, err := w.Sell(t.Context(), chatOrder(), c); receiptOf(err).State != Settling {
			t.Fatalf("a settlement without an answer: %v", err)
		}
		w.pass(patience + giveUpFor + time.Minute)
		w.repairAll()
		w.is(c, Open)
	})
}

// TestTakenBack pays with an authorization that its payer uses otherwise while our
// settlement has no answer: where the chain can be asked, nothing is delivered, also
// while the node fails.
func TestTakenBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.chain.settle = unsent
		c := w.pay(signing{amount: price.Of(price.ChatPass).Amount})
		if _, err := w.Sell(t.Context(), chatOrder(), c); receiptOf(err).State != Settling {
			t.Fatalf("a settlement without an answer: %v", err)
		}
		signed, err := x402.Parse(c.Payment, c.Signature)
		w.must(err)
		w.chain.cancel(signed)
		w.chain.settle, w.chain.rpcErr = nil, errSilent
		w.pass(leaseFor)
		if sale, err := w.Sell(t.Context(), chatOrder(), c); err == nil {
			t.Errorf("while the node is silent: %+v", sale)
		}
		w.chain.rpcErr = nil
		w.pass(leaseFor)
		_, err = w.Sell(t.Context(), chatOrder(), c)
		if code, reason := reasonOf(err); code != "payment_refused" || reason != x402.ReasonState {
			t.Errorf("after the cancellation: %v", err)
		}
		w.pass(2 * time.Hour)
		w.repairAll() // asks the chain once more
		w.is(c, Refused)
	})
}
