package localnet

import (
	"context"
	"net/http"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
)

// Verifying and settling check the same, in the order of real facilitators: first what
// the payload shows, then the balance, then whether the authorization was used. Only a
// settlement holds what it found, in the transaction of its transfer; between the two
// calls anything may change.

// check reads a request and checks its payment without the ledger. It returns the
// reason when the payment does not pay the terms.
func (n *Net) check(r *http.Request) (p *x402.Payment, reason string, err error) {
	var in facilitator.Request
	if err := read(r, &in); err != nil {
		return nil, "", err
	}
	t, reason := n.terms(in.X402Version, in.PaymentRequirements)
	if reason != "" {
		return nil, reason, nil
	}
	p, err = x402.Decode(in.PaymentPayload)
	if err != nil {
		return nil, x402.ReasonPayload, nil
	}
	if p.X402Version != in.X402Version {
		return p, x402.ReasonVersion, nil
	}
	_, reason = x402.Offer{Terms: []x402.Terms{t}}.Match(p, n.now())
	if reason == "" && len(p.Signature) != x402.SignatureSize {
		reason = x402.ReasonSignature // there are no contracts here that could sign
	}
	return p, reason, nil
}

func (n *Net) verify(r *http.Request) (any, error) {
	fault := n.fault.take(facilitator.VerifyPath)
	if answer, err := fault.before(r); answer != nil || err != nil {
		return answer, err
	}
	p, reason, err := n.check(r)
	if err == nil && reason == "" {
		reason, err = n.standing(r.Context(), p)
	}
	if err != nil {
		return nil, err
	}
	if fault == VerifyLie {
		reason = opposite(reason)
	}
	return x402.Verdict{Valid: reason == "", Reason: reason, Payer: payer(p)}, nil
}

func opposite(reason string) string {
	if reason == "" {
		return x402.ReasonFunds
	}
	return ""
}

// payer returns whom an answer names: nobody when the payload could not be read.
func payer(p *x402.Payment) string {
	if p == nil {
		return ""
	}
	return p.From
}

// standing returns the reason when the ledger would refuse a payment now.
func (n *Net) standing(ctx context.Context, p *x402.Payment) (string, error) {
	held, err := n.ledger.balance(ctx, p.From)
	if err != nil || held < p.Value {
		return x402.ReasonFunds, err
	}
	used, err := n.ledger.used(ctx, p.Key())
	if used {
		return x402.ReasonState, err
	}
	return "", err
}

func (n *Net) settle(r *http.Request) (any, error) {
	fault := n.fault.take(facilitator.SettlePath)
	if answer, err := fault.before(r); answer != nil || err != nil {
		return answer, err
	}
	p, reason, err := n.check(r)
	if err != nil {
		return nil, err
	}
	s := x402.Settlement{Reason: reason, Payer: payer(p), Network: n.asset.Network}
	if p != nil && p.X402Version == 2 {
		s.Network = n.asset.CAIP2
	}
	if reason == "" && fault != SettleLie {
		// A settlement that has begun is completed though the caller leaves.
		if s.Transaction, s.Reason, err = n.ledger.transfer(context.WithoutCancel(r.Context()), p, n.block()); err != nil {
			return nil, err
		}
	}
	s.Success = s.Reason == ""
	return fault.after(r, s)
}
