package library

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// A feed is the document that leads from a token to its owner.
type feed struct {
	Owner identity.Owner `json:"owner"`
}

// Path returns where the library of an owner is.
func Path(owner identity.Owner) store.Path { return store.Path("libraries").Join(string(owner)) }

// feedPath returns where a token leads from. The token itself is no part of
// it: paths are logged and listed.
func feedPath(token string) store.Path {
	sum := sha256.Sum256([]byte(token))
	return store.Path("feeds").Join(hex.EncodeToString(sum[:]))
}

// Load returns the library of an owner, with one read. That of an owner who
// has kept nothing yet is empty: without a token, at revision 0.
func Load(ctx context.Context, db store.DB, owner identity.Owner) (*Library, error) {
	l := &Library{Owner: owner}
	if err := db.Get(ctx, Path(owner), l); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return l, nil
}

// Open returns the library of an owner, with one read, as one whose feeds have
// addresses: that of an owner who has kept nothing yet is kept empty, once.
func Open(ctx context.Context, db store.DB, owner identity.Owner, now time.Time) (*Library, error) {
	l, err := Load(ctx, db, owner)
	if err != nil || l.Token != "" {
		return l, err
	}
	var found *Library
	l, err = Update(ctx, db, owner, now, func(l *Library) error {
		if l.Revision > 0 {
			found = l
			return errOpened
		}
		return nil
	})
	if errors.Is(err, errOpened) {
		return found, nil
	}
	return l, err
}

// errOpened means that another call was first to keep a library.
var errOpened = errors.New("the library is kept already")

// tokenLen is the length of a feed token: 26 characters of base 32, which hold
// 130 bits.
const tokenLen = 26

func newToken() string { return strings.ToLower(rand.Text()) }

// ByToken returns the library that a feed token opens, with at most two reads,
// or ErrNoFeed.
func ByToken(ctx context.Context, db store.DB, token string) (*Library, error) {
	if len(token) != tokenLen || strings.Trim(token, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return nil, ErrNoFeed
	}
	var f feed
	if err := db.Get(ctx, feedPath(token), &f); errors.Is(err, store.ErrNotFound) {
		return nil, ErrNoFeed
	} else if err != nil {
		return nil, err
	}
	l, err := Load(ctx, db, f.Owner)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(l.Token), []byte(token)) != 1 {
		return nil, ErrNoFeed // changed since the first read
	}
	return l, nil
}

// Update changes the library of an owner with change, and returns it as it is
// then kept. It reads one document and writes one; the first write and a
// changed token write those of the feeds too. When change fails nothing is
// kept. change may be called more than once, each time with what is kept.
func Update(ctx context.Context, db store.DB, owner identity.Owner, now time.Time, change func(*Library) error) (*Library, error) {
	var kept *Library
	err := db.Update(ctx, func(tx store.Tx) error {
		l := &Library{Owner: owner}
		if err := tx.Get(Path(owner), l); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		before := l.Token
		if before == "" {
			l.Token = newToken()
		}
		if err := change(l); err != nil {
			return err
		}
		l.Revision++
		l.UpdatedAt = store.At(now)
		kept = l
		return write(tx, l, before)
	})
	if errors.Is(err, store.ErrTooLarge) {
		return nil, ErrItemLimit.Because(err)
	}
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// write keeps l, which had the token before, and the way from its token.
func write(tx store.Tx, l *Library, before string) error {
	if l.Token != before {
		if err := tx.Create(feedPath(l.Token), feed{l.Owner}); err != nil {
			return err
		}
		if before != "" {
			if err := tx.Delete(feedPath(before)); err != nil {
				return err
			}
		}
	}
	return tx.Set(Path(l.Owner), l)
}

// RotateToken gives l a new feed token. The old one opens nothing any more
// once l is kept.
func (l *Library) RotateToken() { l.Token = newToken() }
