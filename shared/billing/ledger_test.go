package billing

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"miramundo.dev/shared/billing/credit"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

// seeds are how many random histories TestLedger plays. A history is repeated by
// -run TestLedger/seed=17.
const seeds = 150

// TestLedger plays random histories of purchases, repeated calls, spent credits, time,
// repair jobs, crashes of the database at each call, and faults of the facilitator and
// of the chain. After each of them the books must balance: what the chain has received
// is what was delivered or is held in open receipts, every nonce that was used led to
// one delivery or one open receipt, and credits add up.
func TestLedger(t *testing.T) {
	n := seeds
	if testing.Short() {
		n = 15
	}
	seen := map[string]int{}
	for seed := range n {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			h := &history{world: newWorld(t, wiretest.OpenDB(t)), rnd: rand.New(rand.NewPCG(uint64(seed), 402)), seen: seen}
			h.chain.rpc = h.rnd.IntN(2) == 0
			for range 60 {
				h.step()
			}
			h.settleDown()
			h.check()
		})
	}
	t.Logf("%d histories: %v", n, seen)
	for _, want := range []string{"sold", "repeated", "spent", "payment_pending", "pass_not_recorded", "pass_unavailable", "payment_refused", "stored open", "stored refused"} {
		if seen[want] == 0 && !testing.Short() {
			t.Errorf("no history has %q", want)
		}
	}
}

// A history is a world with what was done in it.
type history struct {
	*world
	rnd     *rand.Rand
	shown   []call   // payments, each with the order that it was signed for
	tokens  []string // of credits that were answered
	answers []Sale   // to payments
	denied  bool     // a facilitator has denied a settlement
	seen    map[string]int
}

// A call is an order with the payment that it shows.
type call struct {
	order Order
	shown identity.Credentials
}

// step does something at random, often with a fault.
func (h *history) step() {
	h.fault()
	defer h.well()
	switch h.rnd.IntN(10) {
	case 0, 1, 2:
		c := h.anyOrder()
		h.shown = append(h.shown, c)
		h.sell(c, "sold")
	case 3, 4:
		if len(h.shown) > 0 {
			h.sell(h.shown[h.rnd.IntN(len(h.shown))], "repeated")
		}
	case 5:
		if len(h.shown) > 0 { // the payment of one order for another
			h.sell(call{h.anyOrder().order, h.shown[h.rnd.IntN(len(h.shown))].shown}, "exchanged")
		}
	case 6, 7:
		h.spend()
	case 8:
		h.pass(time.Duration(h.rnd.Int64N(int64(3 * time.Minute))))
	case 9:
		_, _ = h.Repair(h.t.Context()) // fails when the database does
	}
}

// anyOrder returns an order with a new payment for one of its products.
func (h *history) anyOrder() call {
	o := []Order{chatOrder(), networkOrder(), creditOrder(), contactOrder(fmt.Sprint(h.rnd.IntN(3)))}[h.rnd.IntN(4)]
	if o.Products[0] == price.Credit1 && len(h.tokens) > 0 && h.rnd.IntN(2) == 0 {
		o.Credit = h.tokens[h.rnd.IntN(len(h.tokens))]
	}
	amount := price.Of(o.Products[h.rnd.IntN(len(o.Products))]).Amount
	return call{o, h.pay(signing{version: 1 + h.rnd.IntN(2), amount: amount})}
}

// sell makes a call, and checks what its answer says against the chain.
func (h *history) sell(c call, what string) {
	signed, err := x402.Parse(c.shown.Payment, c.shown.Signature)
	h.must(err)
	sale, err := h.Sell(h.t.Context(), c.order, c.shown)
	used := h.chain.used[signed.Key()]
	code, reason := reasonOf(err)
	switch {
	case err == nil:
		h.seen[what]++
		if !used || !sale.Charged {
			h.t.Errorf("%+v was sold without a transfer", sale)
		}
		if sale.Credit != "" {
			h.tokens = append(h.tokens, sale.Credit)
		}
		h.answers = append(h.answers, sale)
	case code == "payment_refused" && reason != ReasonUsed && used && !h.denied:
		h.t.Errorf("the refusal %q of a payment that was charged", reason)
	default:
		h.seen[code]++
	}
}

// spend spends a credit.
func (h *history) spend() {
	if len(h.tokens) == 0 {
		return
	}
	o := []Order{chatOrder(), networkOrder(), contactOrder(fmt.Sprint(h.rnd.IntN(40)))}[h.rnd.IntN(3)]
	if _, err := h.Sell(h.t.Context(), o, identity.Credentials{Credit: h.tokens[h.rnd.IntN(len(h.tokens))]}); err == nil {
		h.seen["spent"]++
	}
}

// fault lets something fail in the next step, in half of the cases.
func (h *history) fault() {
	faults := []func(){
		func() { h.db.Fail(1+h.rnd.IntN(5), h.rnd.IntN(2) == 0) },
		func() { h.process.OffAfter(h.rnd.IntN(4)) },
		func() { h.chain.verify = func() (x402.Verdict, error) { return x402.Verdict{}, errSilent } },
		func() { h.chain.rpcErr = errSilent },
		func() {
			h.chain.settle = []settle{lost, unsent, unsent, notTaken, declined, unexpected, lying, bare}[h.rnd.IntN(8)]
			if h.chain.rpc && h.rnd.IntN(4) == 0 { // without a node it would be believed
				h.chain.settle, h.denied = denied, true
			}
		},
		func() { h.chain.settle = lost; h.process.OffAfter(2) },
	}
	if n := h.rnd.IntN(2 * len(faults)); n < len(faults) {
		faults[n]()
	}
}

