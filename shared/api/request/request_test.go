package request_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var tokens = map[string]string{api.CatalogToken: "operator-token-one", api.MetricsToken: "operator-token-two"}

func options() request.Options {
	return request.Options{Tokens: tokens, Auth: header{}, CountryHeader: "X-Client-Region"}
}

// TestScripts runs the scripts, which call every endpoint.
func TestScripts(t *testing.T) {
	v := apitest.Validating(t, request.Handler(options(), newServer(), table), spec(t))
	apitest.Run(t, v, "testdata/api/*.txt", nil)
	got := v.Uncalled(table)
	if len(got) != 1 || got[0] != "GET /doc/{$}" { // which TestCodings calls
		t.Errorf("endpoints that no script calls: %q", got)
	}
}

// TestOpenAPI shows how the table is described.
func TestOpenAPI(t *testing.T) {
	const file = "testdata/openapi.golden.json"
	got := spec(t)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", file, got)
	}
}

// TestCodings checks that an answer is the same in every coding.
func TestCodings(t *testing.T) {
	h := apitest.Validating(t, request.Handler(options(), newServer(), table), spec(t))
	for _, path := range []string{"/page", "/doc/"} {
		_, want := apitest.Do(t, h, "GET", path, "")
		for _, accept := range []string{"gzip", "zstd", "br", "gzip, br, zstd", "*", "identity", "gzip;q=0", "br;q=0.1,gzip"} {
			answer, got := apitest.Do(t, h, "GET", path, "", "Accept-Encoding", accept)
			if got != want {
				t.Errorf("%s in %q differs", path, accept)
			}
			if vary := answer.Header.Get("Vary"); vary != "Accept-Encoding" {
				t.Errorf("%s in %q: Vary is %q", path, accept, vary)
			}
			coding := answer.Header.Get("Content-Encoding")
			if coding != "" && !strings.Contains(accept, coding) && accept != "*" {
				t.Errorf("%s in %q came in %q", path, accept, coding)
			}
			if accept == "gzip" && coding != "gzip" {
				t.Errorf("%s in gzip came in %q", path, coding)
			}
		}
	}
}

// TestNoAuthenticator checks the answers of a service that cannot tell who calls.
func TestNoAuthenticator(t *testing.T) {
	h := apitest.Validating(t, request.Handler(request.Options{}, newServer(), table), spec(t))
	for path, code := range map[string]string{
		"/api/mine": "auth_unavailable", "/api/account": "auth_unavailable", "/api/numbers": "operator_token_unavailable",
	} {
		answer, body := apitest.Do(t, h, "GET", path, "", "Authorization", "Bearer ", "X-Guest-Token", "ipt_1")
		if answer.StatusCode != 503 || !strings.Contains(body, `"error":"`+code+`"`) {
			t.Errorf("%s answered %d %s", path, answer.StatusCode, body)
		}
	}
}

// TestNoAuthenticatorNeeded checks that a service that cannot tell who calls
// still answers those whom it need not know.
func TestNoAuthenticatorNeeded(t *testing.T) {
	h := apitest.Validating(t, request.Handler(request.Options{}, newServer(), table), spec(t))
	answer, body := apitest.Do(t, h, "GET", "/api/seen/x", "", "X-Guest-Token", "ipt_1")
	if answer.StatusCode != 200 || !strings.Contains(body, `"id":""`) {
		t.Errorf("answered %d %s", answer.StatusCode, body)
	}
}

