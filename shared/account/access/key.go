package access

import (
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// Limits of API keys.
const (
	MaxKeys    = 10 // live keys of an account or an organization
	MaxKeyName = 60 // characters
	maxStopped = 20 // keys that are not live any more and still listed
)

// Faults of API keys.
var (
	ErrKeyLimit = fault.New(fault.Conflict, "key_limit_reached").With("limit", MaxKeys)
	ErrNoKey    = fault.New(fault.NotFound, "key_not_found")
)

// A Key is an API key.
type Key struct {
	ID        string         `json:"id"`
	Hash      string         `json:"hash"` // of the secret
	Name      string         `json:"name"`
	Last4     string         `json:"last4"` // of the secret
	Maker     identity.Owner `json:"maker"` // the account that made it
	CreatedAt store.Time     `json:"created_at"`
	UsedAt    store.Time     `json:"used_at"`           // by the hour; zero before its first use
	RevokedAt store.Time     `json:"revoked_at"`        // zero for one that was not revoked
	Stopped   bool           `json:"stopped,omitempty"` // by a new password, by signing out everywhere or because its maker left the organization
}

// Active reports whether k is accepted.
func (k *Key) Active() bool { return k.RevokedAt.IsZero() && !k.Stopped }

// Beginnings of API keys, and of their ids.
const (
	keyPrefix = "mmk_"
	idPrefix  = "key_"
)

// IsKeyID reports whether id has the form of those that AddKey gives.
func IsKeyID(id string) bool {
	text, ok := strings.CutPrefix(id, idPrefix)
	return ok && len(text) == idLen && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// AddKey adds a key, made by an account, and returns it with its secret, which is
// stored nowhere. It returns ErrKeyLimit when r has MaxKeys live keys.
func (r *Record) AddKey(name string, maker identity.Owner, now time.Time) (secret string, k Key, err error) {
	live := 0
	for i := range r.Keys {
		if r.Keys[i].Active() {
			live++
		}
	}
	if live >= MaxKeys {
		return "", Key{}, ErrKeyLimit
	}
	random := newSecret()
	k = Key{ID: idPrefix + newID(), Hash: hashOf(random), Name: name, Last4: random[len(random)-4:], Maker: maker, CreatedAt: store.At(now)}
	r.Keys = append(r.Keys, k)
	r.forgetStopped()
	return keyPrefix + string(r.Owner) + "." + random, k, nil
}

// forgetStopped removes the oldest keys that are not live, beyond maxStopped.
func (r *Record) forgetStopped() {
	over := -maxStopped
	for i := range r.Keys {
		if !r.Keys[i].Active() {
			over++
		}
	}
	r.Keys = slices.DeleteFunc(r.Keys, func(k Key) bool {
		if over <= 0 || k.Active() {
			return false
		}
		over--
		return true
	})
}

// RevokeKey revokes the key with an id; a second time changes nothing. It returns
// ErrNoKey when r has no key with that id.
func (r *Record) RevokeKey(id string, now time.Time) error {
	i := slices.IndexFunc(r.Keys, func(k Key) bool { return k.ID == id })
	if i < 0 {
		return ErrNoKey
	}
	if r.Keys[i].RevokedAt.IsZero() {
		r.Keys[i].RevokedAt = store.At(now)
	}
	return nil
}

// StopKeys stops the live keys that an account made, or all of them when maker is
// empty, and returns how many it stopped.
func (r *Record) StopKeys(maker identity.Owner) (n int) {
	for i := range r.Keys {
		if k := &r.Keys[i]; k.Active() && (maker == "" || k.Maker == maker) {
			k.Stopped = true
			n++
		}
	}
	return n
}

// keyOf returns the live key of a credential.
func (r *Record) keyOf(secret string) (*Key, bool) {
	hash := hashOf(secret)
	for i := range r.Keys {
		if k := &r.Keys[i]; same(k.Hash, hash) && k.Active() {
			return k, true
		}
	}
	return nil, false
}

// splitKey returns the owner and the secret of an API key.
func splitKey(key string) (owner identity.Owner, secret string, ok bool) {
	rest, ok := strings.CutPrefix(key, keyPrefix)
	if !ok {
		return "", "", false
	}
	return split(rest, "")
}
