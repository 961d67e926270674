// Command chaos breaks the service on purpose and checks that it keeps its promises.
//
//	go run ./scripts/chaos -for 10m
//
// It starts the service as it is deployed, on the official emulators, with the database
// and the bus behind links that can fail, and has clients use it: they keep libraries,
// make favorites, report plays, chat, buy credits, search and play. Meanwhile it kills
// and pauses processes, and cuts, slows and holds up the database and the bus. It checks
//
//   - that nothing that was acknowledged is lost: items of libraries, messages, credits;
//   - that counters have at least what was acknowledged, and at most what was tried;
//   - that nothing is paid and lost, or paid twice;
//   - that messages of a room have one order, without gaps and doubles;
//   - that a block holds at every instance 15 s after it was acknowledged, or after the
//     database can be reached again;
//   - that every answer is one that the OpenAPI document has;
//   - that memory stays flat.
//
// It prints what was done and exits with 1 when a promise was broken. The seed, which it
// prints, gives the same faults in the same order again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// settings are what the flags say.
type settings struct {
	length time.Duration
	seed   uint64
	page   string // Markdown file that a page is written to; empty: none
}

func main() {
	var s settings
	flag.DurationVar(&s.length, "for", 10*time.Minute, "how long faults are made")
	flag.Uint64Var(&s.seed, "seed", rand.Uint64(), "of the faults; any by default")
	flag.StringVar(&s.page, "report", "", "write what was done as a page with plots into this Markdown file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// errBroken is returned when a promise was broken.
var errBroken = errors.New("promises were broken")

// run makes faults while clients use the service, and then checks what became of it.
func run(ctx context.Context, s settings, out io.Writer) (err error) {
	if s.page != "" && (filepath.Ext(s.page) != ".md" || s.length < 2*sampled) {
		return fmt.Errorf("-report %s: it needs the name of a file that ends with .md, and faults for %s", s.page, 2*sampled)
	}
	fmt.Fprintf(out, "chaos: seed %d, faults for %s\n", s.seed, s.length)
	w, err := open(ctx, s, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := w.prepare(ctx); err != nil {
		return err
	}
	before, err := w.memory()
	if err != nil {
		return err
	}

	use, enough := context.WithCancel(ctx)
	defer enough()
	var clients sync.WaitGroup
	for _, c := range append(w.clients(), w.keepRecord) {
		clients.Go(func() { c(use) })
	}
	faults, cancel := context.WithTimeout(ctx, s.length)
	w.breakThings(faults)
	cancel()
	w.heal()
	w.say("the faults are over; waiting until everything is well")
	until(ctx, func() bool { return w.blocks.Load() > 0 }) // in a short run none had to hold yet
	enough()
	clients.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.check(ctx)
	w.checkMemory(before)
	w.report()
	if s.page != "" {
		err = w.writePage(s.page)
	}
	if len(w.broken.list()) > 0 {
		err = errors.Join(err, errBroken, w.keepLog())
	}
	return err
}
