package main

import (
	"cmp"
	"context"
	"io"
	"time"

	"miramundo.dev/scripts/bench/overprobe"
)

// probePart measures streams for as long as -for says, or half a minute.
func probePart(ctx context.Context, out io.Writer, o options) error {
	return overprobe.Run(ctx, out, cmp.Or(o.length, 30*time.Second))
}
