package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// Resources are what a person attaches to a conversation in a client, such as a channel
// or its guide. Each is the result of a tool that reads: the variables of its template
// are arguments of the tool, and the whole result is the text. The lists of countries,
// languages, categories and genres are resources without variables, from which clients
// also complete the arguments of the search.

// scheme is that of the addresses of resources.
const scheme = "miramundo://"

// A resource is a tool as a resource.
type resource struct {
	template, tool, name, title, description string
}

// resources are the templates and the lists, the latter without variables.
var resources = []resource{
	{scheme + "channel/{id}", "get_channel", "channel", "Channel", "A channel or radio station with its streams, by its catalog id."},
	{scheme + "channel/{id}/guide", "get_channel_guide", "guide", "Programme guide", "The programmes of a channel today, by its catalog id."},
	{scheme + "search{?q,kind,country,language,category,genre}", searchTool, "search", "Search", "The first channels or stations that match a search."},
	{scheme + "countries", "list_countries", "countries", "Countries", "The countries that have channels, with their codes."},
	{scheme + "languages", "list_languages", "languages", "Languages", "The languages of channels, with their codes."},
	{scheme + "categories", "list_categories", "categories", "Categories", "The categories of channels, with their ids."},
	{scheme + "genres", "list_genres", "genres", "Genres", "The genres of radio stations, with their ids."},
}

// jsonType is the media type of every resource.
const jsonType = "application/json"

// searchTool is the name of the tool that finds channels by their names.
const searchTool = "search_channels"

// addResources adds to the SDK's server the resources whose tools there are.
func (s *Server) addResources(sdk *mcp.Server) {
	for _, r := range resources {
		t, ok := s.tools[r.tool]
		if !ok {
			continue
		}
		read := s.reader(r, t)
		if strings.Contains(r.template, "{") {
			sdk.AddResourceTemplate(&mcp.ResourceTemplate{
				URITemplate: r.template, Name: r.name, Title: r.title, Description: r.description, MIMEType: jsonType,
			}, read)
		} else {
			sdk.AddResource(&mcp.Resource{
				URI: r.template, Name: r.name, Title: r.title, Description: r.description, MIMEType: jsonType,
			}, read)
		}
	}
}

// reader returns what reads a resource by its tool.
func (s *Server) reader(r resource, t *operation) mcp.ResourceHandler {
	return func(ctx context.Context, q *mcp.ReadResourceRequest) (_ *mcp.ReadResourceResult, err error) {
		e, uri := exchangeOf(ctx), q.Params.URI
		defer func() { err = s.protocolError(e, t, recover(), err) }()
		arguments, ok := variablesOf(r.template, uri)
		if !ok {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		text, err := s.read(e, t, arguments)
		if err != nil && fault.From(err).Kind == fault.NotFound {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: jsonType, Text: string(text)}}}, nil
	}
}

// read returns what the endpoint of a tool answers to arguments.
func (s *Server) read(e *exchange, t *operation, arguments map[string]string) (json.RawMessage, error) {
	if arguments == nil {
		arguments = map[string]string{}
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	answer, err := s.o.Gate.Invoke(e.ctx, t.Endpoint, t.server, text, callerOf(e.ctx))
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

// variablesOf returns the variables of a template that an address has: one of its path,
// or those of its query.
func variablesOf(template, uri string) (map[string]string, bool) {
	before, rest, has := strings.Cut(template, "{")
	if !has {
		return nil, uri == template
	}
	name, after, _ := strings.Cut(rest, "}")
	tail, ok := strings.CutPrefix(uri, before)
	if !ok {
		return nil, false
	}
	variables := map[string]string{}
	if names, ok := strings.CutPrefix(name, "?"); ok {
		query, err := url.ParseQuery(strings.TrimPrefix(tail, "?"))
		for one := range strings.SplitSeq(names, ",") {
			if value := query.Get(one); value != "" {
				variables[one] = value
			}
		}
		return variables, err == nil
	}
	value, ok := strings.CutSuffix(tail, after)
	if value, err := url.PathUnescape(value); ok && err == nil && value != "" && !strings.Contains(value, "/") {
		variables[name] = value
		return variables, true
	}
	return nil, false
}

// protocolError returns the error of the protocol for a failure of a resource or of a
// completion: the fault by its code and its sentence, never its cause. A defect of
// ours, such as a panic, is logged.
func (s *Server) protocolError(e *exchange, t *operation, panicked any, err error) error {
	if panicked != nil {
		err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
	}
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return err
	}
	f := fault.From(err)
	s.logDefect(e, t.Name, f, err)
	code := int64(jsonrpc.CodeInternalError)
	if f.Kind == fault.Invalid {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: f.Code + ": " + api.Message(api.LocaleOf(e.ctx), f)}
}
