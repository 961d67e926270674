package main

import (
	"context"
	"io"

	"miramundo.dev/scripts/bench/overfound"
)

// foundPart measures how often a search finds what people look for.
func foundPart(ctx context.Context, out io.Writer, o options) error {
	reg, name, err := corpus(ctx, "real", o.data)
	if err != nil {
		return err
	}
	return overfound.Run(out, overfound.Options{Name: name, Register: reg, Queries: o.queries, Misses: o.misses, Enforce: o.enforce})
}
