// Command scale computes what the service needs for many people, which part of it breaks
// first and at how many people, what moves that limit, and what a month costs.
//
//	go run ./scripts/scale
//
// It is fed with scripts/scale/world: world.json has the people to plan for and what they
// do, measured.json what a call takes, and functions/testdata/costs.golden which documents
// each endpoint reads and writes. It must run in the root of the repository.
//
// With -check it starts the local stack, replays a day of some hundred people in a minute,
// and fails when the bill of the model differs by more than a tenth from that of the
// documents and bytes that the stack counted. -small does so with fewer people, in
// seconds.
//
// With -measure it measures on this machine what each call takes, and writes measured.json.
//
// With -report it also writes everything as a page with plots:
//
//	go run ./scripts/scale -report docs/scale.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/scale/capacity"
	"miramundo.dev/scripts/scale/check"
	"miramundo.dev/scripts/scale/world"
)

// measuredFile is where -measure writes, from the root of the repository.
const measuredFile = "scripts/scale/world/measured.json"

// options are the values of the flags.
type options struct {
	check, measure, small bool
	document              string
}

func main() {
	var o options
	flag.BoolVar(&o.check, "check", false, "compare the model with a day that is replayed on the local stack, and fail when their bills differ by more than a tenth")
	flag.BoolVar(&o.measure, "measure", false, "measure what each call takes on this machine, and write "+measuredFile)
	flag.BoolVar(&o.small, "small", false, "with -check, replay the day of fewer people")
	flag.StringVar(&o.document, "report", "", "write all figures, those of -check too, into this Markdown file, and plots into the folder beside it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// run does what the flags ask for.
func run(ctx context.Context, o options) error {
	if o.document != "" && filepath.Ext(o.document) != ".md" {
		return fmt.Errorf("-report %s: the name of a Markdown file must end with .md", o.document)
	}
	w, err := world.Load()
	if err != nil {
		return err
	}
	m, err := open(w, o.measure)
	if err != nil {
		return err
	}
	t := report.New(os.Stdout)
	switch {
	case o.measure:
		return measure(ctx, m)
	case o.check:
		size := check.Usual
		if o.small {
			size = check.Small
		}
		err := check.Run(ctx, t, m, size)
		t.Flush()
		return err
	}
	limits := figures(t, m)
	if o.document == "" {
		t.Flush()
		return nil
	}
	failed := check.Run(ctx, t, m, check.Usual)
	inputs(t, m)
	return errors.Join(failed, t.WritePage(o.document, head(ctx, m, limits)))
}

// open returns the model of a world. With unmeasured a call takes nothing.
func open(w *world.World, unmeasured bool) (*capacity.Model, error) {
	found, err := world.LoadMeasurement()
	if err != nil {
		return nil, err
	}
	if unmeasured {
		found.Calls = map[string]world.Cost{}
		for _, c := range world.Calls {
			found.Calls[c.Name] = world.Cost{}
		}
	}
	golden, err := world.LoadGolden(".")
	if err != nil {
		return nil, fmt.Errorf("scale must run in the root of the repository: %w", err)
	}
	return capacity.New(w, found, golden)
}

func measure(ctx context.Context, m *capacity.Model) error {
	found, err := check.Measure(ctx, m)
	if err != nil {
		return err
	}
	found.Commit = machine.Commit(ctx)
	return check.Save(found, measuredFile)
}
