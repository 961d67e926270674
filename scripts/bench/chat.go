package main

import (
	"context"

	"miramundo.dev/scripts/bench/overchat"
	"miramundo.dev/scripts/bench/report"
)

// chatPart measures the chat room beside a bare server. A round of it takes more than
// a minute, so it runs at most three.
func chatPart(ctx context.Context, r *report.Report, o options) error {
	c := overchat.Usual
	if o.small {
		c = overchat.Small
	}
	c.Rounds = min(o.runs, c.Rounds)
	return overchat.Run(ctx, r, c)
}
