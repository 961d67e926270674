// Package companion counts which channels people keep together.
//
//	overlays/companions              the head
//	overlays/companions/shards/{n}   the companions of channels, with the number of people who keep both
//
// A job counts them from libraries and favorites (collect.go, count.go). Nothing about a
// person is stored: of two channels only the number of owners who keep both, and that
// only from [MinPeople] on. What people play is not counted, since histories are for
// their owners alone.
package companion

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"miramundo.dev/shared/catalog/similar"
	"miramundo.dev/shared/overlay"
)

// MinPeople is how many people must keep two channels before that is shown.
const MinPeople = 5

// Shards is the number of documents of the overlay. With maxChannels of maxCompanions each
// holds about 1 MB, which deflates to less than half.
const Shards = 16

var kind = overlay.Kind{Name: "companions", Shards: Shards}

// An entry is a companion as it is stored.
type entry struct {
	Channel string `json:"c"`
	People  int    `json:"n"`
}

// A Live holds the companions of every channel in memory, some seconds old. Its methods
// may be called concurrently, those of a nil Live too, which has none.
type Live struct {
	shards   [Shards]atomic.Pointer[map[string][]similar.Companion]
	follower *overlay.Follower
}

// Follow returns the companions in the database of set, and follows their changes until
// ctx is done. It returns at once.
func Follow(ctx context.Context, set *overlay.Set) *Live {
	l := &Live{}
	l.follower = overlay.Follow(ctx, set, kind, l.show)
	return l
}

// Of implements [similar.Companions].
func (l *Live) Of(channel string) []similar.Companion {
	if l == nil {
		return nil
	}
	shard := l.shards[kind.ShardOf(channel)].Load()
	if shard == nil {
		return nil
	}
	return (*shard)[channel]
}

// show replaces shard n by data. It refuses a shard with a number below MinPeople; the
// earlier shard then stays.
func (l *Live) show(n int, data []byte) error {
	shown, err := decode(data)
	if err != nil {
		return err
	}
	l.shards[n].Store(&shown)
	return nil
}

// decode parses a shard; nil is an empty one.
func decode(data []byte) (map[string][]similar.Companion, error) {
	stored := map[string][]entry{}
	if len(data) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return nil, fmt.Errorf("shard of companions: %w", err)
	}
	shown := make(map[string][]similar.Companion, len(stored))
	for channel, list := range stored {
		for _, e := range list {
			if channel == "" || e.Channel == "" || e.People < MinPeople {
				return nil, fmt.Errorf("shard of companions: %.80q and %.80q by %d people", channel, e.Channel, e.People)
			}
			shown[channel] = append(shown[channel], similar.Companion(e))
		}
	}
	return shown, nil
}
