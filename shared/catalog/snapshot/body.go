package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
)

// ErrCorrupt is in the chain of every error of Decode.
var ErrCorrupt = errors.New("snapshot: corrupt")

// A visitor is shown every column, always in the same order, and writes it or
// fills it in.
type visitor interface {
	numbers(*[]uint32)                        // of any size
	ends(*[]uint32)                           // never falling
	ascending(list *[]uint32, ends *[]uint32) // lists, each rising
	words(*[]uint64)                          // random
	bytes(*[]byte)
}

// visit shows all content to v.
func (c *Columns) visit(v visitor) {
	for _, t := range []*Texts{
		&c.Categories, &c.Languages, &c.Countries, &c.Subdivisions, &c.Cities, &c.ChannelAliases, &c.StreamAliases,
		&c.Values, &c.Docs.IDs, &c.Docs.Names, &c.Docs.Websites, &c.Docs.AltNames.Items, &c.Docs.LogoPath,
		&c.Stations.Places, &c.Streams.Path, &c.Words.Tokens,
	} {
		v.ends(&t.Ends)
		v.bytes(&t.Bytes)
	}
	v.ends(&c.Lists.Ends)
	v.numbers(&c.Lists.Items)
	for _, t := range []*Table{&c.Topics, &c.Houses, &c.Pasts, &c.Feeds, &c.States, &c.Sounds, &c.Streams.Traits} {
		v.numbers(&t.Cells)
	}
	d, s, r := &c.Docs, &c.Stations, &c.Streams
	for _, col := range []*[]uint32{
		&d.Topic, &d.House, &d.Past, &d.Feed, &d.State, &d.LogoHost,
		&s.TagList, &s.Votes, &s.Clicks, &s.Sound, &r.Host, &r.Title, &r.Trait,
	} {
		v.numbers(col)
	}
	v.ends(&d.AltNames.Ends)
	v.ends(&r.Ends)
	v.words(&r.IDs)
	v.ends(&c.Words.Ends)
	v.ascending(&c.Words.Docs, &c.Words.Ends)
}

// body returns the content of c as bytes: the same for the same content.
func (c *Columns) body() []byte {
	w := &writer{}
	c.visit(w)
	return w.out
}

// version returns the name of the content.
func (c *Columns) version() string { return versionOf(c.body()) }

func versionOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}

// A writer is a visitor that writes. Numbers are written as their count, how
// many bytes the largest takes, all their lowest bytes, all their next bytes
// and so on: like beside like, which compresses well.
type writer struct {
	out     []byte
	scratch []uint32
}

func (w *writer) numbers(col *[]uint32) {
	var all uint32
	for _, n := range *col {
		all |= n
	}
	planes := 1
	for all >>= 8; all > 0; all >>= 8 {
		planes++
	}
	w.out = binary.AppendUvarint(w.out, uint64(len(*col)))
	w.out = append(w.out, byte(planes))
	for shift := range planes {
		for _, n := range *col {
			w.out = append(w.out, byte(n>>(8*shift)))
		}
	}
}

func (w *writer) ends(col *[]uint32) {
	w.scratch = w.scratch[:0]
	prev := uint32(0)
	for _, n := range *col {
		w.scratch = append(w.scratch, n-prev)
		prev = n
	}
	w.numbers(&w.scratch)
}

func (w *writer) ascending(list, ends *[]uint32) {
	w.scratch = w.scratch[:0]
	at := uint32(0)
	for _, end := range *ends {
		prev := uint32(0)
		for ; at < end; at++ {
			w.scratch = append(w.scratch, (*list)[at]-prev)
			prev = (*list)[at]
		}
	}
	w.numbers(&w.scratch)
}

func (w *writer) words(col *[]uint64) {
	w.out = binary.AppendUvarint(w.out, uint64(len(*col)))
	for _, n := range *col {
		w.out = binary.LittleEndian.AppendUint64(w.out, n)
	}
}

func (w *writer) bytes(col *[]byte) {
	w.out = binary.AppendUvarint(w.out, uint64(len(*col)))
	w.out = append(w.out, *col...)
}

// A reader is a visitor that fills in columns from what a writer wrote. After
// the first fault it leaves columns empty. It allocates no more than four
// times what it reads.
type reader struct {
	in  []byte
	bad bool
}

// take returns the next n bytes.
func (r *reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.in)) {
		r.bad = true
		return nil
	}
	b := r.in[:n:n]
	r.in = r.in[n:]
	return b
}

func (r *reader) count() uint64 {
	n, size := binary.Uvarint(r.in)
	if size <= 0 || n > math.MaxInt32 {
		r.bad = true
		return 0
	}
	r.take(uint64(size))
	return n
}

func (r *reader) numbers(col *[]uint32) {
	n := r.count()
	head := r.take(1)
	if r.bad || head[0] < 1 || head[0] > 4 {
		r.bad = true
		return
	}
	b := r.take(n * uint64(head[0]))
	if r.bad {
		return
	}
	out := make([]uint32, n)
	switch p := b[:n]; head[0] {
	case 1:
		for i := range out {
			out[i] = uint32(p[i])
		}
	case 2:
		q := b[n:][:n]
		for i := range out {
			out[i] = uint32(p[i]) | uint32(q[i])<<8
		}
	case 3:
		q, s := b[n:][:n], b[2*n:][:n]
		for i := range out {
			out[i] = uint32(p[i]) | uint32(q[i])<<8 | uint32(s[i])<<16
		}
	default:
		q, s, t := b[n:][:n], b[2*n:][:n], b[3*n:][:n]
		for i := range out {
			out[i] = uint32(p[i]) | uint32(q[i])<<8 | uint32(s[i])<<16 | uint32(t[i])<<24
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
	if n := len(*ends); r.bad || n > 0 && int((*ends)[n-1]) != len(*list) || n == 0 && len(*list) > 0 {
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
	b := r.take(8 * n)
	if r.bad {
		return
	}
	*col = make([]uint64, n)
	for i := range *col {
		(*col)[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
}

// bytes does not copy: the columns share the memory of what was read.
func (r *reader) bytes(col *[]byte) { *col = r.take(r.count()) }
