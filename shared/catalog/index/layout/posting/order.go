package posting

import "sync"

// An Order is the records by a rank, the highest first, those of one rank by
// name.
type Order struct {
	Docs []uint32 // in order
	rank func(doc uint32) uint32
}

// ByRank returns the order of n records by a rank of so many bits, 32 at most. It
// keeps rank, whose results must stay the same.
func ByRank(n, bits int, rank func(doc uint32) uint32) Order {
	o := Order{make([]uint32, n), rank}
	keys := takeWords(n)
	defer putWords(keys)
	for doc := range uint32(n) {
		keys[doc] = o.Key(doc)
	}
	SortBits(keys, 32, 32+bits)
	for i, key := range keys {
		o.Docs[i] = uint32(key)
	}
	return o
}

// Key returns a number that is lower for what comes first. Its low half is the
// record.
func (o *Order) Key(doc uint32) uint64 { return uint64(^o.rank(doc))<<32 | uint64(doc) }

// SortBits sorts keys by their bits from the given one up to end, without end. Keys
// whose bits are the same stay as they were. It is a radix sort, a byte at a time.
func SortBits(keys []uint64, from, end int) {
	spare := takeWords(len(keys))
	defer putWords(spare)
	src, dst := keys, spare
	for shift := from; shift < end; shift += 8 {
		mask := uint64(0xff)
		if end-shift < 8 {
			mask = 1<<(end-shift) - 1
		}
		starts, same := digitStarts(src, shift, mask)
		if same {
			continue
		}
		for _, key := range src {
			digit := key >> shift & mask
			dst[starts[digit]] = key
			starts[digit]++
		}
		src, dst = dst, src
	}
	if len(keys) > 0 && &src[0] != &keys[0] {
		copy(keys, src)
	}
}

// digitStarts returns where the keys of each digit begin in the order of digits, and
// whether all keys have the same.
func digitStarts(keys []uint64, shift int, mask uint64) (starts [256]int, same bool) {
	for _, key := range keys {
		starts[key>>shift&mask&0xff]++
	}
	at := 0
	for digit, count := range starts {
		if count == len(keys) {
			return starts, true
		}
		starts[digit] = at
		at += count
	}
	return starts, false
}

// scratch holds memory that sorting needs for a moment. It is used again: new memory is
// slow at its first touch, for the system must find and clear each page.
var scratch sync.Pool // of *[]uint64

// takeWords returns n numbers of any value, for putWords when they are done with.
func takeWords(n int) []uint64 {
	if p, ok := scratch.Get().(*[]uint64); ok && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]uint64, n)
}

func putWords(words []uint64) { scratch.Put(&words) }
