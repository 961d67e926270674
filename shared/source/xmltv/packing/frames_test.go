package packing

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"testing"

	"miramundo.dev/shared/source"
)

// blockHeader returns the header of a block of xz that asks for a dictionary.
func blockHeader(bits byte) []byte {
	head := []byte{2, 0, 0x21, 1, bits, 0, 0, 0}
	return binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(head))
}

// streamHeader begins an xz file without checks.
func streamHeader() []byte {
	head := append(bytes.Clone(xzMagic), 0, 0)
	return binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(head[6:]))
}

// TestDictionaries refuses xz files that ask for more memory than there may be,
// before they get it.
func TestDictionaries(t *testing.T) {
	chunk := []byte{1, 0, 4, '<', 't', 'v', '/', '>', 0} // a whole guide, not packed
	block := func(bits byte) []byte { return append(blockHeader(bits), append(chunk, 0, 0, 0)...) }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for bits := byte(29); bits < 64; bits++ {
		_, err := unpackAll(append(streamHeader(), block(bits)...))
		if !errors.Is(err, ErrPacking) {
			t.Errorf("a dictionary of 2^%d: %v", bits/2+12, err)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
		t.Errorf("they took %d MiB", took>>20)
	}
	if _, err := unpackAll(append(streamHeader(), block(28)...)); !errors.Is(err, source.ErrTruncated) {
		t.Errorf("a dictionary of 64 MiB, without the index: %v", err)
	}
}

// unpackAll returns what a file holds.
func unpackAll(data []byte) ([]byte, error) {
	r, err := Open(bytes.NewReader(data), 1<<20)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// TestFilters refuses what the unpacker does not know.
func TestFilters(t *testing.T) {
	filtered := []byte{2, 1, 0x03, 1, 0, 0x21, 1, 0}
	_, err := unpackAll(append(streamHeader(), binary.LittleEndian.AppendUint32(filtered, crc32.ChecksumIEEE(filtered))...))
	if !errors.Is(err, ErrPacking) {
		t.Error(err)
	}
}

// TestManyBlocks refuses an xz file of blocks that cost much and hold nothing.
func TestManyBlocks(t *testing.T) {
	f := newFrames(nil)
	f.dictionaries = maxDictionaries - leastBlock
	one := append(blockHeader(0), 0, 0, 0, 0)
	f.r, f.next = bufio.NewReader(bytes.NewReader(bytes.Repeat(one, 2))), f.block
	got, err := io.ReadAll(f)
	if !errors.Is(err, ErrPacking) || len(got) != len(one) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
