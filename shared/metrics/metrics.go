// Package metrics counts what a process does, and shows it to Prometheus.
//
// It is the one owner of the names of metrics: parts of the service pass values to the
// methods of [Metrics], or functions from which the values are read when the metrics are
// asked for. testdata/metrics.txt lists all names. Labels hold patterns of routes,
// standard methods, statuses and names of the service's own, and nothing that a caller
// can choose, so that the number of series is bounded.
//
// A process without the setting METRICS_PORT has no Metrics. All methods may be called on
// a nil *Metrics, which counts nothing: hooks that they return are then nil.
//
//	metrics.go    the registry, and the handler that shows it
//	calls.go      requests and their answers
//	documents.go  documents that routes read and write
//	jobs.go       runs of jobs
//	reading.go    values that are read when the metrics are asked for
package metrics

import (
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Path is where [Metrics.Handler] answers.
const Path = "/metrics"

// namespace begins the name of every metric but those of the Go runtime and of the
// operating system's process.
const namespace = "miramundo"

// Options say which process is counted.
type Options struct {
	Process string // name of the function or container; "all" for a process that runs them all
	Build   string // short id of the commit
}

// A Metrics holds what one process counts. Its methods may be called concurrently.
type Metrics struct {
	registry *prometheus.Registry
	calls    calls
	faults   *prometheus.CounterVec
	refusals *prometheus.CounterVec
	guesses  *prometheus.CounterVec
	store    documents
	jobs     jobs
	hop      hop
}

// New returns the metrics of a process, with those of the Go runtime and of the
// operating system's process.
func New(o Options) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls:    newCalls(),
		faults: counters("http_faults_total",
			"Requests that were answered with a fault, by its code. Codes are those of the API's documentation.", "code"),
		refusals: counters("budget_refusals_total",
			"Calls that were refused because an owner or a network had none left, by the name of the budget.", "budget"),
		guesses: counters("operator_guesses_total",
			"Wrong tokens of the operator that were shown, by the name of the token, those that were answered 429 included.", "token"),
		store: newDocuments(),
		jobs:  newJobs(),
		hop:   newHop(),
	}
	build := gauges("build_info", "Always 1. The labels name the process and the commit that it was built from.", "process", "build", "go")
	build.WithLabelValues(o.Process, o.Build, runtime.Version()).Set(1)
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build,
		m.calls.requests, m.calls.bytes, m.calls.seconds, m.faults, m.refusals, m.guesses, m.store.documents,
	)
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

// maxReaders is how many requests for the metrics are answered at a time. Further ones
// are answered 503.
const maxReaders = 2

// Handler returns the handler of GET /metrics, in the text form of Prometheus. Its
// listener must not be reachable from outside.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+Path, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxReaders,
	}))
	return mux
}

// RefusedByBudget returns what counts the refusals of a budget by its name, for
// budget.Options.
func (m *Metrics) RefusedByBudget() func(budget string) {
	if m == nil {
		return nil
	}
	return func(budget string) { m.refusals.WithLabelValues(budget).Inc() }
}

// Guesses returns what counts the guesses of an operator's token by its name, for
// api.NewGuesses.
func (m *Metrics) Guesses() func(token string) {
	if m == nil {
		return nil
	}
	return func(token string) { m.guesses.WithLabelValues(token).Inc() }
}
