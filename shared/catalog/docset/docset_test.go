package docset_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog/docset"
)

func random(r *rand.Rand, n int, share float64) []uint32 {
	var list []uint32
	for i := range n {
		if r.Float64() < share {
			list = append(list, uint32(i))
		}
	}
	return list
}

func bitsOf(n int, list []uint32) docset.Bits {
	b := docset.NewBits(n)
	b.AddAll(list)
	return b
}

// TestSets compares every operation with its definition, on sets of all
// densities and on sizes around the words' and blocks'.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 63, 64, 65, 511, 512, 513, 5000} {
		for _, share := range []float64{0, 0.001, 0.02, 0.5, 1} {
			for _, other := range []float64{0, 0.01, 0.5, 1} {
				checkSets(t, r, n, random(r, n, share), random(r, n, other))
			}
		}
	}
}

func checkSets(t *testing.T, r *rand.Rand, n int, a, b []uint32) {
	t.Helper()
	var both, only []uint32
	for _, i := range a {
		if slices.Contains(b, i) {
			both = append(both, i)
		} else {
			only = append(only, i)
		}
	}
	equal := func(what string, got, want []uint32) {
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("%s of %d and %d of %d numbers (-want +got):\n%s", what, len(a), len(b), n, d)
		}
	}
	and, not := bitsOf(n, a), bitsOf(n, a)
	and.And(bitsOf(n, b))
	not.AndNot(bitsOf(n, b))
	equal("And", and.Append(nil), both)
	equal("AndNot", not.Append(nil), only)
	equal("Intersect", docset.Intersect(nil, a, b), both)
	equal("Intersect in place", docset.Intersect(slices.Clone(a)[:0:len(a)], slices.Clone(a), b), both)
	equal("KeepBits", docset.KeepBits(nil, a, bitsOf(n, b)), both)
	if got := bitsOf(n, a).CountBoth(bitsOf(n, b)); got != len(both) {
		t.Fatalf("CountBoth = %d, want %d", got, len(both))
	}
	ranked := docset.Rank(bitsOf(n, a))
	if ranked.Size != len(a) || bitsOf(n, a).Count() != len(a) {
		t.Fatalf("a set of %d has size %d", len(a), ranked.Size)
	}
	for name, s := range map[string]docset.Set{"ListSet": docset.ListSet(a, n), "BitsSet": docset.BitsSet(bitsOf(n, a), n)} {
		if s.Size != len(a) || s.List == nil && s.Bits == nil && len(a) > 0 {
			t.Fatalf("%s of %d numbers: %d, list %v, bits %v", name, len(a), s.Size, s.List != nil, s.Bits != nil)
		}
		if s.List != nil {
			equal(name+" as a list", s.List, a)
		}
		if s.Bits != nil {
			equal(name+" as bits", s.Bits.Append(nil), a)
		}
	}
	skip, limit := r.IntN(len(a)+3), r.IntN(50)
	want := a[min(skip, len(a)):min(skip+limit, len(a))]
	equal("Page of ranked", ranked.Page(nil, skip, limit), want)
	equal("Page", bitsOf(n, a).Page(nil, skip, limit), want)
}

func TestRemove(t *testing.T) {
	b := bitsOf(200, []uint32{3, 64, 199})
	b.Remove(64)
	if b.Has(64) || !b.Has(3) || !b.Has(199) || b.Count() != 2 {
		t.Errorf("after Remove(64): %v", b.Append(nil))
	}
}
