package facilitator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/price"
)

// payload is the example of the specification of the scheme.
const payload = `{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":{
	"signature":"0x2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a1283259764173608a2ce6496642e377d6da8dbbf5836e9bd15092f9ecab05ded3d6293af148b571c",
	"authorization":{"from":"0x857b06519E91e3A54538791bDbb0E22373e36b66","to":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","value":"10000",
	"validAfter":"1740672089","validBefore":"1740672154","nonce":"0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480"}}}`

const payer = "0x857b06519E91e3A54538791bDbb0E22373e36b66"

var hash = "0x" + strings.Repeat("ab", 32)

func examples(t *testing.T) (*x402.Payment, x402.Terms) {
	t.Helper()
	p, err := x402.Decode([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	asset, _ := x402.AssetOf("base-sepolia")
	return p, x402.Terms{Amount: price.Cent, URL: "https://tv.example/", Asset: asset, PayTo: p.To, Timeout: time.Minute}
}

// A fake is a facilitator that answers every call alike, and counts them.
type fake struct {
	url    string
	calls  atomic.Int32
	answer atomic.Pointer[http.HandlerFunc]
}

func newFake(t *testing.T, answer http.HandlerFunc) *fake {
	f := &fake{}
	f.answer.Store(&answer)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.calls.Add(1)
		(*f.answer.Load())(w, r)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// says answers with a status and a body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// hangsUp reads the request and closes the connection.
func hangsUp(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	panic(http.ErrAbortHandler)
}

// waits answers when the caller has given up.
func waits(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// refused returns a URL at which nothing listens.
func refused(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func newClient(urls ...string) *Client {
	c := New(Options{URLs: urls, Log: slog.New(slog.DiscardHandler)})
	c.timeouts = timeouts{verify: 200 * time.Millisecond, settle: 200 * time.Millisecond, chain: 200 * time.Millisecond}
	return c
}

// hostile are answers that are neither a verdict nor a settlement.
func hostile() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"empty":       says(200, ""),
		"HTML":        says(200, "<!doctype html><title>Welcome</title>"),
		"a list":      says(200, "[]"),
		"no members":  says(200, "{}"),
		"other types": says(200, `{"isValid":"true","success":"true"}`),
		"huge":        says(200, `{"isValid":true,"success":true,"transaction":"`+hash+`","network":"base-sepolia"}`+strings.Repeat(" ", maxAnswer)),
		"hung up":     hangsUp,
		"silent":      waits,
		"server down": says(503, `{"isValid":true,"success":true}`),
	}
}

func TestVerify(t *testing.T) {
	p, terms := examples(t)
	valid := x402.Verdict{Valid: true, Payer: payer}
	for name, test := range map[string]struct {
		status int
		body   string
		want   x402.Verdict // zero for an error
	}{
		"valid":                      {200, `{"isValid":true,"payer":"` + strings.ToLower(payer) + `"}`, valid},
		"valid without payer":        {200, `{"isValid":true}`, valid},
		"invalid":                    {200, `{"isValid":false,"invalidReason":"insufficient_funds"}`, x402.Verdict{Reason: "insufficient_funds", Payer: payer}},
		"invalid with status 400":    {400, `{"isValid":false,"invalidReason":"insufficient_funds"}`, x402.Verdict{Reason: "insufficient_funds", Payer: payer}},
		"invalid without reason":     {200, `{"isValid":false}`, x402.Verdict{Reason: "invalid_payload", Payer: payer}},
		"invalid, reason with marks": {200, `{"isValid":false,"invalidReason":"<script>"}`, x402.Verdict{Reason: "invalid_payload", Payer: payer}},
		"valid with status 400":      {400, `{"isValid":true}`, x402.Verdict{}},
		"another payer":              {200, `{"isValid":true,"payer":"` + p.To + `"}`, x402.Verdict{}},
		"a network it lacks":         {200, `{"isValid":false,"invalidReason":"invalid_network"}`, x402.Verdict{}},
		"its own failure":            {200, `{"isValid":false,"invalidReason":"unexpected_verify_error"}`, x402.Verdict{}},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := newClient(newFake(t, says(test.status, test.body)).url).Verify(t.Context(), p, terms)
			if v != test.want || (err != nil) != (test.want == x402.Verdict{}) {
				t.Errorf("= %+v, %v", v, err)
			}
		})
	}
	for name, answer := range hostile() {
		t.Run(name, func(t *testing.T) {
			bad, good := newFake(t, answer), newFake(t, says(200, `{"isValid":true}`))
			if v, err := newClient(bad.url).Verify(t.Context(), p, terms); err == nil {
				t.Errorf("= %+v without an error", v)
			}
			if v, err := newClient(bad.url, good.url).Verify(t.Context(), p, terms); err != nil || v != valid {
				t.Errorf("with a second facilitator = %+v, %v", v, err)
			}
		})
	}
}

// TestRequest holds the call to the form that facilitators read.
func TestRequest(t *testing.T) {
	p, terms := examples(t)
	var got Request
	var path, mediaType string
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		path, mediaType = r.URL.Path, r.Header.Get("Content-Type")
		json.NewDecoder(r.Body).Decode(&got)
		says(200, `{"isValid":true}`)(w, r)
	})
	if _, err := newClient(f.url+"/x402").Verify(t.Context(), p, terms); err != nil {
		t.Fatal(err)
	}
	requirement, _ := json.Marshal(terms.V1())
	want := Request{1, p.Raw, requirement}
	if diff := cmp.Diff(want, got); diff != "" || path != "/x402/verify" || mediaType != "application/json" {
		t.Errorf("%s, %s: %s", path, mediaType, diff)
	}
}

