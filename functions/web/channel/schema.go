package channel

import (
	"golang.org/x/text/language"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
)

// Structured data for search engines in the vocabulary of schema.org: a channel is
// a BroadcastService or RadioBroadcastService, its current programme a
// BroadcastEvent that is published on it. The structs are written as JSON-LD into
// the head of the page; their fields are the properties of those types.

// A schemaGraph is the document: the channel and, with a guide, its programme.
type schemaGraph struct {
	Context string `json:"@context"`
	Graph   []any  `json:"@graph"`
}

// A schemaService is a channel.
type schemaService struct {
	Type        string       `json:"@type"`
	ID          string       `json:"@id"`
	Name        string       `json:"name"`
	AlternateOf []string     `json:"alternateName,omitempty"`
	URL         string       `json:"url"`
	Logo        string       `json:"logo,omitempty"`
	Languages   []string     `json:"inLanguage,omitempty"`
	Area        *schemaNamed `json:"areaServed,omitempty"`
	Genre       []string     `json:"genre,omitempty"`
	Broadcaster *schemaNamed `json:"broadcaster,omitempty"`
	SameAs      string       `json:"sameAs,omitempty"`
}

// A schemaNamed is an organization or a country, by its name alone.
type schemaNamed struct {
	Type string `json:"@type"`
	Name string `json:"name"`
}

// A schemaEvent is a programme.
type schemaEvent struct {
	Type  string    `json:"@type"`
	Name  string    `json:"name"`
	About string    `json:"description,omitempty"`
	Start string    `json:"startDate"`
	End   string    `json:"endDate"`
	Live  bool      `json:"isLiveBroadcast"`
	On    schemaRef `json:"publishedOn"`
}

// A schemaRef refers to an object of the document by its id.
type schemaRef struct {
	ID string `json:"@id"`
}

// schemaOf describes a channel and its current programme.
func schemaOf(v *page.View, c *catalog.ChannelFull) schemaGraph {
	page := v.Base() + v.Channel(c.ID)
	s := schemaService{
		Type: "BroadcastService", ID: page + "#channel", Name: c.Name, AlternateOf: c.AltNames, URL: page,
		Logo: text(c.LogoURL), Languages: shortest(c.Languages), Genre: c.CategoryLabels, SameAs: text(c.Website),
	}
	if isRadio(&c.Channel) {
		s.Type = "RadioBroadcastService"
	}
	if c.Country != nil {
		s.Area = &schemaNamed{"Country", v.CountryName(*c.Country)}
	}
	if c.Network != nil {
		s.Broadcaster = &schemaNamed{"Organization", *c.Network}
	} else if len(c.Owners) > 0 {
		s.Broadcaster = &schemaNamed{"Organization", c.Owners[0]}
	}
	g := schemaGraph{"https://schema.org", []any{s}}
	if c.GuideNow != nil && c.GuideNow.Now != nil {
		p := c.GuideNow.Now
		g.Graph = append(g.Graph, schemaEvent{"BroadcastEvent", p.Title, p.Desc, p.Start, p.Stop, true, schemaRef{s.ID}})
	}
	return g
}

// shortest returns the shortest code of each language, such as de for deu, as BCP 47
// requires in language tags. Unknown codes are left out.
func shortest(codes []string) (tags []string) {
	for _, code := range codes {
		if base, err := language.ParseBase(code); err == nil {
			tags = append(tags, base.String())
		}
	}
	return tags
}
