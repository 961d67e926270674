package logo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
)

// states is what the job alone reads.
var states = overlay.Kind{Name: "logo-state", Shards: shards}

// keepUnused is for how long a picture is kept that no channel has any more:
// pages that were read before still name it.
const keepUnused = 30 * 24 * time.Hour

// A Ledger is the job's books: the State of each channel and which pictures are
// kept. One run at a time writes them, and each of its writes is one
// transaction that the checks may end. They are in order whenever a process
// dies:
//
//   - What is to be kept is noted first, so that a picture which nothing names
//     is found and deleted by the next run.
//   - A channel has a picture once it is kept, and readers see it after that.
type Ledger struct {
	db     store.DB
	checks []func(store.Tx) error
	States map[string]State // by channel, as they are kept; not to be changed

	unused map[string]int64 // since when no channel has a picture, in seconds since 1970
	used   map[string]int   // by how many channels
}

// A book is a shard of states.
type book struct {
	Channels map[string]State `json:"channels"`
	Unused   map[string]int64 `json:"unused,omitempty"` // pictures that a channel of this shard had, and since when not
}

func decodeBook(data []byte) (book, error) {
	b := book{map[string]State{}, map[string]int64{}}
	if data == nil {
		return b, nil
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return b, fmt.Errorf("shard of the states of logos: %w", err)
	}
	if b.Channels == nil || b.Unused == nil {
		return b, errors.New("shard of the states of logos: no channels")
	}
	return b, nil
}

// work is where the pictures of the batch are noted that is being kept.
const work = store.Path("logo-batches/last")

// A batch is the document at work.
type batch struct {
	Pictures []string `json:"pictures"`
}

// OpenLedger reads the books, mends what a process left that died in the middle
// of a batch, and deletes pictures that no channel has had for 30 days. It
// returns how many it deleted.
func OpenLedger(ctx context.Context, db store.DB, now time.Time, checks ...func(store.Tx) error) (*Ledger, int, error) {
	l := &Ledger{db: db, checks: checks, States: map[string]State{}, unused: map[string]int64{}, used: map[string]int{}}
	data, err := states.Read(ctx, db)
	if err != nil {
		return nil, 0, err
	}
	for _, d := range data {
		b, err := decodeBook(d)
		if err != nil {
			return nil, 0, err
		}
		maps.Copy(l.States, b.Channels)
		for id, at := range b.Unused {
			l.unused[id] = max(at, l.unused[id])
		}
	}
	for _, s := range l.States {
		l.used[s.Logo]++
	}
	if err := l.show(ctx); err != nil {
		return nil, 0, err
	}
	deleted, err := l.sweep(ctx, now)
	return l, deleted, err
}

