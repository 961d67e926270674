package tool

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/fault"
)

// Arguments that tools have beside those of their endpoints.
const (
	// GuestArgument is the guest's token, for agents whose client cannot set a header
	// once it has started.
	GuestArgument  = "guest_token"
	fieldsArgument = "fields"
	limitArgument  = "limit"
	offsetArgument = "offset"
)

// allFields in the argument fields asks for the whole result.
const allFields = "all"

// A property is a member of an object schema.
type property struct {
	name   string
	schema openapi.Schema
}

// properties are an object whose members keep their order: an agent reads them in
// that of the endpoint, the most important first.
type properties []property

// MarshalJSON writes the members in order.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(one.schema)
		if err != nil {
			return nil, err
		}
		b.WriteString(strconv.Quote(one.name) + ":")
		b.Write(text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// inputSchema returns the schema of the arguments of t, and notes their names.
func (t *Tool) inputSchema() (json.RawMessage, error) {
	var all properties
	required := []string{}
	t.known, t.passed = map[string]bool{}, map[string]bool{}
	for _, p := range t.Endpoint.Params() {
		if p.Operator {
			continue
		}
		all = append(all, property{p.Name, t.argument(p)})
		t.passed[p.Name] = true
		if p.Required {
			required = append(required, p.Name)
		}
	}
	all = append(all, t.ownArguments()...)
	for _, p := range all {
		t.known[p.name] = true
	}
	return json.Marshal(struct {
		Type       string     `json:"type"`
		Properties properties `json:"properties"`
		Required   []string   `json:"required,omitempty"`
		Additional bool       `json:"additionalProperties"`
	}{"object", all, required, false})
}

// argument returns the schema of an input of the endpoint. A flag is a boolean, and
// the greatest number of a list is said, since agents keep to it.
func (t *Tool) argument(p input.Param) openapi.Schema {
	s := openapi.Input(p)
	if p.Type == "boolean" {
		delete(s, "enum")
		s["type"] = "boolean"
		if p.Default != "" {
			s["default"] = p.Default == "1"
		}
	}
	if p.Nullable {
		s["type"] = p.Type // an argument that is null is an absent one
	}
	if p.Cap != nil {
		s["maximum"] = *p.Cap
	}
	if p.Name == limitArgument && t.list.passes {
		s["default"] = t.list.size
	}
	s["description"] = p.Doc
	return s
}

// ownArguments returns the arguments that the tool has beside its endpoint.
func (t *Tool) ownArguments() (own properties) {
	if t.list.cuts {
		own = append(own,
			property{limitArgument, openapi.Schema{
				"type": "integer", "minimum": 1, "maximum": maxListed, "default": t.list.size, "description": "Number of items to return.",
			}},
			property{offsetArgument, openapi.Schema{
				"type": "integer", "minimum": 0, "default": 0, "description": "Number of items to skip; see next_offset of the result.",
			}})
	}
	if t.choosable() {
		own = append(own, property{fieldsArgument, openapi.Schema{
			"type": "array", "items": openapi.Schema{"type": "string"}, "maxItems": maxFields, "description": t.fieldsText(),
		}})
	}
	if t.Endpoint.Auth == api.Guest || t.Endpoint.Speaker {
		own = append(own, property{GuestArgument, openapi.Schema{
			"type": "string", "maxLength": input.MaxText, "description": "Token of the guest who calls, where the header X-Guest-Token cannot be set. It is a secret.",
		}})
	}
	return own
}

// maxFields is how many members the argument fields may name.
const maxFields = 40

// fieldsText describes the argument fields.
func (t *Tool) fieldsText() string {
	text := "Members of the result to return, by their names in the output schema"
	example := "streams.url"
	if t.list.member != "" {
		text += ", without " + t.list.member
		example = ""
	}
	if example != "" {
		text += "; a dot leads to a member of a member"
	}
	if names := t.brief.names(t.list.member); len(names) > 0 {
		return text + ". Without it: " + strings.Join(names, ", ") + `. ["` + allFields + `"] returns everything.`
	}
	return text + ". Without it the result has all of them."
}

// A Call is one call of a tool.
type Call struct {
	Arguments  json.RawMessage // of the endpoint
	GuestToken string          // that the arguments hold; empty without one

	tool   *Tool
	fields *selection
	limit  int // of the items to return, where the tool cuts a list
	offset int
}

// Call reads the arguments of a call, a JSON object; none when it is empty. Its errors
// are faults with the name of the wrong argument.
func (t *Tool) Call(arguments json.RawMessage) (Call, error) {
	c := Call{tool: t, fields: t.brief, limit: t.list.size}
	members := map[string]json.RawMessage{}
	if len(arguments) > 0 && string(arguments) != "null" {
		var err error
		if members, err = input.Object(arguments); err != nil {
			return c, err
		}
	}
	for name := range members {
		if !t.known[name] {
			return c, fault.ErrInvalid.With("param", name).With("reason", "unknown")
		}
	}
	if err := c.takeOwn(members); err != nil {
		return c, err
	}
	for name := range members {
		if !t.passed[name] {
			delete(members, name)
		}
	}
	if _, ok := members[limitArgument]; !ok && t.list.passes {
		members[limitArgument] = json.RawMessage(strconv.Itoa(t.list.size))
	}
	var err error
	c.Arguments, err = json.Marshal(members)
	return c, err
}

// takeOwn reads the arguments that the tool has beside its endpoint.
func (c *Call) takeOwn(members map[string]json.RawMessage) error {
	var fields []string
	own := map[string]any{GuestArgument: &c.GuestToken, fieldsArgument: &fields}
	if c.tool.list.cuts {
		own[limitArgument], own[offsetArgument] = &c.limit, &c.offset
	}
	for name, to := range own {
		if raw, ok := members[name]; ok && !c.tool.passed[name] && json.Unmarshal(raw, to) != nil {
			return fault.ErrInvalid.With("param", name).With("reason", "wrong_type")
		}
	}
	switch {
	case c.limit < 1 && c.tool.list.cuts:
		return fault.ErrInvalid.With("param", limitArgument).With("reason", "too_small").With("bound", 1)
	case c.offset < 0:
		return fault.ErrInvalid.With("param", offsetArgument).With("reason", "too_small").With("bound", 0)
	case len(fields) > maxFields:
		return fault.ErrInvalid.With("param", fieldsArgument).With("reason", "too_many").With("bound", maxFields)
	}
	c.limit = min(c.limit, maxListed)
	return c.choose(fields)
}

// choose sets the members that the result has from the argument fields.
func (c *Call) choose(fields []string) error {
	switch {
	case len(fields) == 0:
		return nil
	case slices.Contains(fields, allFields):
		c.fields = nil
		return nil
	}
	paths := c.tool.around()
	for _, f := range fields {
		if c.tool.list.member != "" && !strings.HasPrefix(f, c.tool.list.member+".") {
			f = c.tool.list.member + "." + f
		}
		paths = append(paths, f)
	}
	chosen, err := c.tool.members.selection(paths)
	if err != nil {
		return fault.ErrInvalid.With("param", fieldsArgument).With("reason", "not_listed").With("bound", c.tool.members.names(c.tool.list.member)).Because(err)
	}
	c.fields = chosen
	return nil
}

// around lists the members that a result has whichever of its items' the caller
// chooses, such as the number of all items.
func (t *Tool) around() []string {
	if t.list.member == "" || !t.brief.all() {
		return t.brief.outside(t.list.member)
	}
	return slices.DeleteFunc(slices.Clone(t.members.order), func(name string) bool { return name == t.list.member })
}
