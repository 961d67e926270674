package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// jobs are the runs of jobs in this process. The label is job_name because Prometheus
// itself sets a label job.
type jobs struct {
	runs                           *prometheus.CounterVec
	interval, start, success, last *prometheus.GaugeVec
}

func newJobs() jobs {
	const label = "job_name"
	return jobs{
		runs:     counters("job_runs_total", "Runs of jobs that ended in this process, by their outcome: success or failure.", label, "outcome"),
		interval: gauges("job_interval_seconds", "Time between two scheduled runs of a job.", label),
		start:    gauges("job_last_start_timestamp_seconds", "Start of the last run of a job in this process.", label),
		success:  gauges("job_last_success_timestamp_seconds", "End of the last run of a job in this process that succeeded.", label),
		last:     gauges("job_last_duration_seconds", "Duration of the last run of a job that ended in this process.", label),
	}
}

// ScheduleJob shows how often a job is to run. It must be called before BeginJob, by a
// process that runs jobs.
func (m *Metrics) ScheduleJob(name string, every time.Duration) {
	if m == nil {
		return
	}
	j := m.jobs
	for _, c := range []prometheus.Collector{j.runs, j.interval, j.start, j.success, j.last} {
		m.registerOnce(c)
	}
	j.interval.WithLabelValues(name).Set(every.Seconds())
	for _, outcome := range []string{succeeded, failed} { // so that the first failure is an increase
		j.runs.WithLabelValues(name, outcome)
	}
}

// Outcomes of a run.
const (
	succeeded = "success"
	failed    = "failure"
)

// BeginJob records that a run of a job begins at a time. The caller must call the
// function that it returns when the run ends.
func (m *Metrics) BeginJob(name string, at time.Time) (end func(at time.Time, ok bool)) {
	if m == nil {
		return func(time.Time, bool) {}
	}
	j := m.jobs
	j.start.WithLabelValues(name).Set(timestamp(at))
	return func(ended time.Time, ok bool) {
		j.last.WithLabelValues(name).Set(ended.Sub(at).Seconds())
		if !ok {
			j.runs.WithLabelValues(name, failed).Inc()
			return
		}
		j.runs.WithLabelValues(name, succeeded).Inc()
		j.success.WithLabelValues(name).Set(timestamp(ended))
	}
}

// timestamp returns t in seconds since 1970.
func timestamp(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
