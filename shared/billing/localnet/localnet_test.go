package localnet_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/localnet"
	"miramundo.dev/shared/billing/localnet/nettest"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

const dollar = 100 * price.Cent

// start is the time of the tests that set the clock.
var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func fixed() time.Time { return start }

// client returns a client of a network that gives up soon.
func client(n *nettest.Net) *facilitator.Client {
	return facilitator.New(facilitator.Options{
		URLs: []string{n.URL}, RPC: n.RPC, HTTP: &http.Client{Timeout: 250 * time.Millisecond}, Log: slog.New(slog.DiscardHandler),
	})
}

// terms returns terms of 0.10 USD, paid to an address.
func terms(payTo string) x402.Terms {
	asset, _ := x402.AssetOf(localnet.Network)
	return x402.Terms{
		Product: price.ChatPass, Amount: 10 * price.Cent, URL: "https://tv.example/api/chat/pass", Description: "Chat write pass",
		Asset: asset, PayTo: payTo, Timeout: time.Minute,
	}
}

// pay returns the payment of terms by a wallet, as the server reads it.
func pay(t testing.TB, w *nettest.Wallet, terms x402.Terms, version int, changes ...nettest.Change) *x402.Payment {
	t.Helper()
	p, err := x402.Parse(w.PayTerms(t, terms, version, changes...), "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPay pays in both versions, from the offer to the chain.
func TestPay(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		n := nettest.Start(t, db, fixed)
		shop := nettest.NewWallet()
		for version := 1; version <= 2; version++ {
			payer := n.Wallet(t, dollar)
			c, terms := client(n), terms(shop.Address)
			p := answer402(t, payer, x402.Offer{Terms: []x402.Terms{terms}}, version)
			if got, reason := (x402.Offer{Terms: []x402.Terms{terms}}).Match(p, start); reason != "" || got != terms {
				t.Fatalf("the payment matches %+v, %s", got, reason)
			}
			if v, err := c.Verify(t.Context(), p, terms); err != nil || !v.Valid || v.Payer != payer.Address {
				t.Errorf("Verify = %+v, %v", v, err)
			}
			if fate, _, err := c.Trace(t.Context(), p, terms, start); fate != facilitator.Unused || err != nil {
				t.Errorf("Trace before = %v, %v", fate, err)
			}
			want := x402.Settlement{Success: true, Payer: payer.Address, Transaction: "0x" + p.Key(), Network: localnet.Network}
			if s, err := c.Settle(t.Context(), p, terms); err != nil || s != want {
				t.Errorf("Settle = %+v, %v", s, err)
			}
			if fate, transaction, err := c.Trace(t.Context(), p, terms, start); fate != facilitator.Paid || transaction != want.Transaction || err != nil {
				t.Errorf("Trace after = %v, %s, %v", fate, transaction, err)
			}
			if s, err := c.Settle(t.Context(), p, terms); err != nil || s.Reason != x402.ReasonState {
				t.Errorf("Settle again = %+v, %v", s, err)
			}
			if v, err := c.Verify(t.Context(), p, terms); err != nil || v.Reason != x402.ReasonState {
				t.Errorf("Verify again = %+v, %v", v, err)
			}
			if n.Holds(t, payer.Address) != 90*price.Cent || n.Holds(t, shop.Address) != price.Amount(version)*10*price.Cent {
				t.Errorf("payer holds %d, shop holds %d", n.Holds(t, payer.Address), n.Holds(t, shop.Address))
			}
		}
	})
}

// answer402 lets a wallet pay the answer that an offer makes.
func answer402(t *testing.T, w *nettest.Wallet, o x402.Offer, version int) *x402.Payment {
	t.Helper()
	list, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	o.AddTo(h)
	var p *x402.Payment
	if version == 1 {
		p, err = x402.Parse(w.Pay(t, fmt.Appendf(nil, `{"accepts":%s}`, list), 0), "")
	} else {
		p, err = x402.Parse("", w.PayV2(t, h.Get("PAYMENT-REQUIRED"), 0))
	}
	if err != nil || p.X402Version != version {
		t.Fatalf("the payment reads as %+v, %v", p, err)
	}
	return p
}

