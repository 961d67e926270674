package oversearch

import (
	"encoding/json"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"miramundo.dev/scripts/bench/table"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// cpu returns the processor time that this thread has used.
func cpu() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// processCPU returns the processor time that the process has used.
func processCPU() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// measure returns the processor time of one call of do. It repeats the call
// until the calls take longer than the resolution of the clock.
func measure(do func()) time.Duration {
	const exact = 60 * time.Microsecond
	do()
	for n := 1; ; n *= 2 {
		start := cpu()
		for range n {
			do()
		}
		if took := cpu() - start; took >= exact || n >= 1<<12 {
			return took / time.Duration(n)
		}
	}
}

// allocations returns the number of allocations of one call of do.
func allocations(do func()) float64 {
	const calls = 20
	var before, after runtime.MemStats
	do()
	runtime.ReadMemStats(&before)
	for range calls {
		do()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / calls
}

// quantile returns the p-quantile of list, which it sorts.
func quantile(list []time.Duration, p float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(len(list)-1, int(p*float64(len(list))))]
}

// median returns the middle of list, which it sorts.
func median[T int | float64 | time.Duration](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

// A figure is a processor time: as measured here (reached), and converted to the
// machine on which the goals were measured (scaled).
type figure struct{ reached, scaled time.Duration }

// A gauge measures how much slower this machine is at the moment than the one on
// which the goals were measured. It times encoding/json on a page of 20 channels
// and compares with designJSON, the time on that machine. It is read before
// every measurement, because a shared machine may change its speed by half from
// one second to the next.
type gauge struct{ page *catalog.Page }

// The time of encoding/json on the machine of the goals, and the size of its page in bytes.
const (
	designJSON = 36100 * time.Nanosecond
	designPage = 21_900
)

func newGauge(v *index.View) gauge {
	g := gauge{new(catalog.Page)}
	body := v.Search(index.Query{Selection: filter.Selection{Kind: "all", Playable: true}, Limit: pageSize, Offset: 1000}, 0, nil)
	if json.Unmarshal(body, g.page) != nil {
		panic("bench: a page of the index is not valid JSON")
	}
	return g
}

// slower returns the factor by which this machine is slower now.
func (g gauge) slower() float64 {
	var body []byte
	took := measure(func() { body, _ = json.Marshal(g.page) })
	return float64(took) / float64(designJSON) * designPage / float64(len(body))
}

// figures are the results of several runs of one measurement.
type figures struct {
	reached, scaled []time.Duration
	slower          []float64
}

// add adds a run that was made while the machine was slower by the given factor.
func (f *figures) add(reached time.Duration, slower float64) {
	f.reached = append(f.reached, reached)
	f.scaled = append(f.scaled, time.Duration(float64(reached)/slower))
	f.slower = append(f.slower, slower)
}

func (f *figures) median() figure { return figure{median(f.reached), median(f.scaled)} }

// timeRow prints a processor time as measured, the same on the machine of the goals,
// and the goal, which is compared with the latter.
func timeRow(t *table.Table, name string, f figure, goal time.Duration) {
	t.Row(name, table.Micros(f.reached), table.Micros(f.scaled), table.Micros(goal), table.Verdict(f.scaled <= goal))
}
