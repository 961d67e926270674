// Package pass stores until when passes are valid.
//
//	passes/{owner}              the passes of an owner
//	networkpasses/{network}     until when a network has bought minutes of the hop
//
// A network is named by a keyed hash of its address (identity.NetworkNames), so no
// address is stored. The documents are written in the transaction that records the
// purchase.
package pass

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// Passes are the passes of one owner. Fields may be added.
type Passes struct {
	ChatUntil store.Time `json:"chat_until"` // zero when the owner never had a chat pass
	Networks  []Network  `json:"networks"`   // that the owner bought passes for, the newest first
}

// A Network is a network with a pass, as its buyer sees it.
type Network struct {
	ID    string     `json:"id"`
	Until store.Time `json:"until"`
}

// maxNetworks is how many networks the document of an owner lists; the pass of a
// network that falls out of the list stays in force.
const maxNetworks = 20

// Path returns where the passes of an owner are.
func Path(owner identity.Owner) store.Path { return store.Path("passes").Join(string(owner)) }

// A NetworkPass is the pass of a network.
type NetworkPass struct {
	Until    store.Time `json:"until"`
	ExpireAt store.Time `json:"expire_at"`
}

// NetworkPath returns where the pass of a network is.
func NetworkPath(network string) store.Path { return store.Path("networkpasses").Join(network) }

// Of returns the passes of an owner, by one read. An owner without passes has the
// zero Passes.
func Of(ctx context.Context, db store.DB, owner identity.Owner) (p Passes, err error) {
	return p, orNone(db.Get(ctx, Path(owner), &p))
}

// In returns the passes of an owner in a transaction.
func In(tx store.Tx, owner identity.Owner) (p Passes, err error) {
	return p, orNone(tx.Get(Path(owner), &p))
}

func orNone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// Chat reports whether the chat pass is valid at a moment, and until when.
func (p Passes) Chat(now time.Time) (until time.Time, valid bool) {
	return p.ChatUntil.Time, now.Before(p.ChatUntil.Time)
}

// ExtendChat gives the owner another chat pass, which begins when the current one
// ends, and returns until when the owner may write.
func (p *Passes) ExtendChat(now time.Time) time.Time {
	p.ChatUntil = store.At(extended(p.ChatUntil.Time, now, price.Of(price.ChatPass).Days))
	return p.ChatUntil.Time
}

// ExtendNetwork gives a network another pass of some days, which begins when the
// current one ends.
func (n *NetworkPass) ExtendNetwork(now time.Time, days int) time.Time {
	n.Until = store.At(extended(n.Until.Time, now, days))
	n.ExpireAt = n.Until
	return n.Until.Time
}

func extended(current, now time.Time, days int) time.Time {
	if current.Before(now) {
		current = now
	}
	return current.Add(time.Duration(days) * 24 * time.Hour)
}

// Note lists a network that the owner bought a pass for.
func (p *Passes) Note(network string, until time.Time, now time.Time) {
	p.Networks = slices.DeleteFunc(p.Networks, func(n Network) bool { return n.ID == network || !now.Before(n.Until.Time) })
	p.Networks = slices.Insert(p.Networks, 0, Network{network, store.At(until)})
	p.Networks = p.Networks[:min(len(p.Networks), maxNetworks)]
}

// Live returns the networks whose passes are valid at a moment.
func (p Passes) Live(now time.Time) (live []Network) {
	for _, n := range p.Networks {
		if now.Before(n.Until.Time) {
			live = append(live, n)
		}
	}
	return live
}

// NetworkUntil returns until when the pass of a network is valid, by one read; the
// zero time when it never had one.
func NetworkUntil(ctx context.Context, db store.DB, network string) (time.Time, error) {
	var n NetworkPass
	err := orNone(db.Get(ctx, NetworkPath(network), &n))
	return n.Until.Time, err
}

// Count returns how many passes are valid at a moment.
func (p Passes) Count(now time.Time) int {
	n := len(p.Live(now))
	if _, valid := p.Chat(now); valid {
		n++
	}
	return n
}

// Take adds the passes of another owner to p. The time that is left of both chat
// passes adds up. Of two passes of one network the later one is listed; of more
// networks than fit, those whose passes end last.
func (p *Passes) Take(other Passes, now time.Time) {
	until, valid := p.Chat(now)
	others, left := other.Chat(now)
	switch {
	case valid && left:
		p.ChatUntil = store.At(until.Add(others.Sub(now)))
	case others.After(until):
		p.ChatUntil = other.ChatUntil
	}
	all := slices.Concat(p.Networks, other.Networks)
	slices.SortStableFunc(all, func(a, b Network) int { return b.Until.Compare(a.Until.Time) })
	p.Networks = nil
	for _, n := range all {
		if now.Before(n.Until.Time) && len(p.Networks) < maxNetworks && !slices.ContainsFunc(p.Networks, func(o Network) bool { return o.ID == n.ID }) {
			p.Networks = append(p.Networks, n)
		}
	}
}
