package encoding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// often returns data in coding c as EncodeOften sends it, and the address of its first byte.
func often(t testing.TB, c Coding, data []byte) (out []byte, at *byte) {
	t.Helper()
	err := EncodeOften(c, data, func(body []byte) error {
		out, at = bytes.Clone(body), unsafe.SliceData(body)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, at
}

// TestEncodeOften checks that bodies come back as they were, and that the same bytes are
// compressed no more once they came twice, whatever was compressed meanwhile.
func TestEncodeOften(t *testing.T) {
	for name, data := range samples {
		for _, c := range []Coding{Zstd, Gzip, Identity} {
			var kept *byte
			for n := range 4 {
				out, at := often(t, c, bytes.Clone(data))
				if got := decode(t, c, out); !bytes.Equal(got, data) {
					t.Errorf("%s in %s came back as %.20q, not %.20q", name, c, got, data)
				}
				switch {
				case n == 2:
					kept = at
				case n == 3 && c != Identity && kept != at:
					t.Errorf("%s was compressed again in %s", name, c)
				}
				often(t, c, noise(3000+n))
			}
		}
	}
	if err := EncodeOften(Gzip, samples["text"], func([]byte) error { return io.ErrShortWrite }); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("the error of send became %v", err)
	}
}

// TestSlots checks that each list of texts has a slot of its own, in each coding.
func TestSlots(t *testing.T) {
	m := NewMemory(1 << 20)
	slots := map[string]Slot{}
	for _, texts := range [][]string{{}, {""}, {"a"}, {"a", ""}, {"", "a"}, {"a", "b"}, {"ab"}, {"ab", ""}, {"b", "a"}, {"a\x00", "b"}, {"a", "\x00b"}} {
		for _, c := range []Coding{Zstd, Gzip, Identity} {
			name := fmt.Sprintf("%s%q", c, texts)
			slots[name] = m.Slot(c, texts...)
			body := []byte(name)
			slots[name].Offer(Body{c, body})
			slots[name].Offer(Body{c, body})
			clear(body) // as one who uses a buffer again
			if got, ok := m.Slot(c, texts...).Get(); !ok || string(got.Bytes) != name || got.Coding != c {
				t.Errorf("%s has %q", name, got.Bytes)
			}
		}
	}
	for name, slot := range slots {
		if got, _ := slot.Get(); string(got.Bytes) != name {
			t.Errorf("%s has %q after the others", name, got.Bytes)
		}
	}
}

// TestMemoryIsBounded checks that a memory never takes much more than it may, whatever is put
// into it, and that what is asked for again and again stays.
func TestMemoryIsBounded(t *testing.T) {
	const size = 1 << 20
	m := NewMemory(size)
	hot, long := m.Slot(Gzip, "hot"), m.Slot(Gzip, "long")
	for n := range 3 {
		if _, ok := hot.Get(); ok != (n == 2) {
			t.Errorf("offered %d times, a body is kept: %t", n, ok)
		}
		hot.Offer(Body{Gzip, []byte("hot")})
		long.Offer(Body{Gzip, make([]byte, size/64+1)})
		m.Slot(Zstd, "hot "+strconv.Itoa(n)).Offer(Body{Zstd, []byte("other")})
	}
	if _, ok := long.Get(); ok {
		t.Error("a body of more than a 64th is kept")
	}
	for i := range 5000 {
		for range 2 {
			m.Slot(Gzip, "seldom", strconv.Itoa(i)).Offer(Body{Gzip, make([]byte, 4000)})
		}
		if _, ok := hot.Get(); !ok {
			t.Fatalf("the hot body was dropped after %d others", i)
		}
		if i%100 == 0 {
			m.cache.CleanUp()
			if weight := m.cache.WeightedSize(); weight > size {
				t.Fatalf("%d bytes are kept of at most %d", weight, size)
			}
		}
	}
}

// TestRenew checks that a memory is emptied once for each version.
func TestRenew(t *testing.T) {
	m := NewMemory(1 << 20)
	for _, version := range []uint64{0, 0, 1, 1, 2, 1} {
		before := m.version.Load()
		slot := m.Slot(Gzip, "a")
		slot.Offer(Body{Gzip, []byte("a")})
		slot.Offer(Body{Gzip, []byte("a")})
		m.Renew(version)
		if _, ok := slot.Get(); ok != (version == before) {
			t.Errorf("from version %d to %d, a body is kept: %t", before, version, ok)
		}
	}
}

// TestMemoryConcurrently checks that no slot ever shows the body of another one.
func TestMemoryConcurrently(t *testing.T) {
	m := NewMemory(64 << 10)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 2000 {
				name := fmt.Sprint("body ", i%300)
				slot := m.Slot(Zstd, name)
				if got, ok := slot.Get(); ok && string(got.Bytes) != name {
					t.Errorf("%s has %q", name, got.Bytes)
				}
				slot.Offer(Body{Zstd, []byte(name)})
			}
		})
	}
	wg.Wait()
}

// BenchmarkEncodeOften compresses a page of search results that was compressed before.
func BenchmarkEncodeOften(b *testing.B) {
	data := []byte(strings.Repeat(`{"id":"channel","name":"Channel","country":"BR","languages":["por"]},`, 260))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := EncodeOften(Gzip, data, func([]byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
