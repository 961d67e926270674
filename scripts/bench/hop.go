package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"miramundo.dev/scripts/bench/overhop"
	"miramundo.dev/scripts/bench/report"
)

// hopPart measures the hop beside a plain handler and beside its peers.
func hopPart(ctx context.Context, r *report.Report, o options) error {
	h := overhop.Options{
		Rounds: o.runs, Pace: overhop.Usual, Peers: o.peers,
		PeersDir: filepath.Join("scripts", "bench", "peers"),
	}
	if o.small {
		h.Pace = overhop.Small
	}
	if err := o.hasData(); err == nil {
		if h.Full, _, err = corpus(ctx, "real", o.data); err != nil {
			return err
		}
	}
	return overhop.Run(ctx, r, h)
}

// soakPart loads the hop for the time that -for gives, or 90 s. A small soak
// is as short as it may be and still shows a leak.
func soakPart(ctx context.Context, r *report.Report, o options) error {
	length := cmp.Or(o.length, 90*time.Second)
	if o.small {
		length = shortestSoak
	}
	if length < shortestSoak {
		return fmt.Errorf("a soak of %v is too short to show a leak: -for must be at least %v", length, shortestSoak)
	}
	return overhop.Soak(ctx, r, length)
}

// shortestSoak is the time after which the memory of a hop that leaks nothing
// no longer grows.
const shortestSoak = 30 * time.Second
