// Package docset knows sets of document numbers: as ascending lists and as
// bits.
//
// Lists serve small sets, bits serve large ones; every operation that meets
// both exists, so that a search walks the smaller and looks in the larger.
package docset

import "math/bits"

// Bits are a set of the numbers below 64 times its length. A nil Bits is to be
// used by callers as "every number"; the methods do not.
type Bits []uint64

// NewBits returns an empty set of numbers below n.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Has reports whether i is in b.
func (b Bits) Has(i uint32) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// Add puts i in b.
func (b Bits) Add(i uint32) { b[i>>6] |= 1 << (i & 63) }

// Remove takes i out of b.
func (b Bits) Remove(i uint32) { b[i>>6] &^= 1 << (i & 63) }

// AddAll puts list in b.
func (b Bits) AddAll(list []uint32) {
	for _, i := range list {
		b.Add(i)
	}
}

// And keeps in b what is also in o.
func (b Bits) And(o Bits) {
	o = o[:len(b)]
	for i := range b {
		b[i] &= o[i]
	}
}

// AndNot takes out of b what is in o.
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

// Append adds the numbers of b, ascending, to dst.
func (b Bits) Append(dst []uint32) []uint32 {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, uint32(i<<6|bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// Page adds to dst the limit numbers of b, ascending, that follow the first
// skip.
func (b Bits) Page(dst []uint32, skip, limit int) []uint32 {
	return page(b, 0, dst, skip, limit)
}

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

// Ranked are bits with a directory that finds the n-th number fast. They are
// not to be changed.
type Ranked struct {
	Bits
	Size  int      // how many numbers are in the set
	ranks []uint32 // how many are in it before each block of words
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

// Page adds to dst the limit numbers of r, ascending, that follow the first
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

// KeepBits adds to dst those of list that are in b. Dst may be list[:0].
func KeepBits(dst, list []uint32, b Bits) []uint32 {
	for _, i := range list {
		if b.Has(i) {
			dst = append(dst, i)
		}
	}
	return dst
}

// Intersect adds to dst what is in both ascending lists. Dst may be a[:0]. It
// is fast when a is the shorter.
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

// A Set is some numbers, as a list or as bits or both.
type Set struct {
	Size int
	List []uint32 // nil when they are too many to walk
	Bits Bits     // nil when they are few
}

// A set of more than 1/HeavyShare of all numbers is kept as bits, which then
// take no more memory than the list; one of fewer than 1/DriverShare can drive
// a search: it is walked, and the other sets are looked into.
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

// BitsSet returns the set of b, of numbers below n, in the forms that its size
// asks for.
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
