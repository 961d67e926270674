// Package channel serves the page of a channel: its player, streams, guide, facts
// and similar channels.
//
// The page contains the beginning of the channel's record as JSON, so that the
// player starts without a request to the API. Texts of the catalog come from
// registers that anyone may edit: they are truncated, escaped by the templates, and
// become links only as http or https addresses.
package channel

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/catalog/similar"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale, the short link to it, and the player for
// other sites.
var Endpoints = slices.Concat(
	page.Endpoints(site.Channel, "Show a channel",
		"Returns the page on which a visitor watches a channel or listens to a station, with its streams, its programme guide and its facts.",
		(*Server).channel, catalog.ErrNotLoaded, catalog.ErrNoChannel),
	[]api.Endpoint{short}, embeds, opens,
)

// Options are what a Server needs.
type Options struct {
	Pages      *page.Renderer
	Catalog    index.Viewer
	Guides     *guide.Live        // nil to show channels without programmes
	Companions similar.Companions // the channels that people keep together; nil for none
	Now        func() time.Time   // the clock, which tests replace
}

// A Server serves the pages of channels.
type Server struct{ Options }

// New returns a server of the pages of channels.
func New(o Options) *Server { return &Server{o} }

type channelIn struct {
	ID   string `path:"id" maxLength:"128" description:"The channel's catalog id."`
	Feed string `query:"feed" maxLength:"100" description:"Feed whose best stream comes first; an unknown feed changes nothing."`
}

// A watch is the body of the page.
type watch struct {
	C          *catalog.ChannelFull // the record in the page's language
	Successor  *link                // the channel that replaced this one; nil for a current channel
	Categories []link
	Streams    []streamRow // the streams that are listed at once, best first
	More       []streamRow // the other streams, which are folded away
	Guide      *airing     // nil without a guide for today
	Facts      []fact
	Similar    part.Cards
	Plate      part.Plate
	About      string     // what the stage says of a station below its name; empty for a TV channel
	Next       []part.Row // the list beside the player
	NextOf     string     // the name of its country; empty when it has none
}

// A link is a text with the path that it leads to.
type link struct{ Text, Path string }

// Radio reports whether the page is about a station.
func (w *watch) Radio() bool { return isRadio(&w.C.Channel) }

// Grade returns how well the channel works: good, fair, bad or the empty string.
func (w *watch) Grade() string { return part.Grade(w.C.HealthExt) }

// Best returns the stream that is offered to browsers without scripts: the first
// one that another player may open; nil when no listed stream can be opened so.
func (w *watch) Best() *streamRow {
	for i := range w.Streams {
		if w.Streams[i].Open != "" {
			return &w.Streams[i]
		}
	}
	return nil
}

// isRadio reports whether a channel is a station.
func isRadio(c *catalog.Channel) bool { return c.Kind == catalog.Station.String() }

// channel shows a channel by its id. A former id is redirected permanently to the
// current one, so that each channel has one URL.
func (s *Server) channel(_ context.Context, l i18n.Locale, in channelIn) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	if id, ok := snapshot.Current(in.ID); ok && id != in.ID {
		return page.MovedTo(withFeed(site.Channel.Path(l, id), in.Feed)), nil
	}
	c, ok := snapshot.Channel(in.ID, int(l), rank.Caller{Now: s.Now()})
	if !ok {
		return nil, snapshot.NotFound(in.ID)
	}
	if in.Feed != "" {
		rank.FeedFirst(c.Streams, in.Feed)
	}
	c.Website = webAddress(c.Website)
	c.GuideNow = s.Guides.Detail(c.ID, s.Now())
	return s.watch(snapshot, l, c).Show()
}

// withFeed returns the path of a channel's page for a feed; empty for none.
func withFeed(path, feed string) string {
	if feed == "" {
		return path
	}
	return path + "?feed=" + url.QueryEscape(feed)
}

// webAddress returns an address with a host and the scheme http or https, and nil
// for any other, such as a javascript: URL.
func webAddress(address *string) *string {
	if address == nil {
		return nil
	}
	u, err := url.Parse(*address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil
	}
	return address
}

// watch returns the view of the page of a channel. A channel without streams cannot
// be watched, so search engines must leave its page out.
func (s *Server) watch(snapshot *index.View, l i18n.Locale, c *catalog.ChannelFull) *page.View {
	v := s.Pages.View(site.Channel, l, nil)
	v.Name = c.ID
	v.Title, v.Description = titleOf(l, &c.Channel), descriptionOf(l, &c.Channel)
	v.NoIndex = len(c.Streams) == 0
	if c.LogoURL != nil {
		v.Image = *c.LogoURL
	}
	v.Areas = []string{"channel", "player", "failure", "panel", "comments", "keep", "chat", "guard", "pay"}
	plate := part.NewPlate(v, c.Kind, c.ID, c.Name, c.LogoURL)
	v.Data, v.Statements = dataOf(c, plate), []any{schemaOf(v, c)}
	if len(c.Streams) > 0 {
		v.Others = append(v.Others, oembedsOf(v, part.Truncated(c.Name, 80))...)
	}
	w := &watch{C: c, Plate: plate, About: aboutOf(v, &c.Channel), Categories: categoriesOf(v, &c.Channel), Guide: s.airing(v, c), Facts: factsOf(v, snapshot, &c.Channel)}
	w.Streams, w.More = rowsOf(v, c)
	if c.ReplacedBy != nil {
		w.Successor = successor(v, snapshot, *c.ReplacedBy)
	}
	w.Similar = s.similar(v, snapshot, &c.Channel)
	w.Next = s.next(v, snapshot, &c.Channel)
	if c.Country != nil {
		w.NextOf = v.CountryName(*c.Country)
	}
	v.Body = w
	return v
}

