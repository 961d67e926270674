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

// The measurements are stored in two overlays with the same shards. One holds
// what readers see, and is followed by every instance; the other holds the full
// states, which only the job reads. Parting them keeps the traffic of followers
// small: a state changes with every measurement, its visible part seldom.

// Shards is the number of documents of each overlay. With 200,000 streams each
// holds 3,125; a document has room for seven times that.
const Shards = 64

var (
	shownKind = overlay.Kind{Name: "probe", Shards: Shards}
	stateKind = overlay.Kind{Name: "probe-state", Shards: Shards}
)

// ShardOf returns the number of the shard of a stream, which is the same in
// both overlays.
func ShardOf(id catalog.StreamID) int { return int(Slot(id) * Shards) }

// leftAfter is how long the state of a stream is kept after its last measurement
// when the catalog no longer has the stream. A stream that comes back within that
// time keeps its score.
const leftAfter = 30 * 24 * time.Hour

// A Book stores the states of streams, and what is shown of them. Only one run
// of the job may write at a time; Checks ensures that.
type Book struct {
	DB store.DB

	// Checks run in each transaction, and an error of one aborts it. The job
	// passes its fence, so that a run that lost its lease cannot write.
	Checks []func(store.Tx) error
}

// An Entry is the state of one stream.
type Entry struct {
	ID    catalog.StreamID
	State State
}

// States returns the states of all streams, in memory that belongs to the
// caller. It reads every shard.
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

// Keep stores changed states and what is shown of them, in two transactions for
// each shard that has a change. The shown part is written first: a run that is
// stopped between the two finds the stream still due and measures it again, and
// readers have the result meanwhile. Streams that are not present are deleted
// after leftAfter. After an error some shards are stored and others are not;
// storing the same changes again is safe.
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

// showing returns the shard of shown rows after the changes of list, which must
// be in the order of ids. Rows of streams that are not present and were last
// checked before left are dropped.
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

// keeping is showing for the shard of states.
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

// merge returns rows with the changes of list, both in the order of ids. It calls
// f with each changed row, or the zero value for a new one, and puts the result
// in its place, or drops the row when f reports false.
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
