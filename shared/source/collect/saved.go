package collect

import (
	"context"
	"errors"
	"fmt"

	"miramundo.dev/shared/source"
)

// Saved returns the records of the last good state of files as a cache has it, and
// requests nothing. A file that was never saved has no records.
func Saved(ctx context.Context, cache Cache, parts ...source.Part) (*source.Dataset, error) {
	c := &Collection{opts: Options{Cache: cache}.orDefault()}
	data := new(source.Dataset)
	for _, part := range parts {
		if err := c.saved(ctx, part, data); err != nil {
			return nil, fmt.Errorf("saved state of %s: %w", part.Name, err)
		}
	}
	return data, nil
}

// saved decodes the last good state of a file into d, if there is one. A body that
// is gone was replaced meanwhile, and is looked for once more.
func (c *Collection) saved(ctx context.Context, part source.Part, d *source.Dataset) error {
	err := ErrNothing
	for range 2 {
		r := &reading{part: part}
		r.last, r.lastErr = c.last(ctx, part.Name)
		if errors.Is(r.lastErr, ErrNothing) {
			return nil
		}
		if r.lastErr != nil {
			return r.lastErr
		}
		if err = c.decodeSaved(ctx, r); !errors.Is(err, ErrNothing) {
			d.Append(&r.data)
			return err
		}
	}
	return err
}
