package posting

import (
	"hash/maphash"
)

// seed makes hashes unpredictable to callers that choose ids.
var seed = maphash.MakeSeed()

// A Table finds the number of a key among things that it does not hold: an
// open-addressing hash table of numbers alone, which the garbage collector
// does not look into. A slot is number+1 below 7 bits of the hash, which spare
// most comparisons with other keys; an empty one is 0.
type Table struct {
	slots []uint32
}

const (
	slotBits = 25 // of number+1
	slotMask = 1<<slotBits - 1
)

// NewTable returns a table with room for n things.
func NewTable(n int) Table {
	size := 4
	for size < n+n/2 {
		size *= 2
	}
	return Table{make([]uint32, size)}
}

// Put records that i has a key. The first of equal keys is kept.
func (t Table) Put(k []byte, i uint32, key func(uint32) []byte) {
	hash, mask := maphash.Bytes(seed, k), uint64(len(t.slots)-1)
	tag := uint32(hash>>32) &^ slotMask
	for at := hash & mask; ; at = (at + 1) & mask {
		switch s := t.slots[at]; {
		case s == 0:
			t.slots[at] = tag | (i + 1)
			return
		case s&^slotMask == tag && string(key(s&slotMask-1)) == string(k):
			return
		}
	}
}

// Find returns the number of k.
func (t Table) Find(k []byte, key func(uint32) []byte) (uint32, bool) {
	hash, mask := maphash.Bytes(seed, k), uint64(len(t.slots)-1)
	tag := uint32(hash>>32) &^ slotMask
	for at := hash & mask; ; at = (at + 1) & mask {
		s := t.slots[at]
		if s == 0 {
			return 0, false
		}
		if s&^slotMask == tag && string(key(s&slotMask-1)) == string(k) {
			return s&slotMask - 1, true
		}
	}
}
