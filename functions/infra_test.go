package functions

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	chatroom "miramundo.dev/chatroom/server"
	"miramundo.dev/hop/server"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
)

// A deployed is an entry of infra/functions.json: what the deployment of one
// function or container must provide.
type deployed struct {
	Name      string            `json:"name"`
	Kind      string            `json:"kind"`    // "function" or "container"
	Host      string            `json:"host"`    // "main", or "own" for a host of its own
	Private   bool              `json:"private"` // only the platform calls it
	Cached    bool              `json:"cached"`  // shared caches may keep some of its answers
	Opens     []compose.Need    `json:"opens"`   // the parts that a process opens
	Requires  []string          `json:"requires,omitempty"`
	Secrets   []string          `json:"secrets,omitempty"` // that it reads, required or not
	Settings  []string          `json:"settings"`          // others that it reads, besides those of every process
	Publishes []string          `json:"publishes,omitempty"`
	Receives  []string          `json:"receives,omitempty"`
	Rejects   []string          `json:"rejects,omitempty"`   // topics of dead letters to which it publishes what can never be counted
	Replays   []string          `json:"replays,omitempty"`   // subscriptions of dead letters from which it pulls
	Delivery  *delivery         `json:"delivery,omitempty"`  // of the subscriptions that it receives
	Schedules map[string]string `json:"schedules,omitempty"` // how often each job runs
	Routes    []string          `json:"routes"`
}

// delivery is how Pub/Sub delivers events that fail. Each subscription has the dead
// letters "{subscription}-dead", a topic with one subscription of the same retention.
type delivery struct {
	MinBackoff string `json:"min_backoff"`
	MaxBackoff string `json:"max_backoff"`
	Attempts   int    `json:"attempts"`
	Retention  string `json:"retention"`
}

func deliveryOf(r bus.Retry) *delivery {
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.0fs", d.Seconds()) }
	return &delivery{MinBackoff: seconds(r.MinBackoff), MaxBackoff: seconds(r.MaxBackoff), Attempts: r.Attempts, Retention: seconds(r.Keep)}
}

// deployedOf returns what a process of a kind declares, without the settings that a
// deployed process refuses.
func deployedOf(p compose.Process, kind, host string, routes []string) deployed {
	d := deployed{
		Name: p.Name, Kind: kind, Host: host, Opens: compose.Expand(p.Needs...), Settings: []string{},
		Publishes: p.Publishes, Receives: p.Receives, Routes: routes, Schedules: map[string]string{},
	}
	for _, setting := range p.Requirement().Settings {
		d.Requires = append(d.Requires, slices.DeleteFunc(config.Alternatives(setting), config.LocalOnly)...)
	}
	for _, name := range slices.DeleteFunc(p.Reads(), config.LocalOnly) {
		if config.Secret(name) {
			d.Secrets = append(d.Secrets, name)
		} else {
			d.Settings = append(d.Settings, name)
		}
	}
	if len(p.Receives) > 0 {
		d.Delivery, d.Rejects = deliveryOf(bus.Patient), deadOf(p.Receives)
	}
	if slices.Contains(p.Needs, compose.Jobs) { // among which is the one that replays
		d.Replays = deadOf(subscriptions())
	}
	for _, s := range p.Schedules {
		d.Schedules[s.Job] = shortDuration(s)
	}
	return d
}

// deadOf returns the names of the dead letters of subscriptions.
func deadOf(subscriptions []string) (names []string) {
	for _, s := range subscriptions {
		names = append(names, s+"-dead")
	}
	return names
}

// shortDuration returns how often a job runs, such as 6h and not 6h0m0s.
func shortDuration(s compose.Schedule) string {
	return zeroUnits.ReplaceAllString(s.Every.String(), "$1")
}

var zeroUnits = regexp.MustCompile(`([hm])(?:0m)?0s$`)

// platformCalls reports whether an endpoint is called by subscriptions or the scheduler.
func platformCalls(e api.Endpoint) bool {
	return e.Credential == api.EventsToken || e.Credential == api.JobsToken
}

// patterns returns the method and path of each path of e.
func patterns(e api.Endpoint) (all []string) {
	for _, path := range e.Paths() {
		all = append(all, e.Method+" "+path)
	}
	return all
}

// allDeployed returns the entries of infra/functions.json.
func allDeployed() []deployed {
	var all []deployed
	for _, f := range All() {
		host, routes := "main", []string{}
		if f.Apart {
			host = "own"
		}
		for _, e := range f.Endpoints {
			routes = append(routes, patterns(e)...)
		}
		d := deployedOf(f.Declared(), "function", host, routes)
		d.Private = !slices.ContainsFunc(f.Endpoints, func(e api.Endpoint) bool { return !platformCalls(e) })
		d.Cached = slices.ContainsFunc(f.Endpoints, func(e api.Endpoint) bool { return strings.HasPrefix(string(e.Cache), "public") })
		all = append(all, d)
	}
	all = append(all, deployedOf(server.Process, "container", "own", []string{}))
	return append(all, deployedOf(chatroom.Process, "container", "main", []string{"GET " + chat.SocketPath}))
}

