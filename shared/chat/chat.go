// Package chat stores the messages of the chat rooms, of which each channel has one.
//
//	chat/{channel}/messages/{id}    a message, or the removal of one
//	rooms/{channel}                 the number of the last message, and whether the room is closed
//	owners/{owner}/kept/chat        how fast an owner wrote lately, and in which rooms
//	chat_networks/{name}            in which rooms a network wrote, on the day of its name
//	chat_instances/{id}             how many sockets an instance of the chat room holds
//
// A message gets its number (seq) in the transaction that stores it, from the document
// of its room. So the numbers of a room have no gaps, and every reader sees the
// messages in one order, whichever instance accepted them. A removal is an entry with a
// number of its own: it reaches readers as a message does, also those that were away.
//
// Nothing else is written for a message, except once a day for each room in which a
// network writes, and nothing at all for a room in which nobody writes. Messages are
// deleted after [KeepFor], and with them the names of their networks.
package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strings"
	"sync"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Faults of the chat.
var (
	// ErrWords refuses a text. Its fields say which member, and why.
	ErrWords = fault.New(fault.Invalid, "invalid_message")
	// ErrLimit refuses a message that comes too soon. Its field "reason" is one of the
	// reasons below, and "retry_after" says when to try again.
	ErrLimit = fault.New(fault.Limited, "chat_limit_reached")
	// ErrClosed refuses messages in a room that the operator closed. Its field "until"
	// is when that ends, in RFC 3339.
	ErrClosed = fault.New(fault.Forbidden, "room_closed")
	// ErrUpgrade means that a request to SocketPath does not ask for a WebSocket.
	ErrUpgrade = fault.New(fault.Upgrade, "upgrade_required")
	// ErrUnknown means that the room has no such message.
	ErrUnknown = fault.New(fault.NotFound, "message_not_found")
)

// Paths of the chat, in the syntax of http.ServeMux.
const (
	Path       = "/api/chat/"
	InRoom     = Path + "{channel_id}"
	SocketEnd  = "/ws"
	SocketPath = InRoom + SocketEnd
)

// ErrPass means that the owner has no valid pass and the message would be accepted
// otherwise: a caller that buys a pass can post it.
var ErrPass = errors.New("chat: the owner has no valid pass")

// Reasons of ErrLimit.
const (
	TooFast  = "too_fast" // the owner, or its network
	Repeated = "repeated" // the owner wrote the same lately
	Busy     = "busy"     // everybody in the room together
)

// Bounds of messages.
const (
	MaxLength = 500  // characters of a body as a reader counts them (grapheme clusters)
	MaxBytes  = 2000 // of a body
	MaxAuthor = 40   // characters of a name
	maxAuthor = 160  // bytes of a name
	MaxRef    = 64   // of a ref: letters, digits, hyphens and underscores

	// Window is how many of the newest messages a new reader gets, and
	// MaxMissed how many one gets who was away.
	Window    = 50
	MaxMissed = 200

	// KeepFor is how long a message is stored: as long as a pass is valid.
	KeepFor = 30 * 24 * time.Hour
)

// Limits say how fast messages are accepted. The zero value of a field is its default.
type Limits struct {
	Owner   Rate          // messages of one owner, in all rooms
	Room    Rate          // messages in one room
	Network Rate          // messages from one network, in this process
	Repeat  time.Duration // in which an owner may not write the same again
}

// DefaultLimits are generous for people who type, and hold a database of one document
// per room well below what it can write.
var DefaultLimits = Limits{
	Owner:   Rate{Every: 2 * time.Second, Burst: 5},
	Room:    Rate{Every: 200 * time.Millisecond, Burst: 20},
	Network: Rate{Every: 500 * time.Millisecond, Burst: 30},
	Repeat:  30 * time.Second,
}

// orDefault returns l with the defaults in place of zero values.
func (l Limits) orDefault() Limits {
	for _, r := range []struct{ of, normal *Rate }{{&l.Owner, &DefaultLimits.Owner}, {&l.Room, &DefaultLimits.Room}, {&l.Network, &DefaultLimits.Network}} {
		if *r.of == (Rate{}) {
			*r.of = *r.normal
		}
	}
	if l.Repeat == 0 {
		l.Repeat = DefaultLimits.Repeat
	}
	return l
}

// Options are what Rooms are made from.
type Options struct {
	DB     store.DB
	Free   bool // everyone may write: nothing is sold
	Limits Limits
	Now    func() time.Time // nil: time.Now
}

