package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/agent"
)

// Counts are what was counted in some time. They are added in any order, with the
// same result.
type Counts struct {
	Routes   map[string]Route  `json:"routes,omitempty"`   // by method and path, such as "GET /api/channels"; Unmatched for calls that no route takes
	Labels   map[string]int64  `json:"labels,omitempty"`   // by a family and a name, such as "tools/search_channels"
	Sketches map[string]Sketch `json:"sketches,omitempty"` // of what is counted once for each different thing: Visitors and Plays
}

// Unmatched stands for the route of calls that match none.
const Unmatched = "unmatched"

// Bounds are the upper bounds of the buckets in which answers are counted by their
// time; the last bucket has none.
var Bounds = [...]time.Duration{
	5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond,
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 5 * time.Second,
}

// Times count answers by the bucket of their time.
type Times [len(Bounds) + 1]int64

// A Route is what was counted of one route.
type Route struct {
	Calls  int64 `json:"calls"`
	Client int64 `json:"client,omitempty"` // answered with a fault of the caller
	Server int64 `json:"server,omitempty"` // answered with a fault of ours
	Bytes  int64 `json:"bytes,omitempty"`  // of bodies, as they were sent
	Times  Times `json:"times"`            // sockets are not among them
}

// OK returns how many calls were answered without a fault.
func (r Route) OK() int64 { return r.Calls - r.Client - r.Server }

// add adds what was counted elsewhere.
func (r *Route) add(other Route) {
	r.Calls += other.Calls
	r.Client += other.Client
	r.Server += other.Server
	r.Bytes += other.Bytes
	for i, n := range other.Times {
		r.Times[i] += n
	}
}

// Families of labels.
const (
	calls        = "calls"         // by surface and kind of caller, as Calls names them
	assistants   = "assistants"    // by [agent.Class.Family]
	Tools        = "tools"         // calls of MCP tools, by tool
	ClientErrors = "client_errors" // reports of failures in browsers, by code
	Purchases    = "purchases"     // by product
)

// Label returns the label of a name in a family.
func Label(family, name string) string { return family + "/" + name }

// callsLabel returns the label of the calls of a surface by callers of a kind.
func callsLabel(s Surface, k agent.Kind) string { return calls + "/" + s.String() + "/" + k.String() }

// Calls returns how many calls of a surface came from callers of some kinds; of any
// kind but tests when none is given.
func (c Counts) Calls(s Surface, kinds ...agent.Kind) (n int64) {
	for k := range agent.Kinds {
		if len(kinds) == 0 && k != agent.Test || slices.Contains(kinds, k) {
			n += c.Labels[callsLabel(s, k)]
		}
	}
	return n
}

// Family returns the labels of a family, by name.
func (c Counts) Family(family string) map[string]int64 {
	of := map[string]int64{}
	for label, n := range c.Labels {
		if name, ok := strings.CutPrefix(label, family+"/"); ok {
			of[name] = n
		}
	}
	return of
}

// Assistants returns the calls of AI agents by family.
func (c Counts) Assistants() map[string]int64 { return c.Family(assistants) }

// Total returns what was counted of all routes together.
func (c Counts) Total() (total Route) {
	for _, r := range c.Routes {
		total.add(r)
	}
	return total
}

// Limits of counts. Routes come from the tables of the service. Names of labels may
// come from callers: past the limit they are counted under the name "other" of their
// family, so that no caller makes a document grow without end.
const (
	maxRoutes = 900
	maxLabels = 600 // of a day in one shard
	maxNamed  = 400 // of a tally, besides those of calls and assistants
	maxName   = 200
	other     = "other"
)

// Add adds what was counted elsewhere.
func (c *Counts) Add(more Counts) {
	if c.Routes == nil {
		c.Routes = make(map[string]Route, len(more.Routes))
	}
	for name, r := range more.Routes {
		sum := c.Routes[name]
		sum.add(r)
		c.Routes[name] = sum
	}
	if c.Labels == nil {
		c.Labels = make(map[string]int64, len(more.Labels))
	}
	for label, n := range more.Labels {
		c.Labels[bounded(c.Labels, label, maxLabels)] += n
	}
	if c.Sketches == nil {
		c.Sketches = make(map[string]Sketch, len(more.Sketches))
	}
	for name, s := range more.Sketches {
		c.Sketches[name] = c.Sketches[name].union(s)
	}
}

// bounded returns the label under which a label is counted among at most max labels
// and one more for each family.
func bounded(labels map[string]int64, label string, max int) string {
	if _, ok := labels[label]; ok || len(labels) < max {
		return label
	}
	family, _, _ := strings.Cut(label, "/")
	return Label(family, other)
}

// check returns why the counts are not such as a Meter publishes.
func (c Counts) check() error {
	if len(c.Routes) > maxRoutes || len(c.Labels) > maxLabels+len(families) {
		return fmt.Errorf("%d routes and %d labels", len(c.Routes), len(c.Labels))
	}
	for name, r := range c.Routes {
		if err := checkCount(name, min(r.Calls, r.Client, r.Server, r.Bytes, r.OK())); err != nil {
			return err
		}
		for _, n := range r.Times {
			if err := checkCount(name, n); err != nil {
				return err
			}
		}
	}
	for label, n := range c.Labels {
		if err := checkCount(label, n); err != nil {
			return err
		}
	}
	for name, s := range c.Sketches {
		if name != Visitors && name != Plays {
			return fmt.Errorf("a sketch of %.20q", name)
		}
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

var families = []string{calls, assistants, Tools, ClientErrors, Purchases}

// checkCount returns why a name does not have a count.
func checkCount(name string, n int64) error {
	if name == "" || len(name) > maxName || n < 0 {
		return fmt.Errorf("%d of %.40q", n, name)
	}
	return nil
}
