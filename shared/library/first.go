package library

import (
	"context"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Most guests look at their library and keep nothing, so reading it stores nothing.
// But a library that is shown has feed addresses, and a guest may copy one into a
// player before it adds the first channel. Therefore the first feed token of a guest
// is computed from the guest's own token, and the first change stores it. The
// address is the same before and after, and does not depend on the keys of the
// service, which may be replaced in between. Until the first change the address
// opens nothing.

// firstPurpose is the purpose of the guest's secret that is the first feed token.
const firstPurpose = "first feed token"

// FirstToken returns the feed token that the library of a guest has when it is first
// stored. It returns the empty string for any other caller, whose first token is
// random.
func FirstToken(s identity.Speaker) string {
	secret := s.Secret(firstPurpose)
	if secret == nil {
		return ""
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(secret))[:tokenLen]
}

// OpenFor returns the library of a caller with a token for its feeds, with one read.
// It stores nothing for a guest without a stored library. For any other caller it
// stores an empty one first.
func OpenFor(ctx context.Context, db store.DB, s identity.Speaker, now time.Time) (*Library, error) {
	l, err := Load(ctx, db, s.Owner)
	if err != nil || l.Token != "" || l.begin(s) {
		return l, err
	}
	return Open(ctx, db, s.Owner, now)
}

// UpdateFor is Update for the library of a caller. When it is a guest without a
// stored library, and change leaves the library empty, nothing is stored.
func UpdateFor(ctx context.Context, db store.DB, s identity.Speaker, now time.Time, change func(*Library) error) (*Library, error) {
	var idle *Library
	l, err := Update(ctx, db, s.Owner, now, func(l *Library) error {
		began := l.begin(s)
		first := l.Token
		if err := change(l); err != nil {
			return err
		}
		if began && len(l.Categories) == 0 && l.Token == first {
			idle = l
			return errIdle
		}
		return nil
	})
	if errors.Is(err, errIdle) {
		return idle, nil
	}
	return l, err
}

// errIdle means that a library that is not stored is still empty after a change.
var errIdle = errors.New("the library is empty and not stored")

// begin gives l the first token of a guest, and reports whether it did: l must not be
// stored yet.
func (l *Library) begin(s identity.Speaker) bool {
	first := FirstToken(s)
	if l.Revision > 0 || first == "" {
		return false
	}
	l.Token = first
	return true
}
