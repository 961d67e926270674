package organization

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// A world is a database with accounts in it.
type world struct {
	*Organizations
	t       testing.TB
	at      atomic.Int64 // of the clock
	check   *access.Checker
	cookies map[identity.Owner]string
	names   map[string]identity.Owner
}

func newWorld(t testing.TB, db store.DB, names ...string) *world {
	w := &world{t: t, cookies: map[identity.Owner]string{}, names: map[string]identity.Owner{}}
	w.at.Store(noon.UnixNano())
	w.check = access.NewChecker(db, w.clock)
	w.Organizations = On(db, w.check.Learn, w.clock)
	for _, name := range names {
		w.signUp(name)
	}
	return w
}

func (w *world) clock() time.Time { return time.Unix(0, w.at.Load()).UTC() }

// signUp stores an account with a session.
func (w *world) signUp(name string) identity.Owner {
	w.t.Helper()
	a := account.New(name+"@mira.example", name+"@mira.example", account.Profile{Name: name, Theme: "system"}, noon)
	err := w.db.Update(w.t.Context(), func(tx store.Tx) error {
		r := &access.Record{Owner: a.ID}
		w.cookies[a.ID], _ = r.Open(access.SignIn{Method: "mail", SecondFactor: true}, noon)
		return errors.Join(account.Create(tx, a), access.Put(tx, r))
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.names[name] = a.ID
	return a.ID
}

// found creates an organization of an owner and further members.
func (w *world) found(owner identity.Owner, members map[identity.Owner]access.Role) identity.Owner {
	w.t.Helper()
	o, err := w.Create(w.t.Context(), owner, "Club")
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.change(w.t.Context(), o.ID, func(_ store.Tx, o *Organization) error {
		for account, role := range members {
			if err := o.join(account, role, noon); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return o.ID
}

// stored returns an organization as it is stored; nil when it is not.
func (w *world) stored(id identity.Owner) *Organization {
	w.t.Helper()
	o, err := get(getter{w.t.Context(), w.db}, id)
	if errors.Is(err, ErrForbidden) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// agree checks that the access records of all accounts say of some organizations
// what these say themselves, and that each has an owner.
func (w *world) agree(ids ...identity.Owner) {
	w.t.Helper()
	want, got := map[identity.Owner][]access.Membership{}, map[identity.Owner][]access.Membership{}
	for _, id := range ids {
		o := w.stored(id)
		if o == nil {
			continue
		}
		if !slices.ContainsFunc(o.Members, func(m Member) bool { return m.Role == access.Owner }) {
			w.t.Errorf("%s has no owner: %+v", id, o.Members)
		}
		for account, m := range copies(o) {
			want[account] = append(want[account], m)
		}
	}
	for account := range w.cookies {
		r, err := access.Get(getter{w.t.Context(), w.db}, account)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(r.Memberships) > 0 {
			got[account] = r.Memberships
		}
	}
	sorted := cmpopts.SortSlices(func(a, b access.Membership) bool { return a.Organization < b.Organization })
	if d := cmp.Diff(want, got, sorted); d != "" {
		w.t.Errorf("access records do not agree with the organizations (-organizations +records):\n%s", d)
	}
}

// each runs a test on both backends.
func each(t *testing.T, test func(t *testing.T, db store.DB, writers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), test)
}

// TestLife follows an organization from its creation to its end.
func TestLife(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, _ int) {
		w, ctx := newWorld(t, db, "ana", "bob"), t.Context()
		ana, bob := w.names["ana"], w.names["bob"]
		o, err := w.Create(ctx, ana, "  Club ")
		if err != nil || o.Name != "Club" {
			t.Fatalf("%+v, %v", o, err)
		}
		w.agree(o.ID)
		in, err := w.Invite(ctx, ana, o.ID, Address{"Bob@mira.example", "bob@mira.example"}, access.Administrator)
		if err != nil || in.Organization != "Club" || in.Inviter.Profile.Name != "ana" {
			t.Fatalf("%+v, %v", in, err)
		}
		if v, err := w.View(ctx, ana, o.ID); err != nil || len(v.Invitations) != 1 || v.Invitations[0].Hash != "" {
			t.Errorf("the owner sees %+v, %v", v, err)
		}
		if joined, err := w.Accept(ctx, ana, in.Token); err != nil || joined.ID != o.ID {
			t.Errorf("a member opens the link: %v", err)
		}
		joined, err := w.Accept(ctx, bob, in.Token)
		if err != nil || joined.Name != "Club" {
			t.Fatalf("%+v, %v", joined, err)
		}
		w.agree(o.ID)
		if _, err := w.Invite(ctx, ana, o.ID, Address{"bob@mira.example", "bob@mira.example"}, access.Member); !errors.Is(err, ErrAlreadyMember) {
			t.Errorf("a member is invited: %v", err)
		}
		if err := w.SetRole(ctx, ana, o.ID, bob, access.Member); err != nil {
			t.Error(err)
		}
		v, err := w.View(ctx, bob, o.ID)
		want := &View{Summary: Summary{o.ID, "Club", access.Member, true}, CreatedAt: noon, Members: []Person{
			{Member: Member{ana, access.Owner, store.At(noon)}, Name: "ana"},
			{Member: Member{bob, access.Member, store.At(noon)}, Name: "bob", Email: "bob@mira.example"},
		}}
		if d := cmp.Diff(want, v); err != nil || d != "" {
			t.Errorf("a member sees (-want +got), %v:\n%s", err, d)
		}
		if err := errors.Join(w.Rename(ctx, ana, o.ID, "Society"), w.SetEnabled(ctx, ana, o.ID, false)); err != nil {
			t.Error(err)
		}
		w.agree(o.ID)
		list, err := w.List(ctx, bob)
		if d := cmp.Diff([]Summary{{o.ID, "Society", access.Member, false}}, list); err != nil || d != "" {
			t.Errorf("List (-want +got), %v:\n%s", err, d)
		}
		if list, err := w.LastOwnerOf(ctx, ana); err != nil || len(list) != 1 || list[0].ID != o.ID {
			t.Errorf("LastOwnerOf: %+v, %v", list, err)
		}
		if err := errors.Join(w.SetRole(ctx, ana, o.ID, bob, access.Owner), w.Remove(ctx, bob, o.ID, ana)); err != nil {
			t.Error(err)
		}
		w.agree(o.ID)
		if _, err := w.View(ctx, ana, o.ID); !errors.Is(err, ErrForbidden) {
			t.Errorf("after leaving: %v", err)
		}
		if list, err := w.LastOwnerOf(ctx, ana); err != nil || list != nil {
			t.Errorf("LastOwnerOf: %+v, %v", list, err)
		}
	})
}

// TestDelete checks who may delete an organization, and that nothing of it stays.
func TestDelete(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, _ int) {
		w, ctx := newWorld(t, db, "ana", "bob", "carl"), t.Context()
		ana, bob, carl := w.names["ana"], w.names["bob"], w.names["carl"]
		id := w.found(ana, map[identity.Owner]access.Role{bob: access.Administrator, carl: access.Owner})
		key := w.addKey(id, ana)
		if _, err := account.Update(ctx, db, ana, func(a *account.Account) error { a.TOTP = new(factor.Authenticator); return nil }); err != nil {
			t.Fatal(err)
		}
		also := store.Path("removals/1")
		for _, test := range []struct {
			name string
			by   identity.Speaker
			want error
		}{
			{"an administrator", identity.Speaker{Account: bob, SignedInAt: noon}, ErrForbidden},
			{"an owner who signed in long ago", identity.Speaker{Account: carl, SignedInAt: noon.Add(-access.Recent)}, identity.ErrReauth},
			{"an owner on a device that another one vouched for", identity.Speaker{Account: carl}, identity.ErrReauth},
			{"an owner without the second factor of the account", identity.Speaker{Account: ana, SignedInAt: noon}, ErrSecondFactor},
			{"an owner with it", identity.Speaker{Account: ana, SignedInAt: noon, SecondFactor: true}, nil},
			{"again", identity.Speaker{Account: ana, SignedInAt: noon, SecondFactor: true}, ErrForbidden},
		} {
			err := w.Delete(ctx, test.by, id, func(tx store.Tx) error { return tx.Set(also, map[string]string{"owner": string(id)}) })
			if !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", test.name, err, test.want)
			}
			if exists := db.Get(ctx, also, &struct{}{}) == nil; exists != (w.stored(id) == nil) {
				t.Errorf("%s: deleted %v, and what follows %v", test.name, w.stored(id) == nil, exists)
			}
			w.agree(id)
		}
		if _, err := w.check.Key(ctx, key); !errors.Is(err, identity.ErrCredential) {
			t.Errorf("its key: %v", err)
		}
		if err := db.Get(ctx, access.Path(id), &struct{}{}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("its access record: %v", err)
		}
	})
}

