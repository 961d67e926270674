package organization

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
	"miramundo.dev/shared/wire/wiretest"
)

// open opens the embedded database in a folder.
func open(t *testing.T, dir string) (store.DB, func()) {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: dir, Now: wiretest.Epoch})
	if err != nil {
		t.Fatal(err)
	}
	return db, func() { events.Close(); db.Close() }
}

// names are the accounts of TestKilled.
var names = []string{"ana", "bob", "carl", "dora"}

// read fills w with the accounts in the database, and returns the organizations.
func (w *world) read() (ids []identity.Owner) {
	w.t.Helper()
	for _, name := range names {
		id, ok, err := account.Find(getter{w.t.Context(), w.db}, name+"@mira.example")
		if err != nil || !ok {
			w.t.Fatalf("%s: %v", name, err)
		}
		w.names[name], w.cookies[id] = id, ""
	}
	for doc, err := range w.db.Query(w.t.Context(), store.Query{Collection: "organizations"}) {
		if err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, identity.Owner(doc.ID))
	}
	return ids
}

// anything does something with an organization, as somebody. What the rules refuse is
// refused.
func (w *world) anything(rnd *rand.Rand, ids []identity.Owner) error {
	ctx := w.t.Context()
	somebody := func() identity.Owner { return w.names[names[rnd.IntN(len(names))]] }
	by, other, id := somebody(), somebody(), ids[rnd.IntN(len(ids))]
	switch rnd.IntN(6) {
	case 0:
		return w.SetEnabled(ctx, by, id, rnd.IntN(2) == 0)
	case 1:
		return w.SetRole(ctx, by, id, other, []access.Role{access.Member, access.Administrator, access.Owner}[rnd.IntN(3)])
	case 2:
		return w.Remove(ctx, by, id, other)
	case 3:
		return w.Delete(ctx, identity.Speaker{Account: by, SignedInAt: noon}, id, func(store.Tx) error { return nil })
	case 4:
		_, err := w.Create(ctx, by, "Club")
		return err
	}
	a, err := account.Load(ctx, w.db, other)
	if err != nil {
		return err
	}
	in, err := w.Invite(ctx, by, id, Address{a.Email, a.EmailKey}, access.Member)
	if err == nil {
		_, err = w.Accept(ctx, other, in.Token)
	}
	return err
}

// TestKilled kills a process that changes organizations at random points. Afterwards
// every access record agrees with the organizations, and each of these has an owner.
func TestKilled(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		db, closeDB := open(t, args[0])
		defer closeDB()
		w := newWorld(t, db)
		run, err := strconv.Atoi(args[1])
		if err != nil {
			t.Fatal(err)
		}
		for rnd := rand.New(rand.NewPCG(uint64(run), 1)); ; {
			ids := append(w.read(), identity.NewOwner(identity.Organization)) // one that does not exist
			if err := w.anything(rnd, ids); err != nil && (fault.From(err).Kind == fault.Internal || errors.Is(err, fault.ErrUnavailable)) {
				t.Fatal(err)
			}
			killtest.Say("done")
		}
	}
	runs := 60
	if testing.Short() {
		runs = 8
	}
	dir := filepath.Join(t.TempDir(), "data")
	db, closeDB := open(t, dir)
	w := newWorld(t, db, names...)
	w.found(w.names["ana"], map[identity.Owner]access.Role{w.names["bob"]: access.Owner})
	closeDB()
	rnd := rand.New(rand.NewPCG(3, 9))
	for run := range runs {
		n := 1 + rnd.IntN(20)
		killtest.Run(t, killtest.Plan{Args: []string{dir, fmt.Sprint(run)}, After: time.Duration(rnd.IntN(6000)) * time.Microsecond, Hear: func(string) bool {
			n--
			return n == 0
		}})
		db, closeDB := open(t, dir)
		w := newWorld(t, db)
		w.agree(w.read()...)
		closeDB()
		if t.Failed() {
			t.Fatalf("after run %d", run)
		}
	}
}
