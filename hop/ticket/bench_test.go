package ticket

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkTicket signs and verifies addresses of three sizes that share
// nothing with the origin but its host.
func BenchmarkTicket(b *testing.B) {
	s := New(keys(secret), at(noon))
	for _, size := range []int{150, 1000, 4096} {
		url := binding.Origin[:24] + strings.Repeat("t", size-24)
		bind := Binding{Stream: 1, Origin: binding.Origin}
		text := sign(b, s, bind, Ticket{URL: url, Depth: 1})
		forged := text[:len(text)-4] + "AAAA"
		b.Run(fmt.Sprintf("sign/%d", size), func(b *testing.B) {
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if dst, err = s.Append(dst[:0], bind, Ticket{URL: url, Depth: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("verify/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := s.Open(bind, text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("refuse/%d", size), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := s.Open(bind, forged); err == nil {
					b.Fatal("good")
				}
			}
		})
	}
}
