package identity

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Guests gives tokens to guests, and knows them again without a database.
//
// A token is ipt_ and a JSON Web Token (RFC 7519) that HMAC-SHA-256 signs. It
// holds a random number of 128 bits, which is all that the service knows of the
// guest, and the second in which it was given. It does not expire: a guest that
// loses the token loses what is kept under it, and one whose token was signed
// by a key that is no longer there has lost it too. So a key that is replaced
// stays as the previous one for as long as its guests are to be known, and two
// replacements end the tokens of the first key.
//
// Its methods may be called concurrently.
type Guests struct {
	current, previous *guestKey // nil when there is none
	now               func() time.Time
	parser            *jwt.Parser
}

// A guestKey is what signs tokens. Both parts are derived from the key of the
// configuration, which signs nothing by itself.
type guestKey struct {
	id     string // header kid: names the key and tells nothing of it
	secret []byte
}

// Why a token is refused, for the log: never the token, nor a part of it.
var (
	errNoKeys    = errors.New("there is no key of guest tokens")
	errForm      = errors.New("no guest token by its form")
	errKeyID     = errors.New("signed by no key of ours")
	errSignature = errors.New("the signature of the guest token is wrong")
	errClaims    = errors.New("the guest token does not say what ours do")
)

// NewGuests returns the guests whose tokens the current key signs, or the
// previous one has signed. Keys have at least 32 characters; an empty one is
// none. Without a current key no token is given, and without both none is known.
func NewGuests(current, previous string, now func() time.Time) *Guests {
	return &Guests{
		current: newGuestKey(current), previous: newGuestKey(previous), now: now,
		parser: jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation()),
	}
}

func newGuestKey(key string) *guestKey {
	if key == "" {
		return nil
	}
	derive := func(what string) []byte {
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(what))
		return mac.Sum(nil)
	}
	return &guestKey{
		id:     base64.RawURLEncoding.EncodeToString(derive("guest key id")[:6]),
		secret: derive("guest token"),
	}
}

// guestClaims are what a token says: the library knows nothing in it that could
// be over or not yet begun.
type guestClaims struct {
	Subject              string `json:"sub"` // the number, in base64url
	IssuedAt             int64  `json:"iat"` // seconds since 1970
	jwt.RegisteredClaims `json:"-"`
}

// guestBytes is how long the random number of a guest is.
const guestBytes = 16

// Issue returns the token of a new guest, and what its owner is called. It
// returns ErrUnavailable when there is no key to sign with.
func (g *Guests) Issue() (token string, o Owner, err error) {
	if g.current == nil {
		return "", "", ErrUnavailable.Because(errNoKeys)
	}
	var id [guestBytes]byte
	if _, err := rand.Read(id[:]); err != nil {
		return "", "", ErrUnavailable.Because(err)
	}
	claims := &guestClaims{Subject: base64.RawURLEncoding.EncodeToString(id[:]), IssuedAt: g.now().Unix()}
	t := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	t.Header["kid"] = g.current.id
	signed, err := t.SignedString(g.current.secret)
	if err != nil {
		return "", "", ErrUnavailable.Because(err)
	}
	return guestPrefix + signed, hashedOwner("guest", claims.Subject), nil
}

// Verify returns the owner that a token names. It returns ErrCredential when
// we did not sign the token, and ErrUnavailable when there is no key to tell by.
func (g *Guests) Verify(token string) (Owner, error) {
	if g.current == nil && g.previous == nil {
		return "", ErrUnavailable.Because(errNoKeys)
	}
	if !isGuest(token) {
		return "", ErrCredential.Because(errForm)
	}
	signed := strings.TrimPrefix(token, guestPrefix)
	var claims guestClaims
	if _, err := g.parser.ParseWithClaims(signed, &claims, g.secret); err != nil {
		return "", ErrCredential.Because(reason(err))
	}
	id, err := base64.RawURLEncoding.Strict().DecodeString(claims.Subject)
	if err != nil || len(id) != guestBytes || claims.IssuedAt == 0 {
		return "", ErrCredential.Because(errClaims)
	}
	return hashedOwner("guest", claims.Subject), nil
}

// secret returns what the key that a token names has signed it with.
func (g *Guests) secret(t *jwt.Token) (any, error) {
	id, _ := t.Header["kid"].(string)
	for _, k := range []*guestKey{g.current, g.previous} {
		if k != nil && k.id == id {
			return k.secret, nil
		}
	}
	return nil, errKeyID
}

// reason tells why a token is refused, in place of errors that may show parts
// of what was sent.
func reason(err error) error {
	switch {
	case errors.Is(err, errKeyID):
		return errKeyID
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return errSignature
	case errors.Is(err, jwt.ErrTokenInvalidClaims):
		return errClaims
	}
	return errForm
}

// hashedOwner returns the owner of a credential of a kind: a hash, from which the
// credential cannot be recovered.
func hashedOwner(kind, secret string) Owner {
	h := sha256.New()
	h.Write([]byte(kind + "\x00"))
	h.Write([]byte(secret))
	return Owner("g_" + hex.EncodeToString(h.Sum(nil)[:16]))
}
