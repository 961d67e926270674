// Package overprobe measures the cost of probing a whole catalog every day. It
// runs a part of a day at a hundred times its speed, with real requests to
// simulated origins on this machine, and extrapolates.
package overprobe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"miramundo.dev/scripts/bench/process"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/measure"
	"miramundo.dev/shared/probe/round"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

// The simulated day.
const (
	streams = 60_000
	speed   = 100 // simulated seconds in a second
	every   = 5 * time.Minute
	day     = 24 * time.Hour
)

// A bench is the state of the simulated day.
type bench struct {
	book    probe.Book
	meter   *storetest.Meter
	targets []probe.Target
	round   round.Round
	begun   time.Time // in real time

	rounds, measured, kept, late int
	requests, bytes              int64
}

// Run probes for the given real time, and adds the figures to t.
func Run(ctx context.Context, t *report.Report, length time.Duration) (err error) {
	o, err := startOrigins(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	dir, err := os.MkdirTemp("", "probe")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := embedded.Open(filepath.Join(dir, "db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	b := &bench{meter: storetest.NewMeter(db), begun: time.Now()}
	b.book = probe.Book{DB: b.meter}
	if err := b.settle(ctx, o); err != nil {
		return err
	}
	b.begin(o)
	before, cpu := b.meter.Ops(), processCPU()
	for time.Since(b.begun) < length {
		if err := b.once(ctx); err != nil {
			return err
		}
	}
	took, used, ops := time.Since(b.begun), processCPU()-cpu, b.meter.Ops().Less(before)
	peak, err := process.Peak()
	if err != nil {
		return err
	}
	b.show(t, took, used, peak, ops)
	return nil
}

// settle stores the states of a catalog that has been probed for a long time, so
// that streams are due evenly over the day.
func (b *bench) settle(ctx context.Context, o *origins) error {
	now := b.now()
	var list []probe.Entry
	for i := range streams {
		c := o.Cases[i%len(o.Cases)]
		t := c.Target
		t.ID, t.Popularity = catalog.StreamID(uint64(i+1)*0x9e3779b97f4a7c15), 0
		if i%100 == 0 {
			t.Popularity = 500
		}
		s := probe.State{Status: c.Want, At: now.Add(-20 * time.Hour), Score: 50, ScoredAt: now.Add(-20 * time.Hour)}
		switch c.Want {
		case probe.Online:
			s.OnlineAt = s.At
		case probe.Offline, probe.Timeout, probe.Error:
			s.FailingSince, s.Failures = now.Add(-5*day), 9
		}
		for due, _ := s.Due(t.ID, t.Popularity); !due.After(now); due, _ = s.Due(t.ID, t.Popularity) {
			s.At = due
		}
		b.targets, list = append(b.targets, t), append(list, probe.Entry{ID: t.ID, State: s})
	}
	return b.book.Keep(ctx, list, now, func(catalog.StreamID) bool { return true })
}

// begin starts the simulated clock, and divides the time limits of the service by
// its speed.
func (b *bench) begin(o *origins) {
	nowhere := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no name server") }
	b.begun = time.Now()
	b.round = round.Round{
		Measurer: measure.New(measure.Options{
			Origin: origin.New(origin.Options{
				Allow: o.Allow, PerHost: 1, Shoutcast: true, MaxInFlight: 256,
				Header: time.Second, Timeout: 2 * time.Second, Resolver: &net.Resolver{PreferGo: true, Dial: nowhere},
			}),
			Patience: 2 * time.Second, Now: b.now, Wait: func(context.Context, time.Duration) {},
		}),
		Keeper: b.book, Targets: b.targets, Own: o.Allow, Now: b.now,
		Limits: round.Limits{Rate: 20 * speed, Time: every * 9 / 10 / speed, Pause: 30 * time.Second / speed, Workers: 128},
	}
}

// now returns the simulated time.
func (b *bench) now() time.Time { return b.begun.Add(speed * time.Since(b.begun)) }

// once runs one round of probes, and waits until the next is due.
func (b *bench) once(ctx context.Context) error {
	start := time.Now()
	rep, err := b.round.Run(ctx)
	if err != nil {
		return err
	}
	b.rounds++
	b.measured += rep.Measured
	b.kept += rep.Kept
	b.late = rep.Left
	b.requests += rep.Requests
	b.bytes += rep.Bytes
	timer := time.NewTimer(time.Until(start.Add(every / speed)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// show adds the figures of the part of the day, and of a whole day.
func (b *bench) show(t *report.Report, took, cpu time.Duration, peakMB float64, ops storetest.Ops) {
	days := speed * took.Hours() / 24
	perDay := func(n float64) float64 { return n / days }
	second := func(n float64) float64 { return n / took.Seconds() }
	t.Title(fmt.Sprintf("Probe: %d streams, %v of a day at %d times its speed, origins on loopback", streams, (speed * took).Round(time.Minute), speed))
	t.Limit("The rate of requests that origins are spared by, 20 a second, and not this machine.")
	t.Head("this part of the day", "reached")
	line := func(name, format string, args ...any) { t.Row(name, fmt.Sprintf(format, args...)) }
	line("needed, each stream once a day", "%.1f measurements/s", streams*speed/day.Seconds())
	line("measured", "%.1f measurements/s, %d in %d rounds, %d kept", second(float64(b.measured)), b.measured, b.rounds, b.kept)
	line("due and left by the last round", "%d", b.late)
	line("requests", "%.1f/s, %.1f for each measurement", second(float64(b.requests)), float64(b.requests)/float64(max(b.measured, 1)))
	line("processor time", "%.2f ms for each measurement", 1000*cpu.Seconds()/float64(max(b.measured, 1)))
	line("greatest memory", "%.0f MiB", peakMB)
	t.Head("a day of one instance", "reached")
	line("measurements", "%.0f: %.1f for each stream", perDay(float64(b.measured)), perDay(float64(b.measured))/streams)
	line("requests", "%.0f: %.1f/s of the 20/s that are allowed", perDay(float64(b.requests)), perDay(float64(b.requests))/day.Seconds())
	line("bytes read", "%.1f GB: %.2f Mbit/s", perDay(float64(b.bytes))/1e9, perDay(float64(b.bytes))*8/day.Seconds()/1e6)
	line("processor time", "%.0f s: %.2f %% of one core", perDay(cpu.Seconds()), 100*perDay(cpu.Seconds())/day.Seconds())
	line("documents", "%.0f reads, %.0f writes: %.2f USD", perDay(float64(ops.Reads)), perDay(float64(ops.Writes)), perDay(ops.USD()))
}

// processCPU returns the processor time that the process has used.
func processCPU() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
