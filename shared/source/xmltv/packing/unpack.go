// Package packing knows how the text of a guide lies in a file: packed or not,
// and in which encoding.
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

// bufferSize is of what is read ahead of unpacking and of decoding.
const bufferSize = 64 << 10

// What is wrong with a file, besides [source.ErrForm] and [source.ErrTruncated].
var (
	ErrTooLarge = errors.New("the file takes more bytes than it may")
	ErrEncoding = errors.New("the file is written in an encoding that is not known")
	ErrPacking  = errors.New("the file is packed in a way that is not read")
)

// What packed files begin with.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	xzMagic   = []byte{0xfd, '7', 'z', 'X', 'Z', 0}
)

// Open returns the text of a guide in UTF-8, whatever it is packed with and
// written in. Neither the file nor what it unpacks to may take more than limit
// bytes.
func Open(r io.Reader, limit int64) (io.Reader, error) {
	packed := &meter{r: r, left: limit}
	plain, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	br := bufio.NewReaderSize(&meter{r: plain, left: limit}, bufferSize)
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

// unpack returns what a file holds, by what it begins with.
func unpack(packed *meter) (io.Reader, error) {
	br := bufio.NewReaderSize(packed, bufferSize)
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

// An unpacker tells what is wrong with a packed file in the words of this
// package.
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

// failure says why unpacking ended with err. Unpackers hide or change what
// their reader told them.
func (u *unpacker) failure(err error) error {
	switch {
	case u.below.err != nil && !errors.Is(u.below.err, io.EOF):
		return u.below.err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return source.ErrTruncated
	}
	return fmt.Errorf("%w: its packing is broken", source.ErrForm)
}

// A meter reads r, or fails after left bytes. It ends for good.
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
