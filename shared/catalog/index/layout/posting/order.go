package posting

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
	keys, spare := make([]uint64, n), make([]uint64, n)
	for doc := range uint32(n) {
		keys[doc] = o.Key(doc)
	}
	for shift := 32; shift < 32+bits; shift += 8 {
		keys, spare = byDigit(spare, keys, shift), keys
	}
	for i, key := range keys {
		o.Docs[i] = uint32(key)
	}
	return o
}

// Key returns a number that is lower for what comes first. Its low half is the
// record.
func (o *Order) Key(doc uint32) uint64 { return uint64(^o.rank(doc))<<32 | uint64(doc) }

// byDigit fills dst with keys in the order of the byte that begins at bit
// shift; those of one value stay as they were.
func byDigit(dst, keys []uint64, shift int) []uint64 {
	var starts [256]int
	for _, key := range keys {
		starts[byte(key>>shift)]++
	}
	at := 0
	for i, count := range starts {
		starts[i] = at
		at += count
	}
	for _, key := range keys {
		digit := byte(key >> shift)
		dst[starts[digit]] = key
		starts[digit]++
	}
	return dst
}
