package main

import (
	"context"
	"syscall"
	"time"

	"miramundo.dev/scripts/chaos/link"
	"miramundo.dev/scripts/dev/platform"
)

// A fault is something that goes wrong for a while.
type fault struct {
	name string
	make func(ctx context.Context, w *world, d time.Duration) (what string)
}

// faults are what can go wrong. A kind that is listed twice happens twice as often.
var faults = []fault{
	{"kill", kill}, {"kill", kill}, {"kill", kill}, {"kill", kill},
	{"pause", halt}, {"pause", halt},
	{"database cut", onDatabase(link.Fault{Cut: true})},
	{"database slow", onDatabase(link.Fault{Delay: 400 * time.Millisecond})},
	{"database late", onDatabase(link.Fault{Hold: true})},
	{"bus cut", onBus(link.Fault{Cut: true})},
	{"bus slow", onBus(link.Fault{Delay: 400 * time.Millisecond})},
	{"bus late", onBus(link.Fault{Hold: true})},
}

// Faults begin at most this long after each other, and last between these.
const (
	between              = 6 * time.Second
	shortest, longestOne = 500 * time.Millisecond, 6 * time.Second
)

// breakThings makes faults, one after another, until ctx is done.
func (w *world) breakThings(ctx context.Context) {
	for ctx.Err() == nil {
		f := faults[w.rand.IntN(len(faults))]
		d := shortest + time.Duration(w.rand.Int64N(int64(longestOne-shortest)))
		quiet := time.Duration(w.rand.Int64N(int64(between)))
		w.faults.add(f.name)
		w.say("%s %s", f.name, f.make(ctx, w, d))
		pause(ctx, quiet)
	}
}

// heal ends all faults.
func (w *world) heal() {
	w.db.Set(link.Fault{})
	w.bus.Set(link.Fault{})
	all, err := w.instances()
	if err != nil {
		return // the service has not started
	}
	for _, i := range all {
		if i.PID > 0 {
			_ = syscall.Kill(i.PID, syscall.SIGCONT) // it may have ended
		}
	}
}

// one chooses a process.
func (w *world) one() (platform.Listed, bool) {
	all, err := w.instances()
	if err != nil || len(all) == 0 {
		return platform.Listed{}, false
	}
	i := all[w.rand.IntN(len(all))]
	return i, i.PID > 0
}

// kill kills a process.
func kill(_ context.Context, w *world, _ time.Duration) string {
	i, ok := w.one()
	if !ok || syscall.Kill(i.PID, syscall.SIGKILL) != nil {
		return "nothing: it was down"
	}
	return i.Name
}

// halt stops a process for a while, as a machine does that has no time for it.
func halt(ctx context.Context, w *world, d time.Duration) string {
	i, ok := w.one()
	if !ok || syscall.Kill(i.PID, syscall.SIGSTOP) != nil {
		return "nothing: it was down"
	}
	pause(ctx, d)
	_ = syscall.Kill(i.PID, syscall.SIGCONT)
	return i.Name + " for " + d.Round(100*time.Millisecond).String()
}

// onDatabase returns what makes the link to the database behave as f says.
func onDatabase(f link.Fault) func(context.Context, *world, time.Duration) string {
	return func(ctx context.Context, w *world, d time.Duration) string {
		w.cutUntil.Store(time.Now().Add(time.Hour).UnixMilli())
		defer func() { w.cutUntil.Store(time.Now().UnixMilli()) }()
		return on(ctx, w.db, f, d)
	}
}

// onBus returns what makes the link to the bus behave as f says.
func onBus(f link.Fault) func(context.Context, *world, time.Duration) string {
	return func(ctx context.Context, w *world, d time.Duration) string { return on(ctx, w.bus, f, d) }
}

func on(ctx context.Context, l *link.Link, f link.Fault, d time.Duration) string {
	l.Set(f)
	defer l.Set(link.Fault{})
	pause(ctx, d)
	return "for " + d.Round(100*time.Millisecond).String()
}
