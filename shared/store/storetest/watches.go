package storetest

import (
	"context"
	"iter"
	"slices"
	"testing"

	"miramundo.dev/shared/store"
)

var watches = map[string]test{
	"Watch":          testWatch,
	"WatchEnds":      testWatchEnds,
	"WatchQuery":     testWatchQuery,
	"WatchQueryTop":  testWatchQueryTop,
	"WatchQueryNone": testWatchQueryNone,
}

// An observer reads a watch until it sees what is wanted. There is nothing to
// sleep for: a change that never comes ends the test's context.
type observer[T any] struct {
	next func() (T, error, bool)
}

func observe[T any](t *testing.T, seq iter.Seq2[T, error]) observer[T] {
	next, stop := iter.Pull2(seq)
	t.Cleanup(stop)
	return observer[T]{next}
}

// until reads values until one is as wanted.
func (o observer[T]) until(t *testing.T, what string, wanted func(T) bool) {
	t.Helper()
	for {
		v, err, ok := o.next()
		if err != nil || !ok {
			t.Fatalf("watch ended, %v, before %s", err, what)
		}
		if wanted(v) {
			return
		}
	}
}

func isThing(n int64) func(store.Doc) bool {
	return func(d store.Doc) bool {
		var got thing
		return d.Decode != nil && d.Decode(&got) == nil && got.N == n
	}
}

func isNone(d store.Doc) bool { return d.Decode == nil && d.Path == "things/a" && d.ID == "a" }

func testWatch(ctx context.Context, t *testing.T, db store.DB) {
	o := observe(t, db.Watch(ctx, "things/a"))
	o.until(t, "nothing", isNone)
	set(ctx, t, db, "things/b", thing{N: 9})
	set(ctx, t, db, "things/a", thing{N: 1})
	o.until(t, "Set", isThing(1))
	increment(ctx, t, db, map[string]int64{"n": 1})
	o.until(t, "Increment", isThing(2))
	if err := addOne(ctx, db, "things/a"); err != nil {
		t.Fatal(err)
	}
	o.until(t, "Update", isThing(3))
	if err := db.Delete(ctx, "things/a"); err != nil {
		t.Fatal(err)
	}
	o.until(t, "Delete", isNone)
	if err := db.Create(ctx, "things/a", thing{N: 4}); err != nil {
		t.Fatal(err)
	}
	o.until(t, "Create", isThing(4))
	observe(t, db.Watch(ctx, "things/a")).until(t, "the present", isThing(4))
}

func testWatchEnds(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{N: 1})
	ctx, cancel := context.WithCancel(ctx)
	for _, err := range db.Watch(ctx, "things/a") {
		if err != nil {
			t.Errorf("Watch = %v", err)
		}
		cancel()
	}
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), patience)
	for _, err := range db.WatchQuery(ctx, store.Query{Collection: "things"}) {
		if err != nil {
			t.Errorf("WatchQuery = %v", err)
		}
		cancel()
	}
	cancel()
}

// found tells whether documents have the wanted ids, in order.
func found(want ...string) func([]store.Doc) bool {
	return func(docs []store.Doc) bool {
		var got []string
		for _, d := range docs {
			var doc thing
			if d.Decode(&doc) != nil {
				return false
			}
			got = append(got, d.ID)
		}
		return slices.Equal(got, want)
	}
}

func testWatchQuery(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/b", thing{Name: "x", N: 2})
	set(ctx, t, db, "things/c", thing{Name: "y", N: 1})
	q := store.Query{Collection: "things", OrderBy: "n", Where: []store.Filter{{Field: "name", Op: store.Eq, Value: "x"}}}
	o := observe(t, db.WatchQuery(ctx, q))
	o.until(t, "the present", found("b"))
	set(ctx, t, db, "things/a", thing{Name: "x", N: 1})
	o.until(t, "one more", found("a", "b"))
	increment(ctx, t, db, map[string]int64{"n": 5})
	o.until(t, "another order", found("b", "a"))
	set(ctx, t, db, "things/b", thing{Name: "y", N: 2})
	o.until(t, "one that matches no more", found("a"))
	set(ctx, t, db, "things/a/parts/a", thing{Name: "x"})
	if err := db.Delete(ctx, "things/a"); err != nil {
		t.Fatal(err)
	}
	o.until(t, "none", found())
}

func testWatchQueryTop(ctx context.Context, t *testing.T, db store.DB) {
	for i, id := range []string{"a", "b", "c"} {
		set(ctx, t, db, store.Path("things").Join(id), thing{N: int64(i)})
	}
	o := observe(t, db.WatchQuery(ctx, store.Query{Collection: "things", OrderBy: "n", Desc: true, Limit: 2}))
	o.until(t, "the present", found("c", "b"))
	if err := db.Delete(ctx, "things/c"); err != nil {
		t.Fatal(err)
	}
	o.until(t, "the next one", found("b", "a"))
	set(ctx, t, db, "things/d", thing{N: 9})
	o.until(t, "a new first", found("d", "b"))
	last := observe(t, db.WatchQuery(ctx, store.Query{Collection: "things", Desc: true, Limit: 1}))
	last.until(t, "the last id", found("d"))
	after := observe(t, db.WatchQuery(ctx, store.Query{Collection: "things", OrderBy: "n", After: []any{0, "a"}}))
	after.until(t, "what follows a", found("b", "d"))
}

func testWatchQueryNone(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/dead", leaseFor(1, -1))
	o := observe(t, db.WatchQuery(ctx, store.Query{Collection: "things"}))
	o.until(t, "nothing", found())
	set(ctx, t, db, "things/a", thing{})
	o.until(t, "one", found("a"))
	in := []store.Filter{{Field: "n", Op: store.In, Value: []string{}}}
	observe(t, db.WatchQuery(ctx, store.Query{Collection: "things", Where: in})).until(t, "in of nothing", found())
}
