package functions

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/infra/routing"
	"miramundo.dev/shared/chat"
)

// Processes that answer what no other does.
const (
	pagesProcess = "web"
	apiProcess   = "describe" // has the index of the API
	apiPrefix    = "/api/"
)

// routes computes the routing from the processes of the main host.
//
// Rules compare methods only where two processes share a path, so that each process answers
// itself what it does not allow, and preflights of browsers. Containers come first: a
// function may have a route that a container has too, for processes without that container.
// Then come whole paths, then templates, which may match them too.
func routes(all []deployed) (routing.Routing, error) {
	r := routing.Routing{Default: pagesProcess}
	var containers, shared, exact, wild []routing.Rule
	list := ways(all)
	own := ownFolders(list)
	for _, w := range list {
		processes := w.processes
		switch {
		case w.container != "":
			containers = w.add(containers, w.container, nil)
			continue
		case len(processes) == 1 && processes[0] == pagesProcess:
			continue
		case len(processes) == 2 && len(w.writers) == 1 && !slices.Contains(processes, pagesProcess):
			reader := slices.DeleteFunc(slices.Clone(processes), func(p string) bool { return p == w.writers[0] })
			shared = append(shared, routing.Rule{Process: reader[0], Methods: []string{"GET", "HEAD"}, Paths: []string{w.path}})
			processes = w.writers
		case len(processes) > 1:
			return r, fmt.Errorf("%s is answered by %q", w.path, processes)
		}
		if strings.Contains(w.path, "*") || own[rootFolder(w.path)] {
			wild = w.add(wild, processes[0], own)
		} else {
			exact = w.add(exact, processes[0], nil)
		}
	}
	r.Rules = slices.Concat(containers, shared, exact, wild, []routing.Rule{{Process: apiProcess, Prefixes: []string{apiPrefix}}})
	return r, nil
}

// A way is a path of the main host with the processes that have routes there.
type way struct {
	path      string // with * in place of each wildcard
	processes []string
	writers   []string // those with another method than GET
	container string   // the one that is a container
}

// ways returns the paths of the main host in the order of the table.
func ways(all []deployed) []*way {
	var list []*way
	byPath := map[string]*way{}
	for _, d := range all {
		if d.Host != "main" {
			continue
		}
		for _, route := range d.Routes {
			method, path, _ := strings.Cut(route, " ")
			path = template(strings.TrimSuffix(path, "{$}"))
			w := byPath[path]
			if w == nil {
				w = &way{path: path}
				byPath[path], list = w, append(list, w)
			}
			if !slices.Contains(w.processes, d.Name) {
				w.processes = append(w.processes, d.Name)
			}
			if method != "GET" && !slices.Contains(w.writers, d.Name) {
				w.writers = append(w.writers, d.Name)
			}
			if d.Kind == "container" {
				w.container = d.Name
			}
		}
	}
	return list
}

// ownFolders returns the folders at the root that one process alone has, with several
// paths with wildcards: a prefix leads to it, since the load balancer takes few templates.
func ownFolders(list []*way) map[string]bool {
	owner, wild, own := map[string]string{}, map[string]int{}, map[string]bool{}
	for _, w := range list {
		folder := rootFolder(w.path)
		for _, p := range w.processes {
			if other, ok := owner[folder]; ok && other != p {
				p = "several"
			}
			owner[folder] = p
		}
		if strings.Contains(w.path, "*") {
			wild[folder]++
		}
	}
	for folder, process := range owner {
		own[folder] = wild[folder] > 1 && process != "several" && process != pagesProcess && !strings.Contains(folder, "*")
	}
	return own
}

// rootFolder returns the first segment of a path, with both slashes.
func rootFolder(path string) string {
	first, _, _ := strings.Cut(path[1:], "/")
	return "/" + first + "/"
}

// add adds the path to the rule of a process, or its folder where that is the process's own.
func (w *way) add(rules []routing.Rule, process string, own map[string]bool) []routing.Rule {
	i := slices.IndexFunc(rules, func(r routing.Rule) bool { return r.Process == process })
	if i < 0 {
		i, rules = len(rules), append(rules, routing.Rule{Process: process})
	}
	if folder := rootFolder(w.path); own[folder] {
		if !slices.Contains(rules[i].Prefixes, folder) {
			rules[i].Prefixes = append(rules[i].Prefixes, folder)
		}
	} else if strings.Contains(w.path, "*") {
		rules[i].Templates = append(rules[i].Templates, w.path)
	} else {
		rules[i].Paths = append(rules[i].Paths, w.path)
	}
	return rules
}

