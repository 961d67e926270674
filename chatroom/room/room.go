// Package room casts the messages of chat rooms to the sockets of one instance.
//
// A Hub holds the rooms in which this instance has members, which are its sockets. A
// room follows the messages in the database from its first member on, until it has
// been empty for a while. So every instance with members in a room reads each message
// once, whichever instance stored it, and a room without members costs nothing.
//
// A message is encoded once for all members. Members are told in the order of the
// messages and never waited for: a member must queue what it is sent, or drop itself.
//
//	room.go       the members of a room, and what they are sent
//	hub.go        the rooms of an instance
//	follow.go     how a room follows the database
//	presence.go   how many sockets all instances hold
//	frame.go      what is sent, in JSON
package room

import (
	"context"
	"slices"
	"sync"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
)

// A Member is a socket in a room.
type Member interface {
	// Send sends a frame. It must not block, and must not call the room.
	Send(*Frame)
}

// A Room is the room of a channel, while this instance has members in it. Its methods
// may be called concurrently.
type Room struct {
	hub     *Hub
	channel string
	ready   chan struct{} // closed when the newest messages are there

	users int // members, and callers that become one; guarded by hub.mu

	mu      sync.Mutex
	members map[Member]struct{} // guarded by mu
	entries []*entry            // the newest, oldest first: see trim; guarded by mu
	last    int64               // number of the last entry; guarded by mu
	others  int                 // sockets at other instances; guarded by mu
	shown   int                 // the sum that members were sent last; guarded by mu
	restart context.CancelFunc  // ends the watch under way, so that another begins; guarded by mu
}

// Channel returns the id of the room's channel.
func (r *Room) Channel() string { return r.channel }

// A Greeting says for whom the frame is that a member is sent when it enters, and again
// when it is identified.
type Greeting struct {
	Author *string            // the member's name; nil while it is mute
	Owner  identity.Owner     // marks its own messages; empty while it is mute
	Hidden *moderation.Hidden // whose messages are left out; nil when the member hides nobody
	After  string             // id of the last message that the member has; empty for none
}

// Enter makes m a member, after it was sent a greeting with the newest messages. Every
// later message is sent to it.
func (r *Room) Enter(m Member, g Greeting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[m] = struct{}{}
	m.Send(r.greeting(g, r.newest(), false))
	r.hub.changed()
}

// Greet sends a member another greeting. When the room does not remember the message
// after which the member wants to read on, it is read from the database.
func (r *Room) Greet(ctx context.Context, m Member, g Greeting) error {
	r.mu.Lock()
	list, known := r.after(g.After)
	if known {
		m.Send(r.greeting(g, list, false))
	}
	r.mu.Unlock()
	if known {
		return nil
	}
	missed, err := r.hub.rooms.Recent(ctx, r.channel, g.After)
	if err != nil {
		return err
	}
	list = entriesOf(missed)
	r.mu.Lock()
	defer r.mu.Unlock()
	m.Send(r.greeting(g, list, len(list) >= chat.MaxMissed))
	return nil
}

// newest returns the newest messages; r.mu is held.
func (r *Room) newest() []*entry {
	return slices.DeleteFunc(slices.Clone(r.entries), func(e *entry) bool { return e.message.Removed })
}

// after returns the entries after a message, and whether the room remembers it; r.mu
// is held.
func (r *Room) after(id string) ([]*entry, bool) {
	if id == "" {
		return r.newest(), true
	}
	i := slices.IndexFunc(r.entries, func(e *entry) bool { return e.message.ID == id && !e.message.Removed })
	if i < 0 {
		return nil, false
	}
	return r.entries[i+1:], true
}

// greeting returns the frame of a greeting; more says that further messages follow
// those of the list. r.mu is held.
func (r *Room) greeting(g Greeting, list []*entry, more bool) *Frame {
	sum := r.others + len(r.members)
	if sum != r.shown {
		r.shown = differs // the new member was sent another sum than the others
	}
	return &Frame{Text: encodeGreeting(g, list, sum, more)}
}

// differs is the sum of a room whose members were not all sent the same one.
const differs = -1

// add casts entries to the members, in order.
func (r *Room) add(list []chat.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range list {
		if m.Seq <= r.last {
			continue
		}
		r.last = m.Seq
		if m.Removed {
			r.entries = slices.DeleteFunc(r.entries, func(e *entry) bool { return e.message.ID == m.ID })
		}
		e := newEntry(m)
		r.entries = append(r.entries, e)
		for member := range r.members {
			member.Send(&e.frame)
		}
	}
	r.trim()
}

// trim forgets the oldest entries: those before the newest messages of a window, and those
// beyond the number that is remembered. r.mu is held.
func (r *Room) trim() {
	shown := 0
	for i, e := range slices.Backward(r.entries) {
		if !e.message.Removed {
			shown++
		}
		if shown == chat.Window || len(r.entries)-i == chat.MaxEntries {
			r.entries = slices.Delete(r.entries, 0, i)
			return
		}
	}
}

// present notes how many sockets other instances hold, and sends the members the sum
// when one of them was sent another.
func (r *Room) present(others int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.others = others
	sum := others + len(r.members)
	if sum == r.shown {
		return
	}
	r.shown = sum
	f := &Frame{Text: encodePresence(sum)}
	for member := range r.members {
		member.Send(f)
	}
}

// size returns the number of members.
func (r *Room) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.members)
}
