package apitest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/klauspost/compress/zstd"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
)

// A Validator is a handler that passes requests on and fails its test when an
// answer is not as the document says. It may be used concurrently.
type Validator struct {
	t       testing.TB
	handler http.Handler
	routers []routers.Router // of each document

	mu     sync.Mutex
	called map[string]bool // "GET /api/channels/{id}"; guarded by mu

	unordered []string         // operations without an example of their answer
	examples  openapi.Examples // without maps unless v records; guarded by mu
}

// Validating returns h, checked against OpenAPI documents in JSON, which describe
// different operations.
func Validating(t testing.TB, h http.Handler, documents ...[]byte) *Validator {
	t.Helper()
	v := &Validator{t: t, handler: h, called: map[string]bool{}}
	for _, document := range documents {
		doc, err := openapi3.NewLoader().LoadFromData(document)
		if err != nil {
			t.Fatalf("OpenAPI document: %v", err)
		}
		if err := doc.Validate(context.Background(), openapi3.DisableExamplesValidation()); err != nil {
			t.Fatalf("OpenAPI document: %v", err)
		}
		doc.Servers = nil // tests call at addresses of their own
		router, err := gorillamux.NewRouter(doc)
		if err != nil {
			t.Fatalf("OpenAPI document: %v", err)
		}
		v.routers = append(v.routers, router)
	}
	return v
}

// ServeHTTP answers r as the handler does, once the answer was checked.
func (v *Validator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		v.t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
	r.Body = io.NopCloser(bytes.NewReader(sent))
	w2 := httptest.NewRecorder()
	v.handler.ServeHTTP(w2, r)
	answer := w2.Result()
	body := w2.Body.Bytes()
	if err := v.check(r, sent, answer, body); err != nil {
		v.t.Errorf("%s %s answered %d, which is not as described: %v\n%.2000s", r.Method, r.URL, answer.StatusCode, err, body)
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(body) // to a recorder or a test's connection
}

// check compares an answer with the document. Of a path or method that the
// document does not have it checks that the answer says so.
func (v *Validator) check(r *http.Request, sent []byte, answer *http.Response, body []byte) error {
	if r.Method == http.MethodHead || answer.StatusCode == http.StatusNoContent {
		if route, _, err := v.find(r); err == nil {
			v.note(route)
		}
		return checkEmpty(r.Method, body)
	}
	plain, err := decode(answer.Header.Get("Content-Encoding"), body)
	if err != nil {
		return err
	}
	route, params, err := v.find(r)
	if err != nil || !isClean(r.URL.EscapedPath()) {
		return checkUnknown(answer, plain)
	}
	v.note(route)
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 answer.StatusCode,
		Header:                 answer.Header,
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: !isJSON(answer)},
	}
	input.SetBodyBytes(plain)
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		return err
	}
	v.record(route, params, r, sent, answer, plain)
	return checkMedia(route.Operation, answer, plain)
}

// note remembers that a route was called.
func (v *Validator) note(route *routers.Route) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.called[route.Method+" "+route.Path] = true
}

// find returns the route of r. The router is asked for a path of the same
// shape without escapes, since it takes %2F for a slash.
func (v *Validator) find(r *http.Request) (route *routers.Route, params map[string]string, err error) {
	u := *r.URL
	u.Path, u.RawPath = strings.ReplaceAll(r.URL.EscapedPath(), "%", "_"), ""
	q := r.Clone(context.Background())
	q.URL = &u
	for _, router := range v.routers {
		if route, params, err = router.FindRoute(q); err == nil {
			break
		}
	}
	return route, params, err
}

// isClean reports whether a path is the only way to write it.
func isClean(p string) bool { return path.Clean(p) == p || path.Clean(p)+"/" == p }

func isJSON(answer *http.Response) bool {
	return strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json")
}

func checkEmpty(method string, body []byte) error {
	if len(body) > 0 {
		return fmt.Errorf("the answer to %s has a body of %d bytes", method, len(body))
	}
	return nil
}

// checkMedia checks a response other than JSON: its media type must be
// described, and it must have a body unless its status forbids one.
func checkMedia(op *openapi3.Operation, answer *http.Response, body []byte) error {
	if isJSON(answer) {
		return nil
	}
	response := op.Responses.Status(answer.StatusCode)
	if response == nil {
		return fmt.Errorf("status %d is not described", answer.StatusCode)
	}
	if len(response.Value.Content) == 0 {
		return checkEmpty("a call without a result", body)
	}
	media, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	if response.Value.Content.Get(media) == nil {
		return fmt.Errorf("media type %q is not described", media)
	}
	return nil
}

// checkUnknown checks an answer for what no endpoint serves.
func checkUnknown(answer *http.Response, body []byte) error {
	switch answer.StatusCode {
	case http.StatusPermanentRedirect:
		return checkEmpty("a redirect", body)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		var e struct{ Error, Message string }
		if err := json.Unmarshal(body, &e); err != nil || e.Error == "" || e.Message == "" {
			return errors.New("the body is not that of a failure")
		}
		return nil
	}
	return errors.New("the document has no such operation")
}

// decode undoes a content encoding.
func decode(coding string, body []byte) ([]byte, error) {
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch coding {
	case "":
		return body, nil
	case "gzip":
		r, err = gzip.NewReader(r)
	case "br":
		r = brotli.NewReader(r)
	case "zstd":
		d, e := zstd.NewReader(r)
		if e != nil {
			return nil, e
		}
		defer d.Close()
		r = d
	default:
		err = fmt.Errorf("unknown coding %q", coding)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Uncalled lists the endpoints of the table that no request was for.
func (v *Validator) Uncalled(table []api.Endpoint) (patterns []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range api.PerFile(table) {
		if !v.called[e.Method+" "+openapi.Path(e)] {
			patterns = append(patterns, e.Pattern())
		}
	}
	return patterns
}

// Do answers one request, with headers given as name and value in turn, and
// returns the answer with its body decoded.
func Do(t testing.TB, h http.Handler, method, target, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	if _, err := url.Parse(target); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer := w.Result()
	plain, err := decode(answer.Header.Get("Content-Encoding"), w.Body.Bytes())
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	return answer, string(plain)
}
