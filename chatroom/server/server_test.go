package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

const (
	origin   = "https://mira.example"
	patience = 30 * time.Second // that a test waits for what should come at once
)

// accounts accepts the sessions and keys that tests use.
type accounts struct {
	mu    sync.Mutex
	ended bool // every session is over; guarded by mu
}

func (a *accounts) Session(_ context.Context, cookie string, _ identity.Owner) (identity.Speaker, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended || !strings.HasPrefix(cookie, "session-") {
		return identity.Speaker{}, identity.ErrEnded
	}
	return identity.Speaker{Owner: identity.Owner("a_" + strings.TrimPrefix(cookie, "session-")), Session: "s", ReadOnly: cookie == "session-reader"}, nil
}

func (a *accounts) Key(_ context.Context, key string) (identity.Speaker, error) {
	if key != "mmk_good" {
		return identity.Speaker{}, identity.ErrCredential
	}
	return identity.Speaker{Owner: "a_program"}, nil
}

func (a *accounts) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
}

// A world is what the instances of a test share.
type world struct {
	t        testing.TB
	db       store.DB
	sold     bool // owners need a pass
	rates    chat.Limits
	limits   Limits
	catalog  *indextest.Catalog
	guests   *identity.Guests
	people   *identity.People
	accounts *accounts
	now      func() time.Time
	announce time.Duration
}

// quick are rates under which no message of a test is too fast.
var quick = chat.Limits{Owner: many, Room: many, Network: many, Repeat: time.Nanosecond}

// many is a rate of a million at once. It forgives that messages are stored in another
// order than they came in.
var many = chat.Rate{Every: time.Microsecond, Burst: 1_000_000}

func newWorld(t testing.TB, db store.DB) *world {
	view := indextest.Channels(t, catalog.LinkBase{Base: origin}, map[string]string{"Old.br": "A.br"}, "A.br", "B.br")
	return &world{
		t: t, db: db, rates: quick, limits: Limits{Frames: many}, catalog: &indextest.Catalog{Shown: view}, accounts: &accounts{}, now: time.Now, announce: 50 * time.Millisecond,
		people: identity.NewPeople(keyring.Random()),
		guests: identity.NewGuests(keyringtest.Ring("k1:"+strings.Repeat("A", 43)), time.Now),
	}
}

// An instance is a server that listens.
type instance struct {
	*Server
	url string
}

// instance starts another instance, which ends with the test.
func (w *world) instance() *instance {
	w.t.Helper()
	s := New(Options{
		Rooms: chat.New(chat.Options{DB: w.db, Free: !w.sold, Limits: w.rates, Now: w.now}), DB: w.db, Catalog: w.catalog, Now: w.now,
		Speakers: identity.NewAuthority(identity.Options{Guests: w.guests, Accounts: w.accounts}),
		Pages:    &identity.Pages{Origins: []string{origin}}, People: w.people, Limits: w.limits, Announce: w.announce, Linger: 50 * time.Millisecond,
	})
	l := httptest.NewUnstartedServer(s)
	l.Listener = narrow{l.Listener}
	l.Start()
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { s.Tend(ctx) })
	w.t.Cleanup(func() {
		cancel()
		work.Wait()
		s.Drain(0)
		l.Close()
		s.Close()
	})
	return &instance{s, l.URL}
}

// A narrow listener accepts connections that hold little of what is written and not
// read, so that a test need not write megabytes.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		err = errors.Join(err, tcp.SetWriteBuffer(4096))
	}
	return conn, err
}

// A told is a frame of the server.
type told struct {
	T        string  `json:"t"`
	Autor    *string `json:"autor"`
	Items    []told  `json:"items"`
	Watching int     `json:"watching"`
	More     bool    `json:"more"`
	ID       string  `json:"id"`
	Body     string  `json:"body"`
	Mine     bool    `json:"mine"`
	Ref      string  `json:"ref"`
	Apagada  bool    `json:"apagada"`
	Code     string  `json:"code"`
	Reason   string  `json:"reason"`
	raw      string
}

// A client is a socket of a test.
type client struct {
	t        testing.TB
	conn     *websocket.Conn
	watching int // as the client was told last
}

func (w *world) guest() (token string, owner identity.Owner) {
	token, owner, err := w.guests.Issue()
	if err != nil {
		w.t.Fatal(err)
	}
	return token, owner
}

