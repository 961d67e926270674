package check

import (
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/scale/capacity"
	"miramundo.dev/scripts/scale/world"
)

func open(t *testing.T) *capacity.Model {
	t.Helper()
	w, err := world.Load()
	if err != nil {
		t.Fatal(err)
	}
	w.People.Channels.Value = 1000
	m, err := capacity.Current(w, "../../..")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestParseCounts adds up the series of a process.
func TestParseCounts(t *testing.T) {
	text := `# TYPE miramundo_http_requests_total counter
miramundo_http_requests_total{code="200",method="GET",route="/a"} 3
miramundo_http_requests_total{code="404",method="GET",route="unmatched"} 2
# TYPE miramundo_http_response_bytes_total counter
miramundo_http_response_bytes_total{method="GET",route="/a"} 400
# TYPE miramundo_store_documents_total counter
miramundo_store_documents_total{method="GET",operation="read",route="/a"} 7
miramundo_store_documents_total{method="GET",operation="delete",route="/a"} 9
miramundo_store_documents_total{method="POST",operation="write",route="/b"} 5
miramundo_store_documents_total{method="",operation="read",route="background"} 11
miramundo_store_documents_total{method="",operation="write",route="background"} 13
# TYPE miramundo_bus_waiting_events gauge
miramundo_bus_waiting_events{subscription="plays"} 1
miramundo_bus_waiting_events{subscription="visits"} 1
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 1.5
`
	got, err := parseCounts(strings.NewReader(text))
	want := Counts{Requests: 5, Bytes: 400, Reads: 7, Writes: 5, Behind: Documents{11, 13}, Processor: 1.5, Waiting: 2, Routes: map[string]Documents{"GET /a": {7, 0}, "POST /b": {0, 5}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	before := Counts{Requests: 1, Bytes: 100, Reads: 2, Writes: 3, Behind: Documents{1, 2}, Processor: 0.5, Waiting: 9, Routes: map[string]Documents{"GET /a": {7, 0}, "POST /b": {0, 1}}}
	if diff := cmp.Diff(Counts{4, 300, 5, 2, Documents{10, 11}, map[string]Documents{"POST /b": {0, 4}}, 1, 2}, got.less(before)); diff != "" {
		t.Errorf("less (-want +got):\n%s", diff)
	}
	for _, text := range []string{"", "no metrics {", strings.ReplaceAll(text, "process_cpu", "other_cpu")} {
		if _, err := parseCounts(strings.NewReader(text)); err == nil {
			t.Errorf("%.20q… is read", text)
		}
	}
}

// TestDay has each call as often as the model expects, in order, and each person reports
// a channel once.
func TestDay(t *testing.T) {
	m := open(t)
	d := NewDay(m, 200, 400, 1)
	for call, want := range map[string]int{"report": 500, "visit": 300, "folder": 10, world.Playlist: 200 * 600 / 20, "sign_in": 0} {
		if got := d.count(call); got != want {
			t.Errorf("%d calls %s, want %d", got, call, want)
		}
	}
	seen := map[[2]int]bool{}
	last := 0.0
	for _, s := range d.steps {
		if s.at < last || s.at > 1 {
			t.Fatalf("a step at %g comes after %g", s.at, last)
		}
		last = s.at
		if key := [2]int{s.person, s.channel}; s.call == "report" {
			if seen[key] {
				t.Errorf("person %d reports channel %d twice", s.person, s.channel)
			}
			seen[key] = true
		}
	}
	if diff := cmp.Diff(d, NewDay(m, 200, 400, 1), cmp.AllowUnexported(Day{}, step{})); diff != "" {
		t.Errorf("two days with one seed differ:\n%s", diff)
	}
	if cmp.Equal(d, NewDay(m, 200, 400, 2), cmp.AllowUnexported(Day{}, step{})) {
		t.Error("two days with different seeds are the same")
	}
}

// TestMoments follow the hours.
func TestMoments(t *testing.T) {
	m := open(t)
	d := Only(m, "report", 20_000, 100, 400)
	for hour, want := range map[float64]float64{3: 0.3, 10: 0.7, 20: 2.4} {
		in := 0
		for _, s := range d.steps {
			if s.at >= hour/24 && s.at < (hour+1)/24 {
				in++
			}
		}
		if share := float64(in) / float64(len(d.steps)) * 24; share < 0.8*want || share > 1.2*want {
			t.Errorf("the hour %g has %g times the mean, want about %g", hour, share, want)
		}
	}
}

// TestPredict expects of a day with one kind of call what that call and its facts take.
func TestPredict(t *testing.T) {
	m := open(t)
	m.Overlay.Heads.Value = 0
	costs := map[string]world.Priced{}
	for _, c := range m.Calls {
		costs[c.Name] = c
	}
	for name, test := range map[string]struct {
		call   string
		n      int
		behind Documents // with the one of each part of the stack that counts usage
	}{
		"reads":   {"library", 50, Documents{3, 3}},
		"reports": {"report", 50, Documents{50*3 + 3, 50*2 + 3}},
		"visits":  {"visit", 50, Documents{20 + 3, 20 + 3}}, // of 20 people
	} {
		got := Predict(m, Only(m, test.call, test.n, 20, 400), time.Second)
		c, n := costs[test.call], float64(test.n)
		want := Counts{Requests: n, Bytes: n * c.Bytes, Reads: n * c.Documents.Reads, Writes: n * c.Documents.Writes, Behind: test.behind, Routes: map[string]Documents{}}
		want.addRoute(c.Route, Documents{want.Reads, want.Writes})
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTransactions(t *testing.T) {
	for _, test := range []struct {
		times []float64
		want  float64
	}{{nil, 0}, {[]float64{1}, 1}, {[]float64{1, 1.1}, 2}, {[]float64{1, 1.1, 1.2, 1.21, 1.5}, 4}} {
		if got := transactions(test.times, 0.2); got != test.want {
			t.Errorf("%v are counted in %g transactions, want %g", test.times, got, test.want)
		}
	}
}

// TestCompare says by how much the bill of the model differs: documents and bytes by their
// prices, and not requests.
func TestCompare(t *testing.T) {
	m := open(t)
	counted := Counts{Requests: 10, Bytes: 1 << 30, Reads: 60_000, Behind: Documents{40_000, 0}} // 0.08 + 0.03 USD
	for name, test := range map[string]struct {
		change func(*Counts)
		want   float64
	}{
		"the same": {func(*Counts) {}, 0},
		"requests": {func(c *Counts) { c.Requests = 1e9 }, 0},
		"bytes":    {func(c *Counts) { c.Bytes *= 2 }, 8.0 / 11},
		"writes":   {func(c *Counts) { c.Writes = 100_000 }, 9.0 / 11},
		"behind":   {func(c *Counts) { c.Behind.Reads = 0 }, -1.2 / 11},
	} {
		predicted := counted
		test.change(&predicted)
		if got := compare(report.New(io.Discard), m, Day{People: 1}, time.Second, predicted, counted); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: differs by %g, want %g", name, got, test.want)
		}
	}
}
