package probe

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestSample(t *testing.T) {
	for _, test := range []struct {
		name string
		r    Result
		want float64
		ok   bool
	}{
		{"good", Result{Status: Online, Latency: 300 * time.Millisecond}, 100, true},
		{"of unknown latency", Result{Status: Online}, 100, true},
		{"at the end of quick", Result{Status: Online, Latency: 1500 * time.Millisecond}, 100, true},
		{"halfway to slow", Result{Status: Online, Latency: 4750 * time.Millisecond}, 90, true},
		{"slow", Result{Status: Online, Latency: 8 * time.Second}, 80, true},
		{"slower than slow", Result{Status: Online, Latency: time.Hour}, 80, true},
		{"before time began", Result{Status: Online, Latency: -time.Hour}, 100, true},
		{"closed", Result{Status: Online, Closed: true}, 90, true},
		{"closed and slow", Result{Status: Online, Closed: true, Latency: 9 * time.Second}, 70, true},
		{"offline", Result{Status: Offline, Latency: time.Second}, 0, true},
		{"timeout", Result{Status: Timeout}, 0, true},
		{"error", Result{Status: Error}, 0, true},
		{"blocked", Result{Status: Blocked}, 0, false},
		{"unknown", Result{Status: Unknown}, 0, false},
		{"no status", Result{}, 0, false},
		{"no status of ours", Result{Status: "fine"}, 0, false},
	} {
		if got, ok := sample(&test.r); math.Abs(got-test.want) > 1e-9 || ok != test.ok {
			t.Errorf("%s: %v, %v, want %v, %v", test.name, got, ok, test.want, test.ok)
		}
	}
}

func TestAverage(t *testing.T) {
	for _, test := range []struct {
		name        string
		old, sample float64
		after       time.Duration
		want        float64
	}{
		{"two days halve", 100, 0, 48 * time.Hour, 50},
		{"four days leave a quarter", 0, 100, 96 * time.Hour, 75},
		{"an hour is the least", 100, 0, time.Second, 98.56632},
		{"a clock set back", 100, 0, -time.Hour, 98.56632},
		{"a long silence", 0, 100, 365 * 24 * time.Hour, 100},
		{"the same again", 42.5, 42.5, time.Hour, 42.5},
	} {
		if got := average(test.old, test.after, test.sample); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestAverageLaws checks what the score promises, over many made-up histories.
func TestAverageLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		old, x := rng.Float64()*100, rng.Float64()*100
		after := time.Duration(rng.Int64N(int64(400 * time.Hour)))
		got := average(old, after, x)
		if got < min(old, x)-1e-6 || got > max(old, x)+1e-6 {
			t.Fatalf("average(%v, %v, %v) = %v: not between them", old, after, x, got)
		}
		if more := average(old, after, min(x+1, 100)); more < got {
			t.Fatalf("a better sample than %v makes a worse score: %v, not %v", x, more, got)
		}
		if more := average(min(old+1, 100), after, x); more < got {
			t.Fatalf("a better past than %v makes a worse score: %v, not %v", old, more, got)
		}
		if later := average(old, after+time.Hour, x); math.Abs(later-x) > math.Abs(got-x)+1e-6 {
			t.Fatalf("more time since the last sample moves the score %v less toward %v: %v", got, x, later)
		}
	}
}

// TestScoreConverges checks that samples that stay the same are reached, from
// wherever and however often they come.
func TestScoreConverges(t *testing.T) {
	for _, every := range []time.Duration{time.Minute, time.Hour, 20 * time.Hour, 7 * 24 * time.Hour} {
		for _, from := range []float64{0, 33, 100} {
			for _, to := range []float64{0, 71.3, 100} {
				score := from
				for range 2000 {
					score = average(score, every, to)
				}
				if math.Abs(score-to) > 0.001 {
					t.Errorf("from %v every %v: %v, want %v", from, every, score, to)
				}
			}
		}
	}
}

// TestScoreOfADay checks that how often a stream was measured in a while does
// not matter for what the while weighs.
func TestScoreOfADay(t *testing.T) {
	once := average(100, 24*time.Hour, 0)
	often := 100.0
	for range 24 {
		often = average(often, time.Hour, 0)
	}
	if math.Abs(once-often) > 0.001 {
		t.Errorf("once a day %v, every hour %v", once, often)
	}
}
