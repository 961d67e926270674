// Package source defines the records that upstreams publish, before the
// catalog merges them.
//
// The packages below it each read one upstream. They tolerate drift (an
// unknown field is ignored; a record that makes no sense is skipped and
// counted) and are strict about size and time.
package source

import "time"

// A Dataset is everything that the sources published, as they published it.
type Dataset struct {
	Files []File // one for each requested file, read or not

	// Of iptv-org.
	Channels     []Channel
	Feeds        []Feed
	Logos        []Logo
	Streams      []Stream
	Guides       []Guide
	Categories   []Category
	Languages    []Language
	Countries    []Country
	Subdivisions []Subdivision
	Cities       []City
	Regions      []Region
	Timezones    []Timezone
	Blocklist    []Block

	// Of radio-browser.
	Stations []Station
}

// A File describes the last read of one file.
type File struct {
	Name      string    // "iptv-org/channels", "radio-browser/stations"
	Location  string    // the URL or path that it was read from
	FetchedAt time.Time // when it was last read, or confirmed as unchanged; zero when never
	SHA256    string    // of the body as fetched, in hex; empty when never
	Items     int       // records read
	Skipped   int       // records that made no sense
	Bytes     int64     // of the body
	ETag      string    // as the server sent it
	Modified  string    // Last-Modified, as the server sent it
	Problem   string    // why this fetch failed, as a sentence for the operator; empty when it succeeded
	Kept      bool      // the last good body was used instead

	Origin     string         // who publishes it; empty means the source itself
	Filled     map[string]int // records with a value, by column; see [Part.Filled]
	Refusals   []Refusal      // why the file was not taken; a file may also be left because of another one
	Overridden []Refusal      // refusals in spite of which the operator had the file taken
}

// A Refusal says which figure of a file is beyond which limit. Figures are
// numbers of records unless they say otherwise.
type Refusal struct {
	File   string // such as "iptv-org/channels"
	Figure string // one of the Figure constants
	Column string // the column that the figure is about; empty when it is about the file
	Value  int
	Before int // the same figure of what was last accepted; 0 when there is none
	Limit  int // the least value that is accepted, or the greatest when Value is above it
	Reason string
}

// Figures that files are judged by.
const (
	FigureReadable = "readable" // 1 for a file that can be read completely, otherwise 0
	FigureRecords  = "records"  // records
	FigureColumn   = "column"   // 1 for a column that is there, otherwise 0
	FigureValues   = "values"   // records with a value in the column
	FigureLinks    = "links"    // records whose channel the source has
)

// The records of iptv-org, by the field names of its JSON files. A null is the
// zero value. Country codes are as upstream says them ("UK").
type (
	// A Channel is a TV channel.
	Channel struct {
		ID         string   `json:"id"`
		Name       string   `json:"name"`
		AltNames   []string `json:"alt_names"`
		Network    string   `json:"network"`
		Owners     []string `json:"owners"`
		Country    string   `json:"country"`
		Categories []string `json:"categories"`
		NSFW       bool     `json:"is_nsfw"`
		Launched   string   `json:"launched"`
		Closed     string   `json:"closed"`
		ReplacedBy string   `json:"replaced_by"`
		Website    string   `json:"website"`
		Origin     string   `json:"-"` // who publishes it; empty means "iptv-org"
	}
	// A Feed is one version of a channel: a region, a language or a picture size.
	// Its id is unique in its channel.
	Feed struct {
		Channel       string   `json:"channel"`
		ID            string   `json:"id"`
		Name          string   `json:"name"`
		AltNames      []string `json:"alt_names"`
		Main          bool     `json:"is_main"`
		BroadcastArea []string `json:"broadcast_area"`
		Timezones     []string `json:"timezones"`
		Languages     []string `json:"languages"`
		Format        string   `json:"format"`
	}
	// A Logo is an image of a channel, or of one feed of it. Width and height are
	// pixels.
	Logo struct {
		Channel string   `json:"channel"`
		Feed    string   `json:"feed"`
		InUse   bool     `json:"in_use"`
		Tags    []string `json:"tags"`
		Width   float64  `json:"width"`
		Height  float64  `json:"height"`
		Format  string   `json:"format"`
		URL     string   `json:"url"`
	}
	// A Stream is an address where a channel plays. One without a channel is only
	// a title.
	Stream struct {
		Channel   string   `json:"channel"`
		Feed      string   `json:"feed"`
		Title     string   `json:"title"`
		URL       string   `json:"url"`
		Referrer  string   `json:"referrer"`
		UserAgent string   `json:"user_agent"`
		Quality   string   `json:"quality"` // such as "720p"
		Labels    []string `json:"labels"`  // such as "Geo-blocked"; also read from "label"
		Origin    string   `json:"-"`       // who publishes it; empty means "iptv-org"
		File      string   `json:"-"`       // the playlist it stood in, such as "br_pluto"; empty from JSON
	}
	// A Guide says where programmes of a channel are published.
	Guide struct {
		Channel  string `json:"channel"`
		Feed     string `json:"feed"`
		Site     string `json:"site"`
		SiteID   string `json:"site_id"`
		SiteName string `json:"site_name"`
		Lang     string `json:"lang"` // ISO 639-1
	}
	// A Category is a kind of programme.
	Category struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	// A Language is one that feeds are spoken in.
	Language struct {
		Code string `json:"code"` // ISO 639-3
		Name string `json:"name"`
	}
	// A Country is a country or territory.
	Country struct {
		Code      string   `json:"code"`
		Name      string   `json:"name"`
		Languages []string `json:"languages"`
	}
	// A Subdivision is a part of a country, by ISO 3166-2. Its code may begin
	// with another code than its country ("GB-WLS" of "UK").
	Subdivision struct {
		Country string `json:"country"`
		Code    string `json:"code"`
		Name    string `json:"name"`
		Parent  string `json:"parent"`
	}
	// A City is one by its UN/LOCODE.
	City struct {
		Country     string `json:"country"`
		Subdivision string `json:"subdivision"`
		Code        string `json:"code"`
		Name        string `json:"name"`
	}
	// A Region is a group of countries that feeds are meant for.
	Region struct {
		Code      string   `json:"code"`
		Name      string   `json:"name"`
		Countries []string `json:"countries"`
	}
	// A Timezone is one of the IANA database.
	Timezone struct {
		ID        string   `json:"id"`
		UTCOffset string   `json:"utc_offset"`
		Countries []string `json:"countries"`
	}
	// A Block says that a channel must not be shown.
	Block struct {
		Channel string `json:"channel"`
		Reason  string `json:"reason"` // "dmca" or "nsfw"
		Ref     string `json:"ref"`
	}
)

// A Station is a record of radio-browser, values as upstream says them but
// for lists, which are split, and flags.
type Station struct {
	Origin        string // who publishes it; empty means "radio-browser"
	UUID          string
	Name          string
	URL           string
	URLResolved   string
	Homepage      string
	Favicon       string
	Tags          []string
	CountryCode   string
	Subdivision   string   // iso_3166_2
	State         string   // in words, of any language
	Languages     []string // names, in English or not
	LanguageCodes []string // ISO 639-1 mostly
	Votes         int
	Clicks        int // in 24 hours
	Codec         string
	Bitrate       int // kbit/s; 0 when unknown
	HLS           bool
	LastCheckOK   bool
	Latitude      *float64
	Longitude     *float64
}
