package main

import (
	"context"
	"io"

	"miramundo.dev/scripts/bench/oversearch"
)

// searchPart measures the search index on a catalog of each size.
func searchPart(ctx context.Context, out io.Writer, o options) error {
	for _, size := range o.sizes {
		reg, name, err := corpus(ctx, size, o.data)
		if err != nil {
			return err
		}
		err = oversearch.Run(ctx, out, oversearch.Options{Name: name, Register: reg, Runs: o.runs, Peers: o.peers})
		if err != nil {
			return err
		}
	}
	return nil
}
