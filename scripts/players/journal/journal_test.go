package journal

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestJournal writes down answers of every form.
func TestJournal(t *testing.T) {
	var j Journal
	h := j.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/status":
			w.WriteHeader(http.StatusTeapot)
		case "/hint":
			w.WriteHeader(http.StatusEarlyHints)
			_, _ = io.WriteString(w, "after a hint")
		case "/body":
			_, _ = io.WriteString(w, "body")
		}
	}))
	srv := httptest.NewServer(h)
	for _, target := range []string{"/status?a=b", "/hint", "/body", "/nothing"} {
		req, err := http.NewRequest(http.MethodGet, srv.URL+target, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", "test")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	srv.Close() // when all is written down
	want := []Entry{
		{Path: "/status", Query: "a=b", Status: http.StatusTeapot},
		{Path: "/hint", Status: http.StatusOK, Bytes: 12},
		{Path: "/body", Status: http.StatusOK, Bytes: 4},
		{Path: "/nothing", Status: http.StatusOK},
	}
	for i := range want {
		want[i].Method, want[i].UserAgent, want[i].Type = http.MethodGet, "test", "text/plain"
	}
	got := j.Select(func(Entry) bool { return true })
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Entry{}, "At")); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	if got := j.Select(func(e Entry) bool { return e.Path == "/body" }); len(got) != 1 {
		t.Errorf("selected %d entries, want 1", len(got))
	}
}
