package tool

import (
	"regexp"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
)

// The descriptions of endpoints name other endpoints by method and path, which an
// agent with tools cannot call. In the description of a tool these become the names
// of tools, and sentences about credentials and prices follow, in terms of arguments.

// phrases compute the descriptions of tools.
type phrases struct {
	tools map[string]string // the names of tools, by method and path as descriptions write them
	guest string            // name of the tool that creates a guest; empty without one
}

// guestPath is the end of the path of the endpoint that creates a guest.
const guestPath = "/guest"

// wording returns the phrases for a table.
func wording(table []api.Endpoint) *phrases {
	p := &phrases{tools: map[string]string{}}
	for _, e := range table {
		if !e.Tool {
			continue
		}
		p.tools[e.Method+" "+openapi.Path(e)] = e.Name
		if e.Writes() && strings.HasSuffix(e.Path, guestPath) {
			p.guest = e.Name
		}
	}
	return p
}

// route matches the name of an endpoint in a description, without the full stop of
// its sentence.
var route = regexp.MustCompile(`\b(GET|POST|PUT|PATCH|DELETE) (/[\w/{}.-]*[\w/}])`)

// describe returns the description of e as a tool.
func (p *phrases) describe(e api.Endpoint) string {
	text := route.ReplaceAllStringFunc(e.Doc, func(name string) string {
		if tool, ok := p.tools[name]; ok {
			return tool
		}
		return name
	})
	switch {
	case e.Auth == api.Guest && p.guest != "":
		text += " It needs the token of a guest, from " + p.guest + ", or an API key."
	case e.Auth == api.Guest:
		text += " It needs the token of a guest, or an API key."
	}
	if len(e.Prices) > 0 {
		text += " When it costs money the result is an error with the terms in accepts: pay one of them by x402 and repeat the call " +
			`with the payment in _meta["x402/payment"], or send a prepaid credit in the header X-Credito.`
	}
	return text
}

// list returns names as a list in a sentence.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
