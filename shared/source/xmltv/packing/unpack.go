// Package packing decompresses and decodes the text of a guide file.
package packing

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/gzip"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"miramundo.dev/shared/source"
)

// BufferSize is the size in bytes of the buffers for decompression and
// decoding.
const BufferSize = 64 << 10

// What is wrong with a file, besides [source.ErrForm] and [source.ErrTruncated].
var (
	ErrTooLarge = errors.New("the file is too large")
	ErrEncoding = errors.New("the character encoding of the file is not supported")
	ErrPacking  = errors.New("the compression of the file is not supported")
)

// What packed files begin with.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	xzMagic   = []byte{0xfd, '7', 'z', 'X', 'Z', 0}
)

// Open returns the text of a guide in UTF-8, whatever its compression and
// encoding. Neither the file nor its decompressed text may take more than
// limit bytes; reading more fails with ErrTooLarge.
func Open(r io.Reader, limit int64) (io.Reader, error) {
	packed := &meter{r: r, left: limit}
	plain, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	br := bufio.NewReaderSize(&meter{r: plain, left: limit}, BufferSize)
	if isPacked(br) {
		return nil, fmt.Errorf("%w: twice", ErrPacking)
	}
	return decode(br)
}

func isPacked(r *bufio.Reader) bool { return begins(r, gzipMagic) || begins(r, xzMagic) }

func begins(r *bufio.Reader, magic []byte) bool {
	head, _ := r.Peek(len(magic))
	return bytes.Equal(head, magic)
}

// unpack decompresses a file, according to its first bytes.
func unpack(packed *meter) (io.Reader, error) {
	br := bufio.NewReaderSize(packed, BufferSize)
	u := &unpacker{below: packed}
	var err error
	switch {
	case begins(br, gzipMagic):
		u.z, err = gzip.NewReader(br)
	case begins(br, xzMagic):
		u.below = &meter{r: newFrames(br), left: math.MaxInt64 - 1}
		u.z, err = xz.ReaderConfig{DictCap: lzma.MinDictCap}.NewReader(u.below)
	default:
		return br, nil
	}
	if err != nil {
		return nil, u.failure(err)
	}
	return u, nil
}

// An unpacker converts decompression errors to those of this package.
type unpacker struct {
	z     io.Reader
	below *meter // what z reads
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a reader ends with io.EOF itself
		err = u.failure(err)
	}
	return n, err
}

// failure returns the reason why decompression ended. Decompressors hide or
// change the errors of their reader.
func (u *unpacker) failure(err error) error {
	switch {
	case u.below.err != nil && !errors.Is(u.below.err, io.EOF):
		return u.below.err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return source.ErrTruncated
	}
	return fmt.Errorf("%w: its packing is broken", source.ErrForm)
}

// A meter reads r and fails after left bytes. It repeats the error that it
// ended with.
type meter struct {
	r    io.Reader
	left int64
	err  error // what it ended with
}

func (m *meter) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	if m.left < math.MaxInt64 && int64(len(p)) > m.left+1 {
		p = p[:m.left+1]
	}
	n, err := m.r.Read(p)
	if m.left -= int64(n); m.left < 0 {
		err = ErrTooLarge
	}
	m.err = err
	return n, err
}
