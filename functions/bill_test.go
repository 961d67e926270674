package functions

import (
	"bufio"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The bill of infra/bill.md: what a month costs at list prices, from the sizes of services,
// the schedules of jobs, and the documents that requests were measured to read and write.

// Prices in USD, as the provider listed them between July and October 2026 for regions of its
// lowest tier. Free quotas are not subtracted.
const (
	perRequest     = 0.40 / 1e6 // of services that are billed by the request
	perCPUSecond   = 24e-6      // while requests are under way
	perGiBSecond   = 2.5e-6
	perCPUIdle     = 2.5e-6 // of an instance that is kept warm
	perCPUInstance = 18e-6  // of services that are billed by the instance
	perGiBInstance = 2e-6

	perRead, perWrite, perDelete = 0.03 / 1e5, 0.09 / 1e5, 0.01 / 1e5

	perEvent     = 2 * 40.0 / (1 << 30) // published and pushed, 1 KiB at least each; USD 40 per TiB
	perJob       = 0.10
	freeJobs     = 3
	balancer     = 0.025 * 730 // up to five forwarding rules
	perBalanced  = 0.008       // GiB
	perEgress    = 0.12        // GiB that the CDN does not send
	perCDNGiB    = 0.08
	perLookup    = 0.0075 / 1e4
	policies     = 2 * (5 + 1.0) // two, each with a rule
	perInspected = 0.75 / 1e6

	monthSeconds = 730 * 3600
	granularity  = 0.1 // seconds: what a request is billed for at least
)

// Assumptions, where nothing is measured.
const (
	jobReads, jobWrites, jobSeconds = 100, 25, 2.0 // of a run, on average over all jobs
	eventReads, eventWrites         = 2, 2         // of the transaction that counts an event
	busiest                         = 0.5          // of an instance's processor, before another is started
)

// A callKind is a kind of request with its share of all, in thousandths.
type callKind struct {
	process, route string // as in costs.golden; pages are not in it, and read nothing
	share          int
	kib            float64 // of an answer, compressed
	millis         float64 // of the processor
	hits           float64 // part that the CDN answers
	events         float64
}

// traffic is the assumed mixture of requests: visitors of pages, players, and some
// programs.
var traffic = []callKind{
	{"web", "GET /canal/{id}", 200, 12, 4, 0.5, 0},
	{"web", "GET /assets/{file}", 250, 20, 0.5, 0.95, 0},
	{"media", "GET /logos/{id}", 150, 10, 0.5, 0.9, 0},
	{"catalog", "GET /api/channels", 100, 3, 1, 0, 0},
	{"catalog", "GET /api/guide/now", 30, 6, 1, 0, 0},
	{"catalog", "GET /api/channels/{id}", 30, 3, 0.5, 0, 0},
	{"library", "GET /api/library", 20, 4, 2, 0, 0},
	{"history", "POST /api/history", 15, 1, 2, 0, 0},
	{"favorites", "POST /api/favorites", 5, 1, 2, 0, 1},
	{"reports", "POST /api/play-report", 20, 1, 2, 0, 1},
	{"account", "GET /api/me", 15, 1, 1, 0, 0},
	{"feeds", "GET /f/{token}/{file}", 15, 60, 10, 0, 0},
	{"mcp", "POST /mcp", 10, 3, 5, 0, 0},
	{"hop", "", 140, 1, 0.3, 0, 0},
}

// A plan is a way to deploy the service.
type plan struct {
	name     string
	grouping func(sizing) map[string]size
	armor    bool
	hopAsks  bool // the hop may have no instance
}

var plans = []plan{
	{"each function a service", func(s sizing) map[string]size { return s.Each }, true, false},
	{"five services", func(s sizing) map[string]size { return s.Five }, true, false},
	{"five services, nothing kept warm, no Cloud Armor", func(s sizing) map[string]size { return asleep(s.Five) }, false, true},
}

// asleep returns sizes without instances that are kept warm.
func asleep(services map[string]size) map[string]size {
	all := map[string]size{}
	for name, z := range services {
		z.Min = 0
		all[name] = z
	}
	return all
}

// load is what one service does in a month.
type load struct{ requests, seconds, processor float64 }

// parts of a bill, in the order in which they are shown.
var parts = []string{"Services", "Kept warm", "Hop", "Documents", "Events", "Jobs", "Load balancer", "Cloud Armor", "CDN", "Traffic"}

// bill returns what a month with some requests costs, by part.
func bill(t *testing.T, p plan, requests float64) map[string]float64 {
	s, docs := readSizing(t), measured(t)
	services := p.grouping(s)
	of := serviceOf(services)
	loads := map[string]load{}
	add := func(process string, n, seconds, processor float64) {
		l := loads[of[process]]
		loads[of[process]] = load{l.requests + n, l.seconds + n*max(seconds, granularity), l.processor + n*processor}
	}
	sum := map[string]float64{}
	var events, hopRequests, hopProcessor float64
	for _, v := range traffic {
		n := requests * float64(v.share) / 1000
		reached, gib := n*(1-v.hits), n*v.kib/(1<<20)
		if v.process == "hop" {
			hopRequests, hopProcessor = reached, reached*v.millis/1000
		} else {
			add(v.process, reached, v.millis/1000, v.millis/1000)
		}
		c := docs[v.route]
		sum["Documents"] += reached * (c[0]*perRead + c[1]*perWrite + c[2]*perDelete)
		sum["Traffic"] += gib*perBalanced + gib*(1-v.hits)*perEgress + gib*v.hits*perCDNGiB
		if v.hits > 0 {
			sum["CDN"] += n * perLookup
		}
		events += reached * v.events
	}
	events += summaries(loads, hopRequests)
	runs, jobs := jobRuns()
	add("jobs", runs, jobSeconds, jobSeconds/4)
	add("aggregate", events, 0, 0.003)
	sum["Documents"] += runs*(jobReads*perRead+jobWrites*perWrite) + events*(eventReads*perRead+eventWrites*perWrite)
	sum["Events"] = events * perEvent
	sum["Jobs"] = perJob * float64(jobs-freeJobs)
	sum["Load balancer"] = balancer
	for _, name := range names(services) { // in one order, so that sums are the same each time
		z, l := services[name], loads[name]
		gib := float64(memories[z.Memory]) / 1024
		instances := max(1, math.Ceil(l.processor/(monthSeconds*busiest)))
		active := min(l.seconds, monthSeconds*instances)
		sum["Services"] += l.requests*perRequest + active*(perCPUSecond+gib*perGiBSecond)
		sum["Kept warm"] += max(0, float64(z.Min)*monthSeconds-active) * (perCPUIdle + gib*perGiBSecond)
	}
	hop := float64(memories[s.Containers["hop"].Memory]) / 1024
	instances := max(1, math.Ceil(hopProcessor/(monthSeconds*busiest)))
	if p.hopAsks {
		instances = min(instances, hopRequests*granularity/monthSeconds*2) // it stays for a while after a request
	}
	sum["Hop"] = instances * monthSeconds * (perCPUInstance + hop*perGiBInstance)
	if p.armor {
		sum["Cloud Armor"] = policies + requests*perInspected
	}
	return sum
}

// serviceOf returns the service of each function.
func serviceOf(services map[string]size) map[string]string {
	of := map[string]string{}
	for name, z := range services {
		of[name] = name
		for _, f := range z.Functions {
			of[f] = name
		}
	}
	return of
}

// summaries returns the events by which processes publish what they counted: one a minute
// each, while they have something.
func summaries(loads map[string]load, hop float64) (events float64) {
	for _, name := range slices.Sorted(maps.Keys(loads)) {
		events += min(loads[name].requests, monthSeconds/60)
	}
	return events + min(hop, monthSeconds/60)
}

// jobRuns returns how many runs of jobs a month has, and how many jobs there are.
func jobRuns() (runs float64, jobs int) {
	for _, s := range Schedules() {
		runs += monthSeconds / s.Every.Seconds()
		jobs++
	}
	return runs, jobs
}

// measured returns the most documents that a call of each endpoint reads, writes and
// deletes, from costs.golden.
func measured(t *testing.T) map[string][3]float64 {
	t.Helper()
	f, err := os.Open("testdata/costs.golden")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string][3]float64{"GET /canal/{id}": {}, "GET /assets/{file}": {}, "": {}}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		w := strings.Fields(lines.Text()) // METHOD PATH reads R writes W deletes D
		var c [3]float64
		for i := range c {
			last := w[3+2*i]
			if c[i], err = strconv.ParseFloat(last[strings.LastIndexByte(last, '-')+1:], 64); err != nil {
				t.Fatal(err)
			}
		}
		all[w[0]+" "+w[1]] = c
	}
	for _, v := range traffic {
		if _, ok := all[v.route]; !ok {
			t.Errorf("the cost of %s is not in costs.golden", v.route)
		}
	}
	return all
}

