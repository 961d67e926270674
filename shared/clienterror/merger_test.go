package clienterror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A bench is a merger with a clock and a log that a test reads.
type bench struct {
	*Merger
	now     time.Time
	out     bytes.Buffer
	counted map[string]int
	ends    []func() // of minutes
}

func newBench() *bench {
	b := &bench{now: time.Date(2026, 11, 23, 12, 0, 30, 0, time.UTC), counted: map[string]int{}}
	b.Merger = NewMerger(Options{
		Log: slog.New(slog.NewJSONHandler(&b.out, nil)), Now: func() time.Time { return b.now },
		Counted: func(code string) { b.counted[code]++ },
		After:   func(_ time.Duration, f func()) { b.ends = append(b.ends, f) },
	})
	return b
}

// network returns the n-th network.
func network(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 32)
}

// logged returns the records of the log as "level code count", and empties it.
func (b *bench) logged(t *testing.T) (all []string) {
	t.Helper()
	for line := range strings.Lines(b.out.String()) {
		var r struct {
			Level, Msg, Code string
			Count            int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Msg != Event {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, fmt.Sprintf("%s %s %d", r.Level, r.Code, r.Count))
	}
	b.out.Reset()
	return all
}

var ours = Report{Code: "UI-JS-001", Phase: "load", Path: "/brasil?q=x", Message: "TypeError of ana@mira.example", Source: "https://m.example/a.js?v=1", Line: 3}

// TestMerge checks that equal failures are logged once, at the end of their minute.
func TestMerge(t *testing.T) {
	b := newBench()
	other := ours
	other.Message = "TypeError of bea@mira.example" // the same failure, once it is redacted
	second := ours
	second.Code, second.Line = "UI-XX-9", 4
	for _, r := range []Report{ours, other, second, ours} {
		b.Take(r, network(1))
	}
	if got := b.logged(t); got != nil {
		t.Errorf("before the minute ended: %q", got)
	}
	b.ends[0]()
	if d := cmp.Diff([]string{"WARN UI-JS-001 3", "WARN UI-XX-9 1"}, b.logged(t)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]int{"UI-JS-001": 3, OtherCode: 1}, b.counted); d != "" {
		t.Errorf("counted (-want +got):\n%s", d)
	}
	b.ends[0]()
	b.Flush()
	if got := b.logged(t); got != nil {
		t.Errorf("logged twice: %q", got)
	}
	b.Take(ours, network(1))
	b.now = b.now.Add(time.Minute)
	b.Take(ours, network(1)) // has the last minute logged although no timer ran
	if d := cmp.Diff([]string{"WARN UI-JS-001 1"}, b.logged(t)); d != "" {
		t.Errorf("the next minute (-want +got):\n%s", d)
	}
	b.ends[len(b.ends)-2]() // of the minute that is over
	b.Flush()
	if d := cmp.Diff([]string{"WARN UI-JS-001 1"}, b.logged(t)); d != "" {
		t.Errorf("after Flush (-want +got):\n%s", d)
	}
}

// TestNothingPersonal checks that a record has neither the visitor's text nor a query.
func TestNothingPersonal(t *testing.T) {
	b := newBench()
	b.Take(ours, network(77))
	b.Flush()
	for _, secret := range []string{"ana@", "?", "https:", "10.0.0.77"} {
		if strings.Contains(b.out.String(), secret) {
			t.Errorf("%q in %s", secret, b.out.String())
		}
	}
}

// TestInvalidReports checks that reports which are not of the interface leave no trace.
func TestInvalidReports(t *testing.T) {
	for name, change := range map[string]func(*Report){
		"no code": func(r *Report) { r.Code = "" }, "another code": func(r *Report) { r.Code = "JS-001" }, "a bare code": func(r *Report) { r.Code = "UI-" },
		"a code with a space": func(r *Report) { r.Code = "UI-JS 1" }, "a long code": func(r *Report) { r.Code = "UI-" + strings.Repeat("A", maxCode) },
		"no phase": func(r *Report) { r.Phase = "" }, "a phase in capitals": func(r *Report) { r.Phase = "Load" },
		"a long message": func(r *Report) { r.Message = strings.Repeat("é", MaxMessage+1) }, "a long stack": func(r *Report) { r.Stack = strings.Repeat("x", MaxStack+1) },
		"a negative line": func(r *Report) { r.Line = -1 },
	} {
		b := newBench()
		r := ours
		change(&r)
		b.Take(r, network(1))
		b.Flush()
		if got := b.logged(t); got != nil || len(b.counted) > 0 {
			t.Errorf("%s: %q, counted %v", name, got, b.counted)
		}
	}
	b := newBench()
	longest := ours
	longest.Message, longest.Stack = strings.Repeat("é", MaxMessage), strings.Repeat("x", MaxStack)
	b.Take(longest, network(1))
	if b.Flush(); len(b.logged(t)) != 1 {
		t.Error("the longest report is refused")
	}
}

// TestBounds checks that neither one network nor many make a process keep more than its
// bounds in a minute, and that the next minute begins anew.
func TestBounds(t *testing.T) {
	b := newBench()
	for range 2 * perNetwork {
		b.Take(ours, network(1))
	}
	b.Flush()
	if d := cmp.Diff([]string{"WARN UI-JS-001 30", "WARN dropped 30"}, b.logged(t)); d != "" {
		t.Errorf("one network (-want +got):\n%s", d)
	}
	for n := range maxReports + 50 {
		r := ours
		r.Line = n
		b.Take(r, network(n/perNetwork+2))
	}
	if len(b.failures) != maxFailures || b.reports != maxReports || b.dropped != maxReports+50-maxFailures {
		t.Errorf("%d failures of %d reports, %d dropped", len(b.failures), b.reports, b.dropped)
	}
	b.now = b.now.Add(time.Minute)
	b.Take(ours, network(1))
	b.logged(t)
	b.Flush()
	if d := cmp.Diff([]string{"WARN UI-JS-001 1"}, b.logged(t)); d != "" {
		t.Errorf("the next minute (-want +got):\n%s", d)
	}
}
