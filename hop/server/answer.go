package server

import (
	"net/http"
	"strconv"
	"time"

	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/api/encoding"
	"miramundo.dev/shared/fault"
)

// Values of headers. All answers share them and put them into the header as they
// are: no code writes into a value in place.
var (
	second  = []string{"public, max-age=1"}
	gzipped = []string{"gzip"}
	encoded = []string{"Accept-Encoding"}
	mpegURL = []string{"application/vnd.apple.mpegurl"}
	empty   = []string{"0"}
	yesNo   = map[bool][]string{false: {"0"}, true: {"1"}}

	// Age is what players tune into a low-latency stream by.
	exposed = []string{"X-Service-Upstream-Status, X-Service-Source, X-Service-Website, X-Service-Legacy, X-Service-Media-HTTP, Age, PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, X-Request-Id"}
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

// number returns n as the value of a header, from the table when it is there.
func number(table [][]string, from, n int) []string {
	if i := n - from; i >= 0 && i < len(table) {
		return table[i]
	}
	return []string{strconv.Itoa(n)}
}

// describe sets the headers about a stream, which every answer about it has.
func (st *stream) describe(h http.Header) {
	h["X-Service-Source"] = st.source
	h["X-Service-Website"] = st.website
	h["X-Service-Legacy"] = st.action
	h["X-Service-Media-HTTP"] = yesNo[false]
}

// describeFailure sets the header with the status of the origin, when it has one
// in a failure to play the stream.
func describeFailure(h http.Header, err error) {
	if status, ok := fault.From(err).Fields["upstream_status"].(int); ok {
		h["X-Service-Upstream-Status"] = number(statuses, 200, status)
	}
}

// send answers with a playlist. One that is the same for all callers may be kept
// by caches between the hop and them.
func (p *playing) send(copied *upstream.Copy, same bool) {
	w := p.Writer()
	h := w.Header()
	body, length := copied.Body, copied.Length()
	if encoding.Takes(p.Request.Header.Get("Accept-Encoding"), encoding.Gzip) {
		if small, its := copied.Gzip(); small != nil {
			body, length = small, its
			h["Content-Encoding"] = gzipped
		}
	}
	if same {
		h["CDN-Cache-Control"] = second
	}
	if age := int(p.Start.Sub(copied.At) / time.Second); age > 0 {
		h["Age"] = number(ages, 0, age)
	}
	h["Content-Length"] = length
	h["Content-Type"] = mpegURL
	h["Vary"] = encoded
	h["X-Service-Upstream-Status"] = number(statuses, 200, copied.Status)
	h["X-Service-Media-HTTP"] = yesNo[copied.Info.MediaHTTP]
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // fails when the caller hung up, which the request layer logs
}

// redirectTo answers with a redirect to the provider.
func (p *playing) redirectTo(location string) {
	h := p.Writer().Header()
	h["Location"] = []string{location}
	h["Content-Length"] = empty
	p.Writer().WriteHeader(http.StatusFound)
}
