package capacity

import (
	"math"
	"math/rand/v2"

	"miramundo.dev/scripts/scale/sim"
)

// Kinds of subjects of which facts are counted.
const (
	channelFacts = iota
	visitFacts
	usageFacts
)

// A subject is a document in which facts are counted, or one of several that it is
// divided into.
type subject struct{ kind, n, shard int }

// A source is one stream of facts.
type source struct {
	perSecond float64
	perDay    float64 // of the day until now, for the marks
	subject   func(*rand.Rand) subject
}

// facts are the facts of a load, by what they are counted in.
func (m *Model) facts(l Load, s Setup) (list []source, waiting float64) {
	channel := func(r *rand.Rand) subject { return subject{kind: channelFacts, n: m.zipf.Draw(r)} }
	among := func(kind int, documents float64) func(*rand.Rand) subject {
		return func(r *rand.Rand) subject { return subject{kind: kind, n: r.IntN(int(documents))} }
	}
	add := func(perSecond, perDay float64, of func(*rand.Rand) subject) {
		list = append(list, source{perSecond, perDay, of})
	}
	for _, c := range m.Calls {
		switch {
		case c.Facts == 0:
		case c.Shown:
			add(l.perSecond(c.FactsPerDay()), l.People*c.FactsPerDay(), channel)
		default:
			add(l.perSecond(c.FactsPerDay()), l.People*c.FactsPerDay(), among(visitFacts, m.Counting.VisitDocs.Value*times(s.CountShards)))
		}
	}
	plays := m.Day["watch"].Value // a channel that is watched is played
	add(l.perSecond(plays), l.People*plays, channel)
	hop := m.hop(l, s)
	latencies, seen := m.latencies(hop, s)
	if latencies > 0 {
		add(latencies, 0, func(r *rand.Rand) subject { return subject{kind: channelFacts, n: seen.Draw(r)} })
	}
	usage := (m.estimate(l) + hop.Instances) / m.Counting.UsageEvery.Value
	add(usage, usage*day, among(usageFacts, m.Counting.UsageDocs.Value*times(s.CountShards)))
	return list, latencies
}

// latencies is how many facts the hops publish about waiting times, a second, and about
// which streams: one for each instance and stream that was asked for lately by its own
// address.
func (m *Model) latencies(hop Outcome, s Setup) (perSecond float64, seen *sim.Zipf) {
	if hop.Instances == 0 {
		return 0, nil
	}
	every := m.Play.SumEvery.Value
	if s.LatencyEvery > 0 {
		every = s.LatencyEvery
	}
	first := m.Play.Direct.Value // of the requests: players of a master ask for it once
	asked := hop.figure("playlists") * hop.figure("that reach the hop") / 100 * first * every / hop.Instances
	if asked == 0 {
		return 0, nil
	}
	return hop.Instances * min(m.zipf.Distinct(asked), m.Play.Sums.Value) / every, m.zipf.Seen(asked)
}

// A place is a subject at an instance of the function aggregate.
type place struct {
	instance int
	subject
}

// An ending is what happens in a simulation of counting: a transaction ends or, without a
// place, a fact comes.
type ending struct {
	place
	fact bool
}

// A ledger is the state of a simulation of counting.
type ledger struct {
	*Model
	setup        Setup
	random       *rand.Rand
	queue        sim.Queue[ending]
	waiting      map[place]int // facts that wait, of places whose transaction is under way
	spilled      map[subject]float64
	instances    int
	warm         float64
	transactions map[subject]float64
	done, facts  float64
	reads        float64
	writes       float64
	channels     float64 // transactions of channels
}

// counting simulates how facts are gathered and counted.
func (m *Model) counting(l Load, s Setup) Outcome {
	sources, latencies := m.facts(l, s)
	rate := 0.0
	for _, one := range sources {
		rate += one.perSecond
	}
	if rate == 0 {
		return Outcome{Uses: []Use{m.quota(0)}}
	}
	held := rate * (m.Counting.Transaction.Value + s.Gather)
	instances := int(math.Ceil(max(held/m.Cloud.Sockets.Value, rate*m.processor(m.Counting.EventCPU.Value)) / m.Cloud.Target.Value))
	seconds, warm := m.span(rate)
	if least := 6 * s.Gather; seconds < least {
		seconds, warm = least, least/2
	}
	b := &ledger{
		Model: m, setup: s, random: m.random("counting"), waiting: map[place]int{}, spilled: map[subject]float64{},
		instances: instances, warm: warm, transactions: map[subject]float64{},
	}
	b.run(sources, rate, seconds, l)
	return b.outcome(l, rate, latencies, seconds-warm)
}

func (b *ledger) run(sources []source, rate, seconds float64, l Load) {
	b.queue.Add(b.random.ExpFloat64()/rate, ending{fact: true})
	for {
		at, e, ok := b.queue.Next()
		if !ok || at >= seconds {
			return
		}
		if !e.fact {
			b.end(at, e.place)
			continue
		}
		b.queue.Add(at+b.random.ExpFloat64()/rate, ending{fact: true})
		one := pick(sources, b.random.Float64()*rate)
		sub := one.subject(b.random)
		b.spill(sub, one, l)
		b.come(at, b.split(sub))
	}
}

func pick(sources []source, at float64) source {
	for _, s := range sources {
		if at -= s.perSecond; at < 0 {
			return s
		}
	}
	return sources[len(sources)-1]
}

