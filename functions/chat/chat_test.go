package chat

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/localnet/nettest"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/social/speech"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const receiver = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"

// callers identifies the guest of a token by its name, and the account of a session
// likewise.
type callers struct{}

func (callers) Speaker(_ context.Context, shown identity.Credentials, _ identity.Class) (identity.Speaker, error) {
	switch {
	case shown.Session == "over":
		return identity.Speaker{}, identity.ErrEnded
	case shown.Session != "":
		return identity.Speaker{Owner: identity.Owner("a_" + shown.Session), Session: "s"}, nil
	case shown.GuestToken != "":
		return identity.Speaker{Owner: identity.Owner("g_" + shown.GuestToken), Guest: true}, nil
	}
	return identity.Speaker{}, identity.ErrCredential
}

// A world is the function on a database, with a clock that only the test moves.
type world struct {
	t       *testing.T
	db      *storetest.Switch
	net     *nettest.Net
	till    *billing.Till
	catalog *indextest.Catalog
	pages   *identity.Pages
	people  *identity.People
	ahead   atomic.Int64 // of the clock, in nanoseconds
	begin   time.Time
	http.Handler
}

func (w *world) now() time.Time        { return w.begin.Add(time.Duration(w.ahead.Load())) }
func (w *world) later(d time.Duration) { w.ahead.Add(int64(d)) }

// newWorld returns the function. It sells when payTo is the address of a receiver.
func newWorld(t *testing.T, payTo string) *world {
	t.Helper()
	base := catalog.LinkBase{Base: "https://mira.example"}
	w := &world{t: t, begin: time.Now().UTC().Truncate(time.Second), catalog: &indextest.Catalog{
		Shown: indextest.Channels(t, base, map[string]string{"Old.br": "A.br"}, "A.br", "B.br"),
	}}
	w.db = storetest.NewSwitch(sealed.DB(wiretest.OpenDB(t), keyringtest.Ring("a key of guests for the tests alone")))
	w.net = nettest.Start(t, wiretest.OpenDB(t), w.now)
	asset, _ := x402.AssetOf("base-sepolia")
	log := slog.New(slog.DiscardHandler)
	w.till = billing.New(billing.Options{
		DB: w.db, Asset: asset, PayTo: payTo, Log: log, Now: w.now,
		Facilitator: facilitator.New(facilitator.Options{URLs: []string{w.net.URL}, RPC: w.net.RPC, Now: w.now, Log: log}),
	})
	w.people = identity.NewPeople(keyringtest.Ring("a key of people for the tests alone"))
	s := New(Options{DB: w.db, Till: w.till, Catalog: w.catalog, Links: base, People: w.people, Now: w.now})
	w.pages = &identity.Pages{Origins: []string{base.Base}, Keys: keyringtest.Ring("a key of accounts for the tests alone")}
	w.Handler = request.Handler(request.Options{Auth: callers{}, Pages: w.pages}, s, Endpoints)
	return w
}

// TestNetworkStored stores the name of the day of the network of a sender.
func TestNetworkStored(t *testing.T) {
	w := newWorld(t, "")
	w.call("ana", "POST", "/api/chat/A.br/mensagens", `{"body":"hello"}`)
	addr := netip.MustParseAddrPort(httptest.NewRequest("GET", "/", nil).RemoteAddr).Addr()
	got, err := chat.Places(t.Context(), w.db, chat.Sender{Network: w.people.WiderName(addr, w.now())})
	if err != nil || len(got) != 1 || got[0].Channel != "A.br" {
		t.Errorf("the network wrote in %v, %v", got, err)
	}
}

// An answer is any answer of the function.
type answer struct {
	status int
	header http.Header
	body   string

	Error   string
	Reason  string
	Charged bool
	Until   *string
	Items   []item
	Message item            `json:"-"` // that was posted
	Text    json.RawMessage `json:"message"`
}

