package access

import (
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// How long a session lasts.
const (
	Idle     = 30 * 24 * time.Hour  // after its last use
	Absolute = 180 * 24 * time.Hour // after its sign-in
	Recent   = 5 * time.Minute      // after its sign-in, in which it may change what protects the account
)

// maxSessions is how many sessions an account has. One more ends the session that
// was used longest ago.
const maxSessions = 50

// A Session is one browser that is signed in.
type Session struct {
	ID           string     `json:"id"`   // public, by which it is listed and ended
	Hash         string     `json:"hash"` // of the secret in the cookie
	CreatedAt    store.Time `json:"created_at"`
	SignedInAt   store.Time `json:"signed_in_at"` // last proof of identity; zero when another device vouched
	UsedAt       store.Time `json:"used_at"`      // by the hour
	EndsAt       store.Time `json:"ends_at"`      // whatever its use
	SecondFactor bool       `json:"second_factor,omitempty"`
	Method       string     `json:"method"` // how its owner signed in, such as "mail" or "passkey"
	Device       Device     `json:"device"`
}

// A Device is what a request shows of the device that it comes from. Each part may
// be empty.
type Device struct {
	Browser string `json:"browser,omitempty"`
	OS      string `json:"os,omitempty"`
	Country string `json:"country,omitempty"` // ISO 3166-1 alpha-2
}

// Expiry returns when s ends unless it is used.
func (s *Session) Expiry() time.Time {
	idle := s.UsedAt.Add(Idle)
	if s.EndsAt.Before(idle) {
		return s.EndsAt.Time
	}
	return idle
}

// live reports whether s is accepted at a moment.
func (s *Session) live(now time.Time) bool { return now.Before(s.Expiry()) }

// IsRecent reports whether a sign-in was recent at a moment.
func IsRecent(signedIn, now time.Time) bool {
	return !signedIn.IsZero() && now.Sub(signedIn) < Recent
}

// CheckRecent returns identity.ErrReauth when the sign-in of a caller is not recent.
func CheckRecent(caller identity.Speaker, now time.Time) error {
	if !IsRecent(caller.SignedInAt, now) {
		return identity.ErrReauth
	}
	return nil
}

// A SignIn is what is stored of a new session.
type SignIn struct {
	Method       string
	SecondFactor bool
	Vouched      bool // another device vouched for this one: the sign-in is never recent
	Device       Device
	Replaces     string // cookie of this browser's session until now, which ends; may be empty
}

// Open adds a session and returns the value of its cookie. Sessions that are over
// are removed.
func (r *Record) Open(in SignIn, now time.Time) (cookie string, s Session) {
	r.Sessions = slices.DeleteFunc(r.Sessions, func(s Session) bool { return !s.live(now) })
	if old, ok := r.find(in.Replaces); ok {
		r.EndSession(old.ID)
	}
	if len(r.Sessions) >= maxSessions {
		oldest := slices.MinFunc(r.Sessions, func(a, b Session) int { return a.UsedAt.Compare(b.UsedAt.Time) })
		r.EndSession(oldest.ID)
	}
	secret, at := newSecret(), store.At(now)
	s = Session{
		ID: newID(), Hash: hashOf(secret), CreatedAt: at, SignedInAt: at, UsedAt: at, EndsAt: store.At(now.Add(Absolute)),
		SecondFactor: in.SecondFactor, Method: in.Method, Device: in.Device,
	}
	if in.Vouched {
		s.SignedInAt = store.Time{}
	}
	r.Sessions = append(r.Sessions, s)
	return cookieOf(r.Owner, secret), s
}

func cookieOf(owner identity.Owner, secret string) string {
	return strings.TrimPrefix(string(owner), accountPrefix) + "." + secret
}

const accountPrefix = "a_"

// AccountOf returns the account that the value of an account cookie names. Whether
// the session is live is not checked.
func AccountOf(cookie string) (identity.Owner, bool) {
	owner, _, ok := split(cookie, accountPrefix)
	return owner, ok
}

// find returns the session of a cookie.
func (r *Record) find(cookie string) (*Session, bool) {
	owner, secret, ok := split(cookie, accountPrefix)
	if !ok || owner != r.Owner {
		return nil, false
	}
	hash := hashOf(secret)
	for i := range r.Sessions {
		if same(r.Sessions[i].Hash, hash) {
			return &r.Sessions[i], true
		}
	}
	return nil, false
}

// Session returns the session with a public id.
func (r *Record) Session(id string) (*Session, bool) {
	i := slices.IndexFunc(r.Sessions, func(s Session) bool { return s.ID == id })
	if i < 0 {
		return nil, false
	}
	return &r.Sessions[i], true
}

// Rotate gives the session with an id a new secret, and returns its cookie. The old
// cookie is not accepted any more. It is called when what the session may do
// changes.
func (r *Record) Rotate(id string) (cookie string, ok bool) {
	s, ok := r.Session(id)
	if !ok {
		return "", false
	}
	secret := newSecret()
	s.Hash = hashOf(secret)
	return cookieOf(r.Owner, secret), true
}

// EndSession ends the session with an id, and reports whether there was one.
func (r *Record) EndSession(id string) bool {
	n := len(r.Sessions)
	r.Sessions = slices.DeleteFunc(r.Sessions, func(s Session) bool { return s.ID == id })
	return len(r.Sessions) < n
}

// EndCookie ends the session of a cookie, and reports whether there was one.
func (r *Record) EndCookie(cookie string) bool {
	s, ok := r.find(cookie)
	return ok && r.EndSession(s.ID)
}

// EndSessions ends all sessions except the one with an id, which may be empty, and
// returns how many it ended.
func (r *Record) EndSessions(except string) int {
	n := len(r.Sessions)
	r.Sessions = slices.DeleteFunc(r.Sessions, func(s Session) bool { return s.ID != except })
	return n - len(r.Sessions)
}

// Live returns the sessions that are accepted at a moment, last used first.
func (r *Record) Live(now time.Time) []Session {
	list := slices.DeleteFunc(slices.Clone(r.Sessions), func(s Session) bool { return !s.live(now) })
	slices.SortStableFunc(list, func(a, b Session) int { return b.UsedAt.Compare(a.UsedAt.Time) })
	return list
}
