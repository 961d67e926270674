package vitrine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/agent"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/wire/wiretest"
)

// The simulation of this file counts visits at several processes, of which some are
// killed, over a bus that loses answers and delivers events repeatedly and in another
// order, to counters of which some are killed after a commit. Beside that it keeps
// every raw event of a tally that reached the bus. A recount of these, by code that
// shares nothing with the counting but the classes of User-Agents, must come to every
// number that is published.

// A raw is one thing that happened.
type raw struct {
	answer usage.Answer
	person int    // who opened a page
	play   string // key of a play, or ""
	tool   string
}

// agents are the User-Agents of the simulation, with their kinds.
var agents = []struct {
	text string
	kind agent.Kind
}{
	{firefox, agent.Person}, {firefox, agent.Person}, {firefox, agent.Person}, {gptbot, agent.Assistant},
	{"Bingbot", agent.Crawler}, {"curl/8", agent.Program}, {"VLC/3.0.21 LibVLC/3.0.21", agent.Player}, {"mm-smoke", agent.Test},
}

// aVisit returns what one visitor did at a time.
func aVisit(rnd *rand.Rand, at time.Time) raw {
	surfaces := append(usage.Uses(), usage.Files, usage.Internal)
	r := raw{person: rnd.IntN(30_000), answer: usage.Answer{
		Surface: surfaces[rnd.IntN(len(surfaces))], Agent: agents[rnd.IntN(len(agents))].text, At: at,
		Status: []int{200, 200, 200, 200, 304, 404, 503}[rnd.IntN(7)], Bytes: rnd.Int64N(100_000), Took: time.Duration(rnd.Int64N(int64(9 * time.Second))),
	}}
	r.answer.Route = fmt.Sprintf("GET /%s/%d", r.answer.Surface, rnd.IntN(8))
	switch rnd.IntN(10) {
	case 0:
		sum := sha256.Sum256(fmt.Append(nil, at.YearDay(), "/", rnd.IntN(20_000))) // the key of a play has its day
		r.play = hex.EncodeToString(sum[:16])
	case 1:
		r.tool = fmt.Sprint("tool_", rnd.IntN(5))
	}
	return r
}

func person(n int) identity.Caller {
	return identity.Caller{Addr: netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), UserAgent: firefox}
}

// A process counts, and keeps what it counted since its last tally.
type process struct {
	*usage.Meter
	open []raw
	cut  [][]raw // by tally, of those that the bus has not seen
	keys map[string]bool
	net  *network
}

// A network is a bus that keeps events and delivers them later.
type network struct {
	bus.Bus
	t       *testing.T
	rnd     *rand.Rand
	events  []bus.Event
	durable []raw // of every tally that reached the bus
	calls   int   // of Publish
}

// path is a process's way to the network.
type path struct {
	*network
	from *process
}

var errLost = errors.New("no answer")

// Publish keeps an event, or fails, or both.
func (p path) Publish(_ context.Context, _ string, events ...bus.Event) error {
	p.calls++
	chance := p.rnd.IntN(10)
	if chance == 0 {
		return errLost
	}
	for _, e := range events {
		tally, err := fact.Decode[usage.Tally](e)
		if err != nil {
			p.t.Fatal(err)
		}
		p.events = append(p.events, e)
		if !p.from.keys[tally.Key] {
			p.from.keys[tally.Key] = true
			p.durable = append(p.durable, p.from.cut[0]...)
			p.from.cut = p.from.cut[1:]
		}
	}
	if chance == 1 {
		return errLost // although the event is kept
	}
	return nil
}

// newProcess starts a process, whose clock is not used.
func (n *network) newProcess() *process {
	p := &process{net: n, keys: map[string]bool{}}
	p.Meter = usage.NewMeter(usage.Options{
		Bus: path{n, p}, People: identity.NewPeople(keyringtest.Ring(strings.Repeat("k", 32))), Every: 10_000 * time.Hour,
		Now: func() time.Time { return p.open[len(p.open)-1].answer.At },
	})
	return p
}

// count counts a raw event. One of another day than the one before begins a tally.
func (p *process) count(r raw) {
	if len(p.open) > 0 && p.open[len(p.open)-1].answer.At.Day() != r.answer.At.Day() {
		p.cut, p.open = append(p.cut, p.open), nil
	}
	p.open = append(p.open, r)
	kind := p.Answered(r.answer)
	if r.answer.Surface == usage.Site && kind == agent.Person {
		p.Visitor(person(r.person), r.answer.At)
	}
	if r.play != "" {
		p.Play(r.play, r.answer.At)
	}
	if r.tool != "" {
		p.Add(usage.Tools, r.tool)
	}
}

