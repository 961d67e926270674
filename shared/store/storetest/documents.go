package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
)

var documents = map[string]test{
	"Get":             testGet,
	"Values":          testValues,
	"SetReplaces":     testSetReplaces,
	"GetAll":          testGetAll,
	"Create":          testCreate,
	"CreateRace":      testCreateRace,
	"Delete":          testDelete,
	"Increment":       testIncrement,
	"IncrementValues": testIncrementValues,
	"IncrementRace":   testIncrementRace,
	"Expiry":          testExpiry,
	"ExpiryCreate":    testExpiryCreate,
	"Largest":         testLargest,
}

func testGet(ctx context.Context, t *testing.T, db store.DB) {
	wantNone(ctx, t, db, "things/a")
	set(ctx, t, db, "things/a", thing{Name: "first", N: 1})
	wantDoc(ctx, t, db, "things/a", map[string]any{"name": "first", "n": 1.0})
	wantNone(ctx, t, db, "things/A")
	wantNone(ctx, t, db, "things/a/parts/a")
	set(ctx, t, db, "things/b/parts/a", thing{})
	wantNone(ctx, t, db, "things/b")
	var wrong struct {
		N string `json:"n"`
	}
	if err := db.Get(ctx, "things/a", &wrong); err == nil || errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get into a wrong type = %v, want another error than ErrNotFound", err)
	}
}

// every has a field of each type that a document can have.
type every struct {
	Null    *string           `json:"null"`
	Bool    bool              `json:"bool"`
	Least   int64             `json:"least"`
	Most    int64             `json:"most"`
	Odd     int64             `json:"odd"` // not a float64
	Small   float64           `json:"small"`
	Big     float64           `json:"big"`
	Whole   float64           `json:"whole"`
	Text    string            `json:"text"`
	Bytes   []byte            `json:"bytes"`
	List    []any             `json:"list"`
	Map     map[string]thing  `json:"map"`
	Empty   map[string]string `json:"empty"`
	None    []string          `json:"none"`
	At      store.Time        `json:"at"`
	Strange map[string]string `json:"strange"`
}

