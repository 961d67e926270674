package directory

import (
	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/api"
)

// CatalogMedia is the media type of an API catalog, with the profile that RFC 9727
// registers for it.
const CatalogMedia = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`

// A Linkset is a set of links in JSON (RFC 9264).
type Linkset struct {
	Linkset []linkContext `json:"linkset"`
}

// A linkContext is a resource with its links, by relation.
type linkContext struct {
	Anchor    string   `json:"anchor"`
	Item      []target `json:"item,omitempty"`
	Describes []target `json:"service-desc,omitempty"`
	Documents []target `json:"service-doc,omitempty"`
	Meta      []target `json:"service-meta,omitempty"`
	Status    []target `json:"status,omitempty"`
}

// A target is what a link leads to.
type target struct {
	Href  string `json:"href"`
	Type  string `json:"type,omitempty"`
	Title string `json:"title,omitempty"`
}

// Catalog returns the list of the APIs of the service with the documents about each
// (RFC 9727).
func Catalog(p *profile.Profile) Linkset {
	self := linkContext{Anchor: p.URL(api.CatalogPath), Item: []target{{Href: p.URL(profile.IndexPath)}}}
	rest := linkContext{Anchor: p.URL(profile.IndexPath)}
	for _, l := range p.Links() {
		to := target{l.URL, l.Media, l.Title}
		switch l.Relation {
		case profile.Describes:
			rest.Describes = append(rest.Describes, to)
		case profile.Documents:
			rest.Documents = append(rest.Documents, to)
		case profile.Meta:
			rest.Meta = append(rest.Meta, to)
		case profile.Status:
			rest.Status = append(rest.Status, to)
		}
	}
	mcp, ok := p.Find("mcp")
	if !ok {
		return Linkset{[]linkContext{self, rest}}
	}
	self.Item = append(self.Item, target{Href: mcp.URL})
	card := []target{{mcp.URL, mcp.Media, "MCP server card"}}
	return Linkset{[]linkContext{self, rest, {Anchor: mcp.URL, Describes: card, Documents: rest.Documents, Status: rest.Status}}}
}
