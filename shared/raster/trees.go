package raster

import (
	"encoding/binary"
	"iter"
)

// A lossless WebP may declare that its pixels are coded by 2,600 groups of Huffman
// trees of 30 bytes each, for which a decoder allocates tables of 50 KiB. So the
// number of groups is read before decoding. It is the greatest value of a small
// image, which stands after the transforms, and these contain small images too.
// All of them must be parsed bit by bit, as RFC 9649 lays them out; their pixels
// are discarded.

// chunks yields the name and content of each chunk of a RIFF container, up to the
// first that is cut.
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

// losslessHeader is the number of bytes before the pixels of a VP8L chunk.
const losslessHeader = 5

// losslessSides reads the header of a VP8L chunk.
func losslessSides(chunk []byte) (w, h int, err error) {
	if len(chunk) < losslessHeader || chunk[0] != 0x2f {
		return 0, 0, errCut
	}
	bits := binary.LittleEndian.Uint32(chunk[1:])
	return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
}

// treeMemory returns the memory of the trees of lossless pixels, in bytes. Its
// time is proportional to the number of pixels, which the caller must have
// bounded.
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
	at   int  // position in bits
	over bool // the data ended or are invalid; from then on every read returns zero
}

// read returns the next n bits.
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

// tiles returns the number of tiles of 2^bits pixels that cover n pixels.
func tiles(n, bits int) int { return (n + 1<<bits - 1) >> bits }

// transform reads a transform of a kind, and returns the width of the coded
// pixels: a small palette puts several pixels into one.
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

// groups reads the part between the transforms and the trees of the pixels. It
// returns the number of groups of trees, and the size of the colour cache.
func (w *walk) groups(width, height int) (n, cache int) {
	cache = w.cache()
	if w.read(1) == 0 {
		return 1, cache
	}
	bits := w.read(3) + 2
	return w.image(tiles(width, bits), tiles(height, bits)) + 1, cache
}

// cache reads the number of colours of a colour cache, 0 when there is none.
func (w *walk) cache() int {
	if w.read(1) == 0 {
		return 0
	}
	return 1 << w.read(4)
}

// image reads a small image, and returns the greatest number made of the red and
// the green of a pixel. Copies of earlier pixels need no look: each value stands
// in full once.
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

// number reads the extra bits of a length or a distance, and returns its value.
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

// newTree returns the code in which symbol i has a code of lengths[i] bits, or no
// code when that is 0. A single symbol takes no bits.
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

// tree reads the code of an alphabet of the given size.
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

// simple reads a code of one or two symbols.
func (w *walk) simple() tree {
	two := w.read(1) == 1
	t := tree{symbols: []int{w.read(7*w.read(1) + 1)}}
	if two {
		t.symbols = append(t.symbols, w.read(8))
		t.count[1] = 2
	}
	return t
}

// lengths reads the code lengths of an alphabet, which are coded by t, with runs
// of repeats and zeros.
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
