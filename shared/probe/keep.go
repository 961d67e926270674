package probe

import (
	"cmp"
	"context"
	"slices"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
)

// Shards is how many documents each overlay has. Of 200,000 streams one holds
// 3,125; a document has room for seven times that.
const Shards = 64

var (
	shownKind = overlay.Kind{Name: "probe", Shards: Shards}
	stateKind = overlay.Kind{Name: "probe-state", Shards: Shards}
)

// ShardOf returns the number of the shard of a stream, which is the same in
// both overlays.
func ShardOf(id catalog.StreamID) int { return int(Slot(id) * Shards) }

// leftAfter is how long a stream that has left the catalog is remembered.
const leftAfter = 30 * 24 * time.Hour

// A Book keeps the states of streams, and what is shown of them.
type Book struct {
	DB store.DB

	// Checks run in each transaction and may end it: a job's fence.
	Checks []func(store.Tx) error
}

// An Entry is the state of one stream.
type Entry struct {
	ID    catalog.StreamID
	State State
}

// States returns the states of all streams.
func (b Book) States(ctx context.Context) (map[catalog.StreamID]State, error) {
	shards, err := stateKind.Read(ctx, b.DB)
	if err != nil {
		return nil, err
	}
	states := map[catalog.StreamID]State{}
	for _, data := range shards {
		rows, err := unpackStates(data)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			states[r.id] = r.of
		}
	}
	return states, nil
}

// Keep keeps the states that have changed and shows what readers see of it, by
// two transactions for each shard that has one of them. What is shown comes
// first: who is stopped between the two measures again, and nobody waits a day
// for what is known. Streams that are not present are forgotten in time.
func (b Book) Keep(ctx context.Context, changed []Entry, now time.Time, present func(catalog.StreamID) bool) error {
	shards := map[int][]Entry{}
	for _, e := range changed {
		n := ShardOf(e.ID)
		shards[n] = append(shards[n], e)
	}
	left := now.Add(-leftAfter)
	for n, list := range shards {
		slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
		err := shownKind.Update(ctx, b.DB, n, func(old []byte) ([]byte, error) {
			return showing(old, list, left, present)
		}, b.Checks...)
		if err != nil {
			return err
		}
		err = stateKind.Update(ctx, b.DB, n, func(old []byte) ([]byte, error) {
			return keeping(old, list, left, present)
		}, b.Checks...)
		if err != nil {
			return err
		}
	}
	return nil
}

// showing returns the shard of what is shown after changes, which are in the
// order of ids.
func showing(old []byte, list []Entry, left time.Time, present func(catalog.StreamID) bool) ([]byte, error) {
	rows, err := unpackShown(old)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r row[Shown]) bool { return r.of.CheckedAt.Before(left) && !present(r.id) })
	rows = merge(rows, list, func(was Shown, s State) (Shown, bool) {
		next, _ := was.Next(s)
		return next, next != Shown{}
	})
	return packShown(rows), nil
}

// keeping is showing for the states.
func keeping(old []byte, list []Entry, left time.Time, present func(catalog.StreamID) bool) ([]byte, error) {
	rows, err := unpackStates(old)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r row[State]) bool {
		return r.of.At.Before(left) && r.of.MissedAt.Before(left) && !present(r.id)
	})
	rows = merge(rows, list, func(_, s State) (State, bool) { return s, true })
	return packStates(rows), nil
}

// merge returns rows with the changes of list, both in the order of ids. The
// function gives what takes the place of a row, or of none: the zero value.
func merge[T any](rows []row[T], list []Entry, f func(T, State) (T, bool)) []row[T] {
	merged := make([]row[T], 0, len(rows)+len(list))
	for _, e := range list {
		at, found := slices.BinarySearchFunc(rows, e.ID, func(r row[T], id catalog.StreamID) int { return cmp.Compare(r.id, id) })
		merged = append(merged, rows[:at]...)
		var was T
		if rows = rows[at:]; found {
			was, rows = rows[0].of, rows[1:]
		}
		if next, ok := f(was, e.State); ok {
			merged = append(merged, row[T]{e.ID, next})
		}
	}
	return append(merged, rows...)
}
