package packing

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"miramundo.dev/shared/source"
)

// Limits of the dictionaries of an xz file. The first is what the highest
// preset of xz uses; the second is for all blocks together, which each have
// their own.
const (
	maxDictionary   = 64 << 20
	maxDictionaries = 4 << 30
	leastBlock      = 64 << 10 // memory of a block with a smaller dictionary
)

// frames passes an xz file through and inspects its framing, because the
// decompressor allocates whatever dictionary a block asks for, up to 4 GiB,
// and accepts a file that ends between two blocks. The decompressor checks
// the content.
//
// The format is "The .xz File Format", version 1.2.1; the chunks are as in
// the sources of XZ Embedded.
type frames struct {
	r    *bufio.Reader
	left int          // bytes to pass on before the next frame
	next func() error // looks at the next frame and sets left

	check        int    // bytes of the check of each block
	size         int    // bytes of the block or index, so far
	records      uint64 // of the index, to come
	dictionaries int64  // bytes that all blocks asked for
}

func newFrames(r *bufio.Reader) *frames {
	f := &frames{r: r}
	f.next = f.stream
	return f
}

func (f *frames) Read(p []byte) (int, error) {
	for f.left == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n, err := f.r.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, cut(err)
}

// cut converts an early end of a file to source.ErrTruncated.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return source.ErrTruncated
	}
	return err
}

// pass passes n bytes through, and then continues with next.
func (f *frames) pass(n int, next func() error) error {
	f.left, f.next = n, next
	f.size += n
	return nil
}

func (f *frames) peek(n int) ([]byte, error) {
	head, err := f.r.Peek(n)
	return head, cut(err)
}

// stream inspects the header of a stream, or the padding between two.
func (f *frames) stream() error {
	if _, err := f.r.Peek(1); err != nil {
		return err
	}
	head, err := f.peek(4)
	if err != nil {
		return err
	}
	if bytes.Equal(head, make([]byte, 4)) {
		return f.pass(4, f.stream)
	}
	if head, err = f.peek(12); err != nil {
		return err
	}
	sizes := map[byte]int{0: 0, 1: 4, 4: 8, 10: 32}
	check, ok := sizes[head[7]]
	if !ok || !bytes.HasPrefix(head, xzMagic) {
		return broken()
	}
	f.check = check
	return f.pass(12, f.block)
}

func broken() error { return fmt.Errorf("%w: its packing is broken", source.ErrForm) }

// block inspects the header of a block, or finds the index after the last
// one.
func (f *frames) block() error {
	head, err := f.peek(1)
	if err != nil {
		return err
	}
	f.size = 0
	if head[0] == 0 {
		return f.index()
	}
	if head, err = f.peek((int(head[0]) + 1) * 4); err != nil {
		return err
	}
	size, ok := dictionary(head)
	f.dictionaries += max(size, leastBlock)
	if !ok || size > maxDictionary || f.dictionaries > maxDictionaries {
		return fmt.Errorf("%w: by xz with a filter or a size of dictionaries that is not usual", ErrPacking)
	}
	return f.pass(len(head), f.chunk)
}

// dictionary returns the dictionary size in the header of a block, and
// whether LZMA2 is its only filter.
func dictionary(head []byte) (int64, bool) {
	flags, rest := head[1], head[2:]
	for _, size := range []byte{0x40, 0x80} {
		if flags&size != 0 {
			_, n := binary.Uvarint(rest)
			rest = rest[max(n, 0):]
		}
	}
	if flags&3 != 0 || len(rest) < 3 || rest[0] != 0x21 || rest[1] != 1 || rest[2] > 40 {
		return 0, false
	}
	bits := rest[2]
	return int64(2|bits&1) << (bits/2 + 11), true
}

// chunk inspects the header of a chunk.
func (f *frames) chunk() error {
	head, err := f.peek(1)
	if err != nil {
		return err
	}
	control := head[0]
	switch {
	case control == 0:
		padding := -(f.size + 1) & 3
		return f.pass(1+padding+f.check, f.block)
	case control < 3:
		head, err = f.peek(3)
	case control < 0x80:
		return broken()
	default:
		head, err = f.peek(5)
	}
	if err != nil {
		return err
	}
	n := len(head) + int(binary.BigEndian.Uint16(head[len(head)-2:])) + 1
	if control >= 0xc0 {
		n++ // the properties of the coder
	}
	return f.pass(n, f.chunk)
}

// index reads the number of records of the index.
func (f *frames) index() error {
	head, err := f.peek(1 + binary.MaxVarintLen64)
	if err != nil {
		return err
	}
	records, n := binary.Uvarint(head[1:])
	if n <= 0 {
		return broken()
	}
	f.records = records
	return f.pass(1+n, f.record)
}

// record skips a record of the index, which is two numbers, or the end of the
// stream after the last record.
func (f *frames) record() error {
	const checksum, footer = 4, 12
	if f.records == 0 {
		padding := -f.size & 3
		return f.pass(padding+checksum+footer, f.stream)
	}
	head, err := f.peek(2 + checksum + footer)
	if err != nil {
		return err
	}
	_, n := binary.Uvarint(head)
	_, m := binary.Uvarint(head[max(n, 0):])
	if n <= 0 || m <= 0 {
		return broken()
	}
	f.records--
	return f.pass(n+m, f.record)
}