// addKey stores a key of an organization that an account made.
func (w *world) addKey(id, maker identity.Owner) (key string) {
	w.t.Helper()
	err := w.db.Update(w.t.Context(), func(tx store.Tx) error {
		r, err := access.Get(tx, id)
		if err == nil {
			key, _, err = r.AddKey("key", maker, noon)
		}
		return errors.Join(err, access.Put(tx, r))
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return key
}

// TestAtOnce checks when those who lose a role are refused: at once where that was
// done, and within five seconds at other instances.
func TestAtOnce(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, _ int) {
		for _, test := range []struct {
			name             string
			do               func(w *world, by, id, bob identity.Owner) error
			session, readOly bool // of the administrator afterwards
			key, otherKey    bool // the administrator's, and the owner's
		}{
			{"removed", func(w *world, by, id, bob identity.Owner) error { return w.Remove(w.t.Context(), by, id, bob) }, false, false, false, true},
			{"demoted", func(w *world, by, id, bob identity.Owner) error {
				return w.SetRole(w.t.Context(), by, id, bob, access.Member)
			}, true, true, false, true},
			{"promoted", func(w *world, by, id, bob identity.Owner) error {
				return w.SetRole(w.t.Context(), by, id, bob, access.Owner)
			}, true, false, true, true},
			{"switched off", func(w *world, by, id, _ identity.Owner) error {
				return w.SetEnabled(w.t.Context(), by, id, false)
			}, false, false, false, false},
		} {
			w, ctx := newWorld(t, db, "a"+test.name[:3], "b"+test.name[:3]), t.Context()
			ana, bob := w.names["a"+test.name[:3]], w.names["b"+test.name[:3]]
			id := w.found(ana, map[identity.Owner]access.Role{bob: access.Administrator})
			bobs, anas := w.addKey(id, bob), w.addKey(id, ana)
			far := access.NewChecker(db, w.clock) // of another instance
			for _, c := range []*access.Checker{w.check, far} {
				_, err1 := c.Session(ctx, w.cookies[bob], id)
				_, err2 := c.Key(ctx, bobs)
				_, err3 := c.Key(ctx, anas)
				if err := errors.Join(err1, err2, err3); err != nil {
					t.Fatal(err)
				}
			}
			if err := test.do(w, ana, id, bob); err != nil {
				t.Fatal(err)
			}
			for name, c := range map[string]*access.Checker{"here": w.check, "at another instance": far} {
				if c == far {
					w.at.Add(int64(5 * time.Second))
				}
				who, err1 := c.Session(ctx, w.cookies[bob], id)
				_, err2 := c.Key(ctx, bobs)
				_, err3 := c.Key(ctx, anas)
				if (err1 == nil) != test.session || who.ReadOnly != test.readOly || (err2 == nil) != test.key || (err3 == nil) != test.otherKey {
					t.Errorf("%s, %s: session %+v %v; the administrator's key %v, the owner's %v", test.name, name, who, err1, err2, err3)
				}
			}
		}
	})
}