func TestSettle(t *testing.T) {
	p, terms := examples(t)
	settled := x402.Settlement{Success: true, Payer: payer, Transaction: hash, Network: "base-sepolia"}
	success := func(payer, transaction, network string) string {
		return fmt.Sprintf(`{"success":true,"payer":%q,"transaction":%q,"network":%q}`, payer, transaction, network)
	}
	failure := func(reason string) x402.Settlement {
		return x402.Settlement{Reason: reason, Payer: payer, Network: "base-sepolia"}
	}
	for name, test := range map[string]struct {
		status int
		body   string
		want   x402.Settlement // zero for an unknown outcome
	}{
		"settled":                 {200, success(payer, hash, "base-sepolia"), settled},
		"settled, name of 2":      {200, success("", "0x"+strings.ToUpper(hash[2:]), "eip155:84532"), settled},
		"refused":                 {200, `{"success":false,"errorReason":"insufficient_funds","transaction":"","network":""}`, failure("insufficient_funds")},
		"refused with status 402": {402, `{"success":false,"errorReason":"invalid_transaction_state"}`, failure("invalid_transaction_state")},
		"refused without reason":  {200, `{"success":false}`, failure("invalid_payload")},
		"refused without a code":  {200, `{"success":false,"errorReason":"Nonce used!"}`, failure("invalid_payload")},
		"settled with status 400": {400, success(payer, hash, "base-sepolia"), x402.Settlement{}},
		"refused with status 500": {500, `{"success":false,"errorReason":"insufficient_funds"}`, x402.Settlement{}},
		"another payer":           {200, success(p.To, hash, "base-sepolia"), x402.Settlement{}},
		"another payer refused":   {200, `{"success":false,"errorReason":"insufficient_funds","payer":"` + p.To + `"}`, x402.Settlement{}},
		"another network":         {200, success(payer, hash, "base"), x402.Settlement{}},
		"an unknown network":      {200, success(payer, hash, ""), x402.Settlement{}},
		"no transaction":          {200, success(payer, "", "base-sepolia"), x402.Settlement{}},
		"a strange transaction":   {200, success(payer, "0xabc", "base-sepolia"), x402.Settlement{}},
		"lost sight of":           {200, `{"success":false,"errorReason":"unexpected_settle_error"}`, x402.Settlement{}},
		"conflict":                {409, `{"error":"in progress"}`, x402.Settlement{}},
		"request timeout":         {408, ``, x402.Settlement{}},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := newFake(t, says(test.status, test.body)), newFake(t, says(200, success(payer, hash, "base")))
			got, err := newClient(first.url, second.url).Settle(t.Context(), p, terms)
			if got != test.want || (err != nil) != (test.want == x402.Settlement{}) || errors.Is(err, ErrNotTaken) {
				t.Errorf("= %+v, %v", got, err)
			}
			if second.calls.Load() != 0 {
				t.Error("a second facilitator was asked to settle what the first may have begun")
			}
		})
	}
	for name, answer := range hostile() {
		t.Run(name, func(t *testing.T) {
			first, second := newFake(t, answer), newFake(t, says(200, success(payer, hash, "base-sepolia")))
			c := newClient(first.url, second.url)
			if got, err := c.Settle(t.Context(), p, terms); err == nil || errors.Is(err, ErrNotTaken) {
				t.Errorf("= %+v, %v, want an unknown outcome", got, err)
			}
			now := says(200, success(payer, hash, "base-sepolia"))
			first.answer.Store(&now)
			if got, err := c.Settle(t.Context(), p, terms); err != nil || got != settled {
				t.Errorf("again = %+v, %v", got, err)
			}
			if second.calls.Load() != 0 {
				t.Error("the second facilitator was called")
			}
		})
	}
}

