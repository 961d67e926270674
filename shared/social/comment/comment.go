// Package comment stores public comments on channels, limits how many an owner and a
// network can post, and refuses repetitions.
//
//	comments/{id}                   a Comment
//	owners/{owner}/kept/comments    what the owner posted lately
//	comment_networks/{name}         what a network posted lately, for two days
//	comment_traces/{id}             the network from which a comment was posted, for 30 days
//
// A comment is a fact: posting or removing one writes the comment, the paces of its
// owner and network, and a letter for the outbox in one transaction, and the caller then
// sends the letter.
//
// A network is an IPv4 /24 or an IPv6 /48, so that a person with many guests is one
// network. It has a name of the day, a keyed hash from which no address can be computed.
// All instances share the paces. Where the address of a caller is unknown, the rules of
// networks are skipped.
//
//	owner     20 in an hour           the interface names it
//	network   60 in 10 minutes        a school: two classes that comment in one lesson
//	network   200 in an hour          ten owners that all reach their own limit
//	network   600 in a day            three such hours; the operator can undo it in one call
//	network   40 in an hour on one    a class that comments on one channel; what others wrote
//	          channel                 before is still on the first three pages of 20
//
// These are the limits of a network for owners who are new: one person makes any number of
// them. An owner who is known is refused only at twice each limit, so that new owners cannot
// use up what the people who share their network have.
//
// A text repeats another when both are the same apart from case, accents, punctuation,
// spaces, repeated letters and invisible characters. Long texts, of 20 letters and digits
// or more, also when they are nearly the same: see [speech.Print].
//
//	owner     long text               once in 24 hours, on whichever channel
//	owner     short text ("boa!")     once in an hour on one channel, on up to 5 channels
//	network   long text               3 times in an hour: people of one household may agree
//	network   short text              20 times in an hour
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
	ErrWords = fault.New(fault.Invalid, "invalid_comment") // its fields say of which member, and why
	ErrLimit = fault.New(fault.Limited, "comment_limit_reached").With("max", PerHour)
	// ErrNetworkLimit refuses a comment from a network that has posted very many.
	ErrNetworkLimit = fault.New(fault.Limited, "comment_network_limit_reached")
	// ErrRepeated refuses a comment that the owner or its network has posted already.
	ErrRepeated = fault.New(fault.Limited, "comment_repeated")
	ErrUnknown  = fault.New(fault.NotFound, "comment_not_found") // or another's
)

// Bounds of comments.
const (
	MaxLength = 500 // characters of a body, as Unicode code points
	MaxAuthor = 40  // of a name
	PerHour   = 20  // comments of one owner in any hour
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

	// Network is the name of the day of the network from which the comment is posted:
	// see [identity.People.WiderNetwork]. It is not stored with the comment, and is
	// empty when it was read.
	Network string `json:"-"`
	// Known says that the owner is not new, which doubles the limits of the network. It is
	// not stored either.
	Known bool `json:"-"`
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

// Post stores c, by four reads and five writes, and returns the letter that the caller
// must send; for a comment without a network, by two reads and three writes. It returns
// moderation.ErrMuted while the owner or the network may not write, and ErrLimit,
// ErrNetworkLimit or ErrRepeated, also among concurrent calls.
func Post(ctx context.Context, db store.DB, c Comment) (outbox.Letter, error) {
	letter, err := letterOf(c.Channel, 1, c.CreatedAt.Time)
	if err != nil {
		return letter, err
	}
	return letter, db.Update(ctx, func(tx store.Tx) error {
		p, n, err := readPaces(tx, c)
		if err != nil {
			return err
		}
		said := saying{c.Channel, speech.PrintOf(c.Body), c.CreatedAt}
		if err := p.add(said); err != nil {
			return err
		}
		writes := []error{nil, nil}
		if c.Network != "" {
			if err := n.add(said, c.Known); err != nil {
				return err
			}
			writes = []error{tx.Set(networkPath(c.Network), n), tx.Create(tracePath(c.ID), newTrace(c))}
		}
		return errors.Join(append(writes, tx.Create(c.path(), c), tx.Set(PacePath(c.Owner), p), letter.Keep(tx))...)
	})
}

// readPaces returns the paces of the owner and the network of c, or moderation.ErrMuted.
func readPaces(tx store.Tx, c Comment) (p Pace, n networkPace, err error) {
	paths := []store.Path{moderation.MutePath(c.Owner), PacePath(c.Owner)}
	if c.Network != "" {
		paths = append(paths, moderation.NetworkMutePath(c.Network), networkPath(c.Network))
	}
	docs, err := tx.GetAll(paths)
	if err != nil {
		return p, n, err
	}
	for i, into := range []any{nil, &p, nil, &n}[:len(docs)] {
		switch {
		case into == nil:
			err = moderation.Check(docs[i], c.CreatedAt.Time)
		case docs[i].Decode != nil:
			err = docs[i].Decode(into)
		}
		if err != nil {
			return p, n, err
		}
	}
	return p, n, nil
}

// letterOf returns the letter that comments on a channel were posted, or removed when
// their number is negative.
func letterOf(channel string, n int, at time.Time) (outbox.Letter, error) {
	return outbox.Write(social.Comment{Key: fact.NewKey(), Channel: channel, Delta: n, At: at})
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
	l, err := letterOf(c.Channel, -1, at)
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