func testValues(ctx context.Context, t *testing.T, db store.DB) {
	want := every{
		Bool: true, Least: math.MinInt64, Most: math.MaxInt64, Odd: 1<<53 + 1,
		Small: 5e-324, Big: math.MaxFloat64, Whole: 3,
		Text:  "olá <&> \u2028 \x00\x1f \"\\ 😀",
		Bytes: []byte{0, 255, 10},
		List:  []any{nil, true, 1.5, "x", map[string]any{"list": []any{}}},
		Map:   map[string]thing{"a.b": {Name: "x", N: 1}, "é/": {}},
		Empty: map[string]string{}, None: []string{},
		At:      store.At(time.Date(2026, 2, 3, 4, 5, 6, 7008, time.FixedZone("x", 3600))),
		Strange: map[string]string{`"`: "1", "`": "2", `\`: "3", "a b": "4", "": "5", "0": "6"},
	}
	delete(want.Strange, "") // no field has an empty name
	set(ctx, t, db, "things/a", want)
	var got every
	if err := db.Get(ctx, "things/a", &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the document as read (-want +got)\n%s", diff)
	}
}

func testSetReplaces(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", map[string]any{"old": 1, "map": map[string]int{"x": 1}})
	set(ctx, t, db, "things/a", map[string]any{"map": map[string]int{"y": 2}})
	wantDoc(ctx, t, db, "things/a", map[string]any{"map": map[string]any{"y": 2.0}})
	set(ctx, t, db, "things/a", map[string]any{})
	wantDoc(ctx, t, db, "things/a", map[string]any{})
}

func testGetAll(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{N: 1})
	set(ctx, t, db, "others/b/parts/c", thing{N: 2})
	ps := []store.Path{"others/b/parts/c", "things/none", "things/a", "others/b/parts/c"}
	docs, err := db.GetAll(ctx, ps)
	if err != nil || len(docs) != len(ps) {
		t.Fatalf("GetAll = %d documents, %v, want %d", len(docs), err, len(ps))
	}
	for i, n := range []int64{2, 0, 1, 2} {
		wantFound(t, docs[i], ps[i], n)
	}
	var raw [2]json.RawMessage
	for i, d := range []store.Doc{docs[0], docs[3]} {
		if err := d.Decode(&raw[i]); err != nil {
			t.Error(err)
		}
	}
	var got map[string]any
	if err := json.Unmarshal(raw[0], &got); err != nil || got["n"] != 2.0 || string(raw[0]) != string(raw[1]) {
		t.Errorf("one document is %s and %s, %v", raw[0], raw[1], err)
	}
	if docs, err := db.GetAll(ctx, nil); err != nil || len(docs) != 0 {
		t.Errorf("GetAll of nothing = %v, %v", docs, err)
	}
	_, err = db.GetAll(ctx, []store.Path{"things/a", "things"})
	wantErr(t, "GetAll of a collection", err, store.ErrPath)
}

// wantFound checks that d is the thing n at p, or that none is there for 0.
func wantFound(t *testing.T, d store.Doc, p store.Path, n int64) {
	t.Helper()
	if d.Path != p || d.ID != string(p[strings.LastIndexByte(string(p), '/')+1:]) || (d.Decode != nil) != (n != 0) {
		t.Errorf("document %+v, want %s, there: %t", d, p, n != 0)
		return
	}
	var got thing
	if n != 0 {
		if err := d.Decode(&got); err != nil || got.N != n {
			t.Errorf("document %s = %+v, %v, want n = %d", p, got, err, n)
		}
	}
}

func testCreate(ctx context.Context, t *testing.T, db store.DB) {
	if err := db.Create(ctx, "things/a", thing{N: 1}); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "second Create", db.Create(ctx, "things/a", thing{N: 2}), store.ErrExists)
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 1.0})
}

func testCreateRace(ctx context.Context, t *testing.T, db store.DB) {
	created := 0
	for _, err := range all(times(8, func() error { return db.Create(ctx, "things/a", thing{}) })...) {
		if err == nil {
			created++
		} else {
			wantErr(t, "Create", err, store.ErrExists)
		}
	}
	if created != 1 {
		t.Errorf("%d of 8 concurrent Create calls succeeded, want 1", created)
	}
}

func testDelete(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", thing{})
	set(ctx, t, db, "things/a/parts/b", thing{N: 1})
	for range 2 {
		if err := db.Delete(ctx, "things/a"); err != nil {
			t.Errorf("Delete = %v", err)
		}
		wantNone(ctx, t, db, "things/a")
	}
	wantDoc(ctx, t, db, "things/a/parts/b", map[string]any{"n": 1.0})
}

func increment(ctx context.Context, t *testing.T, db store.DB, add map[string]int64) {
	t.Helper()
	if err := db.Increment(ctx, "things/a", add); err != nil {
		t.Fatalf("Increment(%v) = %v", add, err)
	}
}

func testIncrement(ctx context.Context, t *testing.T, db store.DB) {
	increment(ctx, t, db, map[string]int64{})
	wantNone(ctx, t, db, "things/a")
	increment(ctx, t, db, map[string]int64{"n": 2, "by.BR": 1, "by.a b": 1})
	increment(ctx, t, db, map[string]int64{"n": -5, "by.PT": 7, "by.a b": 0})
	wantDoc(ctx, t, db, "things/a", map[string]any{
		"n": -3.0, "by": map[string]any{"BR": 1.0, "PT": 7.0, "a b": 1.0}})
}

func testIncrementValues(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", map[string]any{
		"kept": "x", "text": "9", "null": nil, "float": 1.5, "list": []int{1}, "scalar": 4,
		"most": int64(math.MaxInt64 - 1), "least": int64(math.MinInt64 + 1), "map": map[string]int{"x": 1}})
	increment(ctx, t, db, map[string]int64{
		"text": 1, "null": 2, "float": 3, "list": 4, "scalar.in": 5, "most": 6, "least": -7, "map.y": 8})
	var limits struct{ Most, Least int64 }
	if err := db.Get(ctx, "things/a", &limits); err != nil || limits.Most != math.MaxInt64 || limits.Least != math.MinInt64 {
		t.Errorf("sums beyond int64 = %+v, %v", limits, err)
	}
	got := get(ctx, t, db, "things/a")
	delete(got, "most")
	delete(got, "least")
	want := map[string]any{
		"kept": "x", "text": 1.0, "null": 2.0, "float": 4.5, "list": 4.0,
		"scalar": map[string]any{"in": 5.0}, "map": map[string]any{"x": 1.0, "y": 8.0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after Increment (-want +got)\n%s", diff)
	}
}

func testIncrementRace(ctx context.Context, t *testing.T, db store.DB) {
	add := func() error {
		for range 20 {
			if err := db.Increment(ctx, "things/a", map[string]int64{"n": 1, "by.x": 2}); err != nil {
				return err
			}
		}
		return nil
	}
	for _, err := range all(times(5, add)...) {
		if err != nil {
			t.Errorf("Increment = %v", err)
		}
	}
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 100.0, "by": map[string]any{"x": 200.0}})
}

// A lease is a document that expires.
type lease struct {
	N        int64       `json:"n"`
	ExpireAt *store.Time `json:"expire_at"`
}

func leaseFor(n int64, d time.Duration) lease {
	at := store.At(time.Now().Add(d))
	return lease{n, &at}
}

func testExpiry(ctx context.Context, t *testing.T, db store.DB) {
	live := leaseFor(1, time.Hour)
	set(ctx, t, db, "things/live", live)
	set(ctx, t, db, "things/dead", leaseFor(1, -time.Minute))
	set(ctx, t, db, "things/lasting", lease{N: 1})
	set(ctx, t, db, "things/inner", map[string]any{"n": 1, "in": leaseFor(1, -time.Hour)})
	wantNone(ctx, t, db, "things/dead")
	var got lease
	if err := db.Get(ctx, "things/live", &got); err != nil || !got.ExpireAt.Equal(live.ExpireAt.Time) {
		t.Errorf("Get = %+v, %v, want %v", got, err, live.ExpireAt)
	}
	docs, err := db.GetAll(ctx, []store.Path{"things/dead", "things/live"})
	if err != nil || docs[0].Decode != nil || docs[1].Decode == nil {
		t.Errorf("GetAll = %+v, %v, want the live document alone", docs, err)
	}
	wantIDs(ctx, t, db, store.Query{Collection: "things"}, "inner", "lasting", "live")
	wantIDs(ctx, t, db, store.Query{Collection: "things", OrderBy: "n", Limit: 2}, "inner", "lasting")
	wantIDs(ctx, t, db, store.Query{Collection: "things", Limit: 1}, "inner")
	if n, err := db.Count(ctx, store.Query{Collection: "things"}); err != nil || n != 3 {
		t.Errorf("Count = %d, %v, want 3", n, err)
	}
	err = db.Update(ctx, func(tx store.Tx) error { return tx.Get("things/dead", &got) })
	wantErr(t, "Get of an expired document in Update", err, store.ErrNotFound)
}

func testExpiryCreate(ctx context.Context, t *testing.T, db store.DB) {
	set(ctx, t, db, "things/a", leaseFor(1, -time.Minute))
	set(ctx, t, db, "things/b", leaseFor(1, -time.Minute))
	if err := db.Create(ctx, "things/a", thing{N: 2}); err != nil {
		t.Errorf("Create in place of an expired document = %v", err)
	}
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 2.0})
	err := db.Update(ctx, func(tx store.Tx) error { return tx.Create("things/b", leaseFor(3, time.Hour)) })
	if err != nil {
		t.Errorf("Create in place of an expired document in Update = %v", err)
	}
	wantErr(t, "Create", db.Create(ctx, "things/b", thing{}), store.ErrExists)
	increment(ctx, t, db, map[string]int64{"n": 1})
	wantDoc(ctx, t, db, "things/a", map[string]any{"n": 3.0})
}

// largest returns documents of exactly [store.MaxSize] bytes, and a function
// that returns the same with one byte more.
func largest() map[string]func(extra int) any {
	pad := func(size int) string { return strings.Repeat("x", size) }
	return map[string]func(int) any{
		"text":    func(extra int) any { return map[string]any{"s": pad(store.MaxSize - 35 + extra)} },
		"escaped": func(extra int) any { return map[string]any{"s": "\x00\n\"" + pad(store.MaxSize-45+extra)} },
		"numbers": func(extra int) any {
			return map[string]any{"n": make([]int, 30_000), "s": pad(store.MaxSize - 240_037 + extra)}
		},
	}
}

func testLargest(ctx context.Context, t *testing.T, db store.DB) {
	for name, make := range largest() {
		p := store.Path("things").Join(name)
		set(ctx, t, db, p, make(0))
		get(ctx, t, db, p)
		wantErr(t, "Set of one byte more of "+name, db.Set(ctx, p, make(1)), store.ErrTooLarge)
		wantErr(t, "Create of one byte more of "+name, db.Create(ctx, "things/new", make(1)), store.ErrTooLarge)
		err := db.Update(ctx, func(tx store.Tx) error {
			_ = tx.Set(p, make(1))
			return tx.Set("things/other", thing{})
		})
		wantErr(t, "Update with one byte more of "+name, err, store.ErrTooLarge)
		wantNone(ctx, t, db, "things/other")
		wantNone(ctx, t, db, "things/new")
	}
}
