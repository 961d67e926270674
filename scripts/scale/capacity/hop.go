package capacity

import (
	"fmt"

	"miramundo.dev/scripts/scale/sim"
)

// A hopKey is what an outcome of the hop depends on.
type hopKey struct {
	l Load
	s Setup
}

// A tower is the state of a simulation of the hop: what instances and sites of the CDN
// have copies of.
type tower struct {
	*Model
	setup  Setup
	rate   float64 // of players
	pool   *sim.Pool
	copies map[uint64]float64 // by instance and stream: until when the copy is fresh
	sites  map[uint64]float64 // by site and stream
	warm   float64

	asked, reached, fetched, hottest float64 // after the warm-up
}

// stale is for how many seconds an instance shows an old copy while it fetches another.
const stale = 10

// hop simulates players that ask for a playlist every few seconds, each of one stream.
func (m *Model) hop(l Load, s Setup) Outcome {
	key := hopKey{l, Setup{CDN: s.CDN, Owners: s.Owners, ByInstance: s.ByInstance}}
	if o, known := m.hops[key]; known {
		return o
	}
	o := m.simulateHop(l, s)
	m.hops[key] = o
	return o
}

func (m *Model) simulateHop(l Load, s Setup) Outcome {
	rate := m.of(m.People.Watching, l) / m.Play.Refetch.Value
	if rate == 0 {
		return Outcome{Uses: []Use{m.quota(0)}}
	}
	seconds, warm := m.span(rate)
	// Instances are never removed, so a simulation begins with about as many as it needs.
	work, held := rate*m.processor(m.Play.HitCPU.Value+m.Play.MissCPU.Value)/2, rate*m.Play.OriginWait.Value/2
	var t *tower
	for range 2 {
		t = &tower{Model: m, setup: s, rate: rate, copies: map[uint64]float64{}, sites: map[uint64]float64{}, warm: warm}
		t.pool = sim.NewPool(m.scaling(m.Cloud.Sockets.Value, m.Cloud.Start.Value), m.random("hop pool"), work, held, warm)
		began := t.pool.Len()
		t.run(seconds)
		f := t.pool.Figures()
		work, held = f.Processors, f.Held
		if again := t.pool.Needed(work, held); 4*again > 3*began && 3*again < 4*began {
			break
		}
	}
	return t.outcome(l, s, rate, seconds-warm)
}

// run simulates some seconds.
func (t *tower) run(seconds float64) {
	random := t.random("hop")
	sites := int(t.Cloud.Sites.Value)
	var q sim.Queue[int] // the streams that are asked for
	q.Add(random.ExpFloat64()/t.rate, t.zipf.Draw(random))
	for {
		at, stream, _ := q.Next()
		if at >= seconds {
			return
		}
		t.ask(at, stream, random.IntN(sites))
		q.Add(at+random.ExpFloat64()/t.rate, t.zipf.Draw(random))
	}
}

// ask has a player ask for the playlist of a stream.
func (t *tower) ask(at float64, stream, site int) {
	warm := at >= t.warm
	if warm {
		t.asked++
	}
	if t.setup.CDN {
		key := copyOf(site, stream)
		if at < t.sites[key] {
			return
		}
		t.sites[key] = at + t.Play.Fresh.Value
	}
	if warm {
		t.reached++
	}
	instance := t.pool.Choose(at)
	processor, wait := t.look(instance, stream, at)
	t.pool.Serve(instance, at, processor, wait)
}

// look returns what it takes an instance to have a copy of a stream, in seconds of its
// processor and of waiting. An old copy is shown while another is fetched.
func (t *tower) look(instance, stream int, at float64) (processor, wait float64) {
	key := copyOf(instance, stream)
	until, known := t.copies[key]
	if known && at < until {
		return t.processor(t.Play.HitCPU.Value), 0
	}
	wait = t.Play.OriginWait.Value
	if owner := t.owner(stream); t.setup.Owners && owner != instance {
		var working float64
		working, wait = t.look(owner, stream, at)
		wait += t.pool.Work(owner, at, working)
	} else if at >= t.warm {
		t.fetched++
		if stream == 0 {
			t.hottest++
		}
	}
	t.copies[key] = at + wait + t.Play.Fresh.Value
	if known && at < until+stale || !known && t.often(stream) {
		wait = 0
	}
	return t.processor(t.Play.MissCPU.Value), wait
}

// often reports whether an instance is asked for a stream so often that it had a copy of it
// before the simulation began.
func (t *tower) often(stream int) bool {
	return t.rate*t.zipf.Share(stream)/float64(t.pool.Len()) > 1.0/stale
}

// owner returns the instance that owns a stream. (Nearby streams go to different ones.)
func (t *tower) owner(stream int) int { return stream % t.pool.Len() }

// copyOf is the key of the copy that a place has of a stream.
func copyOf(place, stream int) uint64 { return uint64(place)<<32 | uint64(stream) }

func (t *tower) outcome(l Load, s Setup, rate, seconds float64) Outcome {
	f := t.pool.Figures()
	n := float64(f.Instances)
	reached := t.reached / max(t.asked, 1)
	o := Outcome{
		Instances: n,
		Uses: []Use{
			{"the origin of the most popular stream", t.hottest / seconds, t.Play.OriginMost.Value, "requests/s"},
			t.quota(n),
		},
		Figures: append([]Figure{
			{"watching", t.of(t.People.Watching, l), "people"}, {"playlists", rate, "a second"}, {"that reach the hop", 100 * reached, "%"},
			{"fetched from origins", t.fetched / seconds, "a second"},
		}, t.waits(rate*reached, f)[1:]...),
		Rates: Rates{Egress: rate * t.Play.Bytes.Value, BalancerThrough: rate * t.Play.Bytes.Value},
	}
	if s.CDN {
		o.Rates.Lookups = rate
	}
	if s.ByInstance {
		o.Rates.ProcessorKept, o.Rates.MemoryKept = n, n/2
	} else {
		o.Rates.Requests = rate * reached
		o.Rates.Processor, o.Rates.Memory = t.paid(n, f.Held, 0.5)
	}
	return o
}

// figure returns a figure of an outcome; one that is missing is a defect of this package.
func (o Outcome) figure(name string) float64 {
	for _, f := range o.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	panic(fmt.Sprintf("capacity: no figure %q", name))
}
