package request_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/fault"
)

// A record is what these tests read of a log record.
type record struct {
	Severity, Code, Cause string
	HTTPRequest           struct{ Status int }
	line                  string
}

// recorded returns a log, and the records that are written to it.
func recorded() (*slog.Logger, <-chan record) {
	out := make(lines, 10)
	return slog.New(cloudlog.New(out, slog.LevelInfo, "")), out
}

type lines chan record

func (l lines) Write(line []byte) (int, error) {
	r := record{line: string(line)}
	err := json.Unmarshal(line, &r)
	l <- r
	return len(line), err
}

// TestHangUp has callers hang up over real connections: while a handler waits,
// within the request body, and while the answer is written.
func TestHangUp(t *testing.T) {
	waited := make(chan struct{}, 1)
	wait := func(c *request.Call) {
		waited <- struct{}{}
		<-c.Done()
	}
	const get, post = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
	readBody := func(c *request.Call) error {
		waited <- struct{}{}
		_, err := io.ReadAll(c.Request.Body)
		return fault.ErrBody.With("reason", "truncated").Because(err)
	}
	for _, test := range []struct {
		name, request string
		serve         func(*request.Call) error
		status        int
		severity      string
		cause         string
	}{
		{"an error of the context", get, func(c *request.Call) error { wait(c); return c.Err() }, 499, "INFO", "the caller hung up"},
		{"a part that fails", get, func(c *request.Call) error { wait(c); return fault.ErrUnavailable }, 499, "INFO", "the caller hung up"},
		{"a fault of the caller", get, func(c *request.Call) error { wait(c); return fault.ErrNotFound }, 404, "INFO", "not_found"},
		{"a success", get, func(c *request.Call) error { wait(c); c.Writer().WriteHeader(204); return nil }, 204, "INFO", ""},
		{"within the body", post, readBody, 499, "INFO", "the caller hung up"},
		{"an answer without end", get, func(c *request.Call) error {
			wait(c)
			for {
				if _, err := c.Writer().Write(make([]byte, 64<<10)); err != nil {
					return err
				}
			}
		}, 499, "INFO", "the caller hung up"},
		{"an answer whose error is ignored", get, func(c *request.Call) error {
			wait(c)
			for {
				if _, err := c.Writer().Write(make([]byte, 64<<10)); err != nil {
					return nil
				}
			}
		}, 499, "INFO", "the caller hung up"},
	} {
		t.Run(test.name, func(t *testing.T) {
			log, records := recorded()
			method, _, _ := strings.Cut(test.request, " ")
			s := httptest.NewServer(request.New(request.Options{Log: log}, []request.Route{{Method: method, Path: "/x", Serve: test.serve}}))
			defer s.Close()
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, test.request); err != nil {
				t.Fatal(err)
			}
			<-waited
			conn.Close()
			got := <-records
			if got.HTTPRequest.Status != test.status || got.Severity != test.severity || got.Cause != test.cause {
				t.Errorf("the record is %s, want status %d, severity %s, cause %q", got.line, test.status, test.severity, test.cause)
			}
			if strings.Contains(got.line, conn.LocalAddr().String()) {
				t.Errorf("the record has the address of the caller: %s", got.line)
			}
		})
	}
}

// TestNoHangUp checks failures that look like those of a caller that hangs up.
func TestNoHangUp(t *testing.T) {
	const address = "203.0.113.9:4711"
	peer, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	expired, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	for _, test := range []struct {
		name            string
		ctx             context.Context
		err             error
		status          int
		severity, cause string
	}{
		{"a canceled query", t.Context(), context.Canceled, 500, "ERROR", "context canceled"},
		{"a deadline of ours", expired, context.DeadlineExceeded, 500, "ERROR", "context deadline exceeded"},
		{"a lost database", t.Context(), &net.OpError{Op: "write", Net: "tcp", Err: os.ErrClosed}, 500, "ERROR", "write tcp: file already closed"},
		{"a slow body", t.Context(), fault.ErrBody.Because(&net.OpError{Op: "read", Net: "tcp", Addr: peer, Err: os.ErrDeadlineExceeded}), 400, "INFO", "invalid_body: read tcp the caller: i/o timeout"},
	} {
		log, records := recorded()
		h := request.New(request.Options{Log: log}, []request.Route{{Method: "GET", Path: "/x", Serve: func(*request.Call) error { return test.err }}})
		r := httptest.NewRequestWithContext(test.ctx, "GET", "/x", nil)
		r.RemoteAddr = address
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got := <-records
		if w.Code != test.status || got.HTTPRequest.Status != test.status || got.Severity != test.severity || got.Cause != test.cause {
			t.Errorf("%s: answered %d, logged %s, want %d, %s, %q", test.name, w.Code, got.line, test.status, test.severity, test.cause)
		}
	}
}

// TestWrongLength checks that an answer that its server cuts is a defect of ours,
// and not of the connection.
func TestWrongLength(t *testing.T) {
	log, records := recorded()
	s := httptest.NewServer(request.New(request.Options{Log: log}, []request.Route{{Method: "GET", Path: "/x", Serve: func(c *request.Call) error {
		c.Writer().Header().Set("Content-Length", "1")
		_, err := c.Writer().Write([]byte("two"))
		return err
	}}}))
	defer s.Close()
	answer, err := s.Client().Get(s.URL + "/x")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if got := <-records; got.Severity != "ERROR" || !strings.Contains(got.Cause, http.ErrContentLength.Error()) {
		t.Errorf("the record is %s", got.line)
	}
}

// TestHalfClosed checks that a caller that closed its side of the connection, and
// still reads, gets an answer of the interface.
func TestHalfClosed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := request.New(request.Options{}, []request.Route{{Method: "GET", Path: "/x", Serve: func(c *request.Call) error { return c.Err() }}})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/x", nil))
	if w.Code != api.Status(fault.Unavailable) || !bytes.Contains(w.Body.Bytes(), []byte(`"error":"unavailable"`)) {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}
