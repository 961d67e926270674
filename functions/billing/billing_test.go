package billing

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/localnet/nettest"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/price/quota"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	receiver = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	home     = "192.0.2.7"

	operatorToken = "operator-token-of-the-tests"
)

func noon() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }

var keys = keyringtest.Ring("a key of guests for the tests alone")

// chatPass and message are paid endpoints of other functions.
var (
	chatPass = api.Bind(nothing, api.Endpoint{
		Method: "POST", Path: "/api/chat/pass", Auth: api.Guest, Summary: "Buy a chat pass", Doc: "Buys a pass.", Prices: []price.Product{price.ChatPass},
	})
	message = api.Bind(nothing, api.Endpoint{
		Method: "POST", Path: "/api/chat/{channel_id}/mensagens", Auth: api.Guest, Summary: "Post a message", Doc: "Posts a message.",
		Prices: []price.Product{price.ChatPass},
	})
)

func nothing(*Server, context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }

// A world is the function before a database and a network of payments.
type world struct {
	t *testing.T
	http.Handler
	db   *storetest.Switch
	kept *storetest.Recorder // what the function stores, as the database gets it
	net  *nettest.Net
	till *billing.Till
}

// newWorld returns a function that sells, whose answers must be as it describes them.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, db: storetest.NewSwitch(wiretest.OpenDB(t)), net: nettest.Start(t, wiretest.OpenDB(t), noon)}
	w.kept = storetest.NewRecorder(w.db)
	asset, _ := x402.AssetOf("base-sepolia")
	log, db := slog.New(slog.DiscardHandler), sealed.DB(w.kept, keys)
	w.till = billing.New(billing.Options{
		DB: db, Asset: asset, PayTo: receiver, Log: log, Now: noon,
		Facilitator: facilitator.New(facilitator.Options{URLs: []string{w.net.URL}, RPC: w.net.RPC, Now: noon, Log: log}),
	})
	s := New(Options{
		DB: db, Till: w.till, Keys: keys, Now: noon, Base: apitest.Origin, Hop: "https://hop.example",
		Payment: Payment{Facilitator: "https://pay.example", Faucet: "https://faucet.example", Dev: true},
		Quota:   quota.Options{FreeMinutes: 120, Comments: 20, Sells: true, Base: apitest.Origin},
		Table:   append(append([]api.Endpoint{}, Endpoints...), chatPass, message),
	})
	document, err := openapi.Document(openapi.Info{Title: "T", Description: "D", Version: "v", BaseURL: apitest.Origin}, Endpoints)
	if err != nil {
		t.Fatal(err)
	}
	h := request.Handler(request.Options{
		Auth: apitest.ByName{}, Tokens: map[string]string{api.CatalogToken: operatorToken}, Now: noon, AddressHeader: "X-Client-Address",
	}, s, Endpoints)
	w.Handler = apitest.Validating(t, h, document)
	return w
}

// do sends a request from the network home, unless a header names another.
func (w *world) do(method, path, body string, headers ...string) (*http.Response, string) {
	w.t.Helper()
	headers = append([]string{"X-Client-Address", home}, headers...)
	if body != "" {
		headers = append(headers, "Content-Type", "application/json")
	}
	return apitest.Do(w.t, w, method, path, body, headers...)
}