// publish has a process publish, until it succeeds or fails.
func (p *process) publish() error {
	if len(p.open) > 0 {
		p.cut, p.open = append(p.cut, p.open), nil
	}
	return p.Publish(p.net.t.Context())
}

// deliver delivers every event once or more, in another order, to counters that are
// killed now and then after a commit: the event comes again to another one.
func (n *network) deliver(db store.DB, now func() time.Time) {
	var all []bus.Event
	for _, e := range n.events {
		for range 1 + n.rnd.IntN(3) {
			all = append(all, e)
		}
	}
	n.rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	counter := func() *fact.Counter[*usage.Counted] {
		return fact.NewCounter(usage.Book, fact.Options[*usage.Counted]{DB: db, Now: now})
	}
	c := counter()
	for _, e := range all {
		if err := c.Count(n.t.Context(), usage.Topic, e); err != nil {
			n.t.Fatal(err)
		}
		if n.rnd.IntN(20) == 0 {
			c = counter() // the one before is gone without an acknowledgement
			if err := c.Count(n.t.Context(), usage.Topic, e); err != nil {
				n.t.Fatal(err)
			}
		}
	}
}

// recount returns the counts of each day, from the raw events alone, with the numbers
// of different visitors and plays of each day.
func recount(events []raw) (days map[string]*recounted) {
	days = map[string]*recounted{}
	for _, r := range events {
		day := r.answer.At.UTC().Format(time.DateOnly)
		d := days[day]
		if d == nil {
			d = &recounted{Routes: map[string]usage.Route{}, Labels: map[string]int64{}, visitors: map[int]bool{}, plays: map[string]bool{}}
			days[day] = d
		}
		d.add(r)
	}
	return days
}

// A recounted is what happened on a day.
type recounted struct {
	Routes   map[string]usage.Route
	Labels   map[string]int64
	visitors map[int]bool
	plays    map[string]bool
}

func (d *recounted) add(r raw) {
	i := slices.IndexFunc(agents, func(a struct {
		text string
		kind agent.Kind
	}) bool {
		return a.text == r.answer.Agent
	})
	kind, route := agents[i].kind, d.Routes[r.answer.Route]
	route.Calls++
	route.Bytes += r.answer.Bytes
	if r.answer.Status >= 500 {
		route.Server++
	} else if r.answer.Status >= 400 {
		route.Client++
	}
	slot := 0
	for slot < len(usage.Bounds) && r.answer.Took > usage.Bounds[slot] {
		slot++
	}
	route.Times[slot]++
	d.Routes[r.answer.Route] = route
	if r.answer.Surface.IsUse() {
		d.Labels[fmt.Sprintf("calls/%s/%s", r.answer.Surface, kind)]++
		if kind == agent.Assistant {
			d.Labels["assistants/OpenAI"]++
		}
	}
	if r.answer.Surface == usage.Site && kind == agent.Person {
		d.visitors[r.person] = true
	}
	if r.play != "" {
		d.plays[r.play] = true
	}
	if r.tool != "" {
		d.Labels["tools/"+r.tool]++
	}
}

