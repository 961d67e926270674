package claim

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const (
	guest = identity.Owner("g_00000000000000000000000000000001")
	ana   = identity.Owner("a_aaaaaaaaaaaaaaaaaaaaaaaa")
	bob   = identity.Owner("a_bbbbbbbbbbbbbbbbbbbbbbbb")
)

// everything is a catalog that has whatever is asked for.
func everything(id string) (string, bool) { return id, true }

func of(guest, account identity.Owner) Claim {
	return Claim{Guest: guest, Account: account, At: noon, Shown: everything}
}

// places runs f for each kind of database that there is, with the place of an empty
// one, which any process can open.
func places(t *testing.T, f func(t *testing.T, place string)) {
	t.Run("embedded", func(t *testing.T) { f(t, filepath.Join(t.TempDir(), "data")) })
	t.Run("firestore", func(t *testing.T) {
		if os.Getenv("FIRESTORE_EMULATOR_HOST") == "" {
			if os.Getenv("CI") != "" && os.Getenv("MIRAMUNDO_EMULATORS") == "required" {
				t.Fatal("no Firestore emulator")
			}
			t.Skip("no Firestore emulator")
		}
		f(t, fmt.Sprintf("demo-claim-%d-%d", os.Getpid(), projects.Add(1)))
	})
}

// backends opens an empty database of each kind that there is.
func backends(t *testing.T, f func(t *testing.T, db store.DB)) {
	places(t, func(t *testing.T, place string) { f(t, open(t, place)) })
}

var projects atomic.Int32

// open opens the database at place: a folder, or a project of the emulator.
func open(t *testing.T, place string) store.DB {
	t.Helper()
	c := wire.Config{Backend: wire.Embedded, DataDir: place, Now: wiretest.Epoch}
	if !filepath.IsAbs(place) {
		c = wire.Config{
			Backend: wire.Emulators, Project: place,
			FirestoreHost: os.Getenv("FIRESTORE_EMULATOR_HOST"), PubSubHost: os.Getenv("PUBSUB_EMULATOR_HOST"), Now: wiretest.Epoch,
		}
	}
	db, events, err := wire.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return db
}

// must ends the test when err is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a claim that must succeed.
func run(t *testing.T, db store.DB, c Claim) Result {
	t.Helper()
	r, err := New(db).Run(t.Context(), c)
	must(t, err)
	return r
}