// get decodes the answer to a request that must succeed.
func (w *world) get(path string, into any, headers ...string) {
	w.t.Helper()
	res, body := w.do("GET", path, "", headers...)
	if res.StatusCode != http.StatusOK {
		w.t.Fatalf("GET %s: %d %s", path, res.StatusCode, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		w.t.Fatal(err)
	}
}

// TestDocuments shows the documents of a service that sells, so that a change to a
// price or a route that charges is seen in review.
func TestDocuments(t *testing.T) {
	w := newWorld(t)
	for path, file := range map[string]string{
		"/api/billing": "billing", "/api/pricing": "pricing", "/.well-known/x402": "manifest",
	} {
		var got any
		w.get(path, &got)
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/"+file+".golden.json", string(text)+"\n")
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (go test -update rewrites it) (-want +got):\n%s", file, d)
	}
}

// TestSpeaker checks which passes the document shows to whom.
func TestSpeaker(t *testing.T) {
	w := newWorld(t)
	var p pass.Passes
	until := p.ExtendChat(noon())
	p.Note("0123456789abcdef", noon().Add(time.Hour), noon())
	var n pass.NetworkPass
	n.ExtendNetwork(noon(), 90)
	here := identity.NetworkNames(keys, identity.Caller{Addr: netip.MustParseAddr(home)})[0]
	if err := w.db.Update(t.Context(), func(tx store.Tx) error {
		if err := tx.Set(pass.NetworkPath(here), n); err != nil {
			return err
		}
		return tx.Set(pass.Path("g_ana"), p)
	}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		headers  []string
		chat, tv string
		passes   int
	}{
		{"the owner at home", []string{"X-Guest-Token", "ana"}, "2026-12-23T12:00:00Z", "2027-02-21T12:00:00Z", 2},
		{"another owner elsewhere", []string{"X-Guest-Token", "bob", "X-Client-Address", "192.0.2.8"}, "", "", 0},
		{"nobody at home", nil, "", "2027-02-21T12:00:00Z", 0},
	} {
		var got document
		w.get("/api/billing", &got, test.headers...)
		if text(got.Chat) != test.chat || text(got.TV) != test.tv || len(got.Passes) != test.passes {
			t.Errorf("%s: %+v %+v %+v, until %s", test.name, got.Chat, got.TV, got.Passes, until)
		}
	}
	var got document
	w.get("/api/billing", &got, "X-Guest-Token", "ana")
	short := "01234567"
	want := []pass.Shown{{Kind: price.Chat, Until: "2026-12-23T12:00:00Z"}, {Kind: price.Network, Network: &short, Until: "2026-11-23T13:00:00Z"}}
	if d := cmp.Diff(want, got.Passes); d != "" {
		t.Errorf("passes (-want +got):\n%s", d)
	}
	w.db.Off()
	if res, body := w.do("GET", "/api/billing", ""); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without a database: %d %s", res.StatusCode, body)
	}
}

func text(v validity) string {
	if !v.Active || v.Until == nil {
		return ""
	}
	return *v.Until
}

// TestBuyCredit buys a credit, tops it up, spends some of it and reads its statement.
func TestBuyCredit(t *testing.T) {
	w := newWorld(t)
	wallet := w.net.Wallet(t, 5000*price.Cent)
	res, offer := w.do("POST", "/api/credits", "")
	if res.StatusCode != http.StatusPaymentRequired || res.Header.Get("Payment-Required") == "" {
		t.Fatalf("without a payment: %d %s", res.StatusCode, offer)
	}
	payment := wallet.Pay(t, []byte(offer), 1)
	first := w.buy("", "X-PAYMENT", payment)
	if *first.USD != "5.00" || first.Receipt.Product != price.Credit5 {
		t.Errorf("bought %+v", first)
	}
	if again := w.buy("", "X-PAYMENT", payment); again.Token != first.Token || *again.USD != "5.00" {
		t.Errorf("the same payment again gives %+v", again)
	}
	if res, body := w.do("POST", "/api/credits", "", "X-PAYMENT", payment, "X-Client-Address", "192.0.2.66"); res.StatusCode != http.StatusPaymentRequired {
		t.Errorf("a stranger with the same payment: %d %s", res.StatusCode, body)
	}
	if res, body := w.do("POST", "/api/credits", `{"ref":"guess"}`, "X-PAYMENT", payment); res.StatusCode != http.StatusPaymentRequired || !strings.Contains(body, "payment_used") {
		t.Errorf("a neighbour without the ref of the call: %d %s", res.StatusCode, body)
	}
	const one = `{"product":"credit_1","ref":"a secret of mine"}`
	res, offer = w.do("POST", "/api/credits", one, "X-Credito", first.Token)
	if res.StatusCode != http.StatusPaymentRequired {
		t.Fatalf("a credit does not buy credit: %d %s", res.StatusCode, offer)
	}
	more := w.buy(one, "PAYMENT-SIGNATURE", wallet.PayV2(t, res.Header.Get("Payment-Required"), 0), "X-Credito", first.Token)
	if more.Token != first.Token || *more.USD != "6.00" {
		t.Errorf("topped up: %+v", more)
	}
	order := billing.Order{Products: []price.Product{price.ChatPass}, Route: "POST /api/chat/pass", URL: apitest.Origin, Owner: "ana"}
	if _, err := w.till.Sell(t.Context(), order, identity.Credentials{Credit: first.Token}); err != nil {
		t.Fatal(err)
	}
	var got statement
	w.get("/api/credits?limit=2", &got, "Authorization", "Bearer "+first.Token)
	var changes []string
	for _, e := range got.Items {
		changes = append(changes, string(e.Product)+" "+e.USD+" "+e.Balance)
	}
	if d := cmp.Diff([]string{"chat_30 -0.10 5.90", "credit_1 1.00 6.00"}, changes); d != "" || got.USD != "5.90" || got.Total != 3 || *got.NextOffset != 2 {
		t.Errorf("%+v, entries (-want +got):\n%s", got, d)
	}
	if got := w.net.Holds(t, receiver); got != 600*price.Cent {
		t.Errorf("the receiver has %s", got.USD())
	}
	w.wantUnstored(first.Token, "a secret of mine", payment)
}

