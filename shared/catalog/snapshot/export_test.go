package snapshot

import "github.com/klauspost/compress/zstd"

// Magic is what a snapshot begins with.
const Magic = magic

// fast packs the many small bodies of tests.
var fast, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))

// Body returns the content of c as bytes.
func (c *Columns) Body() []byte { return c.body() }

// EncodeBody returns a snapshot with a body that may be no columns.
func EncodeBody(body []byte) ([]byte, error) {
	var chunks [][]byte
	for at := 0; at < len(body); at += chunkSize {
		chunks = append(chunks, fast.EncodeAll(body[at:min(len(body), at+chunkSize)], nil))
	}
	return assemble(head{Size: len(body)}, chunks)
}

// MaxNumbered is how many values and aliases there may be.
const MaxNumbered = maxNumbered

// Validate returns an error that names what is inconsistent in c.
func (c *Columns) Validate() error { return c.validate() }
