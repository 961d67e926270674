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
	words   []byte // of the current name, folded, with spaces or hyphens between them; valid until the next
	class   snapshot.NameClass
	feed    uint32 // value: the feed that it names; 0 for none
	text    uint32 // value: the name of a feed as its source writes it
	channel int    // of the name of a feed: the bytes at its beginning that are the channel's

	ix    *layout.Index
	buf   *[]byte // that names are folded in
	texts recordtext.Texts
	latin bool // names in other scripts, which take longer to fold, count as empty
	begun bool
	own   []byte   // the words of the first name
	alt   []byte   // elements of an array: the alternative names that are left
	feeds []uint32 // values in pairs: the names of feeds that are left
}

// namesOf returns a cursor before the first name of doc. It folds names in *buf.
func (e *Engine) namesOf(doc uint32, buf *[]byte) nameCursor {
	t := e.ix.Texts(doc)
	past := e.ix.Pasts.Row(e.ix.Rows[doc].Past)
	*buf = (*buf)[:0]
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
		if name := c.texts.Part[recordtext.Name]; bytes.IndexByte(name, '+') < 0 {
			c.own = c.texts.Part[recordtext.Slug]
		} else {
			c.own = c.fold(name)
		}
		c.words = c.own
	case len(c.alt) > 1:
		var name []byte
		name, c.alt = layout.NextElement(c.alt)
		c.class, c.words = snapshot.OtherName, c.fold(name)
	case len(c.feeds) > 1:
		c.text = c.feeds[1]
		name := c.ix.Values.At(c.text)
		if c.feed = c.feeds[0]; c.feed == 0 {
			c.class, c.words, c.channel = snapshot.OtherName, c.fold(name), 0
		} else {
			c.class = snapshot.NameOfFeed
			c.foldFeed(name)
		}
		c.feeds = c.feeds[2:]
	default:
		return false
	}
	return true
}

// fold returns the words of an escaped name, behind what is in the memory.
func (c *nameCursor) fold(name []byte) []byte {
	if bytes.IndexByte(name, '\\') >= 0 { // seldom
		from := len(*c.buf)
		*c.buf = jsontext.AppendText(*c.buf, name)
		name = (*c.buf)[from:]
	}
	if bytes.IndexByte(name, '+') >= 0 {
		from := len(*c.buf)
		*c.buf = fold.AppendSpoken(*c.buf, name)
		name = (*c.buf)[from:]
	}
	from := len(*c.buf)
	if b, ok := fold.AppendLatin(*c.buf, name, ' '); ok || c.latin {
		*c.buf = b
	} else {
		*c.buf = fold.AppendWords(b, name)
	}
	return (*c.buf)[from:]
}

// foldFeed folds the name of a feed, after the channel's own unless it begins
// with that; see [snapshot.WholeName].
func (c *nameCursor) foldFeed(name []byte) {
	feed := c.fold(name)
	if beginsWith(feed, c.own) {
		c.words, c.channel = feed, 0
		return
	}
	from := len(*c.buf)
	*c.buf = append(append(append(*c.buf, c.own...), ' '), feed...)
	c.words, c.channel = (*c.buf)[from:], len(c.own)
}

// beginsWith reports whether words begin with others, whatever is between words.
func beginsWith(words, first []byte) bool {
	if len(words) < len(first) {
		return false
	}
	for i, c := range first {
		if words[i] != c && (c != '-' || words[i] != ' ') {
			return false
		}
	}
	return true
}
