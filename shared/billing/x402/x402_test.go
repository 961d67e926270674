package x402

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/price"
)

// example is the payload that the specification of the scheme shows.
const example = `{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":{
	"signature":"0x2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a1283259764173608a2ce6496642e377d6da8dbbf5836e9bd15092f9ecab05ded3d6293af148b571c",
	"authorization":{"from":"0x857b06519E91e3A54538791bDbb0E22373e36b66","to":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","value":"10000",
	"validAfter":"1740672089","validBefore":"1740672154","nonce":"0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480"}}}`

// exampleTime is a moment at which the example is valid.
var exampleTime = time.Unix(1740672100, 0)

// exampleTerms are the terms that the example pays.
func exampleTerms() Terms {
	asset, _ := AssetOf("base-sepolia")
	return Terms{
		Product: price.ChatPass, Amount: price.Cent, URL: "https://tv.example/api/chat/pass", Description: "Chat write pass, 30 days",
		Asset: asset, PayTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", Timeout: time.Minute,
	}
}

func mustDecode(t testing.TB, payload string) *Payment {
	t.Helper()
	p, err := Decode([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// edited returns the example with changes to its members, by their paths.
func edited(t testing.TB, changes map[string]any) string {
	t.Helper()
	var payload map[string]any
	if err := json.Unmarshal([]byte(example), &payload); err != nil {
		t.Fatal(err)
	}
	for path, value := range changes {
		m, names := payload, strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			m = m[name].(map[string]any)
		}
		m[names[len(names)-1]] = value
	}
	b, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// second returns the example as a payload of version 2, with changes.
func second(t testing.TB, changes map[string]any) string {
	all := map[string]any{"x402Version": 2, "accepted": map[string]any{
		"scheme": "exact", "network": "eip155:84532", "amount": "10000", "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
		"payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", "maxTimeoutSeconds": 60, "extra": map[string]any{"name": "USDC", "version": "2"},
	}}
	for path, value := range changes {
		if name, ok := strings.CutPrefix(path, "accepted."); ok {
			all["accepted"].(map[string]any)[name] = value
			continue
		}
		all[path] = value
	}
	return edited(t, all)
}

func TestParse(t *testing.T) {
	fields := func(p *Payment) []any {
		return []any{p.X402Version, p.Scheme, p.Network, p.From, p.To, p.Value, p.ValidAfter.Unix(), p.ValidBefore.Unix(), hex.EncodeToString(p.Nonce[:4]), len(p.Signature), p.Asset}
	}
	from, to := "0x857b06519E91e3A54538791bDbb0E22373e36b66", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	want1 := []any{1, "exact", "base-sepolia", from, to, price.Cent, int64(1740672089), int64(1740672154), "f3746613", 65, ""}
	want2 := slices.Clone(want1)
	want2[0], want2[2], want2[10] = 2, "eip155:84532", "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	header1, header2 := encode(json.RawMessage(example)), encode(json.RawMessage(second(t, nil)))
	lower := encode(json.RawMessage(edited(t, map[string]any{"payload.authorization.from": strings.ToLower(from)})))
	for name, test := range map[string]struct {
		xPayment, signature string
		want                []any
	}{
		"version 1":                            {header1, "", want1},
		"version 1 in the header of version 2": {"", header1, want1},
		"version 2":                            {"", header2, want2},
		"version 2 is read before version 1":   {header1, header2, want2},
		"an address in lower case":             {lower, "", want1},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(test.xPayment, test.signature)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, fields(p)); diff != "" {
				t.Error(diff)
			}
			again, err := Decode(p.Raw)
			if diff := cmp.Diff(fields(p), fields(again)); err != nil || diff != "" {
				t.Errorf("Raw reads otherwise: %v %s", err, diff)
			}
		})
	}
	if p, err := Parse("", ""); p != nil || err != nil {
		t.Errorf("a call without payment = %v, %v", p, err)
	}
}

// TestParseBounds reads integers that no Amount or time.Time can hold.
func TestParseBounds(t *testing.T) {
	most := "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	p := mustDecode(t, edited(t, map[string]any{"payload.authorization.value": most, "payload.authorization.validBefore": most}))
	if p.Value != 1<<63-1 || p.ValidBefore.Year() != 9999 || p.Authorization().ValidBefore != most {
		t.Errorf("value %d, valid before %v, signed %s", p.Value, p.ValidBefore, p.Authorization().ValidBefore)
	}
}

