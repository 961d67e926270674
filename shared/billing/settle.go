package billing

import (
	"context"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// attemptFor is how long an attempt to settle may take. It is shorter than the lease
// of the attempt, so that two attempts never run at once.
const attemptFor = 25 * time.Second

// find returns the payment with a key, or nil.
func (t *Till) find(ctx context.Context, key string) (*payment, error) {
	p := &payment{key: key}
	switch err := t.db.Get(ctx, p.path(), p); {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return p, nil
}

// advance takes a payment as far as it goes now, and returns it as it is then. A
// payment that was charged and could not be stored is returned as settled, with the
// error.
func (t *Till) advance(ctx context.Context, p *payment) (*payment, error) {
	if p.ended() {
		return p, nil
	}
	began, mine, err := t.begin(ctx, p.key)
	switch {
	case err != nil:
		p.State = Settling // it may be marked although the database failed
		return p, err
	case !mine:
		return began, nil
	}
	result := began.decide(t.attempt(ctx, began), t.o.Now())
	after, err := t.conclude(ctx, began, result)
	if err == nil {
		return after, nil
	}
	if result.state == Delivered {
		began.State, began.Purchase.Transaction = Settled, result.transaction
	}
	t.o.Log.ErrorContext(ctx, "the outcome of a payment is not stored", "purchase", began.Purchase.ID,
		"outcome", string(result.state), "transaction", result.transaction, "cause", err.Error())
	return began, err
}

// begin marks a payment as settling, and reports whether the caller may settle it now.
func (t *Till) begin(ctx context.Context, key string) (p *payment, mine bool, err error) {
	err = t.db.Update(ctx, func(tx store.Tx) error {
		p = &payment{key: key}
		if err := tx.Get(p.path(), p); err != nil {
			return err
		}
		if mine = p.begin(t.o.Now()); !mine {
			return nil
		}
		return tx.Set(p.path(), p)
	})
	return p, mine, err
}

// attempt asks the chain, when an attempt before had no answer, and then a facilitator
// to settle the payment. A refusal of the first attempt follows a verification by
// moments, so the chain is asked whether the facilitator has charged all the same.
func (t *Till) attempt(ctx context.Context, p *payment) (f finding) {
	signed, err := p.decode()
	if err != nil { // its key is gone
		f.err = err
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, attemptFor)
	defer cancel()
	trace := func() {
		f.fate, f.transaction, f.err = t.o.Facilitator.Trace(ctx, signed, p.Terms.x402(), p.Purchase.At.Time)
	}
	if p.Attempts > 1 {
		if trace(); f.decided() {
			return f
		}
	}
	s, err := t.o.Facilitator.Settle(ctx, signed, p.Terms.x402())
	if err == nil {
		err = checkSettlement(s, signed)
	}
	if err == nil {
		f.settlement = &s
		if !s.Success && p.Attempts == 1 {
			trace()
		}
		return f
	}
	f.notTaken = errors.Is(err, facilitator.ErrNotTaken)
	t.o.Log.WarnContext(ctx, "a settlement has no answer", "purchase", p.Purchase.ID, "attempt", p.Attempts, "cause", err.Error())
	return f
}

// checkSettlement returns an error for an answer that cannot be right.
func checkSettlement(s x402.Settlement, p *x402.Payment) error {
	switch {
	case s.Success && s.Transaction == "":
		return errUnsettled
	case s.Success && s.Payer != "" && !strings.EqualFold(s.Payer, p.From):
		return errPayer
	}
	return nil
}

// conclude stores what an attempt means for a payment, and delivers what was paid for
// in the same transaction. It returns the payment as it is then.
func (t *Till) conclude(ctx context.Context, began *payment, result outcome) (after *payment, err error) {
	delivers := false // in this transaction, and not in one before
	err = t.db.Update(ctx, func(tx store.Tx) error {
		after, delivers = &payment{key: began.key}, false
		if err := tx.Get(after.path(), after); err != nil {
			return err
		}
		now := t.o.Now()
		switch last := after.Attempts == began.Attempts; {
		case after.State == Delivered, after.State == Refused && result.state != Delivered:
			return nil
		case after.State == Refused: // and charged all the same: the operator must see it
			after.State, after.ExpireAt = Open, nil
		case result.state == Delivered:
			delivers = true
			return after.deliver(tx, result, now)
		case !last:
			return nil
		case result.state == Refused:
			after.refuse(result.reason, now)
		case result.state == Open, after.State == Open:
			after.State, after.DueAt, after.BusyUntil = Open, store.Time{}, store.Time{}
		case result.state == Reserved:
			after.State, after.Attempts = Reserved, 0
			after.BusyUntil, after.DueAt = store.Time{}, store.At(now.Add(firstTry))
		default:
			after.BusyUntil = store.Time{}
		}
		return tx.Set(after.path(), after)
	})
	if err == nil && delivers {
		t.sold(after.Terms.Product)
	}
	return after, err
}

// deliver stores what was paid for, and the payment as delivered.
func (p *payment) deliver(tx store.Tx, result outcome, now time.Time) error {
	s := &sold{item: price.Of(p.Terms.Product), order: p.Order, now: now, purchase: &p.Purchase}
	p.Purchase.Transaction = result.transaction
	g, err := s.prepare(tx)
	if err != nil {
		return err
	}
	if err := g.write(tx); err != nil {
		return err
	}
	p.end(Delivered, now)
	p.Credit = s.token
	return tx.Set(p.path(), p)
}