// wantUnstored checks that no document was ever written with one of the secrets.
func (w *world) wantUnstored(secrets ...string) {
	w.t.Helper()
	all := w.kept.Written()
	if len(all) == 0 {
		w.t.Fatal("nothing was stored")
	}
	for _, doc := range all {
		for _, secret := range secrets {
			if strings.Contains(string(doc.Path)+doc.JSON, secret) {
				w.t.Errorf("%s is stored with the secret %s: %s", doc.Path, secret, doc.JSON)
			}
		}
	}
}

// buy buys a credit by a call that must succeed.
func (w *world) buy(body string, headers ...string) (out bought) {
	w.t.Helper()
	res, text := w.do("POST", "/api/credits", body, headers...)
	if res.StatusCode != http.StatusOK || res.Header.Get("X-Payment-Response") == "" && res.Header.Get("Payment-Response") == "" {
		w.t.Fatalf("%d %v %s", res.StatusCode, res.Header, text)
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil || !out.OK || !out.Charged {
		w.t.Fatalf("%v: %s", err, text)
	}
	return out
}

// TestOwnedCredit checks that a purchase is listed for the caller who is identified,
// and that a caller of unknown address without a credential is asked for one.
func TestOwnedCredit(t *testing.T) {
	w := newWorld(t)
	_, offer := w.do("POST", "/api/credits", "", "X-Guest-Token", "ana")
	first := w.buy("", "X-Guest-Token", "ana", "X-PAYMENT", w.net.Wallet(t, 100*price.Cent).Pay(t, []byte(offer), 0))
	var list ledger
	w.get("/api/purchases", &list, "X-Guest-Token", "ana")
	if d := cmp.Diff([]bill{{Receipt: first.Receipt}}, list.Items); d != "" || list.Total != 1 {
		t.Errorf("%d purchases (-want +got):\n%s", list.Total, d)
	}
	pass := billing.Order{Products: []price.Product{price.ChatPass}, Route: "POST /api/chat/pass", URL: apitest.Origin, Owner: "g_ana"}
	sale, err := w.till.Sell(t.Context(), pass, identity.Credentials{Credit: first.Token})
	if err != nil {
		t.Fatal(err)
	}
	list = ledger{}
	w.get("/api/purchases?limit=1", &list, "X-Guest-Token", "ana")
	until := sale.Until.UTC().Format(time.RFC3339)
	if d := cmp.Diff([]bill{{Receipt: sale.Receipt, Until: &until}}, list.Items); d != "" || list.Total != 2 {
		t.Errorf("%d purchases after a pass (-want +got):\n%s", list.Total, d)
	}
	list = ledger{}
	if w.get("/api/purchases", &list, "X-Guest-Token", "bea"); len(list.Items) != 0 {
		t.Errorf("another guest sees %+v", list.Items)
	}
	r, rec := httptest.NewRequest("POST", "/api/credits", http.NoBody), httptest.NewRecorder()
	r.RemoteAddr = ""
	if w.ServeHTTP(rec, r); rec.Code != http.StatusUnauthorized {
		t.Errorf("an unknown caller: %d %s", rec.Code, rec.Body)
	}
}

// TestProducts holds the credits of the body to the list of products.
func TestProducts(t *testing.T) {
	var want []string
	for _, it := range price.All() {
		if it.Kind == price.Credit {
			want = append(want, string(it.Product))
		}
	}
	for _, e := range Endpoints {
		for _, p := range e.Params() {
			if p.Name == "product" {
				if d := cmp.Diff(want, p.Enum); d != "" {
					t.Errorf("credits (-want +got):\n%s", d)
				}
				return
			}
		}
	}
	t.Error("no endpoint takes a product")
}
