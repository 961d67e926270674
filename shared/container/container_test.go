package container

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestCollect checks that a small heap may grow by the bytes that collect is given, and
// that nothing of it is left in the end.
func TestCollect(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // what GOGC says would set another least size of the heap
	const percent, bytes = 25, 16 << 20
	next := func() (growth uint64) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NextGC - min(m.HeapAlloc, m.NextGC)
	}
	before := next()
	end := collect(percent, bytes)
	within := next()
	end()
	after := next()
	// What other tests of the package allocate meanwhile is less than a quarter of it.
	if within < bytes/4*3 || before > bytes/4*3 || after > bytes/4*3 {
		t.Errorf("the heap grows by %d bytes, then %d, then %d; want less than %d, then more, then less", before, within, after, bytes/4*3)
	}
}
