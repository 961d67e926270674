package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
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
		&c.Values, &c.Docs.IDs, &c.Docs.Names, &c.Docs.Slugs, &c.Docs.Websites, &c.Docs.AltNames.Items, &c.Docs.LogoPath,
		&c.Stations.Places, &c.Streams.Path, &c.Words.Tokens,
	} {
		v.ends(&t.Ends)
		v.bytes(&t.Bytes)
	}
	v.ends(&c.Lists.Ends)
	v.numbers(&c.Lists.Items)
	for _, t := range []*Table{&c.Topics, &c.Tongues, &c.Houses, &c.Pasts, &c.Feeds, &c.States, &c.Sounds, &c.Streams.Traits} {
		v.numbers(&t.Cells)
	}
	d, s, r := &c.Docs, &c.Stations, &c.Streams
	for _, col := range []*[]uint32{
		&d.Topic, &d.Tongue, &d.House, &d.Past, &d.Feed, &d.State, &d.LogoHost, &d.AltHashes,
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
