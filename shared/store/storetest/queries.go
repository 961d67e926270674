package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"miramundo.dev/shared/store"
)

var queries = map[string]test{
	"Collections":  testCollections,
	"Filters":      testFilters,
	"FilterTimes":  testFilterTimes,
	"Order":        testOrder,
	"OrderNames":   testOrderNames,
	"Paging":       testPaging,
	"PagingMany":   testPagingMany,
	"QueryStops":   testQueryStops,
	"QueryDecodes": testQueryDecodes,
}

func testCollections(ctx context.Context, t *testing.T, db store.DB) {
	for _, p := range []store.Path{"things/b", "things/a", "things/a/parts/x", "thing/z", "things2/y", "others/a/things/q"} {
		set(ctx, t, db, p, thing{})
	}
	wantIDs(ctx, t, db, store.Query{Collection: "things"}, "a", "b")
	wantIDs(ctx, t, db, store.Query{Collection: "things/a/parts"}, "x")
	wantIDs(ctx, t, db, store.Query{Collection: "things/b/parts"})
	wantIDs(ctx, t, db, store.Query{Collection: "none"})
	if n, err := db.Count(ctx, store.Query{Collection: "none"}); n != 0 || err != nil {
		t.Errorf("Count of nothing = %d, %v", n, err)
	}
}

// zoo has one document for each kind of value, its id telling which.
var zoo = map[string]any{
	"0null": nil, "1false": false, "1true": true, "2minus": -1.5, "2one": 1, "2onehalf": 1.5, "2two": 2,
	"2big": int64(1<<53 + 1), "3": "", "3-1": "1", "3B": "B", "3a": "a", "3true": "true",
	"4list": []any{"a", 1, true, 1.5, nil, map[string]any{"x": "a"}}, "4none": []any{false, "true"}, "5map": map[string]any{"in": "a"},
}

func fillZoo(ctx context.Context, t *testing.T, db store.DB) {
	t.Helper()
	for id, v := range zoo {
		set(ctx, t, db, store.Path("zoo").Join(id), map[string]any{"v": v, "k": "x"})
	}
	set(ctx, t, db, "zoo/missing", map[string]any{"k": "x", "other": 1})
}

func testFilters(ctx context.Context, t *testing.T, db store.DB) {
	fillZoo(ctx, t, db)
	for _, c := range []struct {
		op    store.Op
		value any
		want  []string
	}{
		{store.Eq, "a", []string{"3a"}},
		{store.Eq, "", []string{"3"}},
		{store.Eq, "1", []string{"3-1"}},
		{store.Eq, true, []string{"1true"}},
		{store.Eq, false, []string{"1false"}},
		{store.Eq, 1, []string{"2one"}},
		{store.Eq, uint8(2), []string{"2two"}},
		{store.Eq, 1.0, []string{"2one"}},
		{store.Eq, 1.5, []string{"2onehalf"}},
		{store.Eq, int64(1<<53 + 1), []string{"2big"}},
		{store.Eq, float64(1 << 53), []string{}},
		{store.Eq, "none", []string{}},
		{store.Less, 1, []string{"2minus"}},
		{store.LessEq, 1, []string{"2minus", "2one"}},
		{store.More, 1, []string{"2onehalf", "2two", "2big"}},
		{store.MoreEq, 1.5, []string{"2onehalf", "2two", "2big"}},
		{store.More, float64(1 << 53), []string{"2big"}},
		{store.Less, "a", []string{"3", "3-1", "3B"}},
		{store.More, "B", []string{"3a", "3true"}},
		{store.MoreEq, "", []string{"3", "3-1", "3B", "3a", "3true"}},
		{store.Less, true, []string{"1false"}},
		{store.MoreEq, false, []string{"1false", "1true"}},
		{store.In, []string{"a", "B", "none", "1"}, []string{"3-1", "3B", "3a"}},
		{store.In, []string{}, []string{}},
		{store.In, []string{`{"in":"a"}`, "true", "1.5", "null"}, []string{"3true"}},
		{store.Eq, `{"in":"a"}`, []string{}},
		{store.Contains, "a", []string{"4list"}},
		{store.Contains, 1, []string{"4list"}},
		{store.Contains, true, []string{"4list"}},
		{store.Contains, 1.5, []string{"4list"}},
		{store.Contains, "1", []string{}},
		{store.Contains, 0, []string{}},
		{store.Contains, "true", []string{"4none"}},
	} {
		q := store.Query{Collection: "zoo", OrderBy: "v", Where: []store.Filter{{Field: "v", Op: c.op, Value: c.value}}}
		wantIDs(ctx, t, db, q, c.want...)
		if n, err := db.Count(ctx, q); err != nil || n != len(c.want) {
			t.Errorf("Count(%+v) = %d, %v, want %d", q, n, err, len(c.want))
		}
	}
	where := []store.Filter{{Field: "v.in", Op: store.Eq, Value: "a"}}
	wantIDs(ctx, t, db, store.Query{Collection: "zoo", Where: where}, "5map")
	where = []store.Filter{{Field: "k", Op: store.Eq, Value: "x"}, {Field: "v", Op: store.In, Value: []string{"a", "B"}}}
	wantIDs(ctx, t, db, store.Query{Collection: "zoo", Where: where}, "3B", "3a")
	where = []store.Filter{{Field: "k", Op: store.Eq, Value: "x"}, {Field: "v", Op: store.More, Value: 1}, {Field: "v", Op: store.LessEq, Value: 2}}
	wantIDs(ctx, t, db, store.Query{Collection: "zoo", OrderBy: "v", Where: where}, "2onehalf", "2two")
	wantIDs(ctx, t, db, store.Query{Collection: "zoo", OrderBy: "v", Desc: true, Where: where}, "2two", "2onehalf")
}

