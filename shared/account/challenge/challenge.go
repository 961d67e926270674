// Package challenge keeps proofs of identity that are pending: a code that was sent
// by mail, a second factor that is asked for, a passkey ceremony.
//
//	challenges/{hash}    a pending proof, by the SHA-256 of its id
//
// A challenge belongs to the browser that started it, lasts for some minutes, allows
// few wrong attempts, and is taken exactly once: of concurrent calls with the right
// proof one succeeds. The id is 256 random bits that only the browser has. The
// database holds hashes of the id, of the browser and of a link, and a MAC of a code,
// because a code of six digits would be found from a hash at once.
//
//	challenge.go   starts, reads and takes challenges
//	mailed.go      the codes and the links of challenges that are sent by mail
package challenge

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/store"
)

// Faults of challenges.
var (
	// ErrExpired means that this browser cannot take the challenge: it is too old, was
	// taken, had too many wrong attempts, never existed, or belongs to another browser.
	ErrExpired = fault.New(fault.Gone, "challenge_expired")

	// ErrWrong means that the proof is wrong. Its field "attempts_left" says how often
	// the caller may try again; after the last attempt the challenge is gone.
	ErrWrong = fault.New(fault.Invalid, "invalid_code")
)

// A Kind is what a challenge proves.
type Kind struct {
	Name     string
	Life     time.Duration
	Attempts int // wrong attempts that end it
}

// The kinds.
var (
	Mail          = Kind{"mail", 10 * time.Minute, 5}          // a sign-in by a code or a link
	Factor        = Kind{"factor", 10 * time.Minute, 5}        // a second factor after the first
	Passkey       = Kind{"passkey", 2 * time.Minute, 1}        // a registration of a passkey, or a sign-in by one
	Authenticator = Kind{"authenticator", 10 * time.Minute, 5} // the first code of a new authenticator app
	Address       = Kind{"address", 10 * time.Minute, 5}       // a code to the new address of an account
)

// A Challenge is a pending proof.
type Challenge struct {
	Subject  string    // the account or the address that it is about
	ExpireAt time.Time // when it ends
	payload  string
}

// Decode decodes the payload of c into v, a pointer.
func (c Challenge) Decode(v any) error { return json.Unmarshal([]byte(c.payload), v) }

// A document is the stored form of a challenge. Payload is the JSON of the caller's
// value, which must not contain a secret in clear.
type document struct {
	Kind     string     `json:"kind"`
	Browser  string     `json:"browser"` // a hash
	Subject  string     `json:"subject"`
	Payload  string     `json:"payload"`
	Attempts int        `json:"attempts"` // wrong ones that are left
	Mailed   *mailed    `json:"mailed,omitempty"`
	ExpireAt store.Time `json:"expire_at"`
}

// A Request describes a new challenge.
type Request struct {
	Kind    Kind
	Browser string // the secret of the browser; required
	Subject string
	Payload any // stored as JSON, without secrets
}

// Challenges keeps challenges in a database. Its methods may be called concurrently.
// Errors that are not faults of this package are identity.ErrUnavailable.
type Challenges struct {
	db   store.DB
	keys *keyring.Ring
	now  func() time.Time
}

// New returns Challenges whose codes are authenticated by keys.
func New(db store.DB, keys *keyring.Ring, now func() time.Time) *Challenges {
	return &Challenges{db, keys, now}
}

var errBrowser = errors.New("challenge: the request comes from no known browser")

// Start stores a challenge and returns its id, in one write.
func (c *Challenges) Start(ctx context.Context, r Request) (id string, err error) {
	id = random()
	return id, c.create(ctx, id, r, nil)
}

// create stores the challenge with an id.
func (c *Challenges) create(ctx context.Context, id string, r Request, m *mailed) error {
	if r.Browser == "" {
		return identity.ErrUnavailable.Because(errBrowser)
	}
	payload, err := json.Marshal(r.Payload)
	if err == nil {
		err = c.db.Create(ctx, pathOf(id), document{
			Kind: r.Kind.Name, Browser: hash(r.Browser), Subject: r.Subject, Payload: string(payload),
			Attempts: r.Kind.Attempts, Mailed: m, ExpireAt: store.At(c.now().Add(r.Kind.Life)),
		})
	}
	return unavailable(err)
}

