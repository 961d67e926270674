package meaning

import (
	"bytes"
	"hash/maphash"
)

// A phraseTable finds phrases by their text. The texts stand one after the other
// in one slice, and a phrase is known by its number, so that the table has few
// pointers and takes some 22 bytes for a phrase of the usual length.
type phraseTable struct {
	texts []byte
	ends  []uint32 // by number: where the text ends
	slots []uint32 // numbers by hash, plus 1; 0 for an empty slot
	seed  maphash.Seed
}

// newPhraseTable returns a table with room for n phrases with size bytes.
func newPhraseTable(n, size int) phraseTable {
	slots := 4
	for slots < n+n/2 {
		slots *= 2
	}
	return phraseTable{make([]byte, 0, size), make([]uint32, 0, n), make([]uint32, slots), maphash.MakeSeed()}
}

// find returns the number of a phrase, and where it is or would be in slots.
func (t *phraseTable) find(text []byte) (number, slot uint32, ok bool) {
	mask := uint32(len(t.slots) - 1)
	for slot = uint32(maphash.Bytes(t.seed, text)) & mask; t.slots[slot] != 0; slot = (slot + 1) & mask {
		if number = t.slots[slot] - 1; bytes.Equal(t.at(number), text) {
			return number, slot, true
		}
	}
	return 0, slot, false
}

// at returns the text of a phrase.
func (t *phraseTable) at(number uint32) []byte {
	start := uint32(0)
	if number > 0 {
		start = t.ends[number-1]
	}
	return t.texts[start:t.ends[number]]
}

// add adds a phrase with the next number. It reports false when the table has the
// phrase already.
func (t *phraseTable) add(text []byte) bool {
	_, slot, ok := t.find(text)
	if ok {
		return false
	}
	t.texts = append(t.texts, text...)
	t.ends = append(t.ends, uint32(len(t.texts)))
	t.slots[slot] = uint32(len(t.ends))
	return true
}
