package main

import (
	"context"
	"time"

	"miramundo.dev/scripts/bench/overhttp"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog/index"
)

// httpPart measures the service behind a socket, beside a plain handler that
// writes the same bytes.
func httpPart(ctx context.Context, r *report.Report, o options) error {
	round := 3 * time.Second
	if o.small {
		round = 300 * time.Millisecond
	}
	for _, size := range o.sizes {
		reg, name, err := corpus(ctx, size, o.data)
		if err != nil {
			return err
		}
		ix, err := index.Build(reg)
		if err != nil {
			return err
		}
		err = overhttp.Run(ctx, r, overhttp.Options{Name: name, Size: goalsOf(size, o.data), Register: reg, Index: ix, Rounds: o.runs, Round: round})
		if err != nil {
			return err
		}
	}
	return nil
}
