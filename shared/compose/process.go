package compose

import (
	"slices"
	"time"

	"miramundo.dev/shared/config"
	"miramundo.dev/shared/job"
)

// A Process declares what a function or a container needs: the parts that it
// opens, and what its platform must give it. The deployment, the local stack
// and the example of the settings derive from these declarations.
type Process struct {
	Name      string
	Needs     []Need     // the parts that it opens; those that they stand on go without saying
	Secrets   []string   // settings without which it refuses to start; "A|B" asks for one of A and B
	Meter     []string   // settings without which it refuses to limit minutes when deployed; it reads them in any case
	Settings  []string   // other settings that it reads, beside those of its needs and of every process
	Publishes []string   // topics of the events that it publishes; each has one subscription, of its name
	Receives  []string   // subscriptions whose events are pushed to it
	Schedules []Schedule // its jobs; the function jobs runs those of all processes
}

// A Schedule is a job with how often it runs.
type Schedule struct {
	Job   string
	Every time.Duration
	// New makes the job from the parts of the function jobs.
	New func(*Parts) (job.Job, error)
}

// everyProcess are the settings that each process reads.
var everyProcess = []string{
	"PORT", "LOCAL_ONLY", "METRICS_PORT", "BASE_URL", "HOP_URL", "LEGACY_URL", "LOG_LEVEL", "BUILD", "K_SERVICE",
	"BACKEND", "GOOGLE_CLOUD_PROJECT", "EDGE_COUNTRY_HEADER", "EDGE_ADDRESS_HEADER",
	"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_SAMPLER_ARG",
}

// ForEveryProcess reports whether each process reads a setting.
func ForEveryProcess(setting string) bool { return slices.Contains(everyProcess, setting) }

// Reads returns the names of the settings that p reads and not every process,
// each once and in alphabetical order; never nil, which would mean all settings. Its secrets
// are among them.
func (p Process) Reads() []string {
	names := slices.Concat([]string{}, Settings(p.Needs...), p.Meter, p.Settings)
	for _, s := range p.Secrets {
		names = append(names, config.Alternatives(s)...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), ForEveryProcess)
}

// Requirement returns the settings without which p refuses to start: its secrets,
// and what its needs cannot be opened without.
func (p Process) Requirement() config.Requirement {
	names := slices.Clone(p.Secrets)
	for _, n := range Expand(p.Needs...) {
		for _, name := range required[n] {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return config.Requirement{Process: p.Name, Settings: names, Meter: p.Meter, Reads: p.Reads()}
}
