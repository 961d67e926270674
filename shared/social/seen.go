package social

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"miramundo.dev/shared/store"
)

// ReadCounted returns the document of a channel's counts, by one read; that of
// a channel that no event has told of is zero.
func ReadCounted(ctx context.Context, db store.DB, channel string) (Counted, error) {
	var kept Counted
	err := db.Get(ctx, CountsPath(channel), &kept)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return kept, err
}

// Has reports whether c counts a fact already. Of a day with so many facts that
// their keys lie elsewhere it does not know: it then says that it counts none.
func (c *Counted) Has(a About) bool {
	want := a.Mark()
	for mark := range slices.Chunk(c.Seen[a.Day()].Marks, len(want)) {
		if bytes.Equal(mark, want[:]) {
			return true
		}
	}
	return false
}
