package main

import (
	"context"
	"time"

	"miramundo.dev/scripts/bench/overfound"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index/indextest"
)

// foundPart measures how often a search finds what people look for.
func foundPart(ctx context.Context, r *report.Report, o options) error {
	ds, name, err := sources(ctx, o.data)
	if err != nil {
		return err
	}
	reg := indextest.Synthetic(1, 90_000)
	if ds != nil {
		reg, _ = build.Register(ds, nil, time.Now())
	}
	return overfound.Run(r, overfound.Options{Name: name, Register: reg, Dataset: ds, Queries: o.queries, Misses: o.misses, Enforce: o.enforce})
}
