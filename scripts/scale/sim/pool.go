package sim

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Scaling says when instances are started, as Cloud Run does it.
type Scaling struct {
	Processors  int     // of an instance
	Concurrency float64 // requests that an instance takes at a time
	Target      float64 // share of the processors, or of the concurrency, above which instances are added
	Start       float64 // seconds from the decision to the first answer of an instance
	Least, Most int     // instances; Most is 0 where there is no limit
}

// window is how often the number of instances is decided, in seconds.
const window = 1.0

// A Pool is the instances of one container. A request goes to the less busy one of two
// random instances, waits until a processor is free, and holds a place while it waits for
// other servers. Instances are added and never removed: a simulation is of the minutes of
// a peak.
type Pool struct {
	Scaling
	random    *rand.Rand
	instances []instance // those that are ready first come first
	ready     int        // how many were ready when a request came last

	decided float64 // when the number of instances was decided last
	work    float64 // seconds of processor since then
	held    float64 // seconds for which places are held since then

	from      float64 // figures are of requests from then on
	until     float64 // the last request
	busy      float64 // seconds of processor since from
	places    float64 // seconds for which places are held since from
	latencies []float64
}

// An instance has a time for each processor at which it is free.
type instance struct {
	ready float64
	free  []float64
}

// NewPool returns a pool with the instances that a steady load needs: work is in
// processors, and held is how many requests are answered at a time. Figures are of what
// comes at warm or later.
func NewPool(s Scaling, random *rand.Rand, work, held, warm float64) *Pool {
	p := &Pool{Scaling: s, random: random, from: warm}
	p.add(p.Needed(work, held), 0)
	return p
}

// Needed returns how many instances a steady load needs: work is in processors, and held is
// how many requests are answered at a time.
func (p *Pool) Needed(work, held float64) int {
	n := math.Ceil(max(work/float64(p.Processors), held/p.Concurrency) / p.Target)
	n = max(n, float64(p.Least), 1)
	if p.Most > 0 {
		n = min(n, float64(p.Most))
	}
	return int(n)
}

func (p *Pool) add(n int, ready float64) {
	for range n {
		free := make([]float64, p.Processors)
		for i := range free {
			free[i] = ready
		}
		p.instances = append(p.instances, instance{ready, free})
	}
}

// Choose returns the instance to which a request goes that comes at a time. Requests must
// come in the order of their times.
func (p *Pool) Choose(at float64) (instance int) {
	p.decide(at)
	for p.ready < len(p.instances) && p.instances[p.ready].ready <= at {
		p.ready++
	}
	chosen, other := p.random.IntN(p.ready), p.random.IntN(p.ready)
	a, b := p.instances[chosen].free, p.instances[other].free
	if b[earliest(b)] < a[earliest(a)] {
		return other
	}
	return chosen
}

// Serve answers a request that comes at a time, by the instance that Choose returned. It
// takes so many seconds of processor, and waits for other servers. Serve returns the
// seconds until the answer.
func (p *Pool) Serve(instance int, at, processor, wait float64) (latency float64) {
	latency = p.Work(instance, at, processor) + wait
	p.note(at, latency)
	return latency
}

// Work has an instance work at a time for so many seconds of processor, such as for another
// instance. It returns the seconds until that is done.
func (p *Pool) Work(instance int, at, processor float64) (latency float64) {
	free := p.instances[instance].free
	slot := earliest(free)
	start := max(at, free[slot])
	free[slot] = start + processor
	p.work += processor
	if at >= p.from {
		p.busy += processor
	}
	return start - at + processor
}

// Len returns the number of instances, those that start included.
func (p *Pool) Len() int { return len(p.instances) }

func (p *Pool) note(at, latency float64) {
	p.held += latency
	if at < p.from {
		return
	}
	p.until = at
	p.places += latency
	p.latencies = append(p.latencies, latency)
}

func earliest(times []float64) int {
	least := 0
	for i := range times {
		if times[i] < times[least] {
			least = i
		}
	}
	return least
}

// decide adds instances when the last window needed more.
func (p *Pool) decide(at float64) {
	for at >= p.decided+window {
		if need := p.Needed(p.work/window, p.held/window); need > len(p.instances) {
			p.add(need-len(p.instances), p.decided+window+p.Start)
		}
		p.decided += window
		p.work, p.held = 0, 0
	}
}

// Figures are what was seen of a pool.
type Figures struct {
	Instances   int     // at the end
	Processors  float64 // that were busy, on average
	Held        float64 // requests that were being answered, on average
	Utilisation float64 // share of the processors of all instances that was busy
	P50, P99    float64 // seconds to the answer
	Requests    int
}

// Figures returns what was seen since the warm-up.
func (p *Pool) Figures() Figures {
	f := Figures{Instances: len(p.instances), Requests: len(p.latencies)}
	took := p.until - p.from
	if took <= 0 {
		return f
	}
	f.Processors, f.Held = p.busy/took, p.places/took
	f.Utilisation = f.Processors / float64(p.Processors*len(p.instances))
	slices.Sort(p.latencies)
	f.P50 = p.latencies[len(p.latencies)/2]
	f.P99 = p.latencies[len(p.latencies)*99/100]
	return f
}
