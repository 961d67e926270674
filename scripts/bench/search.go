package main

import (
	"context"

	"miramundo.dev/scripts/bench/oversearch"
	"miramundo.dev/scripts/bench/report"
)

// searchPart measures the search index on a catalog of each size.
func searchPart(ctx context.Context, r *report.Report, o options) error {
	for _, size := range o.sizes {
		reg, name, err := corpus(ctx, size, o.data)
		if err != nil {
			return err
		}
		err = oversearch.Run(ctx, r, oversearch.Options{Name: name, Size: goalsOf(size, o.data), Register: reg, Runs: o.runs, Peers: o.peers})
		if err != nil {
			return err
		}
	}
	return nil
}
