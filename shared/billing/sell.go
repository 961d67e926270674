package billing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"miramundo.dev/shared/billing/credit"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// Sell sells what a call wants to buy, for the payment that it shows or else for its
// credit. The caller must check first that the buyer does not have it already: a
// payment for a valid pass extends the pass. Once a payment is reserved, Sell goes on
// when ctx is canceled.
//
// Its errors are the faults of package price, with their fields, as the table of the
// package says. Any other error is a defect of the caller: an order that lacks what
// its delivery needs.
func (t *Till) Sell(ctx context.Context, o Order, c identity.Credentials) (Sale, error) {
	if err := o.check(); err != nil {
		return Sale{}, err
	}
	if t.Free() {
		return Sale{}, price.ErrUnavailable.Because(errFree)
	}
	p, err := x402.Parse(c.Payment, c.Signature)
	switch {
	case err != nil:
		return Sale{}, err
	case p != nil:
		return t.sellForPayment(ctx, o, p)
	case c.Credit != "" && price.Of(o.Products[0]).Kind != price.Credit:
		return t.sellForCredit(ctx, o, c.Credit)
	}
	return Sale{}, t.Offer(o, "").Fault()
}

// Sold returns the sale of a call that is repeated: the payment that it shows was made
// for the same order and is delivered. It is for a buyer that has the thing already,
// for which Sell must not be called.
func (t *Till) Sold(ctx context.Context, o Order, c identity.Credentials) (Sale, bool) {
	p, err := x402.Parse(c.Payment, c.Signature)
	if t.Free() || err != nil || p == nil || p.From == "" {
		return Sale{}, false
	}
	stored, err := t.find(ctx, p.Key())
	if err != nil || stored == nil || stored.State != Delivered || stored.Bound != o.boundTo(p) {
		return Sale{}, false
	}
	return stored.sale(), true
}

// sellForPayment finds the payment of a call that is repeated, or reserves it, and
// takes it as far as it goes.
func (t *Till) sellForPayment(ctx context.Context, o Order, p *x402.Payment) (Sale, error) {
	stored, err := t.reserved(ctx, o, p)
	if err != nil {
		return Sale{}, err
	}
	if stored.Bound != o.boundTo(p) {
		return Sale{}, t.Offer(o, ReasonUsed).Fault()
	}
	after, err := t.advance(context.WithoutCancel(ctx), stored)
	switch after.State {
	case Delivered:
		return after.sale(), nil
	case Refused:
		return Sale{}, t.Offer(o, after.Reason).Fault()
	case Reserved:
		return Sale{}, price.ErrUnavailable.Because(err)
	case Settled:
		return Sale{}, price.ErrNotRecorded.With("receipt", after.receipt()).Because(err)
	}
	return Sale{}, price.ErrPending.With("receipt", after.receipt()).Because(errors.Join(errUnsettled, err))
}

// reserved returns the stored payment of p, which it verifies and reserves when it is
// new. Its error is a fault of package price, and nothing was charged.
func (t *Till) reserved(ctx context.Context, o Order, p *x402.Payment) (*payment, error) {
	if p.From != "" { // its network and scheme are supported
		stored, err := t.find(ctx, p.Key())
		if err != nil {
			return nil, price.ErrUnavailable.Because(err)
		}
		if stored != nil {
			return stored, nil
		}
	}
	terms, reason := t.Offer(o, "").Match(p, t.o.Now())
	if reason == "" {
		var err error
		if reason, err = t.verify(ctx, o, p, terms); err != nil {
			return nil, price.ErrUnavailable.Because(err)
		}
	}
	if reason != "" {
		return nil, t.Offer(o, reason).Fault()
	}
	stored := newPayment(o, p, terms, t.o.Now())
	err := t.db.Create(ctx, stored.path(), stored)
	if errors.Is(err, store.ErrExists) { // the same call, at the same time
		stored, err = t.find(ctx, p.Key())
	}
	if err != nil || stored == nil {
		return nil, price.ErrUnavailable.Because(err)
	}
	return stored, nil
}

