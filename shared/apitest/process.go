package apitest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/cloudlog"
)

// A Process is what the service runs as one program: a handler behind a server
// with its limits.
type Process struct {
	Server *http.Server // with its handler; it is not started
	Target string       // of a GET that calls the part, such as /api/s/1
}

// A Part is something that a process depends on, such as its database. CheckProcess
// has it fail in every way.
type Part func(ctx context.Context) error

// CheckProcess sends hostile requests to a process and checks that it answers and
// logs them as every process of the service does. The process that open returns
// must log to log, and have part answer its Target.
func CheckProcess(t *testing.T, open func(log *slog.Logger, part Part) Process) {
	c := &processCheck{T: t, records: make(records, 1000)}
	p := open(slog.New(cloudlog.New(c.records, slog.LevelInfo, "")), func(ctx context.Context) error { return c.part(ctx) })
	c.Process = p
	server := httptest.NewUnstartedServer(nil)
	server.Config = p.Server
	server.Start()
	defer server.Close()
	c.addr = server.Listener.Addr().String()
	c.answers()
	c.preflights()
	c.panics()
	c.hangsUp()
	c.longHeader()
}

// patience is how long a check waits for an answer or a record that should come
// at once.
const patience = 30 * time.Second

type processCheck struct {
	*testing.T
	Process
	addr    string
	part    Part
	records records
}

// A reply is an answer without its body, which was read.
type reply struct {
	StatusCode int
	Header     http.Header
}

// send returns the answer to a request with a raw target, and its body.
func (c *processCheck) send(method, target string, headers ...string) (reply, string) {
	c.Helper()
	conn, text := c.dial(), method+" "+target+" HTTP/1.1\r\nHost: hostile.example\r\nConnection: close\r\n"
	defer conn.Close()
	for i := 0; i+1 < len(headers); i += 2 {
		text += headers[i] + ": " + headers[i+1] + "\r\n"
	}
	go func() { _, _ = io.WriteString(conn, text+"\r\n") }() // the server may answer, and hang up, before it has read everything
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		c.Fatalf("%s %.60s: %v", method, target, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		c.Fatalf("%s %.60s: %v", method, target, err)
	}
	return reply{answer.StatusCode, answer.Header}, string(body)
}

func (c *processCheck) dial() net.Conn {
	c.Helper()
	conn, err := net.Dial("tcp", c.addr)
	if err != nil {
		c.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		c.Fatal(err)
	}
	return conn
}

// answers checks methods and paths.
func (c *processCheck) answers() {
	const reads, nowhere = "GET, HEAD, OPTIONS", "/no/such/path"
	for _, test := range []struct {
		method, target string
		status         int
		code, allow    string
	}{
		{"GET", api.HealthPath, 200, "", ""},
		{"HEAD", api.HealthPath, 200, "", ""},
		{"OPTIONS", api.HealthPath, 204, "", reads},
		{"PUT", api.HealthPath, 405, "method_not_allowed", reads},
		{"BREW", api.HealthPath, 405, "method_not_allowed", reads},
		{"TRACE", c.Target, 405, "method_not_allowed", reads},
		{"GET", nowhere, 404, "not_found", ""},
		{"HEAD", nowhere, 404, "", ""},
		{"POST", nowhere, 404, "not_found", ""},
		{"OPTIONS", nowhere, 404, "not_found", ""},
		{"GET", "/" + api.HealthPath, 404, "not_found", ""},
		{"GET", api.HealthPath + "/..", 404, "not_found", ""},
		{"GET", "/." + api.HealthPath, 404, "not_found", ""},
		{"GET", api.HealthPath + "%00", 404, "not_found", ""},
		{"GET", nowhere + "%ff", 404, "not_found", ""},
		{"GET", nowhere + strings.Repeat("x", 8000), 404, "not_found", ""},
	} {
		answer, body := c.send(test.method, test.target)
		name := fmt.Sprintf("%s %.60s", test.method, test.target)
		if answer.StatusCode != test.status || answer.Header.Get("Allow") != test.allow {
			c.Errorf("%s: %d, Allow %q, want %d, %q: %s", name, answer.StatusCode, answer.Header.Get("Allow"), test.status, test.allow, body)
		}
		if test.code != "" || test.method == "HEAD" {
			c.checkFault(name, answer, body, test.code)
		}
		if answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			c.Errorf("%s: browsers may guess the type", name)
		}
		if known := test.status < 400 || test.status == 405; known != (answer.Header.Get("Access-Control-Allow-Origin") == "*") {
			c.Errorf("%s: Access-Control-Allow-Origin is %q", name, answer.Header.Get("Access-Control-Allow-Origin"))
		}
		c.checkRecord(name, test.status, "INFO")
	}
}

