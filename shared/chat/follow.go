package chat

import (
	"context"
	"iter"
	"slices"

	"miramundo.dev/shared/store"
)

// Follow yields the entries of a room as they are made, in order and each once: all
// after the entry with a number, or from 0 the newest Window first, or more where many of those are removals. An empty first
// element means that the room has no entry. A removed message comes again, with Removed.
//
// It watches the newest entries alone, so that it reads each of them once however long
// it runs. When more came at once than it watches, it reads what lies between. The
// sequence ends with ctx, or with an error when the database stays out of reach: the
// caller then follows again after the last entry that it has.
func (r *Rooms) Follow(ctx context.Context, channel string, seq int64) iter.Seq2[[]Message, error] {
	return func(yield func([]Message, error) bool) {
		f := follower{rooms: r, channel: channel, last: seq, fresh: true}
		q := store.Query{Collection: messages(channel), OrderBy: "seq", Desc: true, Limit: Window}
		for docs, err := range r.db.WatchQuery(ctx, q) {
			var list []Message
			if err == nil {
				list, err = f.next(ctx, docs)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if (len(list) > 0 || f.fresh) && !yield(list, nil) {
				return
			}
			f.fresh = false
		}
	}
}

// A follower is one run of Follow.
type follower struct {
	rooms   *Rooms
	channel string
	last    int64 // number of the last entry that was yielded
	fresh   bool  // nothing was yielded
}

// next returns the entries that follow the last, by the newest ones, which come
// newest first. It decodes none that was yielded before, since most were.
func (f *follower) next(ctx context.Context, docs []store.Doc) (list []Message, err error) {
	for _, doc := range docs {
		m, err := decode(f.channel, doc)
		if err != nil {
			return nil, err
		}
		if m.Seq <= f.last {
			break
		}
		list = append(list, m)
	}
	slices.Reverse(list)
	if len(list) == 0 {
		return nil, nil
	}
	if f.last == 0 && f.fresh {
		if list, err = f.rooms.extend(ctx, f.channel, list); err != nil {
			return nil, err
		}
	}
	if (f.last > 0 || !f.fresh) && len(docs) >= Window && list[0].Seq > f.last+1 {
		if list, err = f.between(ctx, list); err != nil {
			return nil, err
		}
	}
	f.last = list[len(list)-1].Seq
	return list, nil
}

// between returns list with the entries before it that were not yielded.
func (f *follower) between(ctx context.Context, list []Message) ([]Message, error) {
	var missed []Message
	for last, first := f.last, list[0].Seq; ; {
		page, err := f.rooms.since(ctx, f.channel, last, MaxMissed)
		if err != nil {
			return nil, err
		}
		for _, m := range page {
			if m.Seq >= first {
				return append(missed, list...), nil
			}
			missed, last = append(missed, m), m.Seq
		}
		if len(page) == 0 {
			return append(missed, list...), nil
		}
	}
}
