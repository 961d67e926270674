// Package snapshot stores the catalog as columns of numbers and texts, the form
// in which it is published.
//
// [Pack] lays a register out in columns: values that repeat are stored once and
// referred to by number, records are sorted by their folded names, and each word
// of a name is stored with the records that contain it. Encode and [Decode]
// convert columns to a compressed, hashed string of bytes and back. Package
// index builds the structure that answers searches from them.
package snapshot

import (
	"time"

	"miramundo.dev/shared/catalog"
)

// Columns are a register in columns. They must not be changed: readers share
// them without locks.
//
// A number that refers to a value is a position in Values, one that refers to a
// list a position in Lists; position 0 of both is empty and stands for null. A
// number that refers to a group is a row of the table of that group. A group is
// a combination of fields that many records share, stored once, such as country and
// categories.
type Columns struct {
	Version string // hash of the content, without BuiltAt and Sources
	BuiltAt time.Time
	Sources []catalog.Source

	// Vocabularies, each a fixed number of texts for each entry.
	Categories, Languages, Countries, Subdivisions, Cities Texts
	ChannelAliases, StreamAliases                          Texts

	Values Texts
	Lists  Lists // of values

	// The groups of fields that records share: Topics hold country and
	// categories, Tongues languages, Houses network and owners, Pasts launch,
	// successor and other feed names, Feeds the main feed, States kind, quality,
	// guide and place, Sounds codec and bitrate of stations. The constants below
	// name the columns of each.
	Topics, Tongues, Houses, Pasts, Feeds, States, Sounds Table

	Docs     Docs
	Stations Stations
	Streams  Streams
	Words    Words // of names and alternative names
	Others   Words // of feeds and of names in Latin letters, where Words lacks them
	Gone     Gone
}

// The widths of the vocabularies: the number of texts of an entry.
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
	PastLaunched, PastReplacedBy, PastFeedNameList, PastWidth          = 0, 1, 2, 3 // the last in pairs: feed, name
	FeedName, FeedFormat, FeedZoneList, FeedAreaList, FeedWidth        = 0, 1, 2, 3, 4
	StateKind, StateQuality, StateGuide, StateGuideSite                = 0, 1, 2, 3
	StateGuideLang, StateSubdivision, StateCity, StateOrigin           = 4, 5, 6, 7
	StateWidth                                                         = 8
	SoundCodec, SoundBitrate, SoundRate, SoundWidth                    = 0, 1, 2, 3 // value; kbit/s or 0; value, such as "128k"
	TraitKind, TraitQuality, TraitLabel, TraitOrigin                   = 0, 1, 2, 3
	TraitPlayable, TraitFeed, TraitReferrer, TraitUserAgent, TraitSize = 4, 5, 6, 7, 8
	GoneKind, GoneReason, GoneCountry, GoneSince, GoneReplacedBy       = 0, 1, 2, 3, 4 // kind; position in GoneReasons; values
	GoneWidth                                                          = 5
)

// Docs are the records, in the order of their folded names and then their ids.
type Docs struct {
	IDs, Names, Websites Texts
	Slugs                Texts // folded names; empty where AppendLatin folds the name fast
	AltNames             TextLists
	GuideSites           []uint32
	NameEnds             []uint32 // by record: the end of its names in the columns below
	NameHashes           []uint32 // by name: [Hash] of its key
	NameClasses          []uint32 // by name: its NameClass
	LogoHost             []uint32 // value: the logo's URL up to its path
	LogoPath             Texts    // the rest of that URL

	Topic, Tongue, House, Past, Feed, State []uint32 // groups
}

// Len returns the number of records.
func (d *Docs) Len() int { return len(d.State) }

// Stations are the fields that only stations have, in the order of the records;
// TV channels have no entry.
type Stations struct {
	TagList, Votes, Clicks, Sound []uint32
	Places                        Texts // "latitude,longitude" or empty
}

// Streams are the streams of all records, in the order of the records.
type Streams struct {
	Ends   []uint32 // by record: the end of its streams
	IDs    []uint64
	Host   []uint32 // value: the URL up to its path
	Path   Texts    // the rest of the URL
	Title  []uint32 // value
	Trait  []uint32 // group of Traits
	Traits Table
}

// Words are the words of the names of records, with the records of each.
type Words struct {
	Tokens Texts    // unique, in the order of their bytes
	Ends   []uint32 // by word: the end of its records in Docs
	Docs   []uint32 // records, ascending within each word
}

// Texts are strings one after the other, without a separator.
type Texts struct {
	Bytes []byte
	Ends  []uint32 // by string: its end in Bytes
}

// Len returns the number of strings.
func (t *Texts) Len() int { return len(t.Ends) }

// At returns string i. It shares the memory of t.
func (t *Texts) At(i uint32) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.Ends[i-1]
	}
	return t.Bytes[start:t.Ends[i]:t.Ends[i]]
}

// Span returns the strings from i up to j, without j, one after the other. It
// shares the memory of t.
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

// Add appends s to t. All strings together must not exceed 2 GiB.
func (t *Texts) Add(s string) {
	t.Bytes = append(t.Bytes, s...)
	t.Ends = append(t.Ends, uint32(len(t.Bytes)))
}

// TextLists are lists of strings one after the other.
type TextLists struct {
	Items Texts
	Ends  []uint32
}

// Span returns the bounds of list i in Items.
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
	Width int      // numbers in a row; fixed by the format, not stored
	Cells []uint32 // row by row
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.Cells) / t.Width }

// Row returns row i. It shares the memory of t.
func (t *Table) Row(i uint32) []uint32 {
	at := int(i) * t.Width
	return t.Cells[at : at+t.Width : at+t.Width]
}

// span returns the bounds of part i of a sequence whose parts end at ends.
func span(ends []uint32, i uint32) (start, end uint32) {
	if i > 0 {
		start = ends[i-1]
	}
	return start, ends[i]
}
