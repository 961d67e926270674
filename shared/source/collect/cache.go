package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"miramundo.dev/shared/source"
)

// A Cache keeps the last good state of each file. Its methods may be called
// concurrently, for one name one at a time.
type Cache interface {
	// Last returns the last File saved under a name, or ErrNothing.
	Last(ctx context.Context, name string) (source.File, error)

	// Body returns the body saved with f, as it was given to Save, or
	// ErrNothing.
	Body(ctx context.Context, f source.File) ([]byte, error)

	// Save keeps f with its body in place of what it has under f.Name. A nil
	// body says that it has the same body already; it returns ErrNothing when it
	// has not. When Save fails or is cut short, Last and Body still give what was
	// there before, or f whole.
	Save(ctx context.Context, f source.File, body []byte) error
}

// ErrNothing says that a cache has nothing of the kind.
var ErrNothing = errors.New("nothing was kept")

func (c *collector) last(ctx context.Context, name string) (source.File, error) {
	if c.opts.Cache == nil {
		return source.File{}, ErrNothing
	}
	return c.opts.Cache.Last(ctx, name)
}

// confirm returns last as found unchanged now.
func (c *collector) confirm(ctx context.Context, last source.File) source.File {
	last.FetchedAt = c.opts.Now().UTC()
	if err := c.opts.Cache.Save(ctx, last, nil); err != nil {
		last.Problem = notKept(err)
	}
	return last
}

// save keeps a good file. A failure to keep it is told, but the file is good.
// One that could not be compared with what it last gave, which may be much
// more, does not take its place.
func (c *collector) save(ctx context.Context, j job, file, last source.File, p *packed) source.File {
	if c.opts.Cache == nil {
		return file
	}
	if j.blind != nil {
		file.Problem = notKept(j.blind)
		return file
	}
	data := p.buf.Bytes()
	if file.SHA256 == last.SHA256 {
		data = nil
	}
	err := c.opts.Cache.Save(ctx, file, data)
	if data == nil && errors.Is(err, ErrNothing) {
		err = c.opts.Cache.Save(ctx, file, p.buf.Bytes())
	}
	if err != nil {
		file.Problem = notKept(err)
	}
	return file
}

func notKept(err error) string {
	return Problem(fmt.Errorf("the file is good but could not be kept: %w", err))
}

// decodeKept reads the kept body of a file into d.
func (c *collector) decodeKept(ctx context.Context, part source.Part, last source.File, d *source.Dataset) error {
	data, err := c.opts.Cache.Body(ctx, last)
	if err != nil {
		return err
	}
	zr, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(zstdMemory))
	if err != nil {
		return err
	}
	defer zr.Close()
	plain, err := source.Unpack(zr, c.opts.MaxBytes)
	if err != nil {
		return err
	}
	_, err = part.Decode(d, plain)
	return err
}

// zstdMemory bounds the window that a kept body may ask for, in bytes.
const zstdMemory = 64 << 20
