package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"

	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
)

// An endpoint can be called by its arguments alone, as an agent calls a tool.
// Invoke writes the arguments into the request that a program would send (path,
// query and body), so that there is one way to decode and validate inputs, and
// one way to write a result. No connection is involved.

// A Caller is the caller of an endpoint that is invoked by its arguments.
type Caller struct {
	Credentials    identity.Credentials // not verified: the [Gate] does that
	Browser        identity.Browser     // likewise
	Addr           netip.Addr           // zero when it is not known
	Country        string               // ISO 3166-1 alpha-2; empty when it is not known
	UserAgent      string
	Locale         i18n.Locale // of texts, unless the argument lang names another
	AcceptLanguage string
	RequestID      string // of the request that led to the call, for the log
}

// CallerOf returns the caller of the request in ctx; the zero Caller outside of
// one. An endpoint that invokes others, such as a tool server, passes it on.
func CallerOf(ctx context.Context) Caller {
	r, ok := requestOf(ctx)
	if !ok {
		return Caller{}
	}
	return Caller{
		Credentials: r.Credentials(), Browser: r.Browser(), Addr: r.Addr(), Country: r.Country(), UserAgent: r.UserAgent(),
		Locale: r.Locale(), AcceptLanguage: r.AcceptLanguage(), RequestID: r.ID(),
	}
}

// A Result is the answer of an invoked endpoint: the status, the headers that
// its handler set, and a body that is not compressed.
type Result struct {
	Status int
	Header http.Header
	Body   []byte
}

// Arguments of endpoints that take a whole body (see [input.Raw]).
const (
	bodyArgument = "body"       // the text of the body
	typeArgument = "media_type" // its media type; the first that the endpoint takes when it is absent
)

// Invoke runs e on its group's server for a caller, with arguments that are a
// JSON object with the endpoint's inputs by name; none when it is empty. A flag
// may be a boolean or "0" and "1", as in a query; unknown arguments are ignored.
//
// It returns the fault that an HTTP request with these inputs would be answered
// with: of the credentials first, then of the inputs, then of the handler. A
// panic of the handler is passed on. Nothing is logged.
func (g *Gate) Invoke(ctx context.Context, e Endpoint, server any, arguments json.RawMessage, caller Caller) (*Result, error) {
	i := &invocation{Context: ctx, caller: caller, gate: g}
	admitted, err := g.Admit(ctx, &e, i)
	if err != nil {
		return nil, err
	}
	i.Context = admitted
	r, err := e.newRequest(i, arguments)
	if err != nil {
		return nil, err
	}
	if l, ok := i18n.Find(r.URL.Query().Get("lang")); ok && e.HasQuery("lang") {
		i.caller.Locale = l
	}
	result, err := e.Run(i, server, invoked{r})
	if err != nil {
		return nil, err
	}
	w := &recorder{Result: Result{Header: http.Header{}}}
	if err := Send(w, r, e.Status, result); err != nil {
		return nil, err
	}
	w.WriteHeader(http.StatusOK) // unless the result wrote a status
	w.Header().Del("Content-Length")
	return &w.Result, nil
}

// newRequest returns the HTTP request that sends arguments to e.
func (e *Endpoint) newRequest(ctx context.Context, arguments json.RawMessage) (*http.Request, error) {
	if limit := e.MaxBody + input.MaxQuery; int64(len(arguments)) > limit {
		return nil, fault.ErrBodyTooLarge.With("bound", limit)
	}
	var members map[string]json.RawMessage
	if len(arguments) > 0 {
		var err error
		if members, err = input.Object(arguments); err != nil {
			return nil, err
		}
	}
	r := (&http.Request{Method: e.Method, Header: http.Header{}, Body: http.NoBody}).WithContext(ctx)
	if err := e.setParams(r, members); err != nil {
		return nil, err
	}
	return r, e.setBody(r, members)
}

// setParams sets the path, the query and the headers of r. A null is an absent
// argument.
func (e *Endpoint) setParams(r *http.Request, arguments map[string]json.RawMessage) error {
	wildcards, query := []string{"{$}", ""}, url.Values{}
	for _, p := range e.plan.Params {
		argument, ok := arguments[p.Name]
		if p.In == "body" || !ok || string(argument) == "null" {
			continue
		}
		text, err := textOf(p, argument)
		if err != nil {
			return err
		}
		switch p.In {
		case "path":
			r.SetPathValue(p.Name, text)
			wildcards = append(wildcards, "{"+p.Name+"}", text, "{"+p.Name+"...}", text)
		case "query":
			query.Set(p.Name, text)
		case "header":
			r.Header.Set(p.Name, text)
		}
	}
	r.URL = &url.URL{Path: strings.NewReplacer(wildcards...).Replace(e.Path), RawQuery: query.Encode()}
	return nil
}

