package snapshot

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// A reader is a columnCoder that fills in columns from the output of a writer.
// It uncompresses one chunk at a time, so that the body is never in memory as a
// whole. After the first fault it leaves the remaining columns empty.
//
// A column is allocated by its count before it is read, up to as many elements as the
// snapshot has bytes, which the columns of catalogs do not exceed. A larger one
// grows as its bytes arrive, so that a hostile count alone allocates little.
type reader struct {
	dec    *zstd.Decoder
	chunks [][]byte // compressed, still to be read
	left   uint64   // bytes of the body still to be read, by its size in the head
	ahead  uint64   // numbers or bytes that are allocated for a count before they are read
	buf    []byte   // of an uncompressed chunk, reused
	window []byte   // the unread part of buf
	bad    bool     // a fault was found
}

// next returns up to n bytes, at least one, or nil after a fault.
func (r *reader) next(n uint64) []byte {
	if len(r.window) == 0 {
		r.unpack()
	}
	if r.bad {
		return nil
	}
	b := r.window[:min(n, uint64(len(r.window)))]
	r.window = r.window[len(b):]
	r.left -= uint64(len(b))
	return b
}

// unpack uncompresses the next chunk into the window.
func (r *reader) unpack() {
	want := min(r.left, chunkSize)
	if r.bad || want == 0 || len(r.chunks) == 0 {
		r.bad = true
		return
	}
	out, err := r.dec.DecodeAll(r.chunks[0], r.buf[:0])
	if err != nil || uint64(len(out)) != want {
		r.bad = true
		return
	}
	r.chunks, r.buf, r.window = r.chunks[1:], out, out
}

// count reads the length of a column, which is at most the bytes that are left:
// every element takes a byte or more.
func (r *reader) count() uint64 {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.next(1)
		if r.bad {
			return 0
		}
		n |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			r.bad = n > r.left || n > math.MaxInt32
			return n
		}
	}
	r.bad = true
	return 0
}

// numbers reads the planes of a column. The first allocates it, so that its
// memory follows the bytes that are there.
func (r *reader) numbers(col *[]uint32) {
	n := r.count()
	head := r.next(1)
	if r.bad || head[0] < 1 || head[0] > 4 || n*uint64(head[0]) > r.left {
		r.bad = true
		return
	}
	planes := int(head[0])
	out := make([]uint32, 0, min(n, r.ahead))
	for uint64(len(out)) < n {
		b := r.next(n - uint64(len(out)))
		if r.bad {
			return
		}
		at := len(out)
		out = slices.Grow(out, len(b))[:at+len(b)]
		for i, c := range b {
			out[at+i] = uint32(c)
		}
	}
	for plane := 1; plane < planes; plane++ {
		for at := uint64(0); at < n; {
			b := r.next(n - at)
			if r.bad {
				return
			}
			part := out[at:][:len(b)]
			for i, c := range b {
				part[i] |= uint32(c) << (8 * plane)
			}
			at += uint64(len(b))
		}
	}
	*col = out
}

func (r *reader) ends(col *[]uint32) {
	r.numbers(col)
	sum := uint64(0)
	for i, n := range *col {
		sum += uint64(n)
		(*col)[i] = uint32(sum)
	}
	if sum > math.MaxInt32 {
		r.bad = true
	}
}

func (r *reader) ascending(list, ends *[]uint32) {
	r.numbers(list)
	if r.bad || !endsAt(*ends, len(*list)) {
		r.bad = true
		return
	}
	at := uint32(0)
	for _, end := range *ends {
		prev := uint32(0)
		for ; at < end; at++ {
			prev += (*list)[at]
			(*list)[at] = prev
		}
	}
}

func (r *reader) words(col *[]uint64) {
	n := r.count()
	if r.bad || 8*n > r.left {
		r.bad = true
		return
	}
	out := make([]uint64, 0, min(n, r.ahead))
	var word [8]byte
	for range n {
		for got := 0; got < len(word) && !r.bad; {
			got += copy(word[got:], r.next(uint64(len(word)-got)))
		}
		if r.bad {
			return
		}
		out = append(out, binary.LittleEndian.Uint64(word[:]))
	}
	*col = out
}

func (r *reader) bytes(col *[]byte) {
	n := r.count()
	if r.bad {
		return
	}
	out := make([]byte, 0, min(n, r.ahead))
	for uint64(len(out)) < n {
		b := r.next(n - uint64(len(out)))
		if r.bad {
			return
		}
		out = append(out, b...)
	}
	*col = out
}
