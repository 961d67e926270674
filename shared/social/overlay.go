package social

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"miramundo.dev/shared/overlay"
)

// An Overlay shows the counts of every channel from memory, some seconds old.
// Its methods may be called concurrently, those of a nil Overlay too, which
// has no counts.
type Overlay struct {
	shards [Shards]atomic.Pointer[map[string]*Shown]
	hashes [Shards]atomic.Uint64 // of the bytes of each shard
	first  [Shards]sync.Once     // counts a shard as loaded
	coming sync.WaitGroup        // shards that have not been shown yet
	agreed sync.Map              // what countries agree on, of those that were asked for: agreements by agreedKey
}

// FollowOverlay returns the overlay in the database of set, and follows it until
// ctx is done. It returns at once: a channel has no counts until its shard has
// come. The overlay has no head, so [overlay.Set.Confirm] leaves it out: after a
// pause of the process its counts may be old until the watches have caught up.
func FollowOverlay(ctx context.Context, set *overlay.Set) *Overlay {
	o := &Overlay{}
	o.coming.Add(Shards)
	overlay.Follow(ctx, set, kind, o.show)
	return o
}

// Loaded returns when every shard of the overlay has come, or the error of ctx
// when that is done first.
func (o *Overlay) Loaded(ctx context.Context) error {
	came := make(chan struct{})
	go func() { o.coming.Wait(); close(came) }()
	select {
	case <-came:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Version returns a number that is another one whenever a count is, and the same in
// every process that shows the same counts.
func (o *Overlay) Version() uint64 {
	if o == nil {
		return 0
	}
	var all [8 * Shards]byte
	for n := range o.hashes {
		binary.LittleEndian.PutUint64(all[8*n:], o.hashes[n].Load())
	}
	return xxhash.Sum64(all[:])
}

// Plays returns how often a channel was played, as reported by players and as
// seen by the hop; 0 when it has no counts.
func (o *Overlay) Plays(channel string) int64 {
	c, ok := o.Counts(channel)
	if !ok {
		return 0
	}
	return c.Plays + c.Played
}

// show replaces what is shown of shard n.
func (o *Overlay) show(n int, data []byte) error {
	entries, err := decodeEntries(data)
	if err != nil {
		return err
	}
	shown := make(map[string]*Shown, len(entries))
	for channel, e := range entries {
		shown[channel] = NewShown(e.shown())
	}
	o.shards[n].Store(&shown)
	o.hashes[n].Store(xxhash.Sum64(data))
	o.first[n].Do(o.coming.Done)
	return nil
}
