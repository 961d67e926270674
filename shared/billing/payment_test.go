package billing

import (
	"testing"
	"time"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/store"
)

// TestDecide holds what each finding means, at the first attempt and after one that
// had no answer, before and after the end of an authorization.
func TestDecide(t *testing.T) {
	failed := func(reason string) *x402.Settlement { return &x402.Settlement{Reason: reason} }
	paid := &x402.Settlement{Success: true, Transaction: "0x1"}
	silent := finding{}
	const past, long = expiryLag + time.Second, giveUpFor + time.Second
	for _, test := range []struct {
		name    string
		found   finding
		attempt int
		since   time.Duration // the end
		want    outcome
	}{
		{"settled", finding{settlement: paid}, 1, 0, outcome{state: Delivered, transaction: "0x1"}},
		{"settled at last", finding{settlement: paid}, 7, long, outcome{state: Delivered, transaction: "0x1"}},
		{"declined", finding{settlement: failed("insufficient_funds")}, 1, 0, outcome{state: Refused, reason: "insufficient_funds"}},
		{"used before we settled", finding{settlement: failed(x402.ReasonState)}, 1, 0, outcome{state: Refused, reason: x402.ReasonState}},
		{"declined, and the node sees no use", finding{settlement: failed("insufficient_funds"), fate: facilitator.Unused}, 1, 0, outcome{state: Refused, reason: "insufficient_funds"}},
		{"declined and charged", finding{settlement: failed("insufficient_funds"), fate: facilitator.Paid, transaction: "0x2"}, 1, 0, outcome{state: Delivered, transaction: "0x2"}},
		{"declined and used for something else", finding{settlement: failed("insufficient_funds"), fate: facilitator.Void}, 1, 0, outcome{state: Refused, reason: "insufficient_funds"}},
		{"declined, and the node is silent", finding{settlement: failed("insufficient_funds"), err: errSilent}, 1, 0, outcome{state: Settling}},
		{"an unexpected error", finding{settlement: failed(x402.ReasonSettleError)}, 1, 0, outcome{state: Settling}},
		{"a transaction that failed", finding{settlement: &x402.Settlement{Reason: "timeout", Transaction: "0x1"}}, 1, 0, outcome{state: Settling}},
		{"taken by nobody", finding{notTaken: true}, 1, 0, outcome{state: Reserved}},
		{"silence", silent, 1, 0, outcome{state: Settling}},
		{"declined after silence", finding{settlement: failed("insufficient_funds")}, 2, 0, outcome{state: Settling}},
		{"used after silence", finding{settlement: failed(x402.ReasonState)}, 2, 0, outcome{state: Delivered}},
		{"taken by nobody after silence", finding{notTaken: true}, 2, 0, outcome{state: Settling}},
		{"used by the chain", finding{fate: facilitator.Paid, transaction: "0x2"}, 2, 0, outcome{state: Delivered, transaction: "0x2"}},
		{"not used by the chain", finding{fate: facilitator.Void}, 2, past, outcome{state: Refused, reason: x402.ReasonTooLate}},
		{"used for something else", finding{fate: facilitator.Void}, 2, -time.Minute, outcome{state: Refused, reason: x402.ReasonState}},
		{"used after silence, and the node sees no use", finding{settlement: failed(x402.ReasonState), fate: facilitator.Unused}, 2, 0, outcome{state: Settling}},
		{"used after silence, and the node is silent", finding{settlement: failed(x402.ReasonState), err: errSilent}, 2, 0, outcome{state: Settling}},
		{"declined soon after the end", finding{settlement: failed(x402.ReasonTooLate)}, 2, expiryLag, outcome{state: Settling}},
		{"declined after the end", finding{settlement: failed(x402.ReasonTooLate)}, 2, past, outcome{state: Open}},
		{"declined after the end, and the node is silent", finding{settlement: failed(x402.ReasonTooLate), err: errSilent}, 2, past, outcome{state: Settling}},
		{"silence after the end", silent, 2, past, outcome{state: Settling}},
		{"silence for a day", silent, 2, long, outcome{state: Open}},
	} {
		p := &payment{State: Settling, Attempts: test.attempt, ValidBefore: store.At(noon), Purchase: Purchase{At: store.At(noon.Add(-timeout))}}
		if got := p.decide(test.found, noon.Add(test.since)); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestBegin checks when a payment may be settled.
func TestBegin(t *testing.T) {
	for _, test := range []struct {
		name string
		p    payment
		want bool
	}{
		{"reserved", payment{State: Reserved}, true},
		{"settling, and its lease is over", payment{State: Settling, Attempts: 3, BusyUntil: store.At(noon)}, true},
		{"settling", payment{State: Settling, Attempts: 3, BusyUntil: store.At(noon.Add(time.Second))}, false},
		{"open", payment{State: Open, Attempts: 3}, true},
		{"delivered", payment{State: Delivered}, false},
		{"refused", payment{State: Refused}, false},
	} {
		p := test.p
		if got := p.begin(noon); got != test.want || p.Attempts != test.p.Attempts && !test.want {
			t.Errorf("%s: %t, %+v", test.name, got, p)
		}
		if test.want && (!p.BusyUntil.After(noon.Add(attemptFor)) || p.DueAt.Before(p.BusyUntil.Time) || p.DueAt.After(noon.Add(maxBackoff))) {
			t.Errorf("%s: busy until %v, due at %v", test.name, p.BusyUntil, p.DueAt)
		}
	}
}
