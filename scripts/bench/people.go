package main

import (
	"context"
	"io"

	"miramundo.dev/scripts/bench/overpeople"
)

// peoplePart measures the requests that visitors make, and their price.
func peoplePart(ctx context.Context, out io.Writer, o options) error {
	each := 100
	if o.small {
		each = 10
	}
	return overpeople.Run(ctx, out, o.runs*each)
}
