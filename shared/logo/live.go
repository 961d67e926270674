package logo

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync/atomic"

	"miramundo.dev/shared/overlay"
)

// shards is how many documents each overlay has. With 100,000 channels one has
// 3,125: about 200 KB of them as shown, which deflate to half.
const shards = 32

// shown is what readers follow: the logo's id by channel id.
var shown = overlay.Kind{Name: "logos", Shards: shards}

// A Live is which logo each channel has, some seconds old. Its methods may be
// called concurrently.
type Live struct {
	shards   [shards]atomic.Pointer[[]pair]
	follower *overlay.Follower
}

// A pair is a channel and its logo, by their ids.
type pair struct{ channel, logo string }

// Follow returns the logos that the database of set keeps, and follows them until ctx is done.
func Follow(ctx context.Context, set *overlay.Set) *Live {
	l := &Live{}
	l.follower = overlay.Follow(ctx, set, shown, l.show)
	return l
}

// All yields the id of the logo of each channel that has one, in no set order.
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

// Changed returns a channel that holds a token when logos came or went since one
// was last taken.
func (l *Live) Changed() <-chan struct{} { return l.follower.Changed() }

// show makes data what is shown of shard n. It refuses what would not do as an
// address.
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

// decodeShown reads a shard of logos by channel.
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