// Rooms are the chat rooms in a database. Their methods may be called concurrently.
type Rooms struct {
	db       store.DB
	free     bool
	limits   Limits
	now      func() time.Time
	networks *paces

	mu     sync.Mutex
	recent map[string]latest // by channel; guarded by mu
	people presence          // for Watching
}

// New returns the rooms in o.DB.
func New(o Options) *Rooms {
	if o.Now == nil {
		o.Now = time.Now
	}
	limits := o.Limits.orDefault()
	return &Rooms{db: o.DB, free: o.Free, limits: limits, now: o.Now, networks: newPaces(limits.Network), recent: map[string]latest{}}
}

// A Message is an entry of a room: a message, or the removal of one.
type Message struct {
	ID      string // of the message; for a removal that of the message removed
	Channel string
	Seq     int64
	Owner   identity.Owner
	Author  string
	Body    string // empty when Removed
	At      time.Time
	Ref     string // that its sender gave it; empty without one
	Removed bool   // the operator removed the message; in a sequence of entries, from here on

	// Restored is set in the entry by which readers learn that the operator restored the
	// message, which is the same as it was.
	Restored bool
	// Network is the name of the day of the network from which the message was sent;
	// empty when it is unknown.
	Network string

	// Again is set by Post when the same draft had been stored before, by its ref.
	Again bool
}

// A record is an entry as it is stored. Fields may be added.
type record struct {
	Seq      int64          `json:"seq"`
	Owner    identity.Owner `json:"owner,omitempty"`
	Author   string         `json:"author,omitempty"`
	Body     string         `json:"body,omitempty"`
	At       store.Time     `json:"at"`
	Ref      string         `json:"ref,omitempty"`
	Removed  bool           `json:"removed,omitempty"`
	Removes  string         `json:"removes,omitempty"`  // the id of the message that this entry removes
	Restores string         `json:"restores,omitempty"` // likewise
	Network  string         `json:"network,omitempty"`
	ExpireAt store.Time     `json:"expire_at"`
}

// message returns the entry with an id.
func (r record) message(channel, id string) Message {
	m := Message{
		ID: id, Channel: channel, Seq: r.Seq, Owner: r.Owner, Author: r.Author, Body: r.Body, At: r.At.Time, Ref: r.Ref, Removed: r.Removed, Network: r.Network,
	}
	switch {
	case r.Removes != "":
		m.ID, m.Removed = r.Removes, true
	case r.Restores != "":
		m.ID, m.Restored = r.Restores, true
	}
	return m
}

// decode returns the entry in a document.
func decode(channel string, doc store.Doc) (Message, error) {
	var r record
	if err := doc.Decode(&r); err != nil {
		return Message{}, err
	}
	return r.message(channel, doc.ID), nil
}

// A room is the state of a room as it is stored; the zero room is one in which nobody
// has written.
type room struct {
	Seq         int64      `json:"seq"`          // of the last entry
	Next        store.Time `json:"next"`         // see Rate
	ClosedUntil store.Time `json:"closed_until"` // zero when it was never closed
	Reason      string     `json:"reason,omitempty"`
}

// check returns ErrClosed while the room is closed.
func (r room) check(now time.Time) error {
	if !now.Before(r.ClosedUntil.Time) {
		return nil
	}
	return ErrClosed.With("until", r.ClosedUntil.UTC().Format(time.RFC3339))
}

// messages returns the collection of the entries of a room.
func messages(channel string) store.Path { return store.Path("chat").Join(channel, "messages") }

// roomPath returns where the state of a room is.
func roomPath(channel string) store.Path { return store.Path("rooms").Join(channel) }

// IDLen is the length of the id of a message: letters and digits of base 32.
const IDLen = 26

var idText = base32.StdEncoding.WithPadding(base32.NoPadding)

// newID returns the id of a message: random, or without a second of its kind for an
// owner, room and ref, so that a message that is sent again finds the first.
func newID(channel string, owner identity.Owner, ref string) string {
	if ref == "" {
		return strings.ToLower(rand.Text())
	}
	sum := sha256.Sum256([]byte("chat message\x00" + channel + "\x00" + string(owner) + "\x00" + ref))
	return strings.ToLower(idText.EncodeToString(sum[:16]))
}

// isID reports whether id has the form of those that newID makes.
func isID(id string) bool {
	return len(id) == IDLen && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
