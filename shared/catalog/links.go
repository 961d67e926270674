package catalog

import (
	"net/url"
	"strings"
)

// IndexPath is the path of the index of the API, and the prefix of its paths.
const IndexPath = "/api/"

// ChannelsPath is the path of the list of channels; below it are their records.
const ChannelsPath = "/api/channels"

// StreamsPath is the path prefix of streams, before their ids.
const StreamsPath = "/api/s/"

// LegacyPath is the path prefix at which the isolated player fetches the data
// of a stream, before its id.
const LegacyPath = "/api/legacy/"

// PagePath is the path prefix of the pages of channels whose addresses are the
// same in every language, before the ids of the channels.
const PagePath = "/c/"

// ReportPath is the path at which callers report whether a channel played.
const ReportPath = "/api/play-report"

// LogosPath is the path prefix of logos, before their ids.
const LogosPath = "/logos/"

// A LinkBase holds the base URLs of the parts of the service, without a
// trailing slash, such as "https://miramundo.dev".
type LinkBase struct {
	Base   string // the main host
	Hop    string // the stream hop
	Legacy string // the isolated player for plain HTTP
}

// Channel returns the address of a detail record.
func (l LinkBase) Channel(id string) string { return l.Channels() + "/" + url.PathEscape(id) }

// ChannelOfFeed returns the address of a detail record that has the best stream of a
// feed first.
func (l LinkBase) ChannelOfFeed(id, feed string) string {
	return l.Channel(id) + "?feed=" + url.QueryEscape(feed)
}

// Channels returns the address of the list of channels.
func (l LinkBase) Channels() string { return l.Base + ChannelsPath }

// Health returns the address of the health panel of a channel.
func (l LinkBase) Health(id string) string { return l.Channel(id) + "/health" }

// Report returns the address at which callers report a play.
func (l LinkBase) Report() string { return l.Base + ReportPath }

// Page returns the address of the HTML page of a channel.
func (l LinkBase) Page(id string) string { return l.Base + PagePath + url.PathEscape(id) }

// Index returns the address of the index of the API.
func (l LinkBase) Index() string { return l.Base + IndexPath }

// Stream returns the address that plays a stream.
func (l LinkBase) Stream(id StreamID) string { return l.Hop + StreamsPath + id.String() }

const plainHTTP = "http://"

// PlaylistExt ends the address of a playlist at the hop. The hop answers with and
// without it; some players recognize HLS by it alone.
const PlaylistExt = ".m3u8"

// Play returns the address that a media player should open for a stream. It is the
// hop's for a playlist, and for what the hop redirects to. The hop never redirects
// to plain HTTP, so that such a stream, unless it is a playlist, has the provider's own
// address. It is empty for streams that media players cannot open: those of the video
// platform, and those of protocols other than HTTP.
func (l LinkBase) Play(s *StreamRecord) string {
	switch s.Kind {
	case StreamHLS:
		return l.Stream(s.ID) + PlaylistExt
	case StreamYouTube, StreamExternal:
		return ""
	}
	if len(s.URL) >= len(plainHTTP) && strings.EqualFold(s.URL[:len(plainHTTP)], plainHTTP) {
		return s.URL
	}
	return l.Stream(s.ID)
}

// Player returns the address of the isolated player with a stream.
func (l LinkBase) Player(id StreamID) string { return l.Legacy + "/?stream=" + id.String() }

// Flag returns the address of the flag of a country.
func (l LinkBase) Flag(country string) string {
	return l.Base + "/flags/" + url.PathEscape(strings.ToLower(country)) + ".svg"
}

// Logo returns the address of a logo.
func (l LinkBase) Logo(id string) string { return l.Base + LogosPath + url.PathEscape(id) }
