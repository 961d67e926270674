package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"miramundo.dev/shared/metrics"
)

// Counts are what a stack has counted so far, or between two readings.
type Counts struct {
	Requests, Bytes float64 // of all routes
	Reads, Writes   float64 // documents that requests asked for
	Behind          Documents
	Routes          map[string]Documents // of requests, by method and path
	Processor       float64              // seconds of the process
	Waiting         float64              // events that are not counted yet
}

// Documents are documents that no request asked for: those of events and of what follows
// the database.
type Documents struct{ Reads, Writes float64 }

// less returns what was counted since before.
func (c Counts) less(before Counts) Counts {
	routes := map[string]Documents{}
	for route, d := range c.Routes {
		if d = d.less(before.Routes[route]); d != (Documents{}) {
			routes[route] = d
		}
	}
	return Counts{
		c.Requests - before.Requests, c.Bytes - before.Bytes, c.Reads - before.Reads, c.Writes - before.Writes,
		c.Behind.less(before.Behind), routes,
		c.Processor - before.Processor, c.Waiting,
	}
}

func (d Documents) less(before Documents) Documents {
	return Documents{d.Reads - before.Reads, d.Writes - before.Writes}
}

// maxMetrics bounds the bytes of the metrics.
const maxMetrics = 16 << 20

// Counts reads the metrics of the stack.
func (s *Stack) Counts(ctx context.Context) (c Counts, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.metrics+metrics.Path, nil)
	if err != nil {
		return c, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return c, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return c, fmt.Errorf("the metrics are answered with %d", res.StatusCode)
	}
	return parseCounts(io.LimitReader(res.Body, maxMetrics))
}

// A sample is one series of the metrics.
type sample struct {
	name   string
	labels map[string]string
	value  float64
}

func parseCounts(text io.Reader) (c Counts, err error) {
	all, err := samples(text)
	if err != nil {
		return c, err
	}
	c.Routes = map[string]Documents{}
	for _, s := range all {
		switch s.name {
		case "miramundo_http_requests_total":
			c.Requests += s.value
		case "miramundo_http_response_bytes_total":
			c.Bytes += s.value
		case "process_cpu_seconds_total":
			c.Processor += s.value
		case "miramundo_bus_waiting_events":
			c.Waiting += s.value
		case "miramundo_store_documents_total":
			c.addDocuments(s.labels, s.value)
		}
	}
	if c.Processor == 0 {
		return c, errors.New("the metrics do not show the processor time of the process")
	}
	return c, nil
}

// addDocuments adds a series of documents.
func (c *Counts) addDocuments(labels map[string]string, n float64) {
	var d Documents
	switch labels["operation"] {
	case "read":
		d.Reads = n
	case "write":
		d.Writes = n
	}
	if labels["route"] == "background" {
		c.Behind.add(d)
		return
	}
	c.Reads += d.Reads
	c.Writes += d.Writes
	c.addRoute(labels["method"]+" "+labels["route"], d)
}

// addRoute adds documents of a route.
func (c *Counts) addRoute(route string, d Documents) {
	if d == (Documents{}) {
		return
	}
	sum := c.Routes[route]
	sum.add(d)
	c.Routes[route] = sum
}

// samples returns the counters and gauges of the metrics.
func samples(text io.Reader) (all []sample, err error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		return nil, err
	}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			one := sample{name, map[string]string{}, m.GetCounter().GetValue() + m.GetGauge().GetValue()}
			for _, l := range m.GetLabel() {
				one.labels[l.GetName()] = l.GetValue()
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// Settle waits until all events are counted and nothing more is written, and returns the
// counts of that moment.
func (s *Stack) Settle(ctx context.Context) (Counts, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var before Counts
	for calm := 0; ; {
		now, err := s.Counts(ctx)
		if err != nil {
			return now, fmt.Errorf("the stack does not settle: %w", err)
		}
		if now.Waiting == 0 && now.Writes == before.Writes && now.Behind.Writes == before.Behind.Writes {
			calm++
		} else {
			calm = 0
		}
		if calm == 2 {
			return now, nil
		}
		before = now
		select {
		case <-tick.C:
		case <-ctx.Done():
			return now, fmt.Errorf("the stack does not settle: %w", ctx.Err())
		}
	}
}
