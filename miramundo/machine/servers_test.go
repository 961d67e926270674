package machine

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
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
