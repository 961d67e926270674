// Package visit counts the persons who use the pages of the service, each once a day, and
// those of them who were shown a price.
//
//	visits/{day}-{n}    a Counted: a quarter of what was counted on a day
//
// A view costs no document. The first one of a person and day is an event whose key is
// a keyed hash of person and day (package identity), so that instances count a person
// once without asking each other, and a stored mark cannot be traced to anybody. The
// counter of the book adds events in batches: at most one read and one write for each,
// and fewer the more there are. [Taker] remembers the persons of the day, so that further views
// cost nothing.
package visit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Topic is the topic of the events.
const Topic = "visits"

// A Kind is what was seen.
type Kind string

// The kinds.
const (
	Page   Kind = "page"   // a page of the service
	Charge Kind = "charge" // a price, with a way to pay it
)

// A Visit says that a person saw something for the first time on a day.
type Visit struct {
	Key  string    `json:"key"` // 32 hexadecimal digits, one key for each person, day and kind
	Kind Kind      `json:"kind"`
	At   time.Time `json:"at"`
}

// keyOf returns the key of what a person sees on a day. The person's ID is secret and
// changes daily, so a plain hash of it reveals nothing.
func keyOf(person identity.ID, k Kind) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "visit\x00%s\x00%s", person, k))
	return hex.EncodeToString(sum[:16])
}

// shards is how many documents the visits of a day are counted in, so that a busy day
// does not wait for one document.
const shards = 4

// About implements [fact.Fact].
func (v Visit) About() fact.About {
	return fact.About{Topic: Topic, Key: v.Key, Subject: shardName(v.At.UTC().Format(time.DateOnly), shardOf(v.Key)), At: v.At}
}

// shardOf returns the shard of a key: the last two bits of its first digit.
func shardOf(key string) int { return strings.IndexByte(digits, key[0]) % shards }

func shardName(day string, n int) string { return fmt.Sprintf("%s-%d", day, n) }

const digits = "0123456789abcdef"

// Check implements [fact.Fact].
func (v Visit) Check() error {
	if len(v.Key) != 32 || strings.Trim(v.Key, digits) != "" {
		return errors.New("key is not 32 hexadecimal digits")
	}
	if v.Kind != Page && v.Kind != Charge {
		return fmt.Errorf("kind %.20q", v.Kind)
	}
	if v.At.Year() < 2000 || v.At.Year() > 9999 {
		return errors.New("the time is missing or not of this age")
	}
	return nil
}

// Counts are what was counted on a day.
type Counts struct {
	Pages   int64 `json:"pages"`   // persons who saw a page
	Charges int64 `json:"charges"` // persons who were shown a price
}

// Counted is a document of counts.
type Counted struct {
	Counts
	fact.Ledger
	Day      string     `json:"day"`
	ExpireAt store.Time `json:"expire_at"`
}

// keptDays is how long the counts of a day are kept: a year and a month, so that each
// month can be compared with that of the year before.
const keptDays = 400

// Book is where visits are counted.
var Book = fact.Book[*Counted]{
	Collection: "visits",
	New:        newCounted,
	Kinds:      []fact.Kind[*Counted]{fact.Of(Topic, (*Counted).count)},
}

// newCounted returns the document of a shard without visits.
func newCounted(shard string) *Counted {
	day := shard[:min(len(shard), len(time.DateOnly))]
	c := &Counted{Day: day}
	if at, err := time.Parse(time.DateOnly, day); err == nil {
		c.ExpireAt = store.At(at.AddDate(0, 0, keptDays))
	}
	return c
}

func (c *Counted) count(v Visit) {
	switch v.Kind {
	case Page:
		c.Pages++
	case Charge:
		c.Charges++
	}
}

// Topology returns the topic with its subscription.
func Topology() bus.Topology { return Book.Topology() }

// Read returns what was counted on each of some days in UTC, given as 2006-01-02, by
// four reads for each. A day without visits has zero counts.
func Read(ctx context.Context, db store.DB, days ...string) ([]Counts, error) {
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
	totals := make([]Counts, len(days))
	for i, doc := range docs {
		if doc.Decode == nil {
			continue
		}
		var c Counted
		if err := doc.Decode(&c); err != nil {
			return nil, err
		}
		totals[i/shards].Pages += c.Pages
		totals[i/shards].Charges += c.Charges
	}
	return totals, nil
}
