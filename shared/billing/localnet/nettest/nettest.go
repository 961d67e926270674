// Package nettest pays in tests: it runs a local network of payments, and wallets that
// sign as the real clients of both versions of x402 do.
package nettest

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"miramundo.dev/shared/billing/localnet"
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

// A Wallet is an account that signs payments.
type Wallet struct {
	Address string
	Now     func() time.Time // time.Now unless the test sets another clock
	key     *secp256k1.PrivateKey
}

// NewWallet returns a wallet with a random key and no money.
func NewWallet() *Wallet {
	key, err := secp256k1.GeneratePrivateKeyFromRand(rand.Reader)
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return &Wallet{Address: x402.AddressOf(key.PubKey()), Now: time.Now, key: key}
}

// A Change edits an authorization before it is signed, to make a payment that is
// wrong.
type Change func(*x402.Authorization)

// Pay returns the value of X-PAYMENT by which a client of version 1 pays the terms at
// an index of "accepts" in the body of a 402.
func (w *Wallet) Pay(t testing.TB, body []byte, index int, changes ...Change) string {
	t.Helper()
	var in struct{ Accepts []x402.Requirement1 }
	if err := json.Unmarshal(body, &in); err != nil || index >= len(in.Accepts) {
		t.Fatalf("no terms %d in %s", index, body)
	}
	return w.pay1(t, in.Accepts[index], changes)
}

// PayV2 returns the value of PAYMENT-SIGNATURE by which a client of version 2 pays the
// terms at an index of "accepts" in the header PAYMENT-REQUIRED of a 402.
func (w *Wallet) PayV2(t testing.TB, header string, index int, changes ...Change) string {
	t.Helper()
	var in struct {
		Resource json.RawMessage
		Accepts  []x402.Requirement2
	}
	text, err := base64.StdEncoding.DecodeString(header)
	if err != nil || json.Unmarshal(text, &in) != nil || index >= len(in.Accepts) {
		t.Fatalf("no terms %d in %q", index, header)
	}
	return w.pay2(t, in.Accepts[index], in.Resource, changes)
}

// PayTerms returns the header by which a client of a version (1 or 2) pays terms.
func (w *Wallet) PayTerms(t testing.TB, terms x402.Terms, version int, changes ...Change) string {
	t.Helper()
	if version == 2 {
		return w.pay2(t, terms.V2(), json.RawMessage(`{"url":"`+terms.URL+`"}`), changes)
	}
	return w.pay1(t, terms.V1(), changes)
}

func (w *Wallet) pay1(t testing.TB, r x402.Requirement1, changes []Change) string {
	t.Helper()
	now := w.Now().Unix()
	a := w.authorization(r.PayTo, r.MaxAmountRequired, now-600, now+int64(r.MaxTimeoutSeconds), changes)
	return header(t, map[string]any{
		"x402Version": 1, "scheme": r.Scheme, "network": r.Network,
		"payload": w.sign(t, a, r.Network, r.Asset, r.Extra),
	})
}

func (w *Wallet) pay2(t testing.TB, r x402.Requirement2, resource json.RawMessage, changes []Change) string {
	t.Helper()
	a := w.authorization(r.PayTo, r.Amount, 0, w.Now().Unix()+int64(r.MaxTimeoutSeconds), changes)
	return header(t, map[string]any{
		"x402Version": 2, "resource": resource, "accepted": r, "extensions": map[string]any{},
		"payload": w.sign(t, a, r.Network, r.Asset, r.Extra),
	})
}

// authorization returns what the wallet signs, as changed.
func (w *Wallet) authorization(payTo, amount string, after, before int64, changes []Change) x402.Authorization {
	nonce := make([]byte, 32)
	rand.Read(nonce)
	a := x402.Authorization{
		From: w.Address, To: payTo, Value: amount, ValidAfter: strconv.FormatInt(after, 10),
		ValidBefore: strconv.FormatInt(before, 10), Nonce: "0x" + hex.EncodeToString(nonce),
	}
	for _, change := range changes {
		change(&a)
	}
	return a
}

// sign returns the payload of the scheme, signed for the asset that the terms name.
func (w *Wallet) sign(t testing.TB, a x402.Authorization, network, token string, domain x402.Domain) map[string]any {
	t.Helper()
	asset, ok := x402.AssetOf(network)
	if !ok {
		t.Fatalf("no wallet signs for the network %q", network)
	}
	asset.Address, asset.Name, asset.Version = token, domain.Name, domain.Version
	digest := a.Digest(asset)
	compact := ecdsa.SignCompact(w.key, digest[:], false) // v, r, s
	return map[string]any{"signature": "0x" + hex.EncodeToString(append(compact[1:], compact[0])), "authorization": a}
}

func header(t testing.TB, payload any) string {
	t.Helper()
	b, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}
