package compose

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"miramundo.dev/shared/job"
	"miramundo.dev/shared/metrics"
	"miramundo.dev/shared/metrics/metricstest"
)

// TestMetrics opens a process that runs a job, has it succeed, fail and panic, and checks
// what its metrics show.
func TestMetrics(t *testing.T) {
	o := options(t, "METRICS_PORT", "9464", "BUILD", "abc1234")
	outcomes := map[bool]error{true: nil, false: errors.New("no")}
	o.Schedules = []Schedule{{Job: "nap", Every: time.Hour, New: func(*Parts) (job.Job, error) {
		return job.Job{Name: "nap", Run: func(_ context.Context, o job.Order) (any, error) {
			if o.Force {
				panic("defect")
			}
			return nil, outcomes[o.Manual]
		}}, nil
	}}}
	p, err := Open(t.Context(), o, Process{Name: "jobs", Needs: []Need{Jobs}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, order := range []job.Order{{Manual: true}, {}, {Force: true}} {
		if _, err := p.Jobs.Run(t.Context(), "nap", order); (err == nil) != order.Manual {
			t.Errorf("%+v ends with %v", order, err)
		}
	}
	if p.Only(Documents).Metrics != p.Metrics {
		t.Error("a function of the process has no metrics")
	}
	w := httptest.NewRecorder()
	p.Metrics.Handler().ServeHTTP(w, httptest.NewRequest("GET", metrics.Path, nil))
	got := metricstest.Parse(t, w.Body.Bytes())
	for name, want := range map[string]float64{
		`miramundo_job_runs_total{job_name="nap",outcome="success"}`: 1,
		`miramundo_job_runs_total{job_name="nap",outcome="failure"}`: 2,
		`miramundo_job_interval_seconds{job_name="nap"}`:             3600,
		"miramundo_catalog_loaded":                                   0,
		"miramundo_followers_unloaded":                               0,
	} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s is %v (%v), want %v", name, value, ok, want)
		}
	}
	if got.Sum("miramundo_store_documents_total") == 0 {
		t.Error("the documents of the process are not counted")
	}
	if open(t, Documents).Metrics != nil {
		t.Error("a process without METRICS_PORT has metrics")
	}
}

// TestTracedPanic checks that a job that panics is traced.
func TestTracedPanic(t *testing.T) {
	sent := make(chan []byte, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent <- body
	}))
	defer collector.Close()
	o := options(t, "OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	o.Schedules = []Schedule{{Job: "nap", Every: time.Hour, New: func(*Parts) (job.Job, error) {
		return job.Job{Name: "nap", Run: func(context.Context, job.Order) (any, error) { panic("defect") }}, nil
	}}}
	p, err := Open(t.Context(), o, Process{Name: "jobs", Needs: []Need{Jobs}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Jobs.Run(t.Context(), "nap", job.Order{}); err == nil {
		t.Error("a job that panics succeeds")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	close(sent)
	for body := range sent {
		if bytes.Contains(body, []byte("job nap")) {
			return
		}
	}
	t.Error("the collector is not sent the job")
}
