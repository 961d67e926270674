// Package x402 reads and writes what the payment protocol x402 puts into HTTP
// requests and answers, in its versions 1 and 2, for the scheme "exact" on EVM
// networks: a signed authorization (EIP-3009) to transfer a stablecoin.
package x402

import (
	"encoding/json"
	"time"

	"miramundo.dev/shared/price"
)

// An Asset is a stablecoin on a network.
type Asset struct {
	Network string // name in version 1, such as "base"
	CAIP2   string // name in version 2, such as "eip155:8453"
	ChainID int64
	Address string // of the token's contract, checksummed
	Name    string // of the EIP-712 domain
	Version string // of the EIP-712 domain
}

// Terms are one way to pay for one product.
type Terms struct {
	Product     price.Product
	Amount      price.Amount
	URL         string // absolute, of the call that is paid for
	Description string
	Asset       Asset
	PayTo       string        // address of the receiver, checksummed
	Timeout     time.Duration // for which an authorization should be valid
}

// An Offer is the terms of a call in the order of preference, as the field
// "accepts" of a fault. As JSON it is the list of version 1; it adds the header of
// version 2 to the answer.
type Offer struct {
	Terms  []Terms
	Reason string // why the payment shown was refused; empty when none was shown
}

// A Payment is an authorization as a client sent it, with its fields parsed and not
// verified.
type Payment struct {
	X402Version int
	Scheme      string
	Network     string // as sent: a name of version 1 or 2
	Signature   []byte
	From, To    string // checksummed addresses
	Value       price.Amount
	ValidAfter  time.Time
	ValidBefore time.Time
	Nonce       [32]byte
	Asset       string          // that version 2 names; empty in version 1
	Raw         json.RawMessage // the whole payload, as facilitators take it
}

// A Verdict is what a facilitator says of a payment before it is settled.
type Verdict struct {
	Valid  bool
	Reason string // a code of the protocol when the payment is not valid
	Payer  string
}

// A Settlement is what a facilitator says of a payment that it was told to settle.
type Settlement struct {
	Success     bool
	Reason      string // a code of the protocol when it was not settled
	Payer       string
	Transaction string // on the chain
	Network     string
}