// A repeatingDB does not learn that a transaction succeeded, and repeats it.
type repeatingDB struct{ store.DB }

func (d repeatingDB) Update(ctx context.Context, f func(store.Tx) error) error {
	if err := d.DB.Update(ctx, f); err != nil {
		return err
	}
	return d.DB.Update(ctx, f)
}

// TestTransferRepeated settles a payment of all that the payer has by a transaction that
// is repeated after it succeeded.
func TestTransferRepeated(t *testing.T) {
	n := nettest.Start(t, repeatingDB{wiretest.OpenDB(t)}, fixed)
	payer, terms := nettest.NewWallet(), terms(nettest.NewWallet().Address)
	payer.Now = fixed
	c, p := client(n), pay(t, payer, terms, 1)
	if _, err := n.Fund(t.Context(), payer.Address, terms.Amount/2); err != nil { // twice
		t.Fatal(err)
	}
	if s, err := c.Settle(t.Context(), p, terms); err != nil || !s.Success || n.Holds(t, terms.PayTo) != terms.Amount {
		t.Errorf("Settle = %+v, %v; the receiver has %d", s, err, n.Holds(t, terms.PayTo))
	}
	if s, err := c.Settle(t.Context(), p, terms); err != nil || s.Reason != x402.ReasonFunds {
		t.Errorf("Settle again = %+v, %v", s, err)
	}
}

func TestRefusals(t *testing.T) {
	n := nettest.Start(t, wiretest.OpenDB(t), fixed)
	rich, poor, shop := n.Wallet(t, dollar), n.Wallet(t, 10*price.Cent-1), nettest.NewWallet()
	other := nettest.NewWallet().Address
	at := func(d time.Duration) string { return fmt.Sprint(start.Add(d).Unix()) }
	ours := terms(shop.Address)
	for name, test := range map[string]struct {
		payer  *nettest.Wallet
		terms  func(*x402.Terms) // as the server states them
		change nettest.Change
		want   string
	}{
		"too poor":         {poor, nil, nil, x402.ReasonFunds},
		"no money":         {nettest.NewWallet(), nil, nil, x402.ReasonFunds},
		"another receiver": {rich, nil, func(a *x402.Authorization) { a.To = other }, x402.ReasonRecipient},
		"too little":       {rich, nil, func(a *x402.Authorization) { a.Value = "99999" }, x402.ReasonAmount},
		"not yet valid":    {rich, nil, func(a *x402.Authorization) { a.ValidAfter = at(time.Second) }, x402.ReasonTooEarly},
		"expired":          {rich, nil, func(a *x402.Authorization) { a.ValidBefore = at(x402.SettleTime) }, x402.ReasonTooLate},
		"another signer":   {rich, nil, func(a *x402.Authorization) { a.From = other }, x402.ReasonSignature},
		"another token":    {rich, func(t *x402.Terms) { t.Asset.Address = other }, nil, x402.ReasonRequirements},
		"another domain":   {rich, func(t *x402.Terms) { t.Asset.Name = "USD" }, nil, x402.ReasonRequirements},
		"a price of zero":  {rich, func(t *x402.Terms) { t.Amount = 0 }, nil, x402.ReasonRequirements},
		"no receiver":      {rich, func(t *x402.Terms) { t.PayTo = "" }, func(a *x402.Authorization) { a.To = other }, x402.ReasonRequirements},
	} {
		for version := 1; version <= 2; version++ {
			t.Run(fmt.Sprintf("%s, version %d", name, version), func(t *testing.T) {
				stated := ours
				if test.terms != nil {
					test.terms(&stated)
				}
				test.payer.Now = fixed
				change := test.change
				if change == nil {
					change = func(*x402.Authorization) {}
				}
				p, c := pay(t, test.payer, stated, version, change), client(n)
				if v, err := c.Verify(t.Context(), p, stated); err != nil || v.Valid || v.Reason != test.want {
					t.Errorf("Verify = %+v, %v, want %s", v, err, test.want)
				}
				if s, err := c.Settle(t.Context(), p, stated); err != nil || s.Success || s.Reason != test.want {
					t.Errorf("Settle = %+v, %v, want %s", s, err, test.want)
				}
			})
		}
	}
	if n.Holds(t, shop.Address) != 0 || n.Holds(t, rich.Address) != dollar {
		t.Error("a refused payment moved money")
	}
}

