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

// A channel shows the programmes of one source, the first configured that has
// them; its shard holds them as one grid. A change replaces all grids of the
// sources that were read, keeps those of the sources that were not, and drops the
// grids of sources no longer configured and of days that are over.
//
// A shard must fit a document of the database. When it does not, descriptions
// and then programmes are left out, level by level, until it does; the other
// shards stay complete.

// shards is the number of documents of the programmes. One holds the two days of
// about a hundred channels with descriptions.
const shards = 64

// notesShard is the number of the shard of the notes of all sources.
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
	Place     string     `json:"place"`      // of the Source and those preferred to it: their Sums
	Catalog   string     `json:"catalog"`    // the Sum of the Matcher that it was read with, and that of its pins
	Day       string     `json:"day"`        // the first of the two days that it was read for
	ETag      string     `json:"etag"`       // as its server sent it
	Modified  string     `json:"modified"`   // Last-Modified, likewise
	SHA256    string     `json:"sha256"`     // of the file as received; empty when it must be read again
	FetchedAt store.Time `json:"fetched_at"` // when it was last read or confirmed; zero when never
	Items     int        `json:"items"`      // programmes taken from it
	Channels  int        `json:"channels"`   // channels with programmes from it
}

// source returns n as health shows it.
func (n *Note) source() catalog.Source {
	return catalog.Source{
		Name: "xmltv/" + n.Name, FetchedAt: n.FetchedAt.UTC(), SHA256: n.SHA256, Items: n.Items, Missing: n.FetchedAt.IsZero(),
	}
}

// A State is the stored guide, as far as the job needs it.
type State struct {
	Notes []Note
	Held  map[string]string // by channel with a guide within the window: the name of its source

	// Broken is set when a stored shard did not parse. Its content is lost, so
	// that all sources must be read again.
	Broken bool
}

// Load returns the state of the stored guide for a window.
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
			if l := &part.lines[i]; part.isValid(l, w.From) {
				s.Held[l.channel] = part.sources[l.source].name
			}
		}
	}
	if s.Notes, err = decodeNotes(all[notesShard]); err != nil {
		s.Notes, s.Broken = nil, true
	}
	return s, nil
}

// KeepNotes replaces the notes by the result of f. Each check runs in the same
// transaction, and its error aborts it. F may be called more than once.
func KeepNotes(ctx context.Context, db store.DB, f func([]Note) []Note, checks ...func(store.Tx) error) error {
	return kind.Update(ctx, db, notesShard, func(old []byte) ([]byte, error) {
		notes, err := decodeNotes(old)
		if err != nil {
			notes = nil
		}
		return json.Marshal(f(notes))
	}, checks...)
}

// A Change is a set of grids to store, read from one or more sources.
type Change struct {
	Window  Window
	Sources []string // all configured, the preferred first; grids of any other are removed
	Read    []string // those added, whose stored grids are replaced

	grids map[string]Grid
}

// Add adds the grids of a source by their channels. Sources must be added in the
// order of preference: a channel keeps the first grid added for it that begins.
func (c *Change) Add(source string, grids map[string]Grid) {
	c.Read = append(c.Read, source)
	if c.grids == nil {
		c.grids = map[string]Grid{}
	}
	for channel, g := range grids {
		if was, taken := c.grids[channel]; !taken || g.Begins() && !was.Begins() {
			c.grids[channel] = g
		}
	}
}

// Kept is the size of the stored guide after a change.
type Kept struct {
	Channels   int `json:"channels"`
	Programmes int `json:"programmes"`
	Shards     int `json:"shards_written"`

	// The number of shards that did not fit a document whole, by the level at
	// which they did, and the channels left out of them.
	WithoutLateDescs int `json:"shards_without_descriptions_of_tomorrow"`
	WithoutDescs     int `json:"shards_without_descriptions"`
	WithoutTomorrow  int `json:"shards_without_tomorrow"`
	LeftOut          int `json:"channels_left_out"`
}

// Keep stores the change, shard by shard, and drops grids of past days. Shards
// that do not change are not written. Each check runs in every transaction, and
// its error aborts it. After an error the shards stored so far stay; storing the
// same change again completes it.
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

// keepShard stores a shard at the first level at which it fits a document.
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

// merge returns the grids of a shard after the change, by channel. A shard that
// does not parse counts as empty.
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
		preferred := slices.Index(c.Sources, g.Source) < slices.Index(c.Sources, was.Source)
		if !ok || preferred && g.Begins() || g.Begins() && !was.Begins() {
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
