package machine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestFrontBeforeThereIsAPart checks that a request which comes too early is answered
// as a fault of the service is, with the reason and when to come back.
func TestFrontBeforeThereIsAPart(t *testing.T) {
	w := httptest.NewRecorder()
	new(Front).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	var body struct{ Error, Reason string }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" || body.Error != "unavailable" || body.Reason != "starting" {
		t.Errorf("answers %d %v %+v", w.Code, w.Header(), body)
	}
}

// TestStopCutsOff stops while a client downloads and does not read: its connection is
// closed when the time is over, and its handler ends.
func TestStopCutsOff(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServers()
	s.stop = time.Millisecond
	begun, ended := make(chan struct{}), make(chan struct{})
	s.Drain(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		close(begun)
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	}))
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := s.Stop(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Stop = %v, want that it cut a request off", err)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second): // the pace would close it after 30
		t.Error("the handler goes on")
	}
}
