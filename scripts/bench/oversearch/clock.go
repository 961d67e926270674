package oversearch

import (
	"runtime"
	"slices"
	"time"

	"miramundo.dev/scripts/bench/report"
)

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
func timeRow(t *report.Report, name string, f figure, goal time.Duration) {
	t.Row(name, report.Micros(f.reached), report.Micros(f.scaled), report.Micros(goal), report.Verdict(f.scaled <= goal))
}
