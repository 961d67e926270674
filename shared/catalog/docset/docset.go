// Package docset provides sets of document numbers, as ascending lists and as
// bits.
//
// Lists serve small sets, bits large ones. A search intersects them in the
// cheapest way: it walks the smallest set and looks its numbers up in the
// others. Nothing here is safe for concurrent changes; sets that are not changed
// may be read concurrently.
package docset

import (
	"math/bits"
	"slices"
)

// Bits are a set of the numbers below 64 times its length. A larger number must
// not be passed to a method. Callers use a nil Bits for "every number"; the
// methods do not.
type Bits []uint64

// NewBits returns an empty set of numbers below n.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Has reports whether b contains i.
func (b Bits) Has(i uint32) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// Add adds i to b.
func (b Bits) Add(i uint32) { b[i>>6] |= 1 << (i & 63) }

// Remove removes i from b.
func (b Bits) Remove(i uint32) { b[i>>6] &^= 1 << (i & 63) }

// AddAll adds each number of list to b.
func (b Bits) AddAll(list []uint32) {
	for _, i := range list {
		b.Add(i)
	}
}

// And removes from b the numbers that are not in o, which must be as long.
func (b Bits) And(o Bits) {
	o = o[:len(b)]
	for i := range b {
		b[i] &= o[i]
	}
}

// Or adds to b the numbers of o, which must be as long.
func (b Bits) Or(o Bits) {
	o = o[:len(b)]
	for i := range b {
		b[i] |= o[i]
	}
}

// AndNot removes from b the numbers of o, which must be as long.
func (b Bits) AndNot(o Bits) {
	o = o[:len(b)]
	for i := range b {
		b[i] &^= o[i]
	}
}

// Count returns how many numbers are in b.
func (b Bits) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// CountBoth returns how many numbers are in both b and o.
func (b Bits) CountBoth(o Bits) int {
	n := 0
	o = o[:len(b)]
	for i, w := range b {
		n += bits.OnesCount64(w & o[i])
	}
	return n
}

// Append appends the numbers of b to dst, ascending.
func (b Bits) Append(dst []uint32) []uint32 {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, uint32(i<<6|bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// Page appends to dst the limit numbers of b, ascending, that follow the first
// skip. It counts from the beginning; [Ranked] skips faster.
func (b Bits) Page(dst []uint32, skip, limit int) []uint32 {
	return page(b, 0, dst, skip, limit)
}

// page is Bits.Page from word at of b on.
func page(b Bits, at int, dst []uint32, skip, limit int) []uint32 {
	want := len(dst) + limit
	for ; at < len(b) && len(dst) < want; at++ {
		w := b[at]
		if n := bits.OnesCount64(w); n <= skip {
			skip -= n
			continue
		}
		for ; skip > 0; skip-- {
			w &= w - 1
		}
		for ; w != 0 && len(dst) < want; w &= w - 1 {
			dst = append(dst, uint32(at<<6|bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// Ranked are bits with a directory that finds the n-th number by binary search,
// for the later pages of a list. They must not be changed.
type Ranked struct {
	Bits
	Size  int      // numbers in the set
	ranks []uint32 // by block of words: the numbers before it
}

const block = 8 // words: one cache line

// Rank returns b with a directory.
func Rank(b Bits) Ranked {
	r := Ranked{Bits: b, ranks: make([]uint32, 0, len(b)/block+1)}
	for i, w := range b {
		if i%block == 0 {
			r.ranks = append(r.ranks, uint32(r.Size))
		}
		r.Size += bits.OnesCount64(w)
	}
	return r
}

// Page appends to dst the limit numbers of r, ascending, that follow the first
// skip.
func (r Ranked) Page(dst []uint32, skip, limit int) []uint32 {
	if skip >= r.Size {
		return dst
	}
	lo, hi := 0, len(r.ranks) // the last block with a rank of at most skip is at or after lo, before hi
	for hi-lo > 1 {
		mid := int(uint(lo+hi) / 2)
		if int(r.ranks[mid]) <= skip {
			lo = mid
		} else {
			hi = mid
		}
	}
	return page(r.Bits, lo*block, dst, skip-int(r.ranks[lo]), limit)
}

// KeepBits appends to dst the numbers of list that are in b. Dst may be list[:0].
func KeepBits(dst, list []uint32, b Bits) []uint32 {
	for _, i := range list {
		if b.Has(i) {
			dst = append(dst, i)
		}
	}
	return dst
}

// Intersect appends to dst the numbers that are in both ascending lists. Dst may
// be a[:0]. The list a should be the shorter: when b is 16 times longer or more,
// it is searched instead of walked.
func Intersect(dst, a, b []uint32) []uint32 {
	if len(b) < 16*len(a) {
		return merge(dst, a, b)
	}
	for _, i := range a {
		b = b[gallop(b, i):]
		if len(b) == 0 {
			break
		}
		if b[0] == i {
			dst = append(dst, i)
		}
	}
	return dst
}

// merge is Intersect for lists of similar length.
func merge(dst, a, b []uint32) []uint32 {
	j := 0
	for _, i := range a {
		for j < len(b) && b[j] < i {
			j++
		}
		if j == len(b) {
			break
		}
		if b[j] == i {
			dst = append(dst, i)
		}
	}
	return dst
}

// gallop returns the position of the first number of list that is not below i.
// It takes time by the logarithm of that position, not of the length.
func gallop(list []uint32, i uint32) int {
	step := 1
	for step < len(list) && list[step] < i {
		step *= 2
	}
	lo, hi := step/2, min(step+1, len(list))
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); list[mid] < i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// A Set is a set of numbers, as a list, as bits or as both.
type Set struct {
	Size int      // numbers in the set
	List []uint32 // ascending; nil when they are too many to walk
	Bits Bits     // nil when they are few
}

// Has reports whether s contains i.
func (s *Set) Has(i uint32) bool {
	if s.Bits != nil {
		return s.Bits.Has(i)
	}
	_, ok := slices.BinarySearch(s.List, i)
	return ok
}

// A set of more than 1/HeavyShare of all numbers has bits, which then take no
// more memory than the list; a set of at most 1/DriverShare has a list and can
// drive a search, which walks it and looks its numbers up in the other sets.
const (
	HeavyShare  = 32
	DriverShare = 16
)

// ListSet returns the set of an ascending list of numbers below n. It keeps the
// list.
func ListSet(list []uint32, n int) Set {
	s := Set{Size: len(list), List: list}
	if len(list) > n/HeavyShare {
		s.Bits = NewBits(n)
		s.Bits.AddAll(list)
	}
	return s
}

// BitsSet returns the set of b, of numbers below n, in the forms that suit its
// size. It may keep b.
func BitsSet(b Bits, n int) Set {
	s := Set{Size: b.Count()}
	if s.Size <= n/DriverShare {
		s.List = b.Append(make([]uint32, 0, s.Size))
	}
	if s.Size > n/HeavyShare {
		s.Bits = b
	}
	return s
}
