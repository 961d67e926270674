package snapshot

import (
	"iter"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/numeral"
	"miramundo.dev/shared/catalog/translit"
)

// A Name is a name by which searches find a record.
type Name struct {
	Text  string
	Class NameClass
	Feed  string // id of the feed that it names; empty for the channel as a whole
}

// A NameClass says how good a name is.
type NameClass uint8

// The classes of names, the best first.
const (
	OwnName   NameClass = iota // the name that is shown
	OtherName                  // an alternative name
	NameOfFeed
	Romanised // a name in Latin letters, of one in another script

	nameClasses
)

// Names yields every name of r: its own, the alternative ones, those of its feeds,
// and the ways in which people write the first two in Latin letters. The name of
// a feed that only says what it adds, such as "Scotland", follows the name of the
// channel.
func Names(r *catalog.Record) iter.Seq[Name] {
	return func(yield func(Name) bool) {
		if !yield(Name{Text: r.Name}) {
			return
		}
		for _, name := range r.AltNames {
			if !yield(Name{Text: name, Class: OtherName}) {
				return
			}
		}
		own := fold.Words(r.Name)
		for _, n := range r.FeedNames {
			name := Name{Text: n.Name, Class: OtherName}
			if n.Feed != "" {
				name = Name{WholeName(r.Name, own, n.Name), NameOfFeed, n.Feed}
			}
			if !yield(name) {
				return
			}
		}
		for _, name := range append([]string{r.Name}, r.AltNames...) {
			for _, latin := range translit.Latin(name) {
				if !yield(Name{Text: latin, Class: Romanised}) {
					return
				}
			}
		}
	}
}

// WholeName returns the whole name of a feed of a channel whose name, folded, is
// own.
func WholeName(channel, own, feed string) string {
	if strings.HasPrefix(fold.Words(feed), own) {
		return feed
	}
	return channel + " " + feed
}

// AppendKey appends the key of folded words to dst. Names with the same key are
// one name, written with other spaces, or with its numbers as words.
func AppendKey[T string | []byte](dst []byte, words T) []byte {
	for len(words) > 0 {
		end := 0
		for end < len(words) && words[end] != ' ' {
			end++
		}
		at := len(dst)
		dst = append(dst, words[:end]...)
		if n, ok := numeral.Of(dst[at:]); ok && !n.Weak {
			dst = strconv.AppendUint(dst[:at], uint64(n.Value), 10)
		}
		words = words[min(end+1, len(words)):]
	}
	return dst
}
