package probetest

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A host is one simulated origin.
type host struct {
	fleet   *Fleet
	name    string // its address
	at      string // with the port
	answers map[string]answer
	other   answer // for paths without one
	server  *http.Server

	mu       sync.Mutex
	requests int               // guarded by mu
	under    map[*visit]bool   // way; guarded by mu
	most     int               // of them at once; guarded by mu
	asked    map[string]uint64 // how often, by path; guarded by mu
}

// An answer is what a host does with a request.
type answer func(*visit)

// A visit is a request while it is answered.
type visit struct {
	w http.ResponseWriter
	*http.Request
	host *host
	nth  uint64 // of those for its path, from 1

	once   sync.Once
	over   chan struct{} // closed when it ends
	hungUp bool          // by who asked; to be read when it is over
}

// Times of all hosts.
const (
	travel = 2 * time.Millisecond // between a request and its answer
	grace  = 30 * time.Second     // in which a host learns that who asked has hung up; it takes as long only when nobody has
)

// start has the host listen at an address of the loopback network.
func (h *host) start() error {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp4", net.JoinHostPort(h.name, "0"))
	if err != nil {
		return err
	}
	h.at = l.Addr().String()
	h.server = &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	h.fleet.running.Go(func() { _ = h.server.Serve(l) }) // it ends when it is closed
	return nil
}

// ServeHTTP counts a request, and answers it.
func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.fleet.running.Add(1)
	defer h.fleet.running.Done()
	v := h.enter(w, r)
	defer v.end()
	select {
	case <-time.After(travel):
	case <-r.Context().Done():
		return
	}
	if do, ok := h.answers[r.URL.Path]; ok {
		do(v)
	} else {
		h.other(v)
	}
}

// enter notes a request, and how many there are at once. An earlier one counts
// unless who asked has hung up, of which a host learns a little late.
func (h *host) enter(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{w: w, Request: r, host: h, over: make(chan struct{})}
	h.mu.Lock()
	h.requests++
	h.asked[r.URL.Path]++
	v.nth = h.asked[r.URL.Path]
	var others []*visit
	for o := range h.under {
		others = append(others, o)
	}
	h.under[v] = true
	h.mu.Unlock()
	n := 1
	late := time.After(h.fleet.grace)
	for _, o := range others {
		select {
		case <-o.over:
			if o.hungUp {
				continue
			}
		case <-late:
		}
		n++
	}
	h.mu.Lock()
	h.most = max(h.most, n)
	h.mu.Unlock()
	return v
}

// end notes that a request is not under way any more.
func (v *visit) end() {
	v.once.Do(func() {
		v.hungUp = v.hungUp || v.Context().Err() != nil
		v.host.mu.Lock()
		delete(v.host.under, v)
		v.host.mu.Unlock()
		close(v.over)
	})
}

// say answers with a whole body. The request is over before who asked can know
// it, so that the next one does not seem to be at the same time.
func (v *visit) say(status int, kind string, body []byte) {
	v.w.Header().Set("Content-Type", kind)
	if v.w.Header().Get("Content-Length") == "" {
		v.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	v.w.Header().Set("Access-Control-Allow-Origin", "*")
	v.w.WriteHeader(status)
	v.end()
	_, _ = v.w.Write(body) // who asked may have hung up
}

// stream answers with what f writes, until who asked hangs up or the fleet is
// closed.
func (v *visit) stream(kind string, f func(io.Writer) error) {
	v.w.Header().Set("Content-Type", kind)
	v.w.Header().Set("Access-Control-Allow-Origin", "*")
	v.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(v.w).Flush() // likewise
	v.hungUp = f(v.w) != nil
}

// hold waits until who asked hangs up.
func (v *visit) hold() { <-v.Context().Done() }
