package check

import (
	"math"
	"time"

	"miramundo.dev/scripts/scale/capacity"
	"miramundo.dev/scripts/scale/world"
)

// The stack counts and shows facts in one process: each is counted in a transaction of a
// read and a write, then shown by another, which the overlay of counts reads again. Facts
// that come while another of their channel, or of their shard, is under way share a
// transaction; at the pace of a replay that is rare, but for the one channel of which all
// play.
const (
	// gathered is for how long the first play of a batch waits at a hop, in seconds: see
	// hop/audience.
	gathered = 0.2
	// meters is how many parts of the stack count usage, each of which publishes once a
	// minute.
	meters = 3
)

// Predict returns what the model expects that the stack counts for a day that takes so
// long.
func Predict(m *capacity.Model, d Day, took time.Duration) (c Counts) {
	c.Routes = map[string]Documents{}
	for _, call := range m.Calls {
		n := float64(d.count(call.Name))
		c.Requests += n
		c.Bytes += n * call.Bytes
		documents := Documents{n * call.Documents.Reads, n * call.Documents.Writes}
		c.Reads += documents.Reads
		c.Writes += documents.Writes
		c.addRoute(call.Route, documents)
		facts := n * float64(call.Facts)
		if call.Once {
			facts = min(facts, float64(d.People))
		}
		c.Behind.add(count(facts))
		if call.Shown {
			c.Behind.add(show(facts))
		}
	}
	seconds := took.Seconds()
	plays := transactions(d.plays(seconds), gathered)
	periods := 0.0
	if d.count(world.Playlist) > 0 {
		periods = seconds / m.Play.SumEvery.Value // in each the hop sums the waiting times of the channel
	}
	c.Behind.add(count(plays + periods))
	c.Behind.add(show(plays + periods))
	c.Behind.add(count(meters * math.Ceil(seconds/m.Counting.UsageEvery.Value)))
	c.Reads += m.Overlay.Heads.Value * seconds / m.Overlay.Confirm.Value
	return c
}

// add adds documents.
func (d *Documents) add(e Documents) {
	d.Reads += e.Reads
	d.Writes += e.Writes
}

// count is what counting takes in so many transactions.
func count(n float64) Documents { return Documents{n, n} }

// show is what showing takes in so many transactions: the shard is read and written, and
// read by what follows it.
func show(n float64) Documents { return Documents{2 * n, n} }

// plays returns when players begin, in seconds.
func (d Day) plays(seconds float64) (times []float64) {
	for _, s := range d.steps {
		if s.call == world.Playlist && s.n == 0 {
			times = append(times, s.at*seconds)
		}
	}
	return times
}

// transactions returns in how many transactions facts of one channel are counted that wait
// for others after the first of a batch and then come together: the first of a batch is
// counted at once, and those that come meanwhile after it.
func transactions(times []float64, wait float64) (n float64) {
	end, batch := math.Inf(-1), 0
	for _, at := range times {
		if at > end {
			end, batch = at+wait, 0
		}
		if batch++; batch <= 2 {
			n++
		}
	}
	return n
}