// TestBill keeps infra/bill.md in step with the sizes, the schedules and the measured costs.
func TestBill(t *testing.T) {
	var b strings.Builder
	b.WriteString(billHead)
	volumes := []float64{0, 1e6, 1e8}
	for i, p := range plans {
		fmt.Fprintf(&b, "\n## %s\n\n| part | idle | 1 M requests | 100 M requests |\n|---|---:|---:|---:|\n", capital(p.name))
		totals := make([]float64, len(volumes))
		bills := make([]map[string]float64, len(volumes))
		for j, n := range volumes {
			bills[j] = bill(t, plans[i], n)
		}
		for _, part := range parts {
			fmt.Fprintf(&b, "| %s |", part)
			for j := range volumes {
				totals[j] += bills[j][part]
				fmt.Fprintf(&b, " %.2f |", bills[j][part])
			}
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "| **a month, USD** | **%.0f** | **%.0f** | **%.0f** |\n", totals[0], totals[1], totals[2])
	}
	b.WriteString(sizeTable(readSizing(t)))
	golden(t, "../infra/bill.md", b.String())
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// billHead says how the bill is computed.
const billHead = `# The monthly bill

Computed by ` + "`go test ./functions -run TestBill -update`" + ` from the sizes in ` + "`sizing.json`" + `, the schedules of the table, the
documents that each endpoint was measured to read and write (` + "`functions/testdata/costs.golden`" + `, the most of its calls), and list
prices in USD of July to October 2026 for regions of the lowest tier. Look the prices up before you rely on them; those of egress
differ most. Free quotas are not subtracted, and storage, logs and backups are not in it: a few dollars.

A request is billed for a tenth of a second at least, so that few requests cost more each than many, which overlap. The mixture of
requests is assumed (` + "`traffic` in `functions/bill_test.go`" + `): 45 % pages and their files, 14 % playlists of the hop, 16 % the catalog by
its API, 15 % logos, 10 % what belongs to people, feeds and agents. So are the documents of jobs and of counted events.
`

// sizeTable lists the sizes with their reasons.
func sizeTable(s sizing) string {
	var b strings.Builder
	b.WriteString("\n## The sizes, and why\n")
	for _, group := range []struct {
		title    string
		services map[string]size
	}{{"Each function a service", s.Each}, {"Five services", s.Five}, {"Containers", s.Containers}} {
		fmt.Fprintf(&b, "\n### %s\n\n| service | memory | requests at a time | instances | billed | a request may take | why |\n|---|---|---:|---|---|---:|---|\n", group.title)
		for _, name := range names(group.services) {
			z := group.services[name]
			fmt.Fprintf(&b, "| %s | %s | %d | %d to %d | by the %s | %s | %s |\n", label(name, z), z.Memory, z.Concurrency, z.Min, z.Max, z.Billing,
				zeroUnits.ReplaceAllString((time.Duration(z.Timeout)*time.Second).String(), "$1"), z.Reason)
		}
	}
	return b.String()
}

// label names a service with its functions.
func label(name string, z size) string {
	if len(z.Functions) == 0 || slices.Equal(z.Functions, []string{name}) {
		return "`" + name + "`"
	}
	return "`" + name + "`: " + strings.Join(z.Functions, ", ")
}
