package access

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

const (
	ana  identity.Owner = "a_aaaaaaaaaaaaaaaaaaaaaaaa"
	bob  identity.Owner = "a_bbbbbbbbbbbbbbbbbbbbbbbb"
	club identity.Owner = "o_cccccccccccccccccccccccc"
)

// A clock stands still until it is moved.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.at.Store(noon.UnixNano())
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

// A counted database counts its reads, and can be made to fail.
type counted struct {
	store.DB
	reads, updates atomic.Int32
	broken         atomic.Bool
}

func (c *counted) Get(ctx context.Context, p store.Path, doc any) error {
	c.reads.Add(1)
	if c.broken.Load() {
		return storetest.ErrBroken
	}
	return c.DB.Get(ctx, p, doc)
}

func (c *counted) Update(ctx context.Context, f func(store.Tx) error) error {
	c.updates.Add(1)
	if c.broken.Load() {
		return storetest.ErrBroken
	}
	return c.DB.Update(ctx, f)
}

// begin stores a record of an owner, changed by change.
func begin(t testing.TB, db store.DB, owner identity.Owner, change func(*Record)) *Record {
	t.Helper()
	r := &Record{Owner: owner}
	err := db.Update(t.Context(), func(tx store.Tx) error {
		var err error
		if r, err = Get(tx, owner); err != nil {
			return err
		}
		change(r)
		return Put(tx, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// signIn opens a session of an owner.
func signIn(t testing.TB, db store.DB, owner identity.Owner, in SignIn, now time.Time) (cookie string, s Session) {
	t.Helper()
	begin(t, db, owner, func(r *Record) { cookie, s = r.Open(in, now) })
	return cookie, s
}

// TestSession follows one session over its life.
func TestSession(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		c := newClock()
		check := NewChecker(db, c.now)
		cookie, s := signIn(t, db, ana, SignIn{Method: "mail", SecondFactor: true}, c.now())
		want := identity.Speaker{Owner: ana, Since: noon, Account: ana, Session: s.ID, SignedInAt: noon, SecondFactor: true}
		for _, step := range []struct {
			name  string
			after time.Duration
			err   error
		}{
			{"new", 0, nil},
			{"used within its idle time", Idle - time.Second, nil},
			{"used again, since that moved its end", Idle - time.Second, nil},
			{"not used for its idle time", Idle, identity.ErrEnded},
		} {
			c.advance(step.after)
			got, err := check.Session(t.Context(), cookie, "")
			if !errors.Is(err, step.err) || err == nil && got != want {
				t.Errorf("%s: %+v, %v; want %+v, %v", step.name, got, err, want, step.err)
			}
		}
	})
}

// TestAbsolute checks that a session ends however often it is used.
func TestAbsolute(t *testing.T) {
	db, c := wiretest.OpenDB(t), newClock()
	check := NewChecker(db, c.now)
	cookie, _ := signIn(t, db, ana, SignIn{}, c.now())
	for c.now().Before(noon.Add(Absolute - Idle/2)) {
		c.advance(Idle / 2)
		if _, err := check.Session(t.Context(), cookie, ""); err != nil {
			t.Fatalf("after %v: %v", c.now().Sub(noon), err)
		}
	}
	c.advance(Idle / 2)
	if _, err := check.Session(t.Context(), cookie, ""); !errors.Is(err, identity.ErrEnded) {
		t.Errorf("at its absolute end: %v", err)
	}
}

// TestRefusedSessions checks what no session opens.
func TestRefusedSessions(t *testing.T) {
	db, c := wiretest.OpenDB(t), newClock()
	cookie, s := signIn(t, db, ana, SignIn{}, c.now())
	other, _ := signIn(t, db, bob, SignIn{}, c.now())
	stored, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	id, secret, _ := strings.Cut(cookie, ".")
	otherID, _, _ := strings.Cut(other, ".")
	for name, bad := range map[string]string{
		"nothing": "", "a dot": ".", "the account alone": id, "the account and a dot": id + ".", "the secret alone": secret,
		"of another account": otherID + "." + secret, "of an account that does not exist": strings.Repeat("z", 24) + "." + secret,
		"cut": cookie[:len(cookie)-1], "longer": cookie + "A", "the hash": id + "." + s.Hash, "the public id": id + "." + s.ID,
		"the document": string(stored), "a path": "../" + id + "." + secret, "an owner": "a_" + cookie, "capitals": strings.ToUpper(id) + "." + secret,
		"a key": "mmk_a_" + cookie,
	} {
		if got, err := NewChecker(db, c.now).Session(t.Context(), bad, ""); !errors.Is(err, identity.ErrEnded) || got.Owner != "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestEnding ends sessions and keys in each way, and checks when another process
// notices.
func TestEnding(t *testing.T) {
	for name, end := range map[string]func(r *Record, session, key string){
		"one session and one key": func(r *Record, session, key string) {
			r.EndSession(session)
			if err := r.RevokeKey(key, noon); err != nil {
				t.Error(err)
			}
		},
		"everything": func(r *Record, _, _ string) { r.EndSessions(""); r.StopKeys("") },
		"a rotation": func(r *Record, session, _ string) { r.Rotate(session); r.StopKeys(ana) },
	} {
		t.Run(name, func(t *testing.T) {
			db, c := wiretest.OpenDB(t), newClock()
			here, there := NewChecker(db, c.now), NewChecker(db, c.now)
			var cookie, key, keyID string
			var s Session
			begin(t, db, ana, func(r *Record) {
				cookie, s = r.Open(SignIn{}, c.now())
				var k Key
				key, k, _ = r.AddKey("one", ana, c.now())
				keyID = k.ID
			})
			accepted := func(check *Checker) bool {
				_, err1 := check.Session(t.Context(), cookie, "")
				_, err2 := check.Key(t.Context(), key)
				if (err1 == nil) != (err2 == nil) {
					t.Errorf("session %v, key %v", err1, err2)
				}
				return err1 == nil
			}
			if !accepted(here) || !accepted(there) {
				t.Fatal("not accepted at first")
			}
			r, err := Update(t.Context(), db, ana, func(r *Record) error { end(r, s.ID, keyID); return nil })
			if err != nil {
				t.Fatal(err)
			}
			if here.Learn(r); accepted(here) {
				t.Error("the process that ended them accepts them")
			}
			c.advance(keepFor)
			if accepted(there) {
				t.Error("another process accepts them five seconds later")
			}
		})
	}
}

// TestReads checks that requests read one document in five seconds, and that what
// was made elsewhere meanwhile is accepted at once.
func TestReads(t *testing.T) {
	db, c := &counted{DB: wiretest.OpenDB(t)}, newClock()
	check := NewChecker(db, c.now)
	cookie, _ := signIn(t, db, ana, SignIn{}, c.now())
	for range 10 {
		c.advance(keepFor / 10)
		if _, err := check.Session(t.Context(), cookie, ""); err != nil {
			t.Fatal(err)
		}
	}
	if n := db.reads.Load(); n != 1 {
		t.Errorf("%d reads in five seconds, want 1", n)
	}
	newer, _ := signIn(t, db, ana, SignIn{}, c.now())
	if _, err := check.Session(t.Context(), newer, ""); err != nil {
		t.Errorf("a session that is newer than what is kept: %v", err)
	}
	if n := db.reads.Load(); n != 2 {
		t.Errorf("%d reads, want 2", n)
	}
}

// TestUsed checks that the use of credentials is stored once an hour.
func TestUsed(t *testing.T) {
	db, c := &counted{DB: wiretest.OpenDB(t)}, newClock()
	check := NewChecker(db, c.now)
	var cookie, key string
	begin(t, db, ana, func(r *Record) {
		cookie, _ = r.Open(SignIn{}, c.now())
		key, _, _ = r.AddKey("one", ana, c.now())
	})
	before := db.updates.Load()
	for range 3 * 60 {
		_, err1 := check.Session(t.Context(), cookie, "")
		_, err2 := check.Key(t.Context(), key)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		c.advance(time.Minute)
	}
	if n := db.updates.Load() - before; n != 2+3 {
		t.Errorf("%d writes in three hours, want one for each further hour of the session and each hour of the key", n)
	}
	r, err := Get(getter{t.Context(), db}, ana)
	if err != nil || !r.Sessions[0].UsedAt.Equal(noon.Add(2*time.Hour)) || !r.Keys[0].UsedAt.Equal(noon.Add(2*time.Hour)) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestUsedElsewhere checks that an instance which learns late that another one has
// stored the use of a credential runs one transaction, and not one for each request.
func TestUsedElsewhere(t *testing.T) {
	db, c := &counted{DB: wiretest.OpenDB(t)}, newClock()
	here, there := NewChecker(db, c.now), NewChecker(db, c.now)
	var cookie string
	begin(t, db, ana, func(r *Record) { cookie, _ = r.Open(SignIn{}, c.now()) })
	c.advance(time.Hour - time.Second)
	use := func(check *Checker) {
		t.Helper()
		if _, err := check.Session(t.Context(), cookie, ""); err != nil {
			t.Fatal(err)
		}
	}
	use(there)
	c.advance(time.Second)
	use(here)
	before := db.updates.Load()
	for range 5 {
		use(there)
	}
	if n := db.updates.Load() - before; n != 1 {
		t.Errorf("%d transactions, want 1", n)
	}
}

// TestUsedInTime checks that storing the use of a credential takes no longer than the
// request has time.
func TestUsedInTime(t *testing.T) {
	db, c := &counted{DB: wiretest.OpenDB(t)}, newClock()
	check := NewChecker(waiting{db}, c.now)
	var cookie string
	begin(t, db, ana, func(r *Record) { cookie, _ = r.Open(SignIn{}, c.now()) })
	c.advance(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Session(ctx, cookie, ""); err != nil {
		t.Errorf("the session is refused: %v", err)
	}
}

// A waiting is a database whose transactions end with their context.
type waiting struct{ store.DB }

func (waiting) Update(ctx context.Context, _ func(store.Tx) error) error {
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.Canceled) {
		panic("the transaction outlives the request")
	}
	return ctx.Err()
}

// TestOrganization checks for which organizations a session and a key act.
func TestOrganization(t *testing.T) {
	for _, test := range []struct {
		name     string
		member   *Membership
		err      error
		readOnly bool
	}{
		{"a stranger", nil, identity.ErrOrganization, false},
		{"a member", &Membership{Organization: club, Role: Member}, nil, true},
		{"an administrator", &Membership{Organization: club, Role: Administrator}, nil, false},
		{"an owner", &Membership{Organization: club, Role: Owner}, nil, false},
		{"an owner, switched off", &Membership{Organization: club, Role: Owner, Disabled: true}, identity.ErrOrganization, false},
		{"a role that does not exist", &Membership{Organization: club, Role: "king"}, nil, true},
	} {
		db, c := wiretest.OpenDB(t), newClock()
		var cookie string
		begin(t, db, ana, func(r *Record) {
			cookie, _ = r.Open(SignIn{}, c.now())
			if test.member != nil {
				r.Memberships = append(r.Memberships, *test.member)
			}
		})
		got, err := NewChecker(db, c.now).Session(t.Context(), cookie, club)
		if !errors.Is(err, test.err) || err == nil && (got.Owner != club || got.Account != ana || got.ReadOnly != test.readOnly) {
			t.Errorf("%s: %+v, %v", test.name, got, err)
		}
	}
	db, c := wiretest.OpenDB(t), newClock()
	var key string
	begin(t, db, club, func(r *Record) { key, _, _ = r.AddKey("one", ana, c.now()) })
	if got, err := NewChecker(db, c.now).Key(t.Context(), key); err != nil || got != (identity.Speaker{Owner: club, Since: noon, Account: ana}) {
		t.Errorf("a key: %+v, %v", got, err)
	}
	begin(t, db, club, func(r *Record) { r.Disabled = true })
	if _, err := NewChecker(db, c.now).Key(t.Context(), key); !errors.Is(err, identity.ErrCredential) {
		t.Errorf("a key of an organization that has the product switched off: %v", err)
	}
}

// TestKeyLimit makes keys from many sides at once.
func TestKeyLimit(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		begin(t, db, ana, func(*Record) {})
		var g errgroup.Group
		var added atomic.Int32
		g.SetLimit(4)
		for range MaxKeys + 5 {
			g.Go(func() error {
				_, err := Update(t.Context(), db, ana, func(r *Record) error { _, _, err := r.AddKey("k", ana, noon); return err })
				if err == nil {
					added.Add(1)
				} else if !errors.Is(err, ErrKeyLimit) {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil || added.Load() != MaxKeys {
			t.Errorf("%d keys, %v; want %d", added.Load(), err, MaxKeys)
		}
	})
}

// TestKeyHistory checks that keys which stopped stay listed, up to a bound, and make
// room for others.
func TestKeyHistory(t *testing.T) {
	r := &Record{Owner: ana}
	for range 3 * maxStopped {
		_, k, err := r.AddKey("k", ana, noon)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.RevokeKey(k.ID, noon); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.Keys); n != maxStopped+1 {
		t.Errorf("%d keys are listed, want %d", n, maxStopped+1)
	}
	first := r.Keys[0].RevokedAt
	if err := r.RevokeKey(r.Keys[0].ID, noon.Add(time.Hour)); err != nil || r.Keys[0].RevokedAt != first {
		t.Errorf("revoked again at %v, %v", r.Keys[0].RevokedAt, err)
	}
	if err := r.RevokeKey("key_none", noon); !errors.Is(err, ErrNoKey) {
		t.Errorf("an unknown key: %v", err)
	}
}

// TestSessions checks that a browser has one session, and an account a bounded
// number.
func TestSessions(t *testing.T) {
	r := &Record{Owner: ana}
	cookie := ""
	for range 3 {
		cookie, _ = r.Open(SignIn{Replaces: cookie}, noon)
	}
	if len(r.Sessions) != 1 {
		t.Errorf("%d sessions of one browser", len(r.Sessions))
	}
	for i := range 2 * maxSessions {
		r.Open(SignIn{}, noon.Add(time.Duration(i)*time.Minute))
	}
	if len(r.Sessions) != maxSessions || !r.Sessions[0].CreatedAt.Equal(noon.Add(maxSessions*time.Minute)) {
		t.Errorf("%d sessions, the first of %v", len(r.Sessions), r.Sessions[0].CreatedAt)
	}
	if n := r.EndSessions(r.Sessions[3].ID); n != maxSessions-1 || len(r.Sessions) != 1 {
		t.Errorf("ended %d, %d left", n, len(r.Sessions))
	}
	if _, s := r.Open(SignIn{Vouched: true}, noon); IsRecent(s.SignedInAt.Time, noon) {
		t.Error("a session that another device vouched for counts as a recent sign-in")
	}
}

// TestFull checks that a record with everything that it may hold can be stored.
func TestFull(t *testing.T) {
	db := wiretest.OpenDB(t)
	begin(t, db, ana, func(r *Record) {
		for range maxSessions {
			r.Open(SignIn{Method: "passkey", Device: Device{"Samsung Browser", "Android", "BR"}}, noon)
		}
		for i := range maxStopped + MaxKeys {
			_, k, err := r.AddKey(strings.Repeat("ã", MaxKeyName), ana, noon)
			if err == nil && i < maxStopped {
				err = r.RevokeKey(k.ID, noon)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestBroken checks that no caller is refused for a database that does not answer.
func TestBroken(t *testing.T) {
	db, c := &counted{DB: wiretest.OpenDB(t)}, newClock()
	cookie, _ := signIn(t, db, ana, SignIn{}, c.now())
	db.broken.Store(true)
	check := NewChecker(db, c.now)
	if _, err := check.Session(t.Context(), cookie, ""); !errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("session: %v", err)
	}
	if _, err := check.Key(t.Context(), "mmk_a_"+cookie); !errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("key: %v", err)
	}
	db.broken.Store(false)
	if _, err := check.Session(t.Context(), cookie, ""); err != nil {
		t.Errorf("when it is back: %v", err)
	}
	db.broken.Store(true)
	c.advance(2 * time.Second)
	if _, err := check.Session(t.Context(), cookie, ""); err != nil {
		t.Errorf("while the record is kept: %v", err)
	}
}

// TestCrowd checks that memory is bounded when very many owners come.
func TestCrowd(t *testing.T) {
	c := newClock()
	check := NewChecker(wiretest.OpenDB(t), c.now)
	for range 2 * maxRecords {
		check.Learn(&Record{Owner: identity.NewOwner(identity.Person), Revision: 1})
	}
	if n := len(check.kept); n > maxRecords {
		t.Errorf("%d records are kept, want at most %d", n, maxRecords)
	}
}
