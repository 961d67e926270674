package tool

import (
	"fmt"
	"slices"
	"strings"

	"miramundo.dev/shared/api/openapi"
)

// The members of a result are named by paths such as streams.url. A path passes
// through lists: items.name is the name of each item.

// maxDepth is how deep paths may go. Schemas that contain themselves end there.
const maxDepth = 8

// members are what the objects of a result have, as its schema says.
type members struct {
	order []string
	of    map[string]*members // nil for a value without members, and for one of any shape
	open  bool                // members of any name are allowed
	list  bool
}

// membersOf returns the members of a schema that stands alone.
func membersOf(root openapi.Schema) *members {
	defs, _ := root["$defs"].(openapi.Schema)
	return walk(root, defs, 0)
}

// walk returns the members of s, whatever lists and alternatives are around them.
func walk(s, defs openapi.Schema, depth int) *members {
	m := &members{}
	if depth > maxDepth {
		return m
	}
	for _, part := range parts(s, defs) {
		if items, ok := part["items"].(openapi.Schema); ok {
			inner := walk(items, defs, depth)
			inner.list = true
			return inner
		}
		if _, ok := part["additionalProperties"].(openapi.Schema); ok {
			m.open = true
		}
		all, _ := part["properties"].(openapi.Schema)
		for _, name := range sorted(all) {
			if m.of == nil {
				m.of = map[string]*members{}
			}
			child, _ := all[name].(openapi.Schema)
			m.order, m.of[name] = append(m.order, name), walk(child, defs, depth+1)
		}
	}
	return m
}

// parts returns the schemas that s stands for: itself, what it refers to, and its
// alternatives and parts, with theirs.
func parts(s, defs openapi.Schema) []openapi.Schema {
	all := []openapi.Schema{s}
	if ref, ok := s["$ref"].(string); ok {
		if target, ok := defs[strings.TrimPrefix(ref, openapi.DefinitionsPath)].(openapi.Schema); ok {
			all = append(all, parts(target, defs)...)
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[keyword].([]any)
		for _, one := range list {
			if sub, ok := one.(openapi.Schema); ok {
				all = append(all, parts(sub, defs)...)
			}
		}
	}
	return all
}

// sorted returns the names of an object in alphabetical order.
func sorted(s openapi.Schema) []string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// names lists the members of the objects at a path of one step, or of the result
// itself when the path is empty.
func (m *members) names(path string) []string {
	if at := m.of[path]; path != "" && at != nil {
		return at.order
	}
	return m.order
}

// selection returns the selection of paths; nil, which selects everything, when there
// are no paths. It returns an error for a path that leads to no member.
func (m *members) selection(paths []string) (*selection, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	s := &selection{}
	for _, path := range paths {
		at, from := s, m
		for name := range strings.SplitSeq(path, ".") {
			next, ok := from.of[name]
			if !ok && !from.open {
				return nil, fmt.Errorf("the result has no member %q", path)
			}
			if next == nil {
				next = &members{open: true}
			}
			at, from = at.child(name), next
		}
		at.whole = true
	}
	return s, nil
}
