package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/hop/allowance"
	"miramundo.dev/hop/networkpass"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/localnet/nettest"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/wire/wiretest"
)

// A counter is two hops that sell passes, on one database and one network of
// payments, with one clock that only the test moves.
type counter struct {
	t        *testing.T
	ahead    atomic.Int64 // of the clock, in nanoseconds
	db       store.DB
	net      *nettest.Net
	till     *billing.Till
	one, two *world
}

var begin = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func (c *counter) now() time.Time        { return begin.Add(time.Duration(c.ahead.Load())) }
func (c *counter) later(d time.Duration) { c.ahead.Add(int64(d)) }

// newCounter returns hops that allow a network one free minute a day. They sell when
// payTo is the address of a receiver.
func newCounter(t *testing.T, payTo string) *counter {
	t.Helper()
	c := &counter{t: t}
	keys := keyringtest.Ring(guestKey)
	c.db = sealed.DB(wiretest.OpenDB(t), keys)
	c.net = nettest.Start(t, wiretest.OpenDB(t), c.now)
	asset, _ := x402.AssetOf("base-sepolia")
	log := slog.New(slog.DiscardHandler)
	c.till = billing.New(billing.Options{
		DB: c.db, Asset: asset, PayTo: payTo, Log: log, Now: c.now,
		Facilitator: facilitator.New(facilitator.Options{URLs: []string{c.net.URL}, RPC: c.net.RPC, Now: c.now, Log: log}),
	})
	hop := func() *world {
		passes := networkpass.New(networkpass.Options{DB: c.db, Keys: keys, Now: c.now, Log: log})
		meter := allowance.New(allowance.Options{
			DB: c.db, People: identity.NewPeople(keys), Minutes: 1, Paid: passes.Valid, Now: c.now, Log: log,
		})
		t.Cleanup(func() { _ = meter.Close(context.Background()) })
		w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/live.m3u8"}}, allowance: meter, till: c.till, passes: passes})
		w.serve(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(media)) }))
		return w
	}
	c.one, c.two = hop(), hop()
	return c
}

// get asks a hop for the live playlist.
func (c *counter) get(w *world, headers ...string) answer { return w.get(path(1, ""), headers...) }

// spend spends the free minute of a network at a hop, and returns the refusal.
func (c *counter) spend(w *world, headers ...string) answer {
	c.t.Helper()
	if a := c.get(w, headers...); a.StatusCode != http.StatusOK {
		c.t.Fatalf("a free minute: %d %s", a.StatusCode, a.body)
	}
	return c.refusal(w, headers...)
}

// refusal asks a hop until it refuses the network, and returns the refusal. A hop allows a
// network until it has read the minutes of the day, so more than one may pass.
func (c *counter) refusal(w *world, headers ...string) answer {
	c.t.Helper()
	var a answer
	for range 300 {
		c.later(time.Minute)
		if a = c.get(w, headers...); a.StatusCode != http.StatusOK {
			break
		}
	}
	if a.StatusCode != http.StatusPaymentRequired || a.code() != "free_minutes_spent" {
		c.t.Fatalf("without free minutes: %d %s", a.StatusCode, a.body)
	}
	return a
}

// until returns how long the pass of the network of the tests is valid.
func (c *counter) until(addr string) time.Duration {
	c.t.Helper()
	name := identity.NetworkNames(keyringtest.Ring(guestKey), identity.Caller{Addr: netip.MustParseAddr(addr)})[0]
	until, err := pass.NetworkUntil(c.t.Context(), c.db, name)
	if err != nil {
		c.t.Fatal(err)
	}
	if until.IsZero() {
		return 0
	}
	return until.Sub(c.now())
}

const (
	guestKey = "a key of guests for the tests alone"
	receiver = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	home     = "192.0.2.7" // of every request, unless it names another
	days     = 24 * time.Hour
)

