package overhop

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"miramundo.dev/scripts/bench/overhop/manyorigins"
	"miramundo.dev/scripts/bench/process"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/players/container"
)

// Targets for the memory and the start of a hop.
const (
	maxMemory = 96 // MiB, without the snapshot
	maxStart  = 300 * time.Millisecond
)

// rest measures the memory of a hop that has a thousand channels cached.
func (b *bench) rest(ctx context.Context) (err error) {
	stop, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	empty, err := process.Memory(b.hop.PID())
	if err != nil {
		return err
	}
	file, err := b.paths("vod", many)
	if err != nil {
		return err
	}
	for _, zip := range []bool{false, true} {
		l := load{base: b.hop.URL, paths: file, gzip: zip, connections: connections, length: b.Pace.Rest}
		if _, err := run(ctx, b.dir, l, b.hop.PID()); err != nil {
			return err
		}
	}
	full, err := process.Memory(b.hop.PID())
	if err != nil {
		return err
	}
	t := b.report
	t.Title("The hop's memory and start")
	t.Limit(limitRest)
	t.Head("figure", "reached", "goal", "")
	t.Row(fmt.Sprintf("resident MiB with %d channels of %d lines cached and under load, beside %.0f MiB at start", many, manyorigins.Lines, empty),
		fmt.Sprintf("%.0f", full-empty), fmt.Sprintf("≤ %d", maxMemory), report.Verdict(full-empty <= maxMemory))
	return nil
}

// startup measures the time from the start of a hop to its first answer, with the
// whole catalog.
func (b *bench) startup(ctx context.Context) error {
	if b.Full == nil {
		b.report.Note("the start is not measured: it needs the real catalog sources")
		return nil
	}
	data := filepath.Join(b.dir, "full")
	if err := container.Publish(ctx, data, b.Full); err != nil {
		return err
	}
	var times []time.Duration
	var held float64
	for range b.Rounds {
		h, err := container.Start(ctx, container.Options{Program: b.program, Data: data})
		if err != nil {
			return err
		}
		if err := catalogLoaded(h.URL); err != nil {
			return errors.Join(err, h.Stop())
		}
		times = append(times, h.Ready)
		if held, err = process.Memory(h.PID()); err != nil {
			return errors.Join(err, h.Stop())
		}
		if err := h.Stop(); err != nil {
			return err
		}
	}
	got := median(times)
	b.report.Row(fmt.Sprintf("start to first answer with %d channels, ms (%.0f MiB resident)", len(b.Full.Records), held),
		fmt.Sprint(got.Milliseconds()), fmt.Sprintf("≤ %d", maxStart.Milliseconds()), report.Verdict(got <= maxStart))
	return nil
}

// catalogLoaded returns an error unless the hop answers 404 for an unknown stream,
// for which it must have read the catalog.
func catalogLoaded(base string) error {
	res, err := http.Get(base + container.Path(0))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNotFound {
		text, _ := bufio.NewReader(res.Body).ReadString('\n')
		return fmt.Errorf("an unknown stream is answered with %s: %s", res.Status, text)
	}
	return nil
}
