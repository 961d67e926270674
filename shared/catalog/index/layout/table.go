package layout

import (
	"hash/maphash"

	"miramundo.dev/shared/catalog/snapshot"
)

// seed makes hashes unforeseeable to those who choose ids.
var seed = maphash.MakeSeed()

// A table finds the number of a key among things that it does not hold: an
// open-addressing hash table of numbers alone, which the garbage collector
// does not look into. A slot is number+1 below 7 bits of the hash, which spare
// most comparisons with other keys; an empty one is 0.
type table struct {
	slots []uint32
}

const (
	slotBits = 25 // of number+1
	slotMask = 1<<slotBits - 1
)

// newTable returns a table with room for n things.
func newTable(n int) table {
	size := 4
	for size < n+n/2 {
		size *= 2
	}
	return table{make([]uint32, size)}
}

// put notes that i has a key. The first of equal keys is kept.
func (t table) put(k []byte, i uint32, key func(uint32) []byte) {
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

// find returns the number of k.
func (t table) find(k []byte, key func(uint32) []byte) (uint32, bool) {
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

// aliases lead from ids that were once published to those that took their
// place.
type aliases struct {
	texts snapshot.Texts // from, to, and so on
	from  table
}

func newAliases(t *snapshot.Texts) aliases {
	a := aliases{*t, newTable(t.Len() / snapshot.AliasWidth)}
	for i := range uint32(t.Len() / snapshot.AliasWidth) {
		a.from.put(a.key(i), i, a.key)
	}
	return a
}

func (a *aliases) key(i uint32) []byte { return a.texts.At(i * snapshot.AliasWidth) }

// next returns where id leads.
func (a *aliases) next(id string) (string, bool) {
	i, ok := a.from.find([]byte(id), a.key)
	if !ok {
		return "", false
	}
	return string(a.texts.At(i*snapshot.AliasWidth + 1)), true
}

// all returns where each id leads.
func (a *aliases) all() map[string]string {
	m := make(map[string]string, a.texts.Len()/snapshot.AliasWidth)
	for i := range uint32(a.texts.Len() / snapshot.AliasWidth) {
		m[string(a.key(i))] = string(a.texts.At(i*snapshot.AliasWidth + 1))
	}
	return m
}

// Aliases returns where ids that were once published lead: of channels, and of
// streams.
func (ix *Index) Aliases() (channels, streams map[string]string) {
	return ix.channelTo.all(), ix.streamTo.all()
}
