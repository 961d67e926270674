package comment

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// The pace of a network holds what was posted from it in the last hour, which bounds it:
// at most twice NetworkPerHour prints, in 80 KiB. Its name changes each day at midnight UTC,
// and with the name every count starts again.
//
// A comment does not have the name of its network. A document beside it has, which
// expires by itself: until then the operator can find what else came from the network.

// Limits of one network, for owners who are new; for others, twice as many.
const (
	NetworkAtOnce     = 60 // comments within atOnceTime
	NetworkPerHour    = 200
	NetworkPerDay     = 600
	NetworkPerChannel = 40 // on one channel, within an hour

	atOnceTime   = 10 * time.Minute
	longRepeats  = 3  // of one long text within an hour
	shortRepeats = 20 // likewise of a short one
)

// How long the names of networks are stored.
const (
	paceLife = 48 * time.Hour
	// TraceLife is how long the network of a comment is stored.
	TraceLife = 30 * 24 * time.Hour
)

const traces = store.Path("comment_traces")

// A networkPace is what was posted from a network lately.
type networkPace struct {
	Texts    []saying   `json:"texts"` // of the last hour, oldest first
	Day      int        `json:"day"`   // comments since the network has its name
	ExpireAt store.Time `json:"expire_at"`
}

// networkPath returns where the pace of a network is.
func networkPath(name string) store.Path { return store.Path("comment_networks").Join(name) }

// add notes a comment, or returns ErrNetworkLimit or ErrRepeated with the seconds after
// which the comment would be accepted.
func (p *networkPace) add(s saying, known bool) error {
	share := 1
	if known {
		share = 2
	}
	p.Texts = slices.DeleteFunc(p.Texts, func(t saying) bool { return isOver(t.At, s.At, time.Hour) })
	if p.Day >= share*NetworkPerDay {
		midnight := (identity.DayOf(s.At.Time) + 1).Start()
		return limited(ErrNetworkLimit, midnight.Sub(s.At.Time), 24*time.Hour)
	}
	if err := check(s, p.Texts, p.rules(s, share)...); err != nil {
		return err
	}
	p.Texts = append(p.Texts, s)
	p.Day++
	p.ExpireAt = store.At(s.At.Add(paceLife))
	return nil
}

// rules returns the rules for a comment from a network, with so many times its limits.
func (p *networkPace) rules(s saying, share int) []rule {
	repeats := shortRepeats
	if s.Print.Long() {
		repeats = longRepeats
	}
	return []rule{
		{ErrNetworkLimit, share * NetworkAtOnce, atOnceTime, all},
		{ErrNetworkLimit, share * NetworkPerHour, time.Hour, all},
		{ErrNetworkLimit, share * NetworkPerChannel, time.Hour, s.sameChannel},
		{ErrRepeated, repeats, time.Hour, s.repeats},
	}
}

// A trace is the network from which a comment was posted.
type trace struct {
	Network  string     `json:"network"`
	ExpireAt store.Time `json:"expire_at"`
}

func newTrace(c Comment) trace {
	return trace{c.Network, store.At(c.CreatedAt.Add(TraceLife))}
}

// tracePath returns where the trace of a comment is.
func tracePath(id string) store.Path { return traces.Join(id) }

// NetworkOf returns the name of the network from which a comment was posted, also of a
// comment that was deleted; empty when the name has expired or was never known.
func NetworkOf(ctx context.Context, db store.DB, id string) (string, error) {
	if !isID(id) {
		return "", nil
	}
	var t trace
	err := db.Get(ctx, tracePath(id), &t)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return t.Network, err
}
