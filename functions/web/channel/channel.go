// Package channel serves the page of a channel: its player, streams, guide, facts
// and similar channels.
package channel

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the page in every locale, and the short link to it.
var Endpoints = append(
	page.Endpoints(site.Channel, "Show a channel",
		"Returns the page on which a visitor watches a channel or listens to a station, with its streams, its programme guide and its facts.",
		(*Server).channel, catalog.ErrNotLoaded, catalog.ErrNoChannel),
	short,
)

// Options are what a Server needs.
type Options struct {
	Pages   *page.Renderer
	Catalog index.Viewer
	Guides  *guide.Live // nil for no programmes
	Now     func() time.Time
}

// A Server serves the pages of channels.
type Server struct{ Options }

// New returns a server of the pages of channels.
func New(o Options) *Server { return &Server{o} }

type channelIn struct {
	ID string `path:"id" maxLength:"128" description:"The channel's catalog id."`
}

// A watch is the body of the page.
type watch struct {
	C          *catalog.ChannelFull
	Successor  *link // the channel that replaced it; nil when there is none
	Categories []link
	Streams    []streamRow // the first of them
	More       []streamRow // the others, which are folded away
	Guide      *airing     // nil without a guide for today
	Facts      []fact
	Similar    part.Cards
}

// A link is a text with the path that it leads to.
type link struct{ Text, Path string }

// Radio reports whether the page is about a station.
func (w *watch) Radio() bool { return isRadio(&w.C.Channel) }

// Grade returns how well the channel works: good, fair, bad or the empty string.
func (w *watch) Grade() string { return part.Grade(w.C.HealthExt) }

// Best returns the stream that is offered to browsers without scripts: the first
// that a browser or another player may open; nil when there is none.
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

// channel shows a channel by its id. A former id of the channel is redirected, so
// that each channel has one URL.
func (s *Server) channel(_ context.Context, l i18n.Locale, in channelIn) (*page.Sheet, error) {
	at, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	if id, ok := at.Current(in.ID); ok && id != in.ID {
		return page.MovedTo(site.Channel.Path(l, id)), nil
	}
	c, ok := at.Channel(in.ID, int(l), rank.Caller{Now: s.Now()})
	if !ok {
		return nil, catalog.ErrNoChannel
	}
	c.Website = webOnly(c.Website)
	c.GuideNow = s.Guides.Detail(c.ID, s.Now())
	return s.watch(at, l, c).Show()
}

// webOnly returns an address that a link may lead to, and nil for any other, such
// as a javascript: URL.
func webOnly(address *string) *string {
	if address == nil {
		return nil
	}
	u, err := url.Parse(*address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil
	}
	return address
}

// watch returns the view of the page of a channel.
func (s *Server) watch(at *index.View, l i18n.Locale, c *catalog.ChannelFull) *page.View {
	v := s.Pages.View(site.Channel, l, nil)
	v.Name = c.ID
	v.Title, v.Description = titleOf(l, &c.Channel), descriptionOf(l, &c.Channel)
	v.NoIndex = len(c.Streams) == 0
	if c.LogoURL != nil {
		v.Image = *c.LogoURL
	}
	v.Areas = []string{"channel", "player", "failure", "panel", "comments", "keep"}
	v.Data, v.Statements = dataOf(c), []any{schemaOf(v, c)}
	w := &watch{C: c, Categories: categoriesOf(v, &c.Channel), Guide: s.airing(v, c), Facts: factsOf(v, at, &c.Channel)}
	w.Streams, w.More = rowsOf(v, c)
	if c.ReplacedBy != nil {
		w.Successor = successor(v, at, *c.ReplacedBy)
	}
	w.Similar = s.similar(v, at, &c.Channel)
	v.Body = w
	return v
}

// successor returns a link to the channel that replaced another; nil when the
// catalog does not show it.
func successor(v *page.View, at *index.View, id string) *link {
	b, ok := at.Summary(id)
	if !ok {
		return nil
	}
	return &link{b.Name, v.Channel(b.ID)}
}

// similarCount is how many similar channels the page shows.
const similarCount = 6

