package round

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"miramundo.dev/shared/probe"
)

// A Report is the result of a round, as the operator sees it in the runs of the
// job. Counts are of measurements unless noted.
type Report struct {
	Targets   int                  `json:"targets"`   // streams that can be measured
	Due       int                  `json:"due"`       // of them when the round began
	Measured  int                  `json:"measured"`  // witnesses aside
	Witnesses int                  `json:"witnesses"` // measured to check whether our own network works
	Kept      int                  `json:"kept"`      // of what was measured
	Dropped   int                  `json:"dropped"`   // of what was measured, as void
	Void      string               `json:"void"`      // why results were dropped; empty when they were believed
	Left      int                  `json:"left"`      // due, and not measured
	Found     map[probe.Status]int `json:"found"`     // measurements by status
	Reasons   map[string]int       `json:"reasons"`   // why streams do not work
	Requests  int64                `json:"requests"`  // of all measurements
	Bytes     int64                `json:"bytes"`     // read by all measurements
	Hosts     int                  `json:"hosts"`     // with measured streams
	Slowest   []HostReport         `json:"slowest"`   // the hosts whose measurements took longest in total
	Steps     map[string]int64     `json:"steps_ms"`  // milliseconds that each step took
}

// A HostReport sums up the measurements of one host.
type HostReport struct {
	Host     string  `json:"host"`
	Measured int     `json:"measured"`
	Seconds  float64 `json:"seconds"` // of all measurements together
}

// slowest is the number of hosts that a report names.
const slowest = 5

// NewReport returns the report of a round that has not started.
func NewReport() *Report {
	return &Report{Found: map[probe.Status]int{}, Reasons: map[string]int{}, Slowest: []HostReport{}, Steps: map[string]int64{}}
}

// step adds the duration of a step to that of the earlier ones of that name.
func (r *Report) step(name string, took time.Duration) { r.Steps[name] += took.Milliseconds() }

// add counts a measurement.
func (r *Report) add(o *outcome) {
	if o.task.witness {
		r.Witnesses++
	} else {
		r.Measured++
	}
	r.Found[o.result.Status]++
	if reason := probe.Clip(o.result.Reason); reason != "" && o.result.Status != probe.Online {
		r.Reasons[reason]++
	}
	r.Requests += int64(o.result.Requests)
	r.Bytes += o.result.Bytes
	o.task.host.measured++
	o.task.host.spent += o.took
}

// hosts adds the hosts of an agenda.
func (r *Report) hosts(a *agenda) {
	var list []*host
	for h := range maps.Values(a.hosts) {
		if h.measured > 0 {
			list = append(list, h)
		}
	}
	r.Hosts = len(list)
	slices.SortFunc(list, func(a, b *host) int { return cmp.Or(cmp.Compare(b.spent, a.spent), cmp.Compare(a.name, b.name)) })
	for _, h := range list[:min(len(list), slowest)] {
		r.Slowest = append(r.Slowest, HostReport{h.name, h.measured, h.spent.Seconds()})
	}
}
