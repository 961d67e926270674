package main

import (
	"context"
	"errors"

	"miramundo.dev/scripts/bench/overhop"
	"miramundo.dev/scripts/bench/oversearch"
	"miramundo.dev/scripts/bench/report"
)

// maxGrowthRuns is how often a figure of the growth is measured, at most: the curve
// shows outliers by itself.
const maxGrowthRuns = 3

// growthPart measures how the cost of search and of the hop grows with the work.
func growthPart(ctx context.Context, r *report.Report, o options) error {
	sizes := []int{10_000, 50_000, 100_000, 500_000, 1_000_000, 2_000_000}
	h := overhop.Options{Rounds: 1, Pace: overhop.Usual}
	if o.small {
		sizes, h.Pace = []int{1000, 10_000}, overhop.Small
	}
	return errors.Join(
		oversearch.Growth(ctx, r, sizes, min(o.runs, maxGrowthRuns)),
		overhop.Growth(ctx, r, h),
	)
}
