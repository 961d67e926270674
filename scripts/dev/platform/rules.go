package platform

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

// A Process is what the deployment has for one function or container: an entry of
// infra/functions.json.
type Process struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // Function or Container
	Host   string   `json:"host"` // MainHost, or of its own
	Routes []string `json:"routes"`
}

// Values of the fields of a Process.
const (
	Function  = "function"
	Container = "container"
	MainHost  = "main"
)

// ReadProcesses reads the file that the deployment is made from.
func ReadProcesses(path string) ([]Process, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Process
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// Balance returns a handler that leads the requests of the main host to services, by
// the routes of processes. A path is led to the process that has it, whatever the
// method; where several have it, the method decides, and a container goes first. What
// no process has goes to the service rest, which knows how to say so.
func Balance(processes []Process, services map[string]http.Handler, rest string) (http.Handler, error) {
	if services[rest] == nil {
		return nil, fmt.Errorf("there is no service %s", rest)
	}
	b := &balancer{mux: http.NewServeMux(), rest: services[rest]}
	paths := map[string][]owner{}
	all := slices.Clone(processes)
	slices.SortStableFunc(all, func(x, y Process) int { return cmp.Compare(x.Kind, y.Kind) }) // containers first
	for _, p := range all {
		for _, route := range p.Routes {
			if p.Host != MainHost {
				continue
			}
			if services[p.Name] == nil {
				return nil, fmt.Errorf("%s has routes, and is no service", p.Name)
			}
			method, path, ok := strings.Cut(route, " ")
			if !ok {
				return nil, fmt.Errorf("the route %q of %s is no method and path", route, p.Name)
			}
			paths[path] = append(paths[path], owner{method, p.Name})
		}
	}
	for path, owners := range paths {
		first := owners[0].name
		b.mux.Handle(path, target{services[first]})
		var taken []string
		for _, o := range owners {
			if o.name != first && !slices.Contains(taken, o.method) {
				b.mux.Handle(o.method+" "+path, target{services[o.name]})
			}
			taken = append(taken, o.method)
		}
	}
	return b, nil
}

// A target is the service of a route. [http.ServeMux] has handlers of its own besides, which
// redirect or refuse.
type target struct{ http.Handler }

// An owner is a process that has a path, with a method.
type owner struct{ method, name string }

// A balancer leads requests to services.
type balancer struct {
	mux  *http.ServeMux
	rest http.Handler
}

// ServeHTTP leads a request to its service. Unlike [http.ServeMux] it redirects
// nothing, as the load balancer does.
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, _ := b.mux.Handler(r)
	if t, ok := h.(target); ok && clean(r.URL.Path) {
		t.ServeHTTP(w, r)
		return
	}
	b.rest.ServeHTTP(w, r)
}

// clean reports whether http.ServeMux takes a path as it is.
func clean(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") && !strings.Contains(path+"/", "/./") && !strings.Contains(path+"/", "/../")
}
