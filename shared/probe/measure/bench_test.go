package measure_test

import (
	"testing"

	"miramundo.dev/shared/probe/probetest"
)

// BenchmarkMeasure measures a live stream in variants, and a station, over the
// loopback network. The waiting for the playlist is not part of it.
func BenchmarkMeasure(b *testing.B) {
	f, err := probetest.Start(100)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	m := f.Measurer()
	for _, kind := range []string{"live", "fragments", "transport", "MP3", "DASH", "404"} {
		for _, c := range f.Cases {
			if c.Kind != kind {
				continue
			}
			b.Run(kind, func(b *testing.B) {
				b.ReportAllocs()
				var bytes int64
				for b.Loop() {
					r := m.Measure(b.Context(), c.Target)
					if r.Status != c.Want {
						b.Fatalf("%+v, want %s", r, c.Want)
					}
					bytes += r.Bytes
				}
				b.ReportMetric(float64(bytes)/float64(b.N), "bodyB/op")
			})
			break
		}
	}
}