// addFolders adds folders with a sub-tab of two items each.
func addFolders(ctx context.Context, db store.DB, owner identity.Owner, names ...string) (*library.Library, error) {
	return library.Update(ctx, db, owner, noon, func(l *library.Library) error {
		for _, name := range names {
			c, err := l.AddCategory(name)
			if err != nil {
				return err
			}
			for _, channel := range []string{name + ".1", name + ".2"} {
				if _, _, err := l.AddItem(c.Groups[0].ID, library.Item{Channel: channel}, nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func addFavorites(ctx context.Context, db store.DB, owner identity.Owner, at time.Time, channels ...string) error {
	_, _, err := kept.UpdateFavorites(ctx, db, owner, func(f *kept.Favorites) (all []social.Favorite, err error) {
		for _, channel := range channels {
			facts, err := f.Add(channel, at, everything)
			if err != nil {
				return nil, err
			}
			all = append(all, facts...)
		}
		return all, nil
	})
	return err
}

func addHistory(ctx context.Context, db store.DB, owner identity.Owner, at time.Time, channels ...string) error {
	return kept.UpdateHistory(ctx, db, owner, func(h *kept.History) bool {
		for _, channel := range channels {
			h.Play(channel, at, everything)
		}
		return true
	})
}

// addComments stores n comments in one transaction, as if they had been made long
// before one another.
func addComments(ctx context.Context, db store.DB, owner identity.Owner, n int) error {
	return db.Update(ctx, func(tx store.Tx) error {
		for range n {
			c, err := comment.New(owner, "A.br", "", "hello", noon)
			if err != nil {
				return err
			}
			if err := tx.Create(store.Path("comments").Join(c.ID), c); err != nil {
				return err
			}
		}
		return tx.Set(comment.PacePath(owner), comment.Pace{Made: []store.Time{store.At(noon)}, ChangedAt: store.At(noon)})
	})
}

// addPurchase stores what buying a chat pass stores of an owner.
func addPurchase(ctx context.Context, db store.DB, owner identity.Owner, id string) error {
	var p pass.Passes
	until := p.ExtendChat(noon)
	return db.Update(ctx, func(tx store.Tx) error {
		bought := billing.Purchase{ID: id, Product: price.ChatPass, At: store.At(noon), Until: store.At(until)}
		return errors.Join(tx.Set(pass.Path(owner), p), tx.Set(billing.ListPath(owner), billing.List{Purchases: []billing.Purchase{bought}}))
	})
}

// newGuest returns a guest that nobody else uses.
func newGuest() identity.Owner { return identity.Owner("g_" + strings.ToLower(rand.Text())) }

// fill gives an owner something of each kind, with names of its own.
func fill(t *testing.T, db store.DB, owner identity.Owner, comments int) {
	t.Helper()
	name := strings.TrimPrefix(string(owner), "g_")[:8]
	_, err := addFolders(t.Context(), db, owner, "Folder "+name)
	must(t, errors.Join(err,
		addFavorites(t.Context(), db, owner, noon, name+".1", name+".2"),
		addHistory(t.Context(), db, owner, noon, name+".1", name+".2", name+".3"),
		addPurchase(t.Context(), db, owner, name),
		addComments(t.Context(), db, owner, comments)))
}

// filled are the rows that fill makes.
func filled(comments int) Rows {
	return Rows{Categories: 1, Groups: 1, Items: 2, Favorites: 2, History: 3, Comments: comments, Feeds: 1, Purchases: 1}
}

// A ledger lists the owners of each row that is stored, by the name of the row.
type ledger map[string][]identity.Owner

// ledgerOf reads everything that some owners have.
func ledgerOf(t *testing.T, db store.DB, owners ...identity.Owner) ledger {
	t.Helper()
	rows := ledger{}
	for _, o := range owners {
		l, err := library.Load(t.Context(), db, o)
		must(t, err)
		for _, c := range l.Categories {
			rows.add(o, "folder", c.ID)
			for _, g := range c.Groups {
				for _, it := range g.Items {
					rows.add(o, "item", it.ID)
				}
			}
		}
		f, err := kept.LoadFavorites(t.Context(), db, o)
		must(t, err)
		for _, r := range f.Rows {
			rows.add(o, "favorite", r.Channel)
		}
		h, err := kept.LoadHistory(t.Context(), db, o)
		must(t, err)
		for _, r := range h.Rows {
			rows.add(o, "played", r.Channel)
		}
		bought, err := billing.PurchasesOf(t.Context(), db, o)
		must(t, err)
		for _, b := range bought.Purchases {
			rows.add(o, "purchase", b.ID)
		}
		for _, id := range comments(t, db, o) {
			rows.add(o, "comment", id)
		}
		for _, token := range append([]string{l.Token}, l.Taken...) {
			if token == "" {
				continue
			}
			to, err := library.ByToken(t.Context(), db, token)
			if err != nil || to.Owner != o {
				t.Errorf("a feed token of %s opens the library of %+v, %v", o, to, err)
			}
			rows.add(o, "feed", token)
		}
	}
	return rows
}

// comments returns the ids of all comments of an owner.
func comments(t *testing.T, db store.DB, owner identity.Owner) (ids []string) {
	t.Helper()
	q := store.Query{Collection: "comments", Where: []store.Filter{{Field: "owner", Op: store.Eq, Value: string(owner)}}}
	for doc, err := range db.Query(t.Context(), q) {
		must(t, err)
		ids = append(ids, doc.ID)
	}
	return ids
}

func (l ledger) add(owner identity.Owner, table, id string) {
	l[table+" "+id] = append(l[table+" "+id], owner)
}

// count returns how many rows of each table an owner has.
func (l ledger) count(owner identity.Owner) map[string]int {
	n := map[string]int{}
	for row, owners := range l {
		table, _, _ := strings.Cut(row, " ")
		for _, o := range owners {
			if o == owner {
				n[table]++
			}
		}
	}
	return n
}

// checkOnce checks that the rows of before are stored still, each of one owner.
func checkOnce(t *testing.T, before, after ledger) {
	t.Helper()
	if d := cmp.Diff(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))); d != "" {
		t.Errorf("rows (-before +after):\n%s", d)
	}
	for row, owners := range after {
		if len(owners) != 1 {
			t.Errorf("%s is owned by %v", row, owners)
		}
	}
}

// newAccount returns an account that nobody else uses.
func newAccount() identity.Owner { return identity.NewOwner(identity.Person) }
