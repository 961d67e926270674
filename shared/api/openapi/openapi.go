// Package openapi renders a table of endpoints as an OpenAPI 3.1 document: each
// operation with its inputs and their bounds, the shape of its result, and the
// body of each failure.
//
// The inputs are described from the plan that decodes them, so the two cannot
// disagree. The results are described from their Go types: a field without
// omitempty is required, and a pointer may be null. Responses that several operations
// share are components. The document is built once, when
// a process starts, and is the same for the same table: maps are written in the
// order of their keys.
package openapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
)

// An Info holds the parts of a document that the table does not have. All but the
// first four may be empty.
type Info struct {
	Title       string
	Description string
	Version     string // of the build
	BaseURL     string // of the service, without a trailing slash

	Tags     map[string]string   // descriptions of the groups of endpoints, in Markdown
	Names    map[string]string   // names of schemas, by the Go type with its package, such as store.Time
	Members  map[string]string   // descriptions of members whose Go fields have none, by name
	Enums    map[string][]string // values of members whose Go fields have none, by name
	Failure  any                 // the body of failures, a struct that embeds Failure; nil means Failure
	Examples Examples
}

// Document returns the OpenAPI 3.1.0 document of a table, in JSON. It returns an
// error when two endpoints have the same method and path, when an endpoint lacks a Name or has
// that of another, and when two types would have the same schema name.
func Document(info Info, table []api.Endpoint) ([]byte, error) {
	table = api.PerFile(table)
	b := newBuilder(info, table)
	named := map[string]bool{"": true}
	for _, e := range table {
		if named[e.Name] {
			return nil, fmt.Errorf("%s: the Name %q is empty or taken", e.Pattern(), e.Name)
		}
		named[e.Name] = true
		op, err := b.operation(e)
		if err == nil {
			err = b.reflector.Spec.AddOperation(e.Method, Path(e), op)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Pattern(), err)
		}
	}
	if err := b.addFailure(); err != nil {
		return nil, err
	}
	if b.clash != nil {
		return nil, b.clash
	}
	b.describe(table)
	return b.encode()
}

// encode returns the document without the schemas that nothing refers to: those of
// types that are described where they are used.
func (b *builder) encode() ([]byte, error) {
	for {
		text, err := json.MarshalIndent(b.reflector.Spec, "", " ")
		if err != nil {
			return nil, err
		}
		unused := 0
		for name := range b.reflector.Spec.ComponentsEns().Schemas {
			if !strings.Contains(string(text), `"#/components/schemas/`+name+`"`) {
				delete(b.reflector.Spec.Components.Schemas, name)
				unused++
			}
		}
		if unused == 0 {
			return text, nil
		}
	}
}

// templates rewrites the patterns of [http.ServeMux] as OpenAPI path templates.
var templates = strings.NewReplacer("{$}", "", "...}", "}")

// Path returns the path of e as an OpenAPI path template, which has neither the "{$}"
// nor the "..." of [http.ServeMux].
func Path(e api.Endpoint) string { return templates.Replace(e.Path) }

// describe fills in the parts of the document outside of its operations.
func (b *builder) describe(table []api.Endpoint) {
	s := b.reflector.Spec
	s.Openapi = "3.1.0"
	s.Info.Title, s.Info.Version, s.Info.Description = b.info.Title, b.info.Version, &b.info.Description
	s.Info.License = (&openapi31.License{}).WithName("MIT").WithIdentifier("MIT")
	s.Info.Contact = (&openapi31.Contact{}).WithName(b.info.Title).WithURL(b.info.BaseURL)
	s.WithServers(*(&openapi31.Server{}).WithURL(b.info.BaseURL))
	var groups []string
	for _, e := range table {
		if g := e.Group(); !slices.Contains(groups, g) {
			groups = append(groups, g)
			tag := openapi31.Tag{Name: g}
			if text := b.info.Tags[g]; text != "" {
				tag.WithDescription(text)
			}
			s.Tags = append(s.Tags, tag)
		}
	}
	if slices.ContainsFunc(table, func(e api.Endpoint) bool { return len(e.Prices) > 0 }) {
		s.ComponentsEns().WithSchemasItem(requirementName, requirement)
		s.WithMapOfAnythingItem("x-discovery", discovery(b.info, table))
	}
}

