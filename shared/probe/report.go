package probe

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// A Report says what a round did.
type Report struct {
	Targets   int              `json:"targets"`   // streams that can be measured
	Due       int              `json:"due"`       // of them when the round began
	Measured  int              `json:"measured"`  // witnesses aside
	Witnesses int              `json:"witnesses"` // measured to tell whether the own network works
	Kept      int              `json:"kept"`      // of what was measured
	Dropped   int              `json:"dropped"`   // of what was measured, as void
	Void      string           `json:"void"`      // why; empty when the results were believed
	Left      int              `json:"left"`      // due, and not measured
	Found     map[Status]int   `json:"found"`     // measurements by what they found
	Reasons   map[string]int   `json:"reasons"`   // of those that found a stream not to work
	Requests  int64            `json:"requests"`  // made for that
	Bytes     int64            `json:"bytes"`     // read for that
	Hosts     int              `json:"hosts"`     // that streams were measured of
	Slowest   []HostReport     `json:"slowest"`   // hosts that took the longest together
	Steps     map[string]int64 `json:"steps_ms"`  // milliseconds that each step took
}

// A HostReport says what the streams of one host took.
type HostReport struct {
	Host     string  `json:"host"`
	Measured int     `json:"measured"`
	Seconds  float64 `json:"seconds"` // of all measurements together
}

// slowest is how many hosts a report names.
const slowest = 5

// NewReport returns the report of a round that has not begun.
func NewReport() *Report {
	return &Report{Found: map[Status]int{}, Reasons: map[string]int{}, Slowest: []HostReport{}, Steps: map[string]int64{}}
}

func (r *Report) step(name string, took time.Duration) { r.Steps[name] += took.Milliseconds() }

// add counts a measurement.
func (r *Report) add(o *outcome) {
	if o.task.witness {
		r.Witnesses++
	} else {
		r.Measured++
	}
	r.Found[o.result.Status]++
	if reason := clip(o.result.Reason); reason != "" && o.result.Status != Online {
		r.Reasons[reason]++
	}
	r.Requests += int64(o.result.Requests)
	r.Bytes += o.result.Bytes
	o.task.host.measured++
	o.task.host.spent += o.took
}

// hosts says what the hosts of a took.
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
