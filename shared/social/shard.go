package social

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"miramundo.dev/shared/store"
)

// Shards is how many documents the overlay has: few, since what changes in a
// while is written once for each, and enough for 11 MB of deflated counts.
const Shards = 16

// ShardOf returns the number of the shard that holds a channel.
func ShardOf(channel string) int { return shardOf(channel) }

func shardPath(n int) store.Path {
	return store.Path("overlays/social/shards").Join(strconv.Itoa(n))
}

// A shard is the document of a part of the overlay.
type shard struct {
	Data []byte `json:"data"` // of a map of entries by channel, as deflated JSON
}

// An entry is what the overlay has of a channel.
type entry struct {
	Counts
	Revision int64 `json:"revision"`
}

// Bounds of a shard, in bytes. A document keeps four for three.
const (
	maxShard = store.MaxSize * 2 / 3
	maxPlain = 64 << 20 // before it is deflated
)

// ShowCounts puts the counts of channels of shard n where overlays show them,
// unless newer ones are there, by one read and at most one write.
func ShowCounts(ctx context.Context, db store.DB, n int, changed []Counted) error {
	return db.Update(ctx, func(tx store.Tx) error {
		var kept shard
		if err := tx.Get(shardPath(n), &kept); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		entries, err := kept.entries()
		if err != nil {
			return err
		}
		if !merge(entries, changed) {
			return nil
		}
		if kept, err = pack(entries); err != nil {
			return err
		}
		return tx.Set(shardPath(n), kept)
	})
}

// merge puts what is newer among the entries, and tells whether anything is.
func merge(entries map[string]entry, changed []Counted) (any bool) {
	for _, c := range changed {
		if c.Revision > entries[c.Channel].Revision {
			entries[c.Channel] = entry{c.Counts, c.Revision}
			any = true
		}
	}
	return any
}

// entries returns what s holds.
func (s shard) entries() (map[string]entry, error) {
	entries := map[string]entry{}
	if len(s.Data) == 0 {
		return entries, nil
	}
	plain := io.LimitReader(flate.NewReader(bytes.NewReader(s.Data)), maxPlain)
	if err := json.NewDecoder(plain).Decode(&entries); err != nil {
		return nil, fmt.Errorf("shard of the overlay: %w", err)
	}
	return entries, nil
}

// folds are how many environments of a channel a shard has, tried in turn until
// the shard fits its document.
var folds = []int{MaxEnvironments, 100, 25, 5, 0}

// pack returns the shard of entries, which it may fold.
func pack(entries map[string]entry) (shard, error) {
	for _, n := range folds {
		for channel, e := range entries {
			e.Environments = cloned(e.Environments, n)
			e.Fold(n)
			entries[channel] = e
		}
		data, err := deflate(entries)
		if err != nil || len(data) <= maxShard {
			return shard{data}, err
		}
	}
	for channel, e := range entries { // more countries than there are
		e.Environments, e.Latency = nil, nil
		entries[channel] = e
	}
	data, err := deflate(entries)
	return shard{data}, err
}

// cloned returns environments that may be folded to n without a change to
// those of others.
func cloned(m map[string]Environment, n int) map[string]Environment {
	if len(m) <= n {
		return m
	}
	c := make(map[string]Environment, len(m))
	for k, e := range m {
		c[k] = e
	}
	return c
}

func deflate(entries map[string]entry) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(entries); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
