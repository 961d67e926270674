package job_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

var start = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) store.DB {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func runner(t *testing.T, jobs ...job.Job) *job.Runner {
	return job.NewRunner(open(t), slog.New(slog.DiscardHandler), func() time.Time { return start }, jobs...)
}

// TestRun checks what a report says of a run, and that it is kept.
func TestRun(t *testing.T) {
	failure := errors.New("the source is gone")
	r := runner(t,
		job.Job{Name: "good", Run: func(_ context.Context, o job.Order) (any, error) {
			return map[string]any{"forced": o.Force}, nil
		}},
		job.Job{Name: "bad", Run: func(context.Context, job.Order) (any, error) { return map[string]int{"done": 1}, failure }},
		job.Job{Name: "broken", Run: func(context.Context, job.Order) (any, error) { panic("a defect") }},
	)
	for _, test := range []struct {
		name  string
		ok    bool
		wrong string
	}{
		{"good", true, ""},
		{"bad", false, "the source is gone"},
		{"broken", false, "a defect"},
	} {
		rep, err := r.Run(t.Context(), test.name, job.Order{Force: true})
		if (err == nil) != test.ok || rep == nil || rep.OK != test.ok || !strings.Contains(rep.Error, test.wrong) {
			t.Errorf("Run(%s) = %+v, %v", test.name, rep, err)
		}
		last, err := r.Last(t.Context(), test.name)
		if err != nil || last == nil || last.OK != test.ok || !last.StartedAt.Equal(start) || !strings.Contains(last.Error, test.wrong) {
			t.Errorf("Last(%s) = %+v, %v", test.name, last, err)
		}
	}
	if last, err := r.Last(t.Context(), "never"); last != nil || err != nil {
		t.Errorf("Last of a job that never ran = %+v, %v", last, err)
	}
	if _, err := r.Run(t.Context(), "none", job.Order{}); !errors.Is(err, job.ErrUnknown) {
		t.Errorf("Run(none) = %v, want ErrUnknown", err)
	}
}

// TestRunOnce checks that a job runs once at a time, and again afterwards.
func TestRunOnce(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	r := runner(t, job.Job{Name: "slow", Run: func(context.Context, job.Order) (any, error) {
		begun <- true
		<-end
		return nil, nil
	}})
	done := make(chan error)
	go func() {
		_, err := r.Run(context.Background(), "slow", job.Order{})
		done <- err
	}()
	<-begun
	if _, err := r.Run(t.Context(), "slow", job.Order{}); !errors.Is(err, job.ErrRunning) {
		t.Errorf("second Run = %v, want ErrRunning", err)
	}
	close(end)
	if err := <-done; err != nil {
		t.Errorf("first Run = %v", err)
	}
	go func() { <-begun }()
	if _, err := r.Run(t.Context(), "slow", job.Order{}); err != nil {
		t.Errorf("Run after the end = %v", err)
	}
}

// TestRunToEnd checks that a job is not cut short when the request that asked for
// it is canceled or its deadline passes.
func TestRunToEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	r := runner(t, job.Job{Name: "long", Run: func(ctx context.Context, _ job.Order) (any, error) {
		cancel()
		if _, limited := ctx.Deadline(); limited {
			t.Error("the run has a deadline")
		}
		return nil, ctx.Err()
	}})
	if report, err := r.RunToEnd(ctx, "long", job.Order{}); err != nil || !report.OK {
		t.Errorf("RunToEnd = %+v, %v", report, err)
	}
	if last, err := r.Last(t.Context(), "long"); err != nil || last == nil {
		t.Errorf("the report that is kept is %+v, %v", last, err)
	}
}

// TestRunToEndUnreachable checks that a run that cannot begin is given up at the
// deadline of the request.
func TestRunToEndUnreachable(t *testing.T) {
	line := storetest.NewLine(open(t))
	line.Freeze()
	r := job.NewRunner(line, slog.New(slog.DiscardHandler), time.Now, job.Job{Name: "x"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if report, err := r.RunToEnd(ctx, "x", job.Order{}); report != nil || !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("RunToEnd = %+v, %v, want %v", report, err, fault.ErrUnavailable)
	}
}

// TestHistory stores the last reports of a job that keeps them, and only the last
// one of another.
func TestHistory(t *testing.T) {
	n := 0
	run := func(context.Context, job.Order) (any, error) { n++; return map[string]int{"n": n}, nil }
	r := runner(t, job.Job{Name: "kept", Run: run, Keep: 3}, job.Job{Name: "other", Run: run})
	for range 5 {
		for _, name := range r.Names() {
			if _, err := r.Run(t.Context(), name, job.Order{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var numbers []int
	history, err := r.History(t.Context(), "kept")
	for _, rep := range history {
		numbers = append(numbers, rep.Number)
	}
	if diff := cmp.Diff([]int{5, 4, 3}, numbers); diff != "" || err != nil {
		t.Errorf("History, %v (-want +got):\n%s", err, diff)
	}
	if last, err := r.Last(t.Context(), "kept"); err != nil || last.Number != 5 {
		t.Errorf("Last = %+v, %v", last, err)
	}
	if history, err := r.History(t.Context(), "other"); err != nil || len(history) > 0 {
		t.Errorf("History of a job that stores only its last report = %v, %v", history, err)
	}
}

// TestRunning reports a run while it lasts.
func TestRunning(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	r := runner(t, job.Job{Name: "slow", Run: func(context.Context, job.Order) (any, error) { begun <- true; <-end; return nil, nil }})
	if p, cut, err := r.Runs(t.Context(), "slow"); p != nil || cut != nil || err != nil {
		t.Errorf("Running before the run = %+v, %v", p, err)
	}
	done := make(chan error)
	go func() { _, err := r.Run(context.Background(), "slow", job.Order{}); done <- err }()
	<-begun
	if p, cut, err := r.Runs(t.Context(), "slow"); err != nil || cut != nil || p == nil || !p.Since.Equal(start) || p.Where == "" {
		t.Errorf("Running during the run = %+v, %v", p, err)
	}
	close(end)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if p, cut, err := r.Runs(t.Context(), "slow"); p != nil || cut != nil || err != nil {
		t.Errorf("Running after the run = %+v, %v", p, err)
	}
}
