package overhttp

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/source/collect"
)

// BenchmarkHandler answers the mix without a network, to measure the cost of a
// request above net/http.
func BenchmarkHandler(b *testing.B) {
	const dir = "../../../../shared/data/catalog"
	if _, err := os.Stat(dir); err != nil {
		b.Skip("no ../shared/data")
	}
	place := collect.Folder(dir)
	ds, err := collect.Load(b.Context(), collect.Plan{IPTVOrg: place, Radio: place}, collect.Options{})
	if err != nil {
		b.Fatal(err)
	}
	reg, _ := build.Register(ds, nil, time.Now())
	ix, err := index.Build(reg)
	if err != nil {
		b.Fatal(err)
	}
	data, err := ix.Encode()
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "snapshot")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		b.Fatal(err)
	}
	h, err := newService(file)
	if err != nil {
		b.Fatal(err)
	}
	var calls []*http.Request
	for _, target := range mix(reg) {
		calls = append(calls, httptest.NewRequest(http.MethodGet, target, nil))
	}
	w := &sink{header: http.Header{}}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		clear(w.header)
		h.ServeHTTP(w, calls[i%len(calls)])
	}
	b.SetBytes(w.n / int64(b.N))
}

// sink is a response that counts its bytes and drops them.
type sink struct {
	header http.Header
	n      int64
}

func (s *sink) Header() http.Header            { return s.header }
func (s *sink) WriteHeader(int)                {}
func (s *sink) Write(data []byte) (int, error) { s.n += int64(len(data)); return len(data), nil }