// similar returns channels of the same country and category, the best first, or of
// the same category alone when the country has no other. Stations without a
// category are compared by their first tag.
func (s *Server) similar(v *page.View, at *index.View, c *catalog.Channel) part.Cards {
	q := index.Query{Selection: filter.Selection{Kind: c.Kind, Playable: true, Sort: "score"}, Limit: similarCount + 1}
	if len(c.Categories) > 0 {
		q.Category = c.Categories[0]
	}
	if isRadio(c) {
		q.Sort = "votes"
	}
	if isRadio(c) && q.Category == "" && c.Radio != nil && len(c.Radio.Tags) > 0 {
		q.Tag = c.Radio.Tags[0]
	}
	wide := q
	if c.Country != nil {
		q.Country = *c.Country
	}
	docs, total := at.Find(q)
	if total < 2 && wide.Category+wide.Tag != "" {
		docs, _ = at.Find(wide)
	}
	var list []index.Card
	for _, doc := range docs {
		if other := at.Card(doc, int(v.Locale)); other.ID != c.ID && len(list) < similarCount {
			list = append(list, other)
		}
	}
	return part.NewCards(v, list, s.Guides, s.Now())
}

// categoriesOf returns links to the lists of the categories of a channel.
func categoriesOf(v *page.View, c *catalog.Channel) (links []link) {
	for i, id := range c.Categories {
		links = append(links, link{c.CategoryLabels[i], listing(v, c, "category", id)})
	}
	return links
}

// titleOf returns the title of the page of a channel.
func titleOf(l i18n.Locale, c *catalog.Channel) string {
	title := l.T("channel.title_"+c.Kind, map[string]any{"name": clipped(c.Name, 80)})
	if c.Country != nil {
		if country, ok := i18n.CountryName(*c.Country, l); ok {
			title += " · " + country
		}
	}
	return title
}

// descriptionOf describes a channel in sentences.
func descriptionOf(l i18n.Locale, c *catalog.Channel) string {
	said := []string{l.T("channel.description_"+c.Kind, map[string]any{"name": clipped(c.Name, 80)})}
	say := func(key string, values []string) {
		if len(values) > 0 {
			said = append(said, l.T("channel.said_"+key, map[string]any{key: clipped(strings.Join(values, ", "), 80)}))
		}
	}
	if c.Country != nil {
		if country, ok := i18n.CountryName(*c.Country, l); ok {
			said = append(said, l.T("channel.said_country", map[string]any{"country": country}))
		}
	}
	say("categories", c.CategoryLabels)
	say("languages", c.LanguageLabels)
	if c.Quality != "" && !isRadio(c) {
		said = append(said, l.T("channel.said_quality", map[string]any{"quality": clipped(c.Quality, 20)}))
	}
	return strings.Join(said, " ")
}

// clipped returns at most the first characters of a text, with an ellipsis when it
// is longer.
func clipped(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return strings.TrimSpace(text[:i]) + "…"
		}
	}
	return text
}

// maxData is how many streams the page gives to its script. The API has all of
// them.
const maxData = 8

// data is what the script needs to start before the API has answered: the part of
// the detail record that scripts read, without favorites, reports and comments,
// which differ by visitor.
type data struct {
	ID             string                  `json:"id"`
	Name           string                  `json:"name"`
	Country        *string                 `json:"country"`
	CategoryLabels []string                `json:"category_labels"`
	LanguageLabels []string                `json:"language_labels"`
	LogoURL        *string                 `json:"logo_url"`
	Website        *string                 `json:"website"`
	PlayableHint   bool                    `json:"playable_hint"`
	Quality        string                  `json:"quality,omitempty"`
	HasGuide       bool                    `json:"has_guide"`
	Kind           string                  `json:"kind"`
	HealthExt      *catalog.MeasuredHealth `json:"health_ext"`
	GuideNow       *catalog.GuideNow       `json:"guide_now"`
	Streams        []catalog.Stream        `json:"streams"`
}

// dataOf returns the part of a record that the script starts with.
func dataOf(c *catalog.ChannelFull) data {
	return data{
		ID: c.ID, Name: c.Name, Country: c.Country, CategoryLabels: c.CategoryLabels, LanguageLabels: c.LanguageLabels,
		LogoURL: c.LogoURL, Website: c.Website, PlayableHint: c.PlayableHint, Quality: c.Quality, HasGuide: c.HasGuide,
		Kind: c.Kind, HealthExt: c.HealthExt, GuideNow: c.GuideNow, Streams: slices.Clip(c.Streams[:min(len(c.Streams), maxData)]),
	}
}