// call sends a request of a guest, with headers in pairs.
func (w *world) call(guest, method, path, body string, headers ...string) (a answer) {
	w.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if guest != "" {
		r.Header.Set("X-Guest-Token", guest)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	a.status, a.header, a.body = rec.Code, rec.Header(), rec.Body.String()
	if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
		w.t.Fatalf("%s %s: %v: %s", method, path, err, rec.Body)
	}
	if rec.Code == http.StatusOK && a.Text != nil {
		if err := json.Unmarshal(a.Text, &a.Message); err != nil {
			w.t.Fatal(err)
		}
	}
	return a
}

const room = "/api/chat/A.br/mensagens"

// say posts a message of a guest.
func (w *world) say(guest, text string, headers ...string) answer {
	w.t.Helper()
	body, err := json.Marshal(map[string]string{"body": text})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.call(guest, "POST", room, string(body), headers...)
}

// texts returns the texts that a guest sees.
func (w *world) texts(guest string) []string {
	w.t.Helper()
	texts := []string{}
	for _, it := range w.call(guest, "GET", room, "").Items {
		texts = append(texts, it.Body)
	}
	return texts
}

func (w *world) sees(what, guest string, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), w.texts(guest)); diff != "" {
		w.t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// TestBuy buys the pass at its own endpoint: it is charged once, and the same payment
// shown again is answered as before.
func TestBuy(t *testing.T) {
	w := newWorld(t, receiver)
	refused := w.call("ana", "POST", passPath, "")
	if refused.status != 402 || refused.Error != price.ErrRequired.Code || refused.header.Get("Payment-Required") == "" {
		t.Fatalf("without a payment: %d %s", refused.status, refused.body)
	}
	payment := w.net.Wallet(t, 30*price.Cent).Pay(t, []byte(refused.body), 0)
	until := w.now().Add(30 * 24 * time.Hour).Format(time.RFC3339)
	for _, what := range []string{"the paid call", "the same call again"} {
		a := w.call("ana", "POST", passPath, "", "X-PAYMENT", payment)
		if a.status != 200 || !a.Charged || a.Until == nil || *a.Until != until || a.header.Get("X-Payment-Response") == "" {
			t.Errorf("%s: %d %v %s", what, a.status, a.header, a.body)
		}
	}
	another := w.net.Wallet(t, 30*price.Cent).Pay(t, []byte(refused.body), 0)
	for what, headers := range map[string][]string{"without a payment": nil, "another payment": {"X-PAYMENT", another}, "a bad header": {"X-PAYMENT", "?"}} {
		if a := w.call("ana", "POST", passPath, "", headers...); a.status != 200 || a.Charged || *a.Until != until || a.header.Get("X-Payment-Response") != "" {
			t.Errorf("with a valid pass, %s: %d %s", what, a.status, a.body)
		}
	}
	if got := w.net.Holds(t, receiver); got != 10*price.Cent {
		t.Errorf("the receiver has %s", got.USD())
	}
	if a := w.say("ana", "hello"); a.status != 200 {
		t.Errorf("writing: %d %s", a.status, a.body)
	}
	if a := w.say("bob", "hello"); a.status != 402 {
		t.Errorf("writing without a pass: %d %s", a.status, a.body)
	}
	w.later(30 * 24 * time.Hour)
	if a := w.say("ana", "later"); a.status != 402 {
		t.Errorf("writing after the pass: %d %s", a.status, a.body)
	}
}

// TestBuyAndPost buys the pass with the message: the same call again posts nothing more
// and costs nothing more, and a refused message costs nothing.
func TestBuyAndPost(t *testing.T) {
	w := newWorld(t, receiver)
	refused := w.say("ana", "hello")
	if refused.status != 402 || refused.Error != price.ErrRequired.Code {
		t.Fatalf("without a payment: %d %s", refused.status, refused.body)
	}
	wallet := w.net.Wallet(t, 30*price.Cent)
	payment := wallet.Pay(t, []byte(refused.body), 0)
	for text, status := range map[string]int{"\u200b": 400, "a\u202eb": 400, strings.Repeat("x", 501): 400} {
		if a := w.say("ana", text, "X-PAYMENT", payment); a.status != status {
			t.Errorf("%.20q with a payment: %d %s", text, a.status, a.body)
		}
	}
	if got := w.net.Holds(t, receiver); got != 0 {
		t.Fatalf("refused messages cost %s", got.USD())
	}
	first := w.say("ana", "hello", "X-PAYMENT", payment)
	if first.status != 200 || first.header.Get("X-Payment-Response") == "" || !first.Message.Mine {
		t.Fatalf("the paid call: %d %s", first.status, first.body)
	}
	w.later(time.Minute)
	if a := w.say("ana", "hello", "X-PAYMENT", payment); a.status != 200 || a.Message.ID != first.Message.ID {
		t.Errorf("the same call again: %d %s", a.status, a.body)
	}
	if a := w.say("ana", "more", "X-PAYMENT", payment); a.status != 200 {
		t.Errorf("another message: %d %s", a.status, a.body)
	}
	w.sees("the room", "", "hello", "more")
	if got := w.net.Holds(t, receiver); got != 10*price.Cent {
		t.Errorf("the receiver has %s", got.USD())
	}
	if a := w.say("bob", "mine now", "X-PAYMENT", payment); a.status != 402 || a.Reason != billing.ReasonUsed {
		t.Errorf("the payment of another: %d %s", a.status, a.body)
	}
}

// TestCredit spends a credit on the pass once.
func TestCredit(t *testing.T) {
	w := newWorld(t, receiver)
	o := billing.Order{Products: []price.Product{price.Credit1}, Route: "POST /api/credits", URL: "https://mira.example/api/credits", Network: "n"}
	payment := w.net.Wallet(t, 100*price.Cent).PayTerms(t, w.till.Offer(o, "").Terms[0], 1)
	sale, err := w.till.Sell(t.Context(), o, identity.Credentials{Payment: payment})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if a := w.say("ana", text, "X-Credito", sale.Credit); a.status != 200 {
			t.Errorf("%s: %d %s", text, a.status, a.body)
		}
	}
	if a := w.call("ana", "POST", passPath, "", "X-Credito", sale.Credit); a.status != 200 || a.Charged {
		t.Errorf("the pass: %d %s", a.status, a.body)
	}
	st, err := w.till.Statement(t.Context(), sale.Credit, 5, 0)
	if err != nil || st.Balance != 90*price.Cent {
		t.Errorf("the balance is %s, %v", st.Balance.USD(), err)
	}
}