// TestRaw expects that a facilitator reads the members that were checked, and no
// others of the same name.
func TestRaw(t *testing.T) {
	twice := strings.Replace(example, `"value":"10000"`, `"value":"1","value":"10000","VALUE":"999"`, 1)
	p := mustDecode(t, twice)
	if p.Value != price.Cent || strings.Count(string(p.Raw), `"value"`) != 1 {
		t.Errorf("value %d of %s", p.Value, p.Raw)
	}
}

func TestMalformed(t *testing.T) {
	const auth = "payload.authorization."
	long := "0x" + strings.Repeat("ab", maxSignature+1)
	for name, header := range map[string]string{
		"not base64":              "{}",
		"base64 of URLs":          base64.RawURLEncoding.EncodeToString([]byte("{\"x\":\"???>>>\"}")),
		"too long":                base64.StdEncoding.EncodeToString([]byte(example + strings.Repeat(" ", maxHeader*3/4))),
		"not JSON":                encode("text")[1:],
		"a string":                encode("text"),
		"two objects":             base64.StdEncoding.EncodeToString([]byte(example + "{}")),
		"nested deeply":           base64.StdEncoding.EncodeToString([]byte(nested(maxDepth + 1))),
		"version 3":               encode(json.RawMessage(edited(t, map[string]any{"x402Version": 3}))),
		"version as text":         encode(json.RawMessage(edited(t, map[string]any{"x402Version": "1"}))),
		"no scheme":               encode(json.RawMessage(edited(t, map[string]any{"scheme": nil}))),
		"network as number":       encode(json.RawMessage(edited(t, map[string]any{"network": 8453}))),
		"no payload":              encode(json.RawMessage(edited(t, map[string]any{"payload": nil}))),
		"payload as list":         encode(json.RawMessage(edited(t, map[string]any{"payload": []int{1}}))),
		"no authorization":        encode(json.RawMessage(edited(t, map[string]any{"payload.authorization": "0x"}))),
		"short address":           encode(json.RawMessage(edited(t, map[string]any{auth + "from": "0x857b"}))),
		"address without prefix":  encode(json.RawMessage(edited(t, map[string]any{auth + "to": strings.Repeat("ab", 21)}))),
		"negative value":          encode(json.RawMessage(edited(t, map[string]any{auth + "value": "-1"}))),
		"value with a sign":       encode(json.RawMessage(edited(t, map[string]any{auth + "value": "+1"}))),
		"value in hex":            encode(json.RawMessage(edited(t, map[string]any{auth + "value": "0x10"}))),
		"value with a fraction":   encode(json.RawMessage(edited(t, map[string]any{auth + "value": "0.10"}))),
		"value as number":         encode(json.RawMessage(edited(t, map[string]any{auth + "value": 10000}))),
		"value of 257 bits":       encode(json.RawMessage(edited(t, map[string]any{auth + "value": "115792089237316195423570985008687907853269984665640564039457584007913129639936"}))),
		"value of many digits":    encode(json.RawMessage(edited(t, map[string]any{auth + "value": strings.Repeat("9", 5000)}))),
		"empty value":             encode(json.RawMessage(edited(t, map[string]any{auth + "value": ""}))),
		"nonce of 31 bytes":       encode(json.RawMessage(edited(t, map[string]any{auth + "nonce": "0x" + strings.Repeat("ab", 31)}))),
		"empty signature":         encode(json.RawMessage(edited(t, map[string]any{"payload.signature": "0x"}))),
		"signature of half bytes": encode(json.RawMessage(edited(t, map[string]any{"payload.signature": "0xabc"}))),
		"long signature":          encode(json.RawMessage(edited(t, map[string]any{"payload.signature": long}))),
		"version 2 without terms": encode(json.RawMessage(edited(t, map[string]any{"x402Version": 2}))),
		"version 2, no amount":    encode(json.RawMessage(second(t, map[string]any{"accepted.amount": 5}))),
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := Parse(header, ""); !errors.Is(err, price.ErrMalformed) {
				t.Errorf("= %+v, %v", p, err)
			}
		})
	}
}

// nested returns the example with a further member, of objects and lists that are
// nested n deep in all.
func nested(n int) string {
	lists := strings.Repeat("[", n-1) + strings.Repeat("]", n-1)
	return `{"further":` + lists + `,` + example[1:]
}

