// Package platform plays the platform of the cloud on one machine. It runs programs as
// services of several instances, starts an instance again when it has ended, balances
// the requests of a service among its instances, and leads the requests of a host to
// services by the rules of the load balancer.
package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options say what a service runs. All but Metrics, Log and Started are required.
type Options struct {
	Name      string            // of the service
	Program   string            // path of the executable
	Settings  map[string]string // variables of each instance, beside PORT and METRICS_PORT
	Instances int
	Metrics   bool      // each instance shows metrics, on a port of its own
	Log       io.Writer // gets what the instances print, each line after the instance's name; nil: nowhere

	// Say is called when an instance has ended by itself, with a sentence.
	Say func(format string, args ...any)

	// Started is called whenever a process was started; nil: nothing is called.
	Started func()
}

// A Service is several instances of one program. Its methods may be called concurrently.
type Service struct {
	Name string

	instances []*Instance
	turn      atomic.Uint64 // of instances that are equally busy
	proxy     *httputil.ReverseProxy
	ending    <-chan struct{} // closed by Close
	end       context.CancelFunc
	ended     sync.WaitGroup
}

const (
	// patience is how long a request waits for an instance, as the platform holds
	// requests while it starts one.
	patience = 10 * time.Second

	// poll is the time between two looks at something that is awaited.
	poll = 10 * time.Millisecond
)

// Start starts the instances of a service. They run until Close.
func Start(o Options) (*Service, error) {
	ctx, end := context.WithCancel(context.Background())
	s := &Service{Name: o.Name, ending: ctx.Done(), end: end}
	for n := range o.Instances {
		i, err := newInstance(o, n+1)
		if err != nil {
			end()
			return nil, err
		}
		s.instances = append(s.instances, i)
	}
	s.proxy = &httputil.ReverseProxy{
		Transport: s, Rewrite: rewrite, ErrorHandler: failed,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // failed answers
	}
	for _, i := range s.instances {
		s.ended.Go(func() { i.keep(ctx) })
	}
	return s, nil
}

// Close asks every instance to end as the platform does, kills those that take too
// long, and returns when all are gone.
func (s *Service) Close() {
	s.end()
	s.ended.Wait()
}

// Instances returns the instances, in the order of their numbers.
func (s *Service) Instances() []*Instance { return slices.Clone(s.instances) }

// Await waits until each instance answers that it is ready.
func (s *Service) Await(ctx context.Context) error {
	for _, i := range s.instances {
		if err := i.await(ctx); err != nil {
			return err
		}
	}
	return nil
}

// AwaitUp waits until an instance accepts connections.
func (s *Service) AwaitUp(ctx context.Context) error {
	_, err := s.choose(ctx, awaitTime)
	return err
}

// ServeHTTP passes a request on to the instance that has the fewest under way. It
// answers 503 when none starts in time, and 502 when the instance ends before it
// answered.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.proxy.ServeHTTP(w, r) }

// rewrite leaves a request as it came. RoundTrip chooses its instance.
func rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", "instance", r.In.Host
	r.Out.URL.RawQuery = r.In.URL.RawQuery // also what does not parse, which the service answers
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values := r.In.Header[name]; values != nil {
			r.Out.Header[name] = values
		}
	}
}

// errNone is the error of a service without an instance that runs.
var errNone = errors.New("no instance of the service runs")

// failed answers a request that got no answer.
func failed(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusBadGateway
	if errors.Is(err, errNone) {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", "1")
	w.Header().Set("Via", "load balancer")
	http.Error(w, fmt.Sprintf("The load balancer got no answer: %v.", err), status)
}

// RoundTrip sends a request to the instance that has the fewest under way, or to
// another when that does not accept connections.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	for {
		i, err := s.choose(r.Context(), patience)
		if err != nil {
			return nil, err
		}
		res, err := i.send(r)
		if !refused(err) {
			return res, err
		}
		i.up.Store(false)
	}
}

// refused reports whether err says that an instance accepted no connection: it got
// nothing of the request.
func refused(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}

// choose returns the instance that is to answer the next request. It waits for one to
// start.
func (s *Service) choose(ctx context.Context, patience time.Duration) (*Instance, error) {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		if i := s.idlest(); i != nil {
			return i, nil
		}
		select {
		case <-s.ending:
			return nil, errNone
		case <-within.Done():
			return nil, cmp.Or(ctx.Err(), errNone)
		case <-tick.C:
		}
	}
}

// idlest returns the instance that has the fewest requests under way, in turn among
// equals; nil when none runs.
func (s *Service) idlest() (best *Instance) {
	turn := int(s.turn.Add(1) % uint64(len(s.instances)))
	for n := range s.instances {
		i := s.instances[(turn+n)%len(s.instances)]
		if i.up.Load() && (best == nil || i.busy.Load() < best.busy.Load()) {
			best = i
		}
	}
	return best
}
