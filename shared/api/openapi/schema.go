package openapi

import (
	"encoding"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
)

// Results are described by reflection over their Go types, with three corrections to
// what the reflector does by itself: which fields are required, which may be null,
// and how types that marshal themselves as a time are described. Every struct type
// becomes a named schema, to which all operations refer.

// A builder builds one document. It must not be used concurrently.
type builder struct {
	reflector *openapi31.Reflector
	names     map[string]reflect.Type // types by the names of their schemas
	clash     error                   // set when two types have the same schema name
}

// newBuilder returns the builder of an empty document.
func newBuilder() *builder {
	r := openapi31.NewReflector()
	b := &builder{reflector: r, names: map[string]reflect.Type{}}
	r.DefaultOptions = append(r.DefaultOptions,
		jsonschema.InterceptProp(requireProp),
		jsonschema.InterceptSchema(moments),
		jsonschema.InterceptDefName(func(t reflect.Type, _ string) string { return b.name(t) }),
	)
	return b
}

// name returns the name of a type's schema: the name of the type, preceded by the
// name of its package when the type is not exported, and followed by its type
// argument. Two structs with the same name set builder.clash; other types have no
// schema of their own.
func (b *builder) name(t reflect.Type) string {
	name, argument, _ := strings.Cut(t.Name(), "[")
	if i := strings.LastIndexAny(argument, "./"); i >= 0 {
		argument = argument[i+1:]
	}
	if first := name[:1]; first != strings.ToUpper(first) {
		name = capital(path.Base(t.PkgPath())) + capital(name)
	}
	name += strings.TrimSuffix(argument, "]")
	if t.Kind() != reflect.Struct {
		return name
	}
	if other, ok := b.names[name]; ok && other != t {
		b.clash = fmt.Errorf("%s and %s are both called %s", other, t, name)
	}
	b.names[name] = t
	return name
}

// capital returns s with its first letter, which must be ASCII, in upper case.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// requireProp marks every field without omitempty as required, and allows null for
// pointers among them.
func requireProp(p jsonschema.InterceptPropParams) error {
	if !p.Processed {
		return nil
	}
	_, options, _ := strings.Cut(p.Field.Tag.Get("json"), ",")
	if !strings.Contains(options, "omitempty") && !slices.Contains(p.ParentSchema.Required, p.Name) {
		p.ParentSchema.Required = append(p.ParentSchema.Required, p.Name)
	}
	if p.Field.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omitempty") {
		letBeNull(p.PropertySchema)
	}
	return nil
}

// letBeNull adds null to the types and values that s allows.
func letBeNull(s *jsonschema.Schema) {
	if s.Ref != nil {
		target := jsonschema.Schema{Ref: s.Ref}
		s.Ref, s.Type, s.Format = nil, nil, nil
		s.AnyOf = []jsonschema.SchemaOrBool{jsonschema.Null.ToSchemaOrBool(), target.ToSchemaOrBool()}
		return
	}
	s.AddType(jsonschema.Null)
	if len(s.Enum) > 0 {
		s.Enum = append(s.Enum, nil)
	}
}

var (
	timeType = reflect.TypeFor[time.Time]()
	textType = reflect.TypeFor[encoding.TextMarshaler]()
)

// moments describes types that embed a time.Time as a date-time: they marshal
// themselves as text.
func moments(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	t := p.Value.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == timeType || t.NumField() != 1 || t.Field(0).Type != timeType || !t.Implements(textType) {
		return false, nil
	}
	*p.Schema = *new(jsonschema.Schema).WithType(jsonschema.String.Type()).WithFormat("date-time")
	return true, nil
}

// success describes the responses of e without a fault: one status, and 304 as
// well when the result has a version.
func (b *builder) success(e api.Endpoint) (map[int]openapi31.Response, error) {
	out := reflect.New(e.Output()).Elem().Interface()
	switch out.(type) {
	case api.NoContent:
		return map[int]openapi31.Response{http.StatusNoContent: {Description: http.StatusText(http.StatusNoContent)}}, nil
	case api.Accepted:
		return map[int]openapi31.Response{
			http.StatusAccepted:  {Description: "The report counts."},
			http.StatusNoContent: {Description: "The report is ignored."},
		}, nil
	}
	r := openapi31.Response{Description: http.StatusText(e.Status)}
	all := map[int]openapi31.Response{}
	if _, ok := out.(api.Tagged); ok {
		r.WithHeadersItem("ETag", header("Version of the result.", "string"))
		all[http.StatusNotModified] = openapi31.Response{Description: "The caller has the current version already."}
	}
	if err := b.content(e, out, &r); err != nil {
		return nil, err
	}
	if len(e.Prices) > 0 {
		addReceipt(&r)
	}
	all[e.Status] = r
	return all, nil
}

