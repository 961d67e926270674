package comments

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/social/comment"
)

// TestReadOnce lets many ask at once: the comments are read once. Who gives up
// does not make the others fail.
func TestReadOnce(t *testing.T) {
	w := newWorld(t, "A.br")
	say(t, w.instance(), "ana", "A.br", "hello")
	db := &counting{DB: w.db, hold: make(chan struct{})}
	w.db = db
	h := w.instance()
	gone, cancel := context.WithCancel(t.Context())
	var g errgroup.Group
	for i := range 20 {
		g.Go(func() error {
			r := httptest.NewRequest("GET", at("A.br"), nil)
			if i == 0 {
				r = r.WithContext(gone)
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			if i > 0 && (rec.Code != 200 || !strings.Contains(rec.Body.String(), "hello")) {
				return fmt.Errorf("%d %s", rec.Code, rec.Body)
			}
			return nil
		})
	}
	cancel()
	close(db.hold)
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if got := db.queried.Load(); got != 1 {
		t.Errorf("%d documents were read, want 1", got)
	}
}

// TestHeadsAreBounded asks for more channels than are remembered.
func TestHeadsAreBounded(t *testing.T) {
	h := newHeads(func() time.Time { return noon }, func(context.Context, string) ([]comment.Comment, int, error) { return nil, 0, nil })
	for i := range 3 * maxHeads {
		if _, _, err := h.get(t.Context(), fmt.Sprint(i)); err != nil || len(h.of) > maxHeads {
			t.Fatalf("%d heads, %v", len(h.of), err)
		}
	}
}

// TestHeadsFail forgets a failure at once.
func TestHeadsFail(t *testing.T) {
	fail := errors.New("fails")
	h := newHeads(func() time.Time { return noon }, func(context.Context, string) ([]comment.Comment, int, error) { return nil, 0, fail })
	for range 2 {
		if _, known, err := h.get(t.Context(), "A"); known || !errors.Is(err, fail) {
			t.Errorf("known %t, %v", known, err)
		}
	}
}
