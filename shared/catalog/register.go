package catalog

import "time"

// A Register is the catalog as a reload built it from the sources: everything
// that a snapshot keeps, before it is indexed.
type Register struct {
	BuiltAt time.Time
	Sources []Source
	Records []Record // in no order that means anything

	Categories   []Category
	Languages    []Term // code: ISO 639-3
	Countries    []Term // code: ISO 3166-1 alpha-2
	Subdivisions []Subdivision
	Cities       []City

	// Aliases lead from ids that were once published to those that took their
	// place: channel to channel, stream to stream.
	ChannelAliases map[string]string
	StreamAliases  map[string]string
}

// A Source says what a file of an upstream gave to the register.
type Source struct {
	Name      string    `json:"name"` // "iptv-org/channels"
	FetchedAt time.Time `json:"fetched_at"`
	SHA256    string    `json:"sha256"`
	Items     int       `json:"itens"`
	Missing   bool      `json:"ausente"` // never fetched, and nothing was kept
}

// A Record is a channel or station as the register keeps it. Strings are valid
// UTF-8 without control characters, trimmed; an empty one is what the
// interface calls null.
type Record struct {
	ID            string
	Kind          Kind
	Name          string
	AltNames      []string
	FeedNames     []string // names of its feeds, which search reads and nothing shows
	Country       string   // ISO 3166-1 alpha-2
	Categories    []string
	Languages     []string // ISO 639-3
	Website       string
	Network       string
	Owners        []string
	Launched      string // YYYY-MM-DD
	ReplacedBy    string
	FeedName      string
	FeedFormat    string
	Timezones     []string
	BroadcastArea []string
	Quality       string // best of its streams, else the feed's format
	GuideSite     string
	GuideLang     string
	HasGuide      bool
	Subdivision   string
	City          string
	Origin        string         // wire name "origem"
	LogoSource    string         // where the logos job may fetch its logo
	Radio         *Radio         // of stations only
	Streams       []StreamRecord // best first
}

// Playable reports whether some stream is thought usable.
func (r *Record) Playable() bool {
	for i := range r.Streams {
		if r.Streams[i].Playable {
			return true
		}
	}
	return false
}

// A StreamRecord is a stream as the register keeps it.
type StreamRecord struct {
	ID        StreamID
	URL       string // of the origin
	Feed      string
	Title     string
	Quality   string
	Label     string
	Referrer  string
	UserAgent string
	Kind      string // a stream kind of the interface
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