// race runs f for each of n numbers at once, and counts the results without error.
// Any error but those in allowed fails the test.
func race(t *testing.T, writers, n int, f func(i int) error, allowed ...error) int {
	t.Helper()
	var succeeded atomic.Int32
	var g errgroup.Group
	g.SetLimit(writers)
	for i := range n {
		g.Go(func() error {
			err := f(i)
			if err == nil {
				succeeded.Add(1)
			} else if !slices.ContainsFunc(allowed, func(a error) bool { return errors.Is(err, a) }) {
				return err
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	return int(succeeded.Load())
}

// TestOwnersLeave has all owners leave at once: one stays.
func TestOwnersLeave(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, writers int) {
		w := newWorld(t, db, "a", "b", "c", "d")
		owners := []identity.Owner{w.names["a"], w.names["b"], w.names["c"], w.names["d"]}
		id := w.found(owners[0], map[identity.Owner]access.Role{owners[1]: access.Owner, owners[2]: access.Owner, owners[3]: access.Owner})
		n := race(t, writers, len(owners), func(i int) error { return w.Remove(t.Context(), owners[i], id, owners[i]) }, ErrLastOwner)
		if o := w.stored(id); n != len(owners)-1 || len(o.Members) != 1 {
			t.Errorf("%d left, %d stay", n, len(o.Members))
		}
		w.agree(id)
	})
}

// TestOwnersRemoveEachOther has two owners remove each other at once: one stays.
func TestOwnersRemoveEachOther(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, writers int) {
		w := newWorld(t, db, "a", "b")
		owners := []identity.Owner{w.names["a"], w.names["b"]}
		id := w.found(owners[0], map[identity.Owner]access.Role{owners[1]: access.Owner})
		n := race(t, writers, 2, func(i int) error { return w.Remove(t.Context(), owners[i], id, owners[1-i]) }, ErrForbidden)
		if o := w.stored(id); n != 1 || len(o.Members) != 1 {
			t.Errorf("%d removed, %d stay", n, len(o.Members))
		}
		w.agree(id)
	})
}

