// Package comment stores public comments on channels and limits how many one
// owner can make.
//
//	comments/{id}                   a Comment
//	owners/{owner}/kept/comments    when the owner commented lately
//
// A comment is a fact: posting or removing one writes the comment, the owner's
// pace and a letter for the outbox in one transaction, and the caller then sends
// the letter.
package comment

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/speech"
	"miramundo.dev/shared/store"
)

// Faults of comments.
var (
	ErrWords   = fault.New(fault.Invalid, "invalid_comment") // its fields say of which member, and why
	ErrLimit   = fault.New(fault.Limited, "comment_limit_reached").With("max", PerHour)
	ErrUnknown = fault.New(fault.NotFound, "comment_not_found") // or another's
)

// Bounds of comments.
const (
	MaxLength = 500 // characters of a body, as Unicode code points
	MaxAuthor = 40  // of a name
	PerHour   = 20  // comments of one owner in any hour
	// Reach is how many comments of a channel can be read: the newest.
	Reach = 1000
)

const collection = store.Path("comments")

// A Comment is one public comment on a channel.
type Comment struct {
	ID        string         `json:"-"` // 26 letters and digits
	Channel   string         `json:"channel"`
	Owner     identity.Owner `json:"owner"`
	Author    string         `json:"author"`
	Body      string         `json:"body"`
	CreatedAt store.Time     `json:"created_at"`
}

// idLen is the length of an id: letters and digits of base 32, 130 bits.
const idLen = 26

// IDPrefix is what the API writes before the id of a comment.
const IDPrefix = "cm_"

// PublicID returns the id of c as the API writes it.
func (c Comment) PublicID() string { return IDPrefix + c.ID }

// ParseID returns the id that the API wrote as public, or ErrUnknown.
func ParseID(public string) (string, error) {
	id, ok := strings.CutPrefix(public, IDPrefix)
	if !ok || !isID(id) {
		return "", ErrUnknown
	}
	return id, nil
}

// New returns a comment on a channel, by the owner's nickname when author is
// empty. Both texts are stored as [speech.Neutral] returns them. It returns ErrWords
// when the words may not be shown.
func New(owner identity.Owner, channel, author, body string, at time.Time) (Comment, error) {
	if p := speech.Check(body, MaxLength); p != speech.Fine {
		return Comment{}, refuse("body", p, MaxLength)
	}
	author = cmp.Or(strings.TrimSpace(author), speech.Nickname(string(owner)))
	if p := speech.CheckName(author, MaxAuthor); p != speech.Fine {
		return Comment{}, refuse("author", p, MaxAuthor)
	}
	return Comment{
		ID: strings.ToLower(rand.Text()), Channel: channel, Owner: owner,
		Author: speech.Neutral(author), Body: speech.Neutral(body), CreatedAt: store.At(at),
	}, nil
}

func refuse(param string, p speech.Problem, max int) error {
	err := ErrWords.With("param", param).With("reason", string(p))
	if p == speech.TooLong {
		err = err.With("bound", max)
	}
	return err
}

func (c Comment) path() store.Path { return collection.Join(c.ID) }

// A Pace is when an owner commented lately.
type Pace struct {
	Made      []store.Time `json:"made"`       // of the last hour, oldest first, those taken back since too
	ChangedAt store.Time   `json:"changed_at"` // when one was made or taken back last
}

// PacePath returns where the pace of an owner is. It is there once the owner has
// commented.
func PacePath(owner identity.Owner) store.Path {
	return store.Path("owners").Join(string(owner), "kept", "comments")
}

// add notes a comment made at a moment, or returns ErrLimit with the seconds
// after which there is room again.
func (p *Pace) add(at store.Time) error {
	for len(p.Made) > 0 && at.Sub(p.Made[0].Time) >= time.Hour {
		p.Made = p.Made[1:]
	}
	if len(p.Made) >= PerHour {
		wait := time.Hour - at.Sub(p.Made[len(p.Made)-PerHour].Time)
		return ErrLimit.With("retry_after", seconds(wait))
	}
	p.Made = append(p.Made, at)
	p.ChangedAt = at
	return nil
}

// seconds returns d in whole seconds, rounded up: at least one, and at most an
// hour, even when the clock was set back.
func seconds(d time.Duration) int {
	return int((min(max(d, time.Second), time.Hour) + time.Second - 1) / time.Second)
}

