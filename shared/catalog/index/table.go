package index

import "hash/maphash"

// seed makes hashes unforeseeable to those who choose ids.
var seed = maphash.MakeSeed()

// A table finds the number of a key among things that it does not hold: an
// open-addressing hash table of numbers alone, which the garbage collector
// does not look into.
type table struct {
	slots []uint32 // number+1, or 0
}

// newTable numbers n things by their keys. The first of equal keys is kept.
func newTable(n int, key func(i uint32) []byte) table {
	size := 4
	for size < n+n/2 {
		size *= 2
	}
	t := table{make([]uint32, size)}
	for i := range uint32(n) {
		t.put(maphash.Bytes(seed, key(i)), i, key)
	}
	return t
}

func (t table) put(hash uint64, i uint32, key func(uint32) []byte) {
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch s := t.slots[at]; {
		case s == 0:
			t.slots[at] = i + 1
			return
		case string(key(s-1)) == string(key(i)):
			return
		}
	}
}

// find returns the number of k.
func (t table) find(k []byte, key func(uint32) []byte) (uint32, bool) {
	mask := uint64(len(t.slots) - 1)
	for at := maphash.Bytes(seed, k) & mask; ; at = (at + 1) & mask {
		s := t.slots[at]
		if s == 0 {
			return 0, false
		}
		if string(key(s-1)) == string(k) {
			return s - 1, true
		}
	}
}
