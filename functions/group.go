package functions

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
)

// A Group is functions that one process serves: usually one, and several where few
// processes are to cost less than many.
type Group []Function

// Together returns the functions with names as a group. Each must exist and be named
// once, and all must stand on the main host or all on hosts of their own: browsers may be
// told to use HTTPS alone on the main host, and nowhere else.
func Together(names ...string) (Group, error) {
	var g Group
	for i, name := range names {
		f, ok := Find(name)
		switch {
		case !ok:
			return nil, fmt.Errorf("%q is not a function; the functions are %q", name, Group(All()).names())
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("the function %s is named twice", name)
		case i > 0 && f.Apart != g[0].Apart:
			return nil, fmt.Errorf("%s and %s cannot be served together: one of them stands on a host of its own", g[0].Name, name)
		}
		g = append(g, f)
	}
	return g, nil
}

// names returns the names of the functions, in their order.
func (g Group) names() (all []string) {
	for _, f := range g {
		all = append(all, f.Name)
	}
	return all
}

// Declared returns what the functions declare together, as a process whose name lists
// theirs.
func (g Group) Declared() compose.Process {
	if len(g) == 1 {
		return g[0].Declared()
	}
	all := compose.Process{Name: strings.Join(g.names(), ",")}
	for _, f := range g {
		p := f.Declared()
		all.Needs = join(all.Needs, p.Needs)
		all.Secrets, all.Meter, all.Settings = join(all.Secrets, p.Secrets), join(all.Meter, p.Meter), join(all.Settings, p.Settings)
		all.Publishes, all.Receives = join(all.Publishes, p.Publishes), join(all.Receives, p.Receives)
		all.Schedules = append(all.Schedules, p.Schedules...)
	}
	return all
}

// join returns what is in a or b, each once and in alphabetical order.
func join[T ~string](a, b []T) []T {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Requirement returns the settings without which g refuses to start.
func (g Group) Requirement() config.Requirement {
	if len(g) == 1 {
		return g[0].Requirement()
	}
	r := g.Declared().Requirement()
	r.Process = "the process of the functions " + strings.Join(g.names(), ", ")
	return r
}

// Handler serves the functions over parts, which must have those that they need.
func (g Group) Handler(p *compose.Parts) (http.Handler, error) { return serve(p, g...) }
