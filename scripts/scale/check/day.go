package check

import (
	"math"
	"math/rand/v2"
	"slices"

	"miramundo.dev/scripts/scale/capacity"
	"miramundo.dev/scripts/scale/sim"
	"miramundo.dev/scripts/scale/world"
)

// A step is one call of a person.
type step struct {
	at     float64 // of the day, from 0 to 1
	person int
	call   string
	n      int // of the person's calls of this kind
	// channel is the rank of a channel, another one for each of the person's calls of
	// this kind.
	channel int
}

// A Day is what some people do on a day.
type Day struct {
	People int
	steps  []step
}

// watched is the share of a day's playlists that the replay asks for: a person watches
// for three minutes instead of an hour. Playlists cost no documents.
const watched = 0.05

// NewDay returns the day of some people as the model has it: each kind of call as often as
// the model expects, at times that follow the hours of the world. Who makes a call, and of
// which channel, is random.
func NewDay(m *capacity.Model, people, channels int, seed uint64) Day {
	d := Day{People: people}
	random := rand.New(rand.NewPCG(seed, 0))
	popular := sim.NewZipf(channels, m.People.Zipf.Value)
	for _, c := range m.Calls {
		perDay := c.PerDay
		if c.Name == world.Playlist {
			perDay *= watched
		}
		if !c.Assumed {
			d.add(c.Name, int(math.Round(perDay*float64(people))), random, popular, m.Hours.Weights)
		}
	}
	d.sort()
	return d
}

// Only returns a day that has n calls of one kind alone, spread over some people.
func Only(m *capacity.Model, call string, n, people, channels int) Day {
	d := Day{People: people}
	random := rand.New(rand.NewPCG(1, uint64(n)))
	d.add(call, n, random, sim.NewZipf(channels, m.People.Zipf.Value), m.Hours.Weights)
	d.sort()
	return d
}

func (d *Day) sort() {
	slices.SortStableFunc(d.steps, func(a, b step) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
}

// add adds n calls of a kind, as many to each person as to any other.
func (d *Day) add(call string, n int, random *rand.Rand, popular *sim.Zipf, weights []float64) {
	order := random.Perm(d.People)
	seen := map[[2]int]bool{}
	for i := range n {
		person := order[i%d.People]
		d.steps = append(d.steps, step{at: moment(random, weights), person: person, call: call, n: i / d.People, channel: d.another(seen, person, random, popular)})
	}
}

// another returns a channel that a person was not given before.
func (d *Day) another(seen map[[2]int]bool, person int, random *rand.Rand, popular *sim.Zipf) int {
	channel := popular.Draw(random)
	for tries := 0; seen[[2]int{person, channel}] && tries < popular.Len(); tries++ {
		channel = (channel + 1) % popular.Len()
	}
	seen[[2]int{person, channel}] = true
	return channel
}

// moment returns a random moment of a day, from 0 to 1.
func moment(random *rand.Rand, weights []float64) float64 {
	at := random.Float64() * 24 // the mean of the weights is 1
	for hour, weight := range weights {
		if at < weight {
			return (float64(hour) + at/weight) / 24
		}
		at -= weight
	}
	return 1
}

// count returns how many steps are calls of a kind.
func (d Day) count(call string) (n int) {
	for _, s := range d.steps {
		if s.call == call {
			n++
		}
	}
	return n
}
