// Package capacity computes what the service needs for a number of people: instances,
// documents and money, and which resource gives out first.
//
// Each part of the service is a function from a load and a setup to an outcome. Parts in
// which something waits, or is shared by requests that come at about the same time, are
// simulated (package sim); the others follow from rates. What is simulated is some seconds
// of an hour with all its people: only time is sampled, since a cache that is shared by a
// tenth of the people would be hit less often. Requests come as a Poisson process, which is
// what many players that ask every few seconds add up to.
//
//	capacity.go  loads, setups and outcomes
//	parts.go     the parts, and what moves the limit of each
//	functions.go functions that answer calls
//	hop.go       playlists
//	counting.go  facts
//	chat.go      messages and presence
//	catalog.go   the catalog in memory, and the overlays
//	breaking.go  at which load a part breaks
//	bill.go      the month's bill
package capacity

import (
	"math/rand/v2"

	"miramundo.dev/scripts/scale/sim"
	"miramundo.dev/scripts/scale/world"
)

// A Model computes outcomes. Its methods must not be called concurrently.
type Model struct {
	*world.World
	Measured *world.Measurement
	Calls    []world.Priced
	// Events is how many events a simulation has, about.
	Events int
	// Most is the most people, or channels, that are looked at.
	Most float64
	// Seed makes runs differ that should differ in chance alone.
	Seed uint64

	zipf *sim.Zipf
	hops map[hopKey]Outcome
}

// Current returns the model of a world, with what was measured last and the costs in the
// repository whose root is given.
func Current(w *world.World, root string) (*Model, error) {
	m, err := world.LoadMeasurement()
	if err != nil {
		return nil, err
	}
	golden, err := world.LoadGolden(root)
	if err != nil {
		return nil, err
	}
	return New(w, m, golden)
}

// New returns the model of a world.
func New(w *world.World, m *world.Measurement, golden map[string]world.Span) (*Model, error) {
	calls, err := w.Price(m, golden)
	if err != nil {
		return nil, err
	}
	return &Model{
		World: w, Measured: m, Calls: calls, Events: 200_000, Most: mostPeople, Seed: 1,
		zipf: sim.NewZipf(int(w.People.Channels.Value), w.People.Zipf.Value), hops: map[hopKey]Outcome{},
	}, nil
}

// mostPeople is how many people and channels are looked at: three times the world.
const mostPeople = 31.7e6

// Again returns a model of the same world with another seed.
func (m *Model) Again(seed uint64) *Model {
	again := *m
	again.Seed, again.hops = seed, map[hopKey]Outcome{}
	return &again
}

// A Load is how many people use the service, and in which hour.
type Load struct {
	People   float64 // on the day
	Hour     float64 // of the mean hour
	Channels float64 // of the catalog
}

// Peak returns the load of the world at its busiest hour.
func (m *Model) Peak() Load {
	return Load{m.People.Day.Value, m.People.Peak.Value, m.People.Channels.Value}
}

// of returns how many of people that are counted at the peak of the world there are at a
// load.
func (m *Model) of(peak world.Value, l Load) float64 {
	return peak.Value * l.People / m.People.Day.Value * l.Hour / m.People.Peak.Value
}

// perSecond returns how often something happens at a load that each person does so many
// times a day.
func (l Load) perSecond(perDay float64) float64 { return l.People * perDay / day * l.Hour }

const (
	day   = 86400.0
	month = 30 * day
	micro = 1e-6
	gib   = 1 << 30
)

// A Setup is how the service is deployed. The zero Setup is how it is today.
type Setup struct {
	CDN          bool    // a CDN keeps the playlists of the hop for a second
	Owners       bool    // an instance of the hop asks the one that owns a stream, which alone asks the origin
	LogosKept    bool    // logos have the hash of their bytes in their address, so that browsers keep them
	ByInstance   bool    // the hop is paid by instance and not by request
	Regions      float64 // regions with a database each, among which people are divided; 0 for one
	CountShards  float64 // times as many documents for what is counted; 0 for 1
	Gather       float64 // seconds for which the facts of a subject wait for others, at one receiver
	LatencyEvery float64 // seconds for which a hop sums latencies; 0 for today's
	RoomOwner    bool    // one instance numbers the messages of a room, those of two seconds in one write
	PresenceSum  float64 // seconds between two sums of the presence that one instance writes; 0 for none
	Countries    bool    // an instance has the catalog of one country or region
	Shards       float64 // times as many shards of the counts; 0 for 1
	Scattered    bool    // the times by which documents are listed begin with a shard number
	MemoryTimes  float64 // times as much memory of an instance with the catalog; 0 for 1
	MailTimes    float64 // times as many mails a second; 0 for 1
}

func times(f float64) float64 { return max(f, 1) }

// An Outcome is what a part needs at a load.
type Outcome struct {
	Uses      []Use
	Figures   []Figure
	Rates     Rates
	Instances float64
}

// A Use is how much of a limited resource is used. The part breaks where it is more than
// there is.
type Use struct {
	Resource       string
	Used, Capacity float64
	Unit           string
}

// Share returns the share that is used.
func (u Use) Share() float64 { return u.Used / u.Capacity }

// First returns the use with the greatest share.
func (o Outcome) First() Use {
	var first Use
	for _, u := range o.Uses {
		if first.Capacity == 0 || u.Share() > first.Share() {
			first = u
		}
	}
	return first
}

// A Figure is something else that is worth knowing.
type Figure struct {
	Name  string
	Value float64
	Unit  string
}

// Rates are what is paid for, in a second.
type Rates struct {
	Requests                         float64 // of instances that are paid by request
	Processor, Memory                float64 // vCPU and GiB that are paid by request
	ProcessorKept, MemoryKept        float64 // vCPU and GiB that are paid by instance
	Reads, Writes, Deletes           float64 // documents
	Events                           float64 // bytes that are published and delivered
	Egress, Lookups, BalancerThrough float64 // bytes, lookups in the CDN, bytes through the balancer
}

// add adds the rates of another part.
func (r *Rates) add(o Rates, times float64) {
	for _, pair := range [][2]*float64{
		{&r.Requests, &o.Requests}, {&r.Processor, &o.Processor}, {&r.Memory, &o.Memory},
		{&r.ProcessorKept, &o.ProcessorKept}, {&r.MemoryKept, &o.MemoryKept},
		{&r.Reads, &o.Reads}, {&r.Writes, &o.Writes}, {&r.Deletes, &o.Deletes}, {&r.Events, &o.Events},
		{&r.Egress, &o.Egress}, {&r.Lookups, &o.Lookups}, {&r.BalancerThrough, &o.BalancerThrough},
	} {
		*pair[0] += *pair[1] * times
	}
}

// random returns the source of a simulation, which depends on the seed and on its name
// alone.
func (m *Model) random(name string) *rand.Rand {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(m.Seed, h))
}

// span returns how many seconds of a rate are simulated, and how many of them warm up.
func (m *Model) span(perSecond float64) (seconds, warm float64) {
	const least, most = 4, 3600
	seconds = max(least, min(float64(m.Events)/max(perSecond, 1e-9), most))
	return seconds, seconds / 2
}

// scaling returns when instances of a service are started whose start takes so many
// seconds.
func (m *Model) scaling(concurrency, start float64) sim.Scaling {
	return sim.Scaling{Processors: 1, Concurrency: concurrency, Target: m.Cloud.Target.Value, Start: start}
}

// quota is the use of instances of a service.
func (m *Model) quota(instances float64) Use {
	return Use{"instances of the service", instances, m.Cloud.Instances.Value, "instances"}
}
