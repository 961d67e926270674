// Package wallet signs payments on a local network of payments, as the clients of both
// versions of x402 do.
package wallet

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"miramundo.dev/shared/billing/x402"
)

// A Wallet is an account that signs payments.
type Wallet struct {
	Address string
	Now     func() time.Time
	key     *secp256k1.PrivateKey
}

// New returns a wallet with a random key and no money, which signs by the clock of the
// system.
func New() *Wallet {
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
func (w *Wallet) Pay(body []byte, index int, changes ...Change) (string, error) {
	var in struct{ Accepts []x402.Requirement1 }
	if err := json.Unmarshal(body, &in); err != nil || index >= len(in.Accepts) {
		return "", fmt.Errorf("no terms %d in %s", index, body)
	}
	return w.pay1(in.Accepts[index], changes)
}

// PayV2 returns the value of PAYMENT-SIGNATURE by which a client of version 2 pays the
// terms at an index of "accepts" in the header PAYMENT-REQUIRED of a 402.
func (w *Wallet) PayV2(header string, index int, changes ...Change) (string, error) {
	var in struct {
		Resource json.RawMessage
		Accepts  []x402.Requirement2
	}
	text, err := base64.StdEncoding.DecodeString(header)
	if err != nil || json.Unmarshal(text, &in) != nil || index >= len(in.Accepts) {
		return "", fmt.Errorf("no terms %d in %q", index, header)
	}
	return w.pay2(in.Accepts[index], in.Resource, changes)
}

// PayTerms returns the header by which a client of a version (1 or 2) pays terms.
func (w *Wallet) PayTerms(terms x402.Terms, version int, changes ...Change) (string, error) {
	if version == 2 {
		return w.pay2(terms.V2(), json.RawMessage(`{"url":"`+terms.URL+`"}`), changes)
	}
	return w.pay1(terms.V1(), changes)
}

func (w *Wallet) pay1(r x402.Requirement1, changes []Change) (string, error) {
	now := w.Now().Unix()
	a := w.authorization(r.PayTo, r.MaxAmountRequired, now-600, now+int64(r.MaxTimeoutSeconds), changes)
	payload, err := w.sign(a, r.Network, r.Asset, r.Extra)
	if err != nil {
		return "", err
	}
	return header(map[string]any{"x402Version": 1, "scheme": r.Scheme, "network": r.Network, "payload": payload})
}

func (w *Wallet) pay2(r x402.Requirement2, resource json.RawMessage, changes []Change) (string, error) {
	a := w.authorization(r.PayTo, r.Amount, 0, w.Now().Unix()+int64(r.MaxTimeoutSeconds), changes)
	payload, err := w.sign(a, r.Network, r.Asset, r.Extra)
	if err != nil {
		return "", err
	}
	return header(map[string]any{
		"x402Version": 2, "resource": resource, "accepted": r, "extensions": map[string]any{}, "payload": payload,
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
func (w *Wallet) sign(a x402.Authorization, network, token string, domain x402.Domain) (map[string]any, error) {
	asset, ok := x402.AssetOf(network)
	if !ok {
		return nil, fmt.Errorf("no wallet signs for the network %q", network)
	}
	asset.Address, asset.Name, asset.Version = token, domain.Name, domain.Version
	digest := a.Digest(asset)
	compact := ecdsa.SignCompact(w.key, digest[:], false) // v, r, s
	return map[string]any{"signature": "0x" + hex.EncodeToString(append(compact[1:], compact[0])), "authorization": a}, nil
}

func header(payload any) (string, error) {
	b, err := json.Marshal(payload)
	return base64.StdEncoding.EncodeToString(b), err
}
