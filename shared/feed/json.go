package feed

import (
	"bytes"
	"encoding/json"
	"time"

	"miramundo.dev/shared/catalog"
)

// A ChannelList is a list in JSON. There is no common JSON format for lists;
// its first members are those that importers read.
type ChannelList struct {
	Name      string          `json:"name"`
	Level     string          `json:"level" enum:"library,category,group,search" description:"Level of the list: a whole library, a folder, a sub-tab or a search."`
	EPGURL    *string         `json:"epgUrl" format:"uri" description:"XMLTV guide of these channels."`
	Feeds     Addresses       `json:"feeds" description:"The same list in each format."`
	UpdatedAt *string         `json:"updated_at" format:"date-time" description:"Time of the library's last change; for a search, of the catalog's."`
	Channels  []ListedChannel `json:"channels" nullable:"false" description:"Entries of the playlist, in order."`
}

// A ListedChannel is a channel of a ChannelList.
type ListedChannel struct {
	ID        string           `json:"id" description:"Catalog id."`
	Name      string           `json:"name"`
	URL       *string          `json:"url" format:"uri" description:"Address that plays the channel; null when it has no stream or is no longer in the catalog."`
	Logo      *string          `json:"logo" format:"uri" description:"Address of the logo; null when there is no logo."`
	Group     string           `json:"group" description:"Group in which players show the entry."`
	EPGID     *string          `json:"epgId" description:"The channel's id in the guide, and its tvg-id in M3U."`
	StreamID  *string          `json:"stream_id" description:"Id of the stream; null when the channel has no stream."`
	Kind      *string          `json:"kind" enum:"hls,dash,ts,flv,audio,youtube" description:"Kind of the stream; playlists in M3U and XSPF omit youtube."`
	Radio     bool             `json:"radio" description:"True for a radio station."`
	Quality   *string          `json:"quality" description:"Quality of the stream, such as 720p; null when it is not known."`
	Country   *string          `json:"country" description:"ISO 3166-1 alpha-2."`
	Languages []string         `json:"languages" nullable:"false" description:"ISO 639-3 codes."`
	YouTube   *catalog.YouTube `json:"youtube,omitempty" description:"Addresses of a stream on the video platform."`
	Stale     bool             `json:"stale" description:"Whether the channel has left the catalog."`
	API       string           `json:"api" format:"uri" description:"The channel's detail record."`
}

// JSON returns l as a [ChannelList], with texts unchanged.
func (l *List) JSON() []byte {
	d := ChannelList{Name: l.Name, Level: l.Level, EPGURL: catalog.TextOrNil(l.Guide), Feeds: l.Feeds, Channels: make([]ListedChannel, len(l.Entries))}
	if !l.UpdatedAt.IsZero() {
		d.UpdatedAt = catalog.TextOrNil(l.UpdatedAt.UTC().Format(time.RFC3339))
	}
	for i := range l.Entries {
		d.Channels[i] = l.Entries[i].channel()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(d) // of texts, flags and lists: it does not fail
	return b.Bytes()
}

func (e *Entry) channel() ListedChannel {
	c := ListedChannel{
		ID: e.Channel, Name: e.Name, URL: catalog.TextOrNil(escapeURL(e.URL)), Logo: catalog.TextOrNil(e.Logo), Group: e.Group, EPGID: catalog.TextOrNil(e.guideID()),
		StreamID: catalog.TextOrNil(e.Stream), Kind: catalog.TextOrNil(e.Kind), Radio: e.Radio, Quality: catalog.TextOrNil(e.Quality), Country: catalog.TextOrNil(e.Country),
		Languages: e.Tongues, YouTube: e.YouTube, Stale: e.Gone, API: e.API,
	}
	if c.Languages == nil {
		c.Languages = []string{}
	}
	return c
}
