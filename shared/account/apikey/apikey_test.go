package apikey

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func now() time.Time { return noon }

// each runs a test on both backends.
func each(t *testing.T, test func(t *testing.T, db store.DB, writers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), test)
}

// signUp stores an account, and returns the caller of its session, which has just
// signed in with a second factor.
func signUp(t *testing.T, db store.DB) identity.Speaker {
	t.Helper()
	address := strings.ToLower(newName()) + "@mira.example"
	a := account.New(address, address, account.Profile{Theme: "system"}, noon)
	var s access.Session
	err := db.Update(t.Context(), func(tx store.Tx) error {
		r := &access.Record{Owner: a.ID}
		_, s = r.Open(access.SignIn{SecondFactor: true}, noon)
		return errors.Join(account.Create(tx, a), access.Put(tx, r))
	})
	if err != nil {
		t.Fatal(err)
	}
	return identity.Speaker{Owner: a.ID, Account: a.ID, Session: s.ID, SignedInAt: noon, SecondFactor: true}
}

var made atomic.Int32

// newName returns text that no other call returns.
func newName() string { return fmt.Sprint("person", made.Add(1)) }

// join makes an account a member of an organization in a role.
func join(t *testing.T, db store.DB, club, by identity.Owner, member identity.Speaker, role access.Role) {
	t.Helper()
	o := organization.On(db, nil, now)
	a, err := account.Load(t.Context(), db, member.Account)
	if err != nil {
		t.Fatal(err)
	}
	in, err := o.Invite(t.Context(), by, club, organization.Address{Shown: a.Email, Key: a.EmailKey}, access.Member)
	if err == nil {
		_, err = o.Accept(t.Context(), member.Account, in.Token)
	}
	if err == nil {
		err = o.SetRole(t.Context(), by, club, member.Account, role)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// found creates an organization.
func found(t *testing.T, db store.DB, owner identity.Owner) identity.Owner {
	t.Helper()
	o, err := organization.On(db, nil, now).Create(t.Context(), owner, "Club")
	if err != nil {
		t.Fatal(err)
	}
	return o.ID
}

// TestLife follows keys of an account and of its organization.
func TestLife(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, _ int) {
		check := access.NewChecker(db, now)
		keys, ctx := On(db, check.Learn, now), t.Context()
		ana := signUp(t, db)
		club := found(t, db, ana.Account)
		own, k, err := keys.Create(ctx, ana, "  My player ", "")
		if err != nil || k.Name != "My player" || k.Owner != ana.Account || !strings.HasSuffix(own, k.Last4) || !k.Active() {
			t.Fatalf("%+v, %v", k, err)
		}
		clubs, ck, err := keys.Create(ctx, ana, "Screens", club)
		if err != nil || ck.Owner != club || ck.Maker != ana.Account {
			t.Fatalf("%+v, %v", ck, err)
		}
		for secret, want := range map[string]identity.Speaker{
			own: {Owner: ana.Account, Since: noon, Account: ana.Account}, clubs: {Owner: club, Since: noon, Account: ana.Account},
		} {
			if who, err := check.Key(ctx, secret); err != nil || who != want {
				t.Errorf("the caller is %+v, %v; want %+v", who, err, want)
			}
		}
		list, err := keys.List(ctx, ana.Account)
		if err != nil || len(list) != 2 || list[0].ID != k.ID || list[1].ID != ck.ID || strings.Contains(fmt.Sprint(list), own[len(own)-43:]) {
			t.Errorf("%+v, %v", list, err)
		}
		for range 2 {
			if err := errors.Join(keys.Revoke(ctx, ana.Account, k.ID), keys.Revoke(ctx, ana.Account, ck.ID)); err != nil {
				t.Error(err)
			}
		}
		for _, secret := range []string{own, clubs} {
			if _, err := check.Key(ctx, secret); !errors.Is(err, identity.ErrCredential) {
				t.Errorf("a revoked key: %v", err)
			}
		}
		if list, err := keys.List(ctx, ana.Account); err != nil || len(list) != 2 || list[0].Active() || list[1].Active() {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// TestCreate checks who may create which key.
func TestCreate(t *testing.T) {
	db := wiretest.OpenDB(t)
	keys, ctx := On(db, nil, now), t.Context()
	ana, bob, carl, dora := signUp(t, db), signUp(t, db), signUp(t, db), signUp(t, db)
	club, off := found(t, db, ana.Account), found(t, db, ana.Account)
	join(t, db, club, ana.Account, bob, access.Administrator)
	join(t, db, club, ana.Account, carl, access.Member)
	if err := organization.On(db, nil, now).SetEnabled(ctx, ana.Account, off, false); err != nil {
		t.Fatal(err)
	}
	with := func(s identity.Speaker, change func(*identity.Speaker)) identity.Speaker { change(&s); return s }
	once := func(s *identity.Speaker) { s.SecondFactor = false }
	late := func(s *identity.Speaker) { s.SignedInAt = noon.Add(-access.Recent) }
	for _, test := range []struct {
		name   string
		by     identity.Speaker
		key    string
		owner  identity.Owner
		want   error
		reason string
	}{
		{"of the account", ana, "k", "", nil, ""},
		{"of the account, with one factor", with(ana, once), "k", "", nil, ""},
		{"of the account, signed in long ago", with(ana, late), "k", "", identity.ErrReauth, ""},
		{"of the account, on a device that another one vouched for", with(ana, func(s *identity.Speaker) { s.SignedInAt = time.Time{} }), "k", "", identity.ErrReauth, ""},
		{"of the account, with a session that has ended", with(ana, func(s *identity.Speaker) { s.Session = "none" }), "k", "", identity.ErrEnded, ""},
		{"of the organization, by an owner", ana, "k", club, nil, ""},
		{"of the organization, by an administrator", bob, "k", club, nil, ""},
		{"of the organization, by an administrator with one factor", with(bob, once), "k", club, organization.ErrSecondFactor, ""},
		{"of the organization, by an administrator who signed in long ago", with(bob, late), "k", club, identity.ErrReauth, ""},
		{"of the organization, by a member", carl, "k", club, organization.ErrForbidden, ""},
		{"of the organization, by a stranger", dora, "k", club, organization.ErrForbidden, ""},
		{"of one that does not exist", ana, "k", identity.NewOwner(identity.Organization), organization.ErrForbidden, ""},
		{"of one that has the product switched off", ana, "k", off, organization.ErrForbidden, ""},
		{"of another account", ana, "k", bob.Account, ErrOrganization, ""},
		{"of its own account by name", ana, "k", ana.Account, ErrOrganization, ""},
		{"of a guest", ana, "k", "g_1", ErrOrganization, ""},
		{"without a name", ana, " ", "", ErrName, "empty"},
		{"with a long name", ana, strings.Repeat("ã", access.MaxKeyName), "", nil, ""},
		{"with a longer name", ana, strings.Repeat("ã", access.MaxKeyName+1), "", ErrName, "too_long"},
		{"with a name of two lines", ana, "a\nb", "", ErrName, "control"},
	} {
		secret, key, err := keys.Create(ctx, test.by, test.key, test.owner)
		if !errors.Is(err, test.want) || (secret == "") != (err != nil) || err != nil && key != (Key{}) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// TestRevoke checks who may revoke which key.
func TestRevoke(t *testing.T) {
	db := wiretest.OpenDB(t)
	keys, ctx := On(db, nil, now), t.Context()
	ana, bob, carl, dora := signUp(t, db), signUp(t, db), signUp(t, db), signUp(t, db)
	club := found(t, db, ana.Account)
	join(t, db, club, ana.Account, bob, access.Administrator)
	join(t, db, club, ana.Account, carl, access.Member)
	_, own, err1 := keys.Create(ctx, ana, "k", "")
	_, clubs, err2 := keys.Create(ctx, ana, "k", club)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		by   identity.Speaker
		id   string
		want error
	}{
		{"of another account", bob, own.ID, access.ErrNoKey},
		{"of an organization, by a member", carl, clubs.ID, access.ErrNoKey},
		{"of an organization, by a stranger", dora, clubs.ID, access.ErrNoKey},
		{"of an organization, by an administrator", bob, clubs.ID, nil},
		{"by its owner", ana, own.ID, nil},
		{"that does not exist", ana, "key_" + strings.Repeat("a", 16), access.ErrNoKey},
		{"of nothing", ana, "", ErrID},
		{"of another form", ana, "key_1", ErrID},
		{"of a path", ana, "../" + own.ID, ErrID},
	} {
		if err := keys.Revoke(ctx, test.by.Account, test.id); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	for by, want := range map[identity.Owner][]string{ana.Account: {own.ID, clubs.ID}, bob.Account: {clubs.ID}, carl.Account: nil, dora.Account: nil} {
		list, err := keys.List(ctx, by)
		var got []string
		for _, k := range list {
			got = append(got, k.ID)
		}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("List (-want +got), %v:\n%s", err, d)
		}
	}
}

// TestLimit creates keys of one organization from many sides at once, while one of
// their makers is removed: there are never too many, and none of the removed account
// is accepted.
func TestLimit(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, writers int) {
		keys, ctx := On(db, nil, now), t.Context()
		ana, bob := signUp(t, db), signUp(t, db)
		club := found(t, db, ana.Account)
		join(t, db, club, ana.Account, bob, access.Administrator)
		var g errgroup.Group
		g.SetLimit(writers)
		for i := range 2 * access.MaxKeys {
			by := []identity.Speaker{ana, bob}[i%2]
			g.Go(func() error {
				if i == 5 {
					return organization.On(db, nil, now).Remove(ctx, ana.Account, club, bob.Account)
				}
				_, _, err := keys.Create(ctx, by, "k", club)
				if errors.Is(err, access.ErrKeyLimit) || by == bob && errors.Is(err, organization.ErrForbidden) {
					return nil
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		list, err := keys.List(ctx, ana.Account)
		live := 0
		for _, k := range list {
			if k.Active() {
				live++
			}
			if k.Active() && k.Maker == bob.Account {
				t.Errorf("a key of a removed administrator is active: %+v", k)
			}
		}
		if err != nil || live == 0 || live > access.MaxKeys {
			t.Errorf("%d live keys, %v", live, err)
		}
	})
}

// TestGone checks that an account which is deleted has no keys, and that a database
// which fails is not such an account.
func TestGone(t *testing.T) {
	keys := On(wiretest.OpenDB(t), nil, now)
	gone := identity.NewOwner(identity.Person)
	if _, err := keys.List(t.Context(), gone); !errors.Is(err, identity.ErrEnded) {
		t.Errorf("List: %v", err)
	}
	keys = On(storetest.Broken(), nil, now)
	_, err1 := keys.List(t.Context(), gone)
	_, _, err2 := keys.Create(t.Context(), identity.Speaker{Account: gone, SignedInAt: noon}, "k", "")
	for _, err := range []error{err1, err2, keys.Revoke(t.Context(), gone, "key_"+strings.Repeat("a", 16))} {
		if !errors.Is(err, storetest.ErrBroken) {
			t.Errorf("with a broken database: %v", err)
		}
	}
}