// spill notes how many documents of marks a subject has at the end of its busiest hour.
func (b *ledger) spill(sub subject, one source, l Load) {
	if _, known := b.spilled[sub]; known {
		return
	}
	marks := one.perDay / (b.Counting.VisitDocs.Value * times(b.setup.CountShards))
	if sub.kind == channelFacts { // facts of several kinds have their marks in one document
		marks = b.perDay(l) * b.zipf.Share(sub.n) / times(b.setup.CountShards)
	}
	b.spilled[sub] = max(0, math.Ceil((marks-b.Counting.Inline.Value)/b.Counting.Spill.Value))
}

// perDay is how many facts about channels people make on a day.
func (m *Model) perDay(l Load) (sum float64) {
	for _, c := range m.Calls {
		if c.Shown {
			sum += l.People * c.FactsPerDay()
		}
	}
	return sum + l.People*m.Day["watch"].Value
}

// split returns where a fact of a subject is counted: at any instance, or at the one
// receiver of the subject, and in one of several documents where there are several.
func (b *ledger) split(sub subject) place {
	p := place{b.random.IntN(b.instances), sub}
	if sub.kind == channelFacts {
		p.shard = b.random.IntN(int(times(b.setup.CountShards)))
	}
	if b.setup.Gather > 0 {
		p.instance = 0
	}
	return p
}

// come has a fact come to a place.
func (b *ledger) come(at float64, p place) {
	if at >= b.warm {
		b.facts++
	}
	n, running := b.waiting[p]
	b.waiting[p] = n + 1
	if !running {
		b.queue.Add(at+b.setup.Gather+b.lasts(p), ending{place: p})
		if b.setup.Gather == 0 {
			b.waiting[p] = 0 // it is in the transaction that begins
			b.commit(at, p, 1)
		}
	}
}

// marks returns how many documents of marks a transaction reads.
func (b *ledger) marks(s subject) float64 {
	s.shard = 0
	return b.spilled[s]
}

// lasts returns how long a transaction takes.
func (b *ledger) lasts(p place) float64 {
	return b.Counting.Transaction.Value + b.marks(p.subject)*b.Cloud.Database.Value
}

// end ends a transaction, and begins the next when facts wait.
func (b *ledger) end(at float64, p place) {
	n := b.waiting[p]
	if n == 0 {
		delete(b.waiting, p)
		return
	}
	batch := min(n, int(b.Counting.Batch.Value))
	b.waiting[p] = n - batch
	b.commit(at, p, batch)
	b.queue.Add(at+b.setup.Gather+b.lasts(p), ending{place: p})
}

// commit counts a transaction of so many facts.
func (b *ledger) commit(at float64, p place, facts int) {
	if at < b.warm {
		return
	}
	b.done++
	b.transactions[p.subject]++
	b.reads += 1 + b.marks(p.subject)
	b.writes++
	if b.marks(p.subject) > 0 {
		b.writes += float64(facts) / b.Counting.Inline.Value
	}
	if p.kind == channelFacts {
		b.channels++
	}
}

func (b *ledger) outcome(l Load, rate, latencies, seconds float64) Outcome {
	hottest := map[int]float64{}
	marks := 0.0
	for sub, n := range b.transactions {
		hottest[sub.kind] = max(hottest[sub.kind], n/seconds)
		marks = max(marks, b.marks(sub))
	}
	index := b.Cloud.Sequential.Value
	if b.setup.Scattered {
		index *= scatter
	}
	document := b.Cloud.Document.Value
	events := rate * b.event()
	for _, c := range b.Calls { // whose functions are paid for them already
		events -= l.perSecond(c.FactsPerDay()) * b.event()
	}
	o := Outcome{
		Instances: float64(b.instances),
		Uses: []Use{
			{"the counts of the most popular channel", hottest[channelFacts], document, "writes/s"},
			{"a document of visits", hottest[visitFacts], document, "writes/s"},
			{"a document of usage", hottest[usageFacts], document, "writes/s"},
			{"index of the time of counts", b.channels / seconds, index, "writes/s"},
			b.quota(float64(b.instances)),
		},
		Figures: []Figure{
			{"facts", rate, "a second"}, {"of them waiting times", latencies, "a second"}, {"transactions", b.done / seconds, "a second"},
			{"facts in a transaction", b.facts / max(b.done, 1), ""}, {"documents of marks read with the busiest", marks, ""},
		},
		Rates: Rates{Requests: rate, Reads: b.reads / seconds, Writes: b.writes / seconds, Events: events},
	}
	held := rate * (b.Counting.Transaction.Value + b.setup.Gather)
	if b.setup.Gather > 0 { // facts are pulled, and nobody waits for an answer
		o.Rates.Requests, held = 0, rate*b.processor(b.Counting.EventCPU.Value)
	}
	o.Rates.Processor, o.Rates.Memory = b.paid(float64(b.instances), held, 0.5)
	o.Rates.add(b.shown(l), 1)
	return o
}

// shown is what the job takes that shows counts: it reads each document that has changed,
// and writes the shards.
func (m *Model) shown(l Load) (r Rates) {
	n := m.perDay(l) / day * l.Hour
	if n == 0 {
		return r
	}
	every := m.Counting.Refresh.Value
	r.Reads = m.zipf.Distinct(n*every) / every
	r.Writes = m.Overlay.Shards.Value / every
	return r
}
