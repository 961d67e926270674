package posting_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog/index/layout/posting"
)

// TestTableOf checks that a table finds what it was made of, also one so large that it is
// filled region by region, and of equal keys the first.
func TestTableOf(t *testing.T) {
	for _, n := range []int{0, 1, 5, 3000, 100_000} {
		key := func(i uint32) []byte { return strconv.AppendUint([]byte("id "), uint64(i%max(uint32(n)*9/10, 1)), 36) }
		table := posting.TableOf(n, key)
		for i := range uint32(n) {
			got, ok := table.Find(key(i), key)
			if want := i % max(uint32(n)*9/10, 1); !ok || got != want {
				t.Fatalf("%d of %d: found %d, %t", i, n, got, ok)
			}
		}
		for _, absent := range []string{"", "id", "id z!", "ID 1"} {
			if got, ok := table.Find([]byte(absent), key); ok {
				t.Errorf("%d things: %q is found as %d", n, absent, got)
			}
		}
	}
}

// TestSortBits checks that keys are sorted by some of their bits, and otherwise keep
// their order.
func TestSortBits(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, test := range []struct {
		n, from, end int
		mask         uint64 // of the bits that differ
	}{
		{0, 0, 64, 0}, {1, 0, 64, ^uint64(0)}, {5000, 0, 64, ^uint64(0)}, {5000, 24, 64, ^uint64(0)}, {5000, 32, 48, ^uint64(0)},
		{5000, 40, 53, ^uint64(0)}, {5000, 3, 5, ^uint64(0)}, {5000, 0, 64, 0xff00ff00}, {5000, 0, 64, 0}, {5000, 60, 64, ^uint64(0)},
	} {
		keys := make([]uint64, test.n)
		for i := range keys {
			keys[i] = r.Uint64() & test.mask
		}
		bits := func(key uint64) uint64 { return key << (64 - test.end) >> (64 - test.end + test.from) }
		want := slices.SortedStableFunc(slices.Values(keys), func(a, b uint64) int { return cmp.Compare(bits(a), bits(b)) })
		posting.SortBits(keys, test.from, test.end)
		if d := gocmp.Diff(want, keys); test.n > 0 && d != "" {
			t.Errorf("%d keys by bits %d to %d of %x (-want +got):\n%s", test.n, test.from, test.end, test.mask, d)
		}
	}
}
