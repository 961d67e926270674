package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
)

// patience bounds each test, so that a database that does not answer fails
// it.
const patience = 60 * time.Second

// A test has a context that ends, and an empty database.
type test func(ctx context.Context, t *testing.T, db store.DB)

// Run runs the suite on databases that open returns. Each must be empty and
// used by nothing else; Run closes none.
func Run(t *testing.T, open func(*testing.T) store.DB) {
	for _, group := range []map[string]test{documents, refusals, transactions, queries, watches} {
		for name, f := range group {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				f(ctx, t, open(t))
			})
		}
	}
}

// A thing is the document that most tests keep.
type thing struct {
	Name string `json:"name,omitempty"`
	N    int64  `json:"n"`
}

func set(ctx context.Context, t *testing.T, db store.DB, p store.Path, doc any) {
	t.Helper()
	if err := db.Set(ctx, p, doc); err != nil {
		t.Fatalf("Set(%.80s) = %v", p, err)
	}
}

// get returns the document at p as JSON gives it.
func get(ctx context.Context, t *testing.T, db store.DB, p store.Path) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := db.Get(ctx, p, &doc); err != nil {
		t.Fatalf("Get(%.80s) = %v", p, err)
	}
	return doc
}

func wantDoc(ctx context.Context, t *testing.T, db store.DB, p store.Path, want map[string]any) {
	t.Helper()
	if diff := cmp.Diff(want, get(ctx, t, db, p)); diff != "" {
		t.Errorf("document %.80s (-want +got)\n%s", p, diff)
	}
}

func wantNone(ctx context.Context, t *testing.T, db store.DB, p store.Path) {
	t.Helper()
	var doc map[string]any
	wantErr(t, "Get", db.Get(ctx, p, &doc), store.ErrNotFound)
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s = %v, want %v", what, err, want)
	}
}

// ids returns the ids that q finds, in order.
func ids(ctx context.Context, t *testing.T, db store.DB, q store.Query) []string {
	t.Helper()
	got := []string{}
	for d, err := range db.Query(ctx, q) {
		if err != nil {
			t.Fatalf("Query(%+v) = %v", q, err)
		}
		got = append(got, d.ID)
	}
	return got
}

func wantIDs(ctx context.Context, t *testing.T, db store.DB, q store.Query, want ...string) {
	t.Helper()
	if got := ids(ctx, t, db, q); !slices.Equal(got, want) {
		t.Errorf("Query(%+v) = %q, want %q", q, got, want)
	}
}

// all runs functions concurrently and returns their errors.
func all(fs ...func() error) []error {
	errs := make([]error, len(fs))
	done := make(chan struct{})
	for i, f := range fs {
		go func() {
			defer func() { done <- struct{}{} }()
			errs[i] = f()
		}()
	}
	for range fs {
		<-done
	}
	return errs
}

// times returns f n times.
func times(n int, f func() error) []func() error {
	return slices.Repeat([]func() error{f}, n)
}
