package functions

import (
	"cmp"
	"slices"
	"sync"

	"miramundo.dev/functions/mcp"
	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/tool"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/usage"
)

// The function mcp runs endpoints of other functions as tools, on servers of its own
// process. What it needs is therefore what these functions need together, computed
// from their entries.

// mcpName is the name of the function that serves tools.
const mcpName = "mcp"

// described holds the tools of the table, which is the same for as long as the process
// lives.
var described struct {
	once  sync.Once
	tools []*tool.Tool
	err   error
}

// toolsOfTable returns the tools of the table. It returns an error when one cannot be
// described.
func toolsOfTable() ([]*tool.Tool, error) {
	described.once.Do(func() { described.tools, described.err = tool.New(Table()) })
	return described.tools, described.err
}

// hasTools reports whether an endpoint of f is a tool.
func (f Function) hasTools() bool {
	return slices.ContainsFunc(f.Endpoints, func(e api.Endpoint) bool { return e.Tool })
}

// equipTools adds to the entry of the function mcp in all what the functions with
// tools declare: the parts that they open, the settings that they read and the topics
// that they publish to. Jobs and subscriptions stay theirs.
func equipTools(all []Function) {
	i := slices.IndexFunc(all, func(f Function) bool { return f.Name == mcpName })
	p := &all[i].Process
	for _, f := range all {
		if f.hasTools() {
			declared := f.asTools().Declared()
			p.Needs = append(p.Needs, declared.Needs...)
			p.Secrets = append(p.Secrets, declared.Secrets...)
			p.Settings = append(p.Settings, declared.Settings...)
			p.Publishes = append(p.Publishes, declared.Publishes...)
		}
	}
	p.Needs, p.Secrets = distinct(p.Needs), distinct(p.Secrets)
	p.Settings, p.Publishes = distinct(p.Settings), distinct(p.Publishes)
}

// asTools returns f with its tools alone. The operator's tokens are left out: tools are
// for everybody else.
func (f Function) asTools() Function {
	var tools []api.Endpoint
	for _, e := range f.Endpoints {
		if e.Tool {
			e.Credential = ""
			tools = append(tools, e)
		}
	}
	f.Endpoints = tools
	return f
}

// distinct returns the values of a list, each once and in order.
func distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

// newMCP makes the server of tools with servers of the functions that they belong to,
// each with the parts that it declares and no others.
func newMCP(p *compose.Parts) (Server, error) {
	tools, err := toolsOfTable()
	if err != nil {
		return Server{}, err
	}
	o := mcp.Options{
		Tools: tools, Gate: &api.Gate{Auth: authenticator(p), Budgets: p.Budgets}, Pages: p.Pages(), Log: p.Log,
		Called: func(name string) { p.Usage.Add(usage.Tools, name) },
		Build:  p.Config.Build, Base: p.Config.BaseURL, Icon: page.IconPath(192),
	}
	for _, f := range All() {
		if !f.hasTools() {
			continue
		}
		s, err := f.New(p.Only(f.Needs...))
		if err != nil {
			return Server{}, err
		}
		for _, g := range s.Groups {
			o.Groups = append(o.Groups, mcp.Group{Server: g.Server, Endpoints: g.Endpoints})
		}
	}
	server, err := mcp.New(o)
	if err != nil {
		return Server{}, err
	}
	return one(server, mcp.Endpoints)
}
