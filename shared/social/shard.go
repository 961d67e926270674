package social

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
)

// This file is how counts are shown. Counters change all the time, so the
// overlay has no head: a batch of changed channels costs one read and one write
// for each shard. A shard that outgrows its document loses detail and no sum: it
// is written with fewer environments for each channel, until it fits.

// Shards is how many documents the overlay has: few, since what changes in a
// while is written once for each, and enough for 11 MB of deflated counts.
const Shards = 16

// kind is the overlay of counts.
var kind = overlay.Kind{Name: "social", Shards: Shards, NoHead: true}

// ShardOf returns the number of the shard that holds a channel.
func ShardOf(channel string) int { return shardOf(channel) }

// An entry is what the overlay has of a channel.
type entry struct {
	Counts
	Revision int64 `json:"revision"`
}

// folds are how many environments a shard has of each channel, tried in turn
// until the shard fits its document. The last leaves out all detail.
var folds = []int{MaxEnvironments, 100, 25, 5, 0, noDetail}

const noDetail = -1

// ShowCounts merges the counts of channels of shard n into the overlay, where
// newer ones stay, by one read and at most one write.
func ShowCounts(ctx context.Context, db store.DB, n int, changed []Counted) error {
	var err error
	for _, most := range folds {
		err = kind.Update(ctx, db, n, func(old []byte) ([]byte, error) {
			entries, err := decodeEntries(old)
			if err != nil || !merge(entries, changed) {
				return old, err
			}
			return pack(entries, most)
		})
		if !errors.Is(err, store.ErrTooLarge) {
			return err
		}
	}
	return err
}

// merge stores what is newer in entries, and reports whether anything is.
func merge(entries map[string]entry, changed []Counted) (any bool) {
	for _, c := range changed {
		if c.Revision > entries[c.Channel].Revision {
			entries[c.Channel] = entry{c.Counts, c.Revision}
			any = true
		}
	}
	return any
}

// decodeEntries returns the entries of a shard, by channel.
func decodeEntries(data []byte) (map[string]entry, error) {
	entries := map[string]entry{}
	if len(data) == 0 {
		return entries, nil
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&entries); err != nil {
		return nil, fmt.Errorf("shard of counts: %w", err)
	}
	return entries, nil
}

// pack returns the shard of entries, with at most so many environments of each
// channel. It leaves the environments of the caller as they are.
func pack(entries map[string]entry, most int) ([]byte, error) {
	for channel, e := range entries {
		switch {
		case most == noDetail:
			e.Environments, e.Latency, e.Heard.Countries, e.Heard.Environments, e.Heard.Agreed = nil, nil, nil, nil, nil
		case len(e.Environments) > most:
			e.Environments, e.Heard.Environments = maps.Clone(e.Environments), maps.Clone(e.Heard.Environments)
			e.Fold(most)
		}
		entries[channel] = e
	}
	return json.Marshal(entries)
}
