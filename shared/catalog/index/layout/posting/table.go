package posting

import (
	"hash/maphash"
	"math/bits"
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

// TableOf returns the table of n things by their keys. Of equal keys the first is kept.
func TableOf(n int, key func(uint32) []byte) Table {
	t := NewTable(n)
	if len(t.slots) <= nearSlots {
		for i := range uint32(n) {
			t.Put(i, key)
		}
		return t
	}
	entries := make([]uint64, n)
	for i := range entries {
		hash := maphash.Bytes(seed, key(uint32(i)))
		entries[i] = hash&uint64(len(t.slots)-1)<<32 | uint64(uint32(hash>>32)&^slotMask|uint32(i+1))
	}
	for _, e := range BySlot(entries, len(t.slots)) {
		t.put(e>>32, uint32(e), key)
	}
	return t
}

// nearSlots is how many slots the processor keeps near: tables of more are filled region
// by region, which takes a third of the time.
const nearSlots = 1 << 17

// BySlot sorts entries, which have a slot of a hash table of the given size in their
// upper half, by regions of that table. The size is a power of 2.
func BySlot(entries []uint64, size int) []uint64 {
	if size <= nearSlots {
		return entries
	}
	end := 32 + bits.TrailingZeros(uint(size))
	return SortBits(entries, end-8, end)
}

// Put adds i by its key. Of equal keys the first is kept.
func (t Table) Put(i uint32, key func(uint32) []byte) {
	hash := maphash.Bytes(seed, key(i))
	t.put(hash&uint64(len(t.slots)-1), uint32(hash>>32)&^slotMask|(i+1), key)
}

// put puts a slot where it should be, or behind.
func (t Table) put(at uint64, slot uint32, key func(uint32) []byte) {
	mask := uint64(len(t.slots) - 1)
	for ; ; at = (at + 1) & mask {
		switch s := t.slots[at]; {
		case s == 0:
			t.slots[at] = slot
			return
		case (s^slot)&^slotMask == 0 && string(key(s&slotMask-1)) == string(key(slot&slotMask-1)):
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
