package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// backends opens an empty database of each kind that there is: the embedded
// one, and that of the emulator.
func backends(t *testing.T, f func(t *testing.T, db store.DB, writers int)) {
	t.Run("embedded", func(t *testing.T) { f(t, embedded(t), 50) })
	t.Run("firestore", func(t *testing.T) {
		host := os.Getenv("FIRESTORE_EMULATOR_HOST")
		if host == "" {
			if os.Getenv("CI") != "" && os.Getenv("MIRAMUNDO_EMULATORS") == "required" {
				t.Fatal("no Firestore emulator")
			}
			t.Skip("no Firestore emulator")
		}
		f(t, open(t, wire.Config{
			Backend: wire.Emulators, Project: fmt.Sprintf("demo-library-%d-%d", os.Getpid(), projects.Add(1)),
			FirestoreHost: host, PubSubHost: os.Getenv("PUBSUB_EMULATOR_HOST"),
		}), 6)
	})
}

var projects atomic.Int32

func embedded(t testing.TB) store.DB {
	return open(t, wire.Config{Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data")})
}

func open(t testing.TB, c wire.Config) store.DB {
	t.Helper()
	db, events, err := wire.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return db
}

// counted counts the documents that are read and written.
type counted struct {
	store.DB
	reads, writes atomic.Int32
}

func (c *counted) Get(ctx context.Context, p store.Path, doc any) error {
	c.reads.Add(1)
	return c.DB.Get(ctx, p, doc)
}

func (c *counted) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	c.reads.Add(int32(len(ps)))
	return c.DB.GetAll(ctx, ps)
}

func (c *counted) Update(ctx context.Context, f func(store.Tx) error) error {
	return c.DB.Update(ctx, func(tx store.Tx) error { return f(countedTx{tx, c}) })
}

type countedTx struct {
	store.Tx
	*counted
}

func (c countedTx) Get(p store.Path, doc any) error {
	c.reads.Add(1)
	return c.Tx.Get(p, doc)
}

func (c countedTx) GetAll(ps []store.Path) ([]store.Doc, error) {
	c.reads.Add(int32(len(ps)))
	return c.Tx.GetAll(ps)
}

func (c countedTx) Set(p store.Path, doc any) error {
	c.writes.Add(1)
	return c.Tx.Set(p, doc)
}

func (c countedTx) Create(p store.Path, doc any) error {
	c.writes.Add(1)
	return c.Tx.Create(p, doc)
}

func (c countedTx) Delete(p store.Path) error {
	c.writes.Add(1)
	return c.Tx.Delete(p)
}

// cost returns what was read and written since the last call.
func (c *counted) cost() [2]int32 { return [2]int32{c.reads.Swap(0), c.writes.Swap(0)} }

func addCategory(name string) func(*Library) error {
	return func(l *Library) error {
		_, err := l.AddCategory(name)
		return err
	}
}

func TestKeep(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		c := &counted{DB: db}
		step := func(what string, want [2]int32, err, wantErr error) {
			t.Helper()
			if !errors.Is(err, wantErr) {
				t.Fatalf("%s: %v, want %v", what, err, wantErr)
			}
			if got := c.cost(); got != want {
				t.Errorf("%s: %d reads and %d writes, want %d and %d", what, got[0], got[1], want[0], want[1])
			}
		}
		empty, err := Load(t.Context(), c, "g_ana")
		step("load nothing", [2]int32{1, 0}, err, nil)
		if d := cmp.Diff(&Library{Owner: "g_ana"}, empty); d != "" {
			t.Errorf("an empty library (-want +got):\n%s", d)
		}
		opened, err := Open(t.Context(), c, "g_bob", noon)
		step("open nothing", [2]int32{2, 2}, err, nil)
		again, err := Open(t.Context(), c, "g_bob", noon.Add(time.Hour))
		step("open it again", [2]int32{1, 0}, err, nil)
		if d := cmp.Diff(opened, again); d != "" || len(opened.Token) != tokenLen {
			t.Errorf("opened twice (-first +second):\n%s", d)
		}
		_, err = ByToken(t.Context(), c, opened.Token)
		step("the feed of nothing", [2]int32{2, 0}, err, nil)
		_, err = Update(t.Context(), c, "g_ana", noon, addCategory(""))
		step("a refused first write", [2]int32{1, 0}, err, ErrName)
		first, err := Update(t.Context(), c, "g_ana", noon, addCategory("TV"))
		step("the first write", [2]int32{1, 2}, err, nil)
		second, err := Update(t.Context(), c, "g_ana", noon.Add(time.Hour), addCategory("Rádio"))
		step("a write", [2]int32{1, 1}, err, nil)
		got, err := ByToken(t.Context(), c, first.Token)
		step("a feed", [2]int32{2, 0}, err, nil)
		if d := cmp.Diff(second, got); d != "" || got.Revision != 2 || len(got.Categories) != 2 || !got.UpdatedAt.Equal(noon.Add(time.Hour)) {
			t.Errorf("what is kept is at revision %d and not what was answered (-answered +kept):\n%s", got.Revision, d)
		}
		rotated, err := Update(t.Context(), c, "g_ana", noon, func(l *Library) error { l.RotateToken(); return nil })
		step("another token", [2]int32{1, 3}, err, nil)
		_, err = ByToken(t.Context(), c, first.Token)
		step("the old token", [2]int32{1, 0}, err, ErrNoFeed)
		got, err = ByToken(t.Context(), c, rotated.Token)
		step("the new token", [2]int32{2, 0}, err, nil)
		if d := cmp.Diff(rotated, got); d != "" {
			t.Errorf("by the new token (-want +got):\n%s", d)
		}
		for _, bad := range []string{"", "x", "../libraries/g_ana", strings.ToUpper(rotated.Token), rotated.Token + "a", "\x00" + rotated.Token[1:]} {
			_, err = ByToken(t.Context(), c, bad)
			step(fmt.Sprintf("token %q", bad), [2]int32{}, err, ErrNoFeed)
		}
		_, err = ByToken(t.Context(), c, newToken())
		step("nobody's token", [2]int32{1, 0}, err, ErrNoFeed)
	})
}

