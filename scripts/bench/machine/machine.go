// Package machine describes the machine that a run of the bench is made on, and
// measures how fast it is.
package machine

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// pageSize is the number of channels on the page of a gauge.
const pageSize = 20

// The time of encoding/json on the machine of the goals, and the size of its page in
// bytes.
const (
	designJSON = 36100 * time.Nanosecond
	designPage = 21_900
)

// A Gauge measures how much slower this machine is at the moment than the one on
// which the goals were set. It times encoding/json on a page of 20 channels and
// compares with designJSON, the time on that machine. Read it before every
// measurement: a shared machine may change its speed by half from one second to the
// next.
type Gauge struct{ page *catalog.Page }

// NewGauge returns a gauge that encodes a page of v.
func NewGauge(v *index.View) (Gauge, error) {
	g := Gauge{new(catalog.Page)}
	q := index.Query{Selection: filter.Selection{Kind: "all", Playable: true}, Limit: pageSize}
	_, total := v.Find(q)
	q.Offset = max(0, min(1000, total-pageSize)) // past the names that begin with digits
	body := v.Search(q, 0, nil)
	if err := json.Unmarshal(body, g.page); err != nil {
		return g, fmt.Errorf("a page of the index is not valid JSON: %w", err)
	}
	if len(g.page.Items) < pageSize {
		return g, fmt.Errorf("the catalog has %d channels that play, want at least %d", len(g.page.Items), pageSize)
	}
	return g, nil
}

// Slower returns the factor by which this machine is slower now, such as 2 when it
// needs twice the time.
func (g Gauge) Slower() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var body []byte
	took := Measure(func() { body, _ = json.Marshal(g.page) })
	return float64(took) / float64(designJSON) * designPage / float64(len(body))
}

// A Factor says how much slower a machine was during a run than the one on which the
// goals were set.
type Factor struct{ Readings []float64 }

// Add reads g five times and keeps the middle: a single reading may meet a switch of
// the thread.
func (f *Factor) Add(g Gauge) {
	var near [5]float64
	for i := range near {
		near[i] = g.Slower()
	}
	slices.Sort(near[:])
	f.Readings = append(f.Readings, near[len(near)/2])
}

// String returns the median of the readings, with the least and the greatest.
func (f Factor) String() string {
	if len(f.Readings) == 0 {
		return "not measured"
	}
	list := slices.Sorted(slices.Values(f.Readings))
	return fmt.Sprintf("%.2f (%.2f to %.2f in %d readings)", list[len(list)/2], list[0], list[len(list)-1], len(list))
}

// Info describes a machine.
type Info struct {
	Cores  int    // that the process may use
	CPU    string // the model, as Linux names it
	Memory string // such as "23.5 GiB"
	Kernel string
	Load   string // mean number of processes that ran or waited in the minute before, without the bench
	Go     string // version and platform
}

// Describe returns what this machine is. What the system does not tell is "unknown".
func Describe() Info {
	i := Info{Cores: runtime.NumCPU(), CPU: field("/proc/cpuinfo", "model name"), Load: "unknown", Memory: "unknown", Kernel: "unknown"}
	i.Go = fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	var kb float64
	if _, err := fmt.Sscan(field("/proc/meminfo", "MemTotal"), &kb); err == nil {
		i.Memory = fmt.Sprintf("%.1f GiB", kb/(1<<20))
	}
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		i.Load, _, _ = strings.Cut(string(data), " ")
	}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		i.Kernel = unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:])
	}
	return i
}

// field returns the first value of a name in a file of lines "name: value".
func field(file, name string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
