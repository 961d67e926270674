package social

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/store"
)

// An Overlay shows the counts of every channel from memory, some seconds old.
// Its methods may be called concurrently, those of a nil Overlay too, which
// has no counts.
type Overlay struct {
	db     store.DB
	log    *slog.Logger
	shards [Shards]atomic.Pointer[map[string]*Shown]
	coming sync.WaitGroup // shards that have not come yet
}

// FollowOverlay returns the overlay that db keeps, and follows it until ctx is
// done. It does not wait: until a part of it has come, its channels have no
// counts.
func FollowOverlay(ctx context.Context, db store.DB, log *slog.Logger) *Overlay {
	o := &Overlay{db: db, log: log}
	o.coming.Add(Shards)
	for n := range Shards {
		go o.follow(ctx, n)
	}
	return o
}

// Loaded returns when every part of the overlay has come, or the error of ctx
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

// How long follow waits before it watches again what it could not.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// follow shows shard n as it is and becomes. What cannot be read stays as it
// was.
func (o *Overlay) follow(ctx context.Context, n int) {
	came := sync.OnceFunc(o.coming.Done)
	defer came()
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		for doc, err := range o.db.Watch(ctx, shardPath(n)) {
			if err == nil {
				err = o.show(n, doc)
			}
			if err != nil {
				o.log.Warn("part of the overlay stays as it was", "shard", n, "cause", err.Error())
				continue
			}
			came()
			pause = firstPause
		}
		hold(ctx, pause)
	}
}

func hold(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
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

// show makes doc what is shown of shard n.
func (o *Overlay) show(n int, doc store.Doc) error {
	shown := map[string]*Shown{}
	if doc.Decode != nil {
		var kept shard
		if err := doc.Decode(&kept); err != nil {
			return err
		}
		entries, err := kept.entries()
		if err != nil {
			return err
		}
		for channel, e := range entries {
			shown[channel] = NewShown(e.shown())
		}
	}
	o.shards[n].Store(&shown)
	return nil
}