func testFilterTimes(ctx context.Context, t *testing.T, db store.DB) {
	start := time.Now()
	for i, id := range []string{"c", "a", "b"} {
		at := store.At(start.Add(time.Duration(i) * time.Microsecond))
		soon := store.At(start.Add(time.Hour + time.Duration(i)*time.Microsecond))
		set(ctx, t, db, store.Path("things").Join(id), map[string]any{"at": at, "expire_at": soon})
	}
	middle := store.At(start.Add(time.Microsecond))
	q := store.Query{Collection: "things", OrderBy: "at", Where: []store.Filter{{Field: "at", Op: store.MoreEq, Value: middle}}}
	wantIDs(ctx, t, db, q, "a", "b")
	q = store.Query{Collection: "things", OrderBy: "at", Desc: true, After: []any{middle, "a"}}
	wantIDs(ctx, t, db, q, "c")
	q = store.Query{Collection: "things", OrderBy: "expire_at",
		Where: []store.Filter{{Field: "expire_at", Op: store.Less, Value: store.At(middle.Add(time.Hour))}}}
	wantIDs(ctx, t, db, q, "c")
	q = store.Query{Collection: "things", OrderBy: "expire_at", After: []any{store.At(middle.Add(time.Hour)), "a"}}
	wantIDs(ctx, t, db, q, "b")
}

// zooOrder is the order of the zoo by value, but for lists and maps.
var zooOrder = []string{"0null", "1false", "1true", "2minus", "2one", "2onehalf", "2two", "2big", "3", "3-1", "3B", "3a", "3true"}

func testOrder(ctx context.Context, t *testing.T, db store.DB) {
	fillZoo(ctx, t, db)
	up := ids(ctx, t, db, store.Query{Collection: "zoo", OrderBy: "v"})
	if len(up) != len(zoo) || !slices.Equal(up[:len(zooOrder)], zooOrder) {
		t.Errorf("order by v = %q, want %q and then the rest", up, zooOrder)
	}
	wantIDs(ctx, t, db, store.Query{Collection: "zoo", OrderBy: "v", Desc: true}, reversed(up)...)
	for i, id := range zooOrder {
		q := store.Query{Collection: "zoo", OrderBy: "v", After: []any{zoo[id], id}}
		wantIDs(ctx, t, db, q, up[i+1:]...)
		q.Desc = true
		wantIDs(ctx, t, db, q, reversed(up[:i])...)
	}
	wantIDs(ctx, t, db, store.Query{Collection: "zoo", OrderBy: "other"}, "missing")
}

