package server

import (
	"net/http"
	"strconv"
	"time"

	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/encoding"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/fault"
)

// Values of headers. They are shared by all answers and put into the header as
// they are: nobody writes into a value in place.
var (
	nosniff  = []string{"nosniff"}
	anyone   = []string{"*"}
	noStore  = []string{"no-store"}
	second   = []string{"public, max-age=1"}
	crossing = []string{"cross-origin"}
	gzipped  = []string{"gzip"}
	encoded  = []string{"Accept-Encoding"}
	mpegURL  = []string{"application/vnd.apple.mpegurl"}
	nothing  = []string{"0"}
	yesNo    = map[bool][]string{false: {"0"}, true: {"1"}}

	methods          = []string{"GET, HEAD, OPTIONS"}
	preflightHeaders = []string{"Accept-Language, Authorization, Content-Type, Range, X-Guest-Token"}
	preflightAge     = []string{"86400"}

	// Age is what players tune into a low-latency stream by.
	exposed = []string{"X-Service-Upstream-Status, X-Service-Source, X-Service-Website, X-Service-Legacy, X-Service-Media-HTTP, Age"}
)

// ages and statuses are the numbers that headers hold nearly always.
var (
	ages     = numbers(0, 60)
	statuses = numbers(200, 100)
)

func numbers(from, n int) [][]string {
	all := make([][]string, n)
	for i := range all {
		all[i] = []string{strconv.Itoa(from + i)}
	}
	return all
}

// number returns n as the value of a header, which is table's when it has it.
func number(table [][]string, from, n int) []string {
	if i := n - from; i >= 0 && i < len(table) {
		return table[i]
	}
	return []string{strconv.Itoa(n)}
}

// open sets what every answer under a known path has: scripts of any origin
// may read it, and browsers do not keep it.
func open(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyone
	h["Access-Control-Expose-Headers"] = exposed
	h["Cache-Control"] = noStore
	h["Cross-Origin-Resource-Policy"] = crossing
	h["Timing-Allow-Origin"] = anyone
}

// describe sets what is told of a stream, whatever becomes of the request.
func (st *stream) describe(h http.Header) {
	h["X-Service-Source"] = st.source
	h["X-Service-Website"] = st.website
	h["X-Service-Legacy"] = st.action
	h["X-Service-Media-HTTP"] = yesNo[false]
}

// send answers with a playlist. One that is the same for everybody may be kept
// by those between the hop and its callers.
func (c *call) send(p *upstream.Copy, same bool) {
	h := c.w.Header()
	body := p.Body
	if encoding.Takes(c.r.Header.Get("Accept-Encoding"), encoding.Gzip) {
		if small := p.Gzip(); small != nil {
			body = small
			h["Content-Encoding"] = gzipped
		}
	}
	if same {
		h["CDN-Cache-Control"] = second
	}
	if age := int(c.start.Sub(p.At) / time.Second); age > 0 {
		h["Age"] = number(ages, 0, age)
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["Content-Type"] = mpegURL
	h["Vary"] = encoded
	h["X-Service-Upstream-Status"] = number(statuses, 200, p.Status)
	h["X-Service-Media-HTTP"] = yesNo[p.Info.MediaHTTP]
	c.begin(http.StatusOK)
	if c.r.Method != http.MethodHead {
		n, _ := c.w.Write(body) // fails when the caller went away, which the log shows by the size
		c.bytes = int64(n)
	}
}

// lead answers with a redirect to the provider.
func (c *call) lead(to string) {
	h := c.w.Header()
	h["Location"] = []string{to}
	h["Content-Length"] = nothing
	c.begin(http.StatusFound)
}

// begin writes the header of the answer.
func (c *call) begin(status int) {
	c.told, c.status = true, status
	c.w.WriteHeader(status)
}

// statusGone is how the log tells of a caller that did not wait for an answer.
const statusGone = 499

// fail answers with the fault in err, when no answer was begun.
func (c *call) fail(err error) {
	c.cause = err
	if c.told {
		return
	}
	f := fault.From(err)
	h := c.w.Header()
	if status, ok := f.Fields["upstream_status"].(int); ok && c.stream != nil {
		h["X-Service-Upstream-Status"] = number(statuses, 200, status)
	}
	c.told, c.status = true, api.Status(f.Kind)
	w := &counter{ResponseWriter: c.w}
	request.WriteFault(w, c.r, err)
	c.bytes = w.bytes
	if c.gone {
		c.status = statusGone
	}
}

// A counter counts the bytes of a body.
type counter struct {
	http.ResponseWriter
	bytes int64
}

func (w *counter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}
