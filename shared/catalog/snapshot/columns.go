// Package snapshot knows the catalog as columns of numbers and texts, which is
// how it is published.
//
// A register is laid out by [Columns.of] in columns: values that repeat are
// kept once and named by number, records stand in the order of their folded
// names, and the words that search reads stand with the records that have them.
// Encode and [Decode] turn columns into a compressed, hashed string of bytes
// and back. Package index makes from them what answers searches.
package snapshot

import (
	"time"

	"miramundo.dev/shared/catalog"
)

// Columns are a register by columns. They are not to be changed.
//
// Numbers that name values are positions in Values; those that name lists are
// positions in Lists; position 0 of both is empty and stands for null. Numbers
// that name groups are positions in the table of that group.
type Columns struct {
	Version string // names the content; BuiltAt and Sources are no part of it
	BuiltAt time.Time
	Sources []catalog.Source

	// Vocabularies, each a fixed number of texts for each entry.
	Categories, Languages, Countries, Subdivisions, Cities Texts
	ChannelAliases, StreamAliases                          Texts

	Values Texts
	Lists  Lists // of values

	// What records share, by group.
	Topics, Tongues, Houses, Pasts, Feeds, States, Sounds Table

	Docs     Docs
	Stations Stations
	Streams  Streams
	Words    Words
}

// The widths of the vocabularies: how many texts an entry has.
const (
	CategoryWidth    = 2 + 2*len(catalog.Labels{}) // id, icon, names, descriptions
	TermWidth        = 1 + len(catalog.Labels{})   // code, names
	SubdivisionWidth = 3                           // code, country, name
	CityWidth        = 4                           // code, country, subdivision, name
	AliasWidth       = 2                           // from, to
)

// The columns of the tables of groups. Those that name a list end in List.
const (
	TopicCountry, TopicCategoryList, TopicWidth                        = 0, 1, 2
	TongueList, TongueWidth                                            = 0, 1 // of languages
	HouseNetwork, HouseOwnerList, HouseWidth                           = 0, 1, 2
	PastLaunched, PastReplacedBy, PastFeedNameList, PastWidth          = 0, 1, 2, 3
	FeedName, FeedFormat, FeedZoneList, FeedAreaList, FeedWidth        = 0, 1, 2, 3, 4
	StateKind, StateQuality, StateGuide, StateGuideSite                = 0, 1, 2, 3
	StateGuideLang, StateSubdivision, StateCity, StateOrigin           = 4, 5, 6, 7
	StateWidth                                                         = 8
	SoundCodec, SoundBitrate, SoundRate, SoundWidth                    = 0, 1, 2, 3 // value; kbit/s or 0; value, such as "128k"
	TraitKind, TraitQuality, TraitLabel, TraitOrigin                   = 0, 1, 2, 3
	TraitPlayable, TraitFeed, TraitReferrer, TraitUserAgent, TraitSize = 4, 5, 6, 7, 8
)

// Docs are the records, in the order of their folded names and then their ids.
type Docs struct {
	IDs, Names, Websites Texts
	Slugs                Texts // folded names, of those that do not fold fast
	AltNames             TextLists
	AltHashes            []uint32 // by alternative name: [Hash] of its folded words
	LogoHost             []uint32 // value: the logo's URL up to its path
	LogoPath             Texts    // what follows

	Topic, Tongue, House, Past, Feed, State []uint32 // groups
}

// Len returns how many records there are.
func (d *Docs) Len() int { return len(d.State) }

// Stations are what only stations have, in the order of the records.
type Stations struct {
	TagList, Votes, Clicks, Sound []uint32
	Places                        Texts // "latitude,longitude" or empty
}

// Streams are the streams of all records, in the order of the records.
type Streams struct {
	Ends   []uint32 // by record: the end of its streams
	IDs    []uint64
	Host   []uint32 // value: the URL up to its path
	Path   Texts    // what follows
	Title  []uint32 // value
	Trait  []uint32 // group of Traits
	Traits Table
}

// Words are the words of the names of records.
type Words struct {
	Tokens Texts // ascending
	Ends   []uint32
	Docs   []uint32 // by word, ascending
}

// Texts are strings one after the other.
type Texts struct {
	Bytes []byte
	Ends  []uint32
}

// Len returns how many strings there are.
func (t *Texts) Len() int { return len(t.Ends) }

// At returns string i. It shares the memory of t.
func (t *Texts) At(i uint32) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.Ends[i-1]
	}
	return t.Bytes[start:t.Ends[i]:t.Ends[i]]
}

// Span returns strings i up to j, one after the other. It shares the memory of
// t.
func (t *Texts) Span(i, j uint32) []byte {
	if i == j {
		return nil
	}
	start := uint32(0)
	if i > 0 {
		start = t.Ends[i-1]
	}
	return t.Bytes[start:t.Ends[j-1]:t.Ends[j-1]]
}

// Add puts s at the end of t.
func (t *Texts) Add(s string) {
	t.Bytes = append(t.Bytes, s...)
	t.Ends = append(t.Ends, uint32(len(t.Bytes)))
}

// TextLists are lists of strings one after the other.
type TextLists struct {
	Items Texts
	Ends  []uint32
}

// Span returns where list i is in Items.
func (l *TextLists) Span(i uint32) (start, end uint32) { return span(l.Ends, i) }

// Lists are lists of numbers one after the other.
type Lists struct {
	Items, Ends []uint32
}

// At returns list i. It shares the memory of l.
func (l *Lists) At(i uint32) []uint32 {
	start, end := span(l.Ends, i)
	return l.Items[start:end:end]
}

// A Table is rows of numbers, all of one width.
type Table struct {
	Width int
	Cells []uint32
}

// Len returns how many rows t has.
func (t *Table) Len() int { return len(t.Cells) / t.Width }

// Row returns row i. It shares the memory of t.
func (t *Table) Row(i uint32) []uint32 {
	at := int(i) * t.Width
	return t.Cells[at : at+t.Width : at+t.Width]
}

func span(ends []uint32, i uint32) (start, end uint32) {
	if i > 0 {
		start = ends[i-1]
	}
	return start, ends[i]
}
