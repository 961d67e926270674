package request_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/fault"
)

// A counted is what [request.Options.Count] reads of a call.
type counted struct {
	Pattern, Type    string
	Fault            string
	Page, Wants      bool
	Status           int
	Size             int64
	Latency, Started time.Duration // Started is the time since the first call
}

// TestCount checks that each finished call is counted once with what was answered,
// a refused and a failing one included, and that a call without a route is too.
func TestCount(t *testing.T) {
	start := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	now := start
	var got []counted
	h := request.New(request.Options{
		Now: func() time.Time { now = now.Add(time.Millisecond); return now },
		Count: func(c *request.Call) {
			got = append(got, counted{c.Pattern(), c.ContentType(), c.FaultCode(), c.ForPages(), c.WantsPage(), c.Status(), c.Size(), c.Latency(), c.End().Sub(start)})
		},
	}, []request.Route{
		{Method: "GET", Path: "/page/{id}", Page: true, Serve: func(c *request.Call) error {
			c.Writer().Header().Set("Content-Type", "text/html")
			_, err := io.WriteString(c.Writer(), "<p>ok")
			return err
		}},
		{Method: "POST", Path: "/fails", Serve: func(*request.Call) error { return fault.ErrNotFound }},
		{Method: "POST", Path: "/panics", Serve: func(*request.Call) error { panic("defect") }},
	})
	for _, call := range []struct{ method, path, accept string }{
		{"GET", "/page/1", "text/html,*/*"}, {"HEAD", "/page/2", "*/*"}, {"POST", "/fails", ""}, {"POST", "/panics", ""}, {"GET", "/unknown", ""},
	} {
		r := httptest.NewRequest(call.method, call.path, nil)
		r.Header.Set("Accept", call.accept)
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	json := "application/json; charset=utf-8"
	want := []counted{
		{"GET /page/{id}", "text/html", "", true, true, 200, 5, time.Millisecond, 2 * time.Millisecond},
		{"GET /page/{id}", "text/html", "", true, false, 200, 0, time.Millisecond, 4 * time.Millisecond},
		{"POST /fails", json, "not_found", false, false, 404, got[2].Size, time.Millisecond, 6 * time.Millisecond},
		{"POST /panics", json, "internal", false, false, 500, got[3].Size, time.Millisecond, 8 * time.Millisecond},
		{"", json, "not_found", false, false, 404, got[4].Size, time.Millisecond, 10 * time.Millisecond},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, c := range got[2:] {
		if c.Size == 0 {
			t.Errorf("%q: the body of the fault is not counted", c.Pattern)
		}
	}
}

// TestCountHungUp counts a call whose caller hung up before it had the answer.
func TestCountHungUp(t *testing.T) {
	status, code := 0, ""
	h := request.New(request.Options{Count: func(c *request.Call) { status, code = c.Status(), c.FaultCode() }}, []request.Route{
		{Method: "POST", Path: "/x", Serve: func(c *request.Call) error {
			_, err := io.ReadAll(c.Request.Body)
			return fault.ErrBody.Because(err)
		}},
	})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/x", io.MultiReader(strings.NewReader("{"), cut{})))
	if status != request.StatusHungUp || code != "" {
		t.Errorf("status %d and fault %q, want %d and none", status, code, request.StatusHungUp)
	}
}

// A cut is a body whose connection ended.
type cut struct{}

func (cut) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
