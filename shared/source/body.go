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

// Bounds of what a file may hold. They are several times what the greatest
// file of each upstream takes, so that growth does not meet them and an
// endless answer does.
const (
	MaxBody    = 256 << 20 // bytes of a file, unpacked
	MaxRecord  = 256 << 10 // bytes of one record
	MaxRecords = 2_000_000 // records of a file
	MaxField   = 16 << 10  // bytes of one value; images in data URLs take 8 KiB
)

// What is wrong with a file as a whole. The texts are sentences for an
// operator: they are shown in [File.Problem].
var (
	ErrEmpty     = errors.New("the file is empty")
	ErrForm      = errors.New("the file is not of a known form")
	ErrTruncated = errors.New("the file ends in the middle of a record")
	ErrTooLarge  = fmt.Errorf("the file takes more than %d MiB", MaxBody>>20)
	ErrRecord    = fmt.Errorf("a record takes more than %d KiB", MaxRecord>>10)
	ErrTooMany   = fmt.Errorf("the file holds more than %d records", MaxRecords)
)

// A Count says how the records of a file were understood.
type Count struct {
	Items   int // records understood
	Skipped int // records that made no sense
}

// Unpack returns the bytes of r, unpacked when they are gzip whatever the file
// is called. Reading more than limit bytes gives ErrTooLarge, reading a gzip
// stream that is cut gives ErrTruncated.
func Unpack(r io.Reader, limit int64) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	magic, err := br.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return origin.LimitReader(unpacking{br}, limit, ErrTooLarge), nil
	}
	zr, err := gzip.NewReader(br)
	if err != nil {
		return nil, packError(err)
	}
	return origin.LimitReader(unpacking{zr}, limit, ErrTooLarge), nil
}

// unpacking reads a file that may be gzip, and says what is wrong with its packing.
type unpacking struct{ r io.Reader }

func (p unpacking) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	return n, packError(err)
}

func packError(err error) error {
	switch {
	case err == io.ErrUnexpectedEOF: //nolint:errorlint // gzip's own; that of a reader below is wrapped, and says more
		return ErrTruncated
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%w: its gzip packing is broken", ErrForm)
	}
	return err
}

// Begin drops a byte order mark and white space from the start of r and
// returns the first byte that follows, which tells the form of the file.
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

// A Window feeds a decoder that reads ahead, and fails with ErrRecord when the
// decoder asks for more than one record may take. After each record Allow must
// be told how far the decoder has come.
type Window struct {
	r           io.Reader
	read, limit int64
	err         error // the reader's own failure, which decoders may hide
}

// NewWindow returns a window on r, at its start.
func NewWindow(r io.Reader) *Window { return &Window{r: r, limit: MaxRecord} }

// Allow lets the window be read one record beyond consumed, which counts bytes
// from the start.
func (w *Window) Allow(consumed int64) { w.limit = consumed + MaxRecord }

// Err returns what ended the reading, nil for the end of the file.
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
