// Package quota lists what callers may use free of charge, and what is sold, as the
// index of the API and GET /api/pricing show it.
package quota

import "miramundo.dev/shared/price"

// Options are what a Quota depends on.
type Options struct {
	FreeMinutes int    // of live HLS that a network may watch on a day; 0 without a limit
	Comments    int    // that an owner may write in an hour
	Sells       bool   // payments are taken; otherwise everything is free of charge
	Base        string // address of the service, without a trailing slash
}

// A Quota is what is free of charge and what is sold. Its Portuguese names are part
// of the contract.
type Quota struct {
	Free     []Allowance `json:"free" nullable:"false" description:"Uses that are free of charge."`
	Paid     []Paid      `json:"paid" nullable:"false" description:"Products that are sold; empty while everything is free of charge."`
	HowToPay string      `json:"how_to_pay" description:"Instructions for paying for more, in one sentence."`
	Live     string      `json:"live" format:"uri" description:"Address of the prices in force and of the settings of payments."`
	FreeNow  []string    `json:"free_now" nullable:"false" description:"Uses that cost nothing now: the free quota, and the products that are free of charge while no payments are taken."`
}

// An Allowance is something that is free of charge.
type Allowance struct {
	What   string  `json:"o_que" description:"Name of the free thing."`
	Limit  *int    `json:"limite" description:"Number that is free within the window; null without a limit."`
	Window *string `json:"janela" enum:"hour,day" description:"Length of the window; null without a limit. Days begin at midnight UTC."`
}

// A Paid is something that is sold.
type Paid struct {
	What    string        `json:"o_que" description:"Name of the product."`
	USD     string        `json:"price_usd" description:"Price in US dollars, with at least two decimals."`
	Product price.Product `json:"product" description:"Name of the product, as POST /api/credits and receipts use it."`
	Days    *int          `json:"days" description:"Days for which the product lasts; null for one that does not last."`
}

const (
	howToPay = "Make the call without a payment: it answers 402 with the terms, in accepts for version 1 of x402 and in PAYMENT-REQUIRED for " +
		"version 2. Pay one of the terms and repeat the same call with the payment in X-PAYMENT or PAYMENT-SIGNATURE. Or buy a credit at " +
		"POST /api/credits, and send it in X-Credito or as a bearer token. Minutes of live HLS are bought in the same way from the " +
		"playlist server, when it answers 402."
	nothingSold = "No payments are taken: everything is free of charge."
)

// Paths of the documents about prices.
const (
	ListPath = "/api/pricing" // of the price list
	LivePath = "/api/billing" // of the prices in force
)

// Of returns the quota.
func Of(o Options) Quota {
	q := Quota{
		Free: []Allowance{
			{What: "Search, facets, detail records, guides, health, and reading comments and chats"},
			limited("Minutes of live HLS through the playlist server, for each network", o.FreeMinutes, "day"),
			limited("Comments, for each owner", o.Comments, "hour"),
		},
		Paid: []Paid{}, HowToPay: nothingSold, Live: o.Base + LivePath,
	}
	for _, a := range q.Free {
		q.FreeNow = append(q.FreeNow, a.What)
	}
	for _, it := range price.All() {
		switch {
		case o.Sells:
			q.Paid = append(q.Paid, paid(it))
		case it.Kind == price.Chat || it.Kind == price.Send:
			q.FreeNow = append(q.FreeNow, it.Description)
		}
	}
	if o.Sells {
		q.HowToPay = howToPay
	}
	return q
}

// limited returns an allowance of n within a window; 0 is no limit.
func limited(what string, n int, window string) Allowance {
	if n == 0 {
		return Allowance{What: what}
	}
	return Allowance{what, &n, &window}
}

func paid(it price.Item) Paid {
	p := Paid{What: it.Description, USD: it.Amount.USD(), Product: it.Product}
	if it.Days > 0 {
		p.Days = &it.Days
	}
	return p
}
