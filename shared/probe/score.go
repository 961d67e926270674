package probe

import (
	"math"
	"time"
)

// A score is a moving average of samples, one for each measurement that shows
// how well a stream works:
//
//	online                       100
//	  slow to its first byte     less up to 20: 0 at 1.5 s, 20 at 8 s and more
//	  open by its headers only   less 10
//	offline, timeout, error      0
//	blocked, unknown             no sample: a refusal depends on the place
//
// The first sample is the score. A later sample weighs 1-2^(-t/48h), where t is
// the time since the sample before it, but at least an hour: two days halve the
// weight of all earlier samples, however often the stream was measured in them.
// The score lies between the least and the greatest sample, and converges to
// samples that stay the same.
const (
	scoreHalf  = 48 * time.Hour
	scoreLeast = time.Hour

	quick, slow = 1500 * time.Millisecond, 8 * time.Second // latencies without a cost, and with the full cost
	slowCost    = 20.0
	closedCost  = 10.0
)

// sample returns the sample of one measurement, from 0 to 100. It reports false
// when the measurement does not show how well the stream works.
func sample(r *Result) (float64, bool) {
	switch r.Status {
	case Offline, Timeout, Error:
		return 0, true
	case Online:
	default:
		return 0, false
	}
	late := float64(min(max(r.Latency, quick), slow)-quick) / float64(slow-quick)
	score := 100 - slowCost*late
	if r.Closed {
		score -= closedCost
	}
	return score, true
}

// scorePrecision is the number of steps of a stored score per point. With coarse
// steps a small change would be rounded away each time, and the score would never
// reach its limit.
const scorePrecision = 1_000_000

// average returns the score after a sample that comes a time after the one
// before it, when the score was old.
func average(old float64, after time.Duration, sample float64) float64 {
	weight := 1 - math.Exp2(-float64(max(after, scoreLeast))/float64(scoreHalf))
	score := old + weight*(sample-old)
	return math.Round(score*scorePrecision) / scorePrecision
}
