package directory

import (
	"context"
	"strings"
	"testing"
	"time"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/api"
)

type server struct{}

func (server) call(context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }

// withTools is a service with an MCP server, and without is one without.
var (
	withTools = &profile.Profile{Name: "Mira", Build: "abc", Base: "https://m.example", Email: "a@m.example", Table: []api.Endpoint{
		api.Bind(server.call, api.Endpoint{Name: "call_mcp", Method: "POST", Path: "/mcp", Auth: api.None, Summary: "Call a tool", Doc: "Calls."}),
		api.Bind(server.call, api.Endpoint{Name: "get_mcp_card", Method: "GET", Path: "/mcp", Auth: api.None, Summary: "Get the card", Doc: "Returns it."}),
		api.Bind(server.call, api.Endpoint{Name: "get_thing", Tool: true, Method: "GET", Path: "/api/thing", Auth: api.None, Summary: "Get a thing", Doc: "Returns it."}),
	}}
	without = &profile.Profile{Name: "Mira", Base: "https://m.example"}
)

// TestMCP checks that the documents name the MCP server of an installation that has one,
// and the index of the API of any other.
func TestMCP(t *testing.T) {
	const mcp, index = "https://m.example/mcp", "https://m.example/api/"
	card := Agent(withTools)
	if card.URL != mcp || len(card.Interfaces) != 2 || card.Interfaces[0].URL != mcp || len(card.Skills) != 1 || card.Skills[0].ID != "get_thing" {
		t.Errorf("the card is %+v", card)
	}
	if card := Agent(without); card.URL != index || len(card.Interfaces) != 1 || card.Interfaces[0].URL != index {
		t.Errorf("without an MCP server the card is %+v", card)
	}
	if set := Catalog(withTools).Linkset; len(set) != 3 || set[2].Anchor != mcp || set[2].Describes[0].Href != mcp || set[0].Item[1].Href != mcp {
		t.Errorf("the catalog is %+v", set)
	}
	if set := Catalog(without).Linkset; len(set) != 2 || len(set[0].Item) != 1 {
		t.Errorf("without an MCP server the catalog is %+v", set)
	}
	if x := APIs(withTools); len(x.APIs) != 2 || x.APIs[1].BaseURL != mcp || len(x.APIs[1].Properties) == 0 || x.AID != "m.example" {
		t.Errorf("APIs.json is %+v", x)
	}
	if x := APIs(without); len(x.APIs) != 1 || x.Maintainers[0].Email != "" {
		t.Errorf("without an MCP server APIs.json is %+v", x)
	}
}

// TestSecurity checks the contact, and that the date of expiry is always less than a year
// ahead and the same for a whole day.
func TestSecurity(t *testing.T) {
	morning := time.Date(2028, 8, 31, 0, 30, 0, 0, time.UTC) // February, half a year later, has no day 31
	text := Security(withTools, morning)
	if !strings.Contains(text, "Contact: mailto:a@m.example\n") || !strings.Contains(text, "Preferred-Languages: pt, en, es, fr, de\n") {
		t.Errorf("security.txt is\n%s", text)
	}
	if later := Security(withTools, morning.Add(23*time.Hour)); later != text {
		t.Errorf("later on the same day it is\n%s", later)
	}
	if !strings.Contains(Security(without, morning), "Contact: https://m.example/en/contact\n") {
		t.Errorf("without an address it is\n%s", Security(without, morning))
	}
	for day := range 366 {
		now := morning.AddDate(0, 0, day)
		_, rest, _ := strings.Cut(Security(without, now), "Expires: ")
		at, err := time.Parse(time.RFC3339, rest[:len("2028-08-31T00:00:00Z")])
		if err != nil || at.Sub(now) > 300*24*time.Hour || at.Sub(now) < 150*24*time.Hour {
			t.Errorf("on %s it expires at %s, %v", now, at, err)
		}
	}
}