// TestWhoWrites checks that the guest of the header speaks, without one the session, and
// nobody where the session is over.
func TestWhoWrites(t *testing.T) {
	w := newWorld(t, "")
	cookie := func(session string) []string { return []string{"Cookie", "__Host-mm-auth=" + session} }
	page := func(session string) []string {
		boot := identity.NewBoot()
		token, err := w.pages.Token(boot, session)
		if err != nil {
			t.Fatal(err)
		}
		return []string{"Cookie", "__Host-mm-auth=" + session + "; __Host-mm-boot=" + boot, "Origin", "https://mira.example", "X-CSRF-Token", token}
	}
	if a := w.say("ana", "by the guest", page("carl")...); a.status != 200 || a.Message.Author != speech.Nickname("g_ana") {
		t.Errorf("guest and session: %d %s", a.status, a.body)
	}
	if a := w.say("", "by the account", page("carl")...); a.status != 200 || a.Message.Author != speech.Nickname("a_carl") {
		t.Errorf("session: %d %s", a.status, a.body)
	}
	if a := w.say("ana", "by nobody", page("over")...); a.status != 401 || a.Error != identity.ErrEnded.Code {
		t.Errorf("guest and a session that is over: %d %s", a.status, a.body)
	}
	for _, guest := range []string{"", "ana"} {
		if a := w.say(guest, "by a program", cookie("carl")...); a.status != 403 || a.Error != identity.ErrOrigin.Code {
			t.Errorf("guest %q and a session without a page: %d %s", guest, a.status, a.body)
		}
	}
	w.sees("the room", "", "by the guest", "by the account")
}

