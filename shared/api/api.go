// Package api knows how an endpoint is declared and how it is served.
//
// An [Endpoint] is the only description of a route. The dispatcher, the
// decoding and validation of inputs, the index at GET /api/, the OpenAPI
// document and the API tests are all computed from one table of endpoints.
//
// A handler is a method (ctx, In) (Out, error). In is a struct whose fields
// say where they come from (see package input). Out is sent as JSON unless it
// implements [Reply]. An error is answered in one place, as
//
//	{"error": code, "message": sentence in the caller's language, ...fields}
//
// with the status of its [fault.Kind].
package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/fault"
)

// Auth is the credential that an endpoint asks for.
type Auth string

// The classes of the interface.
const (
	None     Auth = "none"
	Guest    Auth = "guest"    // guest token or account session
	Session  Auth = "session"  // account cookie
	Operator Auth = "operator" // bearer operator token
)

// Names of the operator's tokens, as [Endpoint.Credential] says them.
const (
	CatalogToken = "CATALOGO_TOKEN"
	MetricsToken = "METRICS_TOKEN"
)

// A Cache is what an answer of an endpoint tells caches: a Cache-Control
// value. The zero Cache is [NoStore]. Errors are never stored.
type Cache string

// Cache policies.
const (
	NoStore    Cache = "no-store"
	Private    Cache = "private"  // differs by caller; a browser may keep it to revalidate
	Revalidate Cache = "no-cache" // kept, but asked about each time
	Immutable  Cache = "public, max-age=31536000, immutable"
)

// Public lets every cache keep an answer for as long as age, in seconds.
func Public(age time.Duration) Cache {
	return Cache("public, max-age=" + strconv.Itoa(int(age/time.Second)))
}

// DefaultMaxBody is the greatest request body of an endpoint that sets no
// limit of its own, in bytes.
const DefaultMaxBody = 64 << 10

// DescriptionPath is where the OpenAPI description of the API is.
const DescriptionPath = "/openapi.json"

// HealthPath is where every server of the service says that it answers.
const HealthPath = "/api/health"

// An Endpoint is one operation of the API.
type Endpoint struct {
	Method string
	Path   string // in the syntax of [http.ServeMux], such as /api/channels/{id}
	Auth   Auth
	Doc    string         // what it returns, in one sentence
	Tool   string         // its name as an MCP tool; empty when it is not one
	Faults []*fault.Error // failures beyond those that Auth and its input imply
	Cache  Cache

	Status     int      // of success; 0 means 200
	MaxBody    int64    // bytes; 0 means DefaultMaxBody
	Produces   []string // media types of a result that is not JSON
	Expose     []string // answer headers that scripts of other origins may read
	SameOrigin bool     // no CORS, although anyone may call it
	Speaker    bool     // of Auth None: a good Guest credential tells who calls; a bad one is as none
	Page       bool     // for people, and no part of the API: it answers in HTML, and so do its faults, to browsers, where [Options.FaultPage] is set
	Credential string   // which token an Operator endpoint asks for; empty means CatalogToken

	in, out reflect.Type
	group   string
	plan    *input.Plan
	serve   func(server any, c *call) (any, error)
}

// A Reply is a result that writes itself, such as a playlist, an image, a
// redirect or JSON that is already rendered. It may use [Write], [WriteJSON]
// and [Redirect]. An error that it returns before it wrote anything is
// answered as any other.
type Reply interface {
	Reply(http.ResponseWriter, *http.Request) error
}

// A Schema is a Reply that writes JSON of the shape that the value Schema
// returns would have; it may be called on the zero value.
type Schema interface {
	Schema() any
}

// Tagged is a result with a version. When the caller has that version already
// the answer is 304 and the result is not encoded.
type Tagged interface {
	ETag() string // without quotes; empty means that there is none
}

// NoContent is the result of an endpoint that answers 204 without a body.
type NoContent struct{}

// Reply writes status 204.
func (NoContent) Reply(w http.ResponseWriter, _ *http.Request) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Bind returns e served by h, a method of the group's server S. It panics when
// the tags of In make no sense or e is incomplete, which the first test of any
// table that holds e finds.
func Bind[S, In, Out any](h func(S, context.Context, In) (Out, error), e Endpoint) Endpoint {
	plan, err := input.Compile(reflect.TypeFor[In](), e.Path)
	if err == nil {
		err = e.complete()
	}
	if err != nil {
		panic(fmt.Sprintf("api: %s %s: %v", e.Method, e.Path, err))
	}
	e.in, e.out, e.plan = reflect.TypeFor[In](), reflect.TypeFor[Out](), plan
	e.group = groupOf(reflect.TypeFor[S]())
	preset := plan.Preset().(In)
	e.serve = func(server any, c *call) (any, error) {
		in := preset
		if err := c.decode(reflect.ValueOf(&in).Elem()); err != nil {
			return nil, err
		}
		return h(server.(S), c, in)
	}
	return e
}

func (e *Endpoint) complete() error {
	if e.Method == "" || e.Path == "" || e.Auth == "" || e.Doc == "" {
		return errors.New("a method, path, credential or sentence is missing")
	}
	if e.Cache == "" {
		e.Cache = NoStore
	}
	if e.Status == 0 {
		e.Status = http.StatusOK
	}
	if e.MaxBody == 0 {
		e.MaxBody = DefaultMaxBody
	}
	if e.Speaker && (e.Auth != None || strings.HasPrefix(string(e.Cache), "public")) {
		return errors.New("a speaker is told apart where a credential is needed, or the answer is for all caches")
	}
	if e.Auth == Operator && e.Credential == "" {
		e.Credential = CatalogToken
	}
	return nil
}

// groupOf names the function that a server belongs to: its package.
func groupOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return path.Base(t.PkgPath())
}

// Pattern returns the method and path of e as [http.ServeMux] takes them.
func (e Endpoint) Pattern() string { return e.Method + " " + e.Path }

// Group returns the name of the function that e belongs to.
func (e Endpoint) Group() string { return e.group }

// Input returns the type of e's input.
func (e Endpoint) Input() reflect.Type { return e.in }

// Output returns the type of e's result.
func (e Endpoint) Output() reflect.Type { return e.out }

// Params lists the inputs of e, in the order of the fields that hold them.
func (e Endpoint) Params() []input.Param { return e.plan.Params }

// HasBody reports whether e reads a request body.
func (e Endpoint) HasBody() bool { return e.plan.Body }

// RawBodies lists the bodies that e takes as they are; none when it reads a
// JSON object.
func (e Endpoint) RawBodies() []input.Raw { return e.plan.Raws }
