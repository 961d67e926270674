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

	// Save stores files with their bodies and replaces what it has under their
	// names. A nil body means the body that is already stored; Save returns
	// ErrNothing when there is none. When Save fails or is interrupted, Last and
	// Body return the previous state of all of the files, or the new state of
	// all.
	Save(ctx context.Context, files []Entry) error
}

// An Entry is a file to save.
type Entry struct {
	File source.File
	Body []byte
}

// ErrNothing is returned by a cache that does not have what was asked for.
var ErrNothing = errors.New("nothing was saved")

func (c *Collection) last(ctx context.Context, name string) (source.File, error) {
	if c.opts.Cache == nil {
		return source.File{}, ErrNothing
	}
	return c.opts.Cache.Last(ctx, name)
}

func notSaved(err error) string {
	return Problem(fmt.Errorf("the file is good but could not be saved: %w", err))
}

// decodeSaved decodes the saved body of a file.
func (c *Collection) decodeSaved(ctx context.Context, r *reading) error {
	data, err := c.opts.Cache.Body(ctx, r.last)
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
	_, err = r.part.Decode(&r.data, plain)
	return err
}

// zstdMemory bounds the memory for decompressing a saved body, in bytes.
const zstdMemory = 64 << 20
