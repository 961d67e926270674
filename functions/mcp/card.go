package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/tool"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
)

// cardType is the media type of a server card.
const cardType = "application/mcp-server-card+json"

// A card describes the server to clients and directories before they connect, in the
// form of the schema that it names.
type card struct {
	Schema      string         `json:"$schema"`
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Version     string         `json:"version"`
	Description string         `json:"description"` // at most 100 characters
	Website     string         `json:"websiteUrl"`
	Icons       []icon         `json:"icons"`
	Remotes     []remote       `json:"remotes"`
	Meta        map[string]any `json:"_meta"`
}

type icon struct {
	Source string   `json:"src"`
	Type   string   `json:"mimeType"`
	Sizes  []string `json:"sizes"`
}

// A remote is an address of the server with the headers that it reads.
type remote struct {
	Type     string       `json:"type"`
	URL      string       `json:"url"`
	Headers  []headerSpec `json:"headers"`
	Versions []string     `json:"supportedProtocolVersions"`
}

type headerSpec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"isRequired"`
	Secret      bool   `json:"isSecret"`
}

// headers are those that identify callers and pay. None is required.
var headers = []headerSpec{
	{Name: "X-Guest-Token", Description: "Token of a guest, which the tool create_guest returns.", Secret: true},
	{Name: "Authorization", Description: "Bearer, with a guest token, an API key or a credit.", Secret: true},
	{Name: "X-Api-Key", Description: "API key of an account or an organization.", Secret: true},
	{Name: "X-Credito", Description: "Prepaid credit, which pays for tools that cost money.", Secret: true},
}

const (
	cardSchema      = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
	cardDescription = "Search TV channels and radio stations, read guides and keep a personal library."
)

// cardName returns the name of the server: the host of its address from the last part
// to the first, and the product.
func cardName(base string) string {
	host := "localhost"
	if u, err := url.Parse(base); err == nil && u.Hostname() != "" {
		host = strings.Trim(strings.ReplaceAll(u.Hostname(), ":", "-"), "-")
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "/" + strings.ToLower(config.Product)
}

// A serverCard is the card, already encoded.
type serverCard struct{ *api.Document }

func newCard(o Options, tools []*tool.Tool) serverCard {
	names := []string{}
	for _, t := range tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	name := cardName(o.Base)
	text, err := json.Marshal(card{
		Schema: cardSchema, Name: name, Title: config.Product, Version: versionOf(o.Build), Description: cardDescription,
		Website: o.Base + "/", Icons: []icon{{o.Base + o.Icon, "image/png", []string{"192x192"}}},
		Remotes: []remote{{"streamable-http", o.Base + path, headers, mcp.SupportedProtocolVersions()}},
		Meta:    map[string]any{namespace(name) + "/tools": names},
	})
	if err != nil {
		panic(err) // texts and lists of texts are always JSON
	}
	return serverCard{api.NewDocument(cardType, text)}
}

// namespace returns the part of a name before its slash.
func namespace(name string) string {
	before, _, _ := strings.Cut(name, "/")
	return before
}

func (s *Server) serverCard(context.Context, struct{}) (serverCard, error) { return s.card, nil }

// A cardOrStream is the answer at the address of the server itself. A client that asks
// for a stream there must not get the card: it would ask again every second.
type cardOrStream struct{ serverCard }

// Reply writes the card, or refuses a stream.
func (c cardOrStream) Reply(w http.ResponseWriter, r *http.Request) error {
	if asksForStream(r.Header) {
		allow := []string{http.MethodGet, http.MethodPost}
		w.Header().Set("Allow", strings.Join(allow, ", "))
		return fault.ErrNoMethod.With("allow", allow)
	}
	return c.serverCard.Reply(w, r)
}

func asksForStream(h http.Header) bool {
	for _, value := range h.Values("Accept") {
		if strings.Contains(strings.ToLower(value), "text/event-stream") {
			return true
		}
	}
	return false
}

func (s *Server) cardOrStream(context.Context, struct{}) (cardOrStream, error) {
	return cardOrStream{s.card}, nil
}
