package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestQueue takes events in the order of their times, and those of one time in the order
// in which they were added.
func TestQueue(t *testing.T) {
	var q Queue[string]
	for _, e := range []struct {
		at   float64
		what string
	}{{3, "d"}, {1, "a"}, {2, "b"}, {2, "c"}, {5, "f"}, {3, "e"}} {
		q.Add(e.at, e.what)
	}
	got := ""
	last := math.Inf(-1)
	for q.Len() > 0 {
		at, what, ok := q.Next()
		if !ok || at < last {
			t.Errorf("%s at %g after %g, %t", what, at, last, ok)
		}
		last = at
		got += what
	}
	if got != "abcdef" {
		t.Errorf("events come as %s", got)
	}
	if _, _, ok := q.Next(); ok {
		t.Error("an empty queue has an event")
	}
}

// TestQueueRandomly compares many events with their sorted order.
func TestQueueRandomly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var q Queue[int]
	now, taken := 0.0, 0
	for i := range 20_000 {
		q.Add(now+r.Float64()*10, i)
		if i%2 == 1 {
			at, _, _ := q.Next()
			if at < now {
				t.Fatalf("an event at %g comes after %g", at, now)
			}
			now = at
			taken++
		}
	}
	if got := q.Len() + taken; got != 20_000 {
		t.Errorf("%d events, want 20000", got)
	}
}

func TestZipf(t *testing.T) {
	z := NewZipf(4, 1) // 1, 1/2, 1/3, 1/4 of 25/12
	var got []float64
	for k := range z.Len() {
		got = append(got, math.Round(1000*z.Share(k))/1000)
	}
	if diff := cmp.Diff([]float64{0.48, 0.24, 0.16, 0.12}, got); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
	r := rand.New(rand.NewPCG(2, 2))
	const draws = 100_000
	drawn := make([]float64, z.Len())
	for range draws {
		drawn[z.Draw(r)]++
	}
	for k, n := range drawn {
		if math.Abs(n/draws-z.Share(k)) > 0.01 {
			t.Errorf("rank %d is drawn in %g of the cases, want %g", k, n/draws, z.Share(k))
		}
	}
	if got := z.Distinct(1e9); math.Abs(got-4) > 1e-6 {
		t.Errorf("%g ranks are drawn in many draws, want 4", got)
	}
	if seen := z.Seen(1e9); math.Abs(seen.Share(0)-0.25) > 1e-6 || math.Abs(seen.Share(3)-0.25) > 1e-6 {
		t.Errorf("in many draws the ranks are not seen alike: %g and %g", seen.Share(0), seen.Share(3))
	}
	if seen := z.Seen(1e-6); math.Abs(seen.Share(0)-0.48) > 1e-3 {
		t.Errorf("in few draws the first rank is seen in %g of them, want its share", seen.Share(0))
	}
	if got := z.Distinct(1); math.Abs(got-1) > 0.3 {
		t.Errorf("%g ranks are drawn in one draw, want about 1", got)
	}
}

// TestPoolWaits compares the waiting time at one server with what queueing theory says: of
// M/M/1 a request is there for 1/(μ-λ), of M/D/1 it waits for half as long as in M/M/1.
func TestPoolWaits(t *testing.T) {
	const rate, service = 60.0, 0.01 // μ is 100
	for _, test := range []struct {
		name string
		draw func(*rand.Rand) float64
		mean float64 // until the answer
	}{
		{"M/M/1", func(r *rand.Rand) float64 { return service * r.ExpFloat64() }, 1 / (1/service - rate)},
		{"M/D/1", func(*rand.Rand) float64 { return service }, service + 0.5*(rate*service*service)/(1-rate*service)},
	} {
		r := rand.New(rand.NewPCG(1, 3))
		p := NewPool(Scaling{Processors: 1, Concurrency: 1e9, Target: 1, Most: 1}, r, 0, 0, 0)
		now, sum := 0.0, 0.0
		const n = 200_000
		for range n {
			now += r.ExpFloat64() / rate
			sum += p.Serve(p.Choose(now), now, test.draw(r), 0)
		}
		if mean := sum / n; math.Abs(mean/test.mean-1) > 0.05 {
			t.Errorf("%s: a request takes %.4f s, want %.4f", test.name, mean, test.mean)
		}
		if f := p.Figures(); math.Abs(f.Utilisation-rate*service) > 0.02 || f.P99 < f.P50 {
			t.Errorf("%s: %+v", test.name, f)
		}
	}
}

// TestPoolGrows loads a pool of one instance with what three processors do: instances are
// added, at most as many as there may be, and answer after their start.
func TestPoolGrows(t *testing.T) {
	for _, test := range []struct {
		name string
		most int
		want int
	}{{"without a limit", 0, 5}, {"with a limit", 2, 2}} {
		r := rand.New(rand.NewPCG(1, 4))
		p := NewPool(Scaling{Processors: 1, Concurrency: 1e9, Target: 0.6, Start: 2, Most: test.most}, r, 0, 0, 30)
		for now := 0.0; now < 60; now += 0.01 {
			p.Serve(p.Choose(now), now, 0.0295, 0)
		}
		f := p.Figures()
		if f.Instances != test.want {
			t.Errorf("%s: %d instances, want %d", test.name, f.Instances, test.want)
		}
		if waits := f.P50 > 1; waits != (test.most > 0) {
			t.Errorf("%s: half of the requests take %g s", test.name, f.P50)
		}
	}
}
