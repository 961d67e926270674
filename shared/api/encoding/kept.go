package encoding

import (
	"hash/maphash"
	"slices"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
)

// Compressing a page of search results takes three times as long as all else that the
// server does for it, and the same pages are asked for again and again. Two things are kept for that: whole
// answers by what they answer (a [Memory] of its own for each server), and compressed
// bodies by their bytes (for the process). The second serves callers of other countries and
// browsers, whose own counters are mostly the same, and goes on when counters changed
// elsewhere.

// entrySize is what an entry takes beside its body, in bytes.
const entrySize = 200

// A Body is a body in a coding.
type Body struct {
	Coding Coding
	Bytes  []byte // which nobody may change
}

// A key identifies what is kept. Two hashes with seeds that differ in each process make
// 128 bits, so two texts with the same key are not to be expected, and cannot be looked
// for from outside.
type key struct {
	hashes [2]uint64
	coding Coding // that was asked for
}

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// A Memory keeps bodies that were offered to it twice, of which those that are asked for
// often stay longest. It may be used concurrently.
type Memory struct {
	cache   *otter.Cache[key, Body]
	longest int           // of a body, in bytes
	version atomic.Uint64 // of what the bodies show

	// once holds keys that were offered, each in the place that its hash gives it, where
	// the next one replaces it. Without it a caller who asks for each page once would
	// keep the cache busy with what nobody asks for again: the slowest answers took 300 ms,
	// and take 30 with it.
	once [1 << 13]atomic.Uint64
}

// NewMemory returns a memory of bodies that take up to size bytes together. No body
// takes more than a 64th of it.
func NewMemory(size int) *Memory {
	return &Memory{
		cache: otter.Must(&otter.Options[key, Body]{
			MaximumWeight: uint64(size),
			Weigher:       func(_ key, b Body) uint32 { return uint32(len(b.Bytes) + entrySize) },
		}),
		longest: size / 64,
	}
}

// Renew empties m when its bodies show another version. Their slots would not be asked for
// again, but stay until others have been asked for as often.
func (m *Memory) Renew(version uint64) {
	if m.version.Load() != version && m.version.Swap(version) != version {
		m.cache.InvalidateAll()
	}
}

// A Slot is the place of one body in a memory.
type Slot struct {
	memory *Memory
	key    key
}

// Slot returns the place of the body that the texts identify together, for callers
// that want coding c.
func (m *Memory) Slot(c Coding, texts ...string) Slot {
	s := Slot{memory: m, key: key{coding: c}}
	for i, seed := range seeds {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, text := range texts {
			maphash.WriteComparable(&h, len(text)) // so that each list of texts is another
			_, _ = h.WriteString(text)             // a hash never fails
		}
		s.key.hashes[i] = h.Sum64()
	}
	return s
}

// Get returns what is kept in the slot.
func (s Slot) Get() (Body, bool) { return s.memory.cache.GetIfPresent(s.key) }

// Offer keeps a copy of a body in the slot, unless it is too long or was not offered
// before, not long ago.
func (s Slot) Offer(b Body) {
	if len(b.Bytes) > s.memory.longest {
		return
	}
	mark := s.key.hashes[1] + uint64(s.key.coding)
	if s.memory.once[s.key.hashes[0]%uint64(len(s.memory.once))].Swap(mark) != mark {
		return
	}
	b.Bytes = slices.Clone(b.Bytes)
	s.memory.cache.Set(s.key, b)
}

// compressed are the bodies that were compressed lately, some 4,000 pages, by their
// bytes.
var compressed = NewMemory(16 << 20)

// EncodeOften does what [Encode] does, from memory when the same data was compressed
// lately, and more than once. It is for bodies that are rendered for each response and
// are often the same. What send receives must not be changed.
func EncodeOften(c Coding, data []byte, send func([]byte) error) error {
	if c == Identity {
		return send(data)
	}
	s := Slot{compressed, key{coding: c}}
	for i, seed := range seeds {
		s.key.hashes[i] = maphash.Bytes(seed, data)
	}
	if b, ok := s.Get(); ok {
		return send(b.Bytes)
	}
	return Encode(c, data, func(small []byte) error {
		s.Offer(Body{c, small})
		return send(small)
	})
}
