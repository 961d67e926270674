package throttle

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/store"
)

// Draw takes up to n calls of a subject from an allowance that all instances share, and
// returns how many it took; when no call is left, it returns 0 and the time until there
// is one. It reads one document and writes it when it took something. The document
// expires once the allowance is whole again. See [budget.Ledger].
func (t *Throttle) Draw(ctx context.Context, kind string, a budget.Allowance, subject string, n int) (taken int, wait time.Duration, err error) {
	whole := time.Duration(a.AtOnce) * a.Every
	s := Limit{Kind: "budget/" + kind, Forget: whole, Most: whole}.Of(subject)
	err = t.update(ctx, []Subject{s}, func(records []*record) error {
		now := t.now()
		var next time.Time
		taken, next, wait = a.Grant(records[0].WholeAt.Time, now, n)
		if taken == 0 {
			return budget.TooMany(wait)
		}
		records[0].WholeAt, records[0].LastAt = store.At(next), store.At(now)
		return nil
	})
	if errors.Is(err, ErrTooMany) {
		return 0, wait, nil
	}
	return taken, wait, err
}
