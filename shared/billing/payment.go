package billing

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// A State is how far a payment is.
type State string

// The states. A payment is reserved, then settling, and ends as delivered, refused or
// open. A receipt is "settled" when the transaction that delivers has just failed.
const (
	Reserved  State = "reserved"  // stored, and not sent to be settled
	Settling  State = "settling"  // sent to be settled at least once, or about to be
	Settled   State = "settled"   // in receipts only: charged, and not delivered yet
	Delivered State = "delivered" // charged and delivered
	Refused   State = "refused"   // not charged
	Open      State = "open"      // it cannot be found out whether it was charged
)

const payments = store.Path("payments")

// A payment is a payment as it is stored. The texts of [payment.Secrets] are sealed, and
// deleted when the payment ends, except for the token of a bought credit, which calls
// that are repeated get, and for the payload of a refused payment until the chain was
// asked about it.
type payment struct {
	State       State       `json:"state"`
	Bound       string      `json:"bound"` // hash of the order and the authorization, see boundTo
	Order       order       `json:"order"`
	Terms       terms       `json:"terms"`
	Payload     string      `json:"payload"` // the payload in base64
	Version     int         `json:"version"` // of the protocol
	ValidBefore store.Time  `json:"valid_before"`
	Attempts    int         `json:"attempts"`   // to settle
	BusyUntil   store.Time  `json:"busy_until"` // an attempt may run until then
	DueAt       store.Time  `json:"due_at"`     // when the repair job takes it up; zero when it has ended
	Purchase    Purchase    `json:"purchase"`   // has its id from the start
	Credit      string      `json:"credit"`     // token of the credit that was delivered
	Reason      string      `json:"reason"`     // why it was refused
	ExpireAt    *store.Time `json:"expire_at"`  // nil while the payment has not ended

	key string
}

// Secrets implements sealed.Document.
func (p *payment) Secrets() []*string {
	return []*string{&p.Payload, &p.Credit, &p.Order.Credit, &p.Order.Data}
}

// An order is an Order as it is stored.
type order struct {
	Owner   identity.Owner `json:"owner"`
	Network string         `json:"network"`
	Credit  string         `json:"credit"`
	Data    string         `json:"data"` // in base64
}

func (o Order) stored() order {
	return order{o.Owner, o.Network, o.Credit, base64.StdEncoding.EncodeToString(o.Data)}
}

// terms are x402.Terms as they are stored: a payment is settled by the terms that it
// was verified with, whatever the settings are by then.
type terms struct {
	Product     price.Product `json:"product"`
	Amount      price.Amount  `json:"amount"`
	URL         string        `json:"url"`
	Description string        `json:"description"`
	Network     string        `json:"network"`
	PayTo       string        `json:"pay_to"`
	Seconds     int           `json:"seconds"`
}

func storedTerms(t x402.Terms) terms {
	return terms{t.Product, t.Amount, t.URL, t.Description, t.Asset.Network, t.PayTo, int(t.Timeout / time.Second)}
}

// x402 returns the terms as they were offered.
func (t terms) x402() x402.Terms {
	asset, _ := x402.AssetOf(t.Network)
	return x402.Terms{
		Product: t.Product, Amount: t.Amount, URL: t.URL, Description: t.Description,
		Asset: asset, PayTo: t.PayTo, Timeout: time.Duration(t.Seconds) * time.Second,
	}
}

const (
	leaseFor   = 30 * time.Second    // how long an attempt may run: longer than a settlement waits
	expiryLag  = 10 * time.Minute    // by which the chain may lag behind the expiry of an authorization
	giveUpFor  = 24 * time.Hour      // after the expiry, when nobody answers
	patience   = 24 * time.Hour      // after which an authorization without a near end counts as expired
	keepFor    = 90 * 24 * time.Hour // how long an ended payment answers repeated calls
	recheckFor = time.Hour           // after which a refusal is checked at the latest
	maxBackoff = 10 * time.Minute    // between attempts of the repair job
	firstTry   = 30 * time.Second    // after which the repair job takes up a payment
)

