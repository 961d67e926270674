// Command attack attacks the service on this machine, and says what was refused and what
// got through.
//
//	go run ./scripts/attack
//
// It builds the local stack and the functions, starts what it attacks in processes of
// their own with an empty database, and prints a line for each attack of the table. It
// exits with 1 when something got through. With -small each attack makes fewer tries, and
// with -only those whose names contain a text are made.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"miramundo.dev/shared/api"
)

// An attack is one line of the table.
type attack struct {
	name string
	goal string // what it tries
	run  func(context.Context, *target) (result, error)
}

// A result is what became of the tries of an attack.
type result struct {
	tried   int
	refused int
	through []string // what got through that must not have
}

// attacks is the table. A file adds its own.
var attacks = []attack{
	{"history", "write the history on one connection without a pause", writes("history")},
	{"favorites", "toggle a favorite on one connection without a pause", writes("favorites")},
	{"rotations", "replace the feed token without a pause", rotations},
	{"imports", "import a library without a pause", imports},
	{"doubles", "add a channel to a sub-tab on several connections at a time", doubles},
	{"guests", "make guests of one network at two instances in turn", guests},
	{"guess METRICS_TOKEN", "guess the token of metrics", guess(api.MetricsToken)},
	{"guess CATALOGO_TOKEN", "guess the token of the catalog", guess(api.CatalogToken)},
	{"guess EVENTS_TOKEN", "guess the token of pushed events", guess(api.EventsToken)},
	{"guess JOBS_TOKEN", "guess the token of jobs", guess(api.JobsToken)},
}

func main() {
	small := flag.Bool("small", false, "make fewer tries")
	only := flag.String("only", "", "make the attacks whose names contain this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *small, *only); err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(1)
	}
}

// run makes the attacks and prints a table. It fails when something got through.
func run(ctx context.Context, out io.Writer, small bool, only string) (err error) {
	t, err := open(ctx, small)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	fmt.Fprintf(out, "%-22s %7s %8s %7s %8s\n", "attack", "tried", "refused", "through", "a second")
	through, made := 0, 0
	for _, a := range attacks {
		if !strings.Contains(a.name, only) {
			continue
		}
		start := time.Now()
		r, err := a.run(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		fmt.Fprintf(out, "%-22s %7d %8d %7d %8.0f\n", a.name, r.tried, r.refused, len(r.through), float64(r.tried)/time.Since(start).Seconds())
		for _, what := range r.through {
			fmt.Fprintf(out, "  %s: %s\n", a.goal, what)
		}
		through += len(r.through)
		made++
	}
	switch {
	case made == 0:
		return fmt.Errorf("no attack is called %q", only)
	case through > 0:
		return fmt.Errorf("%d things got through", through)
	}
	return nil
}
