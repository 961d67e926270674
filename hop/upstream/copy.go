package upstream

import (
	"bytes"
	"errors"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"miramundo.dev/hop/playlist"
)

// A Copy is a playlist as it was at one time, rewritten for one stream. It is
// shared by all who ask for it, and never changes.
type Copy struct {
	Body   []byte
	Info   playlist.Info
	Status int       // that the origin answered with
	URL    string    // from which it came, after redirects
	At     time.Time // when it was whole

	began   time.Time // when it was asked for
	since   time.Time // when its body was seen first, or given up on last
	fresh   time.Time // until when it is the answer without any question
	stale   time.Time // from when it may not even stand in for a newer one
	sum     uint64    // of what the origin sent
	tickets time.Time // until when its tickets are valid
	packed  *packed   // shared by the copies that have the same body
}

// packed is a body packed by gzip when somebody wants it first.
type packed struct {
	once sync.Once
	data []byte
}

// minPacked is the size from which packing a body is tried. Below it, it saves
// no packet.
const minPacked = 512

// Gzip returns the body packed by gzip, or nil when that does not make it
// smaller by much. It is packed once, by the first caller.
func (c *Copy) Gzip() []byte {
	if len(c.Body) < minPacked {
		return nil
	}
	c.packed.once.Do(func() { c.packed.data = pack(c.Body) })
	return c.packed.data
}

var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, 5)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

func pack(body []byte) []byte {
	var b bytes.Buffer
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
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

// weight returns about how many bytes the copy takes: a packed body is at most
// a quarter of the plain one in nearly all playlists.
func (c *Copy) weight() int64 {
	return int64(cap(c.Body) + len(c.Body)/4 + len(c.URL))
}