// textOf returns an argument as a path, query or header holds it.
func textOf(p input.Param, argument json.RawMessage) (string, error) {
	switch c := argument[0]; {
	case c == '"':
		var text string
		err := json.Unmarshal(argument, &text)
		return text, err // a string of an object that was parsed: there is no error
	case c == '-' || '0' <= c && c <= '9':
		return string(argument), nil
	case p.Type == "boolean" && c == 't':
		return "1", nil
	case p.Type == "boolean" && c == 'f':
		return "0", nil
	}
	return "", fault.ErrInvalid.With("param", p.Name).With("reason", "wrong_type")
}

// setBody sets the body of r: an object of the members that e reads, or the text
// that it takes whole.
func (e *Endpoint) setBody(r *http.Request, arguments map[string]json.RawMessage) error {
	body, media, err := e.jsonBody(arguments)
	if len(e.plan.Raws) > 0 {
		body, media, err = e.rawBody(arguments)
	}
	if err != nil || len(body) == 0 {
		return err
	}
	r.Header.Set("Content-Type", media)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}

func (e *Endpoint) jsonBody(arguments map[string]json.RawMessage) (body []byte, media string, err error) {
	if !e.plan.Body {
		return nil, "", nil
	}
	members := map[string]json.RawMessage{}
	for _, p := range e.plan.Params {
		if argument, ok := arguments[p.Name]; ok && p.In == "body" {
			members[p.Name] = argument
		}
	}
	body, err = json.Marshal(members)
	return body, "application/json", err
}

func (e *Endpoint) rawBody(arguments map[string]json.RawMessage) (body []byte, media string, err error) {
	text, media := "", e.plan.Raws[0].Media[0]
	for name, to := range map[string]*string{bodyArgument: &text, typeArgument: &media} {
		if argument, ok := arguments[name]; ok && json.Unmarshal(argument, to) != nil {
			return nil, "", fault.ErrBody.With("param", name).With("reason", "wrong_type")
		}
	}
	return []byte(text), media, nil
}

// An invoked is the source of the inputs of an invocation.
type invoked struct{ r *http.Request }

// Decode fills v from the request that holds the arguments.
func (s invoked) Decode(plan *input.Plan, v reflect.Value, limit int64) error {
	return plan.Decode(s.r, v, limit)
}

// An invocation is the context of an invoked endpoint, and the [Request] in it.
type invocation struct {
	context.Context
	caller Caller
	gate   *Gate
}

// Value returns the invocation itself in place of the request that led to it.
func (i *invocation) Value(key any) any {
	if key == RequestKey {
		return i
	}
	return i.Context.Value(key)
}

// ID returns the id of the request that led to the call.
func (i *invocation) ID() string { return i.caller.RequestID }

// Credentials returns the credentials of the caller.
func (i *invocation) Credentials() identity.Credentials { return i.caller.Credentials }

// Browser returns what the caller shows of the page that sent the request.
func (i *invocation) Browser() identity.Browser { return i.caller.Browser }

// Addr returns the address of the caller.
func (i *invocation) Addr() netip.Addr { return i.caller.Addr }

// Country returns the country of the caller.
func (i *invocation) Country() string { return i.caller.Country }

// UserAgent returns the User-Agent of the caller.
func (i *invocation) UserAgent() string { return i.caller.UserAgent }

// Locale returns the locale of the caller.
func (i *invocation) Locale() i18n.Locale { return i.caller.Locale }

// AcceptLanguage returns the languages of the caller.
func (i *invocation) AcceptLanguage() string { return i.caller.AcceptLanguage }

// Accept returns nothing: a caller by arguments takes what the endpoint answers first.
func (i *invocation) Accept() string { return "" }

// CheckToken compares a token with the operator's.
func (i *invocation) CheckToken(name, token string) error { return i.gate.CheckToken(name, token, i) }

// A recorder keeps the answer that a result writes.
type recorder struct{ Result }

// Header returns the headers of the answer.
func (w *recorder) Header() http.Header { return w.Result.Header }

// WriteHeader keeps the first status.
func (w *recorder) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
	}
}

// Write keeps data.
func (w *recorder) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.Body = append(w.Body, data...)
	return len(data), nil
}
