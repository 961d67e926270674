package sim

import (
	"math"
	"math/rand/v2"
	"sort"
)

// A Zipf is how popular ranks are: rank k, from 0, in proportion to 1/(k+1)^s.
//
// [rand.Zipf] needs s > 1; channels of a catalog have s near 1.
type Zipf struct {
	sums []float64 // of the shares of the ranks up to each; the last is 1
}

// NewZipf returns the popularity of n ranks, of which there must be at least one.
func NewZipf(n int, s float64) *Zipf {
	return newZipf(n, func(rank int) float64 { return math.Pow(float64(rank+1), -s) })
}

// newZipf returns n ranks with shares in proportion to their weights.
func newZipf(n int, weight func(rank int) float64) *Zipf {
	z := &Zipf{make([]float64, n)}
	sum := 0.0
	for k := range z.sums {
		sum += weight(k)
		z.sums[k] = sum
	}
	for k := range z.sums {
		z.sums[k] /= sum
	}
	z.sums[n-1] = 1
	return z
}

// Seen returns the ranks with shares in proportion to how likely each is to be drawn at
// least once in n draws, of which there must be some.
func (z *Zipf) Seen(n float64) *Zipf {
	return newZipf(z.Len(), func(rank int) float64 { return -math.Expm1(-n * z.Share(rank)) })
}

// Draw returns a random rank.
func (z *Zipf) Draw(r *rand.Rand) int { return sort.SearchFloat64s(z.sums, r.Float64()) }

// Share returns the share of a rank.
func (z *Zipf) Share(rank int) float64 {
	if rank == 0 {
		return z.sums[0]
	}
	return z.sums[rank] - z.sums[rank-1]
}

// Distinct returns how many ranks are expected to be drawn at least once in n draws.
func (z *Zipf) Distinct(n float64) float64 {
	sum := 0.0
	for k := range z.sums {
		sum -= math.Expm1(-n * z.Share(k))
	}
	return sum
}

// Len returns the number of ranks.
func (z *Zipf) Len() int { return len(z.sums) }