// TestAcceptedTwice has the invited account open the link from many sides at once.
// It is a member once.
func TestAcceptedTwice(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, writers int) {
		w := newWorld(t, db, "ana", "bob")
		id := w.found(w.names["ana"], nil)
		in, err := w.Invite(t.Context(), w.names["ana"], id, Address{"bob@mira.example", "bob@mira.example"}, access.Member)
		if err != nil {
			t.Fatal(err)
		}
		race(t, writers, 8, func(int) error { _, err := w.Accept(t.Context(), w.names["bob"], in.Token); return err })
		if o := w.stored(id); len(o.Members) != 2 || len(o.Invitations) != 0 {
			t.Errorf("%+v", o)
		}
		w.agree(id)
	})
}

// TestAcceptedAtLimit has more invited accounts accept at once than there is room
// for.
func TestAcceptedAtLimit(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, writers int) {
		w, ctx := newWorld(t, db, "ana"), t.Context()
		id := w.found(w.names["ana"], nil)
		var tokens []string
		var invited []identity.Owner
		for i := range MaxInvitations {
			name := fmt.Sprint("guest", i)
			invited = append(invited, w.signUp(name))
			in, err := w.Invite(ctx, w.names["ana"], id, Address{name + "@mira.example", name + "@mira.example"}, access.Member)
			if err != nil {
				t.Fatal(err)
			}
			tokens = append(tokens, in.Token)
		}
		const room = 5
		members := map[identity.Owner]access.Role{}
		for i := range MaxMembers - 1 - room {
			members[w.signUp(fmt.Sprint("member", i))] = access.Member
		}
		err := w.change(ctx, id, func(_ store.Tx, o *Organization) error {
			for m, role := range members {
				if err := o.join(m, role, noon); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		n := race(t, writers, MaxInvitations, func(i int) error { _, err := w.Accept(ctx, invited[i], tokens[i]); return err }, ErrMemberLimit)
		if o := w.stored(id); n != room || len(o.Members) != MaxMembers || len(o.Invitations) != MaxInvitations-room {
			t.Errorf("%d joined; %d members, %d invitations", n, len(o.Members), len(o.Invitations))
		}
		w.agree(id)
		if err := w.SetEnabled(ctx, w.names["ana"], id, false); err != nil {
			t.Errorf("switching off a full organization: %v", err)
		}
		w.agree(id)
	})
}

// TestTooMany checks that an account is a member of a bounded number of
// organizations, whether it creates them or is invited, also at once.
func TestTooMany(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, writers int) {
		w, ctx := newWorld(t, db, "ana", "bob"), t.Context()
		id := w.found(w.names["ana"], nil)
		in, err := w.Invite(ctx, w.names["ana"], id, Address{"bob@mira.example", "bob@mira.example"}, access.Member)
		if err != nil {
			t.Fatal(err)
		}
		n := race(t, writers, MaxOrganizations+3, func(int) error { _, err := w.Create(ctx, w.names["bob"], "Club"); return err }, ErrOrganizationLimit)
		if n != MaxOrganizations {
			t.Errorf("%d organizations", n)
		}
		if _, err := w.Accept(ctx, w.names["bob"], in.Token); !errors.Is(err, ErrOrganizationLimit) || len(w.stored(id).Invitations) != 1 {
			t.Errorf("one more by an invitation: %v", err)
		}
	})
}