// aboutOf returns the first genres of a station, or else its country; empty for a TV
// channel. app/player/display.ts says the same.
func aboutOf(v *page.View, c *catalog.Channel) string {
	if c.Radio == nil {
		return ""
	}
	var names []string
	for _, g := range c.Radio.Genres[:min(len(c.Radio.Genres), 3)] {
		names = append(names, g.Name)
	}
	if len(names) == 0 && c.Country != nil {
		return v.CountryName(*c.Country)
	}
	return strings.Join(names, " · ")
}

// successor returns a link to the channel that replaced another; nil when the
// catalog does not show it.
func successor(v *page.View, snapshot *index.View, id string) *link {
	b, ok := snapshot.Summary(id)
	if !ok {
		return nil
	}
	return &link{b.Name, v.Channel(b.ID)}
}

// categoriesOf returns links to the lists of the categories of a channel.
func categoriesOf(v *page.View, c *catalog.Channel) (links []link) {
	for i, id := range c.Categories {
		links = append(links, link{c.CategoryLabels[i], listURL(v, c, "category", id)})
	}
	return links
}

// titleOf returns the title of the page: the channel's name and its country.
func titleOf(l i18n.Locale, c *catalog.Channel) string {
	title := l.T("channel.title_"+c.Kind, map[string]any{"name": part.Truncated(c.Name, 80)})
	if c.Country != nil {
		if country, ok := i18n.CountryName(*c.Country, l); ok {
			title += " · " + country
		}
	}
	return title
}

// descriptionOf returns the description of the page for search results: one sentence
// for each fact that the record has.
func descriptionOf(l i18n.Locale, c *catalog.Channel) string {
	sentences := []string{l.T("channel.description_"+c.Kind, map[string]any{"name": part.Truncated(c.Name, 80)})}
	add := func(key string, values []string) {
		if len(values) > 0 {
			sentences = append(sentences, l.T("channel.said_"+key, map[string]any{key: part.Truncated(strings.Join(values, ", "), 80)}))
		}
	}
	if c.Country != nil {
		if country, ok := i18n.CountryName(*c.Country, l); ok {
			sentences = append(sentences, l.T("channel.said_country", map[string]any{"country": country}))
		}
	}
	add("categories", c.CategoryLabels)
	add("languages", c.LanguageLabels)
	if c.Quality != "" && !isRadio(c) {
		sentences = append(sentences, l.T("channel.said_quality", map[string]any{"quality": part.Truncated(c.Quality, 20)}))
	}
	return strings.Join(sentences, " ")
}

// maxData is how many streams the page contains for its script, which requests the
// whole record from the API after it has started.
const maxData = 8

// data is the JSON with which the script starts before the API has answered: the
// fields of the detail record that scripts read. Favorites, reports and comments are
// left out, because they differ by visitor or change within the minute for which
// caches keep the page.
type data struct {
	ID             string                  `json:"id"`
	Name           string                  `json:"name"`
	Country        *string                 `json:"country"`
	CategoryLabels []string                `json:"category_labels"`
	LanguageLabels []string                `json:"language_labels"`
	LogoURL        *string                 `json:"logo_url"`
	Letters        string                  `json:"letters,omitempty"` // on the plate in place of a logo
	Size           string                  `json:"size,omitempty"`    // the size of the letters
	Website        *string                 `json:"website"`
	PlayableHint   bool                    `json:"playable_hint"`
	Quality        string                  `json:"quality,omitempty"`
	HasGuide       bool                    `json:"has_guide"`
	Kind           string                  `json:"kind"`
	HealthExt      *catalog.MeasuredHealth `json:"health_ext"`
	GuideNow       *catalog.GuideNow       `json:"guide_now"`
	Radio          *genres                 `json:"radio,omitempty"` // of a station
	Streams        []catalog.Stream        `json:"streams"`
}

// genres are the part of a station that scripts read.
type genres struct {
	Genres []catalog.StationGenre `json:"genres"`
}

// genresOf returns the genres of a station; nil for a TV channel.
func genresOf(c *catalog.Channel) *genres {
	if c.Radio == nil {
		return nil
	}
	return &genres{c.Radio.Genres}
}

// dataOf returns the part of a record that the script starts with.
func dataOf(c *catalog.ChannelFull, plate part.Plate) data {
	return data{
		ID: c.ID, Name: c.Name, Country: c.Country, CategoryLabels: c.CategoryLabels, LanguageLabels: c.LanguageLabels,
		LogoURL: c.LogoURL, Letters: plate.Letters, Size: plate.Size, Website: c.Website, PlayableHint: c.PlayableHint, Quality: c.Quality, HasGuide: c.HasGuide,
		Kind: c.Kind, HealthExt: c.HealthExt, GuideNow: c.GuideNow, Radio: genresOf(&c.Channel), Streams: slices.Clip(c.Streams[:min(len(c.Streams), maxData)]),
	}
}
