package signin

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const (
	maria = "Maria@Exemplo.com.br"
	good  = "três pratos de trigo"
)

// A post keeps the mails that are sent.
type post struct {
	mu    sync.Mutex
	mails []mail.Message // guarded by mu
	err   error
}

// Send implements [mail.Sender].
func (p *post) Send(_ context.Context, m mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.mails = append(p.mails, m)
	}
	return p.err
}

// last returns the content of the last mail, which must be a C to an address.
func last[C mail.Content](t testing.TB, p *post, to string) C {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var none C
	if len(p.mails) == 0 {
		t.Fatalf("no mail was sent, want %T", none)
	}
	m := p.mails[len(p.mails)-1]
	c, ok := m.Content.(C)
	if !ok || m.To != to {
		t.Fatalf("the last mail is %T to %s, want %T to %s", m.Content, m.To, none, to)
	}
	return c
}

// none checks that no mail was sent since the last were taken.
func (p *post) none(t *testing.T) {
	t.Helper()
	for _, m := range p.take() {
		t.Errorf("a mail of %T was sent to %s", m.Content, m.To)
	}
}

// take returns the mails and forgets them.
func (p *post) take() []mail.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	mails := p.mails
	p.mails = nil
	return mails
}

// plainPasswords are passwords whose hash is the password, and counts the hashes.
type plainPasswords struct {
	mu     sync.Mutex
	hashes int // guarded by mu
}

func (p *plainPasswords) count() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hashes++
}

// Hash implements [Passwords].
func (p *plainPasswords) Hash(_ context.Context, pw string) (string, error) {
	p.count()
	return "new:" + pw, nil
}

// Check implements [Passwords].
func (p *plainPasswords) Check(_ context.Context, hash, pw string) (ok, rehash bool, err error) {
	p.count()
	return hash == "new:"+pw || hash == "old:"+pw, hash == "old:"+pw, nil
}

// A desk is a Service and all that it uses, of one test.
type desk struct {
	*Service
	t       testing.TB
	db      *storetest.Meter
	post    *post
	hashes  *plainPasswords
	checker *access.Checker
	now     time.Time
}

// newDesk returns a desk at the present time, because databases delete by their own
// clocks.
func newDesk(t testing.TB, db store.DB) *desk {
	t.Helper()
	keys, err := keyring.Parse(strings.Repeat("a", 32))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, db: storetest.NewMeter(db), post: new(post), hashes: new(plainPasswords), now: time.Now()}
	now := func() time.Time { return d.now }
	d.checker = access.NewChecker(d.db, now)
	d.Service = New(Options{
		DB: d.db, Keys: keys, Access: d.checker, Mail: d.post, Passwords: d.hashes, Base: "https://mira.example", Product: "Miramundo",
		Log: slog.New(slog.DiscardHandler), Now: now,
	})
	return d
}

// each runs a test on a desk of each backend.
func each(t *testing.T, test func(t *testing.T, d *desk, writers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, writers int) { test(t, newDesk(t, db), writers) })
}

// browser returns the visitor of a browser, each at a network of its own.
func browser(name string) Visitor {
	return Visitor{
		Browser: "boot of " + name, Network: "net of " + name, Locale: i18n.EN,
		Device: access.Device{Browser: name, OS: "Linux", Country: "BR"},
	}
}

// then returns v with the cookie of a session that was opened in it.
func (v Visitor) then(r Result) Visitor {
	v.Cookie = r.Cookie
	return v
}

// want checks that a call failed as it should.
func want(t *testing.T, what string, err, fault error) {
	t.Helper()
	if !errors.Is(err, fault) {
		t.Errorf("%s: %v, want %v", what, err, fault)
	}
}

// ok returns r, or fails the test.
func (d *desk) ok(r Result, err error) Result {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// text returns s, or fails the test.
func (d *desk) text(s string, err error) string {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

// start sends a mail to an address, and returns the challenge and the mail.
func (d *desk) start(v Visitor, email string) (id string, m mail.SignIn) {
	d.t.Helper()
	id = d.text(d.StartMail(d.t.Context(), v, email, "/canais"))
	shown, _, _ := address.Normalize(email)
	return id, last[mail.SignIn](d.t, d.post, shown)
}

// byMail signs in by a code, up to the second factor.
func (d *desk) byMail(v Visitor, email string) Result {
	d.t.Helper()
	id, m := d.start(v, email)
	return d.ok(d.FinishMail(d.t.Context(), v, id, m.Code))
}

// speaker returns the caller that a cookie identifies.
func (d *desk) speaker(cookie string) identity.Speaker {
	d.t.Helper()
	who, err := d.checker.Session(d.t.Context(), cookie, "")
	if err != nil {
		d.t.Fatal(err)
	}
	return who
}

// ended checks that a cookie opens nothing any more.
func (d *desk) ended(what, cookie string) {
	d.t.Helper()
	if _, err := d.checker.Session(d.t.Context(), cookie, ""); !errors.Is(err, identity.ErrEnded) {
		d.t.Errorf("%s: %v, want ErrEnded", what, err)
	}
}

// stored returns the account of an address as it is stored.
func (d *desk) stored(email string) *account.Account {
	d.t.Helper()
	_, key, _ := address.Normalize(email)
	id, found, err := account.Lookup(d.t.Context(), d.db, key)
	if err != nil || !found {
		d.t.Fatalf("account of %s: %t, %v", email, found, err)
	}
	a, err := account.Load(d.t.Context(), d.db, id)
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

// edit changes the account of an address as it is stored.
func (d *desk) edit(email string, change func(*account.Account)) {
	d.t.Helper()
	_, err := account.Update(d.t.Context(), d.db, d.stored(email).ID, func(a *account.Account) error { change(a); return nil })
	if err != nil {
		d.t.Fatal(err)
	}
}

// wrong returns a code that is not code.
func wrong(code string) string { return string('0'+(code[0]-'0'+1)%10) + code[1:] }

// token returns the token in the link of a mail.
func token(t *testing.T, m mail.SignIn) string {
	t.Helper()
	u, err := url.Parse(m.Link)
	if err != nil || u.Scheme+"://"+u.Host+u.Path != "https://mira.example/en/sign-in" {
		t.Fatalf("the link is %s, %v", m.Link, err)
	}
	return u.Query().Get(TokenParam)
}
