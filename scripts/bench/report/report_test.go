package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/scripts/bench/machine"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// example is a report with a block of each kind.
func example(out *bytes.Buffer) *Report {
	r := New(out)
	r.Title("Search: 3 records")
	r.Limit("The memory.")
	r.Head("class", "p50 µs", "p99 µs")
	r.Row("a|b", "1.0", "20.5")
	r.Row("longer name", "10.0")
	r.Head("figure", "reached", "scaled", "goal", "")
	r.Goal("mix", "5.0", "4", false)
	r.Judge(SearchMix[Real], 5)
	r.Note("not measured: a_peer")
	r.Plot(Plot{Name: "mix", Title: "Mix by channels", X: "channels", Y: "µs", Lines: []Line{{"mean", []Point{{1, 2}, {100, 30}}}}})
	r.Title("Hop")
	r.Row("cached", "0.97")
	r.Judge(HopCached, 0.97)
	r.Judge(SearchMix["another size"], 1)
	r.Fail("chat", errors.New("no\nsockets"))
	return r
}

func TestText(t *testing.T) {
	var out bytes.Buffer
	example(&out).Goals(true)
	golden(t, "report.txt", out.String())
}

func TestDocument(t *testing.T) {
	r := example(new(bytes.Buffer))
	r.Goals(true)
	file := filepath.Join(t.TempDir(), "performance.md")
	run := Run{
		Date: time.Date(2026, 11, 28, 23, 0, 0, 0, time.FixedZone("", -3*3600)), Commit: "0123456789ab", Command: "make bench",
		Machine: machine.Info{Cores: 2, CPU: "A processor", Memory: "4.0 GiB", Kernel: "Linux 6", Go: "go1.26 linux/amd64", Load: "0.50"},
		Factor:  machine.Factor{Readings: []float64{1.5, 1, 2}},
	}
	dir := strings.TrimSuffix(file, ".md")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "old.svg"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(file, run); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "performance.md", string(text))
	plots, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "mix.svg")}, plots); diff != "" {
		t.Errorf("plots (-want +got):\n%s", diff)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "mix.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "Mix by channels", "channels", "µs", "mean"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("the plot lacks %q", want)
		}
	}
}

// TestGoals checks that each goal is shown once, and that its verdict follows from its
// figure.
func TestGoals(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range all() {
		if seen[g.Work] || g.Target <= 0 {
			t.Errorf("goal %q with target %v: want one of each name, with a target", g.Work, g.Target)
		}
		seen[g.Work] = true
	}
	for _, c := range []struct {
		goal    Goal
		figure  float64
		asked   string
		reached bool
	}{
		{Goal{Target: 4, Digits: 1}, 4, "≤ 4", true},
		{Goal{Target: 4, Digits: 1}, 4.04, "≤ 4", true}, // which is shown as 4.0
		{Goal{Target: 4, Digits: 1}, 4.06, "≤ 4", false},
		{Goal{Target: 1.5, Digits: 1}, 1, "≤ 1.5", true},
		{Goal{Target: 700}, 701, "≤ 700", false},
		{Goal{Target: 0.9, Digits: 2, Least: true}, 0.9, "≥ 0.9", true},
		{Goal{Target: 0.9, Digits: 2, Least: true}, 0.89, "≥ 0.9", false},
		{Goal{Target: 0.9, Digits: 2, Least: true}, 0.896, "≥ 0.9", true},
	} {
		if got := c.goal.Asked(); got != c.asked {
			t.Errorf("%+v asks %q, want %q", c.goal, got, c.asked)
		}
		if got := c.goal.Reached(c.figure); got != c.reached {
			t.Errorf("%+v is reached by %v: %v, want %v", c.goal, c.figure, got, c.reached)
		}
	}
}

func TestSmallRunIsNotJudged(t *testing.T) {
	var out bytes.Buffer
	r := New(&out)
	r.Judge(HopUncached, 1000)
	r.Goals(false)
	if text := out.String(); strings.Contains(text, "MISSED") || !strings.Contains(text, "not judged") {
		t.Errorf("a run that is not judged shows\n%s", text)
	}
}

func TestPlotNeedsPoints(t *testing.T) {
	for name, lines := range map[string][]Line{"no point": {{Name: "a"}}, "only 0": {{"a", []Point{{0, 1}, {1, 0}}}}} {
		p := Plot{Name: "p", Lines: lines}
		if err := p.save(filepath.Join(t.TempDir(), "p.svg")); err == nil {
			t.Errorf("%s: a plot is drawn", name)
		}
	}
}

// TestLinearPlot draws figures over time, of which some or all are 0.
func TestLinearPlot(t *testing.T) {
	for name, points := range map[string][]Point{"some": {{0, 0}, {1, 2}}, "all": {{0, 0}, {1, 0}}} {
		file := filepath.Join(t.TempDir(), "p.svg")
		p := Plot{Name: "p", Linear: true, Lines: []Line{{"a line", points}}}
		if err := p.save(file); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		svg, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(svg), "a line") || strings.Contains(string(svg), "NaN") {
			t.Errorf("%s: %v in %s", name, err, svg)
		}
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{0.001: "0.001", 0.1: "0.1", 1: "1", 1000: "1000", 10_000: "10 k", 1e6: "1 M", 1e7: "10 M"} {
		if got := short(v); got != want {
			t.Errorf("short(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestWritePage writes a page with a head of its own, and removes the plots of the page
// before.
func TestWritePage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	old := filepath.Join(filepath.Dir(file), "page", "old.svg")
	if err := errors.Join(os.Mkdir(filepath.Dir(old), 0o700), os.WriteFile(old, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	r := New(&bytes.Buffer{})
	r.Title("One_section")
	r.Limit("What it is about.")
	r.Head("part", "used", "because of")
	r.Row("a", "1", "a sentence that is longer than the columns of numbers are")
	r.Plot(Plot{Name: "mix", Title: "Mix", X: "x", Y: "y", Lines: []Line{{"mean", []Point{{1, 2}, {100, 30}}}}})
	if err := r.WritePage(file, "# Page\n"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `# Page

## One\_section

What it is about.

| part | used | because of |
| --- | ---: | --- |
| a | 1 | a sentence that is longer than the columns of numbers are |

![Mix](page/mix.svg)
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(old), "*"))
	if diff := cmp.Diff([]string{filepath.Join(filepath.Dir(old), "mix.svg")}, left); err != nil || diff != "" {
		t.Errorf("%v, plots (-want +got):\n%s", err, diff)
	}
}
