package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
)

// The responses to faults are described by status, each with the codes that it may
// have. Responses that several operations share are components, named after their
// codes. The body of every one is the schema Error, narrowed to those codes.

// A Failure is the body of every response to a fault. A service whose faults have
// more members describes them by a struct that embeds this one (see Info.Failure).
type Failure struct {
	Error   string `json:"error" description:"Code of the failure, for programs."`
	Message string `json:"message" description:"One sentence in the caller's language, for people."`
	Param   string `json:"param,omitempty" description:"Name of the parameter or body member that is wrong."`
	Reason  string `json:"reason,omitempty" description:"Reason for the refusal, for programs. Of a 503 it is storage_full or read_only (nothing is saved now, reads succeed), busy (too many requests wait for the same part) or starting; absent where the reason is not known."`
	Bound   Bound  `json:"bound,omitempty" description:"Limit that was exceeded, or the allowed values."`
}

// A Bound is a number, a text or a list of texts.
type Bound struct{}

// JSONSchemaBytes returns the schema of a bound.
func (Bound) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"anyOf":[{"type":"number"},{"type":"string"},{"type":"array","items":{"type":"string"}}]}`), nil
}

const (
	errorName   = "Error"
	notModified = "NotModified"
)

// A failure is the response to the faults of one status.
type failure struct {
	status int
	faults []*fault.Error // in the order of their codes, each code once
	paid   bool           // with terms of payment
}

// failures returns the responses of e to its faults.
func failures(e api.Endpoint) (all []failure) {
	by := map[int][]*fault.Error{}
	for _, f := range e.AllFaults() {
		status := api.Status(f.Kind)
		if !slices.ContainsFunc(by[status], func(o *fault.Error) bool { return o.Code == f.Code }) {
			by[status] = append(by[status], f)
		}
	}
	for status, list := range by {
		slices.SortFunc(list, func(a, b *fault.Error) int { return strings.Compare(a.Code, b.Code) })
		all = append(all, failure{status, list, len(e.Prices) > 0 && status == api.Status(fault.Unpaid)})
	}
	return all
}

// codes lists the codes of f.
func (f failure) codes() (codes []string) {
	for _, one := range f.faults {
		codes = append(codes, one.Code)
	}
	return codes
}

// component returns the name of f as a component: its codes, such as
// InvalidBodyOrInvalidRequest.
func (f failure) component() string {
	var words []string
	for _, code := range f.codes() {
		word := ""
		for part := range strings.SplitSeq(code, "_") {
			word += capital(part)
		}
		words = append(words, word)
	}
	return strings.Join(words, "Or")
}

// countFailures counts for each response to faults the operations that have it.
func countFailures(table []api.Endpoint) map[string]int {
	n := map[string]int{}
	for _, e := range table {
		for _, f := range failures(e) {
			n[f.component()]++
		}
	}
	return n
}

// failure returns the response to the faults of f: a reference to a component when
// other operations have it too.
func (b *builder) failure(f failure) openapi31.ResponseOrReference {
	r := openapi31.ResponseOrReference{Response: new(b.describeFailure(f))}
	name := f.component()
	if b.shared[name] < 2 {
		return r
	}
	b.reflector.Spec.ComponentsEns().WithResponsesItem(name, r)
	return responseRef(name)
}

// responseRef returns a reference to a response in the components.
func responseRef(name string) openapi31.ResponseOrReference {
	return openapi31.ResponseOrReference{Reference: &openapi31.Reference{Ref: "#/components/responses/" + name}}
}

// describeFailure describes the response to the faults of f.
func (b *builder) describeFailure(f failure) openapi31.Response {
	members := map[string]any{"error": map[string]any{"type": "string", "enum": f.codes(), "description": "Code of the failure, for programs."}}
	r := openapi31.Response{Description: http.StatusText(f.status) + ": " + strings.Join(f.codes(), ", ") + "."}
	if f.paid {
		addTerms(&r, members)
	}
	r.WithContentItem(jsonMedia, openapi31.MediaType{
		Schema: map[string]any{"allOf": []any{
			map[string]any{"$ref": "#/components/schemas/" + errorName},
			map[string]any{"type": "object", "properties": members},
		}},
		Examples: b.failureExamples(f),
	})
	if f.status == api.Status(fault.Limited) || f.status == api.Status(fault.Unavailable) {
		r.WithHeadersItem("Retry-After", header("Seconds to wait before the next try.", "integer"))
	}
	return r
}

// failureExamples returns an example for each code of f, with the further members
// that an answer of the tests had.
func (b *builder) failureExamples(f failure) map[string]openapi31.ExampleOrReference {
	all := map[string]openapi31.ExampleOrReference{}
	for _, one := range f.faults {
		value := map[string]any{"error": one.Code}
		for name, member := range b.info.Examples.Failures[one.Code] {
			value[name] = member
			one = one.With(name, member)
		}
		value["message"] = api.Message(i18n.EN, one)
		all[one.Code] = openapi31.ExampleOrReference{Example: (&openapi31.Example{}).WithValue(value)}
	}
	return all
}

// addFailure describes the body of responses to faults.
func (b *builder) addFailure() error {
	var shape any = Failure{}
	if b.info.Failure != nil {
		shape = b.info.Failure
	}
	schema, err := b.schema(shape)
	if err != nil {
		return err
	}
	s := b.reflector.Spec.ComponentsEns()
	name := strings.TrimPrefix(schema["$ref"].(string), "#/components/schemas/")
	body := s.Schemas[name]
	delete(s.Schemas, name)
	body["description"] = "Body of every failure. Some codes have further members."
	s.WithSchemasItem(errorName, body)
	return nil
}
