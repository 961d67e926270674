package billing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Job is the name of the job that ends payments which their calls left.
const Job = "payments"

// Bounds of a run of the job.
const (
	maxRepairs = 50
	repairFor  = 40 * time.Second // after which no other payment is begun
	maxOpen    = 200              // receipts that Open returns
)

// Repaired is what a run of the job did.
type Repaired struct {
	Delivered int `json:"delivered"` // payments that were charged, and are delivered now
	Refused   int `json:"refused"`   // payments that were not charged
	Pending   int `json:"pending"`   // payments that a later run takes up again
	Open      int `json:"open"`      // receipts that stay open, in all
}

// Repair ends payments that are undecided for longer than half a minute: it settles
// them again or asks the chain, and delivers what was charged. What was never sent to
// be settled is refused. A refusal that the chain contradicts becomes an open receipt.
// A payment that fails does not stop the others.
func (t *Till) Repair(ctx context.Context) (done Repaired, err error) {
	if t.Free() {
		return done, nil
	}
	due, err := t.due(ctx)
	began := t.o.Now()
	for _, p := range due {
		if t.o.Now().Sub(began) > repairFor {
			done.Pending++
			continue
		}
		after, e := t.repair(ctx, p)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("payment of the purchase %s: %w", p.Purchase.ID, e))
		}
		if p.State != Refused || after.State != Refused { // it was counted when it was refused
			done.count(after.State)
		}
	}
	open, e := t.db.Count(ctx, openPayments)
	done.Open = open
	return done, errors.Join(err, e)
}

// count counts a payment that is in a state after its repair.
func (r *Repaired) count(s State) {
	switch s {
	case Delivered:
		r.Delivered++
	case Refused:
		r.Refused++
	case Open: // counted with the others
	default:
		r.Pending++
	}
}

// farOff is further ahead than any payment is due. One that is due later was stored by
// a clock that was ahead.
const farOff = recheckFor + time.Hour

// due returns the payments that are to be repaired now, those first that wait longest.
func (t *Till) due(ctx context.Context) (list []*payment, err error) {
	now := t.o.Now()
	list, err = t.query(ctx, dueBetween(store.Time{}, store.Filter{Field: "due_at", Op: store.LessEq, Value: store.At(now)}))
	if err != nil {
		return nil, err
	}
	ahead, err := t.query(ctx, dueBetween(store.At(now.Add(farOff))))
	for _, p := range ahead {
		t.o.Log.WarnContext(ctx, "a payment was stored by a clock that was ahead; it is repaired now",
			"purchase", p.Purchase.ID, "due_at", p.DueAt, "since", p.Purchase.At)
	}
	return append(list, ahead...), err
}

// dueBetween selects the payments that are due after a time, and match more.
func dueBetween(after store.Time, more ...store.Filter) store.Query {
	where := append([]store.Filter{{Field: "due_at", Op: store.More, Value: after}}, more...)
	return store.Query{Collection: payments, OrderBy: "due_at", Limit: maxRepairs, Where: where}
}

func (t *Till) query(ctx context.Context, q store.Query) (list []*payment, err error) {
	for doc, err := range t.db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		p := &payment{key: doc.ID}
		if err := doc.Decode(p); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// repair takes one payment as far as it goes.
func (t *Till) repair(ctx context.Context, p *payment) (*payment, error) {
	switch p.State {
	case Reserved:
		return t.abandon(ctx, p)
	case Refused:
		return t.recheck(ctx, p)
	}
	return t.advance(ctx, p)
}

// recheck asks the chain about a payment that a facilitator refused to settle.
func (t *Till) recheck(ctx context.Context, p *payment) (after *payment, err error) {
	signed, failed := p.decode()
	fate := facilitator.Unknown
	if failed == nil {
		fate, _, failed = t.o.Facilitator.Trace(ctx, signed, p.Terms.x402(), p.Purchase.At.Time)
	}
	charged := failed == nil && fate == facilitator.Paid
	if charged {
		t.o.Log.ErrorContext(ctx, "a refused payment was charged", "purchase", p.Purchase.ID, "reason", p.Reason)
	}
	err = t.db.Update(ctx, func(tx store.Tx) error {
		after = &payment{key: p.key}
		if err := tx.Get(after.path(), after); err != nil || after.State != Refused {
			return err
		}
		after.recheck(charged, failed, t.o.Now())
		return tx.Set(after.path(), after)
	})
	if err != nil {
		return p, err
	}
	return after, nil
}

// abandon refuses a payment that was never sent to be settled, unless its call has
// done so meanwhile.
func (t *Till) abandon(ctx context.Context, p *payment) (after *payment, err error) {
	err = t.db.Update(ctx, func(tx store.Tx) error {
		after = &payment{key: p.key}
		if err := tx.Get(after.path(), after); err != nil || after.State != Reserved {
			return err
		}
		after.Reason = ReasonAbandoned
		after.end(Refused, t.o.Now())
		return tx.Set(after.path(), after)
	})
	if err != nil {
		return p, err
	}
	return after, nil
}

var openPayments = store.Query{Collection: payments, Where: []store.Filter{{Field: "state", Op: store.Eq, Value: string(Open)}}}

// Open returns the receipts of payments of which it cannot be found out whether they
// were charged, the newest first, 200 at most. The operator decides them.
func (t *Till) Open(ctx context.Context) ([]Receipt, error) {
	if t.Free() {
		return nil, nil
	}
	q := openPayments
	q.Limit = maxOpen
	list, err := t.query(ctx, q)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	var open []Receipt
	for _, p := range list {
		open = append(open, p.receipt())
	}
	slices.SortFunc(open, func(a, b Receipt) int { return b.At.Compare(a.At.Time) })
	return open, nil
}

// ErrNoReceipt means that no open receipt has the id that the operator gave.
var ErrNoReceipt = fault.New(fault.NotFound, "open_receipt_not_found")

// Retry tries to find out the outcome of an open receipt once more: it asks the chain,
// and then a facilitator to settle the payment, and delivers what was charged. It
// returns the receipt as it is then. A receipt that is open because a refused payment
// was charged stays as it is: its order is deleted, so the operator returns the money.
func (t *Till) Retry(ctx context.Context, id string) (r Receipt, err error) {
	if t.Free() {
		return r, ErrNoReceipt
	}
	q := openPayments
	q.Limit = maxOpen
	list, err := t.query(ctx, q)
	if err != nil {
		return r, fault.OrUnavailable(err)
	}
	i := slices.IndexFunc(list, func(p *payment) bool { return p.Purchase.ID == id })
	if i < 0 {
		return r, ErrNoReceipt
	}
	after, err := t.advance(ctx, list[i])
	return after.receipt(), fault.OrUnavailable(err)
}
