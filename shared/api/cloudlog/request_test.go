package cloudlog

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRequest checks that a request is an object in the form of the cloud here,
// and a group of plain values in the standard library's handler.
func TestRequest(t *testing.T) {
	r := &Request{Method: KnownMethod("GET"), Route: "/api/x/{id}", Status: 404, Size: 12, Latency: 1500 * time.Microsecond}
	got := line(t, func(l *slog.Logger) { l.Info("/api/x/{id}", RequestKey, r) })
	want := map[string]any{"severity": "INFO", "message": "/api/x/{id}", "httpRequest": map[string]any{
		"requestMethod": "GET", "requestUrl": "/api/x/{id}", "status": 404.0, "responseSize": "12", "latency": "0.001500s",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("m", RequestKey, r)
	text := "httpRequest.method=GET httpRequest.route=/api/x/{id} httpRequest.status=404 httpRequest.size=12 httpRequest.latency=1.5ms\n"
	if !strings.HasSuffix(b.String(), text) {
		t.Errorf("the text is %s, want it to end with %s", b.String(), text)
	}
}

func TestKnownMethod(t *testing.T) {
	for method, want := range map[string]string{"GET": "GET", "OPTIONS": "OPTIONS", "get": "OTHER", "SECRET": "OTHER", "": "OTHER"} {
		if got := KnownMethod(method); got != want {
			t.Errorf("KnownMethod(%q) = %q, want %q", method, got, want)
		}
	}
}
