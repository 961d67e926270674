// Command sample requests every address of the sample catalog once, and prints the
// addresses that do not answer, for maintainers of the sample.
//
// Some broadcasters answer only in their own country, so check a printed address
// from there before you remove it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client := origin.New(origin.Options{Timeout: 15 * time.Second})
	if err := run(ctx, client, collect.Sample(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run requests all addresses of a plan, and writes a line for each failure and a
// last line with the counts.
func run(ctx context.Context, client *origin.Client, plan collect.Plan, w io.Writer) error {
	data, err := collect.Load(ctx, plan, collect.Options{Client: client})
	if err != nil {
		return err
	}
	entries := addresses(data)
	failures := make([]error, len(entries))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i, e := range entries {
		group.Go(func() error {
			failures[i] = ask(groupCtx, client, e.url)
			return groupCtx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return report(w, entries, failures)
}

// An entry is an address of the sample, with the name of what it belongs to.
type entry struct{ name, url string }

func addresses(data *source.Dataset) []entry {
	var entries []entry
	for _, s := range data.Streams {
		entries = append(entries, entry{s.Channel, s.URL})
	}
	for _, s := range data.Stations {
		entries = append(entries, entry{s.Name, s.URL})
	}
	return entries
}

// ask reads the first bytes at an address, because a station never ends.
func ask(ctx context.Context, client *origin.Client, address string) error {
	res, err := client.Open(ctx, origin.Request{URL: address, MaxBytes: 1 << 40})
	if err != nil {
		return err
	}
	defer res.Body.Close() // only the beginning is read
	_, err = io.CopyN(io.Discard, res.Body, 16)
	return err
}

func report(w io.Writer, entries []entry, failures []error) error {
	answered := 0
	for i, e := range entries {
		if failures[i] == nil {
			answered++
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\t%v\n", e.name, e.url, failures[i]); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d addresses answer\n", answered, len(entries))
	return err
}
