package apitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const document = `{
	"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://other.example"}],
	"paths": {
		"/a/{id}": {"get": {"operationId": "a", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
			"responses": {
				"200": {"description": "x", "content": {"application/json": {"schema": {
					"type": "object", "required": ["n"], "properties": {"n": {"type": ["integer", "null"]}}}}}},
				"204": {"description": "x"}}}},
		"/image": {"get": {"operationId": "i", "responses": {"200": {"description": "x", "content": {"image/png": {"schema": {"type": "string"}}}}}}}
	}
}`

// A recorder is a test that may fail.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// fails returns what a test says that ends in f.
func fails(t *testing.T, f func(testing.TB)) []string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() { defer close(done); f(r) }()
	<-done
	return r.failures
}

// TestValidating checks that each way an answer may differ from the document
// fails the test that sees it.
func TestValidating(t *testing.T) {
	for _, test := range []struct {
		name, method, path string
		status             int
		header, body       string
		want               string // in the failure; empty when it is as described
	}{
		{"good", "GET", "/a/x", 200, "Content-Type: application/json; charset=utf-8", `{"n":1}`, ""},
		{"null", "GET", "/a/%2F", 200, "Content-Type: application/json", `{"n":null}`, ""},
		{"empty", "GET", "/a/x", 204, "", ``, ""},
		{"image", "GET", "/image", 200, "Content-Type: image/png", `png`, ""},
		{"unknown path", "GET", "/b", 404, "", `{"error":"not_found","message":"Nothing."}`, ""},
		{"head", "HEAD", "/a/x", 200, "", ``, ""},
		{"missing member", "GET", "/a/x", 200, "Content-Type: application/json", `{}`, "missing property 'n'"},
		{"wrong type", "GET", "/a/x", 200, "Content-Type: application/json", `{"n":"1"}`, "/n"},
		{"not JSON", "GET", "/a/x", 200, "Content-Type: application/json", `{`, "body"},
		{"status", "GET", "/a/x", 201, "Content-Type: application/json", `{"n":1}`, "status"},
		{"media type", "GET", "/a/x", 200, "Content-Type: text/html", `{"n":1}`, `media type "text/html"`},
		{"no media type", "GET", "/image", 200, "", ``, `media type ""`},
		{"body where none is", "GET", "/a/x", 204, "", `{}`, "body"},
		{"body of HEAD", "HEAD", "/a/x", 200, "", `x`, "body"},
		{"coding", "GET", "/a/x", 200, "Content-Encoding: rot13", `x`, "rot13"},
		{"broken coding", "GET", "/a/x", 200, "Content-Encoding: gzip", `x`, "not as described"},
		{"no failure body", "GET", "/b", 404, "", `not found`, "failure"},
		{"undescribed", "GET", "/b", 200, "", `{}`, "no such operation"},
		{"undescribed method", "POST", "/a/x", 200, "", `{}`, "no such operation"},
	} {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if name, value, ok := strings.Cut(test.header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		})
		got := fails(t, func(tb testing.TB) {
			Validating(tb, h, []byte(document)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(test.method, test.path, nil))
		})
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s fails: %s", test.name, got)
		case test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
			t.Errorf("%s: failures are %q, want one of %q", test.name, got, test.want)
		}
	}
}

// TestDocumentRefused checks that a document that is none fails the test.
func TestDocumentRefused(t *testing.T) {
	for _, text := range []string{`{`, `{"openapi":"3.1.0","paths":{}}`} {
		if got := fails(t, func(tb testing.TB) { Validating(tb, http.NotFoundHandler(), []byte(text)) }); len(got) != 1 {
			t.Errorf("%s: failures are %q", text, got)
		}
	}
}

