package audience

import (
	"context"
	"testing"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
)

// A sink is a bus that accepts everything and delivers nothing.
type sink struct{ bus.Bus }

func (sink) Publish(context.Context, string, ...bus.Event) error { return nil }

func benchCounter(b *testing.B) *Counter {
	c := New(Options{Bus: sink{}, People: identity.NewPeople(keyringtest.Ring(secret))})
	b.Cleanup(func() { _ = c.Close(context.Background()) })
	b.ReportAllocs()
	return c
}

// BenchmarkPlay is a repeated play, which nearly every request is.
func BenchmarkPlay(b *testing.B) {
	c := benchCounter(b)
	people := make([]identity.Caller, 1024)
	for n := range people {
		people[n] = caller(n)
	}
	b.RunParallel(func(pb *testing.PB) {
		for n := 0; pb.Next(); n++ {
			c.Play(people[n&1023], "RecordNews.br")
		}
	})
}

func BenchmarkPlayOfOne(b *testing.B) {
	c := benchCounter(b)
	who := caller(1)
	who.UserAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.Play(who, "RecordNews.br")
		}
	})
}

// BenchmarkPlayNew is the first play of each person.
func BenchmarkPlayNew(b *testing.B) {
	c := benchCounter(b)
	who := caller(1)
	var n uint32
	for b.Loop() {
		n++
		who.Addr = caller(int(n)).Addr
		who.UserAgent = string([]byte{byte(n >> 8), byte(n >> 16), byte(n >> 24)})
		c.Play(who, "RecordNews.br")
	}
}

func BenchmarkLatency(b *testing.B) {
	c := benchCounter(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.Latency("RecordNews.br", "BR", time.Millisecond)
		}
	})
}
