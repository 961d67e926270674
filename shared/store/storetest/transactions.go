package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"miramundo.dev/shared/store"
)

var transactions = map[string]test{
	"Update":           testUpdate,
	"UpdateFails":      testUpdateFails,
	"UpdatePanics":     testUpdatePanics,
	"UpdateExists":     testUpdateExists,
	"UpdateOrder":      testUpdateOrder,
	"UpdateSameTwice":  testUpdateSameTwice,
	"UpdateLargest":    testUpdateLargest,
	"UpdateRace":       testUpdateRace,
	"UpdateRaceAbsent": testUpdateRaceAbsent,
	"UpdateTransfer":   testUpdateTransfer,
}

func testUpdate(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{N: 1})
	set(ctx, t, db, "things/b", thing{N: 2})
	err := db.Update(ctx, func(tx store.Tx) error {
		var a thing
		docs, err := tx.GetAll([]store.Path{"things/b", "things/c"})
		if err := errors.Join(err, tx.Get("things/a", &a)); err != nil {
			return err
		}
		wantFound(t, docs[0], "things/b", 2)
		wantFound(t, docs[1], "things/c", 0)
		wantErr(t, "Get in Update", tx.Get("things/c", &a), store.ErrNotFound)
		return errors.Join(
			tx.Set("things/a", thing{N: a.N + 10}),
			tx.Delete("things/b"),
			tx.Create("things/c", thing{N: 3}),
			tx.Increment("things/d", map[string]int64{"n": 4, "by.x": 1}),
			tx.Increment("things/d", map[string]int64{}))
	})
	if err != nil {
		t.Fatalf("Update = %v", err)
	}
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 11.0})
	wantNone(ctx, t, db, "things/b")
	wantDoc(ctx, t, db, "things/c", map[string]any{"n": 3.0})
	wantDoc(ctx, t, db, "things/d", map[string]any{"n": 4.0, "by": map[string]any{"x": 1.0}})
	if err := db.Update(ctx, func(store.Tx) error { return nil }); err != nil {
		t.Errorf("Update of nothing = %v", err)
	}
}

// writeAll writes in every way.
func writeAll(tx store.Tx) error {
	return errors.Join(
		tx.Set("things/a", thing{N: 100}),
		tx.Delete("things/b"),
		tx.Create("things/c", thing{N: 100}),
		tx.Increment("things/d", map[string]int64{"n": 100}))
}

// wantUntouched checks that nothing of writeAll is kept.
func wantUntouched(ctx context.Context, t *testing.T, db store.DB) {
	t.Helper()
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 1.0})
	wantDoc(ctx, t, db, "things/b", map[string]any{"n": 2.0})
	wantNone(ctx, t, db, "things/c")
	wantNone(ctx, t, db, "things/d")
}

func testUpdateFails(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{N: 1})
	set(ctx, t, db, "things/b", thing{N: 2})
	stop := errors.New("stop")
	err := db.Update(ctx, func(tx store.Tx) error { return errors.Join(writeAll(tx), stop) })
	wantErr(t, "Update", err, stop)
	wantUntouched(ctx, t, db)
	err = db.Update(ctx, func(tx store.Tx) error { return errors.Join(writeAll(tx), store.ErrNotFound.Because(stop)) })
	wantErr(t, "Update", err, store.ErrNotFound)
	wantUntouched(ctx, t, db)
}

func testUpdatePanics(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{N: 1})
	set(ctx, t, db, "things/b", thing{N: 2})
	func() {
		defer func() {
			if r := recover(); r != "stop" {
				t.Errorf("Update panics with %v, want its function's value", r)
			}
		}()
		_ = db.Update(ctx, func(tx store.Tx) error {
			_ = writeAll(tx)
			panic("stop")
		})
	}()
	wantUntouched(ctx, t, db)
	set(ctx, t, db, "things/a", thing{N: 2})
}

func testUpdateExists(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{N: 1})
	err := db.Update(ctx, func(tx store.Tx) error {
		if err := tx.Set("things/b", thing{N: 2}); err != nil {
			return err
		}
		_ = tx.Create("things/a", thing{N: 2}) // fails Update all the same
		return nil
	})
	wantErr(t, "Update with Create of what exists", err, store.ErrExists)
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 1.0})
	wantNone(ctx, t, db, "things/b")
}

