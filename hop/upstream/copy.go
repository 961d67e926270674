package upstream

import (
	"bytes"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"miramundo.dev/hop/playlist"
)

// A Copy is a playlist at one moment, rewritten for one stream. All callers
// share it; it must not be changed.
type Copy struct {
	Body   []byte
	Info   playlist.Info
	Status int       // of the origin's response
	URL    string    // of the origin's response, after redirects
	At     time.Time // when the response was complete

	began      time.Time   // when the request began
	since      time.Time   // when this body was first seen, or last found stuck
	fresh      time.Time   // until then it is served without asking the origin
	stale      time.Time   // from then on it is not served at all
	sum        uint64      // of the origin's body
	tickets    time.Time   // until when its tickets are valid
	compressed *compressed // shared by copies with the same body
}

// compressed is a body compressed with gzip on first use, with the lengths of both
// forms as values of Content-Length, which all responses share.
type compressed struct {
	length []string // of the body as it is

	once       sync.Once
	data       []byte
	dataLength []string
}

func lengthOf(body []byte) []string { return []string{strconv.Itoa(len(body))} }

// Length returns the length of the body as the value of a header. Responses share
// it: no caller may write into it.
func (c *Copy) Length() []string { return c.compressed.length }

// minCompressed is the size in bytes from which a body is compressed. A
// smaller one fits in one packet either way.
const minCompressed = 512

// Gzip returns the body compressed with gzip, with its length as Length does, or
// nil when that saves less than a tenth. The first caller compresses; later
// callers get the same bytes.
func (c *Copy) Gzip() (body []byte, length []string) {
	if len(c.Body) < minCompressed {
		return nil, nil
	}
	z := c.compressed
	z.once.Do(func() {
		z.data = compress(c.Body)
		z.dataLength = lengthOf(z.data)
	})
	return z.data, z.dataLength
}

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, 5)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

func compress(body []byte) []byte {
	var b bytes.Buffer
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&b)
	_, err := w.Write(body)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err) // memory can be written to
	}
	if b.Len() > len(body)*9/10 {
		return nil
	}
	return bytes.Clone(b.Bytes())
}

// weight returns about how many bytes the copy takes. Compressed, nearly all
// playlists take at most a quarter of their size.
func (c *Copy) weight() int64 {
	return int64(cap(c.Body) + len(c.Body)/4 + len(c.URL))
}
