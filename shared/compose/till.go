package compose

import (
	"context"
	"errors"
	"fmt"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/usage"
)

// errUnsealed refuses to sell where the tokens of credits would be stored as they are.
var errUnsealed = errors.New("PAYMENT_TO needs GUEST_KEYS, which seal payments and tokens of credits in the database")

// openTill opens what sells. Without PAYMENT_TO it is a till that sells nothing.
func (p *Parts) openTill() error {
	o := billing.Options{DB: p.DB, Log: p.Log, Now: p.Now, Sold: func(product price.Product) { p.Usage.Add(usage.Purchases, string(product)) }}
	if c := p.Config; c.PaymentTo != "" {
		if c.GuestKeys.Check() != nil {
			return errUnsealed
		}
		asset, known := x402.AssetOf(c.PaymentNetwork)
		payTo, valid := x402.ParseAddress(c.PaymentTo)
		if !known || !valid {
			return fmt.Errorf("payments on %s to %s cannot be taken", c.PaymentNetwork, c.PaymentTo)
		}
		o.Asset, o.PayTo = asset, payTo
		o.Facilitator = facilitator.New(facilitator.Options{URLs: c.PaymentFacilitators, RPC: c.PaymentRPC, Now: p.Now, Log: p.Log})
	}
	p.Till = billing.New(o)
	return nil
}

// PaymentsJob returns the job that ends payments which their calls left undecided.
func (p *Parts) PaymentsJob() (job.Job, error) {
	return job.Job{Name: billing.Job, Run: func(ctx context.Context, _ job.Order) (any, error) {
		return p.Till.Repair(ctx)
	}}, nil
}