// TestAnotherNetwork expects a client to go to another facilitator for another network.
func TestAnotherNetwork(t *testing.T) {
	n := nettest.Start(t, wiretest.OpenDB(t), fixed)
	w, terms := n.Wallet(t, dollar), terms(nettest.NewWallet().Address)
	terms.Asset, _ = x402.AssetOf("base")
	for version := 1; version <= 2; version++ {
		p, c := pay(t, w, terms, version), client(n)
		if v, err := c.Verify(t.Context(), p, terms); err == nil || !strings.Contains(err.Error(), x402.ReasonNetwork) {
			t.Errorf("Verify = %+v, %v", v, err)
		}
		if s, err := c.Settle(t.Context(), p, terms); !errors.Is(err, facilitator.ErrNotTaken) {
			t.Errorf("Settle = %+v, %v", s, err)
		}
	}
}

// TestContractSignature expects a refusal: no contract is here that could sign.
func TestContractSignature(t *testing.T) {
	n := nettest.Start(t, wiretest.OpenDB(t), fixed)
	w, terms := n.Wallet(t, dollar), terms(nettest.NewWallet().Address)
	p := pay(t, w, terms, 1)
	p, err := x402.Decode([]byte(strings.Replace(string(p.Raw), `"signature":"0x`, `"signature":"0xabcdef`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := client(n).Verify(t.Context(), p, terms); err != nil || v.Reason != x402.ReasonSignature {
		t.Errorf("Verify = %+v, %v", v, err)
	}
}

// TestLedger holds the ledger to its promises while many settle the same payments and
// the faucet gives: money is neither made nor lost, no balance is negative, and each
// authorization moves money once or not at all.
func TestLedger(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, writers int) {
		n := nettest.Start(t, db, fixed)
		wallets := []*nettest.Wallet{n.Wallet(t, 35*price.Cent), n.Wallet(t, 20*price.Cent), n.Wallet(t, 0)}
		type payment struct {
			*x402.Payment
			x402.Terms
		}
		var payments []payment
		for i := range 12 {
			from, to := wallets[i%3], wallets[(i+1+i/3)%3]
			terms := terms(to.Address)
			payments = append(payments, payment{pay(t, from, terms, 1+i%2), terms})
		}
		var mu sync.Mutex
		settled := make([]int, len(payments))
		c := facilitator.New(facilitator.Options{URLs: []string{n.URL}})
		var all sync.WaitGroup
		for worker := range max(2, min(writers/8, 6)) { // the emulator locks both accounts for seconds
			random := rand.New(rand.NewPCG(uint64(worker), 7))
			all.Go(func() {
				for _, i := range random.Perm(len(payments)) {
					s, err := c.Settle(t.Context(), payments[i].Payment, payments[i].Terms)
					switch {
					case err != nil:
						t.Error(err)
					case s.Success:
						mu.Lock()
						settled[i]++
						mu.Unlock()
					case s.Reason != x402.ReasonState && s.Reason != x402.ReasonFunds:
						t.Errorf("refused: %s", s.Reason)
					}
				}
			})
		}
		all.Wait()
		want := map[string]price.Amount{wallets[0].Address: 35 * price.Cent, wallets[1].Address: 20 * price.Cent, wallets[2].Address: 0}
		moved := 0
		for i, times := range settled {
			if times > 1 {
				t.Errorf("payment %d was settled %d times", i, times)
			}
			if times == 1 {
				moved++
				want[payments[i].From] -= payments[i].Value
				want[payments[i].To] += payments[i].Value
			}
		}
		got := map[string]price.Amount{}
		for _, w := range wallets {
			if got[w.Address] = n.Holds(t, w.Address); got[w.Address] < 0 {
				t.Errorf("%s holds %d", w.Address, got[w.Address])
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || moved == 0 {
			t.Errorf("after %d settlements: %s", moved, diff)
		}
		if sum := sumOf(t, db); sum != localnet.Supply {
			t.Errorf("all accounts hold %d, want %d", sum, localnet.Supply)
		}
	})
}

// sumOf returns the money of all accounts, the faucet's included.
func sumOf(t *testing.T, db store.DB) (sum price.Amount) {
	t.Helper()
	for d, err := range db.Query(t.Context(), store.Query{Collection: "localnet_accounts"}) {
		if err != nil {
			t.Fatal(err)
		}
		var a struct {
			Balance price.Amount `json:"balance"`
		}
		if err := d.Decode(&a); err != nil {
			t.Fatal(err)
		}
		sum += a.Balance
	}
	return sum
}

// TestRestart expects the money and the used authorizations in a new process.
func TestRestart(t *testing.T) {
	db := wiretest.OpenDB(t)
	n := nettest.Start(t, db, fixed)
	w, terms := n.Wallet(t, dollar), terms(nettest.NewWallet().Address)
	p := pay(t, w, terms, 1)
	if s, err := client(n).Settle(t.Context(), p, terms); err != nil || !s.Success {
		t.Fatalf("= %+v, %v", s, err)
	}
	again := nettest.Start(t, db, fixed)
	if s, err := client(again).Settle(t.Context(), p, terms); err != nil || s.Reason != x402.ReasonState {
		t.Errorf("= %+v, %v", s, err)
	}
	if again.Holds(t, w.Address) != 90*price.Cent {
		t.Errorf("the payer holds %d", again.Holds(t, w.Address))
	}
}

// TestFaults sees each fault as a client does.
func TestFaults(t *testing.T) {
	const unknown = "unknown"
	for fault, want := range map[localnet.Fault]struct {
		verify, settle string // the reason, "" for success, or unknown
		moved          bool
	}{
		localnet.None:       {"", "", true},
		localnet.Down:       {unknown, unknown, false},
		localnet.Busy:       {unknown, unknown, false},
		localnet.Page:       {unknown, unknown, false},
		localnet.Slow:       {unknown, unknown, false},
		localnet.VerifyLie:  {x402.ReasonFunds, "", true},
		localnet.SettleLie:  {"", "", false},
		localnet.SettleDeny: {"", x402.ReasonFunds, true},
		localnet.SettleLate: {"", unknown, true},
		localnet.SettleDrop: {"", unknown, true},
	} {
		t.Run(string(fault), func(t *testing.T) {
			n := nettest.Start(t, wiretest.OpenDB(t), fixed)
			w, terms := n.Wallet(t, dollar), terms(nettest.NewWallet().Address)
			p, c := pay(t, w, terms, 1), client(n)
			n.Fail(fault, 0)
			v, err := c.Verify(t.Context(), p, terms)
			if got := outcome(v.Reason, err); got != want.verify {
				t.Errorf("Verify = %q, want %q (%v)", got, want.verify, err)
			}
			s, err := c.Settle(t.Context(), p, terms)
			if got := outcome(s.Reason, err); got != want.settle {
				t.Errorf("Settle = %q, want %q (%v)", got, want.settle, err)
			}
			if fate, _, err := c.Trace(t.Context(), p, terms, start); (fate == facilitator.Paid) != want.moved || err != nil {
				t.Errorf("Trace = %v, %v", fate, err)
			}
			if moved := n.Holds(t, w.Address) < dollar; moved != want.moved {
				t.Errorf("moved money: %v", moved)
			}
		})
	}
}

func outcome(reason string, err error) string {
	if err != nil {
		return "unknown"
	}
	return reason
}

// TestFaultsEnd expects a fault to strike as often as it was told to, and only the
// calls that it is about.
func TestFaultsEnd(t *testing.T) {
	n := nettest.Start(t, wiretest.OpenDB(t), fixed)
	w, terms := n.Wallet(t, dollar), terms(nettest.NewWallet().Address)
	p := pay(t, w, terms, 1)
	post(t, n.URL+"/fault", `{"fault":"settle_drop","calls":1}`, 200)
	post(t, n.URL+"/fault", `{"fault":"flood"}`, 400)
	c := client(n)
	if v, err := c.Verify(t.Context(), p, terms); err != nil || !v.Valid {
		t.Errorf("Verify = %+v, %v", v, err)
	}
	if s, err := c.Settle(t.Context(), p, terms); err == nil || errors.Is(err, facilitator.ErrNotTaken) {
		t.Errorf("Settle = %+v, %v", s, err)
	}
	n.Fail(localnet.VerifyLie, 1)
	if s, err := c.Settle(t.Context(), p, terms); err != nil || s.Reason != x402.ReasonState {
		t.Errorf("Settle again = %+v, %v", s, err)
	}
	for _, want := range []bool{true, false} { // the lie, and the truth
		if v, err := c.Verify(t.Context(), p, terms); err != nil || v.Valid != want {
			t.Errorf("Verify again = %+v, %v, want %v", v, err, want)
		}
	}
}

// TestPaidAndPoor shows why a refusal of a repeated settlement proves nothing: the
// money of the payer went into this very payment.
func TestPaidAndPoor(t *testing.T) {
	n := nettest.Start(t, wiretest.OpenDB(t), fixed)
	w, terms := n.Wallet(t, 10*price.Cent), terms(nettest.NewWallet().Address)
	p, c := pay(t, w, terms, 1), client(n)
	n.Fail(localnet.SettleDrop, 1)
	if s, err := c.Settle(t.Context(), p, terms); err == nil {
		t.Errorf("Settle = %+v", s)
	}
	if s, err := c.Settle(t.Context(), p, terms); err != nil || s.Reason != x402.ReasonFunds {
		t.Errorf("Settle again = %+v, %v", s, err)
	}
	if fate, _, err := c.Trace(t.Context(), p, terms, start); fate != facilitator.Paid || err != nil {
		t.Errorf("Trace = %v, %v", fate, err)
	}
}

// TestPaidElsewhere shows why a used nonce does not mean that a payment was made: its
// payer has signed another transfer with the same nonce, to an account of its own.
func TestPaidElsewhere(t *testing.T) {
	n := nettest.Start(t, wiretest.OpenDB(t), fixed)
	w, ours, own := n.Wallet(t, dollar), terms(nettest.NewWallet().Address), terms(nettest.NewWallet().Address)
	nonce := nettest.Change(func(a *x402.Authorization) { a.Nonce = "0x" + strings.Repeat("ab", 32) })
	p, other, c := pay(t, w, ours, 1, nonce), pay(t, w, own, 1, nonce), client(n)
	if s, err := c.Settle(t.Context(), other, own); err != nil || !s.Success {
		t.Fatalf("Settle elsewhere = %+v, %v", s, err)
	}
	if s, err := c.Settle(t.Context(), p, ours); err != nil || s.Reason != x402.ReasonState {
		t.Errorf("Settle = %+v, %v", s, err)
	}
	if fate, _, err := c.Trace(t.Context(), p, ours, start); fate != facilitator.Void || err != nil {
		t.Errorf("Trace = %v, %v", fate, err)
	}
}

// post sends a body and returns the answer, which must have a status.
func post(t *testing.T, address, body string, status int) string {
	t.Helper()
	resp, err := http.Post(address, "application/x-www-form-urlencoded", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		t.Errorf("POST %s %.100s = %d %s, %v; want %d", address, body, resp.StatusCode, text, err, status)
	}
	return strings.TrimSpace(string(text))
}

func get(t *testing.T, address string, status int) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		t.Errorf("GET %s = %d %s, %v; want %d", address, resp.StatusCode, text, err, status)
	}
	return strings.TrimSpace(string(text))
}

func TestFaucet(t *testing.T) {
	n := nettest.Start(t, wiretest.OpenDB(t), fixed)
	address := "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
	for _, test := range []struct {
		body   string
		status int
		want   string // the answer, when it is a success
	}{
		{`{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"}`, 200, `{"address":"` + address + `","balance":10000000,"usd":"10.00"}`},
		{`{"address":"` + address + `","usd":0.29}`, 200, `{"address":"` + address + `","balance":10290000,"usd":"10.29"}`},
		{`{"address":"` + address + `","usd":25}`, 200, `{"address":"` + address + `","balance":35290000,"usd":"35.29"}`},
		{`{"address":"` + address + `","usd":25.01}`, 400, ""},
		{`{"address":"` + address + `","usd":1e300}`, 400, ""},
		{`{"address":"` + address + `","usd":0}`, 400, ""},
		{`{"address":"` + address + `","usd":-5}`, 400, ""},
		{`{"address":"` + address + `","usd":"5"}`, 400, ""},
		{`{"address":"faucet"}`, 400, ""},
		{`{}`, 400, ""},
		{``, 400, ""},
		{`<html>`, 400, ""},
		{`{"address":"` + strings.Repeat("a", 70_000) + `"}`, 413, ""},
	} {
		if got := post(t, n.URL+localnet.FaucetPath, test.body, test.status); test.want != "" && got != test.want {
			t.Errorf("%s = %s, want %s", test.body, got, test.want)
		}
	}
	for range 2 {
		post(t, n.URL+localnet.FaucetPath, `{"address":"`+address+`","usd":25}`, 200)
	}
	post(t, n.URL+localnet.FaucetPath, `{"address":"`+address+`","usd":25}`, 429)
	if got := get(t, n.URL+"/balance/"+strings.ToLower(address), 200); got != `{"address":"`+address+`","balance":85290000,"usd":"85.29"}` {
		t.Errorf("balance = %s", got)
	}
	get(t, n.URL+"/balance/faucet", 400)
	if _, err := n.Fund(t.Context(), address, localnet.Supply); err == nil {
		t.Error("an account got more than there is")
	}
}

func TestSupported(t *testing.T) {
	n := nettest.New(t)
	want := `{"extensions":[],"kinds":[{"x402Version":1,"scheme":"exact","network":"base-sepolia"},` +
		`{"x402Version":2,"scheme":"exact","network":"eip155:84532"}],"signers":{}}`
	if diff := cmp.Diff(want, get(t, n.URL+"/supported", 200)); diff != "" {
		t.Error(diff)
	}
	if got := get(t, n.URL+"/faucet", 200); !strings.Contains(got, "POST") {
		t.Errorf("help = %s", got)
	}
}

// TestHostileRequests expects an answer to every body, and never a settlement.
func TestHostileRequests(t *testing.T) {
	n := nettest.Start(t, wiretest.OpenDB(t), fixed)
	w, terms := n.Wallet(t, dollar), terms(nettest.NewWallet().Address)
	payload := string(pay(t, w, terms, 1).Raw)
	for body, want := range map[string]string{
		`{}`: x402.ReasonVersion,
		`{"x402Version":3,"paymentPayload":{},"paymentRequirements":{}}`:                               x402.ReasonVersion,
		`{"x402Version":1,"paymentPayload":{},"paymentRequirements":[]}`:                               x402.ReasonRequirements,
		`{"x402Version":2,"paymentPayload":{},"paymentRequirements":"x"}`:                              x402.ReasonRequirements,
		`{"x402Version":1,"paymentPayload":{},"paymentRequirements":{}}`:                               x402.ReasonScheme,
		`{"x402Version":1,"paymentPayload":{},"paymentRequirements":` + req1(terms) + `}`:              x402.ReasonPayload,
		`{"x402Version":1,"paymentPayload":null,"paymentRequirements":` + req1(terms) + `}`:            x402.ReasonPayload,
		`{"x402Version":2,"paymentPayload":` + payload + `,"paymentRequirements":` + req2(terms) + `}`: x402.ReasonVersion,
	} {
		for _, path := range []string{"/verify", "/settle"} {
			if got := post(t, n.URL+path, body, 200); !strings.Contains(got, `"`+want+`"`) || !strings.Contains(got, ":false") {
				t.Errorf("%s %.80s = %s, want %s", path, body, got, want)
			}
		}
	}
	for _, path := range []string{"/verify", "/settle", "/rpc", "/fault"} {
		post(t, n.URL+path, "", 400)
		post(t, n.URL+path, "[", 400)
		post(t, n.URL+path, `{"x":"`+strings.Repeat("a", 70_000)+`"}`, 413)
	}
}

func req1(t x402.Terms) string { return jsonOf(t.V1()) }
func req2(t x402.Terms) string { return jsonOf(t.V2()) }

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestRPC(t *testing.T) {
	n := nettest.Start(t, wiretest.OpenDB(t), fixed)
	w := n.Wallet(t, dollar)
	asset, _ := x402.AssetOf(localnet.Network)
	call := func(to, data string) string {
		return `{"id":7,"method":"eth_call","params":[{"to":"` + to + `","data":"` + data + `"},"latest"]}`
	}
	account := strings.Repeat("0", 24) + strings.ToLower(w.Address[2:])
	for body, want := range map[string]string{
		`{"id":"a","method":"eth_chainId"}`:                                                 `{"id":"a","jsonrpc":"2.0","result":"0x14a34"}`,
		`{"id":1,"method":"eth_blockNumber"}`:                                               fmt.Sprintf(`{"id":1,"jsonrpc":"2.0","result":"0x%x"}`, start.Unix()/2),
		call(asset.Address, "0x70a08231"+account):                                           fmt.Sprintf(`{"id":7,"jsonrpc":"2.0","result":"0x%064x"}`, dollar),
		call(strings.ToLower(asset.Address), "0xe94a0102"+account+strings.Repeat("ab", 32)): fmt.Sprintf(`{"id":7,"jsonrpc":"2.0","result":"0x%064x"}`, 0),
		call(w.Address, "0x70a08231"+account):                                               `{"id":7,"jsonrpc":"2.0","result":"0x"}`,
		call(asset.Address, "0x70a08231"):                                                   `"code":-32602`,
		call(asset.Address, "0xe94a0102"+account):                                           `"code":-32602`,
		call(asset.Address, "0x12345678"+account):                                           `"code":-32602`,
		call(asset.Address, "nonsense"):                                                     `"code":-32602`,
		`{"id":1,"method":"eth_getLogs"}`:                                                   `"code":-32602`,
		`{"id":1,"method":"eth_call"}`:                                                      `"code":-32602`,
		`{"id":1,"method":"eth_sendTransaction"}`:                                           `"code":-32601`,
		`{}`: `"code":-32601`,
	} {
		if got := post(t, n.RPC, body, 200); !strings.Contains(got, want) {
			t.Errorf("%s = %s, want %s", body, got, want)
		}
	}
}