// TestSettleElsewhere expects the second facilitator to settle what the first did
// certainly not begin.
func TestSettleElsewhere(t *testing.T) {
	p, terms := examples(t)
	good := `{"success":true,"transaction":"` + hash + `","network":"base-sepolia"}`
	for name, first := range map[string]string{
		"nothing listens":    refused(t),
		"not a URL":          "http://[",
		"not found":          newFake(t, says(404, "<h1>Not found</h1>")).url,
		"too many requests":  newFake(t, says(429, `{"error":"slow down"}`)).url,
		"a network it lacks": newFake(t, says(200, `{"success":false,"errorReason":"invalid_network","transaction":"","network":""}`)).url,
		"not authorized":     newFake(t, says(401, `{}`)).url,
	} {
		t.Run(name, func(t *testing.T) {
			second := newFake(t, says(200, good))
			if got, err := newClient(first, second.url).Settle(t.Context(), p, terms); err != nil || !got.Success {
				t.Errorf("= %+v, %v", got, err)
			}
			if _, err := newClient(first).Settle(t.Context(), p, terms); !errors.Is(err, ErrNotTaken) {
				t.Errorf("alone = %v, want ErrNotTaken", err)
			}
		})
	}
}

// TestSettleStays expects that a payment which a facilitator may have begun to settle
// goes nowhere else, even when that facilitator is gone.
func TestSettleStays(t *testing.T) {
	p, terms := examples(t)
	first, second := newFake(t, hangsUp), newFake(t, says(200, `{"success":true,"transaction":"`+hash+`","network":"base-sepolia"}`))
	c := newClient(first.url, second.url)
	for _, answer := range []http.HandlerFunc{hangsUp, says(404, ""), says(429, ""), hangsUp, hangsUp} {
		first.answer.Store(&answer)
		if got, err := c.Settle(t.Context(), p, terms); err == nil || errors.Is(err, ErrNotTaken) {
			t.Fatalf("= %+v, %v, want an unknown outcome", got, err)
		}
	}
	answer := says(200, `{"success":false,"errorReason":"invalid_transaction_state"}`)
	first.answer.Store(&answer)
	if got, err := c.Settle(t.Context(), p, terms); err != nil || got.Reason != x402.ReasonState {
		t.Errorf("= %+v, %v", got, err)
	}
	if second.calls.Load() != 0 || len(c.begun) != 0 {
		t.Errorf("second called %d times, %d payments remembered", second.calls.Load(), len(c.begun))
	}
}

