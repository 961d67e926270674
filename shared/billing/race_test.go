package billing

import (
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

// atOnce runs f n times at once and returns the errors.
func atOnce(n int, f func(i int) error) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return errs
}

// eachRace runs a test on each backend with as many callers as that can take.
func eachRace(t *testing.T, test func(t *testing.T, w *world, callers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, writers int) {
		test(t, newWorld(t, db), min(writers, 12))
	})
}

// TestSameAtOnce makes one call many times at once: it is settled once and delivered
// once, and each answer is the pass or that the outcome is pending.
func TestSameAtOnce(t *testing.T) {
	eachRace(t, func(t *testing.T, w *world, callers int) {
		c := w.pay(signing{amount: tenCents})
		for _, err := range atOnce(callers, func(int) error { _, err := w.Sell(t.Context(), chatOrder(), c); return err }) {
			if err != nil && !errors.Is(err, price.ErrPending) {
				t.Error(err)
			}
		}
		sale, err := w.Sell(t.Context(), chatOrder(), c)
		if err != nil || !sale.Until.Equal(noon.Add(month)) || w.chain.settles != 1 {
			t.Errorf("%+v, %v after %d settlements", sale, err, w.chain.settles)
		}
		w.reported(1)
	})
}

// TestOthersAtOnce pays for the same owner many times at once, each time with another
// payment: each is delivered, and the pass is extended as often.
func TestOthersAtOnce(t *testing.T) {
	eachRace(t, func(t *testing.T, w *world, callers int) {
		var shown []identity.Credentials
		for range callers {
			shown = append(shown, w.pay(signing{amount: tenCents}))
		}
		for _, err := range atOnce(callers, func(i int) error { _, err := w.Sell(t.Context(), chatOrder(), shown[i]); return err }) {
			if err != nil {
				t.Error(err)
			}
		}
		p, err := pass.Of(t.Context(), w.plain, guest)
		if until, _ := p.Chat(noon); err != nil || !until.Equal(noon.Add(time.Duration(callers)*month)) {
			t.Errorf("the pass ends at %v, %v; want %d months", until, err, callers)
		}
		if list, err := w.Purchases(t.Context(), guest); err != nil || len(list) != callers {
			t.Errorf("%d purchases, %v; want %d", len(list), err, callers)
		}
		w.reported(callers)
	})
}

// TestSpentAtOnce spends a credit of 1 USD more often than it suffices for, at once:
// ten messages are sent, the others are refused, and nothing is left.
func TestSpentAtOnce(t *testing.T) {
	eachRace(t, func(t *testing.T, w *world, callers int) {
		shown := identity.Credentials{Credit: w.buy(creditOrder(), guest, 100*price.Cent).Credit}
		sold, refused := 0, 0
		for range 12 / callers {
			for _, err := range atOnce(callers, func(int) error {
				_, err := w.Sell(t.Context(), contactOrder(newID()), shown)
				return err
			}) {
				_, reason := reasonOf(err)
				switch {
				case err == nil:
					sold++
				case reason == ReasonInsufficient:
					refused++
				default:
					t.Error(err)
				}
			}
		}
		s, err := w.Statement(t.Context(), shown.Credit, 50, 0)
		if sold != 10 || refused != 2 || err != nil || s.Balance != 0 || len(s.Entries) != 11 {
			t.Errorf("%d were sold and %d refused; %+v, %v", sold, refused, s, err)
		}
		w.reported(1 + 10)
	})
}

// TestSameSpentAtOnce spends a credit on one pass and on one message many times at
// once: each is charged once.
func TestSameSpentAtOnce(t *testing.T) {
	eachRace(t, func(t *testing.T, w *world, callers int) {
		shown := identity.Credentials{Credit: w.buy(creditOrder(), guest, 100*price.Cent).Credit}
		for _, o := range []Order{chatOrder(), networkOrder(), contactOrder("once")} {
			for _, err := range atOnce(callers, func(int) error { _, err := w.Sell(t.Context(), o, shown); return err }) {
				if err != nil {
					t.Error(err)
				}
			}
		}
		if s, err := w.Statement(t.Context(), shown.Credit, 0, 0); err != nil || s.Balance != 70*price.Cent {
			t.Errorf("%s is left, %v; want 0.70", s.Balance.USD(), err)
		}
		w.reported(1 + 3)
	})
}
