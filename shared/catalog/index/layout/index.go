// Package layout holds the catalog in memory in the form that searches read.
//
// Records are numbered in the order of their folded names, so that a list of
// ascending numbers is a list by name, and everything about a record is found by
// its number. Strings that many records share (countries, categories, hosts) are
// values: each is kept once, escaped for JSON, under a number of its own, and
// 0 is no value. Combinations of values that records share, such as a
// country with its categories, are rows of the tables of [Groups]; a [Row] leads
// from a record to its rows.
//
// For each filter that selects by value, [Postings] holds the ascending records
// of every value, and of frequent values a bitset besides; the words of names
// stand in a lexicon of the same kind. What a record has to itself stands in one run of bytes, as JSON has
// it (texts.go).
//
// All of it is slices of numbers and bytes with few pointers, so that the
// garbage collector has little to look at, and nothing changes after Build or
// Decode, so that requests read without locks. What changes between releases is
// in package state. The fields are for packages state, search and show; other
// packages use the methods.
package layout

import (
	"sync"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index/layout/posting"
	"miramundo.dev/shared/catalog/lexicon"
	"miramundo.dev/shared/catalog/meaning"
	"miramundo.dev/shared/catalog/snapshot"
)

// Locales is how many languages labels have.
const Locales = len(catalog.Labels{})

// SupportedLocale returns locale, or the first locale when labels have no such.
func SupportedLocale(locale int) int {
	if locale < 0 || locale >= Locales {
		return 0
	}
	return locale
}

// An Index is a register made ready for search. It is immutable but for the memory
// that searches leave in it for the next.
type Index struct {
	version string
	builtAt time.Time
	sources []catalog.Source

	N     int           // records
	Rows  []Row         // by record
	texts []byte        // of all records; see texts.go
	ids   posting.Table // records by id

	Groups
	Values       snapshot.Texts // escaped
	valueNumbers posting.Table  // values by their escaped text
	Lists        snapshot.Lists
	logos        logoColumns
	Stations     StationColumns
	Genres       GenreColumns
	Streams      StreamColumns

	Categories    []catalog.Category
	CategorySets  []uint64                    // the sets of categories that records have, one bit each
	CategorySetOf []uint32                    // by record: which of CategorySets
	HasCategories docset.Bits                 // records that have categories
	Postings      [filter.Count]posting.Lists // of the filters by value
	Playable      docset.Bits
	Radio         docset.Bits
	Guide         docset.Ranked
	NameHashes    []uint64         // ascending: the hash of a name, its class, its record; see NameAt
	GuideSites    []uint8          // by record
	Ratings       []uint16         // by record: how well it is known; see package prior
	Words         *lexicon.Lexicon // of names and alternative names
	Others        *lexicon.Lexicon // of other names, which only relevance looks for
	ByVotes       posting.Order
	Vocabulary    Vocabulary
	meanings      func() *meaning.Meanings
	places        func() *Places
	channelTo     aliases
	streamTo      aliases
	gone          goneTable

	Searches sync.Pool // memory that package search works in; it refers to the index
}

// MaxCategories is how many categories there may be: a set of them has a bit for
// each.
const MaxCategories = 64

// A Row leads from a record to its texts and to its rows in the tables of groups.
type Row struct {
	texts                                   uint32 // where its texts begin
	Topic, Tongue, House, Past, Feed, State uint32 // groups
	Station                                 uint32 // of stations: which
}

// logoColumns hold, by record, the address that a logo comes from.
type logoColumns struct {
	host []uint32
	path snapshot.Texts
}

// StationColumns hold what only stations have, by the number that Row.Station
// gives.
type StationColumns struct {
	TagList, Votes, Clicks, Sound []uint32
}

// Build makes the index of reg. It fails when ids are not unique, when there
// are more than 64 categories, or when reg is too large.
func Build(reg *catalog.Register) (*Index, error) {
	c, err := snapshot.Pack(reg)
	if err != nil {
		return nil, err
	}
	return assemble(c)
}

// Decode makes the index that Encode wrote. Any other input is an error that
// is [snapshot.ErrCorrupt].
func Decode(data []byte) (*Index, error) {
	c, err := snapshot.Decode(data)
	if err != nil {
		return nil, err
	}
	return assemble(c)
}

// Encode returns the index as the bytes to publish.
func (ix *Index) Encode() ([]byte, error) {
	c, err := snapshot.Pack(ix.Register())
	if err != nil {
		return nil, err
	}
	return c.Encode()
}

// Version names the content: registers that differ only in when they were
// built and in their sources have the same version. It is 32 hexadecimal
// digits.
func (ix *Index) Version() string { return ix.version }

// BuiltAt returns when the register was built.
func (ix *Index) BuiltAt() time.Time { return ix.builtAt }

// Sources returns what the register was built from. The caller must not change
// it.
func (ix *Index) Sources() []catalog.Source { return ix.sources }

// Len returns how many records there are.
func (ix *Index) Len() int { return ix.N }

// StreamLen returns how many streams there are.
func (ix *Index) StreamLen() int { return len(ix.Streams.IDs) }
