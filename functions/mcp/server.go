package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/tool"
	"miramundo.dev/shared/config"
)

// instructions tell a model how the tools belong together.
const instructions = "Search TV channels and radio stations of the whole world with search_channels; get_channel returns the addresses to play. " +
	"Results are short: ask for more members by the argument fields, and for more items by limit and offset. " +
	"To keep channels, create a guest with create_guest once and pass its token as guest_token: folders (create_folder) hold sub-tabs " +
	"(create_subtab), which hold channels (add_item), and every level has feed addresses that players open (get_library)."

// A Server answers MCP requests. It may be used concurrently.
type Server struct {
	o       Options
	tools   map[string]*operation
	handler http.Handler // of the SDK
	turns   *turns
	card    serverCard
}

// An operation is a tool with the server of its endpoint.
type operation struct {
	*tool.Tool
	server any
}

// New returns a server of o.Tools. It returns an error when a tool belongs to no
// group.
func New(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{o: o, tools: map[string]*operation{}, turns: newTurns(), card: newCard(o, o.Tools)}
	sdk := mcp.NewServer(implementation(o), &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Completions: &mcp.CompletionCapabilities{},
		},
		CompletionHandler: s.complete,
		SetCacheable: func(_ context.Context, r mcp.Request, c *mcp.Cacheable) {
			if _, ok := r.(*mcp.ReadResourceRequest); ok { // differs by caller, as the endpoint does
				c.CacheScope = "private"
				return
			}
			c.TTLMs, c.CacheScope = int(listsAge/time.Millisecond), "public"
		},
	})
	for _, t := range o.Tools {
		server, ok := serverOf(o.Groups, t.Endpoint)
		if !ok {
			return nil, fmt.Errorf("mcp: no group answers for the tool %s", t.Name)
		}
		s.tools[t.Name] = &operation{t, server}
		sdk.AddTool(described(t), s.callTool)
	}
	s.addResources(sdk)
	s.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdk }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxBody,
		DisableLocalhostProtection: true, // the check of Origin is ours; behind a proxy every Host is another's
	})
	return s, nil
}

// listsAge is how long clients may keep lists, which change with a deployment alone.
const listsAge = 5 * time.Minute

// implementation returns what the server says of itself.
func implementation(o Options) *mcp.Implementation {
	return &mcp.Implementation{Name: cardName(o.Base), Title: config.Product, Version: versionOf(o.Build), WebsiteURL: o.Base + "/"}
}

// versionOf returns the version of a build, which must not be empty.
func versionOf(build string) string {
	if build == "" {
		return "dev"
	}
	return build
}

// serverOf returns the server that answers for e.
func serverOf(groups []Group, e api.Endpoint) (any, bool) {
	for _, g := range groups {
		for _, one := range g.Endpoints {
			if one.Pattern() == e.Pattern() {
				return g.Server, true
			}
		}
	}
	return nil, false
}

// described returns a tool as the SDK lists it.
func described(t *tool.Tool) *mcp.Tool {
	d := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.Input,
		Annotations: &mcp.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: t.Hints.ReadOnly, IdempotentHint: t.Hints.Idempotent,
			DestructiveHint: &t.Hints.Destructive, OpenWorldHint: &t.Hints.OpenWorld,
		},
	}
	if t.Output != nil {
		d.OutputSchema = t.Output
	}
	return d
}
