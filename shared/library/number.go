package library

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
)

// Players that speak Xtream Codes name channels by numbers of 31 bits and keep them in
// favorites. A number is computed from the id of an item or a sub-tab, so that neither
// moves nor changes elsewhere in the library change it, and nothing more is stored.
//
// A new item gets an id whose number no other has. Two items that came together otherwise,
// as when two libraries become one, may have the same number: then both have another one,
// and the shared number names neither, so that a favorite never opens another channel.

// Numbers returns the numbers of the items and sub-tabs of l by their ids: from 1 to 1<<31
// - 1, each different.
func (l *Library) Numbers() map[string]int {
	return numbersOf(l.numbered())
}

// numbered returns the ids that have numbers.
func (l *Library) numbered() []string {
	ids := make([]string, 0, l.Len()+len(l.Categories)*MaxGroups)
	for i := range l.Categories {
		for k := range l.Categories[i].Groups {
			g := &l.Categories[i].Groups[k]
			ids = append(ids, g.ID)
			for n := range g.Items {
				ids = append(ids, g.Items[n].ID)
			}
		}
	}
	return ids
}

// numbersOf returns a number for each id, whatever their order. It changes the order of ids.
func numbersOf(ids []string) map[string]int {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	all := make(map[string]int, len(ids))
	used := make(map[int]bool, len(ids))
	for attempt := 0; attempt < attempts && len(ids) > 0; attempt++ {
		count := make(map[int]int, len(ids))
		for _, id := range ids {
			count[numberOf(id, attempt)]++
		}
		ids = slices.DeleteFunc(ids, func(id string) bool {
			n := numberOf(id, attempt)
			if n == 0 || count[n] > 1 || used[n] {
				return false
			}
			all[id] = n
			return true
		})
		for n := range count {
			used[n] = true
		}
	}
	return all
}

// attempts is how many numbers an id has to choose from. That two ids of a library share
// even the first one is rare.
const attempts = sha256.Size / 4

// numberOf returns a number for an id, another one for each attempt. It must stay as it is:
// players keep its results.
func numberOf(id string, attempt int) int {
	sum := sha256.Sum256([]byte(id))
	return int(binary.BigEndian.Uint32(sum[4*attempt:]) & math.MaxInt32)
}

// taken returns the numbers that a new item of l must not have.
func (l *Library) taken() map[int]bool {
	ids := l.numbered()
	all := make(map[int]bool, len(ids)+1)
	for _, id := range ids {
		all[numberOf(id, 0)] = true
	}
	return all
}

// newItemID returns a random id whose number is not taken, and takes it.
func newItemID(taken map[int]bool) string {
	return freeID(taken, func() string { return newID(itemPrefix) })
}

// freeID returns the first id that draw returns whose number is not taken, and takes it.
func freeID(taken map[int]bool, draw func() string) string {
	for {
		id := draw()
		if n := numberOf(id, 0); n != 0 && !taken[n] {
			taken[n] = true
			return id
		}
	}
}
