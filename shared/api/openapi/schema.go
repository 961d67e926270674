package openapi

import (
	"encoding"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"regexp"
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
	info      Info
	shared    map[string]int // how many operations have each response to faults
	reflector *openapi31.Reflector
	names     map[string]reflect.Type // types by the names of their schemas
	clash     error                   // set when two types have the same schema name
}

// newBuilder returns the builder of an empty document for a table.
func newBuilder(info Info, table []api.Endpoint) *builder {
	r := openapi31.NewReflector()
	b := &builder{info: info, shared: countFailures(table), reflector: r, names: map[string]reflect.Type{}}
	r.DefaultOptions = append(r.DefaultOptions,
		jsonschema.InterceptProp(b.describeProp),
		jsonschema.InterceptSchema(moments),
		jsonschema.InterceptDefName(func(t reflect.Type, _ string) string { return b.name(t) }),
	)
	return b
}

// name returns the name of a type's schema: that of Info.Names, or the name of the type, preceded by the
// name of its package when the type is not exported, and followed by its type
// argument. Two structs with the same name set builder.clash; other types have no
// schema of their own.
func (b *builder) name(t reflect.Type) string {
	full := path.Base(t.PkgPath()) + "." + t.Name()
	name, argument, _ := strings.Cut(t.Name(), "[")
	if i := strings.LastIndexAny(argument, "./"); i >= 0 {
		argument = argument[i+1:]
	}
	if first := name[:1]; first != strings.ToUpper(first) {
		name = capital(path.Base(t.PkgPath())) + capital(name)
	}
	name += strings.TrimSuffix(argument, "]")
	if given, ok := b.info.Names[unqualified.ReplaceAllString(full, "")]; ok {
		name = given
	}
	if t.Kind() != reflect.Struct {
		return name
	}
	if other, ok := b.names[name]; ok && other != t {
		b.clash = fmt.Errorf("%s and %s are both called %s", other, t, name)
	}
	b.names[name] = t
	return name
}

// unqualified matches the path of the package of a type argument.
var unqualified = regexp.MustCompile(`[\w.-]+/`)

