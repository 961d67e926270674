package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"miramundo.dev/shared/store"
)

var refusals = map[string]test{
	"Paths":        testPaths,
	"StrangePaths": testStrangePaths,
	"Documents":    testDocuments,
	"Fields":       testFields,
	"BadQueries":   testBadQueries,
	"Cancelled":    testCancelled,
}

// badPaths are not valid paths of documents.
var badPaths = []store.Path{
	"", "/", "a", "a/", "/a", "a//b", "a/b/", "a/b/c", "a/.", "a/..", "../a", "a/__x__", "__all__/a", "a/____",
	"a/\x00", "a/\n", "a/\x7f", "a/\xff", "a/\xed\xa0\x80",
	store.Path("a/" + strings.Repeat("x", 1501)),
	store.Path("a/" + strings.Repeat("é", 751)),
	store.Path("a/b" + strings.Repeat("/a/b", 100)),
	store.Path("a/b" + strings.Repeat("/"+strings.Repeat("x", 1000), 4)),
}

func testPaths(ctx context.Context, t *testing.T, db store.DB) {
	var doc thing
	for _, p := range badPaths {
		for what, err := range map[string]error{
			"Get":       db.Get(ctx, p, &doc),
			"Create":    db.Create(ctx, p, doc),
			"Set":       db.Set(ctx, p, doc),
			"Delete":    db.Delete(ctx, p),
			"Increment": db.Increment(ctx, p, map[string]int64{"n": 1}),
			"Watch":     firstOf(db.Watch(ctx, p)),
			"Update": db.Update(ctx, func(tx store.Tx) error {
				_ = tx.Set(p, doc)
				return nil
			}),
		} {
			wantErr(t, fmt.Sprintf("%s(%.20q)", what, p), err, store.ErrPath)
		}
	}
	for _, p := range []store.Path{"", "a/b", "a/b/", "__x__", "a/../b"} {
		wantErr(t, "Query", firstOf(db.Query(ctx, store.Query{Collection: p})), store.ErrPath)
		wantErr(t, "WatchQuery", firstOf(db.WatchQuery(ctx, store.Query{Collection: p})), store.ErrPath)
		_, err := db.Count(ctx, store.Query{Collection: p})
		wantErr(t, "Count", err, store.ErrPath)
	}
}

// firstOf returns the error of the first element of a sequence.
func firstOf[T any](seq func(func(T, error) bool)) (first error) {
	seq(func(_ T, err error) bool {
		first = err
		return false
	})
	return first
}

// strangePaths are unusual but valid paths of documents.
var strangePaths = []store.Path{
	"a/ ", "a/%2f", "a/'\"`", "a/\\", "a/?*#[]", "a/$.x", "a/...", "a/_", "a/__", "a/__x", "a/x__", "a/-", "a/0",
	"a/😀", "a/e\u0301", "a/\u00e9", "a b/c", "a/(default)", "a/projects",
	store.Path("a/" + strings.Repeat("x", 1500)),
	store.Path("a/b" + strings.Repeat("/a/b", 99)),
}

func testStrangePaths(ctx context.Context, t *testing.T, db store.DB) {
	for i, p := range strangePaths {
		set(ctx, t, db, p, thing{N: int64(i) + 1})
	}
	docs, err := db.GetAll(ctx, strangePaths)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range strangePaths {
		wantFound(t, docs[i], p, int64(i)+1)
		var got thing
		if err := db.Get(ctx, p, &got); err != nil || got.N != int64(i)+1 {
			t.Errorf("Get(%.20q) = %+v, %v", p, got, err)
		}
	}
}

func testDocuments(ctx context.Context, t *testing.T, db store.DB) {
	deep := `1`
	for range 20 {
		deep = `{"x":` + deep + `}`
	}
	set(ctx, t, db, "things/deep", json.RawMessage(deep))
	for name, doc := range map[string]any{
		"a list":          []int{1},
		"a string":        "x",
		"nothing":         nil,
		"a function":      map[string]any{"f": func() {}},
		"not a number":    map[string]any{"f": math.NaN()},
		"infinite":        map[string]any{"f": math.Inf(1)},
		"beyond int64":    map[string]any{"n": uint64(math.MaxUint64)},
		"beyond float64":  map[string]any{"f": json.Number("1e999")},
		"a list in one":   map[string]any{"l": [][]int{{1}}},
		"too deep":        json.RawMessage(`{"x":` + deep + `}`),
		"an empty name":   map[string]any{"": 1},
		"a reserved name": map[string]any{"m": map[string]any{"__x__": 1}},
		"a long name":     map[string]any{strings.Repeat("x", 1501): 1},
		"a name twice":    json.RawMessage(`{"a":1,"\u0061":2}`),
		"a bad expiry":    map[string]any{"expire_at": "tomorrow"},
		"a number expiry": map[string]any{"expire_at": 1},
		"no JSON":         json.RawMessage(`{"a":`),
	} {
		wantErr(t, "Set of "+name, db.Set(ctx, "things/a", doc), store.ErrDocument)
		wantErr(t, "Create of "+name, db.Create(ctx, "things/a", doc), store.ErrDocument)
		err := db.Update(ctx, func(tx store.Tx) error {
			_ = tx.Set("things/a", doc)
			return nil
		})
		wantErr(t, "Update with "+name, err, store.ErrDocument)
	}
	wantNone(ctx, t, db, "things/a")
}

