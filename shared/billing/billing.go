// Package billing sells what the service charges for, for payments (x402) and for
// prepaid credits, and keeps the register of everything that was sold.
//
//	payments/{key}                    a payment: its order, how far it is, its answer
//	purchases/{id}                    a Purchase: the global register, without owners
//	owners/{owner}/kept/purchases     a List of the newest purchases of an owner
//	contacts/{id}                     a Contact: a paid message that waits to be sent
//
// Passes and balances are in the packages pass and credit. A payment is named by a
// hash of its network, asset, payer and nonce, of which a chain settles each once.
//
// [Till.Sell] takes a payment through fixed steps: it parses the payment, matches it
// with an offer, lets a facilitator verify it, reserves it by creating its document,
// marks it as settling, lets a facilitator settle it, and stores purchase and delivery
// in one transaction. Nothing is sent to be settled before it is marked, so a payment
// that is only reserved was not charged; and what is marked is settled again by a
// repeated call or by the repair job until its outcome is known. A credit is spent in
// the same transaction that delivers what it buys.
//
//	what happens                                           answer                      charged
//	no payment and no credit                               payment_required            no
//	the header cannot be read                              payment_malformed           no
//	wrong amount, asset, network, receiver or signature,
//	  expired, not yet valid                               payment_refused, reason     no
//	a facilitator finds the payment not valid              payment_refused, reason     no
//	no facilitator verifies it                             pass_unavailable            no
//	its reservation cannot be stored                       pass_unavailable            no
//	the facilitator declines to settle it                  payment_refused, reason     no
//	likewise, and the chain shows that it was charged      the thing is delivered      once
//	likewise, and the node is silent                       payment_pending, receipt    decided later
//	the settlement has no answer, or one that is wrong     payment_pending, receipt    decided later
//	the same call again, while that is not decided         payment_pending, receipt    once at most
//	settled, and the delivery cannot be stored             pass_not_recorded, receipt  once; delivered later
//	the same call again after that                         the first answer            once
//	the same payment for another route, owner or body      payment_refused,
//	                                                         payment_used              not again
//	the outcome cannot be found out after it expired       payment_pending, receipt    the receipt stays open
//	refused, and the chain shows later that it was charged payment_pending, receipt    the receipt opens later
//	a credit is unknown                                    payment_refused,
//	                                                         unknown_credit            no
//	a credit does not suffice                              payment_refused,
//	                                                         insufficient_credit       no
//	a credit is shown for a pass that is valid             the pass as it is           no
//
// The reasons of the protocol, and those of this package, are in the field "reason".
//
// A facilitator is configured by the operator and trusted: what it settled is
// delivered. What it refused is checked by the chain at once and once more later, where
// a node is configured: a facilitator that repeats its own transaction may refuse what it
// has charged. "The nonce was used" after an attempt of ours without an answer proves
// less: it may be that attempt, or the payer, who cancels the authorization or uses its
// nonce for another transfer in the meantime. Where a node of the network is configured
// (PAYMENT_RPC), only a transfer to us that it shows counts as paid. Without a node the
// word of the facilitator counts, so that an honest payer loses nothing; a service that
// sells for real money should have a node.
//
//	billing.go    the exported types, and the Till
//	sell.go       from a call to its answer
//	payment.go    the stored payment, and what an attempt to settle means for it
//	settle.go     the steps from a reserved payment to a delivered one
//	deliver.go    what each kind of product gives
//	register.go   purchases, and what belongs to an owner: claim, removal, export
//	repair.go     the job that ends payments that a call left
package billing

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"miramundo.dev/shared/billing/credit"
	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// Reasons of this package, in the field "reason" of price.ErrRefused.
const (
	ReasonUsed          = "payment_used"        // the payment was shown for another route, owner or body
	ReasonAbandoned     = "payment_abandoned"   // the call ended before the payment was sent to be settled
	ReasonInsufficient  = "insufficient_credit" // the balance is less than the price
	ReasonUnknownCredit = "unknown_credit"      // the credit token was never sold
)

// MaxData is how many bytes the data of an order may have.
const MaxData = 32 << 10

// An Order is what a call wants to buy.
type Order struct {
	Products []price.Product // to choose from: the amount of a payment chooses, a credit buys the first
	Route    string          // of the call, such as "POST /api/chat/pass"
	URL      string          // absolute, of the call
	Owner    identity.Owner  // who gets a chat pass, and whose list the purchase is in; may be empty
	Network  string          // name of the caller's network (identity.NetworkNames): gets a network pass
	Credit   string          // token of the credit to top up; empty to buy a new one
	Data     []byte          // what delivery needs, such as the message of a contact, or what a repeated call must show; stored sealed
}

// A Sale is what a call bought. A call that is repeated gets the Sale of the first.
type Sale struct {
	Product price.Product
	Charged bool        // false when a credit was shown for something that is valid already
	Until   time.Time   // of a pass
	Credit  string      // token of the credit that was bought or topped up
	Receipt Receipt     // zero when nothing was charged
	Header  http.Header // names the settlement of a payment; nil for a credit
}

