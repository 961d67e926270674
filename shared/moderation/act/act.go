// Package act takes reports of texts by owners, and acts of the operator on texts,
// owners and rooms.
//
//	cases/{key}                    a Case: a text that was reported or removed, for 90 days
//	text_reports/{key}             a Report: of one text by one owner, for 90 days
//	owners/{owner}/kept/reports    when an owner reported texts lately
//	acts/{id}                      an Entry of the log of what the operator did
//
// The operator also removes all texts of an owner or of a network on one day, and restores
// them: see RemoveTexts.
//
// A text is a comment on a channel, a message in its chat room, or what a public library
// says; a library is hidden and restored in place of being removed. Each call is one
// transaction: an act, what it changes and its entry in the log are stored together or
// not at all, and of two operators that act at once the second finds what the first did.
// An act that finds everything done already changes nothing and is not logged again.
//
// The case of a text has a copy of it, so that the operator can read the text after it
// was removed, by the operator or by its author. The log itself has no texts: they
// disappear with their cases, and the entries stay. Only those acts take several
// transactions.
package act

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
)

// Faults of moderation.
var (
	// ErrNoText means that the comment or message does not exist.
	ErrNoText = fault.New(fault.NotFound, "text_not_found")
	// ErrOwn refuses to report or hide what the caller wrote.
	ErrOwn = fault.New(fault.Invalid, "own_text")
	// ErrTooManyReports refuses one more report of an owner, until "retry_after".
	ErrTooManyReports = fault.New(fault.Limited, "report_limit_reached").With("max", ReportsPerDay)
	// ErrNoNetwork means that the network of a text is not stored, or not any more.
	ErrNoNetwork = fault.New(fault.NotFound, "network_not_found")
	// ErrNoAct means that the log has no act that can be undone or go on by that id.
	ErrNoAct = fault.New(fault.NotFound, "act_not_found")
)

// KeepFor is how long the copy of a text is stored after the last report of it, or
// after the operator removed it.
const KeepFor = 90 * 24 * time.Hour

// A Kind is a kind of text.
type Kind string

// The kinds.
const (
	Comment Kind = "comment"
	Message Kind = "message"
	Library Kind = "library" // a public one, with its title and the names of its folders
)

// A Ref names a text.
type Ref struct {
	Kind    Kind   `json:"kind"`
	Channel string `json:"channel"` // of a message, which is found by it; of a comment it may be empty
	ID      string `json:"id"`      // as the API writes it; of a library, the id of its publication
}

// key returns the id of the documents about the text, with further values for
// documents of which a text has several.
func (r Ref) key(more ...string) string {
	channel := r.Channel
	if r.Kind != Message {
		channel = "" // the id alone names it
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{string(r.Kind), channel, r.ID}, more...), "\x00")))
	return hex.EncodeToString(sum[:16])
}

// A text is a comment, a message or a public library as a transaction reads it.
type text struct {
	Ref
	owner  identity.Owner
	author string
	body   string
	at     store.Time

	network string // of a comment that is removed with others

	remove func(tx store.Tx, now time.Time) ([]outbox.Letter, error)

	library *public.Publication // nil for other texts
}

// read returns a text, or ErrNoText when it does not exist or was removed.
func read(tx store.Tx, ref Ref) (*text, error) {
	switch ref.Kind {
	case Comment:
		return readComment(tx, ref)
	case Message:
		return readMessage(tx, ref)
	case Library:
		return readLibrary(tx, ref)
	}
	return nil, ErrNoText
}

func readComment(tx store.Tx, ref Ref) (*text, error) {
	id, err := comment.ParseID(ref.ID)
	if err != nil {
		return nil, ErrNoText
	}
	c, err := comment.Get(tx, id)
	if errors.Is(err, comment.ErrUnknown) {
		return nil, ErrNoText
	}
	if err != nil {
		return nil, err
	}
	return &text{
		Ref: Ref{Comment, c.Channel, ref.ID}, owner: c.Owner, author: c.Author, body: c.Body, at: c.CreatedAt,
		remove: func(tx store.Tx, now time.Time) ([]outbox.Letter, error) {
			l, err := c.Delete(tx, now)
			return []outbox.Letter{l}, err
		},
	}, nil
}

func readMessage(tx store.Tx, ref Ref) (*text, error) {
	if !canBePath(ref.Channel) {
		return nil, ErrNoText
	}
	e, err := chat.ReadEdit(tx, ref.Channel, ref.ID)
	if err != nil {
		return nil, err
	}
	if len(e.Messages) == 0 || e.Messages[0].Removed {
		return nil, ErrNoText
	}
	m := e.Messages[0]
	return &text{
		Ref: ref, owner: m.Owner, author: m.Author, body: m.Body, at: store.At(m.At),
		remove: func(tx store.Tx, now time.Time) ([]outbox.Letter, error) {
			e.Remove(tx, m, now)
			return nil, e.Write(tx)
		},
	}, nil
}

// readLibrary returns what a public library says, which may be hidden. It finds it by the
// name of the library too.
func readLibrary(tx store.Tx, ref Ref) (*text, error) {
	p, err := public.Lookup(tx, ref.ID)
	if errors.Is(err, public.ErrUnknown) {
		return nil, ErrNoText
	}
	if err != nil {
		return nil, err
	}
	l := &library.Library{}
	if err := tx.Get(library.Path(p.Owner), l); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return &text{Ref: Ref{Kind: Library, ID: p.ID}, owner: p.Owner, author: p.Author, body: p.Text(l), at: p.UpdatedAt, library: p}, nil
}

// canBePath reports whether id can stand in the path of a document, as the ids of
// channels and owners do.
func canBePath(id string) bool {
	_, _, err := store.Path("rooms").Join(id).Split()
	return err == nil
}

// Options are what a Moderator is made from.
type Options struct {
	DB     store.DB
	Outbox *outbox.Outbox // publishes that comments were removed
	Now    func() time.Time
}

// A Moderator takes reports and acts. Its methods may be called concurrently.
type Moderator struct{ o Options }

// New returns a moderator of the texts in o.DB.
func New(o Options) *Moderator { return &Moderator{o} }

// Hide adds the author of a text to those whose texts a viewer does not see, under the
// name that the text shows. It reports false, with the entry that is there, when the
// viewer hides the author already. It returns ErrNoText, also for a public library, whose
// owner could be recognized by the texts that disappear with it, ErrOwn or
// moderation.ErrTooManyHidden.
func (m *Moderator) Hide(ctx context.Context, viewer identity.Owner, ref Ref) (hidden moderation.HiddenOwner, added bool, err error) {
	err = m.o.DB.Update(ctx, func(tx store.Tx) error {
		if ref.Kind == Library {
			return ErrNoText
		}
		t, err := read(tx, ref)
		if err != nil {
			return err
		}
		if t.owner == viewer {
			return ErrOwn
		}
		list, err := moderation.ReadHidden(tx, viewer)
		if err != nil {
			return err
		}
		hidden = moderation.HiddenOwner{Owner: t.owner, Name: t.author, Since: store.At(m.o.Now())}
		if added, err = list.Add(hidden); err != nil {
			return err
		}
		if !added {
			hidden, _ = list.Find(t.owner)
			return nil
		}
		return list.Put(tx, viewer)
	})
	return hidden, added, err
}
