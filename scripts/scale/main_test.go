package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/scale/capacity"
	"miramundo.dev/scripts/scale/world"
)

// small returns a model whose figures take seconds: of 1,000 channels, with short
// simulations.
func small(t *testing.T) *capacity.Model {
	t.Helper()
	t.Chdir("../..")
	w, err := world.Load()
	if err != nil {
		t.Fatal(err)
	}
	w.People.Channels.Value = 1000
	w.People.Day.Value, w.People.Watching.Value, w.People.Chatting.Value = 1e5, 1e4, 1e3
	m, err := open(w, false)
	if err != nil {
		t.Fatal(err)
	}
	m.Events, m.Most = 2000, 1e6
	return m
}

// TestSmallRun writes the whole page but for the replayed day, with every part and every
// item of the bill, and each plot that it shows.
func TestSmallRun(t *testing.T) {
	m := small(t)
	var out bytes.Buffer
	r := report.New(&out)
	limits := figures(r, m)
	inputs(r, m)
	file := filepath.Join(t.TempDir(), "scale.md")
	if err := r.WritePage(file, head(t.Context(), m, limits)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range capacity.Parts {
		if !strings.Contains(string(text), "| "+p.Name+" |") || !strings.Contains(out.String(), "\n"+p.Name) {
			t.Errorf("the part %s is missing", p.Name)
		}
	}
	for _, item := range capacity.Items {
		if !strings.Contains(string(text), "| "+item+" |") {
			t.Errorf("the bill lacks %s", item)
		}
	}
	shown := 0
	for line := range strings.Lines(string(text)) {
		_, plot, isPlot := strings.Cut(strings.TrimSpace(line), "](scale/")
		if !isPlot {
			continue
		}
		shown++
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "scale", strings.TrimSuffix(plot, ")"))); err != nil {
			t.Error(err)
		}
	}
	if shown < 5 {
		t.Errorf("the page shows %d plots", shown)
	}
}

func TestAmounts(t *testing.T) {
	got := []string{amount(0), amount(0.25), amount(999.6), amount(1500), amount(999_700), amount(2e6), amount(3e9), money(12.345), money(1234567.8), share(0.5), share(12)}
	want := []string{"0", "0.25", "1 k", "1.5 k", "1 M", "2 M", "3 G", "12.35", "1,234,568", "50 %", "12 times"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRunRefuses asks for what cannot be done.
func TestRunRefuses(t *testing.T) {
	if err := run(t.Context(), options{document: "scale.txt"}); err == nil {
		t.Error("a page that is no Markdown file was written")
	}
	t.Chdir(t.TempDir())
	if err := run(t.Context(), options{}); err == nil || !strings.Contains(err.Error(), "root of the repository") {
		t.Errorf("outside of the repository: %v", err)
	}
}
