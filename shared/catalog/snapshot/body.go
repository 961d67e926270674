package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// The body is the content of a snapshot: every column, one after the other, in
// the order of visit and without names. The same function drives writing and
// reading, so that the two cannot disagree; a change of that order, or of a
// column's form, is a new format and needs a new number in magic.
//
// The columns are written so that zstd finds much to compress. A column of
// numbers is written in planes: all lowest bytes, then all next bytes and so on.
// Ends, and lists that ascend, are written as the differences of neighbours,
// which are small. Stream ids are hashes and are written as they are.

// ErrCorrupt is in the chain of every error of Decode.
var ErrCorrupt = errors.New("snapshot: corrupt")

// A columnCoder is given every column, always in the same order, and writes it
// or fills it in.
type columnCoder interface {
	numbers(*[]uint32)                        // of any size
	ends(*[]uint32)                           // never falling
	ascending(list *[]uint32, ends *[]uint32) // lists, each ascending, and where each ends
	words(*[]uint64)                          // random
	bytes(*[]byte)
}

// visit calls v with each column of c.
func (c *Columns) visit(v columnCoder) {
	for _, t := range []*Texts{
		&c.Categories, &c.Languages, &c.Countries, &c.Subdivisions, &c.Cities, &c.ChannelAliases, &c.StreamAliases,
		&c.Values, &c.Docs.IDs, &c.Docs.Names, &c.Docs.Slugs, &c.Docs.Websites, &c.Docs.AltNames.Items, &c.Docs.LogoPath,
		&c.Stations.Places, &c.Streams.Path, &c.Words.Tokens, &c.Others.Tokens, &c.Gone.IDs, &c.Gone.Names, &c.Gone.AltNames.Items,
	} {
		v.ends(&t.Ends)
		v.bytes(&t.Bytes)
	}
	v.ends(&c.Lists.Ends)
	v.numbers(&c.Lists.Items)
	for _, t := range []*Table{&c.Topics, &c.Tongues, &c.Houses, &c.Pasts, &c.Feeds, &c.States, &c.Sounds, &c.Streams.Traits, &c.Gone.Facts} {
		v.numbers(&t.Cells)
	}
	d, s, r := &c.Docs, &c.Stations, &c.Streams
	for _, col := range []*[]uint32{
		&d.Topic, &d.Tongue, &d.House, &d.Past, &d.Feed, &d.State, &d.LogoHost, &d.GuideSites, &d.NameHashes, &d.NameClasses,
		&s.TagList, &s.Votes, &s.Clicks, &s.Sound, &r.Host, &r.Title, &r.Trait,
	} {
		v.numbers(col)
	}
	v.ends(&d.AltNames.Ends)
	v.ends(&d.NameEnds)
	v.ends(&c.Gone.AltNames.Ends)
	v.ends(&r.Ends)
	v.words(&r.IDs)
	for _, w := range []*Words{&c.Words, &c.Others} {
		v.ends(&w.Ends)
		v.ascending(&w.Docs, &w.Ends)
	}
}

// body returns the content of c as bytes. Equal content gives equal bytes.
func (c *Columns) body() []byte {
	w := &writer{}
	c.visit(w)
	return w.out
}

// version returns the version of the content.
func (c *Columns) version() string { return versionOf(c.body()) }

// versionOf returns the first 16 bytes of the SHA-256 of a body, in hex.
func versionOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}

// A writer is a columnCoder that appends columns to out. Numbers are written as
// their count, the number of bytes that the largest takes, and then one plane
// for each of these bytes.
type writer struct {
	out     []byte
	scratch []uint32 // differences, reused from column to column
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