// Post stores c, by two reads and three writes, and returns the letter that the
// caller must send. It returns moderation.ErrMuted while the owner may not write, and
// ErrLimit when the owner has made all comments of the hour, also among concurrent
// calls.
func Post(ctx context.Context, db store.DB, c Comment) (outbox.Letter, error) {
	letter, err := letterOf(c, 1, c.CreatedAt.Time)
	if err != nil {
		return letter, err
	}
	return letter, db.Update(ctx, func(tx store.Tx) error {
		docs, err := tx.GetAll([]store.Path{PacePath(c.Owner), moderation.MutePath(c.Owner)})
		if err != nil {
			return err
		}
		if err := moderation.Check(docs[1], c.CreatedAt.Time); err != nil {
			return err
		}
		var p Pace
		if docs[0].Decode != nil {
			if err := docs[0].Decode(&p); err != nil {
				return err
			}
		}
		if err := p.add(c.CreatedAt); err != nil {
			return err
		}
		return errors.Join(tx.Create(c.path(), c), tx.Set(PacePath(c.Owner), p), letter.Keep(tx))
	})
}

func letterOf(c Comment, delta int, at time.Time) (outbox.Letter, error) {
	return outbox.Write(social.Comment{Key: fact.NewKey(), Channel: c.Channel, Delta: delta, At: at})
}

// Get returns a comment, within a transaction, or ErrUnknown.
func Get(tx store.Tx, id string) (Comment, error) {
	c := Comment{ID: id}
	if !isID(id) {
		return c, ErrUnknown
	}
	err := tx.Get(c.path(), &c)
	if errors.Is(err, store.ErrNotFound) {
		err = ErrUnknown
	}
	return c, err
}

// Delete deletes c, within a transaction, and returns the letter that the caller must
// send after it.
func (c Comment) Delete(tx store.Tx, at time.Time) (outbox.Letter, error) {
	l, err := letterOf(c, -1, at)
	if err != nil {
		return l, err
	}
	return l, errors.Join(tx.Delete(c.path()), l.Keep(tx))
}

// Remove deletes a comment of an owner and returns it, with the letter that the
// caller must send. It returns ErrUnknown, after the same reads, when the comment
// does not exist or belongs to another owner.
func Remove(ctx context.Context, db store.DB, owner identity.Owner, id string, at time.Time) (c Comment, l outbox.Letter, err error) {
	if !isID(id) {
		return c, l, ErrUnknown
	}
	err = db.Update(ctx, func(tx store.Tx) (err error) {
		var p Pace
		if c, p, err = own(tx, owner, id); err != nil {
			return err
		}
		if l, err = c.Delete(tx, at); err != nil {
			return err
		}
		p.ChangedAt = store.At(at)
		return tx.Set(PacePath(owner), p)
	})
	if err != nil {
		return Comment{}, outbox.Letter{}, err
	}
	return c, l, nil
}

// own reads a comment of an owner, and the owner's pace.
func own(tx store.Tx, owner identity.Owner, id string) (c Comment, p Pace, err error) {
	docs, err := tx.GetAll([]store.Path{collection.Join(id), PacePath(owner)})
	if err != nil {
		return c, p, err
	}
	if docs[0].Decode != nil {
		err = docs[0].Decode(&c)
	}
	if docs[1].Decode != nil {
		err = errors.Join(err, docs[1].Decode(&p))
	}
	if err == nil && (docs[0].Decode == nil || c.Owner != owner) {
		err = ErrUnknown
	}
	c.ID = id
	return c, p, err
}

// isID reports whether an id has the form of those that New makes.
func isID(id string) bool {
	return len(id) == idLen && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// Newest returns up to n comments on a channel, newest first, by as many reads.
func Newest(ctx context.Context, db store.DB, channel string, n int) (list []Comment, err error) {
	q := store.Query{
		Collection: collection, OrderBy: "created_at", Desc: true, Limit: n,
		Where: []store.Filter{{Field: "channel", Op: store.Eq, Value: channel}},
	}
	for doc, err := range db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		c := Comment{ID: doc.ID}
		if err := doc.Decode(&c); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// Count returns how many comments on a channel can be read.
func Count(ctx context.Context, db store.DB, channel string) (int, error) {
	n, err := db.Count(ctx, store.Query{
		Collection: collection,
		Where:      []store.Filter{{Field: "channel", Op: store.Eq, Value: channel}},
	})
	return min(n, Reach), err
}
