package capacity

import (
	"math"

	"miramundo.dev/scripts/scale/sim"
	"miramundo.dev/scripts/scale/world"
)

// processor returns the seconds of a vCPU that a time on the machine of the goals takes.
func (m *Model) processor(micros float64) float64 { return micros * micro * m.Cloud.Slower.Value }

// takes returns the seconds of a vCPU that a call takes with the channels of a load.
func (m *Model) takes(c world.Priced, l Load) float64 {
	micros := c.Processor
	if c.Looks {
		micros += m.Catalog.Relevance.Value * l.Channels / 1e6
	}
	return m.processor(micros)
}

// wait returns how long a call waits for the database, in seconds: its reads are one batch,
// its writes one transaction.
func (m *Model) wait(d world.Documents) (seconds float64) {
	if d.Reads > 0 {
		seconds += m.Cloud.Database.Value
	}
	if d.Writes > 0 {
		seconds += m.Counting.Transaction.Value
	}
	return seconds
}

// calls returns the calls of a part.
func (m *Model) calls(part string) (list []world.Priced, perDay float64) {
	for _, c := range m.Calls {
		if c.Part == part {
			list = append(list, c)
			perDay += c.PerDay
		}
	}
	return list, perDay
}

// answer simulates the function that answers the calls of a part.
func (m *Model) answer(part string, l Load, s Setup) Outcome {
	calls, perDay := m.calls(part)
	rate := l.perSecond(perDay)
	if rate == 0 {
		return Outcome{Uses: []Use{m.quota(0)}}
	}
	seconds, warm := m.span(rate)
	random := m.random(part)
	var work, held float64
	for _, c := range calls {
		work += l.perSecond(c.PerDay) * m.takes(c, l)
		held += l.perSecond(c.PerDay) * (m.takes(c, l) + m.wait(c.Documents))
	}
	pool := sim.NewPool(m.scaling(m.Cloud.Concurrency.Value, m.Cloud.Start.Value), random, work, held, warm)
	for at := random.ExpFloat64() / rate; at < seconds; at += random.ExpFloat64() / rate {
		c := choose(calls, random.Float64()*perDay)
		pool.Serve(pool.Choose(at), at, m.takes(c, l)*random.ExpFloat64(), m.wait(c.Documents))
	}
	f := pool.Figures()
	o := Outcome{
		Uses:      []Use{m.quota(float64(f.Instances))},
		Figures:   m.waits(rate, f),
		Rates:     m.callRates(calls, l),
		Instances: float64(f.Instances),
	}
	o.Rates.Processor, o.Rates.Memory = m.paid(float64(f.Instances), held, times(s.MemoryTimes))
	return o
}

// choose returns the call at a place on the line of all calls.
func choose(calls []world.Priced, at float64) world.Priced {
	for _, c := range calls {
		if at -= c.PerDay; at < 0 {
			return c
		}
	}
	return calls[len(calls)-1]
}

// waits are the figures of a pool.
func (m *Model) waits(rate float64, f sim.Figures) []Figure {
	return []Figure{
		{"requests", rate, "a second"}, {"instances", float64(f.Instances), ""}, {"busy", 100 * f.Utilisation, "%"},
		{"p50", 1000 * f.P50, "ms"}, {"p99", 1000 * f.P99, "ms"},
	}
}

// callRates returns what calls take but processors.
func (m *Model) callRates(calls []world.Priced, l Load) (r Rates) {
	for _, c := range calls {
		n := l.perSecond(c.PerDay)
		r.Requests += n
		r.Reads += n * c.Documents.Reads
		r.Writes += n * c.Documents.Writes
		r.Deletes += n * c.Documents.Deletes
		r.Egress += n * (c.Bytes + m.Full[c.Name].Value)
		r.Events += l.perSecond(c.FactsPerDay()) * m.event()
	}
	r.BalancerThrough = r.Egress
	return r
}

// event is how many bytes one event is paid as: it is published and delivered.
func (m *Model) event() float64 {
	return 2 * max(m.Counting.EventBytes.Value, m.Prices.EventLeast.Value)
}

// paid returns the vCPU and GiB that are paid by request: those of instances that answer at
// least one request at the moment.
func (m *Model) paid(instances, held, memory float64) (processors, gibs float64) {
	if instances == 0 {
		return 0, 0
	}
	active := -math.Expm1(-held/instances) * instances
	return active, active * memory
}

// estimate returns how many instances all functions have, without a simulation.
func (m *Model) estimate(l Load) (sum float64) {
	for _, part := range []string{world.PartSearch, world.PartPages, world.PartPeople, world.PartFeeds, world.PartReports, world.PartAccounts} {
		calls, _ := m.calls(part)
		work, held := 0.0, 0.0
		for _, c := range calls {
			work += l.perSecond(c.PerDay) * m.takes(c, l)
			held += l.perSecond(c.PerDay) * (m.takes(c, l) + m.wait(c.Documents))
		}
		sum += math.Ceil(max(work, held/m.Cloud.Concurrency.Value) / m.Cloud.Target.Value)
	}
	return sum
}

func (m *Model) search(l Load, s Setup) Outcome { return m.answer(world.PartSearch, l, s) }
func (m *Model) feeds(l Load, s Setup) Outcome  { return m.answer(world.PartFeeds, l, s) }
func (m *Model) people(l Load, s Setup) Outcome { return m.answer(world.PartPeople, l, s) }

// pages are answered by the function web; their logos are a document each.
func (m *Model) pages(l Load, s Setup) Outcome {
	o := m.answer(world.PartPages, l, s)
	calls, perDay := m.calls(world.PartPages)
	if len(calls) == 0 || l.People == 0 {
		return o
	}
	browser := m.Logos.Browser.Value
	if s.LogosKept {
		browser = m.Logos.Kept.Value
	}
	read := l.perSecond(perDay) * m.Logos.PerPage.Value * (1 - browser)
	o.Rates.Reads += read
	o.Rates.Requests += read
	o.Rates.Egress += read * m.Logos.Bytes.Value
	o.Rates.BalancerThrough += read * m.Logos.Bytes.Value
	o.Figures = append(o.Figures, Figure{"logos read", read, "documents/s"})
	return o
}

// reports are stored one by one, in the order of their times.
func (m *Model) reports(l Load, s Setup) Outcome {
	o := m.answer(world.PartReports, l, s)
	written := 0.0
	for _, c := range m.Calls {
		if c.Name == "report" {
			written = l.perSecond(c.PerDay) * c.Documents.Writes
		}
	}
	capacity := m.Cloud.Sequential.Value
	if s.Scattered {
		capacity *= scatter
	}
	o.Uses = append(o.Uses, Use{"index of the time of reports", written, capacity, "writes/s"})
	return o
}

// scatter is how many shards an index of times is scattered over.
const scatter = 64

// accounts send a mail for each sign-in.
func (m *Model) accounts(l Load, s Setup) Outcome {
	o := m.answer(world.PartAccounts, l, s)
	mails := l.perSecond(m.Day["sign_in"].Value)
	o.Uses = append(o.Uses, Use{"mails that a provider takes", mails, m.Mail.Most.Value * times(s.MailTimes), "mails/s"})
	return o
}