// TestAddr checks whom an address is taken from: of a trusted edge, the last
// that it tells; else the connection.
func TestAddr(t *testing.T) {
	for _, test := range []struct {
		trusted string
		sent    []string
		want    string
	}{
		{"X-Client-Address", []string{"198.51.100.7"}, "198.51.100.7"},
		{"X-Client-Address", []string{"203.0.113.9", "198.51.100.7"}, "198.51.100.7"},
		{"X-Client-Address", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7"},
		{"X-Client-Address", []string{"junk"}, "192.0.2.1"},
		{"X-Client-Address", nil, "192.0.2.1"},
		{"", []string{"198.51.100.7"}, "192.0.2.1"},
	} {
		var got string
		e := api.Bind(func(_ *Server, ctx context.Context, _ struct{}) (api.NoContent, error) {
			got = api.AddrOf(ctx).String() + " " + api.UserAgentOf(ctx)
			return api.NoContent{}, nil
		}, api.Endpoint{Method: "GET", Path: "/x", Auth: api.None, Summary: "X", Doc: "X."})
		h := request.Handler(request.Options{AddressHeader: test.trusted}, newServer(), []api.Endpoint{e})
		r := httptest.NewRequest("GET", "/x", nil)
		r.Header["X-Client-Address"] = test.sent
		r.Header.Set("User-Agent", "VLC/3.0")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if want := test.want + " VLC/3.0"; got != want {
			t.Errorf("trusting %q, told %q: %q, want %q", test.trusted, test.sent, got, want)
		}
	}
	if api.AddrOf(t.Context()).IsValid() || api.UserAgentOf(t.Context()) != "" {
		t.Error("outside of a request there is a caller")
	}
}

// TestRequestsWithoutAddress checks that the log says when requests lack the header of the
// edge, once for many requests, and nothing where no edge is trusted.
func TestRequestsWithoutAddress(t *testing.T) {
	for _, test := range []struct {
		trusted, sent string
		records       int
	}{{"X-Client-Address", "", 1}, {"X-Client-Address", "198.51.100.7", 0}, {"", "", 0}} {
		var log strings.Builder
		h := request.Handler(request.Options{
			AddressHeader: test.trusted, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		}, newServer(), []api.Endpoint{api.Bind(func(_ *Server, ctx context.Context, _ struct{}) (api.NoContent, error) {
			api.AddrOf(ctx)
			return api.NoContent{}, nil
		}, api.Endpoint{Method: "GET", Path: "/x", Auth: api.None, Summary: "X", Doc: "X."})})
		for range 1000 {
			apitest.Do(t, h, "GET", "/x", "", "X-Client-Address", test.sent)
		}
		if n := strings.Count(log.String(), "\n"); n != test.records || n > 0 && !strings.Contains(log.String(), "header=X-Client-Address") {
			t.Errorf("trusting %q, sent %q: %d records, want %d:\n%s", test.trusted, test.sent, n, test.records, log.String())
		}
	}
}

func TestCountry(t *testing.T) {
	trusting := request.Handler(options(), newServer(), table)
	alone := request.Handler(request.Options{}, newServer(), table)
	for _, test := range []struct {
		h            http.Handler
		header, want string
	}{
		{trusting, "BR", "BR"}, {trusting, "br", ""}, {trusting, "BRA", ""}, {trusting, "ZZ", ""},
		{trusting, "XX", ""}, {trusting, "T1", ""}, {trusting, "", ""}, {alone, "BR", ""},
	} {
		_, body := apitest.Do(t, test.h, "GET", "/api/things", "", "X-Client-Region", test.header)
		if !strings.Contains(body, `"country":"`+test.want+`"`) {
			t.Errorf("country of %q is not %q: %s", test.header, test.want, body)
		}
	}
}

// TestBodyLimit checks bodies around the endpoint's limit, with and without a
// length that is told beforehand.
func TestBodyLimit(t *testing.T) {
	h := apitest.Validating(t, request.Handler(options(), newServer(), table), spec(t))
	for _, test := range []struct{ size, status int }{{1024, 201}, {1025, 413}, {1 << 20, 413}} {
		for _, told := range []bool{true, false} {
			body := `{"name":"a"` + strings.Repeat(" ", test.size-12) + `}`
			r := httptest.NewRequest("POST", "/api/things", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			if !told {
				r.ContentLength = -1
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("%d bytes, length told %t: status %d, want %d", test.size, told, w.Code, test.status)
			}
		}
	}
}

// TestHostileBodies checks bodies that are no text.
func TestHostileBodies(t *testing.T) {
	h := apitest.Validating(t, request.Handler(options(), newServer(), table), spec(t))
	for body, reason := range map[string]string{
		"{\"name\":\"\xff\"}": "encoding",
		`{"x":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + "}": "too_deep",
		"   ": "missing",
	} {
		answer, got := apitest.Do(t, h, "POST", "/api/things", body, "Content-Type", "application/json")
		if answer.StatusCode != 400 || !strings.Contains(got, `"reason":"`+reason+`"`) {
			t.Errorf("%.20q answered %d %s, want %s", body, answer.StatusCode, got, reason)
		}
	}
}

// TestLongQuery checks that a query is bounded where it is read, and of no
// account where it is not.
func TestLongQuery(t *testing.T) {
	h := apitest.Validating(t, request.Handler(options(), newServer(), table), spec(t))
	query := "?x=" + strings.Repeat("y", input.MaxQuery)
	for path, status := range map[string]int{"/api/things": 400, "/page": 200} {
		if answer, got := apitest.Do(t, h, "GET", path+query, ""); answer.StatusCode != status {
			t.Errorf("%s answered %d %s, want %d", path, answer.StatusCode, got, status)
		}
	}
}

// TestTruncatedBody checks a connection that ends within the body.
func TestTruncatedBody(t *testing.T) {
	h := request.Handler(options(), newServer(), table)
	r := httptest.NewRequest("POST", "/api/things", &failing{strings.NewReader(`{"name":`)})
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 400 || !strings.Contains(w.Body.String(), `"reason":"truncated"`) {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}

// failing reads like r, and fails where r ends.
type failing struct{ r *strings.Reader }

func (f *failing) Read(p []byte) (int, error) {
	if f.r.Len() == 0 {
		return 0, http.ErrBodyReadAfterClose
	}
	return f.r.Read(p)
}

// TestSlowBody checks that no request body may drip for ever, whoever reads it:
// the server reads what an answer left of it.
func TestSlowBody(t *testing.T) {
	h := request.Handler(options(), newServer(), table)
	for _, test := range []struct {
		method, path, mediaType, body string
		status                        int
		limited, lifted               bool
	}{
		{"GET", "/api/things", "", "", 200, false, false},
		{"GET", "/api/things", "", "abc", 200, true, false},
		{"PUT", "/api/things", "", "abc", 405, true, false},
		{"POST", "/api/none", "", "abc", 404, true, false},
		{"DELETE", "/api/things/a", "", "abc", 401, true, false},
		{"POST", "/api/things", "text/plain", "abc", 415, true, false},
		{"POST", "/api/things", "application/json", strings.Repeat(" ", 1025), 413, true, false},
		{"POST", "/api/things", "application/json", `{"name":"a"}`, 201, true, true},
	} {
		var body io.Reader = http.NoBody
		if test.body != "" {
			body = strings.NewReader(test.body)
		}
		r := httptest.NewRequest(test.method, test.path, body)
		r.Header.Set("Content-Type", test.mediaType)
		w := &timed{ResponseRecorder: httptest.NewRecorder()}
		h.ServeHTTP(w, r)
		limited, lifted := len(w.deadlines) > 0, len(w.deadlines) > 0 && w.deadlines[len(w.deadlines)-1].IsZero()
		if w.Code != test.status || limited != test.limited || lifted != test.lifted {
			t.Errorf("%s %s %s with %q: status %d, deadlines %v", test.method, test.path, test.mediaType, test.body, w.Code, w.deadlines)
		}
	}
}

// A timed writer notes the deadlines that are set for reading.
type timed struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (w *timed) SetReadDeadline(t time.Time) error {
	w.deadlines = append(w.deadlines, t)
	return nil
}

// TestAbort checks that a handler can still end its connection.
func TestAbort(t *testing.T) {
	h := request.Handler(options(), newServer(), table)
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("recovered %v", err)
		}
	}()
	apitest.Do(t, h, "GET", "/api/breaks?how=abort", "")
}

// TestLog checks what the log tells of a request, and what it must not.
func TestLog(t *testing.T) {
	for _, test := range []struct {
		method, target string
		want           map[string]any
	}{
		{"GET", "/api/things?q=secret", map[string]any{
			"severity": "INFO", "message": "/api/things",
			"logging.googleapis.com/trace": "projects/p/traces/4bf92f3577b34da6a3ce929d0e0e4736",
		}},
		{"GET", "/api/things/none", map[string]any{
			"severity": "INFO", "message": "/api/things/{id}", "code": "channel_not_found", "cause": "channel_not_found: secret detail",
		}},
		{"GET", "/api/breaks", map[string]any{"severity": "ERROR", "code": "internal", "cause": "secret error"}},
		{"GET", "/secret", map[string]any{"severity": "INFO", "message": "no such route"}},
		{"BREW", "/api/things", map[string]any{"message": "/api/things"}},
	} {
		var b bytes.Buffer
		o := options()
		o.Log = slog.New(cloudlog.New(&b, slog.LevelInfo, "p"))
		now := time.Unix(1e9, 0)
		o.Now = func() time.Time { now = now.Add(time.Millisecond); return now }
		answer, _ := apitest.Do(t, request.Handler(o, newServer(), table), test.method, test.target, "",
			"Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Authorization", "Bearer secret-token")
		var got map[string]any
		if err := json.Unmarshal(b.Bytes(), &got); err != nil || bytes.Count(b.Bytes(), []byte("\n")) != 1 {
			t.Fatalf("%s: not one record (%v): %s", test.target, err, b.Bytes())
		}
		for name, want := range test.want {
			if got[name] != want {
				t.Errorf("%s: %s is %v, want %v", test.target, name, got[name], want)
			}
		}
		if got["request_id"] != answer.Header.Get("X-Request-Id") {
			t.Errorf("%s: request_id is %v", test.target, got["request_id"])
		}
		if text := b.String(); test.want["cause"] == nil && (strings.Contains(text, "secret") || strings.Contains(text, "192.0.2.1")) {
			t.Errorf("%s: the log tells too much: %s", test.target, text)
		}
		request, _ := got["httpRequest"].(map[string]any)
		if request["status"] != float64(answer.StatusCode) || request["latency"] == "" {
			t.Errorf("%s: httpRequest is %v", test.target, request)
		}
	}
}
