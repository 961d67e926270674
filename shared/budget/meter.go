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

	Refused func(budget string) // called with the name of a budget that refused a call; nil counts nothing
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
	wider    [len(widths)]*account[netip.Prefix] // of IPv6, as widths
}

// widths are the prefixes of IPv6 that also have an allowance, which is that of so many
// networks. A provider gives one customer up to 65,536 networks, and without a limit on
// them together a network would cost a caller nothing. A caller with the /56 of a home
// can use up a quarter of what the /48 around it has, and so does not keep its neighbors
// out. These allowances are counted by each process alone.
var widths = [...]struct{ bits, networks int }{{56, 4}, {48, 16}}

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

// Check returns ErrTooMany when the network of an address, or a wider one around it, has
// no call of b left, and takes nothing. It asks for no document.
func (m *Meter) Check(b *Budget, a netip.Addr) error {
	if m == nil || b == nil {
		return nil
	}
	return m.count(b, m.check(b, a))
}

// count counts a refusal by b.
func (m *Meter) count(b *Budget, err error) error {
	if err != nil && m.o.Refused != nil {
		m.o.Refused(b.Name)
	}
	return err
}

func (m *Meter) check(b *Budget, a netip.Addr) error {
	c, network := m.counts(b), identity.Network(a)
	if err := c.networks.check(network); err != nil {
		return err
	}
	return c.eachWider(network, func(wider *account[netip.Prefix], p netip.Prefix) error { return wider.check(p) })
}

// Take takes one call from the allowance of an owner, and then from those of the network
// of an address and the wider networks around it, or returns ErrTooMany. The owner is
// empty where no caller was identified; callers without an address share one allowance. A
// call that the owner has not left costs the network nothing, and one that the network
// has not left costs the wider ones nothing, so that one caller cannot use up what its
// neighbors have.
func (m *Meter) Take(ctx context.Context, b *Budget, owner identity.Owner, a netip.Addr) error {
	if m == nil || b == nil {
		return nil
	}
	return m.count(b, m.take(ctx, b, owner, a))
}

func (m *Meter) take(ctx context.Context, b *Budget, owner identity.Owner, a netip.Addr) error {
	c := m.counts(b)
	if owner != "" {
		if err := c.owners.take(ctx, owner, string(owner)); err != nil {
			return err
		}
	}
	network := identity.Network(a)
	if err := c.networks.check(network); err != nil {
		return err
	}
	if err := c.eachWider(network, func(wider *account[netip.Prefix], p netip.Prefix) error { return wider.take(ctx, p, p.String()) }); err != nil {
		return err
	}
	// The document of a network has another name every day, which cannot be linked to
	// that of the day before. So the allowance begins again at midnight.
	return c.networks.take(ctx, network, identity.DayOf(m.o.Now()).String()+" "+network.String())
}

// eachWider calls do with the allowance of each wider network around an IPv6 network,
// until it fails.
func (c *counts) eachWider(network netip.Prefix, do func(*account[netip.Prefix], netip.Prefix) error) error {
	if !network.Addr().Is6() {
		return nil
	}
	for i, w := range widths {
		if err := do(c.wider[i], netip.PrefixFrom(network.Addr(), w.bits).Masked()); err != nil {
			return err
		}
	}
	return nil
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
	made := &counts{
		owners:   newAccount[identity.Owner](&m.o, b.Name+" of owners", owner),
		networks: newAccount[netip.Prefix](&m.o, b.Name+" of networks", network),
	}
	for i, w := range widths {
		wider := network.times(w.networks)
		wider.Chunk = 0 // each process counts alone
		made.wider[i] = newAccount[netip.Prefix](&m.o, b.Name+" of wider networks", wider)
	}
	c, _ := m.by.LoadOrStore(b, made)
	return c.(*counts)
}