func testUpdateOrder(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{N: 1})
	var doc thing
	for name, read := range map[string]func(store.Tx) error{
		"Get": func(tx store.Tx) error { return tx.Get("things/a", &doc) },
		"GetAll": func(tx store.Tx) error {
			_, err := tx.GetAll([]store.Path{"things/a"})
			return err
		},
	} {
		err := db.Update(ctx, func(tx store.Tx) error {
			return errors.Join(tx.Set("things/b", thing{}), read(tx))
		})
		wantErr(t, name+" after a write", err, store.ErrOrder)
		wantNone(ctx, t, db, "things/b")
	}
}

func testUpdateSameTwice(ctx context.Context, t *testing.T, db store.DB) {
	err := db.Update(ctx, func(tx store.Tx) error {
		return errors.Join(
			tx.Create("things/a", thing{Name: "x", N: 1}),
			tx.Set("things/a", thing{N: 2}),
			tx.Increment("things/a", map[string]int64{"n": 3}),
			tx.Set("things/b", thing{N: 1}),
			tx.Delete("things/b"))
	})
	if err != nil {
		t.Fatalf("Update = %v", err)
	}
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 5.0})
	wantNone(ctx, t, db, "things/b")
}

func testUpdateLargest(ctx context.Context, t *testing.T, db store.DB) {
	pad := func(size int) any { return map[string]string{"s": strings.Repeat("x", size-len(`{"s":""}`))} }
	update := func(extra int) error {
		return db.Update(ctx, func(tx store.Tx) error {
			return errors.Join(
				tx.Set("things/a", pad(store.MaxUpdate/4)),
				tx.Create("things/b", pad(store.MaxUpdate/4)),
				tx.Set("things/c", pad(store.MaxUpdate/4)),
				tx.Set("things/a", pad(store.MaxUpdate/4+extra)))
		})
	}
	wantErr(t, "Update of one byte more", update(1), store.ErrTooLarge)
	wantNone(ctx, t, db, "things/a")
	if err := update(0); err != nil {
		t.Errorf("Update of the largest size = %v", err)
	}
	get(ctx, t, db, "things/c")
}

// addOne reads the thing at p, which may not be there, and writes it back with
// one more.
func addOne(ctx context.Context, db store.DB, p store.Path) error {
	return db.Update(ctx, func(tx store.Tx) error {
		var doc thing
		if err := tx.Get(p, &doc); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		doc.N++
		return tx.Set(p, doc)
	})
}

func testUpdateRace(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{})
	add := func() error {
		for range 20 {
			if err := addOne(ctx, db, "things/a"); err != nil {
				return err
			}
		}
		return nil
	}
	for _, err := range all(times(2, add)...) {
		if err != nil {
			t.Errorf("Update = %v", err)
		}
	}
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 40.0})
}

func testUpdateRaceAbsent(ctx context.Context, t *testing.T, db store.DB) {
	for _, err := range all(times(3, func() error { return addOne(ctx, db, "things/a") })...) {
		if err != nil {
			t.Errorf("Update = %v", err)
		}
	}
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 3.0})
}

// testUpdateTransfer moves amounts between two documents, each way at once,
// while a reader sees the same sum at all times.
func testUpdateTransfer(ctx context.Context, t *testing.T, db store.DB) {
	accounts := []store.Path{"things/a", "things/b"}
	set(ctx, t, db, accounts[0], thing{N: 50})
	set(ctx, t, db, accounts[1], thing{N: 50})
	move := func(n int64) func() error {
		return func() error {
			return db.Update(ctx, func(tx store.Tx) error {
				a, b, err := pair(tx.GetAll(accounts))
				return errors.Join(err, tx.Set(accounts[0], thing{N: a - n}), tx.Set(accounts[1], thing{N: b + n}))
			})
		}
	}
	look := func() error {
		for range 10 {
			if a, b, err := pair(db.GetAll(ctx, accounts)); err != nil || a+b != 100 {
				return errors.Join(err, errors.New("a read sees half a transaction"))
			}
		}
		return nil
	}
	for _, err := range all(move(7), move(-3), look) {
		if err != nil {
			t.Error(err)
		}
	}
	if a, b, err := pair(db.GetAll(ctx, accounts)); err != nil || a != 46 || b != 54 {
		t.Errorf("after both moves: %d and %d, %v, want 46 and 54", a, b, err)
	}
}

// pair returns the numbers of two things.
func pair(docs []store.Doc, err error) (a, b int64, _ error) {
	if err != nil {
		return 0, 0, err
	}
	var first, second thing
	err = errors.Join(docs[0].Decode(&first), docs[1].Decode(&second))
	return first.N, second.N, err
}
