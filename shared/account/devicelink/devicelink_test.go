package devicelink

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const (
	ana = identity.Owner("a_aaaaaaaaaaaaaaaaaaaaaaaa")
	bob = identity.Owner("a_bbbbbbbbbbbbbbbbbbbbbbbb")

	keys = "a:the first secret; at least thirty-two characters"
)

var tv = access.Device{Browser: "Firefox", OS: "Tizen", Country: "BR"}

// each runs a test on both backends.
func each(t *testing.T, f func(t *testing.T, db store.DB)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) { f(t, db) })
}

// A world is a database with a session of ana and one of bob.
type world struct {
	*Links
	t     *testing.T
	sw    *storetest.Switch
	now   time.Time
	ana   identity.Speaker
	bob   identity.Speaker
	boots []string
}

func newWorld(t *testing.T, db store.DB) *world {
	t.Helper()
	w := &world{t: t, sw: storetest.NewSwitch(db), now: time.Now()}
	w.Links = &Links{DB: w.sw, Keys: ring(t, keys), Now: func() time.Time { return w.now }}
	w.ana, w.bob = w.signIn(ana), w.signIn(bob)
	w.boots = []string{identity.NewBoot(), identity.NewBoot()}
	return w
}

func ring(t *testing.T, setting string) *keyring.Ring {
	t.Helper()
	r, err := keyring.Parse(setting)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// signIn stores a session with two factors of an account, and returns its caller.
func (w *world) signIn(owner identity.Owner) identity.Speaker {
	w.t.Helper()
	var cookie string
	w.update(owner, func(r *access.Record) {
		cookie, _ = r.Open(access.SignIn{Method: "passkey", SecondFactor: true}, w.now)
	})
	who, err := w.speaker(cookie)
	if err != nil {
		w.t.Fatal(err)
	}
	return who
}

func (w *world) update(owner identity.Owner, change func(*access.Record)) {
	w.t.Helper()
	err := w.DB.Update(w.t.Context(), func(tx store.Tx) error {
		r, err := access.Get(tx, owner)
		if err != nil {
			return err
		}
		change(r)
		return access.Put(tx, r)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// speaker returns the caller of a session cookie.
func (w *world) speaker(cookie string) (identity.Speaker, error) {
	return access.NewChecker(w.DB, w.Now).Session(w.t.Context(), cookie, "")
}

func (w *world) make() (Link, Secret) {
	w.t.Helper()
	link, secret, err := w.Make(w.t.Context(), w.ana)
	if err != nil {
		w.t.Fatal(err)
	}
	return link, secret
}

// claimed makes a link that the first browser has claimed.
func (w *world) claimed() (Link, Secret) {
	w.t.Helper()
	_, secret := w.make()
	link, err := w.Claim(w.t.Context(), secret.Token, w.boots[0], tv)
	if err != nil {
		w.t.Fatal(err)
	}
	return link, secret
}

// confirmed makes a link that was claimed and confirmed.
func (w *world) confirmed() (Link, Secret) {
	w.t.Helper()
	link, secret := w.claimed()
	if err := w.Confirm(w.t.Context(), w.ana, link.ID); err != nil {
		w.t.Fatal(err)
	}
	return link, secret
}

func (w *world) open(id string) SignIn {
	w.t.Helper()
	in, err := w.Open(w.t.Context(), id, w.boots[0], "")
	if err != nil {
		w.t.Fatal(err)
	}
	return in
}

func TestSecondDeviceSignsIn(t *testing.T) {
	each(t, func(t *testing.T, db store.DB) {
		w, ctx := newWorld(t, db), t.Context()
		made, secret := w.make()
		if got, err := w.Look(ctx, w.ana, made.ID); err != nil || got.State != Waiting {
			t.Fatalf("the new link is %+v, %v", got, err)
		}
		claimed, err := w.Claim(ctx, secret.Token, w.boots[0], tv)
		if err != nil {
			t.Fatal(err)
		}
		seen, err := w.Look(ctx, w.ana, made.ID)
		if diff := cmp.Diff(claimed, seen); err != nil || diff != "" || len(seen.Digits) != 4 || seen.Device != tv || seen.State != Claimed {
			t.Fatalf("the first device sees %+v, %v; not what the second does:\n%s", seen, err, diff)
		}
		if in := w.open(made.ID); in.State != Claimed || in.Cookie != "" {
			t.Fatalf("before the confirmation the second device has %+v", in)
		}
		if err := w.Confirm(ctx, w.ana, made.ID); err != nil {
			t.Fatal(err)
		}
		in := w.open(made.ID)
		who, err := w.speaker(in.Cookie)
		want := identity.Speaker{Owner: ana, Since: in.Session.CreatedAt.Time, Account: ana, Session: who.Session, SecondFactor: true}
		if err != nil || who != want || who.Session == w.ana.Session || in.State != Opened {
			t.Fatalf("the second device is %+v, %v, want %+v", who, err, want)
		}
		if s := in.Session; s.ID != who.Session || s.Method != "device" || s.Device != tv {
			t.Errorf("the session is %+v", s)
		}
	})
}

// TestLostAnswer opens a link again, as the second device does when the answer with
// its cookie was lost.
func TestLostAnswer(t *testing.T) {
	each(t, func(t *testing.T, db store.DB) {
		w := newWorld(t, db)
		link, _ := w.confirmed()
		first := w.open(link.ID)
		second := w.open(link.ID)
		if diff := cmp.Diff(first.Session.ID, second.Session.ID); diff != "" {
			t.Errorf("the session (-first +second):\n%s", diff)
		}
		if _, err := w.speaker(first.Cookie); !errors.Is(err, identity.ErrEnded) {
			t.Errorf("the lost cookie: %v, want %v", err, identity.ErrEnded)
		}
		if who, err := w.speaker(second.Cookie); err != nil || len(second.Record.Sessions) != 2 {
			t.Errorf("the second cookie is of %+v, %v; the account has %d sessions, want 2", who, err, len(second.Record.Sessions))
		}
	})
}

// TestFailedWrite loses the database in each step, which must change nothing.
func TestFailedWrite(t *testing.T) {
	each(t, func(t *testing.T, db store.DB) {
		w, ctx := newWorld(t, db), t.Context()
		link, secret := w.make()
		steps := []func() error{
			func() error { _, err := w.Claim(ctx, secret.Token, w.boots[0], tv); return err },
			func() error { return w.Confirm(ctx, w.ana, link.ID) },
			func() error { _, err := w.Open(ctx, link.ID, w.boots[0], ""); return err },
		}
		for i, step := range steps {
			before := w.documents(link.ID)
			w.sw.Off()
			err := step()
			w.sw.On()
			if !errors.Is(err, storetest.ErrBroken) {
				t.Fatalf("step %d without a database: %v", i, err)
			}
			if diff := cmp.Diff(before, w.documents(link.ID)); diff != "" {
				t.Fatalf("step %d without a database (-before +after):\n%s", i, diff)
			}
			if err := step(); err != nil {
				t.Fatalf("step %d, again: %v", i, err)
			}
		}
	})
}

// documents returns what is stored of a link and of ana.
func (w *world) documents(id string) (all []map[string]any) {
	w.t.Helper()
	docs, err := w.DB.GetAll(w.t.Context(), []store.Path{pathOf(id), access.Path(ana)})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, d := range docs {
		var doc map[string]any
		if err := d.Decode(&doc); err != nil {
			w.t.Fatal(err)
		}
		all = append(all, doc)
	}
	return all
}

func TestCodes(t *testing.T) {
	w, ctx := newWorld(t, wiretest.OpenDB(t)), t.Context()
	for _, typed := range []func(string) string{
		func(code string) string { return code },
		strings.ToLower,
		func(code string) string { return " " + code[:4] + "-" + code[4:] },
		func(code string) string { return strings.NewReplacer("0", "o", "1", "l").Replace(code) },
	} {
		_, secret := w.make()
		if link, err := w.Claim(ctx, typed(secret.Code), w.boots[0], tv); err != nil || link.ID != hashOf(secret.Token) {
			t.Errorf("the code %s typed as %q leads to %+v, %v", secret.Code, typed(secret.Code), link, err)
		}
	}
	_, secret := w.make()
	w.Keys = ring(t, "b:the second secret; at least thirty-two characters,"+keys)
	if _, err := w.Claim(ctx, secret.Code, w.boots[0], tv); err != nil {
		t.Errorf("a code under the key before the signing one: %v", err)
	}
	w.Keys = ring(t, "")
	if _, _, err := w.Make(ctx, w.ana); !errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("Make without a key: %v, want %v", err, identity.ErrUnavailable)
	}
}

func TestReadCode(t *testing.T) {
	for _, test := range []struct {
		typed, want string
	}{
		{"0123ABCD", "0123ABCD"},
		{"oil3-abcd", "0113ABCD"},
		{"0123ABC", ""},
		{"0123ABCDE", ""},
		{"0123ABCU", ""},
		{"0123ABC\x00", ""},
		{"", ""},
		{strings.Repeat(" ", 100) + "0123ABCD", ""},
	} {
		if got, ok := readCode(test.typed); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("readCode(%q) = %q, %v, want %q", test.typed, got, ok, test.want)
		}
	}
}

// TestHostile tries what neither device may do.
func TestHostile(t *testing.T) {
	each(t, func(t *testing.T, db store.DB) {
		for _, test := range hostile {
			t.Run(test.name, func(t *testing.T) {
				w := newWorld(t, db)
				if err := test.do(w, t.Context()); !errors.Is(err, test.want) {
					t.Errorf("error %v, want %v", err, test.want)
				}
			})
		}
	})
}

var hostile = []struct {
	name string
	do   func(*world, context.Context) error
	want error
}{
	{"claim an unknown token", func(w *world, ctx context.Context) error {
		return second(w.Claim(ctx, newToken(), w.boots[0], tv))
	}, ErrExpired},
	{"claim an unknown code", func(w *world, ctx context.Context) error {
		return second(w.Claim(ctx, "00000000", w.boots[0], tv))
	}, ErrExpired},
	{"claim by the id that the first device and the database have", func(w *world, ctx context.Context) error {
		link, _ := w.make()
		return second(w.Claim(ctx, link.ID, w.boots[0], tv))
	}, ErrExpired},
	{"claim too late", func(w *world, ctx context.Context) error {
		_, secret := w.make()
		w.now = w.now.Add(Lifetime)
		return second(w.Claim(ctx, secret.Token, w.boots[0], tv))
	}, ErrExpired},
	{"claim what another browser claimed", func(w *world, ctx context.Context) error {
		_, secret := w.claimed()
		return second(w.Claim(ctx, secret.Token, w.boots[1], tv))
	}, ErrUsed},
	{"claim by the code what another browser claimed", func(w *world, ctx context.Context) error {
		_, secret := w.claimed()
		return second(w.Claim(ctx, secret.Code, w.boots[1], tv))
	}, ErrUsed},
	{"claim what another browser opened", func(w *world, ctx context.Context) error {
		link, secret := w.confirmed()
		w.open(link.ID)
		return second(w.Claim(ctx, secret.Token, w.boots[1], tv))
	}, ErrUsed},
	{"claim what was denied before", func(w *world, ctx context.Context) error {
		link, secret := w.make()
		return errors.Join(w.Deny(ctx, w.ana, link.ID), second(w.Claim(ctx, secret.Token, w.boots[0], tv)))
	}, ErrDenied},
	{"look at another account's link", func(w *world, ctx context.Context) error {
		link, _ := w.claimed()
		w.bob.Session = w.ana.Session
		return second(w.Look(ctx, w.bob, link.ID))
	}, ErrUnknown},
	{"look at a path", func(w *world, ctx context.Context) error {
		return second(w.Look(ctx, w.ana, "../access/"+string(ana)))
	}, ErrUnknown},
	{"look too late", func(w *world, ctx context.Context) error {
		link, _ := w.claimed()
		w.now = w.now.Add(Lifetime)
		return second(w.Look(ctx, w.ana, link.ID))
	}, ErrUnknown},
	{"confirm another account's link", func(w *world, ctx context.Context) error {
		link, _ := w.claimed()
		return w.Confirm(ctx, w.bob, link.ID)
	}, ErrUnknown},
	{"confirm from another session of the account", func(w *world, ctx context.Context) error {
		link, _ := w.claimed()
		return w.Confirm(ctx, w.signIn(ana), link.ID)
	}, ErrUnknown},
	{"confirm without a session, as by an API key", func(w *world, ctx context.Context) error {
		w.ana.Session = ""
		link, _ := w.claimed()
		return w.Confirm(ctx, w.ana, link.ID)
	}, ErrUnknown},
	{"confirm what nobody claimed", func(w *world, ctx context.Context) error {
		link, _ := w.make()
		return w.Confirm(ctx, w.ana, link.ID)
	}, ErrUnclaimed},
	{"confirm what was denied", func(w *world, ctx context.Context) error {
		link, _ := w.claimed()
		return errors.Join(w.Deny(ctx, w.ana, link.ID), w.Confirm(ctx, w.ana, link.ID))
	}, ErrDenied},
	{"confirm too late", func(w *world, ctx context.Context) error {
		link, _ := w.claimed()
		w.now = w.now.Add(Lifetime)
		return w.Confirm(ctx, w.ana, link.ID)
	}, ErrUnknown},
	{"deny another account's link", func(w *world, ctx context.Context) error {
		link, _ := w.claimed()
		return w.Deny(ctx, w.bob, link.ID)
	}, ErrUnknown},
	{"deny a device that is in", func(w *world, ctx context.Context) error {
		link, _ := w.confirmed()
		w.open(link.ID)
		return w.Deny(ctx, w.ana, link.ID)
	}, ErrUsed},
	{"open in another browser", func(w *world, ctx context.Context) error {
		link, _ := w.confirmed()
		return second(w.Open(ctx, link.ID, w.boots[1], ""))
	}, ErrUsed},
	{"open what nobody claimed", func(w *world, ctx context.Context) error {
		link, _ := w.make()
		return second(w.Open(ctx, link.ID, "", ""))
	}, ErrUsed},
	{"open what was denied", func(w *world, ctx context.Context) error {
		link, _ := w.claimed()
		return errors.Join(w.Deny(ctx, w.ana, link.ID), second(w.Open(ctx, link.ID, w.boots[0], "")))
	}, ErrDenied},
	{"open what was denied after it was confirmed", func(w *world, ctx context.Context) error {
		link, _ := w.confirmed()
		return errors.Join(w.Deny(ctx, w.ana, link.ID), second(w.Open(ctx, link.ID, w.boots[0], "")))
	}, ErrDenied},
	{"open too late", func(w *world, ctx context.Context) error {
		link, _ := w.confirmed()
		w.now = w.now.Add(Lifetime)
		return second(w.Open(ctx, link.ID, w.boots[0], ""))
	}, ErrExpired},
	{"open after the first device signed out", func(w *world, ctx context.Context) error {
		link, _ := w.confirmed()
		w.update(ana, func(r *access.Record) { r.EndSession(w.ana.Session) })
		return second(w.Open(ctx, link.ID, w.boots[0], ""))
	}, ErrExpired},
	{"open after the session of the first device ended", func(w *world, ctx context.Context) error {
		link, _ := w.confirmed()
		w.update(ana, func(r *access.Record) {
			s, _ := r.Session(w.ana.Session)
			s.EndsAt = store.At(w.now)
		})
		return second(w.Open(ctx, link.ID, w.boots[0], ""))
	}, ErrExpired},
	{"open again after a sign-out everywhere", func(w *world, ctx context.Context) error {
		link, _ := w.confirmed()
		w.open(link.ID)
		w.update(ana, func(r *access.Record) { r.EndSessions("") })
		return second(w.Open(ctx, link.ID, w.boots[0], ""))
	}, ErrExpired},
	{"open after the account was deleted", func(w *world, ctx context.Context) error {
		link, _ := w.confirmed()
		return errors.Join(w.DB.Delete(ctx, access.Path(ana)), second(w.Open(ctx, link.ID, w.boots[0], "")))
	}, ErrExpired},
}

// second returns the error of two results.
func second[T any](_ T, err error) error { return err }

func TestRepeating(t *testing.T) {
	each(t, func(t *testing.T, db store.DB) {
		w, ctx := newWorld(t, db), t.Context()
		link, secret := w.claimed()
		again, err := w.Claim(ctx, secret.Code, w.boots[0], access.Device{Browser: "other"})
		if diff := cmp.Diff(link, again); err != nil || diff != "" {
			t.Errorf("the second claim in the same browser: %v (-first +second):\n%s", err, diff)
		}
		for range 2 {
			if err := w.Confirm(ctx, w.ana, link.ID); err != nil {
				t.Errorf("Confirm: %v", err)
			}
		}
		w.open(link.ID)
		if err := w.Confirm(ctx, w.ana, link.ID); err != nil {
			t.Errorf("Confirm of an opened link: %v", err)
		}
		if got, err := w.Look(ctx, w.ana, link.ID); err != nil || got.State != Opened {
			t.Errorf("the link is %+v, %v", got, err)
		}
	})
}

// TestConfirmAtTheEnd confirms in the last second: the second device still has time
// to notice it.
func TestConfirmAtTheEnd(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	link, _ := w.claimed()
	w.now = w.now.Add(Lifetime - time.Second)
	if err := w.Confirm(t.Context(), w.ana, link.ID); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(grace - time.Second)
	if in := w.open(link.ID); in.State != Opened {
		t.Errorf("opened %+v", in)
	}
}

// TestBrowserHadSession opens a link in a browser that was signed in.
// TestBrowserHadSession checks that the session that the second device had before ends,
// also one of another account.
func TestBrowserHadSession(t *testing.T) {
	each(t, func(t *testing.T, db store.DB) {
		w := newWorld(t, db)
		for _, owner := range []identity.Owner{ana, bob} {
			var old string
			w.update(owner, func(r *access.Record) { old, _ = r.Open(access.SignIn{}, w.now) })
			link, _ := w.confirmed()
			in, err := w.Open(t.Context(), link.ID, w.boots[0], old)
			if err != nil {
				t.Fatal(err)
			}
			if (in.Previous != nil) != (owner == bob) {
				t.Errorf("%s: the record of another account is %+v", owner, in.Previous)
			}
			if _, err := w.speaker(old); !errors.Is(err, identity.ErrEnded) {
				t.Errorf("%s: the session before: %v, want %v", owner, err, identity.ErrEnded)
			}
		}
		for _, cookie := range []string{"x", string(bob)[2:] + "." + strings.Repeat("x", 43)} { // of no session of bob
			link, _ := w.confirmed()
			if in, err := w.Open(t.Context(), link.ID, w.boots[0], cookie); err != nil || in.Previous != nil {
				t.Errorf("%q: %+v, %v", cookie, in.Previous, err)
			}
		}
	})
}

func TestOneBrowserClaims(t *testing.T) {
	each(t, func(t *testing.T, db store.DB) {
		w := newWorld(t, db)
		link, secret := w.make()
		const browsers = 8
		claims := make([]error, browsers)
		var g errgroup.Group
		for i := range browsers {
			g.Go(func() error {
				_, claims[i] = w.Claim(t.Context(), secret.Token, identity.NewBoot(), tv)
				return nil
			})
		}
		_ = g.Wait()
		won := 0
		for _, err := range claims {
			if err == nil {
				won++
			} else if !errors.Is(err, ErrUsed) {
				t.Errorf("a browser that was late: %v, want %v", err, ErrUsed)
			}
		}
		if won != 1 {
			t.Errorf("%d of %d browsers claimed the link, want 1", won, browsers)
		}
		if _, err := w.Open(t.Context(), link.ID, w.boots[0], ""); !errors.Is(err, ErrUsed) {
			t.Errorf("a browser that did not claim: %v, want %v", err, ErrUsed)
		}
	})
}

// TestStoredTextOpensNothing looks for what leads to a session among what is stored.
func TestStoredTextOpensNothing(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	link, secret := w.confirmed()
	in := w.open(link.ID)
	text, err := json.Marshal(w.documents(link.ID))
	if err != nil {
		t.Fatal(err)
	}
	_, session, _ := strings.Cut(in.Cookie, ".")
	for _, value := range []string{secret.Token, secret.Code, w.boots[0], session} {
		if strings.Contains(string(text), value) {
			t.Errorf("the database has %q in the clear", value)
		}
	}
}