// open returns a socket in a room, with headers of its request in pairs.
func open(t testing.TB, in *instance, channel string, headers ...string) *client {
	t.Helper()
	h := http.Header{}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Add(headers[i], headers[i+1])
	}
	conn, res, err := websocket.Dial(t.Context(), in.url+chat.Path+channel+"/ws", &websocket.DialOptions{HTTPHeader: h})
	if err != nil {
		t.Fatalf("dial: %v (%+v)", err, res)
	}
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	return &client{t: t, conn: conn}
}

// TestNetworkStored stores the name of the day of the network of a socket with its messages.
func TestNetworkStored(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	c, _ := w.enter(w.instance(), "A.br")
	c.say("hello", "r1")
	c.wait("msg")
	network := w.people.WiderName(netip.MustParseAddr("127.0.0.1"), w.now())
	got, err := chat.Places(t.Context(), w.db, chat.Sender{Network: network})
	if err != nil || len(got) != 1 || got[0].Channel != "A.br" {
		t.Errorf("the network wrote in %v, %v", got, err)
	}
}

// enter returns a socket of a guest that has said hello, and the guest.
func (w *world) enter(in *instance, channel string) (*client, identity.Owner) {
	w.t.Helper()
	c := open(w.t, in, channel)
	c.wait("pronto")
	token, owner := w.guest()
	c.send(`{"t":"hello","token":"` + token + `"}`)
	c.wait("pronto")
	return c, owner
}

func (c *client) send(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatalf("write %.80s: %v", text, err)
	}
}

// say sends a message with a ref.
func (c *client) say(body, ref string) {
	c.t.Helper()
	text, err := json.Marshal(map[string]string{"t": "msg", "body": body, "ref": ref})
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(string(text))
}

// next returns the next frame.
func (c *client) next() (f told, err error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	_, text, err := c.conn.Read(ctx)
	if err != nil {
		return f, err
	}
	f.raw = string(text)
	err = json.Unmarshal(text, &f)
	if f.T == "pronto" || f.T == "presenca" {
		c.watching = f.Watching
	}
	return f, err
}

// wait returns the next frame of a kind. Presence is skipped where it is not wanted;
// any other frame fails the test.
func (c *client) wait(kind string) told {
	c.t.Helper()
	for {
		f, err := c.next()
		switch {
		case err != nil:
			c.t.Fatalf("waiting for %s: %v", kind, err)
		case f.T == kind:
			return f
		case f.T != "presenca":
			c.t.Fatalf("waiting for %s: got %s", kind, f.raw)
		}
	}
}

// watches waits until the client has been told how many are watching.
func (c *client) watches(want int) {
	c.t.Helper()
	for c.watching != want {
		c.wait("presenca")
	}
}

