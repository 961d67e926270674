package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// errFailed is returned when a part has failed; its own error was printed before.
var errFailed = errors.New("a part has failed")

// measure runs the parts one after another and then shows the goals. Unless file is
// empty, it writes the figures there as a document. The failure of a part does not end
// the run.
func measure(ctx context.Context, parts []part, o options, file string) error {
	r := report.New(os.Stdout)
	run := report.Run{Date: time.Now(), Commit: machine.Commit(ctx), Command: command(), Machine: machine.Describe()}
	gauge, err := newGauge(ctx)
	if err != nil {
		return err
	}
	for _, p := range parts {
		run.Factor.Add(gauge)
		start := time.Now()
		if err := p.run(ctx, r, o); err != nil {
			r.Fail(p.name, err)
			fmt.Fprintf(os.Stderr, "bench: part %s failed: %v\n", p.name, err)
		}
		r.Flush()
		fmt.Fprintf(os.Stderr, "bench: part %s took %v\n", p.name, time.Since(start).Round(time.Second))
	}
	run.Factor.Add(gauge)
	r.Goals(!o.small)
	r.Note("machine factor: %s", run.Factor)
	for _, failure := range r.Failures() {
		r.Note("failed: %s", failure)
	}
	if file != "" {
		if err := r.Write(file, run); err != nil {
			return err
		}
	}
	if len(r.Failures()) > 0 {
		return errFailed
	}
	return nil
}

// newGauge returns a gauge for a page of the sample catalog.
func newGauge(ctx context.Context) (machine.Gauge, error) {
	reg, _, err := realCatalog(ctx, sampleData)
	if err != nil {
		return machine.Gauge{}, err
	}
	ix, err := index.Build(reg)
	if err != nil {
		return machine.Gauge{}, err
	}
	return machine.NewGauge(index.NewView(ix, index.Overlay{}, catalog.LinkBase{Base: "https://miramundo.example", Hop: "https://hop.miramundo.example", Legacy: "https://legacy.miramundo.example"}))
}

// command returns how make is asked for this run.
func command() string {
	if len(os.Args) == 1 {
		return "make bench"
	}
	return "make bench ARGS='" + strings.Join(os.Args[1:], " ") + "'"
}
