package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"miramundo.dev/scripts/bench/overhop"
)

// hopPart measures the hop beside a plain handler and beside its peers.
func hopPart(ctx context.Context, out io.Writer, o options) error {
	h := overhop.Options{
		Rounds: o.runs, Round: 3 * time.Second, Peers: o.peers,
		PeersDir: filepath.Join("scripts", "bench", "peers"),
	}
	if _, err := os.Stat(o.data); err == nil {
		if h.Full, _, err = corpus(ctx, "real", o.data); err != nil {
			return err
		}
	}
	return overhop.Run(ctx, out, h)
}

// soakPart loads the hop for as long as -for says, or 90 s.
func soakPart(ctx context.Context, out io.Writer, o options) error {
	length := cmp.Or(o.length, 90*time.Second)
	if length < time.Minute {
		return fmt.Errorf("a soak of %v shows nothing: -for takes at least 1m", length)
	}
	return overhop.Soak(ctx, out, length)
}
