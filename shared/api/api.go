// Package api declares the endpoints of the service.
//
// An [Endpoint] is the only description of a route. The dispatcher, the
// decoding and validation of inputs, the index at GET /api/, the OpenAPI
// document and the API tests are all computed from one table of endpoints.
//
// A handler is a method (ctx, In) (Out, error). In is a struct whose tags name
// the source of each field (see package input). Out is sent as JSON unless it
// implements [Reply]. An error is answered in one place, as
//
//	{"error": code, "message": sentence in the caller's language, ...fields}
//
// with the status of its [fault.Kind].
//
// Package request serves a table of endpoints over HTTP. [Gate.Invoke] runs one
// endpoint for a caller that did not send an HTTP request to it.
package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/price"
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

// A Cache is the Cache-Control value of an endpoint's answers. The zero Cache is
// [NoStore]. Errors are never stored.
type Cache string

// Cache policies.
const (
	NoStore    Cache = "no-store"
	Private    Cache = "private"  // differs by caller; a browser may keep it to revalidate
	Revalidate Cache = "no-cache" // kept, and revalidated before each use
	Immutable  Cache = "public, max-age=31536000, immutable"
)

// Public lets every cache keep an answer for as long as age, in seconds.
func Public(age time.Duration) Cache {
	return Cache("public, max-age=" + strconv.Itoa(int(age/time.Second)))
}

// DefaultMaxBody is the limit of the request body, in bytes, of an endpoint
// that sets none.
const DefaultMaxBody = 64 << 10

// DescriptionPath is where the OpenAPI description of the API is.
const DescriptionPath = "/openapi.json"

// OperatorDescriptionPath is where the OpenAPI description of the operator's endpoints
// is.
const OperatorDescriptionPath = "/openapi-operator.json"

// HealthPath is where every process of the service reports its health.
const HealthPath = "/api/health"

// MCPPath is where the API is served as tools of the Model Context Protocol.
const MCPPath = "/mcp"

// BootstrapPath is where pages of the service get their CSRF token.
const BootstrapPath = "/api/auth/bootstrap"

// Ends of the paths of endpoints, in the syntax of [http.ServeMux].
const (
	Root = "/{$}"  // matches a slash and nothing after it; alone, the root of a host
	ByID = "/{id}" // after the path of a collection: the thing that the field id of the input names
)

// An Endpoint is one operation of the API.
type Endpoint struct {
	// Name is a verb phrase in snake_case, such as search_channels, unlike that of any
	// other endpoint: its operationId, and its name as a tool. Pages have none.
	Name string

	Method  string
	Path    string // in the syntax of [http.ServeMux], such as /api/channels/{id}
	Auth    Auth
	Summary string         // what it does, an imperative of three to eight words such as "Add a favorite", unlike that of any other
	Doc     string         // one to three sentences: what it returns, costs and changes, and when not to use it
	Tool    bool           // it is an MCP tool
	Faults  []*fault.Error // failures beyond those that Auth and the input imply
	Cache   Cache

	Status     int      // of success; 0 means 200
	MaxBody    int64    // bytes; 0 means DefaultMaxBody
	Produces   []string // media types of a result that is not JSON
	Expose     []string // answer headers that scripts of other origins may read
	SameOrigin bool     // no CORS, although anyone may call it
	Speaker    bool     // of Auth None: a valid Guest credential identifies the caller; an invalid one is treated as absent
	GuestFirst bool     // a guest token in X-Guest-Token decides before the account cookie, unless the session is over
	Lenient    bool     // a request that does not decode is no fault: the handler gets the input's defaults
	Uncrawled  bool     // search engines must not show its answers, as those of any endpoint below the index of the API
	Repeatable bool     // of a POST: repeating a call changes nothing more
	FromPage   bool     // only a page of the service may call it, which the token of GET /api/auth/bootstrap proves, also without a session
	Deprecated bool     // it is retired: it stays, so that old callers are answered, and new ones should not call it
	Page       bool     // for people, not part of the API: it answers browsers in HTML, and so do its faults where the process has a page for them

	// Brief lists the members of the result that an agent gets from the tool unless it
	// asks for others, as paths such as items.id with blanks between them; empty means
	// all.
	Brief string

	// Credential is the name of the operator's token that an Operator endpoint asks
	// for; empty means CatalogToken. An endpoint of Auth None that has one answers
	// operators more than others: its handler calls CheckOperator when it is asked
	// for that.
	Credential string

	// Files are the files that a GET serves below a path that ends in [FileWildcard].
	Files []File

	// Takes are values of the shapes that a raw body in JSON may have; see RawBodies.
	Takes []any

	// Budget limits how often an owner and a network may call e. A write of Auth Guest or
	// Session without one draws on [budget.Writes].
	Budget *budget.Budget

	// Prices are the products that a call of e may be asked to pay for, the default
	// first. The terms of its 402 and its description derive from them.
	Prices []price.Product

	// Credit means that e is about the credit that the request shows, without which
	// its handler refuses the call. It goes with Auth None.
	Credit bool

	// Answers are those that neither the result nor the faults describe, such as those
	// of another protocol.
	Answers []Answer

	in, out reflect.Type
	group   string
	plan    *input.Plan
	run     func(ctx context.Context, server any, from Source) (any, error)
}

