package functions

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// literals are the names that infra/*.tf may write out, each with what it does there that
// the table does not say. Every other name comes from the files that are computed from it.
var literals = []string{
	"hop", "legacy", // have hosts of their own
	"jobs",                         // is called by the scheduler
	"JOBS_AUDIENCE", "JOBS_CALLER", // are known to Terraform alone
	"EVENTS_TOKEN", // is part of the address of pushes
}

// TestInfraNamesNothingTwice checks that Terraform has no list of its own of functions,
// topics, jobs, secrets, settings or fields, which could differ from the table.
func TestInfraNamesNothingTwice(t *testing.T) {
	files, err := filepath.Glob("../infra/*.tf")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of Terraform: %v", err)
	}
	known := map[string]string{}
	for _, d := range allDeployed() {
		known[d.Name] = "the process " + d.Name
		for what, list := range map[string][]string{
			"topic": slices.Concat(d.Publishes, d.Receives, d.Rejects), "secret": d.Secrets, "setting": d.Settings,
			"job": slices.Collect(maps.Keys(d.Schedules)), "route": d.Routes,
		} {
			for _, name := range list {
				known[name] = "the " + what + " " + name
			}
		}
	}
	for _, name := range literals {
		delete(known, name)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, what := range known {
			if strings.Contains(string(text), `"`+name+`"`) {
				t.Errorf("%s writes out %s, which functions.json, routes.json or sizing.json says", file, what)
			}
		}
	}
}