// badFields are not valid field names.
var badFields = []string{".", "a.", ".a", "a..b", "__x__", "a.__x__", `"`, `a\`, "a\x00", "a`b", "\xff", strings.Repeat("x", 1501)}

func testFields(ctx context.Context, t *testing.T, db store.DB) {
	for _, name := range append(badFields, "") {
		wantErr(t, fmt.Sprintf("Increment of %.20q", name), db.Increment(ctx, "things/a", map[string]int64{name: 1, "n": 1}), store.ErrField)
		q := store.Query{Collection: "things", Where: []store.Filter{{Field: name, Op: store.Eq, Value: 1}}}
		wantErr(t, fmt.Sprintf("Query where %.20q", name), firstOf(db.Query(ctx, q)), store.ErrField)
	}
	for _, name := range badFields {
		q := store.Query{Collection: "things", OrderBy: name}
		wantErr(t, fmt.Sprintf("Query ordered by %.20q", name), firstOf(db.Query(ctx, q)), store.ErrField)
	}
	for _, name := range []string{"expire_at", "expire_at.x"} {
		wantErr(t, "Increment of "+name, db.Increment(ctx, "things/a", map[string]int64{name: 1}), store.ErrField)
	}
	both := map[string]int64{"a": 1, "a.b": 1}
	wantErr(t, "Increment of a field and one in it", db.Increment(ctx, "things/a", both), store.ErrField)
	wantNone(ctx, t, db, "things/a")
}

func testBadQueries(ctx context.Context, t *testing.T, db store.DB) {
	where := func(op store.Op, value any) []store.Filter { return []store.Filter{{Field: "n", Op: op, Value: value}} }
	many := make([]string, 31)
	for name, q := range map[string]store.Query{
		"negative limit":   {Limit: -1},
		"unknown operator": {Where: where("!=", 1)},
		"no value":         {Where: where(store.Eq, nil)},
		"list value":       {Where: where(store.Eq, []string{"x"})},
		"map value":        {Where: where(store.Eq, map[string]any{})},
		"not a number":     {Where: where(store.Eq, math.NaN())},
		"uint64":           {Where: where(store.Eq, uint64(1))},
		"in of no list":    {Where: where(store.In, "x")},
		"in of many":       {Where: where(store.In, many)},
		"two in":           {Where: append(where(store.In, many[:1]), where(store.In, many[:1])...)},
		"less by id":       {Where: where(store.Less, 1)},
		"less by other":    {Where: where(store.Less, 1), OrderBy: "m"},
		"long cursor":      {After: []any{1, "a"}},
		"short cursor":     {OrderBy: "n", After: []any{"a"}},
		"number as id":     {After: []any{1}},
		"path as id":       {After: []any{"a/b"}},
		"list in cursor":   {OrderBy: "n", After: []any{[]int{1}, "a"}},
	} {
		q.Collection = "things"
		wantErr(t, "Query, "+name, firstOf(db.Query(ctx, q)), store.ErrQuery)
		wantErr(t, "WatchQuery, "+name, firstOf(db.WatchQuery(ctx, q)), store.ErrQuery)
		_, err := db.Count(ctx, q)
		wantErr(t, "Count, "+name, err, store.ErrQuery)
	}
}

func testCancelled(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{N: 1})
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for what, err := range calls(gone, db) {
		wantErr(t, what, err, context.Canceled)
	}
	for d, err := range db.Watch(gone, "things/a") {
		t.Errorf("Watch yields %+v, %v after its context has ended", d, err)
	}
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 1.0})
	wantNone(ctx, t, db, "things/new")
}

// calls makes every call except watches, and returns their errors.
func calls(ctx context.Context, db store.DB) map[string]error {
	var doc thing
	_, getAll := db.GetAll(ctx, []store.Path{"things/a"})
	_, count := db.Count(ctx, store.Query{Collection: "things"})
	return map[string]error{
		"Get":       db.Get(ctx, "things/a", &doc),
		"GetAll":    getAll,
		"Create":    db.Create(ctx, "things/new", doc),
		"Set":       db.Set(ctx, "things/a", doc),
		"Delete":    db.Delete(ctx, "things/a"),
		"Increment": db.Increment(ctx, "things/a", map[string]int64{"n": 1}),
		"Update":    db.Update(ctx, func(tx store.Tx) error { return tx.Set("things/a", doc) }),
		"Query":     firstOf(db.Query(ctx, store.Query{Collection: "things"})),
		"Count":     count,
	}
}
