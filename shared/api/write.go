package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"miramundo.dev/shared/api/encoding"
)

// jsonType is the media type of every JSON answer.
const jsonType = "application/json; charset=utf-8"

// Values of headers that are the same in many answers. Answers share them, which
// is safe as long as no code writes into a value in place: Set and Add do not.
var (
	jsonTypes     = []string{jsonType}
	codingHeaders = [...][]string{encoding.Brotli: {"br"}, encoding.Zstd: {"zstd"}, encoding.Gzip: {"gzip"}}
)

// Every answer of status 200 that a cache may keep has an ETag: the version of a
// [Tagged] result, or else a hash of the body, which takes a microsecond for a page of
// search results. A caller that has that version is answered 304, with the same headers
// and without the body. Tags are weak, since the codings of a body share one.

// Send answers with the result of a handler: it writes a [Reply], and any other
// value as JSON with status.
func Send(w http.ResponseWriter, r *http.Request, status int, result any) error {
	if t, ok := result.(Tagged); ok {
		if tag := t.ETag(); tag != "" {
			setTag(w.Header(), tag)
		}
	}
	if reply, ok := result.(Reply); ok {
		return reply.Reply(w, r)
	}
	return encode(w, r, status, result)
}

// A HeaderField is the value of a field of a fault that adds headers to the answer,
// such as the terms of a payment.
type HeaderField interface {
	AddTo(http.Header)
}

// A WithHeader is a result that is sent as JSON, with headers of its own.
type WithHeader[T any] struct {
	Body   T
	Header http.Header
}

// Schema returns the body.
func (a WithHeader[T]) Schema() any { return a.Body }

// Reply writes the headers and the body.
func (a WithHeader[T]) Reply(w http.ResponseWriter, r *http.Request) error {
	maps.Copy(w.Header(), a.Header)
	return encode(w, r, http.StatusOK, a.Body)
}

// WriteJSON answers with data, which is JSON already, compressed when the
// caller accepts that. The caller of WriteJSON may reuse data when it returns.
func WriteJSON(w http.ResponseWriter, r *http.Request, data []byte) error {
	w.Header()["Content-Type"] = jsonTypes
	return write(w, r, http.StatusOK, data)
}

// Write answers with data of a media type, compressed when the type is
// compressible and the caller accepts that. Further headers must be set before.
func Write(w http.ResponseWriter, r *http.Request, mediaType string, data []byte) error {
	w.Header()["Content-Type"] = []string{mediaType}
	return write(w, r, http.StatusOK, data)
}

// WriteStatus answers as Write does, with a status of its own.
func WriteStatus(w http.ResponseWriter, r *http.Request, status int, mediaType string, data []byte) error {
	w.Header()["Content-Type"] = []string{mediaType}
	return write(w, r, status, data)
}

// write answers with data, whose Content-Type is set already.
func write(w http.ResponseWriter, r *http.Request, status int, data []byte) error {
	h := w.Header()
	shrinks := encoding.Compressible(h.Get("Content-Type"))
	vary(w, shrinks)
	if status == http.StatusOK && reads(r) {
		tagBody(h, data)
		if unchanged(w, r) {
			return nil
		}
	}
	coding := encoding.Identity
	if shrinks {
		coding = codingFor(r, data)
	}
	encode := encoding.Encode
	if keepable(h) {
		encode = encoding.EncodeOften
	}
	return encode(coding, data, func(small []byte) error { return writeCoded(w, status, encoding.Body{Coding: coding, Bytes: small}) })
}

// codingFor returns the coding in which the caller gets data of a type that gets smaller.
func codingFor(r *http.Request, data []byte) encoding.Coding {
	if len(data) < encoding.Least {
		return encoding.Identity
	}
	return encoding.Quick(r.Header.Get("Accept-Encoding"))
}

