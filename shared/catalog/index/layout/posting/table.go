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
	BySlot(n, len(t.slots), func(i uint32) uint64 { return t.entry(i, key) }, func(e uint64) { t.put(e, key) })
	return t
}

// BySlot calls put with the entry of each of n things for a hash table of the given size, a
// power of 2. The upper half of an entry is the slot at which the thing should be. The
// entries of a large table come region by region, which takes a third of the time.
func BySlot(n, size int, entry func(i uint32) uint64, put func(entry uint64)) {
	const near = 1 << 17 // slots that the processor keeps near
	if size <= near {
		for i := range uint32(n) {
			put(entry(i))
		}
		return
	}
	entries := takeWords(n)
	defer putWords(entries)
	for i := range entries {
		entries[i] = entry(uint32(i))
	}
	end := 32 + bits.TrailingZeros(uint(size))
	SortBits(entries, end-8, end)
	for _, e := range entries {
		put(e)
	}
}

// Put adds i by its key. Of equal keys the first is kept.
func (t Table) Put(i uint32, key func(uint32) []byte) { t.put(t.entry(i, key), key) }

// entry returns the slot at which i should be, above what stands in it.
func (t Table) entry(i uint32, key func(uint32) []byte) uint64 {
	hash := maphash.Bytes(seed, key(i))
	return hash&uint64(len(t.slots)-1)<<32 | uint64(uint32(hash>>32)&^slotMask|(i+1))
}

// put puts an entry into its slot, or into the next that is free.
func (t Table) put(entry uint64, key func(uint32) []byte) {
	at, slot, mask := entry>>32, uint32(entry), uint64(len(t.slots)-1)
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