// verify returns the reason why a new payment is not valid, or why it would buy
// nothing.
func (t *Till) verify(ctx context.Context, o Order, p *x402.Payment, terms x402.Terms) (reason string, err error) {
	if o.Credit != "" && price.Of(terms.Product).Kind == price.Credit {
		if found, err := credit.Exists(ctx, t.db, o.Credit); err != nil || !found {
			return ReasonUnknownCredit, err
		}
	}
	v, err := t.o.Facilitator.Verify(ctx, p, terms)
	switch {
	case err != nil:
		return "", err
	case !v.Valid && v.Reason == "":
		return x402.ReasonVerifyError, nil
	case !v.Valid:
		return v.Reason, nil
	case v.Payer != "" && !strings.EqualFold(v.Payer, p.From):
		return "", errPayer
	}
	return "", nil
}

// sellForCredit spends a credit in the transaction that delivers. What the buyer has
// already is not charged; and the same message is sent and charged once, however often
// its call is repeated.
func (t *Till) sellForCredit(ctx context.Context, o Order, token string) (sale Sale, err error) {
	fresh := false
	err = t.db.Update(ctx, func(tx store.Tx) error {
		sale, fresh, err = t.spend(tx, o, token)
		return err
	})
	switch {
	case err == nil && fresh:
		t.sold(sale.Product)
		return sale, nil
	case err == nil:
		return sale, nil
	case errors.Is(err, credit.ErrUnknown):
		return Sale{}, t.Offer(o, ReasonUnknownCredit).Fault()
	case errors.Is(err, credit.ErrInsufficient):
		return Sale{}, t.Offer(o, ReasonInsufficient).Fault()
	}
	return Sale{}, price.ErrUnavailable.Because(err)
}

// spend spends a credit in tx, and reports whether that is a purchase, and not one that
// was made before.
func (t *Till) spend(tx store.Tx, o Order, token string) (sale Sale, fresh bool, err error) {
	now, item := t.o.Now(), price.Of(o.Products[0])
	purchase := &Purchase{ID: newID(), Product: item.Product, Amount: item.Amount, At: store.At(now)}
	if item.Kind == price.Send {
		purchase.ID = o.repeatedID(token)
		switch err := tx.Get(PurchasePath(purchase.ID), purchase); {
		case err == nil:
			return purchase.sale(), false, nil
		case !errors.Is(err, store.ErrNotFound):
			return Sale{}, false, err
		}
	}
	c, err := credit.Read(tx, token)
	if err != nil {
		return Sale{}, false, err
	}
	g, err := (&sold{item: item, order: o.stored(), now: now, purchase: purchase}).prepare(tx)
	switch {
	case err != nil:
		return Sale{}, false, err
	case !c.Found():
		return Sale{}, false, credit.ErrUnknown
	case !g.valid.IsZero():
		return Sale{Product: item.Product, Until: g.valid}, false, nil
	}
	if err := c.Add(tx, -item.Amount, item.Product, purchase.ID, now); err != nil {
		return Sale{}, false, err
	}
	if err := g.write(tx); err != nil {
		return Sale{}, false, err
	}
	return purchase.sale(), true, nil
}

// sale returns what a purchase for a credit bought.
func (p *Purchase) sale() Sale {
	return Sale{Product: p.Product, Charged: true, Until: p.Until.Time, Receipt: p.receipt(Delivered)}
}

// repeatedID returns an id for the purchase of a message with a credit, the same for
// each call with the same message.
func (o Order) repeatedID(token string) string {
	text := fmt.Sprintf("%s %q %q %q %x", credit.ID(token), o.Route, o.Owner, o.Network, sha256.Sum256(o.Data))
	sum := sha256.Sum256([]byte(text))
	return "pu_" + hex.EncodeToString(sum[:16])
}
