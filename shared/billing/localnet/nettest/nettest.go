// Package nettest pays in tests: it runs a local network of payments, and wallets that
// sign as the real clients of both versions of x402 do.
package nettest

import (
	"net/http/httptest"
	"testing"
	"time"

	"miramundo.dev/shared/billing/localnet"
	"miramundo.dev/shared/billing/localnet/wallet"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

// A Net is a local network that listens on this machine.
type Net struct {
	*localnet.Net
	URL string // of the facilitator
	RPC string // of the node
	now func() time.Time
}

// New starts a network with a database of its own, until the end of the test.
func New(t testing.TB) *Net { return Start(t, wiretest.OpenDB(t), time.Now) }

// Start starts a network in a database and by a clock, until the end of the test.
func Start(t testing.TB, db store.DB, now func() time.Time) *Net {
	n := localnet.New(db, now)
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	return &Net{n, server.URL, server.URL + localnet.RPCPath, now}
}

// Wallet returns a new wallet with some money, which signs by the network's clock.
func (n *Net) Wallet(t testing.TB, money price.Amount) *Wallet {
	t.Helper()
	w := NewWallet()
	w.Now = n.now
	if money > 0 {
		if _, err := n.Fund(t.Context(), w.Address, money); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// Holds returns the balance of an address.
func (n *Net) Holds(t testing.TB, address string) price.Amount {
	t.Helper()
	held, err := n.Balance(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// A Wallet is a [wallet.Wallet] whose failures fail the test.
type Wallet struct{ *wallet.Wallet }

// NewWallet returns a wallet with a random key and no money.
func NewWallet() *Wallet { return &Wallet{wallet.New()} }

// A Change edits an authorization before it is signed, to make a payment that is
// wrong.
type Change = wallet.Change

// Pay is [wallet.Wallet.Pay].
func (w *Wallet) Pay(t testing.TB, body []byte, index int, changes ...Change) string {
	t.Helper()
	return must(t)(w.Wallet.Pay(body, index, changes...))
}

// PayV2 is [wallet.Wallet.PayV2].
func (w *Wallet) PayV2(t testing.TB, header string, index int, changes ...Change) string {
	t.Helper()
	return must(t)(w.Wallet.PayV2(header, index, changes...))
}

// PayTerms is [wallet.Wallet.PayTerms].
func (w *Wallet) PayTerms(t testing.TB, terms x402.Terms, version int, changes ...Change) string {
	t.Helper()
	return must(t)(w.Wallet.PayTerms(terms, version, changes...))
}

// must returns what takes a header, and fails the test on an error.
func must(t testing.TB) func(string, error) string {
	return func(header string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return header
	}
}
