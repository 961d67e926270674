package billing

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// The register names no owners. What an owner bought is in the owner's own list, which
// moves with a claim and is deleted with the owner; the register stays.

const register = store.Path("purchases")

// A Purchase is something that was sold. Fields may be added.
type Purchase struct {
	ID          string        `json:"id"`
	Product     price.Product `json:"product"`
	Amount      price.Amount  `json:"amount"`
	Network     string        `json:"network"`     // of the payment; empty for a credit
	Payer       string        `json:"payer"`       // address; empty for a credit
	Transaction string        `json:"transaction"` // on the chain; empty when it is not known
	At          store.Time    `json:"at"`
	Until       store.Time    `json:"until"` // of a pass; zero for any other product
}

// newID returns a random id of a purchase.
func newID() string { return "pu_" + rand.Text() }

// PurchasePath returns where a purchase is in the register.
func PurchasePath(id string) store.Path { return register.Join(id) }

// Receipt returns the receipt of a purchase.
func (p Purchase) Receipt() Receipt { return p.receipt(Delivered) }

// receipt returns the receipt of a purchase whose payment is in a state.
func (p Purchase) receipt(s State) Receipt {
	return Receipt{
		ID: p.ID, Product: p.Product, AmountUSD: p.Amount.USD(), Network: p.Network,
		Payer: p.Payer, Transaction: p.Transaction, At: p.At, State: s,
	}
}

// MaxList is how many purchases the list of an owner has. Older ones are in the
// register only.
const MaxList = 200

// A List is the newest purchases of an owner, the newest first.
type List struct {
	Purchases []Purchase `json:"purchases"`
}

// ListPath returns where the purchases of an owner are.
func ListPath(owner identity.Owner) store.Path {
	return store.Path("owners").Join(string(owner), "kept", "purchases")
}

// PurchasesOf returns the purchases of an owner, by one read.
func PurchasesOf(ctx context.Context, db store.DB, owner identity.Owner) (l List, err error) {
	return l, orNone(db.Get(ctx, ListPath(owner), &l))
}

func orNone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// add adds purchases to l. Of those of one moment the added ones come first.
func (l *List) add(more ...Purchase) {
	l.Purchases = slices.Concat(more, l.Purchases)
	slices.SortStableFunc(l.Purchases, func(a, b Purchase) int { return b.At.Compare(a.At.Time) })
	l.Purchases = l.Purchases[:min(len(l.Purchases), MaxList)]
}

// A Move takes the passes and the purchases of one owner to another, within a
// transaction.
type Move struct {
	Passes    int // that move: a chat pass in force, and passes of networks
	Purchases int // that move

	from, to                identity.Owner
	fromList, toList        List
	fromPasses, toPasses    pass.Passes
	hasPasses, hasPurchases bool
}

// ReadMove reads the passes and purchases of two owners, in four reads, and decides
// what moves from the first to the second. Everything moves: the time that is left of
// two chat passes adds up, and a purchase that does not fit into the list stays in the
// register.
func ReadMove(tx store.Tx, from, to identity.Owner, now time.Time) (*Move, error) {
	m := &Move{from: from, to: to}
	docs, err := tx.GetAll([]store.Path{pass.Path(from), pass.Path(to), ListPath(from), ListPath(to)})
	if err != nil {
		return nil, err
	}
	for i, to := range []any{&m.fromPasses, &m.toPasses, &m.fromList, &m.toList} {
		if docs[i].Decode == nil {
			continue
		}
		if err := docs[i].Decode(to); err != nil {
			return nil, err
		}
	}
	m.hasPasses, m.hasPurchases = docs[0].Decode != nil, docs[2].Decode != nil
	m.Passes, m.Purchases = m.fromPasses.Count(now), len(m.fromList.Purchases)
	return m, nil
}

// Write stores what moves, and deletes it where it was. It writes nothing when the
// first owner has nothing.
func (m *Move) Write(tx store.Tx, now time.Time) error {
	var errs []error
	if m.hasPasses {
		m.toPasses.Take(m.fromPasses, now)
		errs = append(errs, tx.Set(pass.Path(m.to), m.toPasses), tx.Delete(pass.Path(m.from)))
	}
	if m.hasPurchases {
		m.toList.add(m.fromList.Purchases...)
		errs = append(errs, tx.Set(ListPath(m.to), m.toList), tx.Delete(ListPath(m.from)))
	}
	return errors.Join(errs...)
}

// Remove deletes the passes and the list of an owner that is deleted. The register
// stays, and so do the passes of networks, which are in force for everybody there.
func Remove(ctx context.Context, db store.DB, owner identity.Owner) error {
	return db.Update(ctx, func(tx store.Tx) error {
		return errors.Join(tx.Delete(pass.Path(owner)), tx.Delete(ListPath(owner)))
	})
}
