package snapshot

import (
	"iter"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
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

	nameClasses
)

// Names yields every name of r: its own, the alternative ones, and those of its
// feeds. The name of a feed that only says what it adds, such as "Scotland",
// follows the name of the channel.
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
			if !yield(Name{WholeName(r.Name, own, n.Name), NameOfFeed, n.Feed}) {
				return
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

// Tokens yields the words by which a name is found; some may repeat. A name such
// as "C-SPAN" is found by its words and by its joined form (see fold.Joined), and
// "Canal+" also by "plus".
func Tokens(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, words := range []string{fold.Words(fold.Spoken(name)), fold.Joined(name)} {
			for word := range strings.FieldsSeq(words) {
				if !yield(word) {
					return
				}
			}
		}
	}
}
