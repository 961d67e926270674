package logo

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync/atomic"

	"miramundo.dev/shared/overlay"
)

// shards is the number of documents of each overlay. With 100,000 channels each
// holds 3,125: about 200 KB of shown logos, which deflate to half.
const shards = 32

// shown is the overlay that readers follow: the id of the logo by channel id.
var shown = overlay.Kind{Name: "logos", Shards: shards}

// A Live holds the logo of each channel in memory, some seconds old. Its methods
// may be called concurrently. The lists are replaced as a whole, never changed.
type Live struct {
	shards   [shards]atomic.Pointer[[]pair]
	follower *overlay.Follower
}

// A pair is a channel and its logo, by their ids.
type pair struct{ channel, logo string }

// Follow returns the logos in the database of set, and follows their changes
// until ctx is done. It returns at once, without logos.
func Follow(ctx context.Context, set *overlay.Set) *Live {
	l := &Live{}
	l.follower = overlay.Follow(ctx, set, shown, l.show)
	return l
}

// All yields each channel that has a logo with the id of the logo, in no
// particular order.
func (l *Live) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for n := range l.shards {
			list := l.shards[n].Load()
			if list == nil {
				continue
			}
			for _, p := range *list {
				if !yield(p.channel, p.logo) {
					return
				}
			}
		}
	}
}

// Changed returns a channel that holds one token when logos have changed since a
// token was last taken.
func (l *Live) Changed() <-chan struct{} { return l.follower.Changed() }

// show replaces shard n by data. It refuses a shard with an id that cannot stand
// in an address; the earlier shard then stays.
func (l *Live) show(n int, data []byte) error {
	logos, err := decodeShown(data)
	if err != nil {
		return err
	}
	list := make([]pair, 0, len(logos))
	for channel, id := range logos {
		list = append(list, pair{channel, id})
	}
	l.shards[n].Store(&list)
	return nil
}

// decodeShown parses a shard of logos by channel; nil is an empty one.
func decodeShown(data []byte) (map[string]string, error) {
	logos := map[string]string{}
	if data == nil {
		return logos, nil
	}
	if err := json.Unmarshal(data, &logos); err != nil {
		return nil, fmt.Errorf("shard of logos: %w", err)
	}
	for channel, id := range logos {
		if !ids.MatchString(id) || channel == "" {
			return nil, fmt.Errorf("shard of logos: %.80q has the logo %.80q", channel, id)
		}
	}
	return logos, nil
}