// TestOffer checks the terms of a refusal, in both versions.
func TestOffer(t *testing.T) {
	c := newCounter(t, receiver)
	a := c.spend(c.one)
	var body struct {
		X402Version int
		Used        int `json:"used_minutes"`
		Accepts     []x402.Requirement1
	}
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || body.X402Version != 1 || body.Used < 1 {
		t.Fatalf("%v: %s", err, a.body)
	}
	got := map[string]string{}
	for _, r := range body.Accepts {
		got[r.MaxAmountRequired] = r.Description
		if r.Resource != hopURL+path(1, "") || r.PayTo != receiver {
			t.Errorf("terms are %+v", r)
		}
	}
	want := map[string]string{
		"100000": "TV on the current network, 30 days", "290000": "TV on the current network, 90 days", "990000": "TV on the current network, 365 days",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	if a.Header.Get("Payment-Required") == "" || a.Header.Get("X-Payment-Response") != "" {
		t.Errorf("headers are %v", a.Header)
	}
}

// TestBuy buys each pass, in both versions, at one hop of two: the amount chooses, the
// playlist comes with the receipt, and the pass is in force at the other hop within
// five seconds, for this network alone.
func TestBuy(t *testing.T) {
	for _, test := range []struct {
		name    string
		index   int
		version int
		want    time.Duration
		costs   price.Amount
	}{
		{"30 days", 0, 1, 30 * days, 10 * price.Cent},
		{"90 days", 1, 2, 90 * days, 29 * price.Cent},
		{"365 days", 2, 1, 365 * days, 99 * price.Cent},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCounter(t, receiver)
			c.get(c.two)
			refused := c.spend(c.one)
			c.refusal(c.two)
			wallet := c.net.Wallet(t, price.Cent*500)
			header, receipt := "X-PAYMENT", "X-Payment-Response"
			value := ""
			if test.version == 2 {
				header, receipt = "PAYMENT-SIGNATURE", "Payment-Response"
				value = wallet.PayV2(t, refused.Header.Get("Payment-Required"), test.index)
			} else {
				value = wallet.Pay(t, []byte(refused.body), test.index)
			}
			a := c.get(c.one, header, value)
			if a.StatusCode != http.StatusOK || a.Header.Get(receipt) == "" || a.body == "" {
				t.Fatalf("the paid call: %d %v %s", a.StatusCode, a.Header, a.body)
			}
			if got := c.until(home); got != test.want {
				t.Errorf("the pass is valid for %s", got)
			}
			if a := c.get(c.one); a.StatusCode != http.StatusOK {
				t.Errorf("the next call: %d %s", a.StatusCode, a.body)
			}
			c.later(5 * time.Second)
			if a := c.get(c.two); a.StatusCode != http.StatusOK {
				t.Errorf("at another hop after five seconds: %d %s", a.StatusCode, a.body)
			}
			if again := c.get(c.two, header, value); again.StatusCode != http.StatusOK || again.Header.Get(receipt) != a.Header.Get(receipt) {
				t.Errorf("the same payment at another hop: %d %s", again.StatusCode, again.body)
			}
			if got := c.net.Holds(t, receiver); got != test.costs {
				t.Errorf("the receiver has %s", got.USD())
			}
			c.spend(c.one, "X-Client-Address", "192.0.2.99")
		})
	}
}

