// Package usage counts what the service is used for: calls by surface, by route and
// by kind of caller, and how many different visitors and plays there were.
//
//	numbers/{day}-{n}    a Counted: a quarter of what was counted on a day
//
// No request writes a document. A [Meter] counts in the memory of its process, and
// publishes a [Tally] of what it counted at most once a minute, and when it is
// closed. A tally is a fact (package fact): it has a key of its own, so that one that
// is delivered twice counts once. A process that is killed loses what it had not
// published, and never counts anything twice.
//
// No address and no User-Agent leaves the process. Visitors are counted by
// HyperLogLog sketches of keyed hashes that change daily (package identity): the
// sketches of several processes are merged into that of their union, so a visitor
// whom two processes saw counts once. Since the hashes of two days cannot be linked,
// a visitor who comes on two days counts on both.
package usage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/store"
)

// Topic is the topic of the events.
const Topic = "usage"

// A Tally is what one process counted in a part of a day.
type Tally struct {
	Key string    `json:"key"` // of [fact.NewKey]
	At  time.Time `json:"at"`  // of the last thing that was counted
	Counts
}

// shards is how many documents a day is counted in, so that the processes do not
// wait for one document.
const shards = 4

// About implements [fact.Fact].
func (t Tally) About() fact.About {
	return fact.About{Topic: Topic, Key: t.Key, Subject: shardName(t.At.UTC().Format(time.DateOnly), shardOf(t.Key)), At: t.At}
}

const digits = "0123456789abcdef"

// shardOf returns the shard of a key: the last two bits of its first digit.
func shardOf(key string) int { return strings.IndexByte(digits, key[0]) % shards }

func shardName(day string, n int) string { return fmt.Sprintf("%s-%d", day, n) }

// MaxData returns how many bytes the event of a tally may have: as many as the bus
// takes. The sketch of a busy minute alone takes 22 KiB, and each route 100 bytes.
func (Tally) MaxData() int { return bus.MaxData }

// Check implements [fact.Fact].
func (t Tally) Check() error {
	if len(t.Key) != 32 || strings.Trim(t.Key, digits) != "" {
		return errors.New("key is not 32 hexadecimal digits")
	}
	if t.At.Year() < 2000 || t.At.Year() > 9999 {
		return errors.New("the time is missing or not of this age")
	}
	return t.check()
}

// A Counted is a document of counts.
type Counted struct {
	Counts
	fact.Ledger
	Day      string     `json:"day"`
	ExpireAt store.Time `json:"expire_at"`
}

// keptDays is how long the counts of a day are kept: a year and a month, so that each
// month can be compared with that of the year before.
const keptDays = 400

// Book is where tallies are counted.
var Book = fact.Book[*Counted]{
	Collection: "numbers",
	New:        newCounted,
	Kinds:      []fact.Kind[*Counted]{fact.Of(Topic, func(c *Counted, t Tally) { c.Add(t.Counts) })},
}

// newCounted returns the document of a shard without counts.
func newCounted(shard string) *Counted {
	day := shard[:min(len(shard), len(time.DateOnly))]
	c := &Counted{Day: day}
	if at, err := time.Parse(time.DateOnly, day); err == nil {
		c.ExpireAt = store.At(at.AddDate(0, 0, keptDays))
	}
	return c
}

// Topology returns the topic with its subscription.
func Topology() bus.Topology { return Book.Topology() }

// A Day is what was counted on a day.
type Day struct {
	Counts
	ChangedAt time.Time // when something was counted last; zero when nothing was
}

// Read returns what was counted on each of some days in UTC, given as 2006-01-02, by
// four reads for each.
func Read(ctx context.Context, db store.DB, days ...string) ([]Day, error) {
	var paths []store.Path
	for _, day := range days {
		for n := range shards {
			paths = append(paths, Book.Path(shardName(day, n)))
		}
	}
	docs, err := db.GetAll(ctx, paths)
	if err != nil {
		return nil, err
	}
	all := make([]Day, len(days))
	for i, doc := range docs {
		if doc.Decode == nil {
			continue
		}
		var c Counted
		if err := doc.Decode(&c); err != nil {
			return nil, err
		}
		day := &all[i/shards]
		day.Add(c.Counts)
		if c.ChangedAt.After(day.ChangedAt) {
			day.ChangedAt = c.ChangedAt.Time
		}
	}
	return all, nil
}
