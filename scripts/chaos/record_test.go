package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/scripts/bench/report"
)

// TestLines checks the lines of a page: answers a second between two samples, by class,
// and memory in MB.
func TestLines(t *testing.T) {
	r := record{samples: []sample{
		{0, [3]int{10, 1, 0}, 300 << 20, 100 << 20},
		{time.Minute, [3]int{130, 61, 0}, 200 << 20, 50 << 20},
	}}
	answers, memory := r.lines()
	at := func(x, y float64) []report.Point { return []report.Point{{X: x, Y: y}} }
	want := []report.Line{{Name: classes[0], Points: at(1, 2)}, {Name: classes[1], Points: at(1, 1)}, {Name: classes[2], Points: at(1, 0)}}
	if d := cmp.Diff(want, answers); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
	want = []report.Line{
		{Name: "the largest of each service, in all", Points: append(at(0, 300), at(1, 200)...)},
		{Name: "the largest", Points: append(at(0, 100), at(1, 50)...)},
	}
	if d := cmp.Diff(want, memory); d != "" {
		t.Errorf("memory (-want +got):\n%s", d)
	}
}

func TestClass(t *testing.T) {
	for name, want := range map[string]int{"200": 0, "303": 0, "402": 1, "429": 1, "503": 2, "502 of the load balancer": 2, "none": 2} {
		if got := class(name); got != want {
			t.Errorf("class(%q) = %d, want %d", name, got, want)
		}
	}
}