// TestRedirect expects that a payment does not go where an answer points.
func TestRedirect(t *testing.T) {
	p, terms := examples(t)
	elsewhere := newFake(t, says(200, `{"isValid":true,"success":true,"transaction":"`+hash+`","network":"base-sepolia"}`))
	f := newFake(t, http.RedirectHandler(elsewhere.url, http.StatusTemporaryRedirect).ServeHTTP)
	c := New(Options{URLs: []string{f.url}, HTTP: &http.Client{}})
	if v, err := c.Verify(t.Context(), p, terms); err == nil {
		t.Errorf("Verify = %+v", v)
	}
	if s, err := c.Settle(t.Context(), p, terms); err == nil || errors.Is(err, ErrNotTaken) {
		t.Errorf("Settle = %+v, %v", s, err)
	}
	if elsewhere.calls.Load() != 0 {
		t.Error("the redirect was followed")
	}
}

// TestBegunIsBounded expects that a client forgets payments rather than grow.
func TestBegunIsBounded(t *testing.T) {
	p, _ := examples(t)
	c := newClient()
	for i := range maxBegun + 10 {
		p.Nonce = [32]byte{byte(i), byte(i >> 8)}
		c.remember(p, nil, true)
	}
	if len(c.begun) != maxBegun {
		t.Errorf("%d payments are remembered", len(c.begun))
	}
	if _, ok := c.begun[p.Key()]; !ok {
		t.Error("the newest payment was forgotten")
	}
}

func TestBreaker(t *testing.T) {
	p, terms := examples(t)
	bad, good := newFake(t, says(500, "")), newFake(t, says(200, `{"isValid":true}`))
	now := time.Unix(1_000_000, 0)
	c := newClient(bad.url, good.url)
	c.now = func() time.Time { return now }
	verify := func(wantBad int32) {
		t.Helper()
		if _, err := c.Verify(t.Context(), p, terms); err != nil {
			t.Error(err)
		}
		if got := bad.calls.Load(); got != wantBad {
			t.Errorf("the failing facilitator was called %d times, want %d", got, wantBad)
		}
	}
	verify(1)
	verify(2)
	verify(3)
	verify(3) // it rests
	now = now.Add(restTime)
	verify(4) // one call tries it
	verify(4)
	now = now.Add(restTime)
	answer := says(200, `{"isValid":true}`)
	bad.answer.Store(&answer)
	verify(5)
	verify(6) // it answers again
	if got := good.calls.Load(); got != 6 {
		t.Errorf("the second facilitator was called %d times, want 6", got)
	}
}

// TestBreakerTriesOnce expects one call at a time to try a service that rested.
func TestBreakerTriesOnce(t *testing.T) {
	var b breaker
	now := time.Unix(1_000_000, 0)
	for range maxFailures {
		b.note(now, false)
	}
	now = now.Add(restTime)
	if !b.allow(now) || b.allow(now) {
		t.Error("want one call to pass")
	}
	b.note(now, true)
	for range 2 {
		if !b.allow(now) {
			t.Error("want all calls to pass after one that succeeded")
		}
	}
}

// TestBreakerOfContracts expects that payments which a contract signed, and at which a
// facilitator fails, do not keep it from other payers.
func TestBreakerOfContracts(t *testing.T) {
	p, terms := examples(t)
	f := newFake(t, says(500, ""))
	c := newClient(f.url)
	contract := *p
	contract.Signature = make([]byte, 2*x402.SignatureSize)
	for range maxFailures + 1 {
		_, verify := c.Verify(t.Context(), &contract, terms)
		_, settle := c.Settle(t.Context(), &contract, terms)
		if verify == nil || settle == nil {
			t.Errorf("= %v, %v", verify, settle)
		}
	}
	answer := says(200, `{"isValid":true}`)
	f.answer.Store(&answer)
	if v, err := c.Verify(t.Context(), p, terms); err != nil || !v.Valid {
		t.Errorf("another payer: %+v, %v", v, err)
	}
}

// TestAllRest expects an error at once when every facilitator rests.
func TestAllRest(t *testing.T) {
	p, terms := examples(t)
	bad := newFake(t, says(500, ""))
	c := newClient(bad.url)
	for range 5 {
		if _, err := c.Verify(t.Context(), p, terms); err == nil {
			t.Error("no error")
		}
	}
	if _, err := c.Settle(t.Context(), p, terms); !errors.Is(err, ErrNotTaken) {
		t.Errorf("Settle = %v", err)
	}
	if bad.calls.Load() != maxFailures {
		t.Errorf("called %d times", bad.calls.Load())
	}
}

