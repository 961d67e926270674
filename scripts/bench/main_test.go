package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChooseReturnsPartsInTheirOrder(t *testing.T) {
	for _, test := range []struct {
		names string
		want  []string
	}{
		{"search", []string{"search"}},
		{"soak,http", []string{"http", "soak"}},
		{"all", []string{"search", "found", "http", "reload", "hop", "soak", "people", "probe", "start", "chat", "growth"}},
	} {
		chosen, err := choose(test.names)
		if err != nil {
			t.Errorf("choose(%q): %v", test.names, err)
		}
		var got []string
		for _, p := range chosen {
			got = append(got, p.name)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("choose(%q) (-want +got):\n%s", test.names, diff)
		}
	}
}

func TestChooseRefusesNamesOfNoPart(t *testing.T) {
	for _, names := range []string{"", "serach", "search,", "search,everything", "all,http"} {
		if chosen, err := choose(names); err == nil {
			t.Errorf("choose(%q) returns %d parts, want an error", names, len(chosen))
		}
	}
}

func TestSmallRunNeedsNoSources(t *testing.T) {
	o := options{sizes: []string{"1m"}, runs: 5, data: "no such folder"}
	if o.hasData() == nil {
		t.Fatal("a folder that does not exist has sources")
	}
	if err := o.shrink().hasData(); err != nil {
		t.Errorf("a small run: %v", err)
	}
	if _, name, err := corpus(t.Context(), "real", o.shrink().data); err != nil || name != "sample catalog" {
		t.Errorf("a small run measures the %s, %v; want the sample catalog", name, err)
	}
}
