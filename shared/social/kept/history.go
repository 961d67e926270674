package kept

import (
	"context"
	"slices"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// MaxHistory is how many channels a history holds. One more drops the channel
// that was played longest ago.
const MaxHistory = 200

// A History is the channels that an owner played, the last played first.
type History struct {
	Rows []Played `json:"rows"`
}

// A Played is a channel in a history.
type Played struct {
	Channel string     `json:"channel"`
	Plays   int        `json:"plays"`
	FirstAt store.Time `json:"first_at"`
	LastAt  store.Time `json:"last_at"`
}

// ChannelID returns the id that the channel had when it was last played.
func (p Played) ChannelID() string { return p.Channel }

// LoadHistory returns the history of an owner, by one read.
func LoadHistory(ctx context.Context, db store.DB, owner identity.Owner) (*History, error) {
	h := new(History)
	return h, load(HistoryPath(owner), h, getter(ctx, db))
}

// UpdateHistory changes the history of an owner, by one read and one write, or
// without a write when change reports that it changed nothing. It calls change
// with the history that is kept, more than once when others write at the same
// time.
func UpdateHistory(ctx context.Context, db store.DB, owner identity.Owner, change func(*History) bool) error {
	return db.Update(ctx, func(tx store.Tx) error {
		h := new(History)
		p := HistoryPath(owner)
		if err := load(p, h, tx.Get); err != nil || !change(h) {
			return err
		}
		return tx.Set(p, h)
	})
}

// Play counts a play of a channel, by the id that it has now, and returns its
// row.
func (h *History) Play(channel string, at time.Time, shown Shown) Played {
	now := store.At(at)
	row := Played{FirstAt: now}
	i := h.find(channel, shown)
	if i >= 0 {
		row = h.Rows[i]
	}
	row.Channel = channel
	row.Plays++
	if now.After(row.LastAt.Time) {
		row.LastAt = now
	}
	h.Rows = toFront(h.Rows, i, row)
	if len(h.Rows) > MaxHistory {
		h.Rows = h.Rows[:MaxHistory]
	}
	return row
}

// Remove removes a channel, by any id that it had, and reports whether it was
// there.
func (h *History) Remove(channel string, shown Shown) bool {
	n := len(h.Rows)
	want := shown.name(channel)
	h.Rows = slices.DeleteFunc(h.Rows, func(r Played) bool { return r.Channel == channel || shown.name(r.Channel) == want })
	return len(h.Rows) < n
}

// find returns the position of a channel, by the id that it has now, or -1.
func (h *History) find(channel string, shown Shown) int {
	return slices.IndexFunc(h.Rows, func(r Played) bool { return r.Channel == channel || shown.name(r.Channel) == channel })
}

// Clear removes all channels, and reports whether there were any.
func (h *History) Clear() bool {
	any := len(h.Rows) > 0
	h.Rows = nil
	return any
}
