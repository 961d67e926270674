package measure_test

import (
	"sync"
	"testing"

	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/probetest"
)

// TestFleet measures 500 origins, of which each has its own way, 64 at a time.
func TestFleet(t *testing.T) {
	f, err := probetest.Start(500)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := f.Measurer()
	results := make([]probe.Result, len(f.Cases))
	var workers sync.WaitGroup
	next := make(chan int)
	for range 64 {
		workers.Go(func() {
			for i := range next {
				results[i] = m.Measure(t.Context(), f.Cases[i].Target)
			}
		})
	}
	for i := range f.Cases {
		next <- i
	}
	close(next)
	workers.Wait()
	for i, c := range f.Cases {
		checkCase(t, c, results[i])
	}
	if most, host := f.Most(); most != 1 {
		t.Errorf("%d requests at once to %s", most, host)
	}
	t.Logf("%d requests", f.Requests())
}

// checkCase compares what was measured with what is to be found.
func checkCase(t *testing.T, c probetest.Case, r probe.Result) {
	t.Helper()
	if r.Status != c.Want || r.Closed != c.Closed || c.Height != 0 && r.Height != c.Height {
		t.Errorf("%s at %s: %+v\nwant %s, closed %t, %d lines", c.Kind, c.Target.URL, r, c.Want, c.Closed, c.Height)
	}
	if (r.Status == probe.Online) != (r.Reason == "") || (r.Status == probe.Online) && (r.Latency <= 0 || r.Requests == 0 || r.Bytes == 0) {
		t.Errorf("%s at %s: %+v does not agree with itself", c.Kind, c.Target.URL, r)
	}
	if r.Requests > 12 || r.Bytes > 2<<20+512<<10 {
		t.Errorf("%s: %d requests and %d bytes", c.Kind, r.Requests, r.Bytes)
	}
}
