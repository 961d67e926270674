package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"miramundo.dev/functions"
	"miramundo.dev/scripts/bench/process"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/job"
)

// A reloaded has the cost of one reload.
type reloaded struct {
	Seconds float64          `json:"seconds"`
	Steps   map[string]int64 `json:"steps_ms"`
	PeakMB  int              `json:"peak_mb"` // of the process, from its start
}

// reloadPart measures a reload of the catalog, from reading the sources to
// publishing the release: the first one, a second one over it, and how both delay
// concurrent searches.
func reloadPart(ctx context.Context, r *report.Report, o options) error {
	if err := o.hasData(); err != nil {
		return fmt.Errorf("the reload part needs the real sources: %w", err)
	}
	dir, err := os.MkdirTemp("", "bench-reload")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r.Title("Reload of the catalog from its sources")
	r.Limit("Reading and parsing the sources on one core, and the memory that a whole catalog takes twice: the old one is served until the new one is published.")
	r.Head("reload", "seconds", "goal", "peak MB", "goal", "steps in ms")
	for _, kind := range []string{"first", "next"} {
		var all []reloaded
		for i := range o.runs {
			data := filepath.Join(dir, fmt.Sprint(i))
			one, err := reloadChild(ctx, data, o.data)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		slices.SortFunc(all, func(a, b reloaded) int { return int(1000 * (a.Seconds - b.Seconds)) })
		mid := all[len(all)/2]
		steps, _ := json.Marshal(mid.Steps) // a map of numbers always encodes
		r.Row(kind, fmt.Sprintf("%.1f", mid.Seconds), "≤ 6", fmt.Sprint(mid.PeakMB), "≤ 600", string(steps))
	}
	return readersPart(ctx, r, filepath.Join(dir, "0"), o)
}

// reloadChild reloads in a process of its own, so that the peak of memory is that
// of the reload alone.
func reloadChild(ctx context.Context, dir, sources string) (r reloaded, err error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-reload", dir, "-data", sources)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%w: %s", err, &stderr)
	}
	return r, json.Unmarshal(text, &r)
}

// reloadOnce reloads the catalog once, and prints a reloaded as JSON.
func reloadOnce(out io.Writer, dir, sources string) (err error) {
	d, err := stack(dir, sources)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	start := time.Now()
	rep, err := d.Jobs.Run(context.Background(), "catalog-reload", job.Order{Manual: true})
	if err != nil {
		return err
	}
	r := reloaded{Seconds: time.Since(start).Seconds(), Steps: rep.Result.(*reload.Report).Steps}
	peak, err := process.Peak()
	if err != nil {
		return err
	}
	r.PeakMB = int(peak)
	return json.NewEncoder(out).Encode(r)
}

func stack(dir, sources string) (*compose.Parts, error) {
	c, err := config.Parse(map[string]string{"DATA_DIR": dir, "CATALOG": sources})
	if err != nil {
		return nil, err
	}
	return compose.Open(context.Background(), compose.Options{Config: c, Log: slog.New(slog.DiscardHandler), Schedules: functions.Schedules()}, functions.Processes()...)
}

// swaps is how often a channel is blocked and unblocked while searches run. Each
// of both replaces the view.
const swaps = 20

// readersPart adds the times of the slowest searches, at rest and while the view
// is replaced again and again, and the time until a block is applied.
func readersPart(ctx context.Context, r *report.Report, dir string, o options) (err error) {
	d, err := stack(dir, o.data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	var applied []time.Duration
	rest, err := slowest(d, func() error { time.Sleep(time.Second); return nil })
	if err != nil {
		return err
	}
	swapping, err := slowest(d, func() error {
		for range swaps {
			took, err := blockAndLift(ctx, d)
			if err != nil {
				return err
			}
			applied = append(applied, took)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(applied)
	r.Head("readers", "at rest", fmt.Sprintf("during %d swaps", 2*swaps), "goal")
	r.Row("search, p99.9", rest[0].String(), swapping[0].String())
	r.Row("search, slowest", rest[1].String(), swapping[1].String(), "at most 5 ms more")
	r.Row("a block in force after", applied[len(applied)/2].Round(time.Microsecond).String(), "", "≤ 15 s")
	return nil
}

// blockAndLift blocks a channel, waits until the block is applied, and removes it.
// It returns the time until the block was applied.
func blockAndLift(ctx context.Context, d *compose.Parts) (time.Duration, error) {
	b, err := block.New(block.Channel, "Globo.br", "measured", time.Now())
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := errors.Join(d.Blocks.Add(ctx, b), d.Catalog.Refresh(ctx)); err != nil {
		return 0, err
	}
	took := time.Since(start)
	return took, errors.Join(d.Blocks.Remove(ctx, b.ID), d.Catalog.Refresh(ctx))
}

// slowest searches without a pause while f runs, and returns the 99.9th percentile
// and the maximum of the times.
func slowest(d *compose.Parts, f func() error) (times [2]time.Duration, err error) {
	var stop atomic.Bool
	done := make(chan []time.Duration)
	go func() {
		var times []time.Duration
		var buf []byte
		for !stop.Load() {
			start := time.Now()
			if v, err := d.Catalog.View(); err == nil {
				buf = v.Search(index.Query{Selection: filter.Selection{Kind: "tv", Playable: true, Sort: "name", Q: "news"}, Limit: 20}, 0, buf[:0])
			}
			times = append(times, time.Since(start))
		}
		done <- times
	}()
	err = f()
	stop.Store(true)
	all := <-done
	slices.Sort(all)
	return [2]time.Duration{all[len(all)*999/1000].Round(time.Microsecond), all[len(all)-1].Round(time.Microsecond)}, err
}
