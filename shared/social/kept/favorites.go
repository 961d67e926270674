package kept

import (
	"context"
	"slices"
	"time"

	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// ErrFull is returned when an owner has as many favorites as allowed.
var ErrFull = fault.New(fault.Invalid, "favorites_limit_reached").With("max", MaxFavorites)

const (
	// MaxFavorites is the most favorites that an owner can have in the catalog.
	MaxFavorites = 500
	// maxRows bounds the document, with the favorites that the catalog does not
	// show: the oldest of those make room.
	maxRows = 2 * MaxFavorites
)

// Favorites are the favorite channels of an owner, the last added first.
type Favorites struct {
	Rows []Favorite `json:"rows"`
}

// A Favorite is a channel among favorites.
type Favorite struct {
	Channel string     `json:"channel"` // as it was called then: its counter has that name
	Since   store.Time `json:"since"`
}

// ChannelID returns the id that the channel had when it became a favorite.
func (f Favorite) ChannelID() string { return f.Channel }

// LoadFavorites returns the favorites of an owner, by one read.
func LoadFavorites(ctx context.Context, db store.DB, owner identity.Owner) (*Favorites, error) {
	f := new(Favorites)
	return f, load(FavoritesPath(owner), f, getter(ctx, db))
}

// UpdateFavorites changes the favorites of an owner, by one read, one write and
// one more write for each fact that change returns. It calls change with the
// favorites that are kept, more than once when others write at the same time, and
// keeps nothing when change fails. It returns the facts of the last call, with
// their letters, which the caller must send.
func UpdateFavorites(ctx context.Context, db store.DB, owner identity.Owner, change func(*Favorites) ([]social.Favorite, error)) (facts []social.Favorite, letters []outbox.Letter, err error) {
	err = db.Update(ctx, func(tx store.Tx) error {
		facts, letters = nil, nil
		f := new(Favorites)
		p := FavoritesPath(owner)
		if err := load(p, f, tx.Get); err != nil {
			return err
		}
		changes, err := change(f)
		if err != nil || len(changes) == 0 {
			return err
		}
		for _, c := range changes {
			l, err := outbox.Write(c)
			if err != nil {
				return err
			}
			if err := l.Keep(tx); err != nil {
				return err
			}
			letters = append(letters, l)
		}
		facts = changes
		return tx.Set(p, f)
	})
	if err != nil {
		return nil, nil, err
	}
	return facts, letters, nil
}

// Add makes a channel a favorite, by the id that it has now, and returns the
// facts of that: none when it was one already. It returns ErrFull when there is no
// room.
func (f *Favorites) Add(channel string, at time.Time, shown Shown) ([]social.Favorite, error) {
	if f.Has(channel, shown) {
		return nil, nil
	}
	if f.visible(shown) >= MaxFavorites {
		return nil, ErrFull
	}
	changes := []social.Favorite{change(channel, 1, at)}
	if len(f.Rows) >= maxRows {
		changes = append(changes, f.dropGone(at, shown))
	}
	f.Rows = toFront(f.Rows, -1, Favorite{channel, store.At(at)})
	return changes, nil
}

// change returns the fact of one change.
func change(channel string, delta int, at time.Time) social.Favorite {
	return social.Favorite{Key: fact.NewKey(), Channel: channel, Delta: delta, At: at}
}

// visible counts the channels that the catalog shows.
func (f *Favorites) visible(shown Shown) (n int) {
	if len(f.Rows) < MaxFavorites {
		return len(f.Rows) // at most, and that is enough to know
	}
	return len(f.visibleNames(shown))
}

// visibleNames returns the ids of now of the channels that the catalog shows.
func (f *Favorites) visibleNames(shown Shown) map[string]bool {
	names := make(map[string]bool, len(f.Rows))
	for _, r := range f.Rows {
		if now, ok := shown(r.Channel); ok {
			names[now] = true
		}
	}
	return names
}

// dropGone removes the oldest of the channels that the catalog does not show.
// There must be one.
func (f *Favorites) dropGone(at time.Time, shown Shown) social.Favorite {
	last := len(f.Rows) - 1
	for i := last; i >= 0; i-- {
		if _, ok := shown(f.Rows[i].Channel); !ok {
			last = i
			break
		}
	}
	gone := f.Rows[last].Channel
	f.Rows = slices.Delete(f.Rows, last, last+1)
	return change(gone, -1, at)
}

// Has reports whether a channel is a favorite, by any id that it had.
func (f *Favorites) Has(channel string, shown Shown) bool {
	return slices.ContainsFunc(f.Rows, same(channel, shown))
}

// same finds the rows of a channel, by any id that it had.
func same(channel string, shown Shown) func(Favorite) bool {
	want := shown.name(channel)
	return func(r Favorite) bool { return r.Channel == channel || shown.name(r.Channel) == want }
}

// Remove removes a channel from the favorites, by any id that it had, and returns
// the facts of that: none when it was not a favorite.
func (f *Favorites) Remove(channel string, at time.Time, shown Shown) (changes []social.Favorite) {
	is := same(channel, shown)
	f.Rows = slices.DeleteFunc(f.Rows, func(r Favorite) bool {
		if !is(r) {
			return false
		}
		changes = append(changes, change(r.Channel, -1, at))
		return true
	})
	return changes
}