// show brings what readers see in step with the states.
func (l *Ledger) show(ctx context.Context) error {
	seen, err := shown.Read(ctx, l.db)
	if err != nil {
		return err
	}
	logos := make([]map[string]string, shards)
	for n := range logos {
		logos[n] = map[string]string{}
	}
	for channel, s := range l.States {
		if s.Logo != "" {
			logos[shown.ShardOf(channel)][channel] = s.Logo
		}
	}
	for n := range logos {
		if old, err := decodeShown(seen[n]); err == nil && maps.Equal(old, logos[n]) {
			continue
		}
		if err := l.showShard(ctx, n, logos[n]); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) showShard(ctx context.Context, n int, logos map[string]string) error {
	return shown.Update(ctx, l.db, n, func(old []byte) ([]byte, error) {
		if len(logos) == 0 {
			return nil, nil
		}
		return json.Marshal(logos)
	}, l.checks...)
}

// sweep deletes the pictures that a batch left which nobody has, and those that
// nobody has had for long, and forgets them.
func (l *Ledger) sweep(ctx context.Context, now time.Time) (int, error) {
	var last batch
	if err := l.db.Get(ctx, work, &last); err != nil && !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	var gone []string
	for _, id := range last.Pictures {
		if _, known := l.unused[id]; !known && l.used[id] == 0 && ids.MatchString(id) {
			gone = append(gone, id)
		}
	}
	forget := map[string]bool{}
	for id, since := range l.unused {
		old := now.Sub(time.Unix(since, 0)) >= keepUnused
		if l.used[id] == 0 && old {
			gone = append(gone, id)
		}
		forget[id] = l.used[id] > 0 || old
	}
	if err := l.delete(ctx, gone); err != nil {
		return 0, err
	}
	return len(gone), l.forget(ctx, forget)
}

// delete deletes pictures, and notes that no batch is under way.
func (l *Ledger) delete(ctx context.Context, gone []string) error {
	slices.Sort(gone)
	for part := range slices.Chunk(gone, 100) {
		if err := l.update(ctx, func(tx store.Tx) error {
			for _, id := range part {
				if err := tx.Delete(at(id)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return l.update(ctx, func(tx store.Tx) error { return tx.Delete(work) })
}

// forget strikes pictures that are used again or deleted off the books.
func (l *Ledger) forget(ctx context.Context, pictures map[string]bool) error {
	if !slices.Contains(slices.Collect(maps.Values(pictures)), true) {
		return nil
	}
	maps.DeleteFunc(l.unused, func(id string, _ int64) bool { return pictures[id] })
	for n := range shards {
		if _, err := l.write(ctx, n, func(b book) {
			maps.DeleteFunc(b.Unused, func(id string, _ int64) bool { return pictures[id] })
		}); err != nil {
			return err
		}
	}
	return nil
}

// write changes a shard of states, and returns it.
func (l *Ledger) write(ctx context.Context, n int, change func(book)) (b book, err error) {
	err = states.Update(ctx, l.db, n, func(old []byte) ([]byte, error) {
		if b, err = decodeBook(old); err != nil {
			return nil, err
		}
		change(b)
		if old == nil && len(b.Channels) == 0 {
			return nil, nil
		}
		return json.Marshal(b)
	}, l.checks...)
	return b, err
}

func (l *Ledger) update(ctx context.Context, f func(store.Tx) error) error {
	return l.db.Update(ctx, func(tx store.Tx) error {
		for _, check := range l.checks {
			if err := check(tx); err != nil {
				return err
			}
		}
		return f(tx)
	})
}

// Keep keeps a batch: pictures by their ids, and the states of channels, nil of
// those that lose theirs.
func (l *Ledger) Keep(ctx context.Context, pictures map[string]Image, changes map[string]*State, now time.Time) error {
	if err := l.keepPictures(ctx, pictures); err != nil {
		return err
	}
	byShard := map[int][]string{}
	for channel := range changes {
		n := states.ShardOf(channel)
		byShard[n] = append(byShard[n], channel)
	}
	for _, n := range slices.Sorted(maps.Keys(byShard)) {
		b, err := l.write(ctx, n, func(b book) {
			for _, channel := range byShard[n] {
				b.change(channel, changes[channel], now)
			}
		})
		if err != nil {
			return err
		}
		for _, channel := range byShard[n] {
			l.note(channel, changes[channel], now)
		}
		if err := l.showShard(ctx, n, b.shown()); err != nil {
			return err
		}
	}
	return nil
}

// change gives a channel a state, and notes the picture that it loses.
func (b book) change(channel string, s *State, now time.Time) {
	had := b.Channels[channel].Logo
	if s == nil {
		delete(b.Channels, channel)
	} else {
		b.Channels[channel] = *s
	}
	if had != "" && had != b.Channels[channel].Logo {
		b.Unused[had] = now.Unix()
	}
}

// note does to what is known here what change did to the shard.
func (l *Ledger) note(channel string, s *State, now time.Time) {
	had := l.States[channel].Logo
	if s == nil {
		delete(l.States, channel)
	} else {
		l.States[channel] = *s
	}
	if has := l.States[channel].Logo; had != has {
		l.used[has]++
		l.used[had]--
		if had != "" {
			l.unused[had] = now.Unix()
		}
	}
}

// shown returns what readers see of the shard.
func (b book) shown() map[string]string {
	logos := map[string]string{}
	for channel, s := range b.Channels {
		if s.Logo != "" {
			logos[channel] = s.Logo
		}
	}
	return logos
}

// Has reports whether a picture is kept.
func (l *Ledger) Has(id string) bool {
	_, unused := l.unused[id]
	return unused || l.used[id] > 0
}

// keepPictures keeps those that are not there yet, after their ids were noted.
func (l *Ledger) keepPictures(ctx context.Context, pictures map[string]Image) error {
	var missing []string
	for id := range pictures {
		if !l.Has(id) {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	if err := l.update(ctx, func(tx store.Tx) error { return tx.Set(work, batch{missing}) }); err != nil {
		return err
	}
	for len(missing) > 0 {
		n, size := 0, 0
		for n < len(missing) && (n == 0 || size+len(pictures[missing[n]].Data) <= MaxBytes) {
			size += len(pictures[missing[n]].Data)
			n++
		}
		if err := l.putAll(ctx, pictures, missing[:n]); err != nil {
			return err
		}
		missing = missing[n:]
	}
	return nil
}

func (l *Ledger) putAll(ctx context.Context, pictures map[string]Image, list []string) error {
	return l.update(ctx, func(tx store.Tx) error {
		for _, id := range list {
			im := pictures[id]
			if err := im.Check(); err != nil {
				return err
			}
			if err := tx.Set(at(id), im); err != nil {
				return err
			}
		}
		return nil
	})
}