func TestParseRefusals(t *testing.T) {
	for _, text := range []string{"< 200", "GET /a\n< 99999999999999999999", "GET /a\n> nothing", "GET /a\n? x", "get /a"} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// TestStep checks which answers a script takes.
func TestStep(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Query", r.URL.RawQuery)
		w.WriteHeader(201)
		_, _ = w.Write(body)
	})
	const call = "POST /a?x=1\n> Content-Type: application/json\n>> {\"n\":[1,{\"a\":\"b\",\"c\":null}],\n>> \"big\":12345678901234567890}\n"
	for _, test := range []struct {
		expect string
		want   string // in the problem; empty when there is none
	}{
		{"< 201", ""},
		{"< 200", "status 201, want 200"},
		{"< 201\n< X-Query: x=1\n< -X-Other", ""},
		{"< 201\n< X-Query: x=2", "header X-Query"},
		{"< 201\n< -X-Query", "header X-Query is set"},
		{"< 201\n= {\"big\":12345678901234567890,\"n\":[1,{\"c\":null,\"a\":\"b\"}]}", ""},
		{"< 201\n= {\"big\":12345678901234567891,\"n\":[1,{\"c\":null,\"a\":\"b\"}]}", "-want +got"},
		{"< 201\n~ {\"n\":[1,{\"a\":\"b\"}]}", ""},
		{"< 201\n~ {\"n\":[1,{\"a\":\"${}\"}]}", ""},
		{"< 201\n~ {\"n\":[1]}", "body.n is"},
		{"", "status 201, want 200"},
		{"< 201\n~ {\n~ \"big\":12345678901234567890}\n~ {\"big\":1}", "body.big is"},
		{"< 201\n= {} {}", "2 values"},
		{"< 201\n~ {\"n\":", "script"},
		{"< 201\n~ {\"n\":[1,{\"d\":1}]}", "body.n.1 has no d"},
		{"< 201\n~ {\"n\":[2,{}]}", "body.n.0 is 1, want 2"},
		{"< 201\n~ {\"n\":{}}", "want an object"},
		{"< 201\n* \"a\":\"b\"", ""},
		{"< 201\n* absent", "body has no \"absent\""},
		{"< 201\n@ v = n.1.a\nGET /b?x=${v}\n< 201\n< X-Query: x=b", ""},
		{"< 201\n@ v = n.5.a", "body has no n.5.a"},
		{"< 201\n@ v = n.1.c", "body has no n.1.c"},
	} {
		steps, err := parse(call + test.expect)
		if err != nil {
			t.Fatalf("%s: %v", test.expect, err)
		}
		values := map[string]string{}
		var problems []string
		for _, s := range steps {
			answer, body := Do(t, echo, s.method, fill(s.target, values), s.body, s.headers...)
			problems = append(problems, s.check(answer, body, values)...)
		}
		got := strings.Join(problems, "\n")
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: problems are %q, want %q", test.expect, got, test.want)
		}
	}
}

// TestRun checks that every script that a pattern names is run, each from a
// network of its own.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("# A call.\n\nGET /"+name+"\n< 200\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	Run(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { paths = append(paths, r.URL.Path+" "+r.RemoteAddr) }), filepath.Join(dir, "*.txt"), nil)
	if diff := cmp.Diff([]string{"/a.txt 198.18.0.0:4711", "/b.txt 198.18.0.1:4711"}, paths); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestRunSignsIn checks that a browser has a session from its first line that says
// so, once, and that other browsers do not.
func TestRunSignsIn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	script := "GET /\n& ana\n\nGET /\n& ana signed in\n\nGET /\n& ana\n\nGET /\n& ana signed in\n\nGET /\n& bob\n"
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	var cookies []string
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { cookies = append(cookies, r.Header.Get("Cookie")) })
	sessions := 0
	Run(t, h, name, func(_ testing.TB, name string) *http.Cookie {
		sessions++
		return &http.Cookie{Name: "session", Value: name}
	})
	if diff := cmp.Diff([]string{"", "session=ana", "session=ana", "session=ana", ""}, cookies); diff != "" || sessions != 1 {
		t.Errorf("%d sessions, cookies (-want +got):\n%s", sessions, diff)
	}
}
