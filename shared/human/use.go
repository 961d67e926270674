package human

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// tokenTime is how long a used token is remembered: longer than any provider accepts one.
const tokenTime = 24 * time.Hour

// Use records in db that a token which Verify accepted was used, at human_tokens/{hash},
// for a day. It returns ErrRefused when the token was used before, and
// fault.ErrUnavailable when the database does not answer.
func Use(ctx context.Context, db store.DB, token string, now time.Time) error {
	used := struct {
		ExpireAt store.Time `json:"expire_at"`
	}{store.At(now.Add(tokenTime))}
	err := db.Create(ctx, store.Path("human_tokens").Join(Key(token)), used)
	if errors.Is(err, store.ErrExists) {
		return ErrRefused.Because(errors.New("the token was used before"))
	}
	return fault.OrUnavailable(err)
}
