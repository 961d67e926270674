package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"miramundo.dev/shared/catalog"
)

// An encoded snapshot is
//
//	magic      "MIRACAT" and the format's number
//	sha256     of all that follows
//	head       its length, then JSON
//	chunks     for each its length, then zstd of at most chunkSize bytes
//
// with lengths as unsigned varints. The chunks are the body, in order.
const (
	magic     = "MIRACAT\x03"
	chunkSize = 1 << 20
	hashSize  = sha256.Size

	// maxGrowth is the greatest ratio of a body to its encoding. Catalogs
	// compress far less than that, and a hostile encoding cannot demand much
	// memory.
	maxGrowth = 64
)

// A head describes the body that follows it.
type head struct {
	Version string           `json:"version"`
	BuiltAt time.Time        `json:"built_at"`
	Sources []catalog.Source `json:"sources"`
	Size    int              `json:"size"` // of the body
}

// Encode returns c as bytes for Decode. Equal columns give equal bytes.
func (c *Columns) Encode() ([]byte, error) {
	body := c.body()
	chunks, err := compress(body)
	if err != nil {
		return nil, err
	}
	return assemble(head{c.Version, c.BuiltAt, c.Sources, len(body)}, chunks)
}

// assemble returns the snapshot of a head and compressed chunks.
func assemble(about head, chunks [][]byte) ([]byte, error) {
	h, err := json.Marshal(about)
	if err != nil {
		return nil, fmt.Errorf("snapshot: encode the head: %w", err)
	}
	out := append([]byte(magic), make([]byte, hashSize)...)
	out = append(binary.AppendUvarint(out, uint64(len(h))), h...)
	for _, chunk := range chunks {
		out = append(binary.AppendUvarint(out, uint64(len(chunk))), chunk...)
	}
	sum := sha256.Sum256(out[len(magic)+hashSize:])
	copy(out[len(magic):], sum[:])
	return out, nil
}

// compress returns the compressed chunks of body. It uses every processor; the
// result does not depend on their number.
func compress(body []byte) ([][]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	defer enc.Close()
	chunks := make([][]byte, (len(body)+chunkSize-1)/chunkSize)
	parallel(len(chunks), func(i int) {
		chunks[i] = enc.EncodeAll(body[i*chunkSize:min(len(body), (i+1)*chunkSize)], nil)
	})
	return chunks, nil
}

// Decode returns the columns that Encode wrote. It verifies the hash and that
// every number refers to something, so that no reader of the columns has to
// check a bound; any other input is an error with ErrCorrupt in its chain. It
// uncompresses one chunk of 1 MiB at a time: the peak of its memory is little
// more than the columns. It does not keep data.
func Decode(data []byte) (*Columns, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < hashSize {
		return nil, fmt.Errorf("%w: %s", ErrCorrupt, otherwise(data))
	}
	if sum := sha256.Sum256(rest[hashSize:]); !bytes.Equal(sum[:], rest[:hashSize]) {
		return nil, fmt.Errorf("%w: the hash differs", ErrCorrupt)
	}
	h, chunks, ok := parseHead(rest[hashSize:])
	if !ok || h.Size < 0 || h.Size/maxGrowth > len(data) || len(chunks) != (h.Size+chunkSize-1)/chunkSize {
		return nil, fmt.Errorf("%w: the head and the chunks do not fit", ErrCorrupt)
	}
	c := &Columns{Version: h.Version, BuiltAt: h.BuiltAt, Sources: h.Sources}
	for table, width := range c.widths() {
		table.Width = width
	}
	if err := c.read(chunks, h.Size, len(data)); err != nil {
		return nil, err
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	return c, nil
}

// otherwise returns what data is that does not begin as a snapshot of this format.
func otherwise(data []byte) string {
	const format = len(magic) - 1
	if len(data) > format && data[format] != magic[format] && string(data[:format]) == magic[:format] {
		return fmt.Sprintf("it has format %d, and this version reads format %d", data[format], magic[format])
	}
	return "it is not a snapshot"
}

// parseHead separates the head and the compressed chunks.
func parseHead(b []byte) (h head, chunks [][]byte, ok bool) {
	text, b, ok := prefixed(b)
	if !ok || json.Unmarshal(text, &h) != nil {
		return head{}, nil, false
	}
	for len(b) > 0 {
		var chunk []byte
		if chunk, b, ok = prefixed(b); !ok {
			return head{}, nil, false
		}
		chunks = append(chunks, chunk)
	}
	return h, chunks, true
}

// prefixed returns the part of b whose length stands at its beginning, and the
// rest. Both share the memory of b.
func prefixed(b []byte) (part, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	return b[size:][:n], b[size:][n:], true
}

// read fills in c from the chunks of a body of the given size, which are a snapshot of
// so many bytes.
func (c *Columns) read(chunks [][]byte, size, stored int) error {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(chunkSize), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	defer dec.Close()
	r := &reader{dec: dec, chunks: chunks, left: uint64(size), ahead: uint64(stored), buf: make([]byte, 0, min(size, chunkSize))}
	c.visit(r)
	if r.bad || r.left > 0 {
		return fmt.Errorf("%w: the columns do not parse", ErrCorrupt)
	}
	return nil
}

// parallel calls do for each number below n, on every processor, and returns
// when all calls have.
func parallel(n int, do func(int)) {
	var wg sync.WaitGroup
	workers := min(n, runtime.GOMAXPROCS(0))
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wg.Wait()
}
