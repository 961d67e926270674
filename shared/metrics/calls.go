package metrics

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/request"
)

// latencies are the upper bounds of the buckets of latencies, in seconds. The alert rules
// in infra/observe name some of them.
var latencies = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10}

// calls are the finished calls of a process.
type calls struct {
	requests *prometheus.CounterVec
	bytes    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	known    *memo[answer, series]
}

// An answer is one kind of answer. All its fields have few values: the patterns of
// routes, standard methods, and statuses.
type answer struct {
	pattern, method string
	status          int
}

// A series is what is counted of one kind of answer.
type series struct {
	requests, bytes prometheus.Counter
	seconds         prometheus.Observer // nil for connections that were switched to another protocol, which last as long as people stay
}

func newCalls() calls {
	return calls{
		requests: counters("http_requests_total",
			"Requests that were answered, by route, method and status. Status 499 means that the caller hung up first; 0 that nothing was answered.",
			"route", "method", "code"),
		bytes: counters("http_response_bytes_total", "Bytes of body that were sent, before the compression of a load balancer.", "route", "method"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_duration_seconds", Buckets: latencies,
			Help: "Time from the header of a request to the last byte of its answer. Sockets of the chat are left out.",
		}, []string{"route", "method"}),
		known: newMemo[answer, series](),
	}
}

// CountCalls returns what counts finished calls, after next where next is not nil, for
// request.Options. It returns next when m is nil. Counting a call of a kind that was
// counted before takes about 0.4 µs and allocates nothing.
func (m *Metrics) CountCalls(next func(*request.Call)) func(*request.Call) {
	if m == nil {
		return next
	}
	return func(c *request.Call) {
		if next != nil {
			next(c)
		}
		m.count(c)
	}
}

func (m *Metrics) count(c *request.Call) {
	s := m.calls.known.get(answer{c.Pattern(), cloudlog.KnownMethod(c.Request.Method), c.Status()}, m.calls.series)
	s.requests.Inc()
	s.bytes.Add(float64(c.Size()))
	if s.seconds != nil {
		s.seconds.Observe(c.Latency().Seconds())
	}
	if code := c.FaultCode(); code != "" {
		m.faults.WithLabelValues(code).Inc()
	}
}

// series returns the series of a kind of answer.
func (c calls) series(a answer) series {
	route := routeOf(a.pattern)
	s := series{requests: c.requests.WithLabelValues(route, a.method, strconv.Itoa(a.status)), bytes: c.bytes.WithLabelValues(route, a.method)}
	if a.status != http.StatusSwitchingProtocols {
		s.seconds = c.seconds.WithLabelValues(route, a.method)
	}
	return s
}

// routeOf returns the path of the pattern of a route, as the label route shows it.
func routeOf(pattern string) string {
	if _, path, ok := strings.Cut(pattern, " "); ok {
		return path
	}
	return request.Unmatched
}

// methodOf returns the method of the pattern of a route.
func methodOf(pattern string) string {
	method, _, _ := strings.Cut(pattern, " ")
	return method
}

// A memo keeps the series of keys, of which there are few. It is read without a lock.
type memo[K comparable, V any] struct {
	mu    sync.Mutex // held while the map is replaced
	known atomic.Pointer[map[K]V]
}

func newMemo[K comparable, V any]() *memo[K, V] {
	m := &memo[K, V]{}
	m.known.Store(&map[K]V{})
	return m
}

// get returns the value of k, which it makes the first time.
func (m *memo[K, V]) get(k K, make func(K) V) V {
	if v, ok := (*m.known.Load())[k]; ok {
		return v
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	before := *m.known.Load()
	if v, ok := before[k]; ok {
		return v
	}
	after := maps.Clone(before)
	v := make(k)
	after[k] = v
	m.known.Store(&after)
	return v
}
