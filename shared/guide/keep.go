package guide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
)

// shards is how many documents the programmes have. One takes the two days of
// about a hundred channels with descriptions.
const shards = 64

// notesShard holds what is noted of the sources.
const notesShard = shards

// kind is the overlay of the guide: overlays/guide.
var kind = overlay.Kind{Name: "guide", Shards: shards + 1}

// shardOf returns the number of the shard that holds a channel.
func shardOf(channel string) int {
	return overlay.Kind{Name: kind.Name, Shards: shards}.ShardOf(channel)
}

// A Note is the stored state of a source after a run.
type Note struct {
	Name      string     `json:"name"`
	Place     string     `json:"place"`      // the Sum of the Source
	Catalog   string     `json:"catalog"`    // the Sum of the Matcher that it was read with
	Day       string     `json:"day"`        // the first of the two that it was read for
	ETag      string     `json:"etag"`       // as its server sent it
	Modified  string     `json:"modified"`   // likewise
	SHA256    string     `json:"sha256"`     // of the file, packed or not as it came; empty when it must be read anew
	FetchedAt store.Time `json:"fetched_at"` // when it was last read or confirmed; zero when never
	Items     int        `json:"items"`      // programmes that it gave
	Channels  int        `json:"channels"`   // of which it gave any
}

// source returns n as health shows it.
func (n *Note) source() catalog.Source {
	return catalog.Source{
		Name: "xmltv/" + n.Name, FetchedAt: n.FetchedAt.UTC(), SHA256: n.SHA256, Items: n.Items, Missing: n.FetchedAt.IsZero(),
	}
}

// A State is the guide as it is kept.
type State struct {
	Notes []Note
	Held  map[string]string // the name of the source of each channel, of those not out of date

	// Broken says that something kept could not be read: what it held is lost,
	// so that all sources must be read anew.
	Broken bool
}

// Load returns the guide as it is kept, and as a window has it.
func Load(ctx context.Context, db store.DB, w Window) (*State, error) {
	all, err := kind.Read(ctx, db)
	if err != nil {
		return nil, err
	}
	s := &State{Held: map[string]string{}}
	for _, data := range all[:shards] {
		part, err := decodeShard(data)
		if err != nil {
			s.Broken = true
			continue
		}
		for i := range part.lines {
			if l := &part.lines[i]; part.isValid(l, dateOf(w.From)) {
				s.Held[l.channel] = part.sources[l.source].name
			}
		}
	}
	if s.Notes, err = decodeNotes(all[notesShard]); err != nil {
		s.Notes, s.Broken = nil, true
	}
	return s, nil
}

// KeepNotes replaces the notes by what f makes of them. Each check runs in the
// same transaction.
func KeepNotes(ctx context.Context, db store.DB, f func([]Note) []Note, checks ...func(store.Tx) error) error {
	return kind.Update(ctx, db, notesShard, func(old []byte) ([]byte, error) {
		notes, err := decodeNotes(old)
		if err != nil {
			notes = nil
		}
		return json.Marshal(f(notes))
	}, checks...)
}

// A Change is what sources gave, to be kept.
type Change struct {
	Window  Window
	Sources []string // all that there are, by preference; what others gave is removed
	Read    []string // those of which Grids has all they have, by preference

	grids map[string]Grid
}

// Add adds what the sources of Read have of their channels, each after those
// that are preferred to it.
func (c *Change) Add(source string, grids map[string]Grid) {
	c.Read = append(c.Read, source)
	if c.grids == nil {
		c.grids = map[string]Grid{}
	}
	for channel, g := range grids {
		if _, taken := c.grids[channel]; !taken {
			c.grids[channel] = g
		}
	}
}

// Kept says what was kept.
type Kept struct {
	Channels   int `json:"channels"`
	Programmes int `json:"programmes"`
	Shards     int `json:"shards_written"`

	// Shards that would not fit their document with everything, by what was
	// left out.
	WithoutLateDescs int `json:"shards_without_descriptions_of_tomorrow"`
	WithoutDescs     int `json:"shards_without_descriptions"`
	WithoutTomorrow  int `json:"shards_without_tomorrow"`
	LeftOut          int `json:"channels_left_out"`
}

// Keep keeps the change, shard by shard, and drops what is out of date. The
// first of the sources that has a channel has it whole. Checks run in each
// transaction. What was kept before an error stays; a second Keep of the same
// change completes it.
func (c *Change) Keep(ctx context.Context, db store.DB, checks ...func(store.Tx) error) (kept Kept, err error) {
	parts := c.parts()
	for n := range shards {
		if err := c.keepShard(ctx, db, n, parts[n], &kept, checks); err != nil {
			return kept, fmt.Errorf("shard %d: %w", n, err)
		}
	}
	return kept, nil
}

// parts returns the grids by their shards.
func (c *Change) parts() [shards]map[string]Grid {
	var parts [shards]map[string]Grid
	for n := range parts {
		parts[n] = map[string]Grid{}
	}
	for channel, g := range c.grids {
		parts[shardOf(channel)][channel] = g
	}
	return parts
}

// keepShard keeps a shard with as much as fits.
func (c *Change) keepShard(ctx context.Context, db store.DB, n int, fresh map[string]Grid, kept *Kept, checks []func(store.Tx) error) error {
	for level := whole; ; level++ {
		var of Kept
		err := kind.Update(ctx, db, n, func(old []byte) ([]byte, error) {
			grids := c.merge(old, fresh)
			before := len(grids)
			reduce(grids, level, dateOf(c.Window.From))
			of = Kept{Channels: len(grids), LeftOut: before - len(grids)}
			for _, g := range grids {
				of.Programmes += g.Len()
			}
			next := encodeShard(grids)
			of.Shards = flag(string(next) != string(old))
			return next, nil
		}, checks...)
		if err == nil {
			kept.add(of, level)
			return nil
		}
		if !errors.Is(err, store.ErrTooLarge) {
			return err
		}
	}
}

func (k *Kept) add(of Kept, level int) {
	k.Channels += of.Channels
	k.Programmes += of.Programmes
	k.Shards += of.Shards
	k.WithoutLateDescs += flag(level == withoutLateDescs)
	k.WithoutDescs += flag(level == withoutDescs)
	k.WithoutTomorrow += flag(level >= withoutTomorrow)
	k.LeftOut += of.LeftOut
}

// merge returns the grids of a shard after the change. What cannot be read is
// lost.
func (c *Change) merge(old []byte, fresh map[string]Grid) map[string]Grid {
	grids := map[string]Grid{}
	if s, err := decodeShard(old); err == nil {
		for channel, g := range s.grids() {
			if g, ok := c.remaining(g); ok {
				grids[channel] = g
			}
		}
	}
	for channel, g := range fresh {
		was, ok := grids[channel]
		if !ok || slices.Index(c.Sources, g.Source) < slices.Index(c.Sources, was.Source) {
			grids[channel] = g
		}
	}
	return grids
}

// remaining returns what is left of a stored grid after the change, if
// anything.
func (c *Change) remaining(g Grid) (Grid, bool) {
	if !slices.Contains(c.Sources, g.Source) || slices.Contains(c.Read, g.Source) {
		return g, false
	}
	return g.on(dateOf(c.Window.From))
}