// TestCallerGivesUp expects that a caller that leaves does not count against the
// facilitator.
func TestCallerGivesUp(t *testing.T) {
	p, terms := examples(t)
	f, second := newFake(t, nil), newFake(t, says(200, `{"isValid":true}`))
	c := newClient(f.url, second.url)
	c.timeouts = defaultTimeouts
	for range maxFailures + 1 {
		ctx, cancel := context.WithCancel(t.Context())
		answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			cancel()
			<-r.Context().Done()
		})
		f.answer.Store(&answer)
		if _, err := c.Verify(ctx, p, terms); !errors.Is(err, context.Canceled) {
			t.Errorf("= %v", err)
		}
	}
	if f.calls.Load() != maxFailures+1 || second.calls.Load() != 0 {
		t.Errorf("called %d times, the second %d times", f.calls.Load(), second.calls.Load())
	}
}

// TestErrorsHideURLs expects that the key in the address of a service stays out of
// errors.
func TestErrorsHideURLs(t *testing.T) {
	p, terms := examples(t)
	address := strings.Replace(refused(t), "http://", "http://user:hush@", 1) + "/hush"
	c := New(Options{URLs: []string{address}, RPC: address, Log: slog.New(slog.DiscardHandler)})
	_, verify := c.Verify(t.Context(), p, terms)
	_, settle := c.Settle(t.Context(), p, terms)
	_, _, used := c.Trace(t.Context(), p, terms, time.Unix(0x67c08000, 0))
	for _, err := range []error{verify, settle, used} {
		if err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("error %v", err)
		}
	}
}

