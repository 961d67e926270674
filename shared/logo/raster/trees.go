package raster

import (
	"encoding/binary"
	"iter"
)

// A lossless WebP may say that its pixels are coded by 2,600 groups of Huffman
// trees, 30 bytes each, for which a decoder makes tables of 50 KiB. So their
// number is read before decoding. It follows the transforms, whose own small
// images must be read first, as RFC 9649 lays them out; their pixels are discarded.

// chunks yields the chunks of a RIFF container, as far as they lie in it.
func chunks(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for len(data) >= 8 {
			size := int64(binary.LittleEndian.Uint32(data[4:]))
			if size > int64(len(data)-8) || !yield(string(data[:4]), data[8:8+size]) {
				return
			}
			data = data[min(int64(len(data)), 8+size+size&1):]
		}
	}
}

// losslessHeader is how many bytes of a VP8L chunk stand before its pixels.
const losslessHeader = 5

// losslessSides reads the header of a VP8L chunk.
func losslessSides(chunk []byte) (w, h int, err error) {
	if len(chunk) < losslessHeader || chunk[0] != 0x2f {
		return 0, 0, errCut
	}
	bits := binary.LittleEndian.Uint32(chunk[1:])
	return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
}

// treeMemory returns what the trees of lossless pixels take, in bytes. It takes
// time proportional to the sides, which the caller must have bounded.
func treeMemory(pixels []byte, w, h int) (int64, error) {
	walk := &walk{data: pixels}
	seen := [4]bool{} // by kind: each transform is made once at most, else a short file takes hours
	for walk.read(1) == 1 && !walk.over {
		kind := walk.read(2)
		if seen[kind] {
			return 0, errCut
		}
		seen[kind] = true
		w = walk.transform(kind, w, h)
	}
	groups, cache := walk.groups(w, h)
	if walk.over {
		return 0, errCut
	}
	symbols := int64(cache + 280 + 3*256 + 40)
	return int64(groups) * (5*540 + 24*symbols), nil
}

// A walk reads the bits of a VP8L stream, the lowest of a byte first.
type walk struct {
	data []byte
	at   int  // in bits
	over bool // it read beyond the end, or what cannot be; all that follows is zero
}

func (w *walk) read(n int) int {
	if w.over = w.over || w.at+n > 8*len(w.data); w.over {
		return 0
	}
	v := 0
	for i := range n {
		v |= int(w.data[w.at>>3]>>(w.at&7)&1) << i
		w.at++
	}
	return v
}

func (w *walk) fail() { w.over = true }

// tiles returns how many tiles of 2^bits pixels cover n.
func tiles(n, bits int) int { return (n + 1<<bits - 1) >> bits }

// transform walks over a transform of a kind, and returns the width that pixels
// have before it.
func (w *walk) transform(kind, width, height int) int {
	switch kind {
	case 0, 1: // predictor, colour
		bits := w.read(3) + 2
		w.image(tiles(width, bits), tiles(height, bits))
	case 3: // a palette
		n := w.read(8) + 1
		w.image(n, 1)
		switch {
		case n <= 2:
			return tiles(width, 3)
		case n <= 4:
			return tiles(width, 2)
		case n <= 16:
			return tiles(width, 1)
		}
	}
	return width
}

// groups reads up to the trees of the pixels themselves: how many groups there
// are, and the size of the cache of colours.
func (w *walk) groups(width, height int) (n, cache int) {
	cache = w.cache()
	if w.read(1) == 0 {
		return 1, cache
	}
	bits := w.read(3) + 2
	return w.image(tiles(width, bits), tiles(height, bits)) + 1, cache
}

func (w *walk) cache() int {
	if w.read(1) == 0 {
		return 0
	}
	return 1 << w.read(4)
}

// image walks over a small image, and returns the greatest number that the red
// and green of a pixel make: every value of a pixel is said in full once.
func (w *walk) image(width, height int) (most int) {
	trees := [5]tree{}
	for i, symbols := range [5]int{280 + w.cache(), 256, 256, 256, 40} {
		trees[i] = w.tree(symbols)
	}
	for left := width * height; left > 0 && !w.over; left-- {
		switch green := w.next(&trees[0]); {
		case green < 256:
			red := w.next(&trees[1])
			w.next(&trees[2])
			w.next(&trees[3])
			most = max(most, red<<8|green)
		case green < 280:
			left -= w.number(green-256) - 1
			w.number(w.next(&trees[4]))
		}
	}
	return most
}

// number reads a length or a distance, of which the symbol says the size.
func (w *walk) number(symbol int) int {
	if symbol < 4 {
		return symbol + 1
	}
	extra := (symbol - 2) >> 1
	return (2+symbol&1)<<extra + w.read(extra) + 1
}

// A tree is a canonical Huffman code.
type tree struct {
	count   [16]int // of codes, by their length
	symbols []int   // in the order of their codes
}

// newTree makes a code of the lengths of its symbols' codes. One symbol alone
// takes no bits.
func newTree(lengths []int) (t tree) {
	for length := 1; length < 16; length++ {
		for symbol, l := range lengths {
			if l == length {
				t.count[length]++
				t.symbols = append(t.symbols, symbol)
			}
		}
	}
	return t
}

// next reads a symbol.
func (w *walk) next(t *tree) int {
	if len(t.symbols) == 1 {
		return t.symbols[0]
	}
	code, first, before := 0, 0, 0
	for length := 1; length < 16; length++ {
		code |= w.read(1)
		n := t.count[length]
		if code-first < n {
			return t.symbols[before+code-first]
		}
		before, first, code = before+n, (first+n)<<1, code<<1
	}
	w.fail()
	return 0
}

// tree reads a code of an alphabet.
func (w *walk) tree(alphabet int) tree {
	if w.read(1) == 1 {
		return w.simple()
	}
	order := [19]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	var lengths [19]int
	for _, symbol := range order[:min(w.read(4)+4, len(order))] {
		lengths[symbol] = w.read(3)
	}
	inner := newTree(lengths[:])
	return newTree(w.lengths(&inner, alphabet))
}

// simple reads a code of one symbol or two.
func (w *walk) simple() tree {
	two := w.read(1) == 1
	t := tree{symbols: []int{w.read(7*w.read(1) + 1)}}
	if two {
		t.symbols = append(t.symbols, w.read(8))
		t.count[1] = 2
	}
	return t
}

// lengths reads the lengths of an alphabet's codes, which are coded themselves.
func (w *walk) lengths(t *tree, alphabet int) []int {
	lengths := make([]int, 0, alphabet)
	coded := alphabet
	if w.read(1) == 1 {
		coded = w.read(2+2*w.read(3)) + 2
	}
	last := 8
	for ; coded > 0 && len(lengths) < alphabet && !w.over; coded-- {
		length, times := w.next(t), 1
		switch length {
		case 16:
			length, times = last, 3+w.read(2)
		case 17:
			length, times = 0, 3+w.read(3)
		case 18:
			length, times = 0, 11+w.read(7)
		}
		if length > 0 {
			last = length
		}
		if times > alphabet-len(lengths) {
			w.fail()
			break
		}
		for range times {
			lengths = append(lengths, length)
		}
	}
	return lengths
}