// well ends all faults. Time goes by, as a process that crashed takes time to start.
func (h *history) well() {
	h.db.Fail(0, false)
	h.process.On()
	h.chain.verify, h.chain.settle, h.chain.rpcErr = nil, nil, nil
	h.pass(time.Duration(h.rnd.Int64N(int64(time.Minute))))
}

// settleDown lets the repair job run until nothing is due.
func (h *history) settleDown() {
	h.pass(giveUpFor)
	h.repairAll()
}

// check checks the books.
func (h *history) check() {
	h.t.Helper()
	ctx := h.t.Context()
	held, delivered, purchases := price.Amount(0), price.Amount(0), 0
	for doc, err := range h.plain.Query(ctx, store.Query{Collection: payments}) {
		h.must(err)
		p := &payment{key: doc.ID}
		h.must(doc.Decode(p))
		h.seen["stored "+string(p.State)]++
		used := h.chain.used[p.key]
		var sold Purchase
		err := h.plain.Get(ctx, PurchasePath(p.Purchase.ID), &sold)
		switch {
		case p.State == Delivered && (!used || err != nil || sold.Amount != p.Terms.Amount):
			h.t.Errorf("a delivered payment of %s: used %t, purchase %+v, %v", p.Terms.Amount.USD(), used, sold, err)
		case p.State != Delivered && err == nil:
			h.t.Errorf("the purchase of a payment that is %s", p.State)
		case p.State == Refused && used:
			h.t.Errorf("a refused payment was charged: %s", p.Reason)
		case p.State == Reserved, p.State == Settling:
			h.t.Errorf("a payment stays %s", p.State)
		}
		switch {
		case p.State == Delivered:
			delivered += p.Terms.Amount
			purchases++
		case used:
			held += p.Terms.Amount
		}
	}
	if h.chain.received != delivered+held {
		h.t.Errorf("%s was received, %s delivered, and %s is held", h.chain.received.USD(), delivered.USD(), held.USD())
	}
	h.checkGoods(purchases)
	h.checkCredits()
}

// checkGoods checks that each purchase in the register gave what it sold, once.
func (h *history) checkGoods(paid int) {
	h.t.Helper()
	ctx, days, sold, own := h.t.Context(), map[price.Kind]int{}, map[price.Kind]int{}, 0
	for doc, err := range h.plain.Query(ctx, store.Query{Collection: register}) {
		h.must(err)
		var p Purchase
		h.must(doc.Decode(&p))
		item := price.Of(p.Product)
		sold[item.Kind]++
		days[item.Kind] += item.Days
		if p.Network != "" {
			paid--
		}
		if item.Kind == price.Chat || item.Kind == price.Credit {
			own++
		}
	}
	if paid != 0 {
		h.t.Errorf("%d delivered payments are not in the register", paid)
	}
	contacts, err := h.plain.Count(ctx, store.Query{Collection: Contacts})
	if err != nil || contacts != sold[price.Send] {
		h.t.Errorf("%d messages, %v; want %d", contacts, err, sold[price.Send])
	}
	p, err := pass.Of(ctx, h.plain, guest)
	h.must(err)
	network, err := pass.NetworkUntil(ctx, h.plain, "n1")
	h.must(err)
	for kind, until := range map[price.Kind]time.Time{price.Chat: p.ChatUntil.Time, price.Network: network} {
		if sold[kind] == 0 {
			continue
		}
		if first := until.Add(-time.Duration(days[kind]) * 24 * time.Hour); first.Before(noon) || first.After(h.now()) {
			h.t.Errorf("%d days of %s end at %v", days[kind], kind, until)
		}
	}
	list, err := h.Purchases(ctx, guest)
	if err != nil || own > MaxList || len(list) < own-sold[price.Network] {
		h.t.Errorf("the owner has %d purchases, %v; want at least %d", len(list), err, own)
	}
	for _, s := range h.answers {
		if err := h.plain.Get(ctx, PurchasePath(s.Receipt.ID), new(Purchase)); err != nil {
			h.t.Errorf("the purchase %+v was answered: %v", s.Receipt, err)
		}
	}
}

// checkCredits checks that the entries of each credit add up to its balance, which is
// never negative, and that they are what the register has.
func (h *history) checkCredits() {
	h.t.Helper()
	ctx, total := h.t.Context(), map[bool]price.Amount{}
	for doc, err := range h.plain.Query(ctx, store.Query{Collection: "credits"}) {
		h.must(err)
		var b struct {
			Balance price.Amount `json:"balance"`
		}
		h.must(doc.Decode(&b))
		sum, last := price.Amount(0), int64(0)
		for doc, err := range h.plain.Query(ctx, store.Query{Collection: doc.Path.Join("entries"), OrderBy: "n"}) {
			h.must(err)
			var e credit.Entry
			h.must(doc.Decode(&e))
			sum += e.Amount
			if e.Balance != sum || sum < 0 || e.Number != last+1 {
				h.t.Errorf("the entry %+v, after which the sum is %d", e, sum)
			}
			last = e.Number
			total[e.Amount > 0] += e.Amount
		}
		if sum != b.Balance {
			h.t.Errorf("the balance is %s, the entries add up to %s", b.Balance.USD(), sum.USD())
		}
	}
	bought, spent := price.Amount(0), price.Amount(0)
	for doc, err := range h.plain.Query(ctx, store.Query{Collection: register}) {
		h.must(err)
		var p Purchase
		h.must(doc.Decode(&p))
		switch {
		case price.Of(p.Product).Kind == price.Credit:
			bought += p.Amount
		case p.Network == "":
			spent += p.Amount
		}
	}
	if bought != total[true] || spent != -total[false] {
		h.t.Errorf("credits grew by %s and shrank by %s; the register has %s and %s",
			total[true].USD(), (-total[false]).USD(), bought.USD(), spent.USD())
	}
}
