package main

import (
	"cmp"
	"context"
	"io"
	"time"

	"miramundo.dev/scripts/bench/overprobe"
)

// probePart measures streams for the time that -for gives, or half a minute.
func probePart(ctx context.Context, out io.Writer, o options) error {
	length := cmp.Or(o.length, 30*time.Second)
	if o.small {
		length = 7 * time.Second // two rounds
	}
	return overprobe.Run(ctx, out, length)
}
