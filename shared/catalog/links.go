package catalog

import (
	"net/url"
	"strings"
)

// IndexPath is where the index of the API is. The paths of the API begin with it.
const IndexPath = "/api/"

// ChannelsPath is where the list of channels is, and below it their records.
const ChannelsPath = "/api/channels"

// StreamsPath is what the addresses of streams begin with, before their ids.
const StreamsPath = "/api/s/"

// LegacyPath is what the addresses begin with at which the isolated player asks
// about streams, before their ids.
const LegacyPath = "/api/legacy/"

// PagePath is what the addresses of the pages of channels begin with that are the
// same in every language, before the ids of the channels.
const PagePath = "/c/"

// ReportPath is where people report whether a channel plays.
const ReportPath = "/api/play-report"

// LogosPath is what the addresses of logos begin with, before their ids.
const LogosPath = "/logos/"

// A LinkBase is where the parts of the service are: origins without a slash at
// their end, such as "https://miramundo.dev".
type LinkBase struct {
	Base   string // the main host
	Hop    string // the stream hop
	Legacy string // the isolated player for plain HTTP
}

// Channel returns the address of a detail record.
func (l LinkBase) Channel(id string) string { return l.Channels() + "/" + url.PathEscape(id) }

// Channels returns the address of the list of channels.
func (l LinkBase) Channels() string { return l.Base + ChannelsPath }

// Health returns the address of the health panel of a channel.
func (l LinkBase) Health(id string) string { return l.Channel(id) + "/health" }

// Report returns the address at which people report a play.
func (l LinkBase) Report() string { return l.Base + ReportPath }

// Page returns the address of the page for people about a channel.
func (l LinkBase) Page(id string) string { return l.Base + PagePath + url.PathEscape(id) }

// Index returns the address of the index of the API.
func (l LinkBase) Index() string { return l.Base + IndexPath }

// Stream returns the address that plays a stream.
func (l LinkBase) Stream(id StreamID) string { return l.Hop + StreamsPath + id.String() }

// Player returns the address of the isolated player with a stream.
func (l LinkBase) Player(id StreamID) string { return l.Legacy + "/?stream=" + id.String() }

// Flag returns the address of the flag of a country.
func (l LinkBase) Flag(country string) string {
	return l.Base + "/flags/" + url.PathEscape(strings.ToLower(country)) + ".svg"
}

// Logo returns the address of a logo.
func (l LinkBase) Logo(id string) string { return l.Base + LogosPath + url.PathEscape(id) }
