package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTable shows the table of the hop, so that a change to it is seen in
// review.
func TestTable(t *testing.T) {
	var b strings.Builder
	for _, rt := range New(Options{}).routes() {
		fmt.Fprintf(&b, "%s %s\n", rt.Method, rt.Path)
		for _, h := range append(rt.Policy.Shared, rt.Policy.Headers...) {
			fmt.Fprintf(&b, "\t%s: %s\n", h.Name, strings.Join(h.Values, ", "))
		}
		fmt.Fprintf(&b, "\tscripts may send: %s\n", strings.Join(rt.Policy.Allow, ", "))
	}
	const shared = `	Access-Control-Allow-Origin: *
	X-Robots-Tag: noindex
	Access-Control-Expose-Headers: X-Service-Upstream-Status, X-Service-Source, X-Service-Website, X-Service-Legacy, X-Service-Media-HTTP, Age, PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, X-Request-Id
	Cache-Control: no-store
	Cross-Origin-Resource-Policy: cross-origin
	Timing-Allow-Origin: *
	scripts may send: Accept-Language, Authorization, Content-Type, Range, X-Credito, X-Guest-Token, X-PAYMENT, PAYMENT-SIGNATURE
`
	want := "GET /api/s/{id}\n" + shared + "GET /api/health\n" + shared
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
