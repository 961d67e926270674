package oversearch

import (
	"fmt"
	"runtime"
	"time"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog/index"
)

// A timer measures the time of whole pages. It must be used from one locked
// thread.
type timer struct {
	report *report.Report
	view   *index.View
	runs   int
	gauge  machine.Gauge
	buf    []byte
}

// withTimer calls do with a timer on a thread of its own.
func withTimer(t *report.Report, v *index.View, runs int, do func(*timer)) error {
	gauge, err := machine.NewGauge(v)
	if err != nil {
		return err
	}
	m := &timer{t, v, runs, gauge, make([]byte, 0, 1<<20)}
	m.locked(func() { do(m) })
	return nil
}

// locked calls do on a thread of its own.
func (m *timer) locked(do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	do()
}

// classTimes are the times of the searches of a class.
type classTimes struct {
	p50, p99, mean figure
	slower         []float64
	allocs         float64 // the most of one search
}

// measure measures the searches of c, and adds a row for them.
func (m *timer) measure(c class) classTimes {
	ct := m.times(c)
	for _, q := range c.queries {
		ct.allocs = max(ct.allocs, allocations(func() { m.search(q) }))
	}
	m.report.Row(c.name, report.Micros(ct.p50.reached), report.Micros(ct.p99.reached), report.Micros(ct.p99.scaled), fmt.Sprintf("%.1f", ct.allocs))
	return ct
}

// times measures the times of the searches of c.
func (m *timer) times(c class) classTimes {
	var p50, p99, mean figures
	for range m.runs {
		speed := m.gauge.Slower()
		times := make([]time.Duration, 0, len(c.queries))
		sum := time.Duration(0)
		for _, q := range c.queries {
			took := machine.Measure(func() { m.search(q) })
			times, sum = append(times, took), sum+took
		}
		p50.add(quantile(times, 0.5), speed)
		p99.add(quantile(times, 0.99), speed)
		mean.add(sum/time.Duration(max(1, len(times))), speed)
	}
	return classTimes{p50: p50.median(), p99: p99.median(), mean: mean.median(), slower: p99.slower}
}

func (m *timer) search(q index.Query) { m.buf = m.view.Search(q, 0, m.buf[:0]) }

// worse returns the larger times of f and g.
func (f figure) worse(g figure) figure {
	return figure{max(f.reached, g.reached), max(f.scaled, g.scaled)}
}

// timePart measures each class of searches with the spec's orders, and returns
// the mean of the mix.
func timePart(m *timer, work []class, g goal) figure {
	t := m.report
	t.Head("class", "p50 µs", "p99 µs", "p99 scaled", "allocs")
	var mix, worst figure
	var slower []float64
	most, mostWords := 0.0, 0.0
	for _, c := range work {
		ct := m.measure(c)
		if c.words() {
			mostWords = max(mostWords, ct.allocs)
		} else {
			most = max(most, ct.allocs)
		}
		mix.reached += ct.mean.reached * time.Duration(c.weight) / 100
		mix.scaled += ct.mean.scaled * time.Duration(c.weight) / 100
		worst = worst.worse(ct.p99)
		slower = append(slower, ct.slower...)
	}
	t.Row("this machine, times slower than the goals'", fmt.Sprintf("%.2f", median(slower)))
	t.Head("figure", "reached", "scaled", "goal", "")
	timeRow(t, "worst class p99, µs", worst, g.worst)
	timeRow(t, "mix mean, µs", mix, g.mix)
	t.Goal("allocations without q", fmt.Sprintf("%.1f", most), "0", most < 0.5)
	t.Goal("allocations with q", fmt.Sprintf("%.1f", mostWords), fmt.Sprint(g.words), mostWords <= g.words)
	return mix
}

// typedPart measures the classes of searches by relevance, which are apart from
// the mix.
func typedPart(m *timer, work []class, g goal) {
	t := m.report
	t.Head("class, by relevance", "p50 µs", "p99 µs", "p99 scaled", "allocs")
	var worst figure
	for _, c := range work {
		worst = worst.worse(m.measure(c).p99)
	}
	t.Head("figure", "reached", "scaled", "goal", "")
	timeRow(t, "by relevance: worst class p99, µs", worst, g.typed)
}