// TestInfraSettings keeps the settings that go together in step with package config.
func TestInfraSettings(t *testing.T) {
	golden(t, "../infra/settings.json", indented(t, map[string]any{"together": config.Together()}))
}

// TestInfra keeps what the deployment reads in step with the table.
func TestInfra(t *testing.T) {
	golden(t, "../infra/functions.json", indented(t, allDeployed()))
}

// indented returns a value as JSON.
func indented(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// A size is an entry of infra/sizing.json: what one service gets, and why.
type size struct {
	CPU         string `json:"cpu"`
	Memory      string `json:"memory"`
	Concurrency int    `json:"concurrency"` // requests that an instance answers at a time
	Min         int    `json:"min"`         // instances
	Max         int    `json:"max"`
	Billing     string `json:"billing"` // "request": while requests are under way; "instance": while instances run
	Timeout     int    `json:"timeout"` // seconds that a request may take
	Probe       string `json:"probe"`   // when an instance has started: "ready" with a catalog, "tcp" once it listens
	Reason      string `json:"reason"`

	Functions []string `json:"functions,omitempty"` // of a service of several
}

// sizing is infra/sizing.json.
type sizing struct {
	Each       map[string]size `json:"each"`
	Five       map[string]size `json:"five"`
	Containers map[string]size `json:"containers"`
}

func readSizing(t *testing.T) (s sizing) {
	t.Helper()
	text, err := os.ReadFile("../infra/sizing.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// names returns the keys of services in alphabetical order.
func names(services map[string]size) []string {
	var all []string
	for name := range services {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// TestSizing compares infra/sizing.json with the table: every function and container has
// a row, in both groupings, and no row is left over.
func TestSizing(t *testing.T) {
	s := readSizing(t)
	var functions, containers, grouped []string
	for _, d := range allDeployed() {
		if d.Kind == "function" {
			functions = append(functions, d.Name)
		} else {
			containers = append(containers, d.Name)
		}
	}
	for _, group := range s.Five {
		grouped = append(grouped, group.Functions...)
		if _, err := Together(group.Functions...); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(containers)
	slices.Sort(grouped)
	for _, c := range []struct {
		what      string
		want, got []string
	}{
		{"each", functions, names(s.Each)},
		{"functions of five", functions, grouped},
		{"containers", containers, names(s.Containers)},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-table +sizing.json):\n%s", c.what, diff)
		}
	}
	if len(s.Five) != 5 {
		t.Errorf("five has %d services", len(s.Five))
	}
	for _, group := range []map[string]size{s.Each, s.Five, s.Containers} {
		for name, z := range group {
			for _, problem := range z.problems() {
				t.Errorf("%s: %s", name, problem)
			}
		}
	}
}

// memories are those that the sizing uses, in MiB.
var memories = map[string]int{"256Mi": 256, "512Mi": 512, "1Gi": 1024, "2Gi": 2048}

// problems returns what the platform would refuse about a size, or what lacks a reason.
func (z size) problems() (all []string) {
	check := func(ok bool, problem string) {
		if !ok {
			all = append(all, problem)
		}
	}
	check(z.CPU == "1" || z.CPU == "2", "cpu must be 1 or 2: with less an instance answers one request at a time")
	check(memories[z.Memory] > 0, "memory must be one of those that the bill knows")
	check(z.Concurrency >= 1 && z.Concurrency <= 1000, "concurrency must be between 1 and 1000")
	check(z.Min >= 0 && z.Max >= max(z.Min, 1) && z.Max <= 100, "there must be between min and 100 instances, and at least one")
	check(z.Billing == "request" || z.Billing == "instance", "billing must be request or instance")
	check(z.Billing == "request" || memories[z.Memory] >= 512, "an instance that always has a processor needs 512Mi")
	check(z.Timeout >= 1 && z.Timeout <= 3600, "timeout must be between 1 and 3600 seconds")
	check(z.Probe == "ready" || z.Probe == "tcp", "probe must be ready or tcp")
	check(len(z.Reason) >= 30, "the reason is missing")
	return all
}

// TestSizes breaks each rule about a size.
func TestSizes(t *testing.T) {
	good := size{CPU: "1", Memory: "512Mi", Concurrency: 80, Max: 1, Billing: "request", Timeout: 60, Probe: "tcp", Reason: "It is an example for the tests of sizes."}
	if got := good.problems(); len(got) > 0 {
		t.Errorf("a good size: %q", got)
	}
	for name, change := range map[string]func(*size){
		"cpu":         func(z *size) { z.CPU = "0.5" },
		"memory":      func(z *size) { z.Memory = "lots" },
		"concurrency": func(z *size) { z.Concurrency = 2000 },
		"max":         func(z *size) { z.Max = 0 },
		"min":         func(z *size) { z.Min = 2 },
		"billing":     func(z *size) { z.Billing = "never" },
		"instance":    func(z *size) { z.Billing, z.Memory = "instance", "256Mi" },
		"timeout":     func(z *size) { z.Timeout = 4000 },
		"probe":       func(z *size) { z.Probe = "smoke" },
		"reason":      func(z *size) { z.Reason = "so" },
	} {
		bad := good
		change(&bad)
		if got := bad.problems(); len(got) == 0 {
			t.Errorf("%s: no problem is found with %+v", name, bad)
		}
	}
}
