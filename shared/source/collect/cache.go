package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"miramundo.dev/shared/source"
)

// A Cache stores the last good state of each file. Its methods may be called
// concurrently for different names.
type Cache interface {
	// Last returns the last File saved under a name, or ErrNothing.
	Last(ctx context.Context, name string) (source.File, error)

	// Body returns the body that was saved with f, or ErrNothing.
	Body(ctx context.Context, f source.File) ([]byte, error)

	// Save stores f with its body and replaces what it has under f.Name. A
	// nil body means the body that is already stored; Save returns ErrNothing
	// when there is none. When Save fails or is interrupted, Last and Body
	// return the previous state or all of f.
	Save(ctx context.Context, f source.File, body []byte) error
}

// ErrNothing is returned by a cache that does not have what was asked for.
var ErrNothing = errors.New("nothing was saved")

func (c *collector) last(ctx context.Context, name string) (source.File, error) {
	if c.opts.Cache == nil {
		return source.File{}, ErrNothing
	}
	return c.opts.Cache.Last(ctx, name)
}

// confirm returns last as unchanged now.
func (c *collector) confirm(ctx context.Context, last source.File) source.File {
	last.FetchedAt = c.opts.Now().UTC()
	if err := c.opts.Cache.Save(ctx, last, nil); err != nil {
		last.Problem = notSaved(err)
	}
	return last
}

// save saves a good file. When that fails, the file is used all the same,
// with a Problem. A file that could not be compared with its last state,
// which may have had many more records, does not replace it.
func (c *collector) save(ctx context.Context, j job, file, last source.File, p *compressedBody) source.File {
	if c.opts.Cache == nil {
		return file
	}
	if j.lastErr != nil {
		file.Problem = notSaved(j.lastErr)
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
		file.Problem = notSaved(err)
	}
	return file
}

func notSaved(err error) string {
	return Problem(fmt.Errorf("the file is good but could not be saved: %w", err))
}

// decodeSaved decodes the saved body of a file into d.
func (c *collector) decodeSaved(ctx context.Context, part source.Part, last source.File, d *source.Dataset) error {
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

// zstdMemory bounds the memory for decompressing a saved body, in bytes.
const zstdMemory = 64 << 20
