package ceiling

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAnswer sends what was taken down.
func TestAnswer(t *testing.T) {
	a := Answer{http.Header{"X-Service-Source": {"x"}, "Content-Length": {"4"}, "Content-Type": {"text/plain"}}, []byte("body")}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, nil)
	if diff := cmp.Diff(a, Answer{w.Header(), w.Body.Bytes()}); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// TestBare drops the headers that only the hop sends.
func TestBare(t *testing.T) {
	a := Answer{http.Header{"X-Service-Source": {"x"}, "Content-Length": {"4"}, "Content-Type": {"text/plain"}, "Content-Encoding": {"gzip"}}, []byte("body")}
	want := Answer{http.Header{"Content-Length": {"4"}, "Content-Type": {"text/plain"}, "Content-Encoding": {"gzip"}}, []byte("body")}
	if diff := cmp.Diff(want, a.Bare()); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}
