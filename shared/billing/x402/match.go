package x402

import (
	"strings"
	"time"
)

// SettleTime is how long an authorization must still be valid for it to be settled
// in time. The reference facilitator asks for three blocks of two seconds.
const SettleTime = 6 * time.Second

// A check is a condition that a payment must meet for terms, with the code of the
// protocol for a payment that does not.
type check struct {
	reason string
	ok     func(p *Payment, t Terms, now time.Time) bool
}

// checks are in the order in which a refusal is of most use to the client.
var checks = []check{
	{ReasonScheme, func(p *Payment, _ Terms, _ time.Time) bool { return p.Scheme == Exact }},
	{ReasonNetwork, func(p *Payment, t Terms, _ time.Time) bool { return p.Network == t.Asset.name(p.X402Version) }},
	{ReasonRequirements, func(p *Payment, t Terms, _ time.Time) bool { return p.accepts(t) }},
	{ReasonRecipient, func(p *Payment, t Terms, _ time.Time) bool { return strings.EqualFold(p.To, t.PayTo) }},
	{ReasonAmount, func(p *Payment, t Terms, _ time.Time) bool { return p.Value == t.Amount }},
	{ReasonTooEarly, func(p *Payment, _ Terms, now time.Time) bool { return p.ValidAfter.Before(now) }},
	{ReasonTooLate, func(p *Payment, _ Terms, now time.Time) bool { return p.ValidBefore.After(now.Add(SettleTime)) }},
	{ReasonSignature, func(p *Payment, t Terms, _ time.Time) bool { return p.VerifySignature(t.Asset) == nil }},
}

// Match returns the terms of the offer that a payment pays exactly, or the reason
// why it pays none. Version 1 lets a payment be greater than the price; here it must
// be equal, because an offer may have several prices and the payment does not name
// what it is for.
func (o Offer) Match(p *Payment, now time.Time) (t Terms, reason string) {
	left := o.Terms
	for _, c := range checks {
		var met []Terms
		for _, t := range left {
			if c.ok(p, t, now) {
				met = append(met, t)
			}
		}
		if left = met; len(left) == 0 {
			return Terms{}, c.reason
		}
	}
	return left[0], ""
}

// accepts reports whether a payload of version 2 repeats the terms. Version 1 has
// only their network.
func (p *Payment) accepts(t Terms) bool {
	if p.X402Version == 1 {
		return true
	}
	return p.Asset == t.Asset.Address && p.accepted.amount == t.atomic() && strings.EqualFold(p.accepted.payTo, t.PayTo)
}