// TestRead checks what callers see: their own messages, without authors that they hide,
// at the id that a channel has now.
func TestRead(t *testing.T) {
	w := newWorld(t, "")
	w.say("ana", "one")
	w.say("bob", "two")
	if err := w.db.Set(t.Context(), moderation.HiddenPath("g_carl"), moderation.Hidden{Owners: []moderation.HiddenOwner{{Owner: "g_ana"}}}); err != nil {
		t.Fatal(err)
	}
	w.sees("anybody", "", "one", "two")
	w.sees("one who hides the first", "carl", "two")
	old := w.call("bob", "GET", "/api/chat/Old.br/mensagens", "")
	if len(old.Items) != 2 || old.Items[0].Mine || !old.Items[1].Mine || !strings.Contains(old.body, `"channel_id":"A.br"`) {
		t.Errorf("by an old id: %s", old.body)
	}
	rooms := chat.New(chat.Options{DB: w.db})
	if _, err := rooms.Remove(t.Context(), "A.br", old.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := rooms.Announce(t.Context(), "x", map[string]int{"A.br": 3}); err != nil {
		t.Fatal(err)
	}
	w.sees("after a removal", "", "two")
	missed := w.call("", "GET", room+"?depois="+old.Items[0].ID, "")
	if len(missed.Items) != 2 || !missed.Items[1].Removed || missed.Items[1].ID != old.Items[0].ID || missed.Items[1].Body != "" {
		t.Errorf("after the removed message: %s", missed.body)
	}
	w.later(6 * time.Second)
	if a := w.call("", "GET", room, ""); !strings.Contains(a.body, `"watching":3`) {
		t.Errorf("watching: %s", a.body)
	}
}

// TestOutage answers 503 while the database does not answer, by the code of what could
// not be done, and charges nothing.
func TestOutage(t *testing.T) {
	w := newWorld(t, receiver)
	refused := w.call("ana", "POST", passPath, "")
	payment := w.net.Wallet(t, 30*price.Cent).Pay(t, []byte(refused.body), 0)
	w.db.Off()
	for what, test := range map[string]struct {
		call func() answer
		want *fault.Error
	}{
		"reading": {func() answer { return w.call("", "GET", room, "") }, fault.ErrUnavailable},
		"writing": {func() answer { return w.say("ana", "hello", "X-PAYMENT", payment) }, fault.ErrUnavailable},
		"buying":  {func() answer { return w.call("ana", "POST", passPath, "", "X-PAYMENT", payment) }, price.ErrUnavailable},
	} {
		if a := test.call(); a.status != 503 || a.Error != test.want.Code {
			t.Errorf("%s without the database: %d %s", what, a.status, a.body)
		}
	}
	w.db.On()
	if got := w.net.Holds(t, receiver); got != 0 {
		t.Errorf("the receiver has %s", got.USD())
	}
	w.catalog.Shown = nil
	for what, a := range map[string]answer{"reading": w.call("", "GET", room, ""), "writing": w.say("ana", "hello"), "a socket": w.call("", "GET", "/api/chat/A.br/ws", "")} {
		if a.status != 503 {
			t.Errorf("%s without the catalog: %d %s", what, a.status, a.body)
		}
	}
}

// TestLimit refuses messages that come too fast from one network, also by several guests.
func TestLimit(t *testing.T) {
	w := newWorld(t, "")
	n, refused := chat.DefaultLimits.Network.Burst, 0
	for i := range n + 5 {
		a := w.call("g"+strings.Repeat("x", i), "POST", "/api/chat/"+[]string{"A.br", "B.br"}[i%2]+messagesEnd, `{"body":"hello"}`)
		if a.status == 429 && a.Error == chat.ErrLimit.Code && a.header.Get("Retry-After") != "" {
			refused++
		} else if a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if refused != 5 {
		t.Errorf("%d of %d were refused", refused, n+5)
	}
}
