package catalog

import "time"

// A Register is the catalog as a reload built it from the sources: all that a
// snapshot stores, before it is indexed. Package build makes it, and package
// snapshot lays it out in columns; after that nothing changes it.
type Register struct {
	BuiltAt time.Time
	Sources []Source
	Records []Record // in any order

	Categories   []Category
	Languages    []Term // code: ISO 639-3
	Countries    []Term // code: ISO 3166-1 alpha-2
	Subdivisions []Subdivision
	Cities       []City

	// Aliases map ids that were once published to the ids that replaced them:
	// channel to channel, stream to stream. A target is the id of a record or
	// stream of this register, never another alias.
	ChannelAliases map[string]string
	StreamAliases  map[string]string

	// Gone are the channels and stations that are known but not shown, by id.
	// None of them has the id of a record. One that a record replaced may have
	// an alias as well.
	Gone []Gone
}

// A Source describes one upstream file that the register was built from.
type Source struct {
	Name      string    `json:"name"` // "iptv-org/channels"
	FetchedAt time.Time `json:"fetched_at"`
	SHA256    string    `json:"sha256"`
	Items     int       `json:"itens"`   // rows in the file
	Missing   bool      `json:"ausente"` // never fetched, and no older copy exists

	// Of the last reload. A release that was refused leaves the fields above as
	// the current release has them.
	Kept     bool      `json:"kept,omitempty"`     // a newer file was not taken
	Problem  string    `json:"problem,omitempty"`  // why not
	Refusals []Refusal `json:"refusals,omitempty"` // the figures of it that were beyond their limits
}

// A Refusal is a figure of a source file, or of the catalog made from it, for
// which a reload did not take the file. Figures are numbers of records, or of
// channels and stations, unless they say otherwise.
type Refusal struct {
	File   string `json:"file" description:"Source file, such as iptv-org/streams."`
	Figure string `json:"figure" enum:"readable,records,column,values,links,playable,ids,same_ids,hidden" description:"Figure that was counted: records of the file, values in a column, links to known channels, playable channels or stations, ids of the release before that exist or lead on (ids) or exist unchanged (same_ids), closed and blocked channels that would be shown (hidden); readable and column are 1 or 0."`
	Column string `json:"column" description:"Column that the figure is about; empty when it is about the file."`
	Value  int    `json:"value" description:"The figure now."`
	Before int    `json:"before" description:"Figure of the last accepted file or release; of links and ids, how many there are in all."`
	Limit  int    `json:"limit" description:"Least value that is accepted, or the greatest one when value is above it."`
	Reason string `json:"reason" description:"The refusal as a sentence."`
}

// Figures of a catalog that refuse the files it is made from.
const (
	FigureRecords  = "records"  // channels or stations
	FigurePlayable = "playable" // of them, those with a usable stream
	FigureIDs      = "ids"      // ids of the release before that exist or lead on
	FigureSameIDs  = "same_ids" // ids of the release before that exist
	FigureHidden   = "hidden"   // closed and blocked channels of the release before that would be shown
)

// A Record is a channel or station as the register stores it. Strings are valid
// UTF-8 without control characters, trimmed; the interface shows an empty one
// as null.
type Record struct {
	ID            string
	Kind          Kind
	Name          string
	AltNames      []string
	FeedNames     []FeedName // names of its feeds: searched, and shown only where one was found by
	Country       string     // ISO 3166-1 alpha-2
	Categories    []string   // ids of the vocabulary
	Languages     []string   // ISO 639-3
	Website       string
	Network       string
	Owners        []string
	Launched      string   // YYYY-MM-DD
	ReplacedBy    string   // id of a channel, which the register need not have
	FeedName      string   // of the main feed, when there are several
	FeedFormat    string   // of the main feed, such as "1080i"
	Timezones     []string // IANA names
	BroadcastArea []string // "c/BR", "s/BR-SP", "ct/BRSAO", "r/INT"
	Quality       string   // best of its streams, else the feed's format
	GuideSite     string
	GuideLang     string
	HasGuide      bool
	GuideSites    int            // sites that publish a guide of it
	Subdivision   string         // ISO 3166-2
	City          string         // UN/LOCODE
	Origin        string         // wire name "origem"
	LogoSource    string         // where the logos job may fetch its logo
	Radio         *Radio         // of stations only
	Streams       []StreamRecord // best first
}

// Playable reports whether some stream of r is expected to play.
func (r *Record) Playable() bool {
	for i := range r.Streams {
		if r.Streams[i].Playable {
			return true
		}
	}
	return false
}

// A FeedName is a name of a version of a channel, such as of a region: all of
// it, such as "BBC One Scotland", or what is added to the channel's, such as
// "Scotland".
type FeedName struct {
	Feed string // id of the feed, as its streams have it; "" for a name of the main feed that is as good as one of the channel
	Name string
}

// A StreamRecord is a stream as the register stores it.
type StreamRecord struct {
	ID        StreamID
	URL       string // at the origin
	Feed      string // the feed of the channel that it serves; empty for none in particular
	Title     string
	Quality   string // as declared, such as "720p"
	Label     string // such as "Geo-blocked"; several are joined by "; "
	Referrer  string // header that the origin requires; empty when it requires none
	UserAgent string // likewise
	Kind      string // StreamHLS or another of the stream kinds
	Origin    string // wire name "origem"
	Playable  bool   // until a probe says otherwise
}

// A Term is a code with its names.
type Term struct {
	Code string
	Name Labels
}

// A Category is a subject of channels.
type Category struct {
	ID          string
	Name        Labels
	Description Labels // empty strings when the source gives none
	Icon        string // an emoji; empty when there is none
}

// A Subdivision is a state or province.
type Subdivision struct {
	Code, Country, Name string
}

// A City is a place with a UN/LOCODE.
type City struct {
	Code, Country, Subdivision, Name string
}

// Labels are the names of one thing in the locales of package i18n, in their
// order.
type Labels [5]string
