// Package x402 reads and writes what the payment protocol x402 puts into HTTP
// requests and answers, in its versions 1 and 2, for the scheme "exact" on EVM
// networks: a signed authorization (EIP-3009) to transfer a stablecoin.
//
// A call that is paid for answers 402 with an [Offer]: version 1 reads the terms in
// the body, version 2 in the header PAYMENT-REQUIRED, and one answer carries both.
// The client signs an authorization and repeats the call with it in the header
// X-PAYMENT or PAYMENT-SIGNATURE, which [Parse] reads. [Offer.Match] finds the terms
// that the payment pays, as far as that can be checked without the chain; the
// balance of the payer and the use of the nonce are checked by a facilitator.
package x402

import (
	"encoding/json"
	"time"

	"miramundo.dev/shared/price"
)

// Exact is the only scheme that is supported: a transfer of an exact amount.
const Exact = "exact"

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
// verified. Its scheme or network may be one that is not supported: it then has no
// authorization, and no terms match it.
type Payment struct {
	X402Version int
	Scheme      string
	Network     string // as sent: a name of version 1 or 2
	Signature   []byte
	From, To    string       // checksummed addresses
	Value       price.Amount // the greatest Amount when more was signed
	ValidAfter  time.Time    // at most the year 9999
	ValidBefore time.Time    // at most the year 9999
	Nonce       [32]byte
	Asset       string          // that version 2 names, checksummed; empty in version 1
	Raw         json.RawMessage // the whole payload, as facilitators take it

	authorization Authorization // as signed
	accepted      accepted      // the terms that a payload of version 2 repeats
}

// A Verdict is what a facilitator says of a payment before it is settled.
type Verdict struct {
	Valid  bool   `json:"isValid"`
	Reason string `json:"invalidReason,omitempty"` // a code of the protocol when the payment is not valid
	Payer  string `json:"payer,omitempty"`
}

// A Settlement is what a facilitator says of a payment that it was told to settle.
type Settlement struct {
	Success     bool   `json:"success"`
	Reason      string `json:"errorReason,omitempty"` // a code of the protocol when it was not settled
	Payer       string `json:"payer,omitempty"`
	Transaction string `json:"transaction"` // on the chain
	Network     string `json:"network"`
}

// Codes of the protocol for a payment that is not valid or was not settled.
const (
	ReasonFunds        = "insufficient_funds"
	ReasonTooEarly     = "invalid_exact_evm_payload_authorization_valid_after"
	ReasonTooLate      = "invalid_exact_evm_payload_authorization_valid_before"
	ReasonAmount       = "invalid_exact_evm_payload_authorization_value"
	ReasonSignature    = "invalid_exact_evm_payload_signature"
	ReasonRecipient    = "invalid_exact_evm_payload_recipient_mismatch"
	ReasonNetwork      = "invalid_network"
	ReasonPayload      = "invalid_payload"
	ReasonRequirements = "invalid_payment_requirements"
	ReasonScheme       = "unsupported_scheme"
	ReasonVersion      = "invalid_x402_version"
	ReasonState        = "invalid_transaction_state" // such as a nonce that was used already
	ReasonVerifyError  = "unexpected_verify_error"
	ReasonSettleError  = "unexpected_settle_error"
)
