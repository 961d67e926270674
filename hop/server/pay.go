package server

import (
	"errors"
	"maps"

	"miramundo.dev/hop/allowance"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
)

// A network that has spent its free minutes is answered 402 with the terms of three
// passes. The call that is repeated with a payment for one of them buys it and is
// answered with the playlist; a credit buys the shortest. The pass is in force for the
// whole network: here at once, at other hops within seconds (package networkpass).
//
// A payment is taken whenever it is shown for a live playlist, also while minutes are
// free, because the caller asks to pay: the pass then begins at once. A credit, which
// programs may send with every call, is spent only when the network would be refused.

// passes are the products that the hop sells, the one that a credit buys first.
var passes = []price.Product{price.Network30, price.Network90, price.Network365}

// payRoute names the sale. It is the same for every stream and playlist, so that a
// payment may be repeated at any of them.
const payRoute = "GET " + catalog.StreamsPath + "{id}"

// meter counts a minute for the caller's network. It sells a pass first when the call
// shows a payment, and when the network has no minutes left and the call shows a
// credit.
func (p *playing) meter(c identity.Caller) error {
	var sale billing.Sale
	var err error
	paid := p.showsPayment() && p.sells(c)
	if paid {
		if sale, err = p.sell(c); err != nil {
			return err
		}
	}
	err = p.Allowance.Watch(c)
	if errors.Is(err, allowance.ErrSpent) && p.sells(c) {
		if paid || p.Credentials().Credit == "" {
			return p.offer(c, err)
		}
		sale, err = p.sell(c)
	}
	if err != nil {
		return err
	}
	maps.Copy(p.Writer().Header(), sale.Header)
	return nil
}

// showsPayment reports whether the call shows a payment of either version.
func (p *playing) showsPayment() bool {
	h := p.Request.Header
	return len(h["X-Payment"]) > 0 || len(h["Payment-Signature"]) > 0
}

// sells reports whether the caller's network can buy a pass: payments are taken, and
// the network is known.
func (p *playing) sells(c identity.Caller) bool {
	return !p.Till.Free() && p.Passes.Name(c) != ""
}

// order returns what the call may buy. The pass is listed for the owner too, when the
// caller is identified.
func (p *playing) order(c identity.Caller) billing.Order {
	return billing.Order{
		Products: passes, Route: payRoute, URL: p.HopURL + p.Request.URL.Path, Owner: identity.Owner(c.Guest), Network: p.Passes.Name(c),
	}
}

// sell sells a pass for what the call shows.
func (p *playing) sell(c identity.Caller) (billing.Sale, error) {
	sale, err := p.Till.Sell(p.Request.Context(), p.order(c), p.Credentials())
	if err == nil {
		p.Passes.Sold(c, sale.Until)
	}
	return sale, err
}

// offer adds the terms of the passes to an ErrSpent.
func (p *playing) offer(c identity.Caller, spent error) error {
	return fault.From(spent).With("x402Version", 1).With("accepts", p.Till.Offer(p.order(c), ""))
}