// A Receipt names a purchase, or a payment that may become one.
type Receipt struct {
	ID          string        `json:"id" description:"Id of the purchase."`
	Product     price.Product `json:"product" description:"Product that was bought."`
	AmountUSD   string        `json:"amount_usd" description:"Amount in US dollars, such as 0.10."`
	Network     string        `json:"network,omitempty" description:"Network on which it was paid; absent for a credit."`
	Payer       string        `json:"payer,omitempty" description:"Address of the payer; absent for a credit."`
	Transaction string        `json:"transaction,omitempty" description:"Hash of the transaction on the chain, where it is known."`
	At          store.Time    `json:"at" type:"string" format:"date-time"`
	State       State         `json:"state" description:"delivered; settling or settled while the outcome is not stored; open when it cannot be found out."`
}

// A Facilitator verifies and settles payments. An error of Verify or Settle means that
// no facilitator gave an answer that makes sense; a settlement may then have happened
// or not.
type Facilitator interface {
	Verify(context.Context, *x402.Payment, x402.Terms) (x402.Verdict, error)
	Settle(context.Context, *x402.Payment, x402.Terms) (x402.Settlement, error)
	// Trace returns what the chain shows of the authorization of a payment that was
	// reserved at a moment, and the transaction of one that is paid.
	Trace(ctx context.Context, p *x402.Payment, t x402.Terms, since time.Time) (facilitator.Fate, string, error)
}

// Options are what a Till uses. All fields are required by a Till that sells.
type Options struct {
	DB          store.DB // which seals texts (package sealed)
	Facilitator Facilitator
	Asset       x402.Asset // that is taken
	PayTo       string     // address of the receiver, checksummed; empty when nothing is sold
	Log         *slog.Logger
	Now         func() time.Time

	// Sold is called once for each purchase that is delivered, by the process that
	// delivers it. Nil is not called.
	Sold func(price.Product)
}

// A Till sells. Its methods may be called concurrently, also in several processes.
type Till struct {
	o  Options
	db store.DB
}

// New returns a Till that uses o.
func New(o Options) *Till { return &Till{o: o, db: o.DB} }

// sold reports a purchase that is delivered.
func (t *Till) sold(product price.Product) {
	if t.o.Sold != nil {
		t.o.Sold(product)
	}
}

// Free reports whether nothing is sold, because no receiver of payments is configured.
// What is sold otherwise is then free of charge. A nil Till is free.
func (t *Till) Free() bool { return t == nil || t.o.PayTo == "" }

// timeout is how long an authorization should be valid: long enough for a settlement
// without an answer to be repeated.
const timeout = 5 * time.Minute

// Offer returns the terms of an order, in the order of its products. The reason says
// why a payment was refused; empty when none was shown. A free Till offers nothing.
func (t *Till) Offer(o Order, reason string) x402.Offer {
	offer := x402.Offer{Reason: reason}
	if t.Free() {
		return offer
	}
	for _, p := range o.Products {
		item := price.Of(p)
		offer.Terms = append(offer.Terms, x402.Terms{
			Product: p, Amount: item.Amount, URL: o.URL, Description: item.Description,
			Asset: t.o.Asset, PayTo: t.o.PayTo, Timeout: timeout,
		})
	}
	return offer
}

// Statement returns the balance of a credit token, and up to limit of its entries
// after the first offset, the newest first. It returns credit.ErrUnknown for a token
// that was never sold.
func (t *Till) Statement(ctx context.Context, token string, limit, offset int) (credit.Statement, error) {
	s, err := credit.Load(ctx, t.db, token, limit, offset)
	return s, fault.OrUnavailable(err)
}

// Purchases returns the newest purchases of an owner, the newest first.
func (t *Till) Purchases(ctx context.Context, owner identity.Owner) ([]Purchase, error) {
	list, err := PurchasesOf(ctx, t.db, owner)
	return list.Purchases, fault.OrUnavailable(err)
}

// Causes of failures, for the log.
var (
	errFree      = errors.New("billing: nothing is sold without PAYMENT_TO")
	errOrder     = errors.New("billing: the order lacks what its delivery needs")
	errData      = errors.New("billing: the data of the order is too large")
	errPayer     = errors.New("billing: the facilitator names another payer")
	errUnsettled = errors.New("billing: the outcome of the settlement is not known")
)

// check returns an error for an order that cannot be delivered, which is a defect of
// the caller. The answer to an order of a credit is a secret, and all that a payment
// shows is public on the chain after its settlement: so such an order must have an
// owner or a network by which a repeated call is told from that of a stranger.
func (o Order) check() error {
	if len(o.Products) == 0 {
		return errOrder
	}
	if len(o.Data) > MaxData {
		return errData
	}
	for _, p := range o.Products {
		ok := false
		switch price.Of(p).Kind {
		case price.Chat:
			ok = o.Owner != ""
		case price.Network:
			ok = o.Network != ""
		case price.Send:
			ok = len(o.Data) > 0
		case price.Credit:
			ok = o.Owner != "" || o.Network != ""
		}
		if !ok {
			return errOrder
		}
	}
	return nil
}
