// Package index knows how to find channels.
//
// An [Index] holds the whole catalog in memory, laid out for search: records
// are numbered in the order of their folded names, every value and word knows
// the records that have it, and what an answer shows stands ready as escaped
// JSON. A [View] is an index together with what changes between reloads (blocks,
// measured health, logos and guides). Both are immutable and hold few pointers, so that any
// number of requests read them without locks and the garbage collector has
// nothing to do. What people do changes all the time, and differs by who asks:
// a search is told of it by a [Crowd].
package index

import (
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/lexicon"
	"miramundo.dev/shared/catalog/snapshot"
)

// locales is how many languages labels have.
const locales = len(catalog.Labels{})

// within returns locale, or the first for one that labels do not have.
func within(locale int) int {
	if locale < 0 || locale >= locales {
		return 0
	}
	return locale
}

// An Index is a register made ready for search. It is immutable.
type Index struct {
	version string
	builtAt time.Time
	sources []catalog.Source

	n    int   // records
	rows []row // by record
	own  []byte
	ids  table // records by id

	groups
	values   snapshot.Texts // escaped
	byValue  table          // values by their escaped text
	lists    snapshot.Lists
	logos    logoColumns
	stations stationColumns
	streams  streamColumns

	categories  []catalog.Category
	counted     []countedCategory   // the same, as facets show them
	masks       []uint64            // the sets of categories that records have
	maskOf      []uint32            // by record: which of masks
	categorised docset.Bits         // who has categories
	classes     [filter.Count]class // of the filters by value
	playable    docset.Bits
	radio       docset.Bits
	guide       docset.Ranked
	otherNames  []uint64 // ascending: the hash of an alternative name, then whose it is
	words       *lexicon.Lexicon
	byVotes     order
	terms       vocabulary
	channelTo   aliases
	streamTo    aliases
	originNames []uint32 // values: the origins of records
}

// A row leads to what is known of a record.
type row struct {
	own                                     uint32 // where its own texts are
	topic, tongue, house, past, feed, state uint32 // groups
	station                                 uint32 // of stations: which
}

type logoColumns struct {
	host []uint32
	path snapshot.Texts
}

type stationColumns struct {
	tagList, votes, clicks, sound []uint32
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
func (ix *Index) Len() int { return ix.n }

// StreamLen returns how many streams there are.
func (ix *Index) StreamLen() int { return len(ix.streams.ids) }