// node answers JSON-RPC with results by method; after a bar, that for logs of transfers.
func node(t *testing.T, results map[string]string) *fake {
	return newFake(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Method string
			Params json.RawMessage
		}
		json.NewDecoder(r.Body).Decode(&in)
		result, of, several := strings.Cut(results[in.Method], "|")
		if several && strings.Contains(string(in.Params), EventTransfer) {
			result = of
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,%s}`, result)
	})
}

// TestTrace asks nodes that answer in each way what became of an authorization.
func TestTrace(t *testing.T) {
	p, terms := examples(t)
	since := time.Unix(0x67c08c99, 0).Add(-time.Minute)
	no, yes := `"result":"0x`+strings.Repeat("0", 64)+`"`, `"result":"0x`+strings.Repeat("0", 63)+`1"`
	chain := `"result":"0x14a34"`
	before, after := `"result":{"number":"0x10","timestamp":"0x67c08c99"}`, `"result":{"number":"0x10","timestamp":"0x67c08c9a"}`
	hash := "0x" + strings.Repeat("ab", 32)
	use := func(event string) string {
		return `{"topics":["` + event + `"],"blockNumber":"0x9","transactionHash":"` + hash + `","logIndex":"0x4"}`
	}
	transfer := func(transaction, index string, value price.Amount) string {
		return fmt.Sprintf(`{"blockNumber":"0x9","transactionHash":"%s","logIndex":"%s","data":"0x%064x"}`, transaction, index, int64(value))
	}
	used := func(event string, transfers ...string) string {
		return `"result":[` + use(event) + `]|"result":[` + strings.Join(transfers, ",") + `]`
	}
	for name, test := range map[string]struct {
		chain, block, state, logs string
		fate                      Fate
		fails                     bool
	}{
		"not used yet":              {chain, before, no, "", Unused, false},
		"not used, expired":         {chain, after, no, "", Void, false},
		"paid":                      {chain, before, yes, used(EventUsed, transfer(hash, "0x5", terms.Amount)), Paid, false},
		"paid, expired":             {chain, after, yes, used(EventUsed, transfer(hash, "0x5", terms.Amount)), Paid, false},
		"paid, with others":         {chain, before, yes, used(EventUsed, transfer(hash, "0x3", terms.Amount), transfer(hash, "0x5", terms.Amount)), Paid, false},
		"canceled":                  {chain, before, yes, used(EventCanceled), Void, false},
		"moved elsewhere":           {chain, before, yes, used(EventUsed), Void, false},
		"another amount":            {chain, before, yes, used(EventUsed, transfer(hash, "0x5", terms.Amount-1)), Void, false},
		"another transaction":       {chain, before, yes, used(EventUsed, transfer("0x"+strings.Repeat("cd", 32), "0x5", terms.Amount)), Void, false},
		"a transfer of another use": {chain, before, yes, used(EventUsed, transfer(hash, "0x7", terms.Amount)), Unused, true},
		"no logs":                   {chain, before, yes, `"result":[]`, Unused, true},
		"two uses":                  {chain, before, yes, `"result":[` + use(EventUsed) + `,` + use(EventUsed) + `]`, Unused, true},
		"logs without topics":       {chain, before, yes, `"result":[{}]`, Unused, true},
		"logs refused":              {chain, before, yes, `"error":{"code":-32005}`, Unused, true},
		"another chain":             {`"result":"0x1"`, after, no, "", Unused, true},
		"no contract":               {chain, after, `"result":"0x"`, "", Unused, true},
		"another word":              {chain, after, `"result":"0x` + strings.Repeat("0", 63) + `2"`, "", Unused, true},
		"an error":                  {chain, after, `"error":{"code":-32000,"message":"hush"}`, "", Unused, true},
		"a block without time":      {chain, `"result":{}`, no, "", Unused, true},
		"no block":                  {chain, `"result":null`, no, "", Unused, true},
		"a negative time":           {chain, `"result":{"number":"0x1","timestamp":"0xffffffffffffffff"}`, no, "", Unused, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient()
			c.rpc = node(t, map[string]string{MethodChainID: test.chain, MethodBlock: test.block, MethodCall: test.state, MethodLogs: test.logs}).url
			for range 2 { // the second time it does not ask for the chain
				fate, transaction, err := c.Trace(t.Context(), p, terms, since)
				if fate != test.fate || (err != nil) != test.fails || (transaction == hash) != (fate == Paid) {
					t.Errorf("= %v, %s, %v", fate, transaction, err)
				}
			}
		})
	}
	if fate, _, err := newClient().Trace(t.Context(), p, terms, since); fate != Unknown || err != nil {
		t.Errorf("without a node = %v, %v", fate, err)
	}
	for name, answer := range hostile() {
		c := newClient()
		c.rpc = newFake(t, answer).url
		if fate, _, err := c.Trace(t.Context(), p, terms, since); fate != Unused || err == nil {
			t.Errorf("%s = %v, %v", name, fate, err)
		}
	}
}

// TestTraceFar searches the logs of a day in ranges that nodes serve, from the first
// block that the payment can be in.
func TestTraceFar(t *testing.T) {
	p, terms := examples(t)
	var ranges []LogFilter
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Method string
			Params []json.RawMessage
		}
		json.NewDecoder(r.Body).Decode(&in)
		result := map[string]string{MethodChainID: `"0x14a34"`, MethodBlock: `{"number":"0x100000","timestamp":"0x67c08c99"}`, MethodCall: `"0x` + strings.Repeat("0", 63) + `1"`, MethodLogs: "[]"}[in.Method]
		if in.Method == MethodLogs {
			var filter LogFilter
			json.Unmarshal(in.Params[0], &filter)
			ranges = append(ranges, filter)
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, result)
	})
	c := newClient()
	c.rpc = f.url
	if _, _, err := c.Trace(t.Context(), p, terms, time.Unix(0x67c08c99, 0).Add(-2*time.Hour)); !errors.Is(err, errNoUse) {
		t.Errorf("= %v", err)
	}
	next := uint64(0x100000 - 3600 - blocksPast)
	for _, r := range ranges {
		from, _ := quantity(r.FromBlock)
		to, _ := quantity(r.ToBlock)
		if from != next || to-from >= blockRange || to > 0x100000 {
			t.Errorf("searched %d to %d, want from %d", from, to, next)
		}
		next = to + 1
	}
	if next != 0x100001 {
		t.Errorf("searched up to %d", next-1)
	}
}
