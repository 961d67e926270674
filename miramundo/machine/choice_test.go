package machine

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestChoose(t *testing.T) {
	dir := t.TempDir()
	yes := func(context.Context) error { return nil }
	no := func(context.Context) error { return errors.New("no route") }
	for _, test := range []struct {
		wish      string
		answers   func(context.Context) error
		want, why string
	}{
		{"", yes, "live", "answer"},
		{"", no, "sample", "no route"},
		{"live", no, "live", "asked for"},
		{"sample", yes, "sample", "asked for"},
		{dir, no, dir, "asked for"},
		{filepath.Join(dir, "."), no, dir, "asked for"},
	} {
		got, err := choose(t.Context(), test.wish, test.answers)
		if err != nil || got.Name != test.want || !strings.Contains(got.Why, test.why) {
			t.Errorf("choose(%q) = %+v, %v; want %s because %q", test.wish, got, err, test.want, test.why)
		}
	}
	for _, wish := range []string{"lively", filepath.Join(dir, "none"), "choice_test.go"} {
		if got, err := choose(t.Context(), wish, yes); err == nil || !strings.Contains(err.Error(), wish) {
			t.Errorf("choose(%q) = %+v, %v; want an error that names it", wish, got, err)
		}
	}
}

// TestChooseDoesNotWaitForEver asks a source that never answers.
func TestChooseDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		if got, err := choose(t.Context(), "", silent); err != nil || got.Name != Sample {
			t.Errorf("choose = %+v, %v; want the sample", got, err)
		}
	})
}

func TestMark(t *testing.T) {
	m := MarkIn(t.TempDir())
	if m.Was("live") {
		t.Error("a new folder has a catalog already")
	}
	if err := m.set("live"); err != nil || !m.Was("live") || m.Was("sample") {
		t.Errorf("after set(live) = %v: live %v, sample %v", err, m.Was("live"), m.Was("sample"))
	}
	if nowhere := Mark(""); nowhere.set("live") != nil || nowhere.Was("live") {
		t.Error("without a folder the mark remembers, or fails")
	}
}

// TestAwait waits for sources that answer the third time.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, begun := 0, time.Now()
		await(t.Context(), func(context.Context) error {
			if asked++; asked < 3 {
				return errors.New("no route")
			}
			return nil
		})
		if waited := time.Since(begun); waited != 3*liveInterval {
			t.Errorf("it waited for %v", waited)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		await(ended, func(context.Context) error { return errors.New("no route") })
	})
}
