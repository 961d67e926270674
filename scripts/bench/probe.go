package main

import (
	"cmp"
	"context"
	"time"

	"miramundo.dev/scripts/bench/overprobe"
	"miramundo.dev/scripts/bench/report"
)

// probePart measures streams for the time that -for gives, or half a minute.
func probePart(ctx context.Context, r *report.Report, o options) error {
	length := cmp.Or(o.length, 30*time.Second)
	if o.small {
		length = 7 * time.Second // two rounds
	}
	return overprobe.Run(ctx, r, length)
}
