package capacity

import (
	"math"
	"slices"

	"miramundo.dev/scripts/scale/world"
)

// Items of a bill.
const (
	ItemRequests  = "Cloud Run: requests"
	ItemProcessor = "Cloud Run: processors and memory, by request"
	ItemKept      = "Cloud Run: processors and memory, by instance"
	ItemReads     = "Firestore: reads"
	ItemWrites    = "Firestore: writes"
	ItemDeletes   = "Firestore: deletes"
	ItemEvents    = "Pub/Sub: events"
	ItemBalancer  = "load balancer"
	ItemLookups   = "CDN: lookups"
	ItemEgress    = "bytes to people"
	ItemJobs      = "scheduler"
)

// Items are the items of a bill, in the order in which they are shown.
var Items = []string{ItemRequests, ItemProcessor, ItemKept, ItemReads, ItemWrites, ItemDeletes, ItemEvents, ItemBalancer, ItemLookups, ItemEgress, ItemJobs}

// A Bill is what a month costs, in USD, by item.
type Bill map[string]float64

// Sum returns the sum of the items.
func (b Bill) Sum() (sum float64) {
	for _, item := range Items {
		sum += b[item]
	}
	return sum
}

// Bill returns the bill of a month of 30 days on each of which so many people use the
// service.
func (m *Model) Bill(people float64, s Setup) Bill {
	hours := map[float64]float64{} // how many have a weight
	for _, weight := range m.Hours.Weights {
		hours[weight]++
	}
	var sum Rates // of a month
	for _, weight := range m.weights() {
		l := Load{people, weight, m.People.Channels.Value}
		for _, p := range Parts {
			if people > 0 {
				sum.add(m.Outcome(p, l, s).Rates, hours[weight]*3600*month/day)
			}
		}
	}
	m.addJobs(&sum)
	return m.price(sum)
}

// weights returns the different weights of hours, in the order in which they come.
func (m *Model) weights() (list []float64) {
	seen := map[float64]bool{}
	for _, weight := range m.Hours.Weights {
		if !seen[weight] {
			seen[weight] = true
			list = append(list, weight)
		}
	}
	return list
}

// addJobs adds what is paid for without people: jobs, the probes of one stream of each
// channel, and instances that never stop.
func (m *Model) addJobs(r *Rates) {
	runs := m.Cloud.JobRuns.Value
	r.Requests += runs
	r.Processor += runs * m.Cloud.JobSeconds.Value
	r.Memory += runs * m.Cloud.JobSeconds.Value
	r.Reads += runs * m.Cloud.JobReads.Value
	r.Writes += runs * m.Cloud.JobWrites.Value
	streams := m.People.Channels.Value * 30
	r.Reads += streams * m.Cloud.ProbeReads.Value
	r.Writes += streams * m.Cloud.ProbeWrites.Value
	r.Processor += streams * m.processor(m.Cloud.ProbeCPU.Value)
	kept := max(m.Cloud.Kept.Value*month-r.ProcessorKept, 0)
	r.ProcessorKept += kept
	r.MemoryKept += kept / 2
}

// price returns what a month costs whose sums are r.
func (m *Model) price(r Rates) Bill {
	p := m.Prices
	return Bill{
		ItemRequests:  r.Requests / 1e6 * p.Requests.Value,
		ItemProcessor: r.Processor*p.Processor.Value + r.Memory*p.Memory.Value,
		ItemKept:      r.ProcessorKept*p.ProcessorKept.Value + r.MemoryKept*p.MemoryKept.Value,
		ItemReads:     r.Reads / 1e5 * p.Reads.Value,
		ItemWrites:    r.Writes / 1e5 * p.Writes.Value,
		ItemDeletes:   r.Deletes / 1e5 * p.Deletes.Value,
		ItemEvents:    r.Events / (1 << 40) * p.Events.Value,
		ItemBalancer:  month/3600*p.BalancerHour.Value + r.BalancerThrough/gib*p.BalancerBytes.Value,
		ItemLookups:   r.Lookups / 1e4 * p.Lookups.Value,
		ItemEgress:    r.Egress / gib * p.Egress.Value,
		ItemJobs:      max(m.Cloud.Jobs.Value-p.JobsFree.Value, 0) * p.Job.Value,
	}
}

// Counted prices documents, and bytes that leave, in USD.
func Counted(p world.Prices, reads, writes, bytes float64) float64 {
	return reads/1e5*p.Reads.Value + writes/1e5*p.Writes.Value + bytes/gib*p.Egress.Value
}

// PeopleFor returns how many people a day make so many requests a month, playlists
// included.
func (m *Model) PeopleFor(requests float64) float64 {
	perDay := 0.0
	for _, c := range m.Calls {
		perDay += c.PerDay
	}
	return requests / 30 / perDay
}

// quantile returns a quantile of some values; 0 without any.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(math.Ceil(q*float64(len(sorted)))), len(sorted))-1]
}
