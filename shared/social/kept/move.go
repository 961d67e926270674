package kept

import (
	"slices"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// When a guest signs in, its favorites and its history move to the account row by row.
// The rows of channels that the account has too, by whatever id, stay with the guest,
// and so do those that the account has no room for. A favorite is counted once for
// each owner that has it, so a move changes no public counter: neither the row that
// moves, which was counted for the guest and is now counted for the account, nor the
// row that stays.

// A Move takes rows of one kind from one stored list to another, within a transaction.
type Move struct {
	Moved int // rows that the other list takes
	Left  int // rows that it does not take

	from, to   store.Path
	rest, list any // what to store there
}

// ReadFavorites reads the favorites of two owners and decides what moves from the
// first to the second.
func ReadFavorites(tx store.Tx, from, to identity.Owner, shown Shown) (*Move, error) {
	var f, t Favorites
	m := &Move{from: FavoritesPath(from), to: FavoritesPath(to), rest: &f, list: &t}
	if err := m.read(tx); err != nil {
		return nil, err
	}
	m.Moved = t.Take(&f, shown)
	m.Left = len(f.Rows)
	return m, nil
}

// ReadHistory reads the histories of two owners and decides what moves from the first
// to the second.
func ReadHistory(tx store.Tx, from, to identity.Owner, shown Shown) (*Move, error) {
	var f, t History
	m := &Move{from: HistoryPath(from), to: HistoryPath(to), rest: &f, list: &t}
	if err := m.read(tx); err != nil {
		return nil, err
	}
	m.Moved = t.Take(&f, shown)
	m.Left = len(f.Rows)
	return m, nil
}

// read reads both lists.
func (m *Move) read(tx store.Tx) error {
	docs, err := tx.GetAll([]store.Path{m.from, m.to})
	if err != nil {
		return err
	}
	for i, list := range []any{m.rest, m.list} {
		if docs[i].Decode == nil {
			continue
		}
		if err := docs[i].Decode(list); err != nil {
			return err
		}
	}
	return nil
}

// Write stores both lists, or nothing when nothing moved. It deletes the list from
// which every row moved.
func (m *Move) Write(tx store.Tx) error {
	if m.Moved == 0 {
		return nil
	}
	if err := tx.Set(m.to, m.list); err != nil {
		return err
	}
	if m.Left == 0 {
		return tx.Delete(m.from)
	}
	return tx.Set(m.from, m.rest)
}

// Take moves favorites from another list to f, the last added first while there is
// room, and returns how many. f stays ordered by when they were added.
func (f *Favorites) Take(from *Favorites, shown Shown) (moved int) {
	had, visible := namesOf(f.Rows, shown), f.visibleNames(shown)
	from.Rows = slices.DeleteFunc(from.Rows, func(r Favorite) bool {
		now, isShown := shown(r.Channel)
		full := len(f.Rows) >= maxRows || isShown && len(visible) >= MaxFavorites && !visible[now]
		if full || had[shown.name(r.Channel)] {
			return false
		}
		if isShown {
			visible[now] = true
		}
		f.Rows = append(f.Rows, r)
		moved++
		return true
	})
	slices.SortStableFunc(f.Rows, func(a, b Favorite) int { return b.Since.Compare(a.Since.Time) })
	return moved
}

// Take moves channels from another history to h, the last played first while there is
// room, and returns how many. h stays ordered by when they were played last.
func (h *History) Take(from *History, shown Shown) (moved int) {
	had := namesOf(h.Rows, shown)
	from.Rows = slices.DeleteFunc(from.Rows, func(r Played) bool {
		if had[shown.name(r.Channel)] || len(h.Rows) >= MaxHistory {
			return false
		}
		h.Rows = append(h.Rows, r)
		moved++
		return true
	})
	slices.SortStableFunc(h.Rows, func(a, b Played) int { return b.LastAt.Compare(a.LastAt.Time) })
	return moved
}

// A row names a channel by an id that it has or had.
type row interface{ ChannelID() string }

// namesOf returns the ids of now of the channels of rows.
func namesOf[R row](rows []R, shown Shown) map[string]bool {
	names := make(map[string]bool, len(rows))
	for _, r := range rows {
		names[shown.name(r.ChannelID())] = true
	}
	return names
}
