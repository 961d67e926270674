// Package input decodes the path, the query, the headers and the body of a
// request into a struct, and refuses invalid values.
//
// [Compile] reads the tags of the struct once, when an endpoint is declared, into a
// [Plan]. Requests are decoded by the plan, and the OpenAPI document and the tools
// describe the same plan. The tags of a field declare its source and its bounds:
//
//	path:"id" query:"q" header:"X-Name" json:"name"   the source
//	description:"…"           for people and agents, in the OpenAPI document
//	default:"20"              the value when the request lacks it
//	required:"true"           a request without it is refused
//	enum:"a,b"                the allowed values
//	minimum:"0" maximum:"9"   bounds of a number
//	cap:"50"                  a greater number is silently reduced to it
//	minLength:"1" maxLength:"80"   bounds of a text, in characters
//	maxItems:"6"              bound of a list
//	pattern:"^[a-z]+$"        a regular expression that a text must match
//	operator:"true"           for the operator alone, so that tools lack it
//	code:"invalid_name"       of the fault of a body member, in place of invalid_body
//	body:"text/plain,image/png"    of a []byte: a body of one of these media types, whole
//	empty:"true"              such a body may be empty
//
// A field is a string, int, int64, float64 or bool, a pointer to one of them
// (nil when the request lacks it), or, in bodies, a []string. Every text has a
// bound: [MaxText] unless its tag declares another. A flag of a query is 0 or 1.
// An unknown parameter or body member is ignored. An empty parameter is treated
// as absent; of a repeated parameter the first value that is not empty counts.
package input

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"miramundo.dev/shared/fault"
)

// The greatest lengths, in characters, of texts that do not declare one: of
// parameters, and of body members.
const (
	MaxText     = 256
	MaxBodyText = 4096
)

// maxItems is the greatest length of a list that declares no maxItems.
const maxItems = 100

// Form is embedded in a struct whose body may have the parameters of the query: as a form
// in the syntax of queries, or as a JSON object whose members are texts, numbers and
// booleans. A parameter that the query has too is that of the query.
type Form struct{}

// EmptyObject is embedded in a struct whose body is a JSON object without members:
// members are ignored, and any other body is refused.
type EmptyObject struct{}

// A Param is one input of an endpoint, as its tags declare it.
type Param struct {
	Name      string   // of the parameter, header or body member
	In        string   // "path", "query", "header" or "body"
	Type      string   // "string", "integer", "number", "boolean" or "array"
	Doc       string   // description for the documentation
	Required  bool     // true for every path parameter
	Operator  bool     // the operator alone may use it
	Nullable  bool     // a body member that may be null
	Default   string   // as a parameter would have it; empty for the zero value
	Enum      []string // the allowed values; nil for any
	Min, Max  *float64 // inclusive bounds of a number; nil for none
	Cap       *int64   // greater numbers are reduced to it; nil for none
	MinLength int      // in characters
	MaxLength int      // in characters
	MaxItems  int      // of a list
	Pattern   string   // regular expression in RE2 syntax; empty for any text
}

// A Plan holds everything that decoding one type of struct needs. It does not
// change after Compile and may be used concurrently.
type Plan struct {
	Params []Param
	Body   bool  // the body is read: some field comes from it, or it must be an EmptyObject
	Form   bool  // the body may have the parameters of the query
	Raws   []Raw // fields for the whole body, by media type; nil when the body is a JSON object

	preset   reflect.Value  // a struct with the defaults
	fields   []field        // in the order of Params; at most 64, for the bit sets
	queries  map[string]int // indices of the fields of the query, by parameter
	required uint64         // bit i is set when field i is required
	body     uint64         // bit i is set when field i comes from the body
}

// A field is a Param with what decoding it needs.
type field struct {
	Param
	index   []int        // of the field in the struct
	kind    reflect.Kind // of the value, also behind a pointer
	pointer bool
	pattern *regexp.Regexp  // nil for any text
	enum    map[string]bool // nil for any value
	refusal *fault.Error    // of a bad value
	absent  *fault.Error    // of a bad value in the path; nil for refusal
}

// RefusePath makes f the fault for values of the path that are not valid: an
// address with such a value names nothing that could be found. It must be called
// before the plan is used.
func (p *Plan) RefusePath(f *fault.Error) {
	for i := range p.fields {
		if p.fields[i].In == "path" {
			p.fields[i].absent = f
		}
	}
}

// sources are the tags that declare the source of a field.
var sources = []string{"path", "query", "header", "json"}

// Compile returns the plan for struct type t and a path pattern in the syntax of
// http.ServeMux. It returns an error for tags that contradict each other or the
// path, and for two inputs of one name, which a tool could not tell apart. Fields of
// embedded structs are inputs too.
func Compile(t reflect.Type, path string) (*Plan, error) {
	p := &Plan{preset: reflect.New(t).Elem(), queries: map[string]int{}}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("input %s must be a struct", t)
	}
	for _, sf := range reflect.VisibleFields(t) {
		if sf.Anonymous {
			p.Form = p.Form || sf.Type == reflect.TypeFor[Form]()
			p.Body = p.Body || p.Form || sf.Type == reflect.TypeFor[EmptyObject]()
			continue
		}
		if err := p.add(sf); err != nil {
			return nil, fmt.Errorf("field %s: %w", sf.Name, err)
		}
	}
	if name := repeated(p.fields); name != "" {
		return nil, fmt.Errorf("two fields take %q: the arguments of a tool have one name each", name)
	}
	if p.Form && (p.body != 0 || p.Raws != nil) {
		return nil, fmt.Errorf("input %s declares both a form and another body", t)
	}
	if p.body != 0 && p.Raws != nil {
		return nil, fmt.Errorf("input %s declares both a raw body and members of a JSON body", t)
	}
	if len(p.fields) > 64 {
		return nil, fmt.Errorf("%d fields; at most 64 are allowed", len(p.fields))
	}
	return p, p.checkPath(path)
}

