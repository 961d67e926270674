package search

import (
	"bytes"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// A nameCursor walks the names of a record: its own, the others, those of its
// feeds.
type nameCursor struct {
	words []byte // of the current name, folded, with spaces; valid until the next
	class snapshot.NameClass
	feed  uint32 // value: the feed that it names; 0 for none

	ix    *layout.Index
	buf   *[]byte // that words are folded in
	texts recordtext.Texts
	begun bool
	alt   []byte   // elements of an array: the alternative names that are left
	feeds []uint32 // values in pairs: the names of feeds that are left
	own   int      // bytes of the channel's own name in buf
}

// namesOf returns a cursor before the first name of doc. It folds names in *buf.
func (e *Engine) namesOf(doc uint32, buf *[]byte) nameCursor {
	t := e.ix.Texts(doc)
	past := e.ix.Pasts.Row(e.ix.Rows[doc].Past)
	return nameCursor{
		ix: e.ix, buf: buf, texts: t, alt: t.Part[recordtext.AltNames],
		feeds: e.ix.Lists.At(past[snapshot.PastFeedNameList]),
	}
}

// next moves to the next name. It returns false after the last.
func (c *nameCursor) next() bool {
	switch {
	case !c.begun:
		c.begun = true
		c.fold(0, c.texts.Part[recordtext.Name])
		c.own = len(*c.buf)
	case len(c.alt) > 1:
		var name []byte
		name, c.alt = layout.NextElement(c.alt)
		c.class = snapshot.OtherName
		c.fold(c.own, name)
	case len(c.feeds) > 1:
		c.class, c.feed = snapshot.NameOfFeed, c.feeds[0]
		c.foldFeed(c.ix.Values.At(c.feeds[1]))
		c.feeds = c.feeds[2:]
	default:
		return false
	}
	return true
}

// fold folds an escaped name behind the first from bytes of the memory.
func (c *nameCursor) fold(from int, name []byte) {
	b := (*c.buf)[:from]
	if bytes.IndexByte(name, '+') < 0 && bytes.IndexByte(name, '\\') < 0 {
		b = fold.AppendWords(b, name)
	} else {
		b = fold.AppendWords(b, fold.Spoken(jsontext.Text(name)))
	}
	*c.buf, c.words = b, b[from:]
}

// foldFeed folds the name of a feed, after the channel's own unless it begins
// with that; see [snapshot.WholeName].
func (c *nameCursor) foldFeed(name []byte) {
	c.fold(c.own, name)
	own := (*c.buf)[:c.own]
	if bytes.HasPrefix(c.words, own) {
		return
	}
	b := append(*c.buf, c.words...) // first out of the way
	b = append(append(b[:c.own], ' '), b[len(b)-len(c.words):]...)
	*c.buf, c.words = b, b
}