// TestAbandonAll deletes an account from all its organizations, with the database
// failing on the way, and checks that each call goes on where the one before ended.
func TestAbandonAll(t *testing.T) {
	each(t, func(t *testing.T, db store.DB, _ int) {
		w, ctx := newWorld(t, db, "ana", "bob"), t.Context()
		ana, bob := w.names["ana"], w.names["bob"]
		ids := []identity.Owner{
			w.found(ana, nil), w.found(ana, map[identity.Owner]access.Role{bob: access.Member}),
			w.found(bob, map[identity.Owner]access.Role{ana: access.Member}), w.found(ana, nil),
		}
		broken := storetest.NewSwitch(db)
		flaky := On(broken, nil, w.clock)
		var deleted []identity.Owner
		also := func(tx store.Tx, id identity.Owner) error { deleted = append(deleted, id); return nil }
		for calls := 0; ; calls++ {
			broken.On()
			broken.OffAfter(1)
			err := flaky.Abandon(ctx, ana, also)
			w.agree(ids...)
			if err == nil {
				break
			}
			if calls > len(ids) || !errors.Is(err, storetest.ErrBroken) {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff([]identity.Owner{ids[0], ids[3]}, deleted); d != "" {
			t.Errorf("deleted (-want +got):\n%s", d)
		}
		if o := w.stored(ids[1]); o == nil || len(o.Members) != 1 || o.Members[0].Account != bob {
			t.Errorf("the organization that another member has: %+v", o)
		}
	})
}

// TestGone checks what an account that does not exist any more can do, and what can
// be done with it.
func TestGone(t *testing.T) {
	db := wiretest.OpenDB(t)
	w, ctx := newWorld(t, db, "ana", "bob"), t.Context()
	ana, bob := w.names["ana"], w.names["bob"]
	id := w.found(ana, map[identity.Owner]access.Role{bob: access.Administrator})
	if err := errors.Join(db.Delete(ctx, access.Path(bob)), db.Delete(ctx, account.Path(bob))); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Create(ctx, bob, "Club"); !errors.Is(err, identity.ErrEnded) {
		t.Errorf("it creates an organization: %v", err)
	}
	if v, err := w.View(ctx, ana, id); err != nil || v.Members[1].Name != "" {
		t.Errorf("%+v, %v", v, err)
	}
	if err := w.Remove(ctx, ana, id, bob); err != nil {
		t.Errorf("it is removed: %v", err)
	}
	if err := db.Get(ctx, access.Path(bob), &struct{}{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("its record is back: %v", err)
	}
}

// TestBroken checks that a database that fails is not an organization that is gone.
func TestBroken(t *testing.T) {
	o, ctx := On(storetest.Broken(), nil, func() time.Time { return noon }), t.Context()
	id := identity.NewOwner(identity.Organization)
	token := string(id) + "." + newSecret()
	for name, do := range map[string]func(context.Context) error{
		"create":  func(ctx context.Context) error { _, err := o.Create(ctx, owner, "Club"); return err },
		"rename":  func(ctx context.Context) error { return o.Rename(ctx, owner, id, "Club") },
		"accept":  func(ctx context.Context) error { _, err := o.Accept(ctx, owner, token); return err },
		"view":    func(ctx context.Context) error { _, err := o.View(ctx, owner, id); return err },
		"list":    func(ctx context.Context) error { _, err := o.List(ctx, owner); return err },
		"abandon": func(ctx context.Context) error { return o.Abandon(ctx, owner, nil) },
	} {
		if err := do(ctx); !errors.Is(err, storetest.ErrBroken) || errors.Is(err, ErrForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