// WriteRendered answers with the JSON that render appends to the slice that it gets. An
// answer that is asked for again is kept in memory for the next requests with the same
// address and version, without a call of render. The version must be set already (see
// [Tagged]; [NotModified] looks at it), and must differ whenever anything differs that
// the answer is rendered from besides its address. An answer without a version gets one
// from its bytes, and is not kept.
func WriteRendered(w http.ResponseWriter, r *http.Request, memory *encoding.Memory, render func([]byte) []byte) error {
	h := w.Header()
	h["Content-Type"] = jsonTypes
	vary(w, true)
	tag := h["Etag"]
	var slot encoding.Slot
	if tag != nil {
		slot = memory.Slot(encoding.Quick(r.Header.Get("Accept-Encoding")), tag[0], r.URL.Path, r.URL.RawQuery)
		if body, ok := slot.Get(); ok {
			return writeCoded(w, http.StatusOK, body)
		}
	}
	buffer := rendered.Get().(*[]byte)
	defer func() {
		if cap(*buffer) <= maxKept {
			rendered.Put(buffer)
		}
	}()
	*buffer = render((*buffer)[:0])
	if tag == nil {
		return write(w, r, http.StatusOK, *buffer)
	}
	coding := codingFor(r, *buffer)
	return encoding.EncodeOften(coding, *buffer, func(small []byte) error {
		body := encoding.Body{Coding: coding, Bytes: small}
		slot.Offer(body)
		return writeCoded(w, http.StatusOK, body)
	})
}

// rendered holds the buffers that answers are rendered in. A page takes about 25 KB:
// without them the garbage collector would take more time than the search.
var rendered = sync.Pool{New: func() any { return new([]byte) }}

// writeCoded answers with a body in a coding.
func writeCoded(w http.ResponseWriter, status int, body encoding.Body) error {
	if body.Coding != encoding.Identity {
		w.Header()["Content-Encoding"] = codingHeaders[body.Coding]
	}
	return writeBody(w, status, body.Bytes)
}

func writeBody(w http.ResponseWriter, status int, body []byte) error {
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}

// A varying is a writer that reports on what the answer depends.
type varying interface {
	Localized() bool  // on the caller's language
	Negotiated() bool // on the media types that the caller accepts
}

// varies are the values of Vary, by what the answer depends on: the media types that the
// caller accepts (4), its codings (2), and its language (1).
var varies = [8][]string{
	1: {"Accept-Language"}, 2: {"Accept-Encoding"}, 3: {"Accept-Encoding, Accept-Language"},
	4: {"Accept"}, 5: {"Accept, Accept-Language"}, 6: {"Accept, Accept-Encoding"}, 7: {"Accept, Accept-Encoding, Accept-Language"},
}

// vary sets Vary to the request headers that decided on the answer.
func vary(w http.ResponseWriter, encoded bool) {
	i := 0
	if v, ok := w.(varying); ok {
		if v.Negotiated() {
			i += 4
		}
		if v.Localized() {
			i++
		}
	}
	if encoded {
		i += 2
	}
	if i > 0 {
		w.Header()["Vary"] = varies[i]
	}
}

// Redirect answers with status and the location url, without a body.
func Redirect(w http.ResponseWriter, url string, status int) error {
	h := w.Header()
	h.Set("Location", url)
	h.Set("Content-Length", "0")
	w.WriteHeader(status)
	return nil
}

// A Content is a result that is bytes of a media type, such as an image.
type Content struct {
	Type string
	Data []byte
	Tag  string // a version, without quotes; empty when there is none
	File string // the name under which it would be kept; empty when there is none
	Link string // more values of the header Link; empty for none
}

// ETag returns the version.
func (c Content) ETag() string { return c.Tag }

// Reply writes the bytes.
func (c Content) Reply(w http.ResponseWriter, r *http.Request) error {
	c.SetHeaders(w)
	return Write(w, r, c.Type, c.Data)
}