// operation describes one endpoint.
func (b *builder) operation(e api.Endpoint) (openapi31.Operation, error) {
	responses, err := b.success(e)
	if err != nil {
		return openapi31.Operation{}, err
	}
	example := b.info.Examples.Calls[e.Name]
	op := openapi31.Operation{Tags: []string{e.Group()}, Responses: &openapi31.Responses{}}
	op.WithID(e.Name).WithSummary(e.Summary).WithDescription(e.Doc)
	op.WithSecurity(b.security(e)...)
	for _, p := range append(unread(e), e.Params()...) {
		if p.In != "body" {
			op.Parameters = append(op.Parameters, parameter(p, example.Params))
		}
	}
	if e.HasBody() {
		body, err := b.requestBody(e)
		if err != nil {
			return op, err
		}
		op.WithRequestBody(body)
	}
	for _, f := range failures(e) {
		responses[f.status] = b.failure(f)
	}
	if err := b.addAnswers(e, responses); err != nil {
		return op, err
	}
	if e.Deprecated {
		op.WithDeprecated(true)
	}
	if len(e.Prices) > 0 {
		op.WithMapOfAnythingItem("x-payment-info", paymentInfo(e.Prices))
	}
	for status, r := range responses {
		op.Responses.WithMapOfResponseOrReferenceValuesItem(strconv.Itoa(status), r)
	}
	return op, nil
}

var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// unread lists the wildcards of e's path that no input reads. OpenAPI requires a
// parameter for each; their values do not change the result.
func unread(e api.Endpoint) (params []input.Param) {
	for _, m := range wildcard.FindAllStringSubmatch(Path(e), -1) {
		taken := func(p input.Param) bool { return p.In == "path" && p.Name == m[1] }
		if !slices.ContainsFunc(e.Params(), taken) {
			params = append(params, input.Param{
				Name: m[1], In: "path", Type: "string", Required: true, MaxLength: input.MaxText, Doc: "Any value; it is not read.",
			})
		}
	}
	return params
}

// header describes a response header.
func header(doc, typ string) openapi31.HeaderOrReference {
	h := (&openapi31.Header{}).WithDescription(doc).WithSchema(map[string]any{"type": typ})
	return openapi31.HeaderOrReference{Header: h}
}

// security lists the credentials that e accepts, of which a caller needs one, and
// adds them to the document.
func (b *builder) security(e api.Endpoint) []map[string][]string {
	var names []string
	switch {
	case e.Credential != "":
		names = []string{"operator"}
	case e.Auth == api.Guest, e.Speaker:
		names = []string{"guest", "key", "bearer", "session"}
	case e.Auth == api.Session:
		names = []string{"session"}
	}
	list := []map[string][]string{}
	if e.Credit {
		b.addScheme("credit", paymentSchemes["credit"])
		return append(list, map[string][]string{"credit": {}})
	}
	if e.Auth == api.None {
		list = append(list, map[string][]string{}) // no credential is needed
	}
	for _, name := range names {
		b.addScheme(name, schemes[name])
		list = append(list, map[string][]string{name: {}})
	}
	if len(e.Prices) > 0 {
		return b.paying(list)
	}
	return list
}

// addScheme adds a kind of credential to the document.
func (b *builder) addScheme(name string, s openapi31.SecuritySchemeOrReference) {
	b.reflector.Spec.ComponentsEns().WithSecuritySchemesItem(name, s)
}

// schemes describe the credentials by the names that security uses.
var schemes = map[string]openapi31.SecuritySchemeOrReference{
	"operator": scheme((&openapi31.SecurityScheme{}).
		WithDescription("Token of the operator.").
		WithHTTPBearer(openapi31.SecuritySchemeHTTPBearer{Scheme: "bearer"})),
	"guest": scheme((&openapi31.SecurityScheme{}).
		WithDescription("Token of a guest, also taken as a bearer token.").
		WithAPIKey(openapi31.SecuritySchemeAPIKey{In: openapi31.SecuritySchemeAPIKeyInHeader, Name: "X-Guest-Token"})),
	"key": scheme((&openapi31.SecurityScheme{}).
		WithDescription("API key of an account or an organization, also taken as a bearer token.").
		WithAPIKey(openapi31.SecuritySchemeAPIKey{In: openapi31.SecuritySchemeAPIKeyInHeader, Name: "X-Api-Key"})),
	"bearer": scheme((&openapi31.SecurityScheme{}).
		WithDescription("Token of a guest or API key.").
		WithHTTPBearer(openapi31.SecuritySchemeHTTPBearer{Scheme: "bearer"})),
	"session": scheme((&openapi31.SecurityScheme{}).
		WithDescription("Cookie of an account session. Writes also send the Origin of the service, and the token of GET " + api.BootstrapPath + " in X-CSRF-Token. " +
			"The header X-Organization names an organization that the account acts for.").
		WithAPIKey(openapi31.SecuritySchemeAPIKey{In: openapi31.SecuritySchemeAPIKeyInCookie, Name: "__Host-mm-auth"})),
}

// scheme wraps s in the type that the document takes.
func scheme(s *openapi31.SecurityScheme) openapi31.SecuritySchemeOrReference {
	return openapi31.SecuritySchemeOrReference{SecurityScheme: s}
}
