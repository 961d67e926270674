package chat

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Messages are stored by room, so finding all messages of an owner or of a network needs
// the rooms in which it wrote. Those of an owner are in its pace, which is written with
// each message anyway. Those of a network are in a document that is read with each message
// and written only when the network has not written in the room on that day.

// Bounds of what is remembered; the rooms of which the last message is oldest are
// forgotten first.
const (
	maxPlaces = 300  // of an owner
	maxRooms  = 2000 // of a network on one day
)

// A Place is a room in which an owner wrote.
type Place struct {
	Channel string         `json:"channel"`
	Owner   identity.Owner `json:"owner"` // that the messages name: a guest that became an account has another
	At      store.Time     `json:"at"`    // of the last message
}

// note remembers that an owner writes in a room. Rooms whose messages have expired are
// forgotten.
func (p *pace) note(channel string, owner identity.Owner, now time.Time) {
	p.Rooms = slices.DeleteFunc(p.Rooms, func(r Place) bool {
		return r.Channel == channel && r.Owner == owner || now.Sub(r.At.Time) >= KeepFor
	})
	p.Rooms = append(p.Rooms, Place{channel, owner, store.At(now)})
	p.Rooms = p.Rooms[max(0, len(p.Rooms)-maxPlaces):]
}

// places are the rooms in which a network wrote.
type places struct {
	Rooms    []string   `json:"rooms"`
	ExpireAt store.Time `json:"expire_at"`
}

// networkPath returns where the rooms of a network are, by its name of the day.
func networkPath(name string) store.Path { return store.Path("chat_networks").Join(name) }

// add remembers a room, and reports whether it was new.
func (p *places) add(channel string, now time.Time) bool {
	if slices.Contains(p.Rooms, channel) {
		return false
	}
	p.Rooms = append(p.Rooms, channel)
	p.Rooms = p.Rooms[max(0, len(p.Rooms)-maxRooms):]
	p.ExpireAt = store.At(now.Add(KeepFor))
	return true
}

// A Sender selects the messages of an owner, or those of a network by its name of the day.
type Sender struct {
	Owner   identity.Owner
	Network string
}

// Places returns the rooms in which a sender wrote, by one read.
func Places(ctx context.Context, db store.DB, s Sender) ([]Place, error) {
	if s.Network == "" {
		var p pace
		err := db.Get(ctx, pacePath(s.Owner), &p)
		return p.Rooms, orMissing(err)
	}
	var p places
	if err := db.Get(ctx, networkPath(s.Network), &p); err != nil {
		return nil, orMissing(err)
	}
	list := make([]Place, len(p.Rooms))
	for i, channel := range p.Rooms {
		list[i].Channel = channel
	}
	return list, nil
}

// orMissing returns err, or nil when it means that there is no document.
func orMissing(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// Sent returns up to n messages that a sender wrote in a room and that were not removed,
// in the order of their ids after one, by a read for each entry that names the sender.
func Sent(ctx context.Context, db store.DB, channel string, s Sender, after string, n int) (list []Message, err error) {
	by := store.Filter{Field: "owner", Op: store.Eq, Value: string(s.Owner)}
	if s.Network != "" {
		by = store.Filter{Field: "network", Op: store.Eq, Value: s.Network}
	}
	q := store.Query{Collection: messages(channel), Where: []store.Filter{by}}
	if after != "" {
		q.After = []any{after}
	}
	for doc, err := range db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		m, err := decode(channel, doc)
		if err != nil {
			return nil, err
		}
		if m.Removed || m.Restored {
			continue
		}
		if list = append(list, m); len(list) == n {
			break
		}
	}
	return list, nil
}
