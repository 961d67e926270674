package tool

import (
	"encoding/json"
	"strconv"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
)

// Sizes of pages, in items: of a page that the endpoint makes, of a list that only
// the tool cuts, and the largest of the latter.
const (
	pageSize  = 10
	listSize  = 50
	maxListed = 500
)

// itemsMember is the member of a result that holds a page or a list.
const itemsMember = "items"

// A listing is how a tool bounds the list in its result.
type listing struct {
	member string // with the list; empty without one
	passes bool   // the endpoint makes pages: the tool passes a limit on
	cuts   bool   // the endpoint gives the whole list: the tool cuts it
	size   int    // the items of a page when the caller says nothing
}

// listingOf returns the listing of the result of e. Tags and the like, of which the
// endpoint returns the first ones alone, keep the number of the endpoint.
func listingOf(e api.Endpoint, m *members) listing {
	items, ok := m.of[itemsMember]
	if !ok || !items.list || len(items.of) == 0 {
		return listing{}
	}
	limited, paged := false, false
	for _, p := range e.Params() {
		limited = limited || p.Name == limitArgument
		paged = paged || p.Name == offsetArgument
	}
	l := listing{member: itemsMember, passes: limited && paged, size: pageSize}
	if l.cuts = !limited && !paged && !e.Writes(); l.cuts {
		l.size = listSize
	}
	return l
}

// Members that a tool adds to a result of which it cuts the list. They are those of
// the endpoints that make pages.
const (
	totalMember = "total"
	nextMember  = "next_offset"
)

// outputSchema returns the schema of the result of t from that of its endpoint. No
// member is required where the caller may choose them, or a choice is made already.
func (t *Tool) outputSchema(s openapi.Schema) openapi.Schema {
	if t.brief != nil || t.choosable() {
		allowAbsent(s)
	}
	if !t.choosable() && !t.brief.all() {
		defs, _ := s["$defs"].(openapi.Schema)
		narrowed := narrow(s, defs, t.brief)
		narrowed["$defs"] = defs
		s = narrowed
	}
	if t.list.cuts {
		all, _ := s["properties"].(openapi.Schema)
		all[totalMember] = openapi.Schema{"type": "integer", "description": "Number of all items."}
		all[nextMember] = openapi.Schema{"type": []any{"integer", "null"}, "description": "The offset of the next items; null at the end."}
	}
	keepReferenced(s)
	return s
}

// allowAbsent removes from s and everything in it what members are required.
func allowAbsent(s any) {
	switch s := s.(type) {
	case openapi.Schema:
		if _, ok := s["properties"]; ok {
			delete(s, "required")
		}
		for _, part := range s {
			allowAbsent(part)
		}
	case []any:
		for _, part := range s {
			allowAbsent(part)
		}
	}
}

// narrow returns a schema with the members that a selection keeps. References are
// resolved on the way, since the same type may be kept in part in one place and as a
// whole in another.
func narrow(s, defs openapi.Schema, keep *selection) openapi.Schema {
	if keep.all() {
		return s
	}
	out := openapi.Schema{}
	for _, part := range parts(s, defs) {
		for name, value := range part {
			switch name {
			case "$defs", "$ref", "anyOf", "oneOf", "allOf":
			case "properties":
				kept := openapi.Schema{}
				all, _ := value.(openapi.Schema)
				for member, child := range keep.of {
					if sub, ok := all[member].(openapi.Schema); ok {
						kept[member] = narrow(sub, defs, child)
					}
				}
				out[name] = kept
			case "items":
				items, _ := value.(openapi.Schema)
				out[name] = narrow(items, defs, keep)
			case "type":
				out[name] = eitherType(out[name], value)
			default:
				out[name] = value
			}
		}
	}
	return out
}

// eitherType returns the types that two alternatives allow.
func eitherType(a, b any) any {
	if a == nil || a == b {
		return b
	}
	return []any{a, b}
}

// keepReferenced removes from $defs what nothing in s refers to.
func keepReferenced(s openapi.Schema) {
	defs, _ := s["$defs"].(openapi.Schema)
	delete(s, "$defs")
	kept := openapi.Schema{}
	var visit func(any)
	visit = func(part any) {
		switch part := part.(type) {
		case openapi.Schema:
			if ref, ok := part["$ref"].(string); ok {
				name := strings.TrimPrefix(ref, openapi.DefinitionsPath)
				if _, seen := kept[name]; !seen {
					kept[name] = defs[name]
					visit(defs[name])
				}
			}
			for _, one := range part {
				visit(one)
			}
		case []any:
			for _, one := range part {
				visit(one)
			}
		}
	}
	visit(s)
	if len(kept) > 0 {
		s["$defs"] = kept
	}
}

// Shape returns the result of a call from the JSON that the endpoint answered with: of
// a list that the tool cuts the items that were asked for, and of every object the
// members that the caller chose.
func (c *Call) Shape(result json.RawMessage) (json.RawMessage, error) {
	if c.tool.members == nil {
		return result, nil
	}
	if !c.tool.list.cuts {
		return c.fields.apply(result)
	}
	var out object
	var total, end int
	err := eachMember(result, func(name string, member json.RawMessage) error {
		if name == c.tool.list.member {
			var list []json.RawMessage
			if err := json.Unmarshal(member, &list); err != nil {
				return err
			}
			total = len(list)
			start := min(c.offset, total)
			end = min(start+c.limit, total)
			member = joinList(list[start:end])
		}
		if name != totalMember { // which is added below
			out = append(out, field{name, member})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	shaped, err := c.fields.apply(out.json())
	if err != nil {
		return nil, err
	}
	next := "null"
	if end < total {
		next = strconv.Itoa(end)
	}
	tail := object{{totalMember, json.RawMessage(strconv.Itoa(total))}, {nextMember, json.RawMessage(next)}}.json()
	return append(append(shaped[:len(shaped)-1:len(shaped)-1], ','), tail[1:]...), nil
}