// SetHeaders sets what the headers say of c besides its type and version. A result that is
// expensive to make calls it before [NotModified].
func (c Content) SetHeaders(w http.ResponseWriter) {
	if c.File != "" {
		w.Header()["Content-Disposition"] = []string{mime.FormatMediaType("inline", map[string]string{"filename": c.File})}
	}
	if c.Link != "" {
		h := w.Header()
		h["Link"] = append(slices.Clip(h["Link"]), c.Link)
	}
}

// A Document is a result that stays the same while the program runs. It is
// compressed once, at the first request for it, so that it does not slow the
// start of the program.
type Document struct {
	types    []string
	tag      string
	data     []byte
	variants func() *encoding.Variants
}

// NewDocument returns the document of a media type with the given bytes.
func NewDocument(mediaType string, data []byte) *Document {
	sum := sha256.Sum256(data)
	return &Document{
		types:    []string{mediaType},
		tag:      hex.EncodeToString(sum[:8]),
		data:     data,
		variants: sync.OnceValue(func() *encoding.Variants { return encoding.Precompress(data) }),
	}
}

// ETag returns a hash of the bytes.
func (d *Document) ETag() string { return d.tag }

// Bytes returns the document as it is, not compressed.
func (d *Document) Bytes() []byte { return d.data }

// Reply writes the document in the best coding that the caller accepts.
func (d *Document) Reply(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h["Content-Type"] = d.types
	vary(w, true)
	setTag(h, d.tag)
	if unchanged(w, r) {
		return nil
	}
	coding, body := d.variants().Choose(r.Header.Get("Accept-Encoding"))
	return writeCoded(w, http.StatusOK, encoding.Body{Coding: coding, Bytes: body})
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxKept is the greatest buffer that is kept for the next answer, in bytes.
const maxKept = 1 << 20

// encode answers with value as JSON: the whole of it, or nothing.
func encode(w http.ResponseWriter, r *http.Request, status int, value any) error {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= maxKept {
			buffers.Put(b)
		}
	}()
	b.Reset()
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	w.Header()["Content-Type"] = jsonTypes
	return write(w, r, status, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// NotModified answers 304 when the caller has the version of the result already, which
// Send has set, and reports whether it did. A [Tagged] reply in JSON that is expensive to
// render calls it first.
func NotModified(w http.ResponseWriter, r *http.Request) bool {
	vary(w, true)
	return unchanged(w, r)
}

// unchanged answers 304 when the caller has the version in the header ETag, and reports
// whether it did. The other headers must be set as for the whole answer.
func unchanged(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	tag := h["Etag"]
	if tag == nil || !reads(r) || !matches(r.Header.Get("If-None-Match"), strings.TrimPrefix(tag[0], "W/")) {
		return false
	}
	delete(h, "Content-Type")
	w.WriteHeader(http.StatusNotModified)
	return true
}

// reads reports whether r asks for a representation, which alone has a version.
func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// setTag sets the header ETag to a version.
func setTag(h http.Header, tag string) { h["Etag"] = []string{`W/"` + tag + `"`} }

// tagBody sets the header ETag to a hash of the body of an answer that has no version
// of its own, when a cache may keep it.
func tagBody(h http.Header, body []byte) {
	if h["Etag"] != nil || !keepable(h) {
		return
	}
	setTag(h, strconv.FormatUint(xxhash.Sum64(body), 36))
}

// keepable reports whether a cache may keep the answer with the headers h.
func keepable(h http.Header) bool {
	cache := h["Cache-Control"]
	return cache != nil && cache[0] != string(NoStore)
}

// matches reports whether an If-None-Match header names the tag, weak or not.
func matches(header, quoted string) bool {
	for header != "" {
		var item string
		item, header, _ = strings.Cut(header, ",")
		item = strings.TrimSpace(item)
		if item == "*" || strings.TrimPrefix(item, "W/") == quoted {
			return true
		}
	}
	return false
}