func testOrderNames(ctx context.Context, t *testing.T, db store.DB) {
	names := []string{"B", "a", "e\u0301", "z", "é", "日", "\uff8a", "\ufffd", "😀"} // in the order of their bytes
	for i := range names {
		name := names[(i*5+3)%len(names)]
		set(ctx, t, db, store.Path("things").Join(name), map[string]string{"v": name, "same": "x"})
	}
	down := reversed(names)
	for _, field := range []string{"", "v", "same"} {
		wantIDs(ctx, t, db, store.Query{Collection: "things", OrderBy: field}, names...)
		wantIDs(ctx, t, db, store.Query{Collection: "things", OrderBy: field, Desc: true}, down...)
		wantIDs(ctx, t, db, store.Query{Collection: "things", OrderBy: field, Desc: true, Limit: 2}, down[:2]...)
	}
	wantIDs(ctx, t, db, store.Query{Collection: "things", Desc: true, After: []any{"é"}, Limit: 2}, "z", "e\u0301")
	wantIDs(ctx, t, db, store.Query{Collection: "things", After: []any{"between"}, Limit: 2}, "e\u0301", "z")
}

func testPaging(ctx context.Context, t *testing.T, db store.DB) {
	want := []string{}
	for i := range 23 {
		id := fmt.Sprintf("%02d", i)
		set(ctx, t, db, store.Path("things").Join(id), thing{N: int64(i / 5)})
		want = append(want, id)
	}
	for _, field := range []string{"", "n"} {
		for _, limit := range []int{1, 7, 23, 50} {
			q := store.Query{Collection: "things", OrderBy: field, Limit: limit}
			if got := pages(ctx, t, db, q); !slices.Equal(got, want) {
				t.Errorf("pages of %d by %q = %q, want %q", limit, field, got, want)
			}
		}
	}
	if n, err := db.Count(ctx, store.Query{Collection: "things", Limit: 5, After: []any{"10"}}); err != nil || n != 23 {
		t.Errorf("Count = %d, %v, want 23: limit and cursor aside", n, err)
	}
}

// pages reads all that q finds, Limit at a time.
func pages(ctx context.Context, t *testing.T, db store.DB, q store.Query) (found []string) {
	t.Helper()
	for {
		n := 0
		for d, err := range db.Query(ctx, q) {
			var doc thing
			if err != nil || d.Decode(&doc) != nil {
				t.Fatalf("Query = %v", err)
			}
			q.After = []any{d.ID}
			if q.OrderBy != "" {
				q.After = []any{doc.N, d.ID}
			}
			found = append(found, d.ID)
			n++
		}
		if n < q.Limit {
			return found
		}
	}
}

func testPagingMany(ctx context.Context, t *testing.T, db store.DB) {
	const n = 300
	for start := 0; start < n; start += 100 {
		err := db.Update(ctx, func(tx store.Tx) error {
			for i := start; i < start+100; i++ {
				if err := tx.Set(store.Path(fmt.Sprintf("things/%03d", i)), thing{N: int64(i)}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []store.Query{{}, {Limit: n}, {Limit: 256}, {Limit: 257}, {Desc: true}, {OrderBy: "n"}, {Limit: 128}, {Limit: n + 1}} {
		q.Collection = "things"
		want := n
		if q.Limit > 0 {
			want = min(n, q.Limit)
		}
		got := ids(ctx, t, db, q)
		if q.Desc {
			got = reversed(got)
		}
		if len(got) != want || !slices.IsSorted(got) || len(slices.Compact(got)) != want {
			t.Errorf("Query(%+v) finds %d, want %d in order", q, len(got), want)
		}
	}
}

func reversed(s []string) []string {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

func testQueryStops(ctx context.Context, t *testing.T, db store.DB) {
	for i := range 5 {
		set(ctx, t, db, store.Path(fmt.Sprintf("things/%d", i)), thing{N: int64(i)})
	}
	for range 50 {
		for d, err := range db.Query(ctx, store.Query{Collection: "things"}) {
			if err != nil || d.ID != "0" {
				t.Fatalf("first = %+v, %v", d, err)
			}
			break
		}
	}
	// What the loop does may be anything, the same query included.
	n := 0
	for d, err := range db.Query(ctx, store.Query{Collection: "things"}) {
		if err != nil {
			t.Fatal(err)
		}
		set(ctx, t, db, d.Path, thing{N: -1})
		n += len(ids(ctx, t, db, store.Query{Collection: "things"}))
	}
	if n != 25 {
		t.Errorf("a query within a query finds %d, want 25", n)
	}
}

func testQueryDecodes(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a/parts/b", thing{Name: "x", N: 1<<53 + 1})
	for d, err := range db.Query(ctx, store.Query{Collection: "things/a/parts"}) {
		if err != nil {
			t.Fatal(err)
		}
		wantFound(t, d, "things/a/parts/b", 1<<53+1)
	}
}