// TestDecodeBounds expects the bounds of a header for payloads that come otherwise.
func TestDecodeBounds(t *testing.T) {
	mustDecode(t, nested(maxDepth))
	if p, err := Decode([]byte(example + strings.Repeat(" ", maxHeader))); !errors.Is(err, price.ErrMalformed) {
		t.Errorf("a long payload = %+v, %v", p, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(second(f, nil)))
	f.Add([]byte(edited(f, map[string]any{"scheme": "upto"})))
	f.Add([]byte(edited(f, map[string]any{"network": "solana"})))
	f.Add([]byte(`{"x402Version":1,"scheme":"exact","network":"base","payload":{"authorization":{}}}`))
	f.Add([]byte(`{"x402Version":2,"accepted":{}}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		p, err := Parse(base64.StdEncoding.EncodeToString(payload), "")
		if len(payload) == 0 {
			return
		}
		if (p == nil) == (err == nil) || err != nil && !errors.Is(err, price.ErrMalformed) {
			t.Fatalf("= %v, %v", p, err)
		}
		if p == nil {
			return
		}
		Offer{Terms: []Terms{exampleTerms()}}.Match(p, exampleTime)
		again, err := Decode(p.Raw)
		if err != nil || again.Key() != p.Key() || again.Authorization() != p.Authorization() {
			t.Fatalf("Raw reads otherwise: %v", err)
		}
	})
}

func TestVerifySignature(t *testing.T) {
	asset, _ := AssetOf("base-sepolia")
	main, _ := AssetOf("base")
	p := mustDecode(t, example)
	if err := p.VerifySignature(asset); err != nil {
		t.Error(err)
	}
	if p.VerifySignature(main) == nil {
		t.Error("the signature is good for another network")
	}
	if signer, err := Recover(p.Authorization().Digest(asset), p.Signature); err != nil || signer != p.From {
		t.Errorf("signer %s, %v", signer, err)
	}
	for name, change := range map[string]func(*Payment){
		"another payer":    func(p *Payment) { p.From = p.To },
		"another value":    func(p *Payment) { p.authorization.Value = "10001" },
		"another receiver": func(p *Payment) { p.authorization.To = p.From },
		"another nonce":    func(p *Payment) { p.authorization.Nonce = "0x" + strings.Repeat("00", 32) },
		"another start":    func(p *Payment) { p.authorization.ValidAfter = "0" },
		"another end":      func(p *Payment) { p.authorization.ValidBefore = "1740672155" },
		"another v":        func(p *Payment) { p.Signature[64] ^= 7 },
		"v of 29":          func(p *Payment) { p.Signature[64] = 29 },
		"zeros":            func(p *Payment) { clear(p.Signature[:64]) },
		"upper half": func(p *Payment) { // the other form of the same signature
			var s secp256k1.ModNScalar
			s.SetByteSlice(p.Signature[32:64])
			upper := s.Negate().Bytes()
			copy(p.Signature[32:64], upper[:])
			p.Signature[64] ^= 7
		},
	} {
		p := mustDecode(t, example)
		if change(p); p.VerifySignature(asset) == nil {
			t.Errorf("%s: the signature was accepted", name)
		}
	}
	p.Signature[64] -= 27
	if err := p.VerifySignature(asset); err != nil {
		t.Errorf("v of 0 or 1: %v", err)
	}
	p.Signature = make([]byte, 200)
	if err := p.VerifySignature(asset); err != nil {
		t.Errorf("the signature of a contract was checked here: %v", err)
	}
}

// TestAddressOf holds addresses to those of well-known keys, 1 and 2.
func TestAddressOf(t *testing.T) {
	for n, want := range map[uint32]string{
		1: "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", 2: "0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF",
	} {
		key := secp256k1.NewPrivateKey(new(secp256k1.ModNScalar).SetInt(n))
		if got := AddressOf(key.PubKey()); got != want {
			t.Errorf("address of key %d = %s, want %s", n, got, want)
		}
		if got, ok := ParseAddress(strings.ToLower(want)); !ok || got != want {
			t.Errorf("ParseAddress = %s, %v", got, ok)
		}
		digest := [32]byte{1, 2, 3}
		compact := ecdsa.SignCompact(key, digest[:], false)
		if got, err := Recover(digest, append(compact[1:], compact[0])); err != nil || got != want {
			t.Errorf("Recover = %s, %v", got, err)
		}
	}
	for _, s := range []string{"", "0x", "7E5F4552091A69125d5DfCb7b8C2659029395Bdf00", "0xzz5F4552091A69125d5DfCb7b8C2659029395Bdf"} {
		if got, ok := ParseAddress(s); ok {
			t.Errorf("ParseAddress(%q) = %s", s, got)
		}
	}
	for _, a := range Assets() {
		if got, ok := ParseAddress(strings.ToLower(a.Address)); !ok || got != a.Address {
			t.Errorf("the address of %s is not checksummed: %s", a.Network, a.Address)
		}
	}
}

func TestMatch(t *testing.T) {
	const auth = "payload.authorization."
	cheap, dear := exampleTerms(), exampleTerms()
	dear.Product, dear.Amount = price.Network90, 29*price.Cent
	other := exampleTerms()
	other.Asset, _ = AssetOf("base")
	all := Offer{Terms: []Terms{dear, other, cheap}}
	for name, test := range map[string]struct {
		payload string
		now     time.Time
		want    string
	}{
		"version 1":                {example, exampleTime, ""},
		"version 2":                {second(t, nil), exampleTime, ""},
		"another scheme":           {edited(t, map[string]any{"scheme": "upto"}), exampleTime, ReasonScheme},
		"an unknown network":       {edited(t, map[string]any{"network": "solana"}), exampleTime, ReasonNetwork},
		"a name of version 2 in 1": {edited(t, map[string]any{"network": "eip155:84532"}), exampleTime, ReasonNetwork},
		"a name of version 1 in 2": {second(t, map[string]any{"accepted.network": "base-sepolia"}), exampleTime, ReasonNetwork},
		"another asset":            {second(t, map[string]any{"accepted.asset": other.Asset.Address}), exampleTime, ReasonRequirements},
		"other terms repeated":     {second(t, map[string]any{"accepted.amount": "1"}), exampleTime, ReasonRequirements},
		"another receiver said":    {second(t, map[string]any{"accepted.payTo": other.Asset.Address}), exampleTime, ReasonRequirements},
		"another receiver":         {edited(t, map[string]any{auth + "to": other.Asset.Address}), exampleTime, ReasonRecipient},
		"too little":               {edited(t, map[string]any{auth + "value": "9999"}), exampleTime, ReasonAmount},
		"too much":                 {edited(t, map[string]any{auth + "value": "10001"}), exampleTime, ReasonAmount},
		"not yet valid":            {example, time.Unix(1740672089, 0), ReasonTooEarly},
		"just valid":               {example, time.Unix(1740672090, 0), ""},
		"just in time":             {example, time.Unix(1740672147, 0), ""},
		"expired":                  {example, time.Unix(1740672148, 0), ReasonTooLate},
		"another signer":           {edited(t, map[string]any{auth + "from": other.Asset.Address}), exampleTime, ReasonSignature},
		"another network signed":   {edited(t, map[string]any{"network": "base"}), exampleTime, ReasonSignature},
	} {
		t.Run(name, func(t *testing.T) {
			terms, reason := all.Match(mustDecode(t, test.payload), test.now)
			want := Terms{}
			if test.want == "" {
				want = cheap
			}
			if reason != test.want || terms != want {
				t.Errorf("= %+v, %q, want %q", terms, reason, test.want)
			}
		})
	}
}

func TestKey(t *testing.T) {
	key := mustDecode(t, example).Key()
	if len(key) != 64 || mustDecode(t, second(t, nil)).Key() != key {
		t.Error("the versions name one authorization by two keys")
	}
	signed := mustDecode(t, edited(t, map[string]any{"payload.signature": "0x01", "payload.authorization.value": "1"}))
	if signed.Key() != key {
		t.Error("a nonce has a second key with another value")
	}
	for name, payload := range map[string]string{
		"network": edited(t, map[string]any{"network": "base"}),
		"payer":   edited(t, map[string]any{"payload.authorization.from": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"}),
		"nonce":   edited(t, map[string]any{"payload.authorization.nonce": "0x" + strings.Repeat("ab", 32)}),
	} {
		if mustDecode(t, payload).Key() == key {
			t.Errorf("another %s has the same key", name)
		}
	}
}

// TestOffer holds the terms to the bytes that real clients of both versions accept.
func TestOffer(t *testing.T) {
	terms := exampleTerms()
	body, err := json.Marshal(Offer{Terms: []Terms{terms}}.Fault().Fields)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"accepts":[{"scheme":"exact","network":"base-sepolia","maxAmountRequired":"10000","resource":"https://tv.example/api/chat/pass",` +
		`"description":"Chat write pass, 30 days","mimeType":"application/json","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C",` +
		`"maxTimeoutSeconds":60,"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","extra":{"name":"USDC","version":"2"}}],"x402Version":1}`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Error(diff)
	}

	longer := terms
	longer.Amount, longer.Description, longer.Asset = 29*price.Cent, "Another pass", Assets()[0]
	want = `{"x402Version":2,"error":"payment_required","resource":{"url":"https://tv.example/api/chat/pass",` +
		`"description":"Chat write pass, 30 days; Another pass","mimeType":"application/json"},"accepts":[` +
		`{"scheme":"exact","network":"eip155:84532","amount":"10000","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e",` +
		`"payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"extra":{"name":"USDC","version":"2"}},` +
		`{"scheme":"exact","network":"eip155:8453","amount":"290000","asset":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",` +
		`"payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"extra":{"name":"USD Coin","version":"2"}}]}`
	h := http.Header{}
	Offer{Terms: []Terms{terms, longer}}.AddTo(h)
	if diff := cmp.Diff(map[string]string{"Payment-Required": want}, decoded(t, h)); diff != "" {
		t.Error(diff)
	}
}

// TestRefused expects the failed settlement beside the terms, in both versions.
func TestRefused(t *testing.T) {
	o := Offer{Terms: []Terms{exampleTerms()}, Reason: ReasonFunds}
	f := o.Fault()
	if !errors.Is(f, price.ErrRefused) || f.Fields["reason"] != ReasonFunds || f.Fields["x402Version"] != 1 {
		t.Errorf("fault %v %v", f, f.Fields)
	}
	h := http.Header{}
	o.AddTo(h)
	got := decoded(t, h)
	if !strings.Contains(got["Payment-Required"], `"error":"insufficient_funds"`) {
		t.Errorf("terms %s", got["Payment-Required"])
	}
	delete(got, "Payment-Required")
	want := map[string]string{
		"X-Payment-Response": `{"success":false,"errorReason":"insufficient_funds","transaction":"","network":"base-sepolia"}`,
		"Payment-Response":   `{"success":false,"errorReason":"insufficient_funds","transaction":"","network":"eip155:84532"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNothingOffered expects an empty list, which clients read, and no header.
func TestNothingOffered(t *testing.T) {
	h := http.Header{}
	Offer{Reason: ReasonFunds}.AddTo(h)
	body, err := json.Marshal(Offer{})
	if len(h) != 0 || err != nil || string(body) != "[]" {
		t.Errorf("%v, %s, %v", h, body, err)
	}
}

func TestSettlementHeader(t *testing.T) {
	s := Settlement{Success: true, Payer: "0x857b06519E91e3A54538791bDbb0E22373e36b66", Transaction: "0x" + strings.Repeat("ab", 32), Network: "base"}
	rest := `,"payer":"` + s.Payer + `","transaction":"` + s.Transaction + `","network":`
	for version, want := range map[int]map[string]string{
		1: {"X-Payment-Response": `{"success":true` + rest + `"base"}`},
		2: {"Payment-Response": `{"success":true` + rest + `"eip155:8453"}`},
	} {
		if diff := cmp.Diff(want, decoded(t, s.Header(version))); diff != "" {
			t.Error(diff)
		}
	}
}

// decoded returns the values of headers without their base64.
func decoded(t *testing.T, h http.Header) map[string]string {
	t.Helper()
	values := map[string]string{}
	for name := range maps.Keys(h) {
		b, err := base64.StdEncoding.DecodeString(h.Get(name))
		if err != nil {
			t.Fatal(err)
		}
		values[name] = string(b)
	}
	return values
}

func BenchmarkParse(b *testing.B) {
	header := encode(json.RawMessage(example))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(header, ""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerifySignature(b *testing.B) {
	asset, _ := AssetOf("base-sepolia")
	p := mustDecode(b, example)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.VerifySignature(asset); err != nil {
			b.Fatal(err)
		}
	}
}