// TestByTokenUnless opens a library whose version is known: it is not decoded until it
// changes, and a token that was replaced opens nothing, whatever is known.
func TestByTokenUnless(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		l, err := Update(t.Context(), db, "g_ana", noon, addCategory("TV"))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[Version]bool{}
		known := func(v Version) bool {
			before := seen[v]
			seen[v] = true
			return before
		}
		open := func() (revision int64) {
			got, err := ByTokenUnless(t.Context(), db, l.Token, known)
			if err != nil {
				t.Error(err)
			}
			if got != nil {
				revision = got.Revision
			}
			return revision
		}
		got := []int64{open(), open()}
		if _, err := Update(t.Context(), db, "g_ana", noon, addCategory("Rádio")); err != nil {
			t.Fatal(err)
		}
		got = append(got, open(), open())
		if d := cmp.Diff([]int64{1, 0, 2, 0}, got); d != "" {
			t.Errorf("revisions of the libraries that were decoded (-want +got):\n%s", d)
		}
		if _, err := Update(t.Context(), db, "g_ana", noon, func(l *Library) error { l.RotateToken(); return nil }); err != nil {
			t.Fatal(err)
		}
		all := func(Version) bool { return true }
		if _, err := ByTokenUnless(t.Context(), db, l.Token, all); !errors.Is(err, ErrNoFeed) {
			t.Errorf("a token that was replaced: %v, want ErrNoFeed", err)
		}
	})
}

// TestStaleToken opens a feed between the two steps of a change that no
// transaction of ours makes: a token that the library does not have any more.
func TestStaleToken(t *testing.T) {
	db := embedded(t)
	l, err := Update(t.Context(), db, "g_ana", noon, addCategory("TV"))
	if err != nil {
		t.Fatal(err)
	}
	old := newToken()
	if err := db.Create(t.Context(), feedPath(old), feed{"g_ana"}); err != nil {
		t.Fatal(err)
	}
	if _, err := ByToken(t.Context(), db, old); !errors.Is(err, ErrNoFeed) {
		t.Errorf("ByToken = %v, want ErrNoFeed", err)
	}
	if _, err := ByToken(t.Context(), db, l.Token); err != nil {
		t.Errorf("the library's own token: %v", err)
	}
}

