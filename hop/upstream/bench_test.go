package upstream

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/hop/ticket"
	"miramundo.dev/shared/catalog"
)

// thousand is a live playlist of about a thousand lines.
var thousand = media(1) + strings.Repeat("#EXTINF:6.000,\nsegment-of-a-common-length.ts\n", 500)

// BenchmarkFresh gets copies that are fresh, from all processors at once.
func BenchmarkFresh(b *testing.B) {
	for _, keys := range []int{1, 1000} {
		b.Run(fmt.Sprintf("keys=%d", keys), func(b *testing.B) {
			r := newRig(b, respond(media(1)))
			requests := make([]Request, keys)
			for i := range requests {
				requests[i] = Request{Stream: catalog.StreamID(i), Origin: fmt.Sprintf("%s/live/%d/index.m3u8", r.URL, i)}
				r.must(b, requests[i])
			}
			var from atomic.Int64
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for i := int(from.Add(100)); pb.Next(); i++ {
					if _, err := r.Get(b.Context(), requests[i%keys]); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkBelow is BenchmarkFresh for a playlist below the stream's own.
func BenchmarkBelow(b *testing.B) {
	r := newRig(b, respond(media(1)))
	req := r.request()
	req.Ticket = &ticket.Ticket{URL: r.URL + "/live/low.m3u8", Depth: 1}
	r.must(b, req)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Get(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFetch looks after a playlist each time: one that has changed, and
// one that has not. The time of the origin, on loopback, is within.
func BenchmarkFetch(b *testing.B) {
	for _, name := range []string{"changed", "unchanged"} {
		b.Run(name, func(b *testing.B) {
			var n atomic.Int64
			r := newRig(b, func(w http.ResponseWriter, _ *http.Request) {
				if name == "changed" {
					fmt.Fprintf(w, "%s#%d\n", thousand, n.Add(1))
					return
				}
				io.WriteString(w, thousand)
			})
			b.ReportAllocs()
			for b.Loop() {
				r.must(b, r.request())
				r.clock.advance(10 * time.Second)
			}
		})
	}
}

// BenchmarkHerd has ten thousand players ask for a playlist in the second in
// which it gets old, and reports how often the origin was asked.
func BenchmarkHerd(b *testing.B) {
	r := newRig(b, respond(thousand))
	r.must(b, r.request())
	for b.Loop() {
		r.clock.advance(time.Second)
		var all sync.WaitGroup
		for range 10_000 {
			all.Go(func() { r.must(b, r.request()) })
		}
		all.Wait()
		r.waitIdle(r.request())
	}
	b.ReportMetric(float64(r.asked.Load()-1)/float64(b.N), "fetches/second")
}

// BenchmarkGzip packs a playlist of a thousand lines.
func BenchmarkGzip(b *testing.B) {
	r := newRig(b, respond(thousand))
	cp := r.must(b, r.request())
	b.SetBytes(int64(len(cp.Body)))
	b.ReportMetric(float64(len(cp.Body)), "bytes")
	for b.Loop() {
		compress(cp.Body)
	}
	b.ReportMetric(float64(len(gzipped(cp))), "packed_bytes")
}
