package x402

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/price"
)

// Headers of the protocol that answers carry.
const (
	requiredHeader  = "PAYMENT-REQUIRED"   // terms of version 2, with status 402
	responseHeader1 = "X-PAYMENT-RESPONSE" // settlement of a payment of version 1
	responseHeader2 = "PAYMENT-RESPONSE"   // settlement of a payment of version 2
)

const mimeType = "application/json"

// A Requirement1 is one entry of the terms in version 1. Clients refuse all of the
// terms when one entry lacks a member, has null for one, or names a network as
// version 2 does.
type Requirement1 struct {
	Scheme            string `json:"scheme" description:"Always exact: the amount is paid to the unit."`
	Network           string `json:"network" description:"The network to pay on, such as base."`
	MaxAmountRequired string `json:"maxAmountRequired" description:"Amount in atomic units of the asset: millionths of a US dollar."` // in atomic units
	Resource          string `json:"resource" description:"Address of the call that is paid for."`                                    // an absolute URL
	Description       string `json:"description" description:"Product that the payment buys."`
	MimeType          string `json:"mimeType" description:"Media type of the answer to the paid call."`
	PayTo             string `json:"payTo" description:"Address of the receiver."`
	MaxTimeoutSeconds int    `json:"maxTimeoutSeconds" description:"Seconds for which an authorization should be valid."`
	Asset             string `json:"asset" description:"Address of the token's contract."`
	Extra             Domain `json:"extra" description:"Name and version of the token's signing domain."`
}

// A Requirement2 is one entry of the terms in version 2.
type Requirement2 struct {
	Scheme            string `json:"scheme"`
	Network           string `json:"network"`
	Amount            string `json:"amount"` // in atomic units
	Asset             string `json:"asset"`
	PayTo             string `json:"payTo"`
	MaxTimeoutSeconds int    `json:"maxTimeoutSeconds"`
	Extra             Domain `json:"extra"`
}

// A Domain is what a client needs to sign for an asset.
type Domain struct {
	Name    string `json:"name"`
	Version string `json:"version" description:"Version of the token's signing domain."`
}

// V1 returns the terms as version 1 writes them.
func (t Terms) V1() Requirement1 {
	return Requirement1{
		Scheme: Exact, Network: t.Asset.Network, MaxAmountRequired: t.atomic(),
		Resource: t.URL, Description: t.Description, MimeType: mimeType,
		PayTo: t.PayTo, MaxTimeoutSeconds: t.seconds(), Asset: t.Asset.Address, Extra: t.domain(),
	}
}

// V2 returns the terms as version 2 writes them, without the URL and the
// description, which stand beside all terms of an offer.
func (t Terms) V2() Requirement2 {
	return Requirement2{
		Scheme: Exact, Network: t.Asset.CAIP2, Amount: t.atomic(), Asset: t.Asset.Address,
		PayTo: t.PayTo, MaxTimeoutSeconds: t.seconds(), Extra: t.domain(),
	}
}

func (t Terms) atomic() string { return strconv.FormatInt(int64(t.Amount), 10) }
func (t Terms) seconds() int   { return int(t.Timeout / time.Second) }
func (t Terms) domain() Domain { return Domain{t.Asset.Name, t.Asset.Version} }

// MarshalJSON writes the terms as the member "accepts" of version 1.
func (o Offer) MarshalJSON() ([]byte, error) {
	list := make([]Requirement1, 0, len(o.Terms))
	for _, t := range o.Terms {
		list = append(list, t.V1())
	}
	return json.Marshal(list)
}

// required is the value of the header PAYMENT-REQUIRED.
type required struct {
	X402Version int            `json:"x402Version"`
	Error       string         `json:"error"`
	Resource    resource       `json:"resource"`
	Accepts     []Requirement2 `json:"accepts"`
}

type resource struct {
	URL         string `json:"url"`
	Description string `json:"description"`
	MimeType    string `json:"mimeType"`
}

// AddTo adds to the headers of the answer what version 2 reads there. After a
// payment was refused it adds the failed settlement too, in both versions. An offer
// without terms adds nothing.
func (o Offer) AddTo(h http.Header) {
	if len(o.Terms) == 0 {
		return
	}
	first := o.Terms[0]
	r := required{X402Version: 2, Error: price.ErrRequired.Code, Resource: resource{first.URL, o.description(), mimeType}}
	for _, t := range o.Terms {
		r.Accepts = append(r.Accepts, t.V2())
	}
	if o.Reason != "" {
		r.Error = o.Reason
		refused := Settlement{Reason: o.Reason, Network: first.Asset.Network}
		refused.addTo(h, 1)
		refused.addTo(h, 2)
	}
	h.Set(requiredHeader, encode(r))
}

// description joins what the terms sell; version 2 describes all of them at once.
func (o Offer) description() string {
	var all []string
	for _, t := range o.Terms {
		if !slices.Contains(all, t.Description) {
			all = append(all, t.Description)
		}
	}
	return strings.Join(all, "; ")
}

// Fault returns the fault that a call without a sufficient payment answers:
// price.ErrRefused when the offer has a reason, else price.ErrRequired.
func (o Offer) Fault() *fault.Error {
	f := price.ErrRequired
	if o.Reason != "" {
		f = price.ErrRefused.With("reason", o.Reason)
	}
	return f.With("x402Version", 1).With("accepts", o)
}

// Header returns the header by which the answer to a paid call names its settlement
// to a client of a version of the protocol.
func (s Settlement) Header(version int) http.Header {
	h := http.Header{}
	s.addTo(h, version)
	return h
}

func (s Settlement) addTo(h http.Header, version int) {
	name := responseHeader1
	if version == 2 {
		name = responseHeader2
	}
	if a, ok := AssetOf(s.Network); ok {
		s.Network = a.name(version)
	}
	h.Set(name, encode(s))
}

// name returns the name of the network in a version of the protocol.
func (a Asset) name(version int) string {
	if version == 2 {
		return a.CAIP2
	}
	return a.Network
}

// encode returns the JSON of a value in base64.
func encode(value any) string {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // the values are structs of text and numbers
	}
	return base64.StdEncoding.EncodeToString(b)
}
