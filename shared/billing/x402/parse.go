package x402

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/price"
)

// A payload is decoded into maps first and encoded again, so that a facilitator
// reads exactly the members that were checked here: encoding/json matches the names
// of struct fields in any case and keeps the members that it does not know, and so
// {"value": "1", "VALUE": "100000"} would be one amount here and another there.

const (
	maxHeader    = 16 << 10 // bytes of a payment header; real ones take about 1 KiB
	maxDepth     = 16       // nested objects and lists; real payloads have 5
	maxSignature = 4 << 10  // bytes; those of smart wallets are longer than 65
)

// maxTime is the latest moment that JSON can hold. Wallets sign the greatest uint256
// for an authorization that does not expire.
var maxTime = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// Parse reads the payment of a request from the values of its headers X-PAYMENT and
// PAYMENT-SIGNATURE. It returns nil when both are empty, and reads the second when
// neither is. The version is that of the payload, whichever header it came in. The
// error is price.ErrMalformed.
func Parse(xPayment, signature string) (*Payment, error) {
	header := cmp.Or(signature, xPayment)
	if header == "" {
		return nil, nil
	}
	if len(header) > maxHeader {
		return nil, price.ErrMalformed.Because(errors.New("x402: payment header is too long"))
	}
	raw, err := base64.StdEncoding.DecodeString(header)
	if err != nil {
		return nil, price.ErrMalformed.Because(errors.New("x402: payment header is not base64"))
	}
	return Decode(raw)
}

// Decode reads a payment from the JSON of its payload, such as the Raw of another
// payment. The error is price.ErrMalformed.
func Decode(payload []byte) (*Payment, error) {
	p, err := decode(payload)
	if err != nil {
		return nil, price.ErrMalformed.Because(fmt.Errorf("x402: %w", err))
	}
	return p, nil
}

func decode(payload []byte) (*Payment, error) {
	value, err := canonical(payload)
	if err != nil {
		return nil, err
	}
	f := fields{m: value}
	p := &Payment{}
	switch version, _ := f.m["x402Version"].(json.Number); version {
	case "1":
		p.X402Version, p.Scheme, p.Network = 1, f.text("scheme"), f.text("network")
	case "2":
		p.X402Version = 2
		p.accept(f.object("accepted"), &f)
	default:
		return nil, errors.New("x402Version must be 1 or 2")
	}
	if f.err != nil {
		return nil, f.err
	}
	if p.Raw, err = json.Marshal(value); err != nil {
		return nil, err
	}
	if _, known := AssetOf(p.Network); !known || p.Scheme != Exact {
		return p, nil
	}
	p.authorize(f.object("payload"), &f)
	return p, f.err
}

// canonical decodes payload, one object that is not nested too deeply.
func canonical(payload []byte) (map[string]any, error) {
	if len(payload) > maxHeader {
		return nil, errors.New("payload is too long")
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	var value map[string]any
	if err := d.Decode(&value); err != nil {
		return nil, errors.New("payload must be a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("payload must be one JSON object")
	}
	if deeper(value, maxDepth) {
		return nil, errors.New("payload is nested too deeply")
	}
	return value, nil
}

// deeper reports whether v nests objects and lists more than n deep.
func deeper(v any, n int) bool {
	switch v := v.(type) {
	case map[string]any:
		return n == 0 || slices.ContainsFunc(slices.Collect(maps.Values(v)), func(item any) bool { return deeper(item, n-1) })
	case []any:
		return n == 0 || slices.ContainsFunc(v, func(item any) bool { return deeper(item, n-1) })
	}
	return false
}

// accepted are the terms that a payload of version 2 repeats.
type accepted struct {
	amount, payTo string
}

func (p *Payment) accept(m map[string]any, f *fields) {
	in := fields{m: m}
	p.Scheme, p.Network = in.text("scheme"), in.text("network")
	p.accepted = accepted{in.text("amount"), in.text("payTo")}
	p.Asset = in.text("asset")
	if a, ok := ParseAddress(p.Asset); ok {
		p.Asset = a
	}
	f.err = cmp.Or(f.err, in.err)
}

// authorize reads the signed authorization of the scheme "exact".
func (p *Payment) authorize(payload map[string]any, f *fields) {
	outer := fields{m: payload}
	in := fields{m: outer.object("authorization")}
	p.authorization = Authorization{
		From: in.address("from"), To: in.address("to"), Value: in.number("value"),
		ValidAfter: in.number("validAfter"), ValidBefore: in.number("validBefore"), Nonce: in.hex("nonce", 32, 32),
	}
	signature := outer.hex("signature", 1, maxSignature)
	if f.err = cmp.Or(f.err, outer.err, in.err); f.err != nil {
		return
	}
	a := p.authorization
	p.From, p.To = a.From, a.To
	p.Value = price.Amount(bounded(a.Value, math.MaxInt64))
	p.ValidAfter = time.Unix(bounded(a.ValidAfter, maxTime.Unix()), 0).UTC()
	p.ValidBefore = time.Unix(bounded(a.ValidBefore, maxTime.Unix()), 0).UTC()
	copy(p.Nonce[:], bytesOf(a.Nonce))
	p.Signature = bytesOf(signature)
}

// fields reads the members of an object, and keeps the first error.
type fields struct {
	m   map[string]any
	err error
}

func (f *fields) fail(name, want string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s must be %s", name, want)
	}
}

func (f *fields) text(name string) string {
	s, ok := f.m[name].(string)
	if !ok {
		f.fail(name, "a string")
	}
	return s
}

func (f *fields) object(name string) map[string]any {
	m, ok := f.m[name].(map[string]any)
	if !ok {
		f.fail(name, "an object")
	}
	return m
}

func (f *fields) address(name string) string {
	a, ok := ParseAddress(f.text(name))
	if !ok {
		f.fail(name, "0x and 40 hexadecimal digits")
	}
	return a
}

// number returns a member that is a uint256 in decimal digits.
func (f *fields) number(name string) string {
	s := f.text(name)
	if _, ok := uint256(s); !ok {
		f.fail(name, "an integer of 256 bits in decimal digits")
	}
	return s
}

// hex returns a member that is 0x and from least to most bytes, in lower case.
func (f *fields) hex(name string, least, most int) string {
	s := strings.ToLower(f.text(name))
	b := bytesOf(s)
	if !strings.HasPrefix(s, "0x") || len(b) < least || len(b) > most {
		f.fail(name, fmt.Sprintf("0x and %d to %d bytes in hexadecimal digits", least, most))
	}
	return s
}

// bytesOf returns the bytes of 0x and hexadecimal digits; nil when s is anything else.
func bytesOf(s string) []byte {
	b, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	if err != nil {
		return nil
	}
	return b
}

// uint256 parses an integer in decimal digits, and reports whether s is one of at
// most 256 bits.
func uint256(s string) (*big.Int, bool) {
	if s == "" || len(s) > 78 || strings.Trim(s, "0123456789") != "" {
		return nil, false
	}
	n, ok := new(big.Int).SetString(s, 10)
	return n, ok && n.BitLen() <= 256
}

// bounded returns the integer s, or most when s is greater.
func bounded(s string, most int64) int64 {
	n, ok := uint256(s)
	if !ok || !n.IsInt64() || n.Int64() > most {
		return most
	}
	return n.Int64()
}
