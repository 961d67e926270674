package main

import (
	"context"

	"miramundo.dev/scripts/bench/overpeople"
	"miramundo.dev/scripts/bench/report"
)

// peoplePart measures the requests that visitors make, and their price.
func peoplePart(ctx context.Context, r *report.Report, o options) error {
	each := 100
	if o.small {
		each = 10
	}
	return overpeople.Run(ctx, r, o.runs*each)
}
