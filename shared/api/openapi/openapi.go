// Package openapi renders a table of endpoints as an OpenAPI 3.1 document: each
// operation with its inputs and their bounds, the shape of its result, and the
// body of each failure.
//
// The inputs are described from the plan that decodes them, so the two cannot
// disagree. The results are described from their Go types: a field without
// omitempty is required, and a pointer may be null. The document is built once, when
// a process starts, and is the same for the same table: maps are written in the
// order of their keys.
package openapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/fault"
)

// An Info holds the parts of a document that do not describe an endpoint.
type Info struct {
	Title       string
	Description string
	Version     string // of the build
	BaseURL     string // of the service, without a trailing slash
}

// Document returns the OpenAPI 3.1.0 document of a table, in JSON. It returns an
// error when two endpoints have the same method and path, when an endpoint lacks a Name or has
// that of another, and when two types would have the same schema name.
func Document(info Info, table []api.Endpoint) ([]byte, error) {
	b := newBuilder()
	for i, e := range table {
		if j := slices.IndexFunc(table, func(o api.Endpoint) bool { return o.Name == e.Name }); e.Name == "" || j < i {
			return nil, fmt.Errorf("%s: the Name %q is empty or taken", e.Pattern(), e.Name)
		}
		op, err := b.operation(e)
		if err == nil {
			err = b.reflector.Spec.AddOperation(e.Method, Path(e), op)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Pattern(), err)
		}
	}
	if b.clash != nil {
		return nil, b.clash
	}
	b.describe(info, table)
	return json.MarshalIndent(b.reflector.Spec, "", " ")
}

// Path returns the path of e as an OpenAPI path template, which has neither the "{$}"
// nor the "..." of [http.ServeMux].
func Path(e api.Endpoint) string {
	return strings.NewReplacer("{$}", "", "...}", "}").Replace(e.Path)
}

// describe fills in the parts of the document outside of its operations.
func (b *builder) describe(info Info, table []api.Endpoint) {
	s := b.reflector.Spec
	s.Openapi = "3.1.0"
	s.Info.Title, s.Info.Version, s.Info.Description = info.Title, info.Version, &info.Description
	s.Info.License = (&openapi31.License{}).WithName("MIT").WithIdentifier("MIT")
	s.Info.Contact = (&openapi31.Contact{}).WithName(info.Title).WithURL(info.BaseURL)
	s.WithServers(*(&openapi31.Server{}).WithURL(info.BaseURL))
	var groups []string
	for _, e := range table {
		if g := e.Group(); !slices.Contains(groups, g) {
			groups = append(groups, g)
			s.Tags = append(s.Tags, *(&openapi31.Tag{Name: g}).WithDescription("Endpoints of the function " + g + "."))
		}
	}
	s.ComponentsEns().WithSchemasItem("Error", errorSchema)
	if slices.ContainsFunc(table, func(e api.Endpoint) bool { return len(e.Prices) > 0 }) {
		s.ComponentsEns().WithSchemasItem(requirementName, requirement)
		s.WithMapOfAnythingItem("x-discovery", discovery(info, table))
	}
}

// errorSchema is the body of every failure.
var errorSchema = map[string]any{
	"type":        "object",
	"description": "The body of every failure. Some codes have further members.",
	"required":    []string{"error", "message"},
	"properties": map[string]any{
		"error":   map[string]any{"type": "string", "description": "The code of the failure, for programs."},
		"message": map[string]any{"type": "string", "description": "One sentence in the caller's language, for people."},
		"param":   map[string]any{"type": "string", "description": "The parameter or body member that is wrong."},
		"reason":  map[string]any{"type": "string", "description": "The reason for the refusal, for programs."},
		"bound":   map[string]any{"description": "The limit that was exceeded, or the list of allowed values."},
		"gone":    map[string]any{"type": "object", "description": "Fate of a channel that is known but not shown: channel_id, name, country, kind, reason, since, replaced_by."},
	},
}

// operation describes one endpoint.
func (b *builder) operation(e api.Endpoint) (openapi31.Operation, error) {
	responses, err := b.success(e)
	if err != nil {
		return openapi31.Operation{}, err
	}
	op := openapi31.Operation{Tags: []string{e.Group()}, Responses: &openapi31.Responses{}}
	op.WithID(e.Name).WithSummary(e.Summary).WithDescription(e.Doc)
	op.WithSecurity(b.security(e)...)
	for _, p := range append(unread(e), e.Params()...) {
		if p.In != "body" {
			op.Parameters = append(op.Parameters, parameter(p))
		}
	}
	if e.HasBody() {
		op.WithRequestBody(requestBody(e))
	}
	for status, r := range failures(e) {
		responses[status] = r
	}
	if e.Deprecated {
		op.WithDeprecated(true)
	}
	if len(e.Prices) > 0 {
		op.WithMapOfAnythingItem("x-payment-info", paymentInfo(e.Prices))
	}
	for status, r := range responses {
		op.Responses.WithMapOfResponseOrReferenceValuesItem(strconv.Itoa(status), openapi31.ResponseOrReference{Response: &r})
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

// failures describes the responses of e to its faults, by status.
func failures(e api.Endpoint) map[int]openapi31.Response {
	codes := map[int][]string{}
	for _, f := range e.AllFaults() {
		status := api.Status(f.Kind)
		if !slices.Contains(codes[status], f.Code) {
			codes[status] = append(codes[status], f.Code)
		}
	}
	all := map[int]openapi31.Response{}
	for status, list := range codes {
		slices.Sort(list)
		members := map[string]any{"error": map[string]any{"type": "string", "enum": list}}
		schema := map[string]any{"allOf": []any{
			map[string]any{"$ref": "#/components/schemas/Error"},
			map[string]any{"type": "object", "properties": members},
		}}
		r := openapi31.Response{Description: http.StatusText(status) + ": " + strings.Join(list, ", ")}
		if len(e.Prices) > 0 && status == api.Status(fault.Unpaid) {
			addTerms(&r, members)
		}
		r.WithContentItem("application/json", openapi31.MediaType{Schema: schema})
		if status == api.Status(fault.Limited) {
			r.WithHeadersItem("Retry-After", header("Seconds to wait before the next try.", "integer"))
		}
		all[status] = r
	}
	return all
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
		names = []string{"guest", "key", "session"}
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
	"session": scheme((&openapi31.SecurityScheme{}).
		WithDescription("Cookie of an account session. Writes also send the Origin of the service, and the token of GET " + api.BootstrapPath + " in X-CSRF-Token. " +
			"The header X-Organization names an organization that the account acts for.").
		WithAPIKey(openapi31.SecuritySchemeAPIKey{In: openapi31.SecuritySchemeAPIKeyInCookie, Name: "__Host-mm-auth"})),
}

// scheme wraps s in the type that the document takes.
func scheme(s *openapi31.SecurityScheme) openapi31.SecuritySchemeOrReference {
	return openapi31.SecuritySchemeOrReference{SecurityScheme: s}
}
