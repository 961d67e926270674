package allowance

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
)

func TestMinutes(t *testing.T) {
	var a, b minutes
	for m := range minutesOfDay {
		if a.has(m) {
			t.Fatalf("minute %d is there before it is added", m)
		}
		if a.add(m); !a.has(m) || a.count() != m+1 {
			t.Fatalf("minute %d is not there, or %d are", m, a.count())
		}
	}
	b.add(0)
	b.add(minutesOfDay - 1)
	c := b
	c.add(7)
	b.join(&c)
	if b.count() != 3 || !b.has(7) || b.has(8) {
		t.Errorf("joined: %d minutes", b.count())
	}
}

func TestMinuteOf(t *testing.T) {
	for moment, want := range map[string]int{
		"2026-11-22T00:00:00Z": 0, "2026-11-22T00:00:59.999Z": 0, "2026-11-22T00:01:00Z": 1, "2026-11-22T23:59:59Z": 1439,
		"2026-11-22T00:00:00+05:30": 1110, "1969-12-31T23:59:30Z": 1439,
	} {
		at, err := time.Parse(time.RFC3339, moment)
		if err != nil {
			t.Fatal(err)
		}
		if got := minuteOf(at); got != want {
			t.Errorf("minuteOf(%s) = %d, want %d", moment, got, want)
		}
	}
}

// docOf returns a document that was read.
func docOf(doc document) store.Doc {
	return store.Doc{Decode: func(v any) error { *v.(*document) = doc; return nil }}
}

// FuzzParse parses documents with any minutes.
func FuzzParse(f *testing.F) {
	f.Add([]byte{}, "2026-11-22")
	f.Add(make([]byte, 180), "")
	f.Add([]byte{255}, "x")
	f.Fuzz(func(t *testing.T, data []byte, day string) {
		s := parse(docOf(document{Minutes: data, Day: day}))
		if n := s.count(); n > 0 && len(data) != len(s) {
			t.Errorf("%d minutes in %d bytes", n, len(data))
		}
	})
}

// A sink is a database that accepts everything and stores nothing.
type sink struct{ store.DB }

func (sink) GetAll(_ context.Context, ps []store.Path) ([]store.Doc, error) {
	return make([]store.Doc, len(ps)), nil
}

func (sink) Update(context.Context, func(store.Tx) error) error { return nil }

// benchMeter returns a meter with networks in its table, and their callers.
func benchMeter(b *testing.B, networks int) (*Meter, []identity.Caller) {
	m := New(Options{DB: sink{}, People: identity.NewPeople(keyringtest.Ring(secret)), Minutes: minutesOfDay, Log: slog.New(slog.DiscardHandler)})
	b.Cleanup(m.abandon)
	callers := make([]identity.Caller, networks)
	for n := range callers {
		callers[n] = from(fmt.Sprintf("2001:db8:%x::1", n))
		_ = m.Watch(callers[n])
	}
	b.ReportAllocs()
	return m, callers
}

func BenchmarkWatch(b *testing.B) {
	for _, networks := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("networks=%d", networks), func(b *testing.B) {
			m, callers := benchMeter(b, networks)
			b.RunParallel(func(pb *testing.PB) {
				for n := 0; pb.Next(); n++ {
					if err := m.Watch(callers[n%networks]); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkWatchSpent is a network without free minutes that goes on asking.
func BenchmarkWatchSpent(b *testing.B) {
	m, callers := benchMeter(b, 1)
	m.o.Minutes = 0
	later := time.Now().Add(2 * time.Minute)
	m.o.Now = func() time.Time { return later }
	_ = m.Watch(callers[0])
	for b.Loop() {
		_ = m.Watch(callers[0])
	}
}

// BenchmarkWatchNew is the first request of each network.
func BenchmarkWatchNew(b *testing.B) {
	m, _ := benchMeter(b, 0)
	var n uint64
	for b.Loop() {
		n++
		_ = m.Watch(identity.Caller{Addr: netip.AddrFrom16([16]byte{0x20, 1, byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})})
	}
}
