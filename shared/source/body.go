package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"miramundo.dev/shared/origin"
)

// This file holds what all readers of sources share: the bounds of a file,
// the errors about a whole file, decompression, and a window that bounds a
// single record.

// Bounds of a file. They are several times what the largest file of any
// upstream takes, so growth does not reach them and an endless response does.
const (
	MaxBody    = 256 << 20 // bytes of a file, decompressed
	MaxRecord  = 256 << 10 // bytes of one record
	MaxRecords = 2_000_000 // records of a file
	MaxField   = 16 << 10  // bytes of one value; images in data URLs take 8 KiB
)

// Errors about a whole file. Their texts are sentences for the operator,
// shown in [File.Problem].
var (
	ErrEmpty     = errors.New("the file is empty")
	ErrForm      = errors.New("the file does not have a known format")
	ErrTruncated = errors.New("the file ends in the middle of a record")
	ErrTooLarge  = fmt.Errorf("the file takes more than %d MiB", MaxBody>>20)
	ErrRecord    = fmt.Errorf("a record takes more than %d KiB", MaxRecord>>10)
	ErrTooMany   = fmt.Errorf("the file holds more than %d records", MaxRecords)
)

// A Count counts the records of a file.
type Count struct {
	Items   int // records read
	Skipped int // records that made no sense
}

// Unpack returns the bytes of r, decompressed if they are gzip, whatever the
// file is called. Reading more than limit bytes fails with ErrTooLarge, and
// reading a truncated gzip stream with ErrTruncated.
func Unpack(r io.Reader, limit int64) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	magic, err := br.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return origin.LimitReader(gzipErrors{br}, limit, ErrTooLarge), nil
	}
	zr, err := gzip.NewReader(br)
	if err != nil {
		return nil, gzipError(err)
	}
	return origin.LimitReader(gzipErrors{zr}, limit, ErrTooLarge), nil
}

// gzipErrors converts the errors of decompression to those of this package.
type gzipErrors struct{ r io.Reader }

func (p gzipErrors) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	return n, gzipError(err)
}

func gzipError(err error) error {
	switch {
	case err == io.ErrUnexpectedEOF: //nolint:errorlint // gzip's own; that of a reader below is wrapped, and says more
		return ErrTruncated
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%w: its gzip packing is broken", ErrForm)
	}
	return err
}

// Begin skips a byte order mark and white space at the start of r, and
// returns the first byte after them without consuming it. That byte
// identifies the format.
func Begin(r *bufio.Reader) (byte, error) {
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		if _, err := r.Discard(len(mark)); err != nil {
			return 0, err
		}
	}
	for {
		b, err := r.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, ErrEmpty
		}
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, r.UnreadByte()
		}
	}
}

// A Window feeds a decoder that reads ahead. It fails with ErrRecord when the
// decoder reads more than one record may take. The caller reports after each
// record, with Allow, how much the decoder has consumed.
type Window struct {
	r           io.Reader
	read, limit int64
	err         error // the reader's own error, which decoders may hide
}

// NewWindow returns a window on r, at its start.
func NewWindow(r io.Reader) *Window { return &Window{r: r, limit: MaxRecord} }

// Allow lets one more record be read beyond consumed, a number of bytes from
// the start.
func (w *Window) Allow(consumed int64) { w.limit = consumed + MaxRecord }

// Err returns the error that ended reading; nil at the end of the file.
func (w *Window) Err() error { return w.err }

func (w *Window) Read(p []byte) (int, error) {
	left := w.limit - w.read
	if left <= 0 {
		w.err = ErrRecord
		return 0, ErrRecord
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	n, err := w.r.Read(p)
	w.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}
