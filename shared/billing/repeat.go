package billing

import (
	"context"

	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// Repeats reports whether Sell has seen the payment of a call before, or whether the
// credit that it shows has paid for the same message: so that a limit on new sales does
// not stop a call that is repeated, which is not charged. It costs one read. It returns
// price.ErrMalformed for a payment that cannot be read, and price.ErrUnavailable when
// the database does not answer.
func (t *Till) Repeats(ctx context.Context, o Order, c identity.Credentials) (bool, error) {
	if t.Free() {
		return false, nil
	}
	p, err := x402.Parse(c.Payment, c.Signature)
	if err != nil {
		return false, err
	}
	var path store.Path
	switch {
	case p != nil && p.From != "":
		path = payments.Join(p.Key())
	case p == nil && c.Credit != "" && len(o.Products) > 0 && price.Of(o.Products[0]).Kind == price.Send:
		path = PurchasePath(o.repeatedID(c.Credit))
	default:
		return false, nil
	}
	docs, err := t.db.GetAll(ctx, []store.Path{path})
	if err != nil {
		return false, price.ErrUnavailable.Because(err)
	}
	return docs[0].Decode != nil, nil
}