// An Answer is one status with which an endpoint may answer.
type Answer struct {
	Status int
	Doc    string
	Body   any // a value of the type of its JSON body; nil when it has no body
}

// A Source fills the input of an endpoint, such as from an HTTP request. Its
// errors are faults.
type Source interface {
	// Decode fills v, a copy of the plan's preset. The body of the request may
	// have at most limit bytes.
	Decode(plan *input.Plan, v reflect.Value, limit int64) error
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

// Shapes is a Reply that writes JSON of the shape of one of the values that Shapes returns;
// it may be called on the zero value.
type Shapes interface {
	Shapes() []any
}

// Tagged is a result with a version of its own. When the caller has that version
// already the answer is 304.
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

// Accepted is the result of an endpoint that takes a report without saying more of it:
// 202 when the report counts and 204 when it is ignored, both without a body.
type Accepted bool

// Reply writes the status.
func (a Accepted) Reply(w http.ResponseWriter, _ *http.Request) error {
	status := http.StatusNoContent
	if a {
		status = http.StatusAccepted
	}
	w.WriteHeader(status)
	return nil
}

// Bind returns e served by h, a method of the group's server S. It panics when
// the tags of In are invalid or e is incomplete: any test of a table that holds
// e finds that.
func Bind[S, In, Out any](h func(S, context.Context, In) (Out, error), e Endpoint) Endpoint {
	plan, err := input.Compile(reflect.TypeFor[In](), e.Path)
	if err == nil {
		err = e.complete()
	}
	if err == nil {
		err = e.checkFiles(plan)
	}
	if err != nil {
		panic(fmt.Sprintf("api: %s %s: %v", e.Method, e.Path, err))
	}
	e.in, e.out, e.plan = reflect.TypeFor[In](), reflect.TypeFor[Out](), plan
	e.group = groupOf(reflect.TypeFor[S]())
	if absent := e.notFound(); absent != nil {
		plan.RefusePath(absent)
	}
	preset := plan.Preset().(In)
	limit, lenient := e.MaxBody, e.Lenient
	e.run = func(ctx context.Context, server any, from Source) (any, error) {
		in := preset
		if err := from.Decode(plan, reflect.ValueOf(&in).Elem(), limit); err != nil {
			if !lenient {
				return nil, err
			}
			in = preset
		}
		return h(server.(S), ctx, in)
	}
	return e
}

// notFound returns the first fault that e declares for what its path does not name;
// nil when it declares none.
func (e *Endpoint) notFound() *fault.Error {
	for _, f := range e.Faults {
		if f.Kind == fault.NotFound {
			return f
		}
	}
	return nil
}

// refusesInput reports whether some parameter of e may be refused as invalid.
func (e *Endpoint) refusesInput() bool {
	return slices.ContainsFunc(e.plan.Params, func(p input.Param) bool { return p.In != "path" || e.notFound() == nil })
}

// Run decodes the input of e from a source and calls its handler on the group's
// server. The caller must have been admitted (see [Gate.Admit]).
func (e *Endpoint) Run(ctx context.Context, server any, from Source) (any, error) {
	return e.run(ctx, server, from)
}

// CrossOrigin reports whether scripts of any origin may call e, without
// credentials of the browser. They may not call what acts on the account
// cookie, nor the operator's endpoints, which no page calls.
func (e *Endpoint) CrossOrigin() bool {
	return !e.SameOrigin && !e.FromPage && !e.Page && (e.Auth == None || e.Auth == Guest)
}

// underIndex is the prefix of the paths of the API; alone it is the path of its index.
var underIndex = strings.TrimSuffix(HealthPath, path.Base(HealthPath))

// Crawled reports whether search engines may show the answers of e: pages, documents and
// the index of the API, as robots.txt says too.
func (e *Endpoint) Crawled() bool {
	return !e.Uncrawled && (!strings.HasPrefix(e.Path, underIndex) || strings.HasSuffix(e.Path, Root))
}

// Revalidates reports whether the answers of e have a version, so that a caller that
// has it is answered 304.
func (e *Endpoint) Revalidates() bool {
	return e.Method == http.MethodGet && e.Status == http.StatusOK && e.Cache != NoStore
}

// Writes reports whether a call of e may change something.
func (e *Endpoint) Writes() bool { return e.Method != http.MethodGet && e.Method != http.MethodHead }

// errFiles says how the field Files must be.
var errFiles = errors.New("the field Files needs the Method GET, a Path that ends in /{file}, an input of that name, " +
	"and for each file a Name, Segment, Media, Summary and Doc, and a Wildcard if its Segment has one")

// snakeCase matches the name of an endpoint.
var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// complete sets the defaults of e, or returns why its fields contradict each other.
func (e *Endpoint) complete() error {
	if e.Method == "" || e.Path == "" || e.Auth == "" || e.Summary == "" || e.Doc == "" {
		return errors.New("an endpoint needs a Method, Path, Auth, Summary and Doc")
	}
	if e.Tool && e.Name == "" {
		return errors.New("a tool needs a Name")
	}
	if e.Name != "" && !snakeCase.MatchString(e.Name) {
		return fmt.Errorf("the Name %q must be words in lower case with underscores between them", e.Name)
	}
	e.Cache = cmp.Or(e.Cache, NoStore)
	e.Status = cmp.Or(e.Status, http.StatusOK)
	e.MaxBody = cmp.Or(e.MaxBody, DefaultMaxBody)
	if len(e.Prices) > 0 {
		e.Expose = append(e.Expose, "PAYMENT-REQUIRED", "PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE")
	}
	if e.Budget == nil && e.Writes() && (e.Auth == Guest || e.Auth == Session) {
		e.Budget = budget.Writes
	}
	if e.Auth == Operator {
		e.Credential = cmp.Or(e.Credential, CatalogToken)
	}
	return e.checkCallers()
}

// checkCallers returns why the fields about callers contradict each other.
func (e *Endpoint) checkCallers() error {
	switch {
	case e.Speaker && (e.Auth != None || strings.HasPrefix(string(e.Cache), "public")):
		return errors.New("the field Speaker needs Auth None and a Cache that is not public")
	case e.Credit && (e.Auth != None || e.Speaker):
		return errors.New("the field Credit needs Auth None, without Speaker")
	case e.Credential != "" && (e.Auth == Guest || e.Auth == Session || e.Speaker):
		return errors.New("the field Credential needs Auth Operator, or Auth None without Speaker")
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

// Paths returns the paths that e answers, in the syntax of [http.ServeMux]. Where its path
// begins with a parameter that has an enumeration, such as the format of an answer, there is
// one for each of the values, so that other endpoints may have other first segments.
func (e Endpoint) Paths() []string {
	p := e.First()
	if p == nil {
		return []string{e.Path}
	}
	rest := strings.TrimPrefix(e.Path, "/{"+p.Name+"}")
	paths := make([]string, len(p.Enum))
	for i, value := range p.Enum {
		paths[i] = "/" + value + rest
	}
	return paths
}

// First returns the parameter with an enumeration with which the path of e begins; nil
// when it begins with none.
func (e Endpoint) First() *input.Param {
	if e.plan == nil || !strings.HasPrefix(e.Path, "/{") {
		return nil
	}
	for i, p := range e.plan.Params {
		if p.In == "path" && p.Enum != nil && strings.HasPrefix(e.Path[2:], p.Name+"}") {
			return &e.plan.Params[i]
		}
	}
	return nil
}

// Group returns the name of the function that e belongs to.
func (e Endpoint) Group() string { return e.group }

// Input returns the type of e's input.
func (e Endpoint) Input() reflect.Type { return e.in }

// Output returns the type of e's result.
func (e Endpoint) Output() reflect.Type { return e.out }

// Params lists the inputs of e, in the order of the fields that hold them.
func (e Endpoint) Params() []input.Param { return e.plan.Params }

// HasQuery reports whether the query of e may hold a parameter.
func (e Endpoint) HasQuery(name string) bool { return e.plan.Has(name) }

// HasBody reports whether e reads a request body.
func (e Endpoint) HasBody() bool { return e.plan.Body }

// HasForm reports whether the request body of e may have the parameters of its query.
func (e Endpoint) HasForm() bool { return e.plan.Form }

// RawBodies lists the bodies that e takes as they are; none when it reads a
// JSON object.
func (e Endpoint) RawBodies() []input.Raw { return e.plan.Raws }
