package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/source/collect"
)

func TestProgress(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	tell := newPrinter(&out, func() time.Time { return now })
	for _, step := range []struct {
		after time.Duration
		p     collect.Progress
	}{
		{0, collect.Progress{Name: "a/quick", Bytes: 100}},
		{0, collect.Progress{Name: "b/slow", Bytes: 100}},
		{time.Second, collect.Progress{Name: "a/quick", Bytes: 2048, Items: 7, Done: true}},
		{time.Second, collect.Progress{Name: "b/slow", Bytes: 3 << 20}},
		{time.Second, collect.Progress{Name: "b/slow", Bytes: 4 << 20}}, // too soon
		{0, collect.Progress{Name: "c/none", Done: true}},
		{time.Second, collect.Progress{Name: "b/slow", Bytes: 5 << 20, Items: 60000, Done: true}},
	} {
		now = now.Add(step.after)
		tell.progress(step.p)
	}
	want := "" +
		"  a/quick                              7 records       2.0 KiB\n" +
		"  b/slow                         reading …             3.0 MiB\n" +
		"  b/slow                           60000 records       5.0 MiB\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
