package clienterror

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Bounds of what one process keeps of one minute. A defect of a page that everybody
// opens repeats one failure, so that a few different ones are enough to see it.
const (
	maxFailures = 100     // different ones; further ones are only counted
	maxReports  = 10_000  // in all
	perNetwork  = 30      // reports of one network
	maxNetworks = 1 << 14 // counted separately; reports of further ones are dropped
)

// Options are what a Merger works with.
type Options struct {
	Log *slog.Logger
	Now func() time.Time

	// Counted is called with the code of each report that is taken, or with OtherCode for
	// a code that no page of the service sends; nil counts nothing.
	Counted func(code string)

	// After calls f once d has passed; nil is time.AfterFunc.
	After func(d time.Duration, f func())
}

// A Merger merges reports. It may be used concurrently. What a process ends with before
// its minute is over is lost, unless Flush is called.
type Merger struct {
	Options
	mu       sync.Mutex
	minute   int64                // Unix minute of what follows; guarded by mu, as all below
	failures map[Report]int       // how often each was reported
	order    []Report             // of failures, by their first report
	networks map[netip.Prefix]int // reports of each
	reports  int
	dropped  int // beyond a bound
}

// NewMerger returns a merger without reports.
func NewMerger(o Options) *Merger {
	if o.After == nil {
		o.After = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	}
	m := &Merger{Options: o}
	m.clear(0)
	return m
}

// clear begins a minute. The caller holds mu, but for a new merger.
func (m *Merger) clear(minute int64) {
	m.minute, m.reports, m.dropped = minute, 0, 0
	m.failures, m.networks, m.order = map[Report]int{}, map[netip.Prefix]int{}, nil
}

// Take takes a report of a network, which it redacts first. It drops a report that is not
// valid, and one beyond a bound. The first report of a minute has what was merged logged
// at its end.
func (m *Merger) Take(r Report, from netip.Prefix) {
	if !m.admit(from) {
		return
	}
	r, ok := r.Clean()
	if !ok {
		return
	}
	m.mu.Lock()
	if _, known := m.failures[r]; !known && len(m.failures) >= maxFailures {
		m.dropped++
	} else {
		if !known {
			m.order = append(m.order, r)
		}
		m.failures[r]++
	}
	m.mu.Unlock()
	if m.Counted == nil {
		return
	}
	if slices.Contains(codes, r.Code) {
		m.Counted(r.Code)
	} else {
		m.Counted(OtherCode)
	}
}

// admit reports whether a network may report in this minute. It begins a minute when
// another is over, and logs that one.
func (m *Merger) admit(from netip.Prefix) bool {
	now := m.Now()
	minute := now.Unix() / 60
	m.mu.Lock()
	defer m.mu.Unlock()
	if minute != m.minute {
		m.log()
		m.clear(minute)
		m.After(time.Unix((minute+1)*60, 0).Sub(now), func() { m.end(minute) })
	}
	_, known := m.networks[from]
	if m.reports >= maxReports || m.networks[from] >= perNetwork || !known && len(m.networks) >= maxNetworks {
		m.dropped++
		return false
	}
	m.reports++
	m.networks[from]++
	return true
}

// end logs a minute, unless a later one has begun.
func (m *Merger) end(minute int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.minute == minute {
		m.log()
		m.clear(0)
	}
}

// Flush logs what was reported since the last minute ended.
func (m *Merger) Flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log()
	m.clear(0)
}

// Event names the log records of merged reports.
const Event = "client_error"

// log writes one record for each failure, and one for what was dropped. The caller holds
// mu.
func (m *Merger) log() {
	for _, r := range m.order {
		m.Log.LogAttrs(context.Background(), slog.LevelWarn, Event,
			slog.String("code", r.Code), slog.String("phase", r.Phase), slog.String("path", r.Path), slog.String("text", r.Message),
			slog.String("stack", r.Stack), slog.String("source", r.Source), slog.Int("line", r.Line), slog.Int("column", r.Column),
			slog.Bool("visible", r.Visible), slog.Int("count", m.failures[r]), slog.Time("minute", time.Unix(m.minute*60, 0).UTC()))
	}
	if m.dropped > 0 {
		m.Log.LogAttrs(context.Background(), slog.LevelWarn, Event, slog.String("code", "dropped"), slog.Int("count", m.dropped))
	}
}
