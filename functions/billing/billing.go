// Package billing is the function that shows prices, passes and the settings of
// payments, and sells prepaid credits.
//
// Every figure comes from the list of products (package price) and the settings of
// payments. Credits are sold by the till (package billing under shared). A credit needs
// no account: the holder of its token spends it.
package billing

import (
	"context"
	"slices"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/credit"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/price/quota"
	"miramundo.dev/shared/store"
)

const creditsPath = "/api/credits"

// Endpoints is this function's part of the API.
var Endpoints = slices.Concat([]api.Endpoint{
	api.Bind((*Server).billing, api.Endpoint{
		Name: "get_billing", Tool: true,
		Method: "GET", Path: quota.LivePath, Auth: api.None, Speaker: true, Cache: api.Private,
		Summary: "Get the settings of payments",
		Doc: "Returns the prices in force, how payments are taken, the caps of libraries, and whether the caller's network has a pass. " +
			"With a credential it also returns whether the caller may write in the chat, and the caller's passes. It charges nothing.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).pricing, api.Endpoint{
		Name: "get_pricing", Tool: true,
		Method: "GET", Path: quota.ListPath, Auth: api.None, Cache: api.Public(5 * time.Minute),
		Summary: "Get the price list",
		Doc:     "Returns what is free of charge with its limits, what is sold at which price, and how to pay. It charges nothing.",
	}),
	api.Bind((*Server).manifest, api.Endpoint{
		Name:   "get_payment_manifest",
		Method: "GET", Path: api.PaymentsPath, Auth: api.None, Cache: api.Public(5 * time.Minute),
		Summary: "Get the payment manifest",
		Doc: "Returns the network, the receiving wallet and every route that charges, with the terms of version 1 of x402. Directories of " +
			"paid services read it; GET /api/pricing is shorter.",
	}),
	api.Bind((*Server).buyCredit, api.Endpoint{
		Name:   "buy_credit",
		Method: "POST", Path: creditsPath, Auth: api.None, Speaker: true,
		Prices:  []price.Product{price.Credit1, price.Credit5, price.Credit10, price.Credit25},
		Summary: "Buy or top up a credit",
		Doc: "Sells a prepaid credit for a payment by x402: a new one, or more balance for the one that the call shows. Returns its token " +
			"and balance. The token is money: its holder spends it, and it cannot be recovered.",
		Faults: []*fault.Error{identity.ErrCredential},
	}),
	api.Bind((*Server).credit, api.Endpoint{
		Name:   "get_credit",
		Method: "GET", Path: creditsPath, Auth: api.None, Credit: true,
		Summary: "Get a credit's statement",
		Doc:     "Returns the balance of the credit that the call shows and a page of its entries, newest first. It charges nothing.",
		Faults:  []*fault.Error{credit.ErrUnknown, fault.ErrUnavailable},
	}),
}, purchases, operator)

// Options are what a Server is made from.
type Options struct {
	DB      store.DB
	Till    *billing.Till
	Keys    *keyring.Ring // that name networks
	Payment Payment
	Quota   quota.Options
	Table   []api.Endpoint // the endpoints of every function, of which the manifest lists those that charge
	Base    string         // address of the service, without a trailing slash
	Hop     string         // address of the stream hop, likewise
	Now     func() time.Time
}

// A Payment is what the settings say about payments, beside what the terms of the till
// say.
type Payment struct {
	Facilitator string // the first that is asked; empty without one
	Faucet      string // where test money is to be had; may be empty
	Dev         bool   // the process is not deployed
}

// A Server answers with prices and passes, and sells credits.
type Server struct {
	Options
	prices  pricing
	charges manifest
}

// New returns a server over o. Its documents that do not depend on the caller are made
// once.
func New(o Options) *Server {
	s := &Server{Options: o}
	s.prices = s.describePrices()
	s.charges = s.describeCharges()
	return s
}

// network returns the names of the caller's network, the name to store first; none
// when its address is not known.
func (s *Server) network(ctx context.Context) []string {
	return identity.NetworkNames(s.Keys, identity.Caller{Addr: api.AddrOf(ctx)})
}

// stamp returns a time as the API writes it; nil for the zero time.
func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.RFC3339)
	return &text
}