// lastDay is the latest end of a stored payment. Wallets sign authorizations that never
// expire, and a moment after the year 9999 cannot be stored.
var lastDay = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// boundTo returns a hash of what a payment may be repeated for: the route, the owner,
// the network and the data of an order, and the authorization itself.
func (o Order) boundTo(p *x402.Payment) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %x\n", o.Route, o.Owner, o.Network, o.Credit, sha256.Sum256(o.Data))
	fmt.Fprintf(h, "%q %d %d %d %x", p.To, p.Value, p.ValidAfter.Unix(), p.ValidBefore.Unix(), p.Signature)
	return hex.EncodeToString(h.Sum(nil))
}

// newPayment returns the document of a payment that is to be reserved.
func newPayment(o Order, p *x402.Payment, t x402.Terms, now time.Time) *payment {
	return &payment{
		State: Reserved, Bound: o.boundTo(p), Order: o.stored(), Terms: storedTerms(t), key: p.Key(),
		Payload: base64.StdEncoding.EncodeToString(p.Raw), Version: p.X402Version,
		ValidBefore: store.At(p.ValidBefore), DueAt: store.At(now.Add(firstTry)),
		Purchase: Purchase{
			ID: newID(), Product: t.Product, Amount: t.Amount, Network: t.Asset.Network, Payer: p.From, At: store.At(now),
		},
	}
}

func (p *payment) path() store.Path { return payments.Join(p.key) }

// decode returns the payment as the client sent it.
func (p *payment) decode() (*x402.Payment, error) {
	raw, err := base64.StdEncoding.DecodeString(p.Payload)
	if err != nil {
		return nil, err
	}
	return x402.Decode(raw)
}

// receipt returns the receipt of a payment.
func (p *payment) receipt() Receipt {
	return p.Purchase.receipt(p.State)
}

// sale returns what a delivered payment bought.
func (p *payment) sale() Sale {
	settlement := x402.Settlement{Success: true, Payer: p.Purchase.Payer, Transaction: p.Purchase.Transaction, Network: p.Purchase.Network}
	return Sale{
		Product: p.Purchase.Product, Charged: true, Until: p.Purchase.Until.Time, Credit: p.Credit,
		Receipt: p.receipt(), Header: settlement.Header(p.Version),
	}
}

// begin marks the payment as settling, and reports whether it may be settled now: not
// when it has ended or is the operator's to decide, and not while another attempt may
// run.
func (p *payment) begin(now time.Time) bool {
	if p.ended() || p.isContradicted() || p.BusyUntil.Left(now, leaseFor) > 0 {
		return false
	}
	if p.State == Reserved {
		p.State = Settling
	}
	p.Attempts++
	p.BusyUntil = store.At(now.Add(leaseFor))
	p.DueAt = store.At(now.Add(max(leaseFor, p.backoff())))
	return true
}

// backoff returns how long the repair job waits before it tries again.
func (p *payment) backoff() time.Duration {
	return min(leaseFor<<min(p.Attempts, 8), maxBackoff)
}

// ended reports whether the outcome of the payment is final.
func (p *payment) ended() bool { return p.State == Delivered || p.State == Refused }

// end stores a final state, and deletes what only an attempt needs.
func (p *payment) end(s State, now time.Time) {
	p.State, p.DueAt, p.BusyUntil, p.Payload, p.Order = s, store.Time{}, store.Time{}, "", order{}
	expire := now.Add(keepFor)
	if last := p.ValidBefore.Add(24 * time.Hour); last.After(expire) {
		expire = last // until then the chain would accept it again if it was not used
	}
	if expire.After(lastDay) {
		expire = lastDay
	}
	at := store.At(expire)
	p.ExpireAt = &at
}

// refuse ends a payment that was sent to be settled and was not charged. A facilitator
// may be wrong about that, so the repair job asks the chain once more when the
// authorization is over.
func (p *payment) refuse(reason string, now time.Time) {
	payload, over := p.Payload, p.ValidBefore.Time
	if last := now.Add(recheckFor); over.After(last) {
		over = last
	}
	p.Reason = reason
	p.end(Refused, now)
	p.Payload, p.DueAt = payload, store.At(over.Add(leaseFor))
}

