package companion

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"miramundo.dev/shared/catalog"
)

// Bounds of what is counted.
const (
	maxKept       = 40     // channels of one owner, so that a large library says no more than others
	maxChannels   = 20_000 // that have companions, those that most owners keep
	maxCompanions = 16     // of a channel
)

// A counter counts channels that are kept together. It has numbers of channels in place
// of their ids, and of an owner only the list of these.
type counter struct {
	numbers  map[string]uint32 // of channels, by the id of now
	channels []channel         // by number
	lists    [][]uint32        // the channels of each owner
}

// A channel is one that somebody keeps.
type channel struct {
	id     string
	kind   catalog.Kind
	owners []uint32 // numbers of lists
}

func newCounter() *counter { return &counter{numbers: map[string]uint32{}} }

// add adds the channels of one owner, each once.
func (c *counter) add(ids []string, kindOf func(id string) catalog.Kind) {
	list := make([]uint32, 0, len(ids))
	owner := uint32(len(c.lists))
	for _, id := range ids {
		n, ok := c.numbers[id]
		if !ok {
			n = uint32(len(c.channels))
			c.numbers[id] = n
			c.channels = append(c.channels, channel{id: id, kind: kindOf(id)})
		}
		list = append(list, n)
		c.channels[n].owners = append(c.channels[n].owners, owner)
	}
	c.lists = append(c.lists, list)
}

// A pair is a companion of a channel while it is counted.
type pair struct {
	number uint32
	people int
	close  float64 // the people who keep both, by the root of those who keep the other: a channel that everybody keeps is close to none
}

// companions returns the companions of each channel, the closest first, given from how
// many networks a channel is heard. A number is never greater than that of
// either channel.
func (c *counter) companions(heard func(channel string) int) map[string][]entry {
	order := make([]uint32, 0, len(c.channels))
	limits := make([]int, len(c.channels))
	for n := range c.channels {
		if len(c.channels[n].owners) < MinPeople {
			continue
		}
		if limits[n] = heard(c.channels[n].id); limits[n] >= MinPeople {
			order = append(order, uint32(n))
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		x, y := &c.channels[a], &c.channels[b]
		return cmp.Or(cmp.Compare(len(y.owners), len(x.owners)), cmp.Compare(x.id, y.id))
	})
	all := map[string][]entry{}
	counts := make([]int, len(c.channels))
	for _, n := range order[:min(len(order), maxChannels)] {
		if list := c.of(n, counts, limits); len(list) > 0 {
			all[c.channels[n].id] = list
		}
	}
	return all
}

// of returns the companions of channel n. It leaves counts zero.
func (c *counter) of(n uint32, counts, limits []int) []entry {
	var seen []uint32
	for _, owner := range c.channels[n].owners {
		for _, other := range c.lists[owner] {
			if counts[other]++; counts[other] == 1 {
				seen = append(seen, other)
			}
		}
	}
	var pairs []pair
	for _, other := range seen {
		both := min(counts[other], limits[n], limits[other])
		close := float64(counts[other]) / math.Sqrt(float64(len(c.channels[other].owners)))
		if counts[other] = 0; both >= MinPeople && other != n && c.channels[other].kind == c.channels[n].kind {
			pairs = append(pairs, pair{other, both, close})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.close, a.close), cmp.Compare(b.people, a.people), cmp.Compare(c.channels[a.number].id, c.channels[b.number].id))
	})
	var list []entry
	for _, p := range pairs[:min(len(pairs), maxCompanions)] {
		list = append(list, entry{c.channels[p.number].id, p.people})
	}
	return list
}

// encode returns the shards of companions.
func encode(all map[string][]entry) (shards [Shards][]byte, err error) {
	var parts [Shards]map[string][]entry
	for channel, list := range all {
		n := kind.ShardOf(channel)
		if parts[n] == nil {
			parts[n] = map[string][]entry{}
		}
		parts[n][channel] = list
	}
	for n, part := range parts {
		if part == nil {
			continue
		}
		if shards[n], err = json.Marshal(part); err != nil {
			return shards, err
		}
	}
	return shards, nil
}
