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

// A batch of logos takes several transactions: the ids of the new pictures are
// noted in one document, the pictures are stored, then the states of the channels
// shard by shard, and after each shard the logos that readers see. A process may
// die between any two of them. Opening the ledger repairs that: it brings the
// shown logos in step with the states, and deletes the noted pictures that no
// channel has.
//
// A picture that a channel loses is not deleted at once, because cached pages
// still link to it. The shard that lost it records since when, and a later run
// deletes it when no channel has had it for keepUnused.

// states is the overlay that only the job reads.
var states = overlay.Kind{Name: "logo-state", Shards: shards}

// keepUnused is how long a picture is kept that no channel has any more.
const keepUnused = 30 * 24 * time.Hour

// A Ledger holds the State of each channel and the ids of the stored pictures, in
// memory and in the database. Only one run at a time may write it: each write is
// a transaction that the checks may abort. It is not safe for concurrent use. It
// is consistent whenever a process dies:
//
//   - The ids of new pictures are noted first, so that the next run finds and
//     deletes a picture that no channel got.
//   - A channel gets a picture after it was stored, and readers see it after that.
type Ledger struct {
	db     store.DB
	checks []func(store.Tx) error
	States map[string]State // by channel, as stored; callers must not change it

	unused map[string]int64 // by picture: since when no channel has it, in seconds since 1970
	used   map[string]int   // by picture: how many channels have it
}

// A book is a shard of states.
type book struct {
	Channels map[string]State `json:"channels"`
	Unused   map[string]int64 `json:"unused,omitempty"` // pictures that a channel of this shard lost, and when
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

// work is the document that lists the pictures of the batch being stored.
const work = store.Path("logo-batches/last")

// A batch is the document at work.
type batch struct {
	Pictures []string `json:"pictures"`
}

// OpenLedger reads the ledger in db, repairs what a process left that died in the
// middle of a batch, and deletes pictures that no channel has had for 30 days. It
// returns the ledger and the number of deleted pictures. Each check runs in every
// transaction of the ledger, and its error aborts it.
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

// show writes the shards of shown logos that differ from the states.
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

// showShard replaces shard n of what readers see.
func (l *Ledger) showShard(ctx context.Context, n int, logos map[string]string) error {
	return shown.Update(ctx, l.db, n, func(old []byte) ([]byte, error) {
		if len(logos) == 0 {
			return nil, nil
		}
		return json.Marshal(logos)
	}, l.checks...)
}

// sweep deletes the pictures of an interrupted batch that no channel has, and
// those that no channel has had for keepUnused. It returns how many it deleted.
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

// delete deletes pictures, and the list of the interrupted batch.
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

// forget removes pictures that are used again or deleted from the unused ones.
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

// write changes a shard of states by a function, and returns the shard as it is
// stored. The function may be called more than once, each time with a new book.
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

// update runs the checks and f in one transaction.
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

// Keep stores a batch: pictures by their ids, and the new states of channels,
// where nil deletes the state. Every picture that a new state names must be
// stored or in pictures. After an error part of the batch is stored, and the
// ledger must be opened again.
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

// change sets the state of a channel, and records the picture that it loses.
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

// note repeats in memory what change did to the shard.
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

// shown returns the logos of the shard that readers see, by channel.
func (b book) shown() map[string]string {
	logos := map[string]string{}
	for channel, s := range b.Channels {
		if s.Logo != "" {
			logos[channel] = s.Logo
		}
	}
	return logos
}

// Has reports whether a picture is stored.
func (l *Ledger) Has(id string) bool {
	_, unused := l.unused[id]
	return unused || l.used[id] > 0
}

// keepPictures stores the pictures that are not stored yet, after it listed them
// in the document work. A transaction holds at most MaxBytes of pictures, or one.
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

// putAll stores the listed pictures in one transaction.
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
