package billing

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
)

const month = 30 * 24 * time.Hour

// TestSell buys each kind of product in both versions of the protocol, and finds what
// was delivered, the purchase, and the answer to the same call again.
func TestSell(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, test := range []struct {
			name   string
			order  Order
			amount price.Amount
			want   price.Product
			days   int
		}{
			{"chat", chatOrder(), 10 * price.Cent, price.ChatPass, 30},
			{"network", networkOrder(), 29 * price.Cent, price.Network90, 90},
			{"credit", creditOrder(), 500 * price.Cent, price.Credit5, 0},
			{"contact", contactOrder("hello"), 10 * price.Cent, price.Contact, 0},
		} {
			for version := 1; version <= 2; version++ {
				c := w.pay(signing{version: version, amount: test.amount})
				sale, err := w.Sell(t.Context(), test.order, c)
				if err != nil {
					t.Fatalf("%s, version %d: %v", test.name, version, err)
				}
				r := sale.Receipt
				if sale.Product != test.want || !sale.Charged || r.State != Delivered || r.AmountUSD != test.amount.USD() || r.Payer != payer || r.Transaction == "" {
					t.Errorf("%s: %+v", test.name, sale)
				}
				if want := time.Duration(version*test.days) * 24 * time.Hour; test.days > 0 && !sale.Until.Equal(noon.Add(want)) {
					t.Errorf("%s: until %v", test.name, sale.Until)
				}
				if (sale.Credit != "") != (test.name == "credit") || len(sale.Header) != 1 {
					t.Errorf("%s: credit %q, headers %v", test.name, sale.Credit, sale.Header)
				}
				again, err := w.Sell(t.Context(), test.order, c)
				if d := cmp.Diff(sale, again); d != "" || err != nil {
					t.Errorf("%s again: %v (-first +again)\n%s", test.name, err, d)
				}
				var stored Purchase
				w.must(w.plain.Get(t.Context(), PurchasePath(r.ID), &stored))
				if d := cmp.Diff(r, stored.receipt(Delivered)); d != "" {
					t.Errorf("%s in the register (-receipt +stored)\n%s", test.name, d)
				}
			}
		}
		if len(w.chain.settled) != 8 || w.chain.settles != 8 {
			t.Errorf("%d transfers by %d settlements, want 8", len(w.chain.settled), w.chain.settles)
		}
		p, err := pass.Of(t.Context(), w.plain, guest)
		if until, valid := p.Chat(noon); err != nil || !valid || !until.Equal(noon.Add(2*month)) {
			t.Errorf("the chat pass is %+v, %v", p, err)
		}
		list, err := w.Purchases(t.Context(), guest)
		if err != nil || len(list) != 4 {
			t.Errorf("%d purchases of the owner, %v; want 4", len(list), err)
		}
	})
}

// TestCredit buys a credit, tops it up, and spends it.
func TestCredit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		bought, err := w.Sell(t.Context(), creditOrder(), w.pay(signing{amount: 100 * price.Cent}))
		w.must(err)
		o := creditOrder()
		o.Credit = bought.Credit
		topped, err := w.Sell(t.Context(), o, w.pay(signing{amount: 500 * price.Cent}))
		if err != nil || topped.Credit != bought.Credit {
			t.Fatalf("topped up %q, %v", topped.Credit, err)
		}
		shown := identity.Credentials{Credit: bought.Credit}
		sale, err := w.Sell(t.Context(), chatOrder(), shown)
		if err != nil || !sale.Charged || !sale.Until.Equal(noon.Add(month)) || sale.Header != nil {
			t.Errorf("%+v, %v", sale, err)
		}
		again, err := w.Sell(t.Context(), chatOrder(), shown)
		if err != nil || again.Charged || !again.Until.Equal(sale.Until) {
			t.Errorf("with a valid pass: %+v, %v", again, err)
		}
		s, err := w.Statement(t.Context(), bought.Credit, 2, 0)
		if err != nil || s.Balance != 590*price.Cent || s.Total != 3 || len(s.Entries) != 2 || s.Entries[0].Purchase != sale.Receipt.ID || s.Entries[1].Amount != 500*price.Cent {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// TestRepeats checks that a call is recognized after its sale, and no other one is: by
// its payment, and for a message by its credit and text.
func TestRepeats(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		credit := identity.Credentials{Credit: w.buy(creditOrder(), guest, 100*price.Cent).Credit}
		payment := w.pay(signing{amount: tenCents})
		repeats := func(o Order, c identity.Credentials, want bool) {
			t.Helper()
			if got, err := w.Repeats(t.Context(), o, c); err != nil || got != want {
				t.Errorf("repeats: %t, %v, want %t", got, err, want)
			}
		}
		for _, c := range []identity.Credentials{payment, credit} {
			repeats(contactOrder("a"), c, false)
			if _, err := w.Sell(t.Context(), contactOrder("a"), c); err != nil {
				t.Fatal(err)
			}
			repeats(contactOrder("a"), c, true)
		}
		repeats(contactOrder("b"), credit, false)
		repeats(contactOrder("a"), w.pay(signing{amount: tenCents}), false)
		repeats(chatOrder(), credit, false)
		repeats(contactOrder("a"), identity.Credentials{}, false)
		if _, err := w.Repeats(t.Context(), contactOrder("a"), identity.Credentials{Payment: "!"}); !errors.Is(err, price.ErrMalformed) {
			t.Errorf("a payment that cannot be read: %v", err)
		}
		if got, err := (*Till)(nil).Repeats(t.Context(), contactOrder("a"), payment); got || err != nil {
			t.Errorf("where nothing is sold: %t, %v", got, err)
		}
	})
}
