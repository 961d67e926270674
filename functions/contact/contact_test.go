package contact

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/credit"
	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/contact"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const (
	payTo    = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	payer    = "0x857b06519E91e3A54538791bDbb0E22373e36b66"
	operator = "operator@mira.example"
)

// A world is a server with its mail server, its provider of human verification, and a
// chain on which every payment is good.
type world struct {
	t       *testing.T
	server  *Server
	handler http.Handler
	plain   store.DB
	db      store.DB
	post    *post
	humans  *httptest.Server
	verdict string // of the provider; empty when it is down
	asked   int
	chain   *chain
	clock   time.Time
	nonce   int
}

// newWorld returns a world where things are sold.
func newWorld(t *testing.T) *world {
	w := &world{t: t, plain: wiretest.OpenDB(t), post: &post{}, chain: &chain{}, clock: time.Now().Truncate(time.Second)}
	w.db = sealed.DB(w.plain, keyringtest.Ring(strings.Repeat("k", 32)))
	w.humans = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		if w.asked++; w.verdict == "" {
			rw.WriteHeader(http.StatusBadGateway)
		}
		_, _ = io.WriteString(rw, w.verdict)
	}))
	t.Cleanup(w.humans.Close)
	w.start(w.db, true)
	return w
}

// start makes the server on a database, as another instance of the same service.
func (w *world) start(db store.DB, sells bool) {
	now, log := func() time.Time { return w.clock }, slog.New(slog.DiscardHandler)
	asset, _ := x402.AssetOf("base-sepolia")
	o := billing.Options{DB: db, Facilitator: w.chain, Asset: asset, Log: log, Now: now}
	if sells {
		o.PayTo = payTo
	}
	w.server = New(Options{
		DB: db, Desk: &contact.Desk{DB: db, Mail: w.post, To: operator, Log: log, Now: now}, Till: billing.New(o),
		Humans:   human.New(human.Options{URL: w.humans.URL, Secret: "s"}),
		Throttle: throttle.New(db, keyringtest.Ring(strings.Repeat("a", 32)), now), Base: "https://mira.example", Now: now,
	})
	w.handler = request.Handler(request.Options{Log: log, Now: now}, w.server, Endpoints)
}

// A post is a mail server.
type post struct {
	mu   sync.Mutex
	got  []mail.Message
	down bool
}

func (p *post) Send(_ context.Context, m mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return mail.ErrNotSent
	}
	p.got = append(p.got, m)
	return nil
}

// A chain is a facilitator that settles each payment once.
type chain struct {
	mu      sync.Mutex
	settled map[string]bool
	charged int
}

func (c *chain) Verify(_ context.Context, p *x402.Payment, _ x402.Terms) (x402.Verdict, error) {
	return x402.Verdict{Valid: true, Payer: p.From}, nil
}

func (c *chain) Settle(_ context.Context, p *x402.Payment, _ x402.Terms) (x402.Settlement, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled[p.Key()] {
		return x402.Settlement{Reason: x402.ReasonState, Payer: p.From, Network: p.Network}, nil
	}
	if c.settled == nil {
		c.settled = map[string]bool{}
	}
	c.settled[p.Key()] = true
	c.charged++
	return x402.Settlement{Success: true, Payer: p.From, Network: p.Network, Transaction: "0x" + p.Key()}, nil
}

func (c *chain) Trace(_ context.Context, p *x402.Payment, _ x402.Terms, _ time.Time) (facilitator.Fate, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled[p.Key()] {
		return facilitator.Paid, "0x" + p.Key(), nil
	}
	return facilitator.Void, "", nil
}