// TestRecount simulates 100,000 visits of nine days at eight processes.
func TestRecount(t *testing.T) {
	const visits, days, processes = 100_000, 9, 8
	rnd := rand.New(rand.NewPCG(15, 5))
	n := &network{t: t, rnd: rnd}
	all := make([]*process, processes)
	for i := range all {
		all[i] = n.newProcess()
	}
	start := noon.AddDate(0, 0, 1-days).Truncate(24 * time.Hour)
	killed := 0
	for v := range visits {
		at := start.Add(time.Duration(v) * (days * 24 * time.Hour / visits))
		i := rnd.IntN(processes)
		all[i].count(aVisit(rnd, at))
		switch rnd.IntN(600) {
		case 0: // what it counted since its last tally is lost
			killed++
			all[i] = n.newProcess()
		case 1, 2, 3, 4:
			_ = all[i].publish() // what fails is published later
		}
	}
	for _, p := range all {
		for p.publish() != nil {
		}
	}
	db := wiretest.OpenDB(t)
	end := start.Add(days * 24 * time.Hour)
	n.deliver(db, func() time.Time { return end })
	t.Logf("%d visits, %d of them in %d tallies; %d processes were killed", visits, len(n.durable), len(n.events), killed)
	if killed < 100 || len(n.durable) < visits/2 || len(n.durable) == visits {
		t.Errorf("%d kills and %d raw events are no test", killed, len(n.durable))
	}
	o := Options{DB: db, Now: func() time.Time { return end.Add(-1) }, Uses: Uses{Guests: []string{"GET /api/1", "GET /api/2"}},
		Catalog: func(context.Context) (*CatalogNumbers, error) { return nil, nil }}
	if _, err := NewJob(o).Run(t.Context(), job.Order{}); err != nil {
		t.Fatal(err)
	}
	p, err := Read(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_, exact, err := p.Decode()
	if err != nil {
		t.Fatal(err)
	}
	checkCounts(t, db, recount(n.durable))
	checkPublished(t, exact, recount(n.durable))
}

// checkCounts compares the counts of each day.
func checkCounts(t *testing.T, db store.DB, want map[string]*recounted) {
	names := slices.Sorted(maps.Keys(want))
	got, err := usage.Read(t.Context(), db, names...)
	if err != nil {
		t.Fatal(err)
	}
	for i, day := range names {
		if d := gocmp.Diff(want[day].Routes, got[i].Routes); d != "" {
			t.Errorf("%s: routes (-recount +published):\n%s", day, d)
		}
		if d := gocmp.Diff(want[day].Labels, got[i].Labels); d != "" {
			t.Errorf("%s: labels (-recount +published):\n%s", day, d)
		}
	}
}

// checkPublished compares every number of the publication with the raw events.
func checkPublished(t *testing.T, exact OperatorNumbers, want map[string]*recounted) {
	names := slices.Sorted(maps.Keys(want))
	equal := func(what string, got Number, want int64) {
		t.Helper()
		if got == nil || *got != want {
			t.Errorf("%s: published %v, recounted %d", what, text(got), want)
		}
	}
	near := func(what string, got Number, want int) { // the estimate of a sketch
		t.Helper()
		if off := float64(*got-int64(want)) / float64(want); off < -0.025 || off > 0.025 {
			t.Errorf("%s: published %d, recounted %d", what, *got, want)
		}
	}
	sums := func(what string, got NumberSums, days []string) {
		label, visitors, plays := map[string]int64{}, 0, 0
		for _, day := range days {
			for name, n := range want[day].Labels {
				label[name] += n
			}
			visitors, plays = visitors+len(want[day].visitors), plays+len(want[day].plays)
		}
		total := func(prefix string, kinds ...string) (n int64) {
			for name, more := range label {
				surface, kind, _ := strings.Cut(strings.TrimPrefix(name, "calls/"), "/")
				if strings.HasPrefix(name, "calls/") && surface == prefix && slices.Contains(kinds, kind) {
					n += more
				}
			}
			return n
		}
		everyone := []string{"person", "assistant", "crawler", "program", "player"}
		equal(what+" pages", got.Pages, label["calls/site/person"])
		equal(what+" API", got.API, total("api", everyone...)+total("mcp", everyone...))
		equal(what+" AI", got.AI, total("api", "assistant")+total("mcp", everyone...))
		equal(what+" machine", got.Machine, total("site", everyone[1:]...)+total("documents", everyone[1:]...))
		near(what+" visitors", got.Visitors, visitors)
		near(what+" plays", got.Use, plays)
	}
	for i, day := range exact.Days {
		sums(day.Day, day.NumberSums, names[i:i+1])
	}
	sums("today", exact.Today.NumberSums, names[len(names)-1:])
	sums("week", exact.Windows.Week.NumberSums, names[len(names)-7:])
	sums("month", exact.Windows.Month.NumberSums, names)
	var guests, calls, server, tools, assistants int64
	for _, d := range want {
		for route, r := range d.Routes {
			calls, server = calls+r.Calls, server+r.Server
			if route == "GET /api/1" || route == "GET /api/2" {
				guests += r.Calls - r.Client - r.Server
			}
		}
		for name, n := range d.Labels {
			if strings.HasPrefix(name, "tools/") {
				tools += n
			}
		}
		assistants += d.Labels["assistants/OpenAI"]
	}
	equal("guests", exact.Accounts.Guests, guests)
	equal("calls", exact.Quality.Calls, calls)
	equal("failures of a million", exact.Quality.Failures, (server*1_000_000+calls/2)/calls)
	equal("OpenAI", exact.Agents.Families[0].Count, assistants)
	var listed int64
	for _, tool := range exact.MCP.Tools {
		listed += *tool.Count
	}
	equal("tools", &listed, tools)
}

func text(n Number) string { return fmt.Sprint(*cmp.Or(n, new(int64)), n == nil) }