// capital returns s with its first letter, which must be ASCII, in upper case.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// describeProp completes the description of a field. Every field without omitempty is
// required, and null is allowed for pointers among them. The tag shape:"object" describes a value of
// any type as an object. A field without a description has that of Info.Members.
func (b *builder) describeProp(p jsonschema.InterceptPropParams) error {
	if !p.Processed {
		return nil
	}
	if isMoment(p.Field.Type) {
		text := p.PropertySchema.Description
		*p.PropertySchema = *new(jsonschema.Schema).WithType(jsonschema.String.Type()).WithFormat("date-time")
		p.PropertySchema.Description = text
	}
	if p.Field.Tag.Get("shape") == "object" {
		p.PropertySchema.WithType(jsonschema.Object.Type())
	}
	if text := b.info.Members[p.Name]; text != "" && p.PropertySchema.Description == nil {
		p.PropertySchema.WithDescription(text)
	}
	for _, value := range b.info.Enums[p.Name] {
		p.PropertySchema.Enum = append(p.PropertySchema.Enum, value)
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
	if !isMoment(p.Value.Type()) {
		return false, nil
	}
	*p.Schema = *new(jsonschema.Schema).WithType(jsonschema.String.Type()).WithFormat("date-time")
	return true, nil
}

// isMoment reports whether t, or the type that it points to, embeds a time.Time and
// nothing else.
func isMoment(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && t != timeType && t.NumField() == 1 && t.Field(0).Type == timeType && t.Implements(textType)
}

// success describes the responses of e without a fault: one status, and 304 as
// well when the result has a version. A deprecated operation that only fails has none.
func (b *builder) success(e api.Endpoint) (map[int]openapi31.ResponseOrReference, error) {
	out := reflect.New(e.Output()).Elem().Interface()
	all := map[int]openapi31.ResponseOrReference{}
	add := func(status int, r openapi31.Response) {
		addExamples(r.Content, b.info.Examples.Calls[e.Name].Answers[strconv.Itoa(status)])
		all[status] = openapi31.ResponseOrReference{Response: &r}
	}
	switch out.(type) {
	case api.NoContent:
		add(http.StatusNoContent, openapi31.Response{Description: "The call succeeded; the answer has no body."})
		return all, nil
	case api.Accepted:
		add(http.StatusAccepted, openapi31.Response{Description: "The report counts."})
		add(http.StatusNoContent, openapi31.Response{Description: "The report is ignored."})
		return all, nil
	}
	r := openapi31.Response{Description: http.StatusText(e.Status)}
	if e.Revalidates() {
		r.WithHeadersItem("ETag", header("Version of the result.", "string"))
		b.reflector.Spec.ComponentsEns().WithResponsesItem(notModified, openapi31.ResponseOrReference{
			Response: &openapi31.Response{Description: "The caller has the current version already."},
		})
		all[http.StatusNotModified] = responseRef(notModified)
	}
	if err := b.content(e, out, &r); err != nil {
		return nil, err
	}
	if len(e.Prices) > 0 {
		addReceipt(&r)
	}
	add(e.Status, r)
	return all, nil
}

// content describes the body of a result.
func (b *builder) content(e api.Endpoint, out any, r *openapi31.Response) error {
	for _, media := range e.Produces {
		r.WithContentItem(media, openapi31.MediaType{Schema: bodySchema(media)})
	}
	if s, ok := out.(api.Shapes); ok {
		shapes, err := b.schemas(s.Shapes())
		if err == nil {
			r.WithContentItem(jsonMedia, openapi31.MediaType{Schema: map[string]any{"anyOf": shapes}})
		}
		return err
	}
	if s, ok := out.(api.Schema); ok {
		out = s.Schema()
	} else if _, ok = out.(api.Reply); ok {
		return nil
	}
	schema, err := b.schema(out)
	if err == nil {
		r.WithContentItem(jsonMedia, openapi31.MediaType{Schema: schema})
	}
	return err
}

// textMedia matches the media types of results that are texts.
var textMedia = regexp.MustCompile(`^text/|xml$|mpegurl$`)

// bodySchema returns the schema of a result in a media type other than
// application/json. Generated clients read a body with a contentMediaType as bytes.
func bodySchema(media string) map[string]any {
	switch {
	case strings.HasSuffix(media, "+json"):
		return map[string]any{"type": "object"}
	case textMedia.MatchString(media):
		return map[string]any{"type": "string"}
	}
	return map[string]any{"type": "string", "contentMediaType": media}
}

// schema returns the schema of a value's type.
func (b *builder) schema(shape any) (map[string]any, error) {
	// The reflector describes a value only as part of an operation. The scratch
	// operation is deleted once the value is described.
	const scratch = "/scratch"
	oc, err := b.reflector.NewOperationContext(http.MethodGet, scratch)
	if err != nil {
		return nil, err
	}
	var got openapi31.Response
	oc.AddRespStructure(shape, openapi.WithHTTPStatus(http.StatusOK), openapi.WithContentType(jsonMedia),
		openapi.WithCustomize(func(cor openapi.ContentOrReference) {
			if ref, ok := cor.(*openapi31.ResponseOrReference); ok && ref.Response != nil {
				got = *ref.Response
			}
		}))
	if err := b.reflector.AddOperation(oc); err != nil {
		return nil, err
	}
	delete(b.reflector.Spec.Paths.MapOfPathItemValues, scratch)
	return got.Content[jsonMedia].Schema, nil
}

// addAnswers adds the further answers of e to its responses. A status that faults have
// too may have either body, and is then described here and not among the components.
func (b *builder) addAnswers(e api.Endpoint, responses map[int]openapi31.ResponseOrReference) error {
	for _, a := range e.Answers {
		r := openapi31.Response{Description: a.Doc}
		var bodies []any
		for _, f := range failures(e) {
			if f.status == a.Status {
				r = b.describeFailure(f)
				r.Description += " Or: " + a.Doc
				bodies = append(bodies, r.Content[jsonMedia].Schema)
			}
		}
		if a.Body != nil {
			schema, err := b.schema(a.Body)
			if err != nil {
				return err
			}
			if len(bodies) > 0 {
				schema = map[string]any{"anyOf": append(bodies, schema)}
			}
			r.WithContentItem(jsonMedia, openapi31.MediaType{Schema: schema, Examples: r.Content[jsonMedia].Examples})
		}
		if len(bodies) == 0 {
			addExamples(r.Content, b.info.Examples.Calls[e.Name].Answers[strconv.Itoa(a.Status)])
		}
		responses[a.Status] = openapi31.ResponseOrReference{Response: &r}
	}
	return nil
}

// parameter describes an input from the path, the query or a header.
func parameter(p input.Param, examples map[string]string) openapi31.ParameterOrReference {
	q := openapi31.Parameter{Name: p.Name, In: openapi31.ParameterIn(p.In), Schema: schemaOf(p)}
	q.WithDescription(p.Doc)
	if p.Required {
		q.WithRequired(true)
	}
	if value, ok := examples[p.Name]; ok {
		q.Example = new(valueOf(p, value))
	}
	return openapi31.ParameterOrReference{Parameter: &q}
}

// requestBody describes the body of a request to e: a JSON object of members, or
// raw bodies.
func (b *builder) requestBody(e api.Endpoint) (openapi31.RequestBodyOrReference, error) {
	body := openapi31.RequestBody{}
	if e.HasForm() {
		formBody(e, &body)
	} else if raws := e.RawBodies(); raws != nil {
		if err := b.rawBody(e, raws, &body); err != nil {
			return openapi31.RequestBodyOrReference{}, err
		}
	} else {
		objectBody(e, &body)
	}
	addExamples(body.Content, b.info.Examples.Calls[e.Name].Request)
	return openapi31.RequestBodyOrReference{RequestBody: &body}, nil
}

// formBody describes a form or a JSON object with the parameters of the query.
func formBody(e api.Endpoint, body *openapi31.RequestBody) {
	props, _ := members(e, "query")
	schema := map[string]any{"type": "object", "properties": props}
	body.WithContentItem(input.FormType, openapi31.MediaType{Schema: schema})
	body.WithContentItem(jsonMedia, openapi31.MediaType{Schema: schema})
}

// members returns the schemas of the inputs of e from a source by their names, and the
// names of those that are required.
func members(e api.Endpoint, source string) (props map[string]any, required []string) {
	props = map[string]any{}
	for _, p := range e.Params() {
		if p.In != source {
			continue
		}
		s := schemaOf(p)
		s["description"] = p.Doc
		props[p.Name] = s
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return props, required
}

// objectBody describes a JSON object of members.
func objectBody(e api.Endpoint, body *openapi31.RequestBody) {
	props, required := members(e, "body")
	schema := map[string]any{"type": "object", "properties": props}
	if len(required) > 0 {
		schema["required"] = required
		body.WithRequired(true)
	}
	body.WithContentItem(jsonMedia, openapi31.MediaType{Schema: schema})
}

// rawBody describes bodies that the handler receives unparsed: JSON of one of the
// shapes that e takes, and texts and files.
func (b *builder) rawBody(e api.Endpoint, raws []input.Raw, body *openapi31.RequestBody) error {
	if !slices.ContainsFunc(raws, func(r input.Raw) bool { return r.Empty }) {
		body.WithRequired(true)
	}
	for _, r := range raws {
		for _, media := range r.Media {
			schema := map[string]any{"description": r.Doc, "type": "string"}
			switch {
			case media == jsonMedia && len(e.Takes) == 0:
				schema["type"] = "object"
			case media == jsonMedia:
				shapes, err := b.schemas(e.Takes)
				if err != nil {
					return err
				}
				schema = map[string]any{"description": r.Doc, "anyOf": shapes}
			}
			body.WithContentItem(media, openapi31.MediaType{Schema: schema})
		}
	}
	return nil
}

// schemas returns the schemas of the types of values.
func (b *builder) schemas(values []any) ([]any, error) {
	var all []any
	for _, v := range values {
		schema, err := b.schema(v)
		if err != nil {
			return nil, err
		}
		all = append(all, schema)
	}
	return all, nil
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
	if p.Type == "boolean" && p.In != "query" {
		return p.Default == "1"
	}
	return valueOf(p, p.Default)
}

// valueOf returns the text of a parameter as a value of its type.
func valueOf(p input.Param, text string) any {
	if p.Type == "integer" || p.Type == "number" {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	return text
}
