// Package price lists what the service sells and what it costs.
//
// The list is the only one: an endpoint names the products that it sells, and the
// terms of a 402, GET /api/pricing, GET /api/billing, the payment manifest and the
// OpenAPI document are computed from it.
package price

import (
	"fmt"
	"slices"

	"miramundo.dev/shared/fault"
)

// Faults of paid calls.
var (
	// ErrRequired means that the call is paid and shows no payment. Its field
	// "accepts" holds the terms.
	ErrRequired = fault.New(fault.Unpaid, "payment_required")
	// ErrRefused means that the payment shown does not pay for this call: its field
	// "reason" says why and "accepts" holds the terms. Nothing was charged.
	ErrRefused = fault.New(fault.Unpaid, "payment_refused")
	// ErrMalformed means that the payment shown cannot be read.
	ErrMalformed = fault.New(fault.Invalid, "payment_malformed")
	// ErrPending means that it is not known yet whether the payment was settled. Its
	// field "receipt" holds what is known. Repeating the call with the same payment
	// finds out, and charges nothing twice.
	ErrPending = fault.New(fault.Unavailable, "payment_pending").With("retry_after", 5)
	// ErrUnavailable means that payments cannot be taken now. Nothing was charged.
	ErrUnavailable = fault.New(fault.Unavailable, "pass_unavailable").With("retry_after", 5)
	// ErrNotRecorded means that the payment was settled and what was bought could not
	// be stored yet. Its field "receipt" names the payment. The service delivers within
	// minutes; repeating the call with the same payment delivers earlier.
	ErrNotRecorded = fault.New(fault.Unavailable, "pass_not_recorded").With("retry_after", 5)
)

// Faults lists the faults of paid calls.
func Faults() []*fault.Error {
	return []*fault.Error{ErrRequired, ErrRefused, ErrMalformed, ErrPending, ErrUnavailable, ErrNotRecorded}
}

// An Amount is a sum of money in millionths of a US dollar, which are the atomic
// units of the stablecoin.
type Amount int64

// Cent is one hundredth of a dollar.
const Cent Amount = 10_000

// USD returns a in dollars with at least two decimals, such as "0.10".
func (a Amount) USD() string {
	sign, micros := "", int64(a)
	if a < 0 {
		sign, micros = "-", -micros
	}
	text := fmt.Sprintf("%s%d.%06d", sign, micros/1_000_000, micros%1_000_000)
	for n := 0; n < 4 && text[len(text)-1] == '0'; n++ {
		text = text[:len(text)-1]
	}
	return text
}

// A Product names something that is sold. It is stored in the register of purchases.
type Product string

// The products.
const (
	ChatPass   Product = "chat_30"
	Network30  Product = "network_30"
	Network90  Product = "network_90"
	Network365 Product = "network_365"
	Contact    Product = "contact"
	Credit1    Product = "credit_1"
	Credit5    Product = "credit_5"
	Credit10   Product = "credit_10"
	Credit25   Product = "credit_25"
)

// A Kind is what a product gives.
type Kind string

// The kinds.
const (
	Chat    Kind = "chat"    // writing in the chat for Days
	Network Kind = "network" // unlimited minutes of the hop for the network of the buyer, for Days
	Send    Kind = "contact" // one message to the operator
	Credit  Kind = "credit"  // a balance of Amount
)

// An Item is a product with its price.
type Item struct {
	Product     Product
	Kind        Kind
	Amount      Amount
	Days        int    // that it lasts; 0 for what does not last
	Description string // in English, as terms of payment show it
}

// Revised is when the list last changed.
const Revised = "2026-11-23T00:00:00Z"

var items = []Item{
	{ChatPass, Chat, 10 * Cent, 30, "Chat write pass, 30 days"},
	{Network30, Network, 10 * Cent, 30, "TV on the current network, 30 days"},
	{Network90, Network, 29 * Cent, 90, "TV on the current network, 90 days"},
	{Network365, Network, 99 * Cent, 365, "TV on the current network, 365 days"},
	{Contact, Send, 10 * Cent, 0, "One message to the operator"},
	{Credit1, Credit, 100 * Cent, 0, "Credit of 1 USD"},
	{Credit5, Credit, 500 * Cent, 0, "Credit of 5 USD"},
	{Credit10, Credit, 1000 * Cent, 0, "Credit of 10 USD"},
	{Credit25, Credit, 2500 * Cent, 0, "Credit of 25 USD"},
}

// All returns every item, in the order in which they are shown.
func All() []Item { return slices.Clone(items) }

// Find returns the item of a product, and whether it is sold.
func Find(p Product) (Item, bool) {
	i := slices.IndexFunc(items, func(it Item) bool { return it.Product == p })
	if i < 0 {
		return Item{}, false
	}
	return items[i], true
}

// Of returns the item of a product that is sold.
func Of(p Product) Item {
	it, ok := Find(p)
	if !ok {
		panic("price: no product " + string(p))
	}
	return it
}