// template returns a path with * in place of each wildcard.
func template(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		switch {
		case strings.HasSuffix(s, "...}"):
			segments[i] = "**" // any number of segments; only pages have such a path
		case strings.HasPrefix(s, "{"):
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}

// TestRouting keeps the rules of the load balancer in step with the table, and sends it a
// request for each route: it reaches the process that has the route.
func TestRouting(t *testing.T) {
	all := allDeployed()
	r, err := routes(all)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../infra/routes.json", indented(t, r))
	for _, d := range all {
		if d.Host != "main" {
			continue
		}
		for _, route := range d.Routes {
			method, path, _ := strings.Cut(route, " ")
			path = strings.ReplaceAll(template(strings.TrimSuffix(path, "{$}")), "*", "x.1")
			want := d.Name
			if route == "GET "+chat.SocketPath {
				want = "chatroom" // which the function chat has too
			}
			if got := r.Find(method, path); got != want {
				t.Errorf("%s %s leads to %s, want %s", method, path, got, want)
			}
			if head := r.Find("HEAD", path); method == "GET" && head != r.Find(method, path) {
				t.Errorf("HEAD %s leads to %s", path, head)
			}
		}
	}
	for request, want := range map[string]string{
		"GET /api/chat/x.1/ws": "chatroom", "GET /api/nothing/here": apiProcess, "GET /nothing/here": pagesProcess,
		"GET /api/categories": "facets", "POST /api/categories": "library", "OPTIONS /api/categories": "library",
		"DELETE /api/channels/x.1": "catalog",
	} {
		method, path, _ := strings.Cut(request, " ")
		if got := r.Find(method, path); got != want {
			t.Errorf("%s leads to %s, want %s", request, got, want)
		}
	}
	for _, problem := range problems(r) {
		t.Error(problem)
	}
}

// Limits of the load balancer for one host, as its documentation lists them: conditions
// over all rules, templates over all rules, and wildcards and characters of a template.
const (
	maxConditions    = 1000
	maxTemplates     = 100
	maxWildcards     = 5
	maxTemplateChars = 255
)

// problems returns the limits of the load balancer that r exceeds.
func problems(r routing.Routing) (all []string) {
	var conditions, templates int
	for _, rule := range r.Rules {
		matches := len(rule.Paths) + len(rule.Templates) + len(rule.Prefixes)
		conditions += matches * max(1, 2*len(rule.Methods)) // a method doubles the condition that it is in
		templates += len(rule.Templates) * max(1, len(rule.Methods))
		for _, t := range rule.Templates {
			if strings.Count(t, "*") > maxWildcards || len(t) > maxTemplateChars {
				all = append(all, t+" has too many wildcards or characters")
			}
		}
	}
	if conditions > maxConditions || templates > maxTemplates {
		all = append(all, fmt.Sprintf("%d conditions, at most %d, of which %d templates, at most %d", conditions, maxConditions, templates, maxTemplates))
	}
	return all
}

// TestRoutes computes rules of tables that the service does not have.
func TestRoutes(t *testing.T) {
	function := func(name string, routes ...string) deployed {
		return deployed{Name: name, Kind: "function", Host: "main", Routes: routes}
	}
	last := routing.Rule{Process: apiProcess, Prefixes: []string{apiPrefix}}
	for _, test := range []struct {
		name  string
		all   []deployed
		rules []routing.Rule
		err   string
	}{
		{"a path and a template", []deployed{function("a", "GET /a/{x}", "POST /a/b")}, []routing.Rule{
			{Process: "a", Paths: []string{"/a/b"}}, {Process: "a", Templates: []string{"/a/*"}}, last,
		}, ""},
		{"pages are the default", []deployed{function("web", "GET /a")}, []routing.Rule{last}, ""},
		{"two read and write", []deployed{function("a", "GET /a"), function("b", "POST /a")}, []routing.Rule{
			{Process: "a", Methods: []string{"GET", "HEAD"}, Paths: []string{"/a"}}, {Process: "b", Paths: []string{"/a"}}, last,
		}, ""},
		{"two write", []deployed{function("a", "PUT /a"), function("b", "POST /a")}, nil, "is answered by"},
		{"three", []deployed{function("a", "GET /a"), function("b", "POST /a"), function("c", "PUT /a")}, nil, "is answered by"},
		{"a page and an endpoint", []deployed{function("a", "POST /a"), function("web", "GET /a")}, nil, "is answered by"},
		{"another host", []deployed{{Name: "a", Kind: "function", Host: "own", Routes: []string{"GET /a"}}}, []routing.Rule{last}, ""},
		{"a container", []deployed{function("a", "GET /a/{x}/ws"), {Name: "c", Kind: "container", Host: "main", Routes: []string{"GET /a/{x}/ws"}}}, []routing.Rule{
			{Process: "c", Templates: []string{"/a/*/ws"}}, last,
		}, ""},
	} {
		r, err := routes(test.all)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: error %v, want %q", test.name, err, test.err)
			}
			continue
		}
		if diff := cmp.Diff(test.rules, r.Rules); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
		}
	}
	many := routing.Routing{Rules: []routing.Rule{{Templates: slices.Repeat([]string{"/a/*"}, maxTemplates+1)}, {Templates: []string{"/*/*/*/*/*/*"}}}}
	if got := problems(many); len(got) != 2 {
		t.Errorf("too many templates and wildcards: %q", got)
	}
}
