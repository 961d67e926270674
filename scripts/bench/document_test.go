package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"miramundo.dev/scripts/bench/report"
)

// TestFailureEndsOnlyItsPart checks that the parts after one that failed run, and that
// the document names the failure.
func TestFailureEndsOnlyItsPart(t *testing.T) {
	t.Chdir("../..") // the sample catalog is found from the root, as by make
	file := filepath.Join(t.TempDir(), "performance.md")
	failing := part{"failing", func(context.Context, *report.Report, options) error { return errors.New("no peers") }}
	next := part{"next", func(_ context.Context, r *report.Report, _ options) error {
		r.Title("Next")
		r.Row("a figure", "1")
		return nil
	}}
	if err := measure(t.Context(), []part{failing, next}, options{small: true}, file); !errors.Is(err, errFailed) {
		t.Errorf("error %v, want errFailed", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- failing: no peers", "## Next", "| a figure | 1 |", "## Goals", "in 3 readings"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	if err := measure(t.Context(), []part{next}, options{small: true}, ""); err != nil {
		t.Errorf("a run without failures: %v", err)
	}
}
