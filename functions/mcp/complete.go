package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client completes the variables of a template while a person types. The values come
// from tools: ids of channels from a search, the others from the lists of the filters,
// by their codes and by their names in the caller's language.

// maxValues is how many values a completion may have, by the protocol.
const maxValues = 100

// completions are the tools that list the values of variables, with the member of their
// items that is the value.
var completions = map[string]struct{ tool, member string }{
	"id":       {searchTool, "id"},
	"country":  {"list_countries", "code"},
	"language": {"list_languages", "code"},
	"category": {"list_categories", "id"},
	"genre":    {"list_genres", "id"},
}

// complete returns the values of a variable that begin as the person began, or whose
// names do. A variable without a list has no values.
func (s *Server) complete(ctx context.Context, r *mcp.CompleteRequest) (result *mcp.CompleteResult, err error) {
	result = &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	typed := r.Params.Argument.Value
	from, ok := completions[r.Params.Argument.Name]
	t := s.tools[from.tool]
	if !ok || t == nil || r.Params.Ref == nil || r.Params.Ref.Type != "ref/resource" {
		return result, nil
	}
	e := exchangeOf(ctx)
	defer func() { err = s.protocolError(e, t, recover(), err) }()
	arguments := map[string]string{"kind": "all"}
	if from.tool == searchTool {
		arguments["q"] = typed
	} else if !t.Endpoint.HasQuery("kind") {
		arguments = nil
	}
	text, err := s.read(e, t, arguments)
	if err != nil {
		return nil, err
	}
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	for _, item := range list.Items {
		value, _ := item[from.member].(string)
		name, _ := item["name"].(string)
		if from.tool == searchTool || begins(value, typed) || begins(name, typed) {
			result.Completion.Values = append(result.Completion.Values, value)
		}
	}
	result.Completion.Total = len(result.Completion.Values)
	if result.Completion.HasMore = result.Completion.Total > maxValues; result.Completion.HasMore {
		result.Completion.Values = result.Completion.Values[:maxValues]
	}
	return result, nil
}

// begins reports whether text begins with prefix, whatever the case of letters.
func begins(text, prefix string) bool {
	return strings.HasPrefix(strings.ToLower(text), strings.ToLower(prefix))
}
