package overlay

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"

	"miramundo.dev/shared/store"
)

// MaxBytes is the most that a shard may hold before it is deflated.
const MaxBytes = 64 << 20

var (
	errBomb  = errors.New("holds too much")
	errTrail = errors.New("goes on after its end")
)

// deflate returns data deflated; nothing of nothing.
func deflate(data []byte) ([]byte, error) {
	if len(data) > MaxBytes {
		return nil, store.ErrTooLarge
	}
	if len(data) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// inflate undoes deflate. What holds more than most bytes it refuses, having
// read no more.
func inflate(deflated []byte, most int64) ([]byte, error) {
	if len(deflated) == 0 {
		return nil, nil
	}
	in := bytes.NewReader(deflated)
	var b bytes.Buffer
	_, err := b.ReadFrom(io.LimitReader(flate.NewReader(in), most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(b.Len()) > most:
		return nil, errBomb
	case in.Len() > 0:
		return nil, errTrail
	}
	return b.Bytes(), nil
}