// TestFailures checks that a database that fails is told as what it is, and is
// no empty library.
func TestFailures(t *testing.T) {
	db := storetest.Broken()
	if _, err := Load(t.Context(), db, "g_ana"); err == nil {
		t.Error("Load finds something in a database that fails")
	}
	if _, err := ByToken(t.Context(), db, newToken()); err == nil || errors.Is(err, ErrNoFeed) {
		t.Errorf("ByToken = %v, want the failure", err)
	}
	if _, err := Update(t.Context(), db, "g_ana", noon, addCategory("TV")); err == nil {
		t.Error("Update keeps something in a database that fails")
	}
}

// TestManyOwners lets 200 owners write at once: each finds what it wrote.
func TestManyOwners(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		var all errgroup.Group
		for n := range 200 {
			owner := identity.Owner(fmt.Sprint("g_", n))
			all.Go(func() error {
				for k := range 3 {
					if _, err := Update(t.Context(), db, owner, noon, addCategory(fmt.Sprint(owner, " ", k))); err != nil {
						return err
					}
				}
				l, err := Load(t.Context(), db, owner)
				if err != nil {
					return err
				}
				if len(l.Categories) != 3 || l.Revision != 3 || l.Categories[2].Name != fmt.Sprint(owner, " ", 2) {
					return fmt.Errorf("%s keeps %s", owner, format(l))
				}
				_, err = ByToken(t.Context(), db, l.Token)
				return err
			})
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestManyWriters lets many write one library at once: none of what was
// answered is lost, and no bound is passed.
func TestManyWriters(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, writers int) {
		l, err := Update(t.Context(), db, "g_ana", noon, addCategory("TV"))
		if err != nil {
			t.Fatal(err)
		}
		group := l.Categories[0].Groups[0].ID
		var (
			mu      sync.Mutex
			kept    = map[string]bool{}
			refused int
			all     errgroup.Group
		)
		each := MaxItems/writers + 1
		for n := range writers {
			all.Go(func() error {
				for k := range each {
					var id string
					_, err := Update(t.Context(), db, "g_ana", noon, func(l *Library) error {
						_, it, err := l.AddItem(group, Item{Channel: fmt.Sprintf("C%d.%d", n, k)}, nil)
						if err == nil {
							id = it.ID
						}
						return err
					})
					mu.Lock()
					switch {
					case err == nil:
						kept[id] = true
					case errors.Is(err, ErrItemLimit):
						refused++
					}
					mu.Unlock()
					if err != nil && !errors.Is(err, ErrItemLimit) {
						return err
					}
				}
				return nil
			})
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
		if l, err = Load(t.Context(), db, "g_ana"); err != nil {
			t.Fatal(err)
		}
		checkWhole(t, l)
		found := 0
		for _, it := range l.Categories[0].Groups[0].Items {
			if kept[it.ID] {
				found++
			}
		}
		if found != len(kept) || len(kept) != MaxItems || l.Len() != MaxItems || refused != writers*each-MaxItems || l.Revision != MaxItems+1 {
			t.Errorf("%d of %d answered items are kept of %d in all, %d refused, revision %d", found, len(kept), l.Len(), refused, l.Revision)
		}
	})
}

// TestOpenAtOnce checks that calls that open a library at a time, while
// others write it, all see the one feed token that it keeps.
func TestOpenAtOnce(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, writers int) {
		tokens := make([]string, 2*writers)
		var all sync.WaitGroup
		for i := range tokens {
			all.Go(func() {
				l, err := Open(t.Context(), db, "g_ana", noon)
				if i%2 == 1 && err == nil {
					l, err = Update(t.Context(), db, "g_ana", noon, func(*Library) error { return nil })
				}
				if err != nil {
					t.Error(err)
					return
				}
				tokens[i] = l.Token
			})
		}
		all.Wait()
		l, err := Load(t.Context(), db, "g_ana")
		if err != nil || l.Revision != int64(1+writers) {
			t.Errorf("at revision %d, want %d; %v", l.Revision, 1+writers, err)
		}
		for _, token := range tokens {
			if token != l.Token {
				t.Errorf("a call saw the token %q, and %q is kept", token, l.Token)
			}
		}
	})
}
