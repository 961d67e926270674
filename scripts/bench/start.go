package main

import (
	"context"
	"errors"
	"os"

	"miramundo.dev/scripts/bench/overstart"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/job"
)

// startPart measures how each process of the deployment starts.
func startPart(ctx context.Context, r *report.Report, o options) error {
	dir, err := os.MkdirTemp("", "bench-start")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p, err := stack(dir, o.data)
	if err != nil {
		return err
	}
	_, err = p.Jobs.Run(ctx, reload.Name, job.Order{Manual: true})
	if err := errors.Join(err, p.Close()); err != nil {
		return err
	}
	return overstart.Run(ctx, r, dir, o.runs)
}