// closed returns the code with which the server closes the socket.
func (c *client) closed() websocket.StatusCode {
	c.t.Helper()
	for {
		if _, err := c.next(); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// TestConversation compares all frames of a conversation with the golden file.
func TestConversation(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	noon := time.Date(2099, 1, 2, 12, 0, 0, 0, time.UTC)
	w.now = func() time.Time { return noon }
	w.sold = true
	in := w.instance()
	anaToken, ana := w.guest()
	bobToken, _ := w.guest()
	if err := w.db.Set(t.Context(), pass.Path(ana), pass.Passes{ChatUntil: store.At(noon.Add(time.Hour))}); err != nil {
		t.Fatal(err)
	}
	var log []string
	a := open(t, in, "A.br", "Accept-Language", "en")
	step := func(c *client, name, text string, kind string) told {
		t.Helper()
		if text != "" {
			log = append(log, name+" > "+text)
			c.send(text)
		}
		f := c.wait(kind)
		log = append(log, name+" < "+f.raw)
		return f
	}
	step(a, "ana", "", "pronto")
	step(a, "ana", `{"t":"msg","body":"too early","ref":"r0"}`, "erro")
	step(a, "ana", `{"t":"hello","token":"`+anaToken+`"}`, "pronto")
	step(a, "ana", `{"t":"msg","body":" Olá <b>\n\u200bmundo</b> ","ref":"r1"}`, "msg")
	step(a, "ana", `{"t":"msg","body":" Olá <b>\n\u200bmundo</b> ","ref":"r1"}`, "msg")
	b := open(t, in, "Old.br", "Accept-Language", "en")
	first := step(b, "bob", "", "pronto").Items[0]
	step(b, "bob", `{"t":"hello","token":"iptk_0123456789abcdef"}`, "erro")
	step(b, "bob", `{"t":"hello","token":"`+bobToken+`"}`, "pronto")
	step(b, "bob", `{"t":"msg","body":"hi","ref":"r2"}`, "erro")
	step(b, "bob", `{"t":"msg","body":" "}`, "erro")
	step(b, "bob", `{"t":"dance"}`, "erro")
	step(a, "ana", `{"t":"msg","body":"two"}`, "msg")
	step(b, "bob", "", "msg")
	if _, err := in.Rooms.Remove(t.Context(), "A.br", first.ID); err != nil {
		t.Fatal(err)
	}
	step(a, "ana", "", "msg")
	step(b, "bob", "", "msg")
	step(b, "bob", `{"t":"hello","depois":"`+first.ID+`"}`, "pronto")
	step(b, "bob", `{"t":"hello"}`, "pronto")
	text := strings.Join(log, "\n") + "\n"
	for _, token := range []string{anaToken, bobToken} {
		text = strings.ReplaceAll(text, token, "ipt_…")
	}
	golden(t, "testdata/frames.golden", named(text))
}

// named replaces ids and nicknames in a text by numbered names.
func named(text string) string {
	seen := map[string]string{}
	name := func(kind string) func(string) string {
		return func(s string) string {
			if seen[s] == "" {
				seen[s] = fmt.Sprint(kind, len(seen)+1)
			}
			return seen[s]
		}
	}
	text = regexp.MustCompile(`[a-z2-7]{26}`).ReplaceAllStringFunc(text, name("id"))
	return regexp.MustCompile(`[A-Z][a-z]+ \d{4}`).ReplaceAllStringFunc(text, name("nickname"))
}

// TestWhoSpeaks checks which credentials of the upgrade and of hello identify a caller.
func TestWhoSpeaks(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	in := w.instance()
	guest, _ := w.guest()
	const cookie = "__Host-mm-auth=session-ana"
	for _, test := range []struct {
		name    string
		headers []string
		hello   string
		reason  string // of the refusal; empty when the caller is identified
	}{
		{"nothing", nil, "", "invalid_session"},
		{"guest by hello", nil, guest, ""},
		{"guest by header", []string{"X-Guest-Token", guest}, "", ""},
		{"guest as bearer", []string{"Authorization", "Bearer " + guest}, "", ""},
		{"key of a program", []string{"X-Api-Key", "mmk_good"}, "", ""},
		{"key by hello", nil, "mmk_good", ""},
		{"bad key", []string{"X-Api-Key", "mmk_bad"}, "", "invalid_session"},
		{"page of the service", []string{"Origin", origin, "Cookie", cookie}, "", ""},
		{"page of another origin", []string{"Origin", "https://evil.example", "Cookie", cookie}, "", "invalid_session"},
		{"page of a similar origin", []string{"Origin", origin + ".evil.example", "Cookie", cookie}, "", "invalid_session"},
		{"page without an origin", []string{"Origin", "null", "Cookie", cookie}, "", "invalid_session"},
		{"program with a cookie", []string{"Cookie", cookie}, "", "invalid_session"},
		{"guest in a page of another origin", []string{"Origin", "https://evil.example", "Cookie", cookie}, guest, ""},
		{"session that is over", []string{"Origin", origin, "Cookie", "__Host-mm-auth=old", "X-Guest-Token", guest}, "", "session_ended"},
		{"reader of an organization", []string{"Origin", origin, "Cookie", "__Host-mm-auth=session-reader"}, "", "organization_forbidden"},
		{"retired key", nil, "iptk_0123456789abcdef", "api_key_retired"},
		{"made-up token", nil, "ipt_e30.e30.e30", "invalid_session"},
		{"credit", nil, "cred_0123456789abcdef", "invalid_session"},
		{"nonsense", nil, "hello", "invalid_session"},
	} {
		c := open(t, in, "A.br", test.headers...)
		c.wait("pronto")
		if test.hello != "" {
			c.send(`{"t":"hello","token":"` + test.hello + `"}`)
		}
		c.say("hello", "r")
		var reasons []string
		for {
			f, err := c.next()
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			if f.T == "erro" {
				if reasons = append(reasons, f.Reason); f.Code != codeAuth {
					t.Errorf("%s: %s", test.name, f.raw)
				}
			}
			if f.Ref == "r" {
				break
			}
		}
		if refused := test.reason != ""; refused && !slices.Contains(reasons, test.reason) || !refused && len(reasons) > 0 {
			t.Errorf("%s: refused with %q, want %q", test.name, reasons, test.reason)
		}
		c.conn.CloseNow()
	}
}