// Peek returns a challenge that the browser started, without taking it. It returns
// ErrExpired when the browser has no such challenge that is still valid.
func (c *Challenges) Peek(ctx context.Context, kind Kind, id, browser string) (Challenge, error) {
	return c.peek(ctx, kind, id, startedBy(browser, nil))
}

// peek returns the challenge with an id when check accepts its document.
func (c *Challenges) peek(ctx context.Context, kind Kind, id string, check func(document) error) (Challenge, error) {
	var doc document
	if !wellFormed(id) {
		return Challenge{}, ErrExpired
	}
	if err := c.db.Get(ctx, pathOf(id), &doc); err != nil {
		return Challenge{}, unavailable(err)
	}
	if !c.live(doc, kind) {
		return Challenge{}, ErrExpired
	}
	if err := check(doc); err != nil {
		return Challenge{}, err
	}
	return doc.challenge(), nil
}

// Take ends a challenge that the browser started and returns it. When check returns
// ErrWrong, Take counts a wrong attempt and returns ErrWrong; when check returns
// another error, nothing changes and Take returns that error. It returns ErrExpired
// when there is no such challenge. A nil check accepts the caller because of the id
// alone. Check runs in a transaction, perhaps several times, and must not use the
// database.
func (c *Challenges) Take(ctx context.Context, kind Kind, id, browser string, check func(Challenge) error) (Challenge, error) {
	return c.take(ctx, kind, id, startedBy(browser, check))
}

// startedBy returns a check that the browser started a challenge, and that check
// accepts it, unless it is nil.
func startedBy(browser string, check func(Challenge) error) func(document) error {
	return func(doc document) error {
		if browser == "" || !equal(doc.Browser, hash(browser)) {
			return ErrExpired
		}
		if check == nil {
			return nil
		}
		return check(doc.challenge())
	}
}

// take ends the challenge with an id when check accepts its document.
func (c *Challenges) take(ctx context.Context, kind Kind, id string, check func(document) error) (taken Challenge, err error) {
	if !wellFormed(id) {
		return Challenge{}, ErrExpired
	}
	var wrong error
	err = c.db.Update(ctx, func(tx store.Tx) error {
		var doc document
		wrong, taken = nil, Challenge{}
		if err := tx.Get(pathOf(id), &doc); err != nil {
			return err
		}
		if !c.live(doc, kind) {
			return ErrExpired
		}
		err := check(doc)
		switch {
		case err == nil:
			taken = doc.challenge()
		case !errors.Is(err, ErrWrong):
			return err
		default:
			doc.Attempts--
			wrong = ErrWrong.With("attempts_left", doc.Attempts)
		}
		if err == nil || doc.Attempts <= 0 {
			return tx.Delete(pathOf(id))
		}
		return tx.Set(pathOf(id), doc)
	})
	if err != nil {
		return Challenge{}, unavailable(err)
	}
	return taken, wrong
}

// live reports whether doc is a challenge of a kind that has not ended. The database
// hides expired documents by its own clock.
func (c *Challenges) live(doc document, kind Kind) bool {
	return doc.Kind == kind.Name && c.now().Before(doc.ExpireAt.Time)
}

func (d document) challenge() Challenge {
	return Challenge{Subject: d.Subject, ExpireAt: d.ExpireAt.Time, payload: d.Payload}
}

// unavailable returns ErrExpired for a missing document, faults as they are, and
// identity.ErrUnavailable for any other error.
func unavailable(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return ErrExpired
	}
	if f, ok := errors.AsType[*fault.Error](err); (ok && f.Kind != fault.Internal) || err == nil {
		return err
	}
	return identity.ErrUnavailable.Because(err)
}

// randomLength is the length of an id and of the secret of a link.
const randomLength = 43

// random returns 256 random bits as base64url.
func random() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// wellFormed reports whether s has the length of a random value.
func wellFormed(s string) bool { return len(s) == randomLength }

func pathOf(id string) store.Path { return store.Path("challenges").Join(hash(id)) }

// hash returns the SHA-256 of a random value, which cannot be found from it.
func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
