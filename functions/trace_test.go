package functions

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/job"
)

// TestTrace adds a favorite and runs a job, with a collector: the event that the request
// published is in its trace, the job is not, and no credential is in either.
func TestTrace(t *testing.T) {
	var mu sync.Mutex
	traces := map[string]string{} // by the name of a span
	var sent bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var all collector.ExportTraceServiceRequest
		if err != nil || proto.Unmarshal(body, &all) != nil {
			t.Errorf("the collector gets %d bytes, %v", len(body), err)
		}
		mu.Lock()
		defer mu.Unlock()
		sent.Write(body)
		for _, r := range all.GetResourceSpans() {
			for _, scope := range r.GetScopeSpans() {
				for _, s := range scope.GetSpans() {
					traces[s.GetName()] = hex.EncodeToString(s.GetTraceId())
				}
			}
		}
	}))
	defer server.Close()
	o := optionsOver(t, openEmbedded(t), fixture)
	o.Config.TraceEndpoint, o.Config.TraceShare = server.URL, 1
	p, err := compose.Open(t.Context(), o, Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	loadCatalog(t.Context(), t, p)
	h := mux(t, p)
	guest := guestTokenOf(t, h, 1)
	r := httptest.NewRequest("POST", "/api/favorites", strings.NewReader(`{"channel_id":"Beacon.uk"}`))
	r.Header.Set("X-Guest-Token", guest)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusOK {
		t.Fatalf("a favorite is answered with %d %s", w.Code, w.Body)
	}
	if _, err := p.Jobs.Run(t.Context(), "outbox-sweep", job.Order{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	of := traces["POST /api/favorites"]
	if of == "" || traces["publish favorites"] != of {
		t.Errorf("the traces are %v", traces)
	}
	if id := traces["job outbox-sweep"]; id == "" || id == of {
		t.Errorf("the job is in the trace %s", id)
	}
	if bytes.Contains(sent.Bytes(), []byte(guest)) {
		t.Error("the collector is sent a credential")
	}
}
