// Package routing reads the rules by which the load balancer leads requests of the main
// host to processes, and follows them as it does. The local stack and tests use it; the
// deployment reads the same file.
package routing

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Routing is infra/routes.json: the first rule that matches wins.
type Routing struct {
	Rules   []Rule `json:"rules"`
	Default string `json:"default"` // the process of what no rule matches
}

// A Rule leads requests to a process. It matches by any of its paths, templates and
// prefixes.
type Rule struct {
	Process   string   `json:"process"`
	Methods   []string `json:"methods,omitempty"` // none: every method
	Paths     []string `json:"paths,omitempty"`
	Templates []string `json:"templates,omitempty"` // paths in which * is one segment
	Prefixes  []string `json:"prefixes,omitempty"`
}

// Read reads a file of rules.
func Read(path string) (Routing, error) {
	var r Routing
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if r.Default == "" {
		return r, fmt.Errorf("%s has no default", path)
	}
	return r, nil
}

// Find returns the process of a request.
func (r Routing) Find(method, path string) string {
	for i := range r.Rules {
		if r.Rules[i].matches(method, path) {
			return r.Rules[i].Process
		}
	}
	return r.Default
}

// Processes returns the processes that requests may be led to, each once.
func (r Routing) Processes() []string {
	all := []string{r.Default}
	for _, rule := range r.Rules {
		if !slices.Contains(all, rule.Process) {
			all = append(all, rule.Process)
		}
	}
	return all
}

func (r *Rule) matches(method, path string) bool {
	if len(r.Methods) > 0 && !slices.Contains(r.Methods, method) {
		return false
	}
	return slices.Contains(r.Paths, path) ||
		slices.ContainsFunc(r.Templates, func(t string) bool { return matches(t, path) }) ||
		slices.ContainsFunc(r.Prefixes, func(p string) bool { return strings.HasPrefix(path, p) })
}

// matches reports whether a path is of the form of a template.
func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] == "*" && got[i] == "" || want[i] != "*" && want[i] != got[i] {
			return false
		}
	}
	return true
}
