package social

import (
	"context"
	"errors"
	"maps"
	"strings"

	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/store"
)

// Other is the name of every browser and system without a name of its own.
const Other = "Outro"

// Counts are what facts say about a channel. The zero Counts are those of a
// channel without facts.
type Counts struct {
	Plays     int64 `json:"plays,omitempty"`     // reports of success
	Fails     int64 `json:"fails,omitempty"`     // reports of failure
	Favorites int64 `json:"favorites,omitempty"` // people who have it as a favorite
	Comments  int64 `json:"comments,omitempty"`
	Played    int64 `json:"played,omitempty"` // plays that the hop saw, one for each person and day

	LastOKAt     store.Time `json:"last_ok_at,omitzero"`
	LastFailAt   store.Time `json:"last_fail_at,omitzero"`
	LastFailCode string     `json:"last_fail_code,omitempty"` // of the failure at LastFailAt

	Reasons map[string]Reason `json:"reasons,omitempty"` // of failures, by code
	// Environments are by browser, system and country: see Place.
	Environments map[string]Environment `json:"environments,omitempty"`
	Latency      map[string]Wait        `json:"latency,omitempty"` // of a playlist at the hop, by country

	Heard Heard `json:"heard,omitzero"` // what networks say, which verdicts are made from
}

// A Reason counts the failures that have one code.
type Reason struct {
	Count  int64      `json:"count"`
	LastAt store.Time `json:"last_at"`
}

// An Environment counts the reports of one Place.
type Environment struct {
	Plays        int64      `json:"plays,omitempty"`
	Fails        int64      `json:"fails,omitempty"`
	LastFailCode string     `json:"last_fail_code,omitempty"`
	LastFailAt   store.Time `json:"last_fail_at,omitzero"` // of the failure of that code
	LastAt       store.Time `json:"last_at"`               // of the last report
}

// A Wait sums how long people of a country waited for a playlist.
type Wait struct {
	Samples int64      `json:"samples"`
	SumMS   int64      `json:"sum_ms"` // milliseconds
	LastAt  store.Time `json:"last_at"`
}

// A Place is where a report comes from.
type Place struct {
	Browser, OS string // or Other
	Country     string // ISO 3166-1 alpha-2, or Unknown
}

const bar = "|"

// Key returns p as the key of Counts.Environments.
func (p Place) Key() string { return p.Browser + bar + p.OS + bar + p.Country }

// PlaceOf returns the place that a key of Counts.Environments names.
func PlaceOf(key string) Place {
	browser, rest, _ := strings.Cut(key, bar)
	system, country, _ := strings.Cut(rest, bar)
	return Place{browser, system, country}
}

// ReadCounts returns the counts of a channel, by one read; zero for a channel
// without facts. The caller may keep and change what they hold.
func ReadCounts(ctx context.Context, db store.DB, channel string) (Counts, error) {
	kept, err := ReadCounted(ctx, db, channel)
	return kept.shown(), err
}

// ReadCounted returns the document of a channel's counts, by one read; zero for
// a channel without facts.
func ReadCounted(ctx context.Context, db store.DB, channel string) (Counted, error) {
	var kept Counted
	err := db.Get(ctx, CountsPath(channel), &kept)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return kept, err
}

// CountsPath is where the counts of a channel are kept, as Counted.
func CountsPath(channel string) store.Path { return Book.Path(channel) }

// Counted is the document of a channel's counts. Only a counter of [Book] writes
// it.
type Counted struct {
	Counts
	fact.Ledger
	Channel string `json:"channel"`

	Days   map[string]Day `json:"days,omitempty"`   // voices, by the day
	Past   failure        `json:"past,omitzero"`    // the last code of days that were dropped
	Closed string         `json:"closed,omitempty"` // the last day whose voices were dropped for want of room
}

// shown returns c as readers see it: a sum may be below zero until all facts
// have come.
func (c Counts) shown() Counts {
	c.Favorites, c.Comments = max(c.Favorites, 0), max(c.Comments, 0)
	return c
}

// Clone returns a copy of c that shares nothing with it.
func (c Counts) Clone() Counts {
	c.Reasons, c.Environments, c.Latency = maps.Clone(c.Reasons), maps.Clone(c.Environments), maps.Clone(c.Latency)
	c.Heard.Countries, c.Heard.Environments = maps.Clone(c.Heard.Countries), maps.Clone(c.Heard.Environments)
	c.Heard.Agreed = maps.Clone(c.Heard.Agreed)
	return c
}
