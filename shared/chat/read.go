package chat

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/store"
)

// Recent reads the newest messages of a room from memory while the room has no newer
// entry, which costs one read of the room's document, on whichever instance the last
// message was posted.

// maxRecent is how many rooms are remembered.
const maxRecent = 512

// A latest is the newest entries of a room, oldest first.
type latest struct {
	seq  int64 // of the room when they were read, or later
	list []Message
}

// Recent returns the newest messages of a room, oldest first and at most Window, or
// fewer where some were removed. After the id of a message it returns the entries that
// follow that message, removals among them, at most MaxMissed; when the room has no
// such message, the newest.
func (r *Rooms) Recent(ctx context.Context, channel, after string) ([]Message, error) {
	if after != "" {
		m, err := r.Find(ctx, channel, after)
		if err == nil {
			return r.since(ctx, channel, m.Seq, MaxMissed)
		}
		if !errors.Is(err, ErrUnknown) {
			return nil, err
		}
	}
	entries, err := r.newest(ctx, channel)
	return shown(entries, r.now()), err
}

// newest returns the newest entries of a room, oldest first.
func (r *Rooms) newest(ctx context.Context, channel string) ([]Message, error) {
	var in room
	if err := r.db.Get(ctx, roomPath(channel), &in); errors.Is(err, store.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	r.mu.Lock()
	known := r.recent[channel]
	r.mu.Unlock()
	if known.seq >= in.Seq {
		return known.list, nil
	}
	q := store.Query{Collection: messages(channel), OrderBy: "seq", Desc: true, Limit: Window}
	list, err := r.entries(ctx, channel, q)
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	if list, err = r.extend(ctx, channel, list); err != nil {
		return nil, err
	}
	known = latest{in.Seq, list}
	if len(list) > 0 {
		known.seq = max(known.seq, list[len(list)-1].Seq)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.recent) >= maxRecent {
		clear(r.recent)
	}
	r.recent[channel] = known
	return list, nil
}

// MaxEntries is how many entries are read, or remembered, for the newest messages.
const MaxEntries = 4 * Window

// enough is how many messages the newest entries of a room must show.
const enough = Window / 2

// extend returns the newest entries of a room, oldest first, with older ones while they show
// less than enough messages, up to MaxEntries: when the operator has removed many messages
// at once, the newest entries are those that say so.
func (r *Rooms) extend(ctx context.Context, channel string, list []Message) ([]Message, error) {
	for last := 0; len(list) >= Window && len(list) < MaxEntries && len(list) > last && live(list) < enough; {
		last = len(list)
		older, err := r.entries(ctx, channel, store.Query{
			Collection: messages(channel), OrderBy: "seq", Desc: true, Limit: Window,
			Where: []store.Filter{{Field: "seq", Op: store.Less, Value: list[0].Seq}},
		})
		if err != nil {
			return nil, err
		}
		slices.Reverse(older)
		list = append(older, list...)
	}
	return list, nil
}

// live returns how many of some entries are messages that are shown.
func live(entries []Message) (n int) {
	for _, m := range entries {
		if !m.Removed && !m.Restored {
			n++
		}
	}
	return n
}

// shown returns the newest messages among entries that were not removed and are still
// kept, at most Window.
func shown(entries []Message, now time.Time) []Message {
	list := []Message{}
	for _, m := range entries {
		if !m.Removed && !m.Restored && now.Sub(m.At) < KeepFor { // a restored message is in its own place, too
			list = append(list, m)
		}
	}
	return list[max(0, len(list)-Window):]
}

// Find returns a message of a room, or ErrUnknown. A message that the operator
// removed has no body.
func (r *Rooms) Find(ctx context.Context, channel, id string) (Message, error) {
	if !isID(id) {
		return Message{}, ErrUnknown
	}
	var rec record
	if err := r.db.Get(ctx, messages(channel).Join(id), &rec); errors.Is(err, store.ErrNotFound) {
		return Message{}, ErrUnknown
	} else if err != nil {
		return Message{}, err
	}
	return rec.message(channel, id), nil
}

// since returns the entries after one, oldest first and at most n.
func (r *Rooms) since(ctx context.Context, channel string, seq int64, n int) ([]Message, error) {
	return r.entries(ctx, channel, store.Query{
		Collection: messages(channel), OrderBy: "seq", Limit: n, Where: []store.Filter{{Field: "seq", Op: store.More, Value: seq}},
	})
}

// entries returns the entries that a query finds.
func (r *Rooms) entries(ctx context.Context, channel string, q store.Query) ([]Message, error) {
	list := []Message{}
	for doc, err := range r.db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		m, err := decode(channel, doc)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}
