package main

import (
	"context"
	"io"

	"miramundo.dev/scripts/bench/overpeople"
)

// peoplePart measures what people do with the catalog, and what it costs.
func peoplePart(ctx context.Context, out io.Writer, o options) error {
	return overpeople.Run(ctx, out, o.runs*100)
}