// TestBuyEarly checks that a payment is taken while minutes are free: the caller asks
// to pay. A credit is not spent then.
func TestBuyEarly(t *testing.T) {
	c := newCounter(t, receiver)
	terms := c.till.Offer(billing.Order{Products: passes, URL: hopURL + path(1, "")}, "").Terms[0]
	payment := c.net.Wallet(t, price.Cent*10).PayTerms(t, terms, 1)
	if a := c.get(c.one, "X-PAYMENT", payment); a.StatusCode != http.StatusOK || a.Header.Get("X-Payment-Response") == "" {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if got := c.until(home); got != 30*days {
		t.Errorf("the pass is valid for %s", got)
	}
}

// TestCredit spends a credit: only without free minutes, on the shortest pass, once,
// and for the owner who is identified.
func TestCredit(t *testing.T) {
	c := newCounter(t, receiver)
	token := c.credit()
	shown := []string{"X-Credito", token, "X-Guest-Token", "ipt_abc"}
	if a := c.get(c.one, shown...); a.StatusCode != http.StatusOK || c.balance(token) != "1.00" {
		t.Errorf("in a free minute: %d, %s is left", a.StatusCode, c.balance(token))
	}
	c.later(time.Minute)
	for range 2 {
		for _, w := range []*world{c.one, c.two} {
			if a := c.get(w, shown...); a.StatusCode != http.StatusOK || c.balance(token) != "0.90" {
				t.Errorf("without free minutes: %d, %s is left: %s", a.StatusCode, c.balance(token), a.body)
			}
		}
		c.later(time.Minute)
	}
	owned, err := pass.Of(t.Context(), c.db, "g_abc")
	if err != nil || len(owned.Live(c.now())) != 1 {
		t.Errorf("passes of the owner: %+v, %v", owned, err)
	}
	if bought, err := c.till.Purchases(t.Context(), "g_abc"); err != nil || len(bought) != 1 || bought[0].Product != price.Network30 {
		t.Errorf("purchases of the owner: %+v, %v", bought, err)
	}
}

// credit returns a new credit of one dollar.
func (c *counter) credit() string {
	c.t.Helper()
	o := billing.Order{Products: []price.Product{price.Credit1}, Route: "POST /api/credits", URL: hopURL + "/api/credits", Network: "n"}
	payment := c.net.Wallet(c.t, 100*price.Cent).PayTerms(c.t, c.till.Offer(o, "").Terms[0], 1)
	sale, err := c.till.Sell(c.t.Context(), o, identity.Credentials{Payment: payment})
	if err != nil {
		c.t.Fatal(err)
	}
	return sale.Credit
}

// balance returns what is left of a credit.
func (c *counter) balance(token string) string {
	c.t.Helper()
	s, err := c.till.Statement(c.t.Context(), token, 0, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	return s.Balance.USD()
}

// TestRefusedPayments checks payments that buy nothing.
func TestRefusedPayments(t *testing.T) {
	c := newCounter(t, receiver)
	refused := c.spend(c.one)
	poor, rich := c.net.Wallet(t, price.Cent), c.net.Wallet(t, 500*price.Cent)
	cheap := func(a *x402.Authorization) { a.Value = "1" }
	for _, test := range []struct {
		name   string
		header []string
		status int
		code   string
		reason string
	}{
		{"malformed", []string{"X-PAYMENT", "%"}, 400, "payment_malformed", ""},
		{"another amount", []string{"X-PAYMENT", rich.Pay(t, []byte(refused.body), 0, cheap)}, 402, "payment_refused", x402.ReasonAmount},
		{"no money", []string{"X-PAYMENT", poor.Pay(t, []byte(refused.body), 0)}, 402, "payment_refused", "insufficient_funds"},
		{"an unknown credit", []string{"X-Credito", "cred_x"}, 402, "payment_refused", billing.ReasonUnknownCredit},
	} {
		a := c.get(c.one, test.header...)
		var body struct {
			Reason  string
			Accepts []any
		}
		_ = json.Unmarshal([]byte(a.body), &body)
		if a.StatusCode != test.status || a.code() != test.code || body.Reason != test.reason || (test.status == 402) != (len(body.Accepts) == 3) {
			t.Errorf("%s: %d %s", test.name, a.StatusCode, a.body)
		}
	}
	if held := c.until(home); held != 0 {
		t.Errorf("a pass of %s was sold", held)
	}
}

// TestOldPayment checks that the payment of a pass that is over buys no other.
func TestOldPayment(t *testing.T) {
	c := newCounter(t, receiver)
	refused := c.spend(c.one)
	payment := c.net.Wallet(t, 10*price.Cent).Pay(t, []byte(refused.body), 0)
	if a := c.get(c.one, "X-PAYMENT", payment); a.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	c.later(31 * days)
	c.spend(c.one)
	if a := c.get(c.one, "X-PAYMENT", payment); a.code() != "free_minutes_spent" || a.Header.Get("X-Payment-Response") != "" {
		t.Errorf("the old payment: %d %s", a.StatusCode, a.body)
	}
}

// TestNothingSold checks that without a receiver of payments the refusal has no terms,
// and that payments are ignored.
func TestNothingSold(t *testing.T) {
	c := newCounter(t, "")
	a := c.spend(c.one, "X-PAYMENT", "%", "X-Credito", "cred_x")
	var body map[string]any
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || body["accepts"] != nil || a.Header.Get("Payment-Required") != "" {
		t.Errorf("%v: %s", err, a.body)
	}
}

// TestUnknownNetwork checks that a caller whose address is not known is neither
// counted nor sold anything.
func TestUnknownNetwork(t *testing.T) {
	c := newCounter(t, receiver)
	for range 3 {
		r := httptest.NewRequest("GET", path(1, ""), nil)
		r.RemoteAddr = ""
		r.Header.Set("X-PAYMENT", "%")
		rec := httptest.NewRecorder()
		c.one.server.ServeHTTP(rec, r)
		if rec.Code != http.StatusOK {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
		c.later(time.Minute)
	}
}
