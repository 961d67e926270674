package functions

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The tests below hold the rules and the dashboard in infra/observe to the metrics that
// processes show, and docs/operating.md to the alerts.

const observe = "../infra/observe"

// text returns the text of a file.
func text(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// shown returns the names of all series that processes and Prometheus itself show.
func shown(t *testing.T) []string {
	t.Helper()
	names := []string{"up"}
	for line := range strings.Lines(text(t, "../shared/metrics/testdata/metrics.txt")) {
		name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind == "histogram" {
			names = append(names, name+"_bucket", name+"_count", name+"_sum")
			continue
		}
		names = append(names, name)
	}
	return names
}

var (
	recordPattern = regexp.MustCompile(`(?m)record: (\S+)`)
	alertPattern  = regexp.MustCompile(`(?m)alert: (\S+)`)
	namePattern   = regexp.MustCompile(`\b(?:miramundo|process|go)[_:][a-z0-9_:]+`)
	routePattern  = regexp.MustCompile(`route(!?)="(/[^"]*)"`)
)

// all returns what the first group of a pattern matches in a text.
func all(pattern *regexp.Regexp, in string) (found []string) {
	for _, m := range pattern.FindAllStringSubmatch(in, -1) {
		found = append(found, m[1])
	}
	return found
}

// unknown returns the names in queries that are none of the known ones.
func unknown(queries string, known []string) (names []string) {
	for _, name := range namePattern.FindAllString(queries, -1) {
		if !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	return names
}

// TestRules checks that the rules name only metrics and routes that exist, and that each
// alert has a place in docs/operating.md, and none is there that does not exist.
func TestRules(t *testing.T) {
	rules := text(t, observe, "rules.yml")
	expressions := strings.Join(strings.Split(rules, "\ngroups:")[1:], "")
	expressions = recordPattern.ReplaceAllString(expressions, "")
	expressions = strings.ReplaceAll(expressions, "docs/operating.md", "")
	known := slices.Concat(shown(t), all(recordPattern, rules), []string{"miramundo-objectives", "miramundo-alerts"})
	if names := unknown(expressions, known); names != nil {
		t.Errorf("the rules name %q, which no process shows", names)
	}
	routes := text(t, "../infra/functions.json")
	for _, m := range routePattern.FindAllStringSubmatch(rules, -1) {
		if !strings.Contains(routes, " "+m[2]+`"`) {
			t.Errorf("the rules name the route %s, which does not exist", m[2])
		}
	}
	var documented []string
	for line := range strings.Lines(text(t, "../docs/operating.md")) {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			documented = append(documented, strings.TrimSpace(name))
		}
	}
	alerts := all(alertPattern, rules)
	slices.Sort(alerts)
	slices.Sort(documented)
	if !slices.Equal(alerts, documented) || len(alerts) == 0 {
		t.Errorf("docs/operating.md describes the alerts %q, and the rules raise %q", documented, alerts)
	}
	for _, name := range alerts {
		if !strings.Contains(rules, "runbook: docs/operating.md#"+strings.ToLower(name)+"\n") {
			t.Errorf("the alert %s does not lead to its place in docs/operating.md", name)
		}
	}
}

// A dashboard is what these tests read of dashboard.json.
type dashboard struct {
	Panels []struct {
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ Expr string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	if err := json.Unmarshal([]byte(text(t, observe, "dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDashboard checks that each panel of the dashboard asks for metrics and recorded
// series that exist, and that no two panels share a place.
func TestDashboard(t *testing.T) {
	known := slices.Concat(shown(t), all(recordPattern, text(t, observe, "rules.yml")))
	taken := map[string]string{}
	for _, p := range readDashboard(t).Panels {
		if len(p.Targets) == 0 {
			t.Errorf("the panel %q asks for nothing", p.Title)
		}
		for _, q := range p.Targets {
			if names := unknown(q.Expr, known); names != nil || !namePattern.MatchString(q.Expr) {
				t.Errorf("the panel %q asks for %q, which is unknown: %s", p.Title, names, q.Expr)
			}
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := fmt.Sprint(p.GridPos.X+x, " ", p.GridPos.Y+y)
				if other, ok := taken[at]; ok || p.GridPos.X+x >= 24 {
					t.Fatalf("the panels %q and %q share a place, or stand outside", other, p.Title)
				}
				taken[at] = p.Title
			}
		}
	}
}

// TestRulesRun has promtool check the rules and the queries of the dashboard, and run the
// cases of the rules, where it is installed.
func TestRulesRun(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	queries := filepath.Join(t.TempDir(), "queries.yml")
	if err := os.WriteFile(queries, asRules(t, readDashboard(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "rules", "rules.yml"}, {"check", "rules", queries}, {"test", "rules", "rules_test.yml"}} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = observe
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// asRules returns the queries of a dashboard as a rule file, which promtool can check.
func asRules(t *testing.T, d dashboard) []byte {
	t.Helper()
	type rule struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var rules []rule
	for i, p := range d.Panels {
		for j, q := range p.Targets {
			rules = append(rules, rule{fmt.Sprintf("panel:%d_%d", i, j), strings.ReplaceAll(q.Expr, "$__rate_interval", "5m")})
		}
	}
	file, err := json.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	return file
}
