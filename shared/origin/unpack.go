package origin

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// unpack returns the decompressed body of a response, at most limit bytes
// both as sent and decompressed. A body in several encodings is refused: only
// attackers send one.
func unpack(res *http.Response, limit int64) (io.Reader, error) {
	travelling := LimitReader(res.Body, limit, ErrLimit)
	unpacked, err := decoder(res.Header.Values("Content-Encoding"), travelling, limit)
	if err != nil {
		return nil, err
	}
	if unpacked == travelling {
		return travelling, nil
	}
	return LimitReader(unpacked, limit, ErrLimit), nil
}

// decoder returns a reader that decodes the encodings named. It does not read
// more than limit bytes.
func decoder(encodings []string, r io.Reader, limit int64) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(strings.Join(encodings, ","))) {
	case "", "identity":
		return r, nil
	case "gzip", "x-gzip":
		return &lazyReader{open: func() (io.Reader, error) { return gzip.NewReader(r) }}, nil
	case "deflate":
		return &lazyReader{open: func() (io.Reader, error) { return inflate(r) }}, nil
	case "br":
		return unbrotli(r, limit), nil
	default:
		return nil, ErrOrigin.Because(errors.New("the body has an encoding that is not supported"))
	}
}

// maxWindow is the memory in bytes that decompressing brotli may take besides
// its output, however small that is: the body decides.
const maxWindow = 16 << 20

// windows holds a token for each brotli body being decompressed in memory.
var windows = make(chan struct{}, 2)

// unbrotli decompresses a body that is smaller than its window only once it
// is complete, so that many slow bodies do not each hold a window.
func unbrotli(r io.Reader, limit int64) io.Reader {
	if limit >= maxWindow {
		return brotli.NewReader(r)
	}
	return &lazyReader{open: func() (io.Reader, error) {
		packed, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		windows <- struct{}{}
		defer func() { <-windows }()
		data, err := io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(packed)), limit+1))
		return io.MultiReader(bytes.NewReader(data), failingReader{err}), nil
	}}
}

// A failingReader fails with err, or ends when err is nil.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// inflate decompresses what servers send as deflate: the zlib format, or raw
// deflate.
func inflate(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	head, err := br.Peek(2)
	if err == nil && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(br)
	}
	return flate.NewReader(br), nil
}

// LimitReader returns a reader of r that returns at most n bytes. When r has
// more, it fails with tooMany instead of ending, so that truncated data is
// not taken for complete.
func LimitReader(r io.Reader, n int64, tooMany error) io.Reader {
	return &limited{r: r, left: n, tooMany: tooMany}
}

type limited struct {
	r       io.Reader
	left    int64 // below 0 when r has more
	tooMany error
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, l.tooMany
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n - 1, l.tooMany
	}
	return n, err
}

// A lazyReader opens a decoder at the first read, so that a late or wrong
// header is an error of the body.
type lazyReader struct {
	open func() (io.Reader, error)
	r    io.Reader
}

func (l *lazyReader) Read(p []byte) (int, error) {
	if l.r == nil {
		r, err := l.open()
		if err != nil {
			return 0, truncated(err)
		}
		l.r = r
	}
	return l.r.Read(p)
}

// truncated converts an end before the first byte to an error.
func truncated(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
