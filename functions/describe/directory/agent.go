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
	Description        string       `json:"description" description:"The service in one sentence."`
	Version            string       `json:"version" description:"Short id of the commit."`
	Protocol           string       `json:"protocol" enum:"mcp" description:"Protocol that agents should prefer."`
	URL                string       `json:"url" format:"uri" description:"Address of the MCP server; of the index of the API while there is no MCP server."`
	DocumentationURL   string       `json:"documentationUrl" format:"uri" description:"Address of the documentation."`
	Provider           provider     `json:"provider" description:"Operator of the service."`
	Interfaces         []face       `json:"interfaces" nullable:"false" description:"Addresses at which agents use the service."`
	Capabilities       capabilities `json:"capabilities" description:"Abilities of the protocol that the service has."`
	DefaultInputModes  []string     `json:"defaultInputModes" nullable:"false" description:"Media types that skills take."`
	DefaultOutputModes []string     `json:"defaultOutputModes" nullable:"false" description:"Media types that skills return."`
	Skills             []skill      `json:"skills" nullable:"false" description:"Tools of the MCP server. Each is an operation of the API with the same name."`
}

// A provider offers the service.
type provider struct {
	Organization string `json:"organization" description:"Name of the operator."`
	URL          string `json:"url" format:"uri"`
}

// A face is an address under a protocol.
type face struct {
	Protocol  string `json:"protocol" enum:"mcp,http+json" description:"Protocol of the address."`
	Transport string `json:"transport" enum:"streamable-http,http" description:"Transport of the address."`
	URL       string `json:"url" format:"uri"`
}

// capabilities are the optional parts of A2A; the service has neither.
type capabilities struct {
	Streaming         bool `json:"streaming" description:"Whether answers arrive in parts."`
	PushNotifications bool `json:"pushNotifications" description:"Whether the service calls agents back."`
}

// A skill is something that the service can do.
type skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description" description:"Result of the skill, its cost and when not to use it."`
	Tags        []string `json:"tags" nullable:"false" description:"Subjects of the skill."`
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