// recheck stores what the chain says of a refused payment. One that was charged all the
// same is an open receipt, and not a delivery: its order is deleted, and its payer may
// have bought the thing again.
func (p *payment) recheck(charged bool, err error, now time.Time) {
	switch {
	case charged:
		p.State, p.DueAt, p.ExpireAt = Open, store.Time{}, nil
	case err != nil && now.Sub(p.Purchase.At.Time) < giveUpFor:
		p.DueAt = store.At(now.Add(maxBackoff))
	default:
		p.Payload, p.DueAt = "", store.Time{}
	}
}

// isContradicted reports whether the payment was refused and charged all the same. Only
// the operator can decide it.
func (p *payment) isContradicted() bool { return p.State == Open && p.Reason != "" }

// An outcome is what is known after an attempt to settle.
type outcome struct {
	state       State // Delivered: it was charged; Refused or Reserved: it was not; Settling or Open: it is not known
	reason      string
	transaction string
}

// A finding is what an attempt found out. Its settlement is nil when no facilitator
// answered.
type finding struct {
	settlement  *x402.Settlement
	notTaken    bool // no facilitator began to settle
	fate        facilitator.Fate
	transaction string // of a fate that is Paid
	err         error  // of the question to the chain
}

// decided reports whether the chain has decided.
func (f finding) decided() bool {
	return f.err == nil && (f.fate == facilitator.Paid || f.fate == facilitator.Void)
}

// decide returns what a finding means for a payment. A refusal of the first attempt is
// final unless the chain shows the charge, or a node that is configured does not answer.
// When an attempt before had no answer, a refusal proves nothing: the money may be what
// that attempt has moved. The chain then decides; without a node it counts as paid when
// the nonce was used. It stays open when nothing can decide it.
func (p *payment) decide(f finding, now time.Time) outcome {
	if f.decided() {
		return p.byChain(f, now)
	}
	switch s := f.settlement; {
	case s != nil && s.Success:
		return outcome{state: Delivered, transaction: s.Transaction}
	case f.notTaken && p.Attempts == 1:
		return outcome{state: Reserved}
	case s != nil && p.Attempts == 1 && f.err == nil && isFinal(*s):
		return outcome{state: Refused, reason: s.Reason}
	case s != nil && p.Attempts > 1 && f.err == nil && f.fate == facilitator.Unknown && slices.Contains(usedReasons, s.Reason):
		return outcome{state: Delivered}
	}
	since := now.Sub(p.expiry())
	if since > giveUpFor || since > expiryLag && f.settlement != nil && f.err == nil {
		return outcome{state: Open}
	}
	return outcome{state: Settling}
}

// byChain returns what a fate that is final means for a payment.
func (p *payment) byChain(f finding, now time.Time) outcome {
	switch {
	case f.fate == facilitator.Paid:
		return outcome{state: Delivered, transaction: f.transaction}
	case f.settlement != nil:
		return outcome{state: Refused, reason: f.settlement.Reason}
	case now.Before(p.ValidBefore.Time):
		return outcome{state: Refused, reason: x402.ReasonState}
	}
	return outcome{state: Refused, reason: x402.ReasonTooLate}
}

// expiry returns when the repair job stops expecting a settlement: at the end of the
// authorization, or earlier for one that is valid for longer than a payment waits.
func (p *payment) expiry() time.Time {
	if last := p.Purchase.At.Add(patience); last.Before(p.ValidBefore.Time) {
		return last
	}
	return p.ValidBefore.Time
}

// usedReasons are the reasons by which facilitators say that a nonce was used: the
// code of the protocol, and one that is in use beside it.
var usedReasons = []string{x402.ReasonState, "nonce_already_used"}

// isFinal reports whether a settlement that failed has surely charged nothing. An
// unexpected error, and one with a transaction that may still succeed, are not final.
func isFinal(s x402.Settlement) bool {
	return s.Reason == x402.ReasonState || s.Reason != x402.ReasonSettleError && s.Transaction == ""
}
