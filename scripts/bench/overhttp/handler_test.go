package overhttp

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/source/collect"
)

// saved returns a file with a snapshot of the real catalog, and requests of the mix.
func saved(b *testing.B) (file string, calls []*http.Request) {
	b.Helper()
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
	file = filepath.Join(b.TempDir(), "snapshot")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		b.Fatal(err)
	}
	for _, target := range mix(reg) {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36")
		calls = append(calls, r)
	}
	return file, calls
}

// BenchmarkHandler answers the mix without a network, to measure the cost of a
// request above net/http.
func BenchmarkHandler(b *testing.B) {
	file, calls := saved(b)
	h, err := newService(file)
	if err != nil {
		b.Fatal(err)
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

// BenchmarkCounting reports by how many percent the counting of its use makes a search
// dearer: the median of rounds in which the service answers the same searches without
// it, with it, and without it again.
func BenchmarkCounting(b *testing.B) {
	file, calls := saved(b)
	view, err := open(file) // one for both, which the caches of the processor hold
	if err != nil {
		b.Fatal(err)
	}
	var handlers [2]http.Handler
	for i, count := range []func(*request.Call){nil, counting()} {
		if handlers[i], err = service(view, count); err != nil {
			b.Fatal(err)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w := &sink{header: http.Header{}}
	round := func(h http.Handler, calls []*http.Request) float64 {
		start := threadTime(b)
		for _, r := range calls {
			clear(w.header)
			h.ServeHTTP(w, r)
		}
		return float64(threadTime(b)-start) / float64(len(calls))
	}
	var without, dearer []float64
	for i := 0; b.Loop(); i++ {
		part := calls[i%10*len(calls)/10 : (i%10+1)*len(calls)/10]
		first, second, third := round(handlers[0], part), round(handlers[1], part), round(handlers[0], part)
		without = append(without, (first+third)/2)
		dearer = append(dearer, 100*(second/((first+third)/2)-1))
	}
	b.ReportMetric(median(without, itself), "ns/search")
	b.ReportMetric(median(dearer, itself), "%dearer")
}

// threadTime returns the processor time of this thread, in nanoseconds: other load of
// the machine does not count.
func threadTime(b *testing.B) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return t.Nano()
}

// sink is a response that counts its bytes and drops them.
type sink struct {
	header http.Header
	n      int64
}

func (s *sink) Header() http.Header            { return s.header }
func (s *sink) WriteHeader(int)                {}
func (s *sink) Write(data []byte) (int, error) { s.n += int64(len(data)); return len(data), nil }
