package challenge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const (
	hers = "the cookie of her browser"
	his  = "the cookie of his browser"
)

type payload struct{ Locale, Return string }

var request = Request{Kind: Mail, Browser: hers, Subject: "maria@exemplo.com.br", Payload: payload{"pt", "/canais"}}

// A clock is the time of a test.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func ring(t *testing.T, setting string) *keyring.Ring {
	t.Helper()
	keys, err := keyring.Parse(setting)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

var (
	keyA = strings.Repeat("a", 32)
	keyB = strings.Repeat("b", 32)
)

// each runs a test on Challenges of each backend, whose clock starts now, because the
// databases delete by their own clocks.
func each(t *testing.T, test func(t *testing.T, cs *Challenges, c *clock, writers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, writers int) {
		c := &clock{time.Now()}
		test(t, New(db, ring(t, keyA), c.now), c, writers)
	})
}

func start(t *testing.T, cs *Challenges, r Request) string {
	t.Helper()
	id, err := cs.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func send(t *testing.T, cs *Challenges) Sent {
	t.Helper()
	s, err := cs.StartMailed(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func refuse(Challenge) error { return ErrWrong }

// another returns a code that is not code.
func another(code string) string { return fmt.Sprintf("%c%s", '0'+(code[0]-'0'+1)%10, code[1:]) }

// want checks the outcome of a call: a fault, and no challenge with it.
func want(t *testing.T, what string, c Challenge, err, fault error) {
	t.Helper()
	if !errors.Is(err, fault) || (err != nil && c != Challenge{}) {
		t.Errorf("%s: %+v, %v; want %v", what, c, err, fault)
	}
}

// TestTake checks that a challenge is taken once, by its browser, for its kind, in
// its time.
func TestTake(t *testing.T) {
	each(t, func(t *testing.T, cs *Challenges, clock *clock, _ int) {
		id := start(t, cs, request)
		for name, test := range map[string]struct {
			kind        Kind
			id, browser string
		}{
			"another browser": {Mail, id, his},
			"no browser":      {Mail, id, ""},
			"another kind":    {Factor, id, hers},
			"no id":           {Mail, "", hers},
			"another id":      {Mail, random(), hers},
			"a path":          {Mail, "../" + id[3:], hers},
			"a longer id":     {Mail, id + "x", hers},
			"a megabyte":      {Mail, strings.Repeat("x", 1<<20), hers},
			"its document":    {Mail, hash(id), hers},
		} {
			c, err := cs.Take(t.Context(), test.kind, test.id, test.browser, nil)
			want(t, name, c, err, ErrExpired)
			c, err = cs.Peek(t.Context(), test.kind, test.id, test.browser)
			want(t, name+", read", c, err, ErrExpired)
		}
		peeked, err := cs.Peek(t.Context(), Mail, id, hers)
		if err != nil {
			t.Fatal(err)
		}
		other := errors.New("another error")
		if _, err := cs.Take(t.Context(), Mail, id, hers, func(Challenge) error { return other }); !errors.Is(err, other) {
			t.Errorf("an error of the check comes as %v", err)
		}
		c, err := cs.Take(t.Context(), Mail, id, hers, nil)
		var got payload
		if err != nil || c.Decode(&got) != nil || c != peeked || c.Subject != request.Subject {
			t.Fatalf("Take = %+v, %v after %+v", c, err, peeked)
		}
		if diff := cmp.Diff(request.Payload, got); diff != "" {
			t.Errorf("payload (-want +got):\n%s", diff)
		}
		c, err = cs.Take(t.Context(), Mail, id, hers, nil)
		want(t, "again", c, err, ErrExpired)

		id = start(t, cs, request)
		clock.at = clock.at.Add(Mail.Life)
		c, err = cs.Take(t.Context(), Mail, id, hers, nil)
		want(t, "too late", c, err, ErrExpired)
		c, err = cs.Peek(t.Context(), Mail, id, hers)
		want(t, "too late, read", c, err, ErrExpired)
	})
}

// TestAttempts checks how often a challenge may be tried.
func TestAttempts(t *testing.T) {
	each(t, func(t *testing.T, cs *Challenges, _ *clock, _ int) {
		for _, kind := range []Kind{Mail, Factor, Passkey, Authenticator, Address} {
			r := request
			r.Kind = kind
			id := start(t, cs, r)
			for left := kind.Attempts - 1; left >= 0; left-- {
				c, err := cs.Take(t.Context(), kind, id, hers, refuse)
				want(t, kind.Name, c, err, ErrWrong)
				if got := fault.From(err).Fields["attempts_left"]; got != left {
					t.Errorf("%s: %v attempts are left, want %d", kind.Name, got, left)
				}
			}
			c, err := cs.Take(t.Context(), kind, id, hers, nil)
			want(t, kind.Name+" without attempts", c, err, ErrExpired)
		}
	})
}

// TestCode checks that the code of a mail works in the browser that asked for it.
func TestCode(t *testing.T) {
	each(t, func(t *testing.T, cs *Challenges, _ *clock, _ int) {
		s, other := send(t, cs), send(t, cs)
		if len(s.Code) != CodeLength || strings.Trim(s.Code, "0123456789") != "" {
			t.Errorf("the code is %q", s.Code)
		}
		take := func(name, id, browser, code string, fault error) {
			t.Helper()
			c, err := cs.TakeCode(t.Context(), Mail, id, browser, code)
			want(t, name, c, err, fault)
		}
		take("in another browser", s.ID, his, s.Code, ErrExpired)
		take("another code", s.ID, hers, another(s.Code), ErrWrong)
		take("no code", s.ID, hers, "", ErrWrong)
		take("a megabyte", s.ID, hers, strings.Repeat(" ", 1<<20)+s.Code, ErrWrong)
		take("the link in place of the code", s.ID, hers, s.Link, ErrWrong)
		take("typed with spaces", s.ID, hers, " "+s.Code[:3]+"\u00a0-"+s.Code[3:]+" ", nil)
		take("again", s.ID, hers, s.Code, ErrExpired)
		link, err := cs.TakeLink(t.Context(), Mail, s.Link)
		want(t, "the link after the code", link, err, ErrExpired)
		if other.Code != s.Code {
			take("the code of another challenge", other.ID, hers, s.Code, ErrWrong)
		}
		plain := start(t, cs, request)
		take("of a challenge without a code", plain, hers, "", ErrExpired)
	})
}

// TestLink checks that the link of a mail works in any browser, and that the id of
// its challenge is not enough.
func TestLink(t *testing.T) {
	each(t, func(t *testing.T, cs *Challenges, clock *clock, _ int) {
		s, other := send(t, cs), send(t, cs)
		id, secret, _ := strings.Cut(s.Link, ".")
		if id != s.ID {
			t.Fatalf("the link %q is not of the challenge %q", s.Link, s.ID)
		}
		for name, link := range map[string]string{
			"nothing":                "",
			"the id":                 s.ID,
			"the id with a dot":      s.ID + ".",
			"the id twice":           s.ID + "." + s.ID,
			"the hash of the secret": s.ID + "." + hash(secret),
			"another secret":         s.ID + other.Link[strings.Index(other.Link, "."):],
			"a part more":            s.Link + ".x",
			"a megabyte":             s.Link + strings.Repeat("x", 1<<20),
			"without a mail":         start(t, cs, request) + "." + secret,
		} {
			c, err := cs.TakeLink(t.Context(), Mail, link)
			want(t, name, c, err, ErrExpired)
			c, err = cs.PeekLink(t.Context(), Mail, link)
			want(t, name+", read", c, err, ErrExpired)
		}
		c, err := cs.TakeLink(t.Context(), Address, s.Link)
		want(t, "another kind", c, err, ErrExpired)
		peeked, err := cs.PeekLink(t.Context(), Mail, s.Link)
		if err != nil || peeked.Subject != request.Subject {
			t.Errorf("PeekLink = %+v, %v", peeked, err)
		}
		c, err = cs.TakeLink(t.Context(), Mail, s.Link)
		if err != nil || c != peeked {
			t.Errorf("TakeLink = %+v, %v", c, err)
		}
		c, err = cs.TakeCode(t.Context(), Mail, s.ID, hers, s.Code)
		want(t, "the code after the link", c, err, ErrExpired)
		clock.at = clock.at.Add(Mail.Life)
		c, err = cs.TakeLink(t.Context(), Mail, other.Link)
		want(t, "too late", c, err, ErrExpired)
	})
}

// TestOnce takes one challenge from many goroutines: by the code and by the link one
// of them succeeds, and wrong codes are counted exactly.
func TestOnce(t *testing.T) {
	each(t, func(t *testing.T, cs *Challenges, _ *clock, writers int) {
		s := send(t, cs)
		count := func(call func(n int) error) (succeeded, wrong, expired int32) {
			var group sync.WaitGroup
			var s, w, x atomic.Int32
			for n := range writers {
				group.Go(func() {
					switch err := call(n); {
					case err == nil:
						s.Add(1)
					case errors.Is(err, ErrWrong):
						w.Add(1)
					case errors.Is(err, ErrExpired):
						x.Add(1)
					default:
						t.Error(err)
					}
				})
			}
			group.Wait()
			return s.Load(), w.Load(), x.Load()
		}
		succeeded, wrong, expired := count(func(n int) (err error) {
			if n%2 == 0 {
				_, err = cs.TakeLink(t.Context(), Mail, s.Link)
			} else {
				_, err = cs.TakeCode(t.Context(), Mail, s.ID, hers, s.Code)
			}
			return err
		})
		if succeeded != 1 || wrong != 0 || expired != int32(writers)-1 {
			t.Errorf("%d calls took the challenge, %d were wrong, %d too late", succeeded, wrong, expired)
		}
		s = send(t, cs)
		succeeded, wrong, expired = count(func(int) error {
			_, err := cs.TakeCode(t.Context(), Mail, s.ID, hers, another(s.Code))
			return err
		})
		if succeeded != 0 || int(wrong) != Mail.Attempts || int(expired) != writers-Mail.Attempts {
			t.Errorf("%d wrong codes were counted and %d were too late, want %d and %d", wrong, expired, Mail.Attempts, writers-Mail.Attempts)
		}
	})
}

// TestKeys checks that a code survives the change of the key that signs, and that
// without its key no code is valid.
func TestKeys(t *testing.T) {
	db := wiretest.OpenDB(t)
	old := New(db, ring(t, "a:"+keyA), time.Now)
	next := New(db, ring(t, "b:"+keyB+",a:"+keyA), time.Now)
	foreign := New(db, ring(t, "b:"+keyB), time.Now)
	s := send(t, old)
	c, err := foreign.TakeCode(t.Context(), Mail, s.ID, hers, s.Code)
	want(t, "without the key", c, err, ErrWrong)
	if _, err := next.TakeCode(t.Context(), Mail, s.ID, hers, s.Code); err != nil {
		t.Errorf("after the change of keys: %v", err)
	}
	if _, err := New(db, nil, time.Now).StartMailed(t.Context(), request); !errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("without keys: %v", err)
	}
}

// TestStored checks what the database holds of a challenge: none of its text is one
// of the secrets, or works in the place of one.
func TestStored(t *testing.T) {
	meter := storetest.NewMeter(wiretest.OpenDB(t))
	cs := New(meter, ring(t, keyA), time.Now)
	s := send(t, cs)
	if diff := cmp.Diff(storetest.Ops{Writes: 1, Deletes: 1}, meter.Ops()); diff != "" {
		t.Errorf("starting a challenge (-want +got):\n%s", diff)
	}
	for doc, err := range meter.Query(t.Context(), store.Query{Collection: "challenges"}) {
		var raw json.RawMessage
		var fields map[string]any
		if err != nil || doc.Decode(&raw) != nil || json.Unmarshal(raw, &fields) != nil {
			t.Fatal(err)
		}
		text := doc.ID + string(raw)
		for _, secret := range append(strings.Split(s.Link, "."), s.Code, hers) {
			if strings.Contains(text, secret) {
				t.Errorf("%q is stored in %s", secret, text)
			}
		}
		m := fields["mailed"].(map[string]any)
		for _, value := range []string{doc.ID, fields["browser"].(string), m["code"].(string), m["link"].(string)} {
			if _, err := cs.Peek(t.Context(), Mail, s.ID, value); !errors.Is(err, ErrExpired) {
				t.Errorf("%q passes for a browser", value)
			}
			if _, err := cs.PeekLink(t.Context(), Mail, s.ID+"."+value); !errors.Is(err, ErrExpired) {
				t.Errorf("%q passes for the secret of a link", value)
			}
		}
	}
}

// TestWithout checks that without a browser or a database there is no challenge.
func TestWithout(t *testing.T) {
	r := request
	r.Browser = ""
	if _, err := New(wiretest.OpenDB(t), ring(t, keyA), time.Now).Start(t.Context(), r); !errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("without a browser: %v", err)
	}
	cs := New(storetest.Broken(), ring(t, keyA), time.Now)
	_, started := cs.Start(t.Context(), request)
	_, peeked := cs.Peek(t.Context(), Mail, random(), hers)
	_, taken := cs.Take(t.Context(), Mail, random(), hers, nil)
	for _, err := range []error{started, peeked, taken} {
		if !errors.Is(err, identity.ErrUnavailable) {
			t.Errorf("without a database: %v", err)
		}
	}
}

func FuzzTakeLink(f *testing.F) {
	cs := New(wiretest.OpenDB(f), nil, time.Now)
	f.Add(random() + "." + random())
	f.Add("..")
	f.Fuzz(func(t *testing.T, link string) {
		if _, err := cs.TakeLink(t.Context(), Mail, link); !errors.Is(err, ErrExpired) {
			t.Errorf("TakeLink(%q) = %v", link, err)
		}
	})
}
