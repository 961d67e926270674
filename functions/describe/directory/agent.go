package directory

import (
	"cmp"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/site"
)

// A Card tells agents what they can do with the service. It has the members of the
// interface and those of an A2A agent card that apply, but no protocolVersion of A2A:
// the service speaks MCP, and has no A2A endpoint.
type Card struct {
	Name               string       `json:"name"`
	Description        string       `json:"description"`
	Version            string       `json:"version" description:"Short id of the commit."`
	Protocol           string       `json:"protocol" enum:"mcp"`
	URL                string       `json:"url" format:"uri" description:"Address of the MCP server; of the index of the API while there is no MCP server."`
	DocumentationURL   string       `json:"documentationUrl" format:"uri"`
	Provider           provider     `json:"provider"`
	Interfaces         []face       `json:"interfaces" nullable:"false"`
	Capabilities       capabilities `json:"capabilities"`
	DefaultInputModes  []string     `json:"defaultInputModes" nullable:"false" description:"Media types that skills take."`
	DefaultOutputModes []string     `json:"defaultOutputModes" nullable:"false" description:"Media types that skills return."`
	Skills             []skill      `json:"skills" nullable:"false" description:"Tools of the MCP server. Each is an operation of the API with the same name."`
}

// A provider offers the service.
type provider struct {
	Organization string `json:"organization"`
	URL          string `json:"url" format:"uri"`
}

// A face is an address under a protocol.
type face struct {
	Protocol  string `json:"protocol" enum:"mcp,http+json"`
	Transport string `json:"transport" enum:"streamable-http,http"`
	URL       string `json:"url" format:"uri"`
}

// capabilities are the optional parts of A2A; the service has neither.
type capabilities struct {
	Streaming         bool `json:"streaming"`
	PushNotifications bool `json:"pushNotifications"`
}

// A skill is something that the service can do.
type skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags" nullable:"false"`
}

// Agent returns the agent card of the service.
func Agent(p *profile.Profile) Card {
	index, mcp := p.URL(profile.IndexPath), p.MCP()
	c := Card{
		Name: p.Name, Description: profile.Summary, Version: p.Build, Protocol: "mcp", URL: cmp.Or(mcp, index),
		DocumentationURL: p.Page(site.Guide), Provider: provider{p.Name, p.URL("/")}, Interfaces: []face{},
		DefaultInputModes: []string{"application/json"}, DefaultOutputModes: []string{"application/json"}, Skills: []skill{},
	}
	if mcp != "" {
		c.Interfaces = append(c.Interfaces, face{"mcp", "streamable-http", mcp})
	}
	c.Interfaces = append(c.Interfaces, face{"http+json", "http", index})
	for _, e := range p.Tools() {
		c.Skills = append(c.Skills, skill{e.Name, e.Summary, e.Doc, []string{e.Group()}})
	}
	return c
}