// checkFault checks an answer with a fault; with an empty code one without a body.
func (c *processCheck) checkFault(name string, answer reply, body, code string) {
	c.Helper()
	if code == "" {
		if body != "" {
			c.Errorf("%s: the body is %q", name, body)
		}
		return
	}
	var fault struct{ Error, Message string }
	if err := json.Unmarshal([]byte(body), &fault); err != nil || fault.Error != code || fault.Message == "" {
		c.Errorf("%s: the body is %s, want the code %s", name, body, code)
	}
	for header, want := range map[string]string{"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"} {
		if got := answer.Header.Get(header); got != want {
			c.Errorf("%s: %s is %q, want %q", name, header, got, want)
		}
	}
	if answer.Header.Get("X-Request-Id") == "" {
		c.Errorf("%s: the failure has no id to find it in the log", name)
	}
}

// preflights checks which calls a script of another origin may make.
func (c *processCheck) preflights() {
	for method, allowed := range map[string]bool{"GET": true, "HEAD": true, "DELETE": false, "BREW": false} {
		answer, _ := c.send("OPTIONS", api.HealthPath, "Origin", "https://page.example", "Access-Control-Request-Method", method)
		got := map[string]bool{}
		for _, name := range []string{"Allow-Origin", "Allow-Methods", "Allow-Headers", "Max-Age"} {
			got[name] = answer.Header.Get("Access-Control-"+name) != ""
		}
		want := map[string]bool{"Allow-Origin": allowed, "Allow-Methods": allowed, "Allow-Headers": allowed, "Max-Age": allowed}
		if diff := cmp.Diff(want, got); answer.StatusCode != 204 || diff != "" {
			c.Errorf("preflight for %s: %d (-want +got):\n%s", method, answer.StatusCode, diff)
		}
		c.checkRecord("preflight for "+method, 204, "INFO")
	}
}

// panics checks that a defect is one answer and one error in the log.
func (c *processCheck) panics() {
	c.part = func(context.Context) error { panic("a defect") }
	answer, body := c.send("GET", c.Target)
	if answer.StatusCode != 500 || strings.Contains(body, "defect") {
		c.Errorf("a panic is answered %d %s", answer.StatusCode, body)
	}
	c.checkFault("a panic", answer, body, "internal")
	if record := c.checkRecord("a panic", 500, "ERROR"); !strings.Contains(record, "panic: a defect") {
		c.Errorf("the record of a panic is %s", record)
	}
}

// hangsUp checks that a caller that does not wait is no failure of the process,
// whatever fails for it, unless that is a defect.
func (c *processCheck) hangsUp() {
	for name, test := range map[string]struct {
		end      func(context.Context) error
		status   int
		severity string
	}{
		"the context":    {func(ctx context.Context) error { return fmt.Errorf("query: %w", ctx.Err()) }, 499, "INFO"},
		"another error":  {func(context.Context) error { return errors.New("interrupted") }, 499, "INFO"},
		"a panic indeed": {func(context.Context) error { panic("a defect") }, 500, "ERROR"},
	} {
		reached := make(chan struct{})
		c.part = func(ctx context.Context) error {
			close(reached)
			<-ctx.Done()
			return test.end(ctx)
		}
		conn := c.dial()
		if _, err := io.WriteString(conn, "GET "+c.Target+" HTTP/1.1\r\nHost: hostile.example\r\n\r\n"); err != nil {
			c.Fatal(err)
		}
		select {
		case <-reached:
		case <-time.After(patience):
			c.Fatalf("%s: the request does not reach the part", name)
		}
		conn.Close()
		record := c.checkRecord("hung up, then "+name, test.status, test.severity)
		if strings.Contains(record, conn.LocalAddr().String()) {
			c.Errorf("%s: the log has the address of the caller: %s", name, record)
		}
	}
}

// longHeader checks that the server refuses a header that it has no room for.
func (c *processCheck) longHeader() {
	limit := c.Server.MaxHeaderBytes
	if limit == 0 {
		limit = http.DefaultMaxHeaderBytes
	}
	if answer, body := c.send("GET", api.HealthPath, "X-Long", strings.Repeat("x", limit+8<<10)); answer.StatusCode != 431 {
		c.Errorf("a header over the limit: %d %.200s", answer.StatusCode, body)
	}
}

// checkRecord returns the next record of a request, of which there is one for
// each, and which holds neither the caller's address nor a query.
func (c *processCheck) checkRecord(name string, status int, severity string) string {
	c.Helper()
	var line []byte
	select {
	case line = <-c.records:
	case <-time.After(patience):
		c.Fatalf("%s: nothing is logged", name)
	}
	var record struct {
		Severity    string
		HTTPRequest struct{ Status int }
	}
	if err := json.Unmarshal(line, &record); err != nil {
		c.Fatalf("%s: the record %s: %v", name, line, err)
	}
	if record.HTTPRequest.Status != status || record.Severity != severity || strings.Contains(string(line), "127.0.0.1") {
		c.Errorf("%s: the record is %s, want status %d and severity %s", name, line, status, severity)
	}
	return string(line)
}

// records are the records of requests, as lines. Others are dropped.
type records chan []byte

// Write keeps a line.
func (r records) Write(line []byte) (int, error) {
	if strings.Contains(string(line), cloudlog.RequestKey) {
		r <- append([]byte(nil), line...)
	}
	return len(line), nil
}
