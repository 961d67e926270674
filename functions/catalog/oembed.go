package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"math"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/site"
)

// Programs that show a preview of a link, such as editors and chats, ask for the player of
// a page by oEmbed 1.0 (oembed.com), in JSON or XML. Pages of channels name the address in
// their heads. An unknown format is answered with 400, as every value that is not listed,
// where oEmbed has 501.

// xmlType is the media type of an answer in XML.
const xmlType = "text/xml"

// oembed is the endpoint of the player as oEmbed.
var oembed = api.Bind((*Server).oembed, api.Endpoint{
	Name:    "get_oembed",
	Method:  "GET",
	Path:    site.OEmbedPath,
	Auth:    api.None,
	Summary: "Get the player of a page as oEmbed",
	Doc: "Returns the player of a channel as oEmbed 1.0, for programs that show it in place of a link to the channel's page. The type is " +
		"video for TV channels and rich for radio stations; html is an iframe that fits into maxwidth and maxheight. Returns 404 unless url is the " +
		"address of a channel of this service.",
	Faults:   []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded},
	Cache:    api.Public(oembedAge),
	Produces: []string{xmlType},
})

// oembedAge is how long programs should keep an answer.
const oembedAge = time.Hour

// The size of a player, in pixels. functions/web/app/channel/sheet.ts has the same ones.
const (
	playerWidth = 560
	playerBar   = 44  // the line below the picture
	soundHeight = 240 // of a station, which has no picture
)

type oembedIn struct {
	URL       string `query:"url" required:"true" maxLength:"2000" description:"Address of a channel: of its page in any language, of its player for other sites, or the short one."`
	Format    string `query:"format" default:"json" enum:"json,xml" description:"Format of the response."`
	MaxWidth  int    `query:"maxwidth" default:"0" minimum:"0" cap:"100000" description:"Maximum width of the player in pixels; it is at most 560. 0 sets no limit."`
	MaxHeight int    `query:"maxheight" default:"0" minimum:"0" cap:"100000" description:"Maximum height of the player in pixels. 0 sets no limit."`
	Lang      string `query:"lang" maxLength:"16" description:"Language of the player for a short address: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

// An embedding is the player of a channel, with the names of oEmbed.
type embedding struct {
	XMLName      xml.Name `json:"-" xml:"oembed"`
	Version      string   `json:"version" xml:"version" enum:"1.0" description:"Version of oEmbed."`
	Type         string   `json:"type" xml:"type" enum:"video,rich" description:"video for a TV channel, rich for a radio station."`
	Title        string   `json:"title" xml:"title" description:"Name of the channel."`
	ProviderName string   `json:"provider_name" xml:"provider_name" description:"Name of the service."`
	ProviderURL  string   `json:"provider_url" xml:"provider_url" format:"uri" description:"Address of the service."`
	CacheAge     int      `json:"cache_age" xml:"cache_age" description:"Seconds for which the answer should be kept."`
	Width        int      `json:"width" xml:"width" description:"Width of the player in pixels."`
	Height       int      `json:"height" xml:"height" description:"Height of the player in pixels."`
	HTML         string   `json:"html" xml:"html" description:"An iframe with the player."`

	ThumbnailURL    string `json:"thumbnail_url,omitempty" xml:"thumbnail_url,omitempty" format:"uri" description:"Picture of the channel; absent when it is larger than maxwidth or maxheight allow."`
	ThumbnailWidth  int    `json:"thumbnail_width,omitempty" xml:"thumbnail_width,omitempty" description:"Width of the picture in pixels."`
	ThumbnailHeight int    `json:"thumbnail_height,omitempty" xml:"thumbnail_height,omitempty" description:"Height of the picture in pixels."`
}

// An oembedAnswer is an embedding in JSON or XML.
type oembedAnswer struct{ api.Content }

// Schema returns the shape of the answer.
func (oembedAnswer) Schema() any { return embedding{} }

// oembed returns the player of the channel to which an address of this site leads.
func (s *Server) oembed(ctx context.Context, in oembedIn) (oembedAnswer, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return oembedAnswer{}, err
	}
	at, ok := site.ChannelAt(snapshot.Links().Base, catalog.PagePath, in.URL)
	if !ok {
		return oembedAnswer{}, catalog.ErrNoChannel
	}
	c, ok := snapshot.Summary(at.Channel)
	if !ok {
		return oembedAnswer{}, snapshot.NotFound(at.Channel)
	}
	if !at.Localized {
		at.Locale = api.LocaleOf(ctx)
	}
	e := embeddingOf(snapshot, &c, in)
	src := snapshot.Links().Base + site.EmbedPath(at.Locale, c.ID)
	e.HTML = frameOf(src, c.Name, e.Width, e.Height)
	if in.Format == "xml" {
		data, err := xml.Marshal(e)
		return oembedAnswer{api.Content{Type: xmlType + "; charset=utf-8", Data: append([]byte(xml.Header), data...)}}, err
	}
	data, err := json.Marshal(e)
	return oembedAnswer{api.Content{Type: feed.JSONType, Data: data}}, err
}

// embeddingOf returns the player of a channel within the limits of a request, without its
// HTML.
func embeddingOf(snapshot *index.View, c *index.Summary, in oembedIn) embedding {
	base := snapshot.Links().Base
	e := embedding{
		Version: "1.0", Type: "video", Title: c.Name, ProviderName: site.Name, ProviderURL: base + "/", CacheAge: int(oembedAge / time.Second),
	}
	width, height := cmp.Or(in.MaxWidth, math.MaxInt), cmp.Or(in.MaxHeight, math.MaxInt)
	e.Width = min(playerWidth, width)
	if c.Kind == catalog.Station {
		e.Type, e.Height = "rich", min(soundHeight, height)
	} else {
		e.Height = min(e.Width*9/16+playerBar, height) // the player shows the picture whole in any shape
	}
	if width >= site.PictureWidth && height >= site.PictureHeight {
		e.ThumbnailURL, e.ThumbnailWidth, e.ThumbnailHeight = base+site.ChannelPicture(c.ID), site.PictureWidth, site.PictureHeight
	}
	return e
}

// frameOf returns the markup that shows a player in a page of another site, as
// functions/web/app/channel/sheet.ts writes it.
func frameOf(src, title string, width, height int) string {
	return fmt.Sprintf(`<iframe src="%s" title="%s" width="%d" height="%d" allow="autoplay; fullscreen; picture-in-picture; screen-wake-lock" loading="lazy"></iframe>`,
		html.EscapeString(src), html.EscapeString(title), width, height)
}
