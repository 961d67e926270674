// Package encoding negotiates content encodings and compresses bodies in them.
//
// A body that is rendered for one response is compressed with the fastest
// setting of gzip or zstd. A body that does not change is compressed once, with
// a high setting and also in brotli (see [Precompress]). A body that may be sent
// again, such as a page of search results that many people ask for, is found among
// those that were compressed lately (see [EncodeOften] and [Memory]). Bodies below [Least] bytes
// are not compressed: it would save nothing.
//
// The Accept-Encoding header is read as RFC 9110 specifies it, section 12.5.3:
// codings with weights, "*" for all others. The coding with the highest weight that
// is offered wins; among equal weights the order is brotli, zstd, gzip. A header
// that is absent, empty or malformed selects the uncompressed body. Encoders are
// pooled, because each of them allocates its window when it is made.
package encoding

import (
	"bytes"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Coding is a content encoding.
type Coding uint8

// The codings, in the order of preference among those that a caller weights
// equally.
const (
	Brotli Coding = iota
	Zstd
	Gzip
	Identity
	count
)

// names are the codings as headers spell them.
var names = [count]string{"br", "zstd", "gzip", "identity"}

// String returns the name of c in headers.
func (c Coding) String() string { return names[c] }

// Least is the smallest body that is worth compressing, in bytes: smaller ones
// fit one packet as they are.
const Least = 1024

// quick are the codings in which a body is compressed during its request.
// Brotli is not among them: at its fastest setting it takes twice as long as the
// others and its output is not smaller.
var quick = [count]bool{Zstd: true, Gzip: true}

// Quick returns the coding for a body that is rendered for one response to a
// caller with this Accept-Encoding header.
func Quick(accept string) Coding { return choose(accept, &quick) }

// Takes reports whether a caller with this Accept-Encoding header accepts c.
func Takes(accept string, c Coding) bool {
	return accept != "" && weights(accept)[c] > 0
}

// choose returns the offered coding that the header accept weights highest.
func choose(accept string, offered *[count]bool) Coding {
	if accept == "" {
		return Identity
	}
	best, most := Identity, 0
	for c, q := range weights(accept) {
		if c := Coding(c); c < Identity && offered[c] && q > most {
			best, most = c, q
		}
	}
	return best
}

// weights returns the weight of each coding in the header accept, in
// thousandths; 0 for a coding that it refuses or omits. Where a coding is
// repeated, the last weight counts.
func weights(accept string) (ws [count]int) {
	star := -1 // the weight of "*"; -1 when the header does not contain it
	named := [count]bool{}
	for accept != "" {
		var item string
		item, accept, _ = strings.Cut(accept, ",")
		name, params, _ := strings.Cut(item, ";")
		q := weight(params)
		name = strings.TrimSpace(name)
		if name == "*" {
			star = q
		}
		for c, n := range names {
			if strings.EqualFold(name, n) || c == int(Gzip) && strings.EqualFold(name, "x-gzip") {
				ws[c], named[c] = q, true
			}
		}
	}
	for c := range ws {
		if !named[c] && star >= 0 {
			ws[c] = star
		}
	}
	return ws
}

// weight parses ";q=0.5" into thousandths. A malformed weight counts as 0, so
// that a caller with a broken header gets the uncompressed body.
func weight(params string) int {
	key, value, ok := strings.Cut(params, "=")
	if !ok {
		if strings.TrimSpace(params) == "" {
			return 1000
		}
		return 0
	}
	value = strings.TrimSpace(value)
	if !strings.EqualFold(strings.TrimSpace(key), "q") || value == "" {
		return 0
	}
	whole, fraction, _ := strings.Cut(value, ".")
	if len(fraction) > 3 || strings.Trim(fraction, "0123456789") != "" {
		return 0
	}
	switch whole {
	case "1":
		return 1000
	case "0":
		n := 0
		for _, d := range (fraction + "000")[:3] {
			n = 10*n + int(d-'0')
		}
		return n
	}
	return 0
}

// Compressible reports whether bodies of a media type get smaller by compression:
// texts, JSON, XML, scripts and playlists do; pictures are compressed already.
func Compressible(mediaType string) bool {
	media, _, _ := strings.Cut(mediaType, ";")
	switch {
	case strings.HasPrefix(media, "text/"), strings.HasSuffix(media, "json"), strings.HasSuffix(media, "xml"),
		strings.HasSuffix(media, "mpegurl"), strings.HasSuffix(media, "javascript"):
		return true
	}
	return false
}

// The encoders of rendered bodies. The zstd encoder may be used concurrently, a
// gzip writer may not.
var (
	gzips = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails for unknown levels only
		return w
	}}
	zstds   = newZstd(zstd.SpeedFastest)
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

// newZstd returns a zstd encoder with a window of 1 MiB, which keeps its memory low.
func newZstd(level zstd.EncoderLevel) *zstd.Encoder {
	// Browsers accept a window of at most 8 MiB (RFC 9659). NewWriter fails only
	// for invalid options, and these are constants.
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	return e
}

// Encode calls send once with data in coding c, which must be Zstd, Gzip or
// Identity, and returns send's error. The slice that send receives is valid only
// until send returns, because its buffer is reused.
func Encode(c Coding, data []byte, send func([]byte) error) error {
	if c == Identity {
		return send(data)
	}
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if c == Zstd {
		b.Grow(len(data) / 4)
		out := zstds.EncodeAll(data, b.AvailableBuffer())
		return send(out)
	}
	w := gzips.Get().(*gzip.Writer)
	defer gzips.Put(w)
	w.Reset(b)
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return send(b.Bytes())
}

// Variants hold one body in several codings. They do not change and may be used
// concurrently.
type Variants struct {
	bodies  [count][]byte // nil for a coding that is not offered
	offered [count]bool
}

// Precompress returns data in every coding that makes it smaller. It takes much
// longer than [Encode], so it is for bodies that are served many times. The result
// refers to data, which must not be changed afterwards.
func Precompress(data []byte) *Variants {
	v := &Variants{}
	v.bodies[Identity] = data
	if len(data) < Least {
		return v
	}
	v.keep(Brotli, writeAll(brotliBest, data))
	v.keep(Gzip, writeAll(gzipBest, data))
	v.keep(Zstd, newZstd(zstd.SpeedBestCompression).EncodeAll(data, nil))
	return v
}

// keep adds a variant, unless it is not smaller than the body itself.
func (v *Variants) keep(c Coding, body []byte) {
	if len(body) < len(v.bodies[Identity]) {
		v.bodies[c], v.offered[c] = body, true
	}
}

// Choose returns the body for a caller with this Accept-Encoding header, and its
// coding. The caller must not change the body.
func (v *Variants) Choose(accept string) (Coding, []byte) {
	c := choose(accept, &v.offered)
	return c, v.bodies[c]
}

// An encoder compresses what is written to it; Close completes its output.
type encoder interface {
	Write([]byte) (int, error)
	Close() error
}

// brotliBest uses level 9 of 11: the last two levels take seventeen times as long
// and save a tenth of the size.
func brotliBest(b *bytes.Buffer) encoder { return brotli.NewWriterLevel(b, 9) }

// gzipBest uses the highest level of gzip.
func gzipBest(b *bytes.Buffer) encoder {
	w, _ := gzip.NewWriterLevel(b, gzip.BestCompression)
	return w
}

// writeAll returns data compressed by the encoder that open returns. Errors are
// ignored, because writing to memory does not fail.
func writeAll(open func(*bytes.Buffer) encoder, data []byte) []byte {
	var b bytes.Buffer
	w := open(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}
