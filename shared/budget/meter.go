package budget

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"miramundo.dev/shared/identity"
)

// A Ledger keeps the allowances that instances share. [throttle.Throttle] does.
type Ledger interface {
	// Draw takes up to n calls of a subject from the allowance a of a kind, and returns
	// how many it took. When no call is left it returns 0 and the time until there is
	// one; it fails when the ledger cannot be reached. It must not store the subject in
	// clear.
	Draw(ctx context.Context, kind string, a Allowance, subject string, n int) (taken int, wait time.Duration, err error)
}

// Options are what a Meter is made from.
type Options struct {
	Ledger Ledger           // nil: this process counts alone
	Guests int              // calls at once of the budget Guests; 0 is that of the table
	Factor int              // multiplies every other budget; 0 is 1
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil is the default logger
}

// A Meter takes calls from budgets. Its methods may be called concurrently. A nil Meter
// allows every call.
type Meter struct {
	o  Options
	by sync.Map // from *Budget to *counts
}

// counts are the allowances of one budget.
type counts struct {
	owners   *account[identity.Owner]
	networks *account[netip.Prefix]
}

// New returns a meter of which every subject has its whole allowance.
func New(o Options) *Meter {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Meter{o: o}
}

// Check returns ErrTooMany when the network of an address has no call of b left, and
// takes nothing. It asks for no document.
func (m *Meter) Check(b *Budget, a netip.Addr) error {
	if m == nil || b == nil {
		return nil
	}
	return m.counts(b).networks.check(identity.Network(a))
}

// Take takes one call from the allowance of an owner and then from that of the network
// of an address, or returns ErrTooMany. The owner is empty where no caller was
// identified; callers without an address share one allowance. A call that the owner has
// not left costs the network nothing, so that one caller cannot use up what its
// neighbors have.
func (m *Meter) Take(ctx context.Context, b *Budget, owner identity.Owner, a netip.Addr) error {
	if m == nil || b == nil {
		return nil
	}
	c := m.counts(b)
	if owner != "" {
		if err := c.owners.take(ctx, owner, string(owner)); err != nil {
			return err
		}
	}
	network := identity.Network(a)
	// The document of a network has another name every day, which cannot be linked to
	// that of the day before. So the allowance begins again at midnight.
	return c.networks.take(ctx, network, identity.DayOf(m.o.Now()).String()+" "+network.String())
}

// counts returns the allowances of b, which begin whole.
func (m *Meter) counts(b *Budget) *counts {
	if c, ok := m.by.Load(b); ok {
		return c.(*counts)
	}
	owner, network := b.Owner.times(m.o.Factor), b.Network.times(m.o.Factor)
	if b == Guests {
		if network = b.Network; m.o.Guests > 0 {
			network.AtOnce = m.o.Guests
		}
	}
	c, _ := m.by.LoadOrStore(b, &counts{
		owners:   newAccount[identity.Owner](&m.o, b.Name+" of owners", owner),
		networks: newAccount[netip.Prefix](&m.o, b.Name+" of networks", network),
	})
	return c.(*counts)
}