// content describes the body of a result.
func (b *builder) content(e api.Endpoint, out any, r *openapi31.Response) error {
	for _, media := range e.Produces {
		r.WithContentItem(media, openapi31.MediaType{Schema: map[string]any{"type": "string", "contentMediaType": media}})
	}
	shape, reply := out, false
	if s, ok := out.(api.Schema); ok {
		shape = s.Schema()
	} else if _, reply = out.(api.Reply); reply {
		return nil
	}
	// The reflector describes a result only as part of an operation. The scratch
	// operation is deleted once its result is described.
	const scratch = "/scratch"
	oc, err := b.reflector.NewOperationContext(http.MethodGet, scratch)
	if err != nil {
		return err
	}
	var got openapi31.Response
	oc.AddRespStructure(shape, openapi.WithHTTPStatus(http.StatusOK), openapi.WithContentType("application/json"),
		openapi.WithCustomize(func(cor openapi.ContentOrReference) {
			if ref, ok := cor.(*openapi31.ResponseOrReference); ok && ref.Response != nil {
				got = *ref.Response
			}
		}))
	if err := b.reflector.AddOperation(oc); err != nil {
		return err
	}
	delete(b.reflector.Spec.Paths.MapOfPathItemValues, scratch)
	for media, c := range got.Content {
		r.WithContentItem(media, c)
	}
	return nil
}

// parameter describes an input from the path, the query or a header.
func parameter(p input.Param) openapi31.ParameterOrReference {
	q := openapi31.Parameter{Name: p.Name, In: openapi31.ParameterIn(p.In), Schema: schemaOf(p)}
	q.WithDescription(p.Doc)
	if p.Required {
		q.WithRequired(true)
	}
	return openapi31.ParameterOrReference{Parameter: &q}
}

// requestBody describes the body of a request to e: a JSON object of members, or
// raw bodies.
func requestBody(e api.Endpoint) openapi31.RequestBodyOrReference {
	if raws := e.RawBodies(); raws != nil {
		return rawBody(raws)
	}
	props, required := map[string]any{}, []string{}
	for _, p := range e.Params() {
		if p.In != "body" {
			continue
		}
		s := schemaOf(p)
		s["description"] = p.Doc
		props[p.Name] = s
		if p.Required {
			required = append(required, p.Name)
		}
	}
	schema := map[string]any{"type": "object", "properties": props}
	body := openapi31.RequestBody{}
	if len(required) > 0 {
		schema["required"] = required
		body.WithRequired(true)
	}
	body.WithContentItem("application/json", openapi31.MediaType{Schema: schema})
	return openapi31.RequestBodyOrReference{RequestBody: &body}
}

// rawBody describes bodies that the handler receives unparsed.
func rawBody(raws []input.Raw) openapi31.RequestBodyOrReference {
	body := (&openapi31.RequestBody{}).WithRequired(true)
	for _, r := range raws {
		for _, media := range r.Media {
			schema := map[string]any{"description": r.Doc}
			if media != "application/json" {
				schema["type"] = "string"
			}
			body.WithContentItem(media, openapi31.MediaType{Schema: schema})
		}
	}
	return openapi31.RequestBodyOrReference{RequestBody: body}
}

// schemaOf describes the values that an input may have.
func schemaOf(p input.Param) map[string]any {
	s := map[string]any{"type": p.Type}
	switch {
	case p.Type == "string":
		texts(s, p)
	case p.Type == "boolean" && p.In == "query":
		s["type"], s["enum"] = "string", []string{"0", "1"}
	case p.Type == "array":
		item := map[string]any{"type": "string"}
		texts(item, p)
		s["items"], s["maxItems"] = item, p.MaxItems
	case p.Min != nil || p.Max != nil:
		numbers(s, p)
	}
	if p.Default != "" {
		s["default"] = defaultOf(p)
	}
	if p.Nullable {
		s["type"] = []any{s["type"], "null"}
	}
	return s
}

// texts adds the bounds of a text to s.
func texts(s map[string]any, p input.Param) {
	if len(p.Enum) > 0 {
		s["enum"] = p.Enum
		return
	}
	s["maxLength"] = p.MaxLength
	if p.MinLength > 0 {
		s["minLength"] = p.MinLength
	}
	if p.Pattern != "" {
		s["pattern"] = p.Pattern
	}
}

// numbers adds the bounds of a number to s. A cap is not a maximum: a number
// above it is accepted and reduced.
func numbers(s map[string]any, p input.Param) {
	if p.Min != nil {
		s["minimum"] = *p.Min
	}
	if p.Max != nil {
		s["maximum"] = *p.Max
	}
}

// defaultOf returns the default of p as a value of the schema's type.
func defaultOf(p input.Param) any {
	switch p.Type {
	case "integer", "number":
		if n, err := strconv.ParseFloat(p.Default, 64); err == nil {
			return n
		}
	case "boolean":
		if p.In != "query" {
			return p.Default == "1"
		}
	}
	return p.Default
}