// repeated returns the first name that two fields have; empty when all differ.
func repeated(fields []field) string {
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Name] {
			return f.Name
		}
		seen[f.Name] = true
	}
	return ""
}

// Preset returns a struct with the defaults. Callers decode into a copy of it.
func (p *Plan) Preset() any { return p.preset.Interface() }

// Has reports whether name is a parameter of the query.
func (p *Plan) Has(name string) bool {
	_, ok := p.queries[name]
	return ok
}

// add adds a field of the struct to the plan.
func (p *Plan) add(sf reflect.StructField) error {
	if media := sf.Tag.Get("body"); media != "" {
		return p.addRaw(sf, media)
	}
	f, err := compileField(sf)
	if err != nil {
		return err
	}
	n := len(p.fields)
	if f.Default != "" {
		if bad := f.setText(p.preset.FieldByIndex(f.index), f.Default); bad != nil {
			return fmt.Errorf("default %q: %s", f.Default, bad.reason)
		}
	}
	switch f.In {
	case "query":
		p.queries[f.Name] = n
	case "body":
		p.Body = true
		p.body |= 1 << n
	}
	if f.Required {
		p.required |= 1 << n
	}
	p.fields = append(p.fields, f)
	p.Params = append(p.Params, f.Param)
	return nil
}

// checkPath compares the fields that come from the path with its wildcards.
func (p *Plan) checkPath(path string) error {
	for _, f := range p.fields {
		if f.In == "path" && !strings.Contains(path, "{"+f.Name+"}") && !strings.Contains(path, "{"+f.Name+"...}") {
			return fmt.Errorf("the path must contain {%s}", f.Name)
		}
	}
	return nil
}

// compileField returns the field for a field of the struct, from its type and tags.
func compileField(sf reflect.StructField) (field, error) {
	f := field{index: sf.Index}
	for _, source := range sources {
		name, _, _ := strings.Cut(sf.Tag.Get(source), ",")
		if name == "" || name == "-" {
			continue
		}
		if f.Name != "" {
			return f, fmt.Errorf("has two sources")
		}
		f.Name, f.In = name, source
	}
	if f.Name == "" {
		return f, fmt.Errorf("has no source")
	}
	if f.In == "json" {
		f.In = "body"
	}
	if !sf.IsExported() {
		return f, fmt.Errorf("is not exported")
	}
	if err := f.typed(sf.Type); err != nil {
		return f, err
	}
	return f, f.bounds(sf.Tag)
}

// typed sets what the Go type of the field determines.
func (f *field) typed(t reflect.Type) error {
	if t.Kind() == reflect.Pointer {
		f.pointer, t = true, t.Elem()
		f.Nullable = f.In == "body"
	}
	f.kind = t.Kind()
	switch f.kind {
	case reflect.String:
		f.Type = "string"
	case reflect.Int, reflect.Int64:
		f.Type = "integer"
	case reflect.Float64:
		f.Type = "number"
	case reflect.Bool:
		f.Type = "boolean"
	case reflect.Slice:
		if t.Elem().Kind() != reflect.String || f.In != "body" || f.pointer {
			return fmt.Errorf("cannot be a %s", t)
		}
		f.Type = "array"
	default:
		return fmt.Errorf("cannot be a %s", t)
	}
	return nil
}

// bounds reads the tags that bound the values of the field.
func (f *field) bounds(tag reflect.StructTag) (err error) {
	f.Doc, f.Default, f.Pattern = tag.Get("description"), tag.Get("default"), tag.Get("pattern")
	f.Operator = tag.Get("operator") == "true"
	f.Required = f.In == "path" || tag.Get("required") == "true"
	if err := f.setRefusal(tag.Get("code")); err != nil {
		return err
	}
	if f.Default != "" && f.pointer {
		return fmt.Errorf("is a pointer with a default")
	}
	f.MaxLength, f.MaxItems = MaxText, maxItems
	if f.In == "body" {
		f.MaxLength = MaxBodyText
	}
	if list := tag.Get("enum"); list != "" {
		f.Enum, f.enum = strings.Split(list, ","), map[string]bool{}
		for _, v := range f.Enum {
			f.enum[v] = true
		}
	}
	if f.Pattern != "" {
		if f.pattern, err = regexp.Compile(f.Pattern); err != nil {
			return err
		}
	}
	return f.numbers(tag)
}

// setRefusal sets the fault of a bad value; code is empty for the usual one.
func (f *field) setRefusal(code string) error {
	switch {
	case code != "" && f.In != "body":
		return fmt.Errorf("has a code and is not a body member")
	case code != "":
		f.refusal = fault.New(fault.Invalid, code)
	case f.In == "body":
		f.refusal = fault.ErrBody
	default:
		f.refusal = fault.ErrInvalid
	}
	return nil
}

// numbers sets the bounds whose tags are numbers.
func (f *field) numbers(tag reflect.StructTag) error {
	take := map[string]func(float64){
		"minimum":   func(n float64) { f.Min = &n },
		"maximum":   func(n float64) { f.Max = &n },
		"cap":       func(n float64) { c := int64(n); f.Cap = &c },
		"minLength": func(n float64) { f.MinLength = int(n) },
		"maxLength": func(n float64) { f.MaxLength = int(n) },
		"maxItems":  func(n float64) { f.MaxItems = int(n) },
	}
	for name, set := range take {
		text, ok := tag.Lookup(name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		set(n)
	}
	return nil
}
