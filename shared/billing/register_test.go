package billing

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
)

const ana = identity.Owner("a_aaaaaaaaaaaaaaaaaaaaaaaa")

// claim moves everything from the guest to the account, as a claim does.
func (w *world) claim() (m *Move) {
	w.t.Helper()
	w.must(w.plain.Update(w.t.Context(), func(tx store.Tx) (err error) {
		if m, err = ReadMove(tx, guest, ana, w.now()); err != nil {
			return err
		}
		return m.Write(tx, w.now())
	}))
	return m
}

// buy sells a product to an owner.
func (w *world) buy(o Order, owner identity.Owner, amount price.Amount) Sale {
	w.t.Helper()
	o.Owner = owner
	sale, err := w.Sell(w.t.Context(), o, w.pay(signing{amount: amount}))
	w.must(err)
	return sale
}

// TestClaim moves passes and purchases to an account that has some: nothing that was
// paid for is lost, and a second claim moves nothing.
func TestClaim(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		mine := w.buy(chatOrder(), ana, tenCents)
		w.pass(10 * 24 * time.Hour)
		network := w.buy(networkOrder(), guest, 99*price.Cent)
		his := w.buy(chatOrder(), guest, tenCents)
		w.pass(time.Second)
		before, err := w.Purchases(t.Context(), guest)
		w.must(err)
		if m := w.claim(); m.Passes != 2 || m.Purchases != 2 {
			t.Errorf("%d passes and %d purchases moved", m.Passes, m.Purchases)
		}
		p, err := pass.Of(t.Context(), w.plain, ana)
		left := mine.Until.Sub(w.now()) + his.Until.Sub(w.now())
		if until, valid := p.Chat(w.now()); err != nil || !valid || !until.Equal(w.now().Add(left)) {
			t.Errorf("the pass ends at %v, %v; want %v from now", until, err, left)
		}
		if live := p.Live(w.now()); len(live) != 1 || live[0].ID != "n1" || !live[0].Until.Equal(network.Until) {
			t.Errorf("the networks are %+v", live)
		}
		list, err := w.Purchases(t.Context(), ana)
		if err != nil || len(list) != 3 || list[2].ID != mine.Receipt.ID {
			t.Errorf("%+v, %v", list, err)
		}
		if d := cmp.Diff(before, list[:2]); d != "" {
			t.Errorf("the purchases of the guest (-before +after):\n%s", d)
		}
		if m := w.claim(); m.Passes != 0 || m.Purchases != 0 {
			t.Errorf("again %d passes and %d purchases moved", m.Passes, m.Purchases)
		}
		if n := w.documents(guest); n != 0 {
			t.Errorf("the guest has %d documents left", n)
		}
		again, err := pass.Of(t.Context(), w.plain, ana)
		if d := cmp.Diff(p, again); d != "" || err != nil {
			t.Errorf("the second claim changed the passes: %v\n%s", err, d)
		}
	})
}

// documents counts the documents that an owner has.
func (w *world) documents(owner identity.Owner) (n int) {
	w.t.Helper()
	docs, err := w.plain.GetAll(w.t.Context(), []store.Path{pass.Path(owner), ListPath(owner)})
	w.must(err)
	for _, doc := range docs {
		if doc.Decode != nil {
			n++
		}
	}
	return n
}

// TestClaimed buys for a guest whose things were claimed before: a later claim moves
// it too.
func TestClaimed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.chain.settle = lost
		c := w.pay(signing{amount: tenCents})
		_, _ = w.Sell(t.Context(), chatOrder(), c)
		if m := w.claim(); m.Passes+m.Purchases != 0 {
			t.Errorf("%+v moved while the payment is pending", m)
		}
		w.chain.settle = nil
		w.pass(time.Minute)
		w.repairAll()
		if m := w.claim(); m.Passes != 1 || m.Purchases != 1 {
			t.Errorf("%d passes and %d purchases moved", m.Passes, m.Purchases)
		}
	})
}

// TestRemove deletes what an owner has, and keeps the register and the pass of the
// network. The register names no owner.
func TestRemove(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		sale := w.buy(chatOrder(), ana, tenCents)
		w.buy(networkOrder(), ana, tenCents)
		for range 2 {
			w.must(Remove(t.Context(), w.plain, ana))
		}
		if n := w.documents(ana); n != 0 {
			t.Errorf("%d documents are left", n)
		}
		var p map[string]any
		w.must(w.plain.Get(t.Context(), PurchasePath(sale.Receipt.ID), &p))
		for name, value := range p {
			if value == string(ana) {
				t.Errorf("the register names the owner in %s", name)
			}
		}
		if until, err := pass.NetworkUntil(t.Context(), w.plain, "n1"); err != nil || !until.After(w.now()) {
			t.Errorf("the pass of the network ends at %v, %v", until, err)
		}
	})
}

// TestList checks the bound and the order of the list of an owner.
func TestList(t *testing.T) {
	var l, other List
	for i := range MaxList + 10 {
		p := Purchase{ID: fmt.Sprint(i), At: store.At(noon.Add(time.Duration(i) * time.Minute))}
		if i%2 == 0 {
			l.add(p)
		} else {
			other.add(p)
		}
	}
	l.add(other.Purchases...)
	if len(l.Purchases) != MaxList || l.Purchases[0].ID != fmt.Sprint(MaxList+9) || l.Purchases[MaxList-1].ID != "10" {
		t.Errorf("%d purchases, from %s to %s", len(l.Purchases), l.Purchases[0].ID, l.Purchases[len(l.Purchases)-1].ID)
	}
}

// TestCosts holds what each purchase costs in documents.
func TestCosts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		bought := w.buy(creditOrder(), guest, 100*price.Cent)
		shown := identity.Credentials{Credit: bought.Credit}
		unowned := creditOrder()
		unowned.Owner, unowned.Network = "", "n1"
		for _, test := range []struct {
			name string
			do   func() error
			want storetest.Ops
		}{
			{"a chat pass, x402", func() error { _, err := w.Sell(t.Context(), chatOrder(), w.pay(signing{amount: tenCents})); return err }, storetest.Ops{Reads: 5, Writes: 6}},
			{"a network pass, x402", func() error {
				_, err := w.Sell(t.Context(), networkOrder(), w.pay(signing{amount: tenCents}))
				return err
			}, storetest.Ops{Reads: 4, Writes: 5}},
			{"a credit, x402", func() error {
				_, err := w.Sell(t.Context(), unowned, w.pay(signing{amount: 100 * price.Cent}))
				return err
			}, storetest.Ops{Reads: 4, Writes: 6}},
			{"a message, x402", func() error {
				_, err := w.Sell(t.Context(), contactOrder("a"), w.pay(signing{amount: tenCents}))
				return err
			}, storetest.Ops{Reads: 3, Writes: 5, Deletes: 1}},
			{"a message, credit", func() error { _, err := w.Sell(t.Context(), contactOrder("a"), shown); return err }, storetest.Ops{Reads: 2, Writes: 4, Deletes: 1}},
			{"a valid pass, credit", func() error { _, err := w.Sell(t.Context(), chatOrder(), shown); return err }, storetest.Ops{Reads: 3}},
			{"a run of the job with nothing to do", func() error { _, err := w.Repair(t.Context()); return err }, storetest.Ops{Reads: 3}},
		} {
			before := w.meter.Ops()
			w.must(test.do())
			if got := w.meter.Ops().Less(before); got != test.want {
				t.Errorf("%s costs %+v, want %+v", test.name, got, test.want)
			}
		}
	})
}