// pay returns the header of a new payment of ten cents.
func (w *world) pay() string {
	w.nonce++
	b, err := json.Marshal(map[string]any{"x402Version": 1, "scheme": "exact", "network": "base-sepolia", "payload": map[string]any{
		"signature": fmt.Sprintf("0x%0140x", w.nonce),
		"authorization": map[string]any{
			"from": payer, "to": payTo, "value": fmt.Sprint(int64(10 * price.Cent)), "validAfter": fmt.Sprint(w.clock.Add(-time.Minute).Unix()),
			"validBefore": fmt.Sprint(w.clock.Add(5 * time.Minute).Unix()), "nonce": fmt.Sprintf("0x%064x", w.nonce),
		},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// body returns a message with further members.
func (w *world) body(more string) string {
	return fmt.Sprintf(`{"name":"Ana","email":"ana@example.org","message":"Bom dia.","form_ts":%d%s}`, w.clock.Add(-time.Minute).UnixMilli(), more)
}

// An answered is an answer of the server.
type answered struct {
	status  int
	code    string
	retry   string
	header  http.Header
	receipt billing.Receipt
}

// call sends a body with headers.
func (w *world) call(body string, headers ...string) answered {
	w.t.Helper()
	r := httptest.NewRequest("POST", sendPath, strings.NewReader(body))
	r.RemoteAddr = "203.0.113.9:4711"
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	var said struct {
		OK      bool
		Error   string
		Receipt billing.Receipt
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &said); err != nil || said.OK != (rec.Code == http.StatusOK) {
		w.t.Errorf("the answer %d %s: %v", rec.Code, rec.Body, err)
	}
	return answered{rec.Code, said.Error, rec.Header().Get("Retry-After"), rec.Header(), said.Receipt}
}

// want checks an answer, and how many mails and charges there have been.
func (w *world) want(what string, got answered, status int, code string, mails, charges int) {
	w.t.Helper()
	if got.status != status || got.code != code {
		w.t.Errorf("%s: %d %s, want %d %s", what, got.status, got.code, status, code)
	}
	if len(w.post.got) != mails || w.chain.charged != charges {
		w.t.Errorf("%s: %d mails and %d charges, want %d and %d", what, len(w.post.got), w.chain.charged, mails, charges)
	}
}

// TestAgent goes through the calls of a program that pays: the first is sent without a
// wait, the next waits, and what is refused is not charged.
func TestAgent(t *testing.T) {
	w := newWorld(t)
	w.want("without a payment", w.call(w.body("")), 402, "payment_required", 0, 0)
	w.want("a payment that cannot be read", w.call(w.body(""), "X-PAYMENT", "!"), 400, "payment_malformed", 0, 0)
	w.want("a bad message", w.call(`{"name":"Ana"}`, "X-PAYMENT", w.pay()), 400, "invalid_body", 0, 0)
	first := w.call(w.body(""), "X-PAYMENT", w.pay())
	w.want("the first", first, 200, "", 1, 1)
	if first.header.Get("X-PAYMENT-RESPONSE") == "" || first.receipt.State != billing.Delivered {
		t.Errorf("the receipt is %+v, the headers %v", first.receipt, first.header)
	}
	wait := time.Minute
	for n := range 8 {
		got := w.call(w.body(""), "X-PAYMENT", w.pay())
		w.want("too early", got, 429, "contact_backoff", n+1, n+1)
		if got.retry != fmt.Sprint(int(wait/time.Second)) {
			t.Errorf("message %d: Retry-After %s, want %v", n+2, got.retry, wait)
		}
		w.clock = w.clock.Add(wait)
		w.want("after the wait", w.call(w.body(""), "X-PAYMENT", w.pay()), 200, "", n+2, n+2)
		wait = min(2*wait, time.Hour)
	}
	if m := w.post.got[0]; m.To != operator || m.ReplyTo != "ana@example.org" {
		t.Errorf("the mail goes to %s, answers to %s", m.To, m.ReplyTo)
	}
}

// TestRepeated repeats a call with its payment: while the mail server refuses, and after
// the mail was sent. It is charged once and sent once, without a wait.
func TestRepeated(t *testing.T) {
	for name, show := range map[string]func(w *world) []string{
		"payment": func(w *world) []string { return []string{"X-PAYMENT", w.pay()} },
		"credit":  func(w *world) []string { return []string{"X-Credito", w.credit()} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			shown, body := show(w), w.body("")
			charges := w.chain.charged
			if name == "payment" {
				charges++
			}
			w.post.down = true
			for range 2 {
				got := w.call(body, shown...)
				w.want("the mail server refuses", got, 502, "mail_refused", 0, charges)
				if got.receipt.State != billing.Delivered {
					t.Errorf("the receipt is %+v", got.receipt)
				}
			}
			w.post.down = false
			for range 3 {
				w.want("repeated", w.call(body, shown...), 200, "", 1, charges)
			}
			other := w.call(w.body(`,"tipo":"parceria"`), shown...)
			if name == "payment" {
				w.want("another message", other, 402, "payment_refused", 1, charges)
			} else {
				w.want("another message", other, 429, "contact_backoff", 1, charges)
				s, err := w.server.o.Till.Statement(t.Context(), shown[1], 10, 0)
				if err != nil || s.Balance != 90*price.Cent {
					t.Errorf("the balance is %v, %v", s.Balance, err)
				}
			}
		})
	}
}

// credit stores a credit of one dollar and returns its token.
func (w *world) credit() string {
	token := credit.NewToken()
	err := w.db.Update(w.t.Context(), func(tx store.Tx) error {
		c, err := credit.Read(tx, token)
		if err != nil {
			return err
		}
		return c.Add(tx, 100*price.Cent, price.Credit1, "pu_test", w.clock)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// TestTwice sends the same paid call several times at once.
func TestTwice(t *testing.T) {
	w := newWorld(t)
	payment, body := w.pay(), w.body("")
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			if got := w.call(body, "X-PAYMENT", payment); got.status != 200 && got.code != "payment_pending" {
				t.Errorf("at once: %d %s", got.status, got.code)
			}
		})
	}
	work.Wait()
	w.want("afterwards", w.call(body, "X-PAYMENT", payment), 200, "", 1, 1)
}

// TestCrash ends the process between the charge and the mail: the job of another one
// sends the message, once.
func TestCrash(t *testing.T) {
	w := newWorld(t)
	data, err := contact.Message{Name: "Ana", Email: "ana@example.org", Text: "Bom dia."}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	order := billing.Order{Products: []price.Product{price.Contact}, Route: "POST " + sendPath, URL: "https://mira.example" + sendPath, Data: data}
	if _, err := w.server.o.Till.Sell(t.Context(), order, identity.Credentials{Payment: w.pay()}); err != nil {
		t.Fatal(err)
	}
	w.start(w.db, true)
	for _, sent := range []int{0, 1, 0} {
		if done, err := w.server.o.Desk.Run(t.Context()); err != nil || done.Sent != sent {
			t.Errorf("the job sends %+v, %v, want %d", done, err, sent)
		}
		w.clock = w.clock.Add(time.Minute)
	}
	if len(w.post.got) != 1 || w.chain.charged != 1 {
		t.Errorf("%d mails, %d charges", len(w.post.got), w.chain.charged)
	}
}

// TestPerson goes through the calls of the form.
func TestPerson(t *testing.T) {
	w := newWorld(t)
	form := func(token string) answered { return w.call(w.body(`,"challenge_response":"` + token + `"`)) }
	w.verdict = `{"success":true}`
	w.want("a good token", form("a"), 200, "", 1, 0)
	w.want("the same token", form("a"), 403, "human_verification_failed", 1, 0)
	w.want("by the name of the provider", w.call(w.body(`,"cf-turnstile-response":"b"`)), 200, "", 2, 0)
	w.verdict = `{"success":false,"error-codes":["timeout-or-duplicate"]}`
	w.want("a bad token", form("c"), 403, "human_verification_failed", 2, 0)
	w.verdict = ""
	w.want("a provider that is down", form("c"), 503, "human_verification_unavailable", 2, 0)
	asked := w.asked
	got := form("d")
	w.want("too many", got, 429, "too_many_requests", 2, 0)
	if w.asked != asked || got.retry != "60" {
		t.Errorf("the provider was asked %d times more, Retry-After %s", w.asked-asked, got.retry)
	}
	w.clock = w.clock.Add(time.Hour)
	w.verdict, w.post.down = `{"success":true}`, true
	w.want("the mail server refuses", form("e"), 502, "mail_refused", 2, 0)
	w.post.down = false
	w.clock = w.clock.Add(time.Hour)
	w.want("with a new token", form("f"), 200, "", 3, 0)
}

// TestSettings checks that nothing is charged where mail is not configured.
func TestSettings(t *testing.T) {
	w := newWorld(t)
	w.server.o.Desk.To = ""
	w.want("without an address", w.call(w.body(""), "X-PAYMENT", w.pay()), 503, "mail_not_configured", 0, 0)
	w.want("of a person", w.call(w.body(`,"challenge_response":"a"`)), 503, "mail_not_configured", 0, 0)
	if w.asked != 0 {
		t.Error("the provider was asked")
	}
}

// TestOutage checks that nothing is charged or sent while the database fails.
func TestOutage(t *testing.T) {
	w := newWorld(t)
	w.verdict = `{"success":true}`
	w.start(storetest.Broken(), true)
	w.want("a payment", w.call(w.body(""), "X-PAYMENT", w.pay()), 503, "pass_unavailable", 0, 0)
	w.want("a person", w.call(w.body(`,"challenge_response":"a"`)), 503, "auth_unavailable", 0, 0)
	w.start(storetest.Broken(), false)
	w.want("for free", w.call(w.body("")), 503, "auth_unavailable", 0, 0)
}

// TestPartner checks the fields of a partner: they are taken with a kind alone, each
// space once.
func TestPartner(t *testing.T) {
	w := newWorld(t)
	w.start(w.db, false)
	fields := `,"empresa":"Rádio Sol","site":"https://sol.example","orcamento":"100_500","espaco":["canal","inicio","canal"],"duracao":90,"pagamento":"usdc"`
	w.want("with a kind", w.call(w.body(`,"tipo":"anuncio"`+fields)), 200, "", 1, 0)
	w.clock = w.clock.Add(time.Hour)
	w.want("without a kind", w.call(w.body(fields)), 200, "", 2, 0)
	var got [2]string
	for i, m := range w.post.got {
		for _, d := range m.Content.(mail.Contact).Details {
			got[i] += d.Field + "=" + d.Value + ";"
		}
	}
	want := "tipo=anuncio;empresa=Rádio Sol;site=https://sol.example;orcamento=100_500;espaco=canal, inicio;duracao=90;pagamento=usdc;"
	if got[0] != want || got[1] != "" {
		t.Errorf("the details are %q and %q, want %q and none", got[0], got[1], want)
	}
}

// TestCosts holds what each way to send a message costs in documents.
func TestCosts(t *testing.T) {
	w := newWorld(t)
	meter := storetest.NewMeter(w.plain)
	w.db = sealed.DB(meter, keyringtest.Ring(strings.Repeat("k", 32)))
	w.start(w.db, true)
	w.verdict = `{"success":true}`
	token := w.credit()
	for _, test := range []struct {
		name    string
		headers []string
		more    string
		want    storetest.Ops
	}{
		{"a call without a payment", nil, "", storetest.Ops{}},
		{"a person", nil, `,"challenge_response":"a"`, storetest.Ops{Reads: 1, Writes: 2, Deletes: 1}},
		{"a payment", []string{"X-PAYMENT", w.pay()}, "", storetest.Ops{Reads: 7, Writes: 7, Deletes: 2}},
		{"a credit", []string{"X-Credito", token}, "", storetest.Ops{Reads: 6, Writes: 6, Deletes: 2}},
	} {
		before := meter.Ops()
		w.call(w.body(test.more), test.headers...)
		if got := meter.Ops().Less(before); got != test.want {
			t.Errorf("%s costs %+v, want %+v", test.name, got, test.want)
		}
	}
}
