package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"miramundo.dev/shared/keyring"
)

// Guests issues the tokens of guests, and verifies them without a database.
//
// A token is ipt_ followed by a JSON Web Token (RFC 7519) that is signed with
// HMAC-SHA-256. It contains a random number of 128 bits, which is everything that
// the service stores of a guest, and the second in which it was issued. It does not
// expire: a guest that loses the token loses the library.
//
// The header kid of a token names the key of the ring that signed it. Every key of
// the ring verifies, so a key may be replaced in the steps of package keyring
// without ending a token. Removing a key ends the libraries of the guests whose
// tokens it signed.
//
// Its methods may be called concurrently.
type Guests struct {
	ring   *keyring.Ring
	now    func() time.Time
	parser *jwt.Parser
}

// tokenPurpose is the purpose of the keys that sign tokens.
const tokenPurpose = "guest token"

// Causes of refused tokens, for the log. They never contain a part of the token.
var (
	errForm      = errors.New("the guest token is malformed")
	errKeyID     = errors.New("the guest token is signed by an unknown key")
	errSignature = errors.New("the signature of the guest token is wrong")
	errClaims    = errors.New("the claims of the guest token are not valid")
)

// NewGuests returns the guests whose tokens are signed by the keys of ring. With a
// ring without keys, Issue and Verify fail.
func NewGuests(ring *keyring.Ring, now func() time.Time) *Guests {
	return &Guests{
		ring: ring, now: now,
		parser: jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation()),
	}
}

// guestClaims are the claims of a token. RegisteredClaims is embedded only for its
// methods and is never read or written, so the parser sees no time limits.
type guestClaims struct {
	Subject              string `json:"sub"` // the number, in base64url
	IssuedAt             int64  `json:"iat"` // seconds since 1970
	jwt.RegisteredClaims `json:"-"`
}

// guestBytes is the length of the random number of a guest, in bytes.
const guestBytes = 16

// Issue returns the token of a new guest, and its owner. It stores nothing, and
// returns ErrUnavailable when no key is configured.
func (g *Guests) Issue() (token string, o Owner, err error) {
	keyID, secret := g.ring.Secret(tokenPurpose)
	if secret == nil {
		return "", "", ErrUnavailable.Because(keyring.ErrNoKey)
	}
	var id [guestBytes]byte
	if _, err := rand.Read(id[:]); err != nil {
		return "", "", ErrUnavailable.Because(err)
	}
	claims := &guestClaims{Subject: base64.RawURLEncoding.EncodeToString(id[:]), IssuedAt: g.now().Unix()}
	t := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	t.Header["kid"] = keyID
	signed, err := t.SignedString(secret)
	if err != nil {
		return "", "", ErrUnavailable.Because(err)
	}
	return guestPrefix + signed, hashedOwner("guest", claims.Subject), nil
}

// Verify returns the owner of a token. It returns ErrCredential when the token was
// not signed by a key of the ring, and ErrUnavailable when no key is configured.
func (g *Guests) Verify(token string) (Owner, error) {
	speaker, err := g.Speaker(token)
	return speaker.Owner, err
}

// Speaker returns the guest of a token, with the errors of Verify.
func (g *Guests) Speaker(token string) (Speaker, error) {
	if err := g.ring.Check(); err != nil {
		return Speaker{}, ErrUnavailable.Because(err)
	}
	if !isGuest(token) {
		return Speaker{}, ErrCredential.Because(errForm)
	}
	signed := strings.TrimPrefix(token, guestPrefix)
	var claims guestClaims
	if _, err := g.parser.ParseWithClaims(signed, &claims, g.secret); err != nil {
		return Speaker{}, ErrCredential.Because(reason(err))
	}
	id, err := base64.RawURLEncoding.Strict().DecodeString(claims.Subject)
	if err != nil || len(id) != guestBytes || claims.IssuedAt == 0 {
		return Speaker{}, ErrCredential.Because(errClaims)
	}
	s := NewGuest(hashedOwner("guest", claims.Subject), claims.Subject)
	s.Since = time.Unix(claims.IssuedAt, 0).UTC()
	return s, nil
}

// secret returns the secret of the key that the header of a token names.
func (g *Guests) secret(t *jwt.Token) (any, error) {
	id, _ := t.Header["kid"].(string)
	secret, ok := g.ring.SecretOf(tokenPurpose, id)
	if !ok {
		return nil, errKeyID
	}
	return secret, nil
}

// reason returns the cause of a refused token for an error of the parser, which may
// itself contain parts of the token.
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

// hashedOwner returns the owner of a credential of a kind: the first half of a
// SHA-256 hash, from which the credential cannot be recovered.
func hashedOwner(kind, secret string) Owner {
	h := sha256.New()
	h.Write([]byte(kind + "\x00"))
	h.Write([]byte(secret))
	return Owner("g_" + hex.EncodeToString(h.Sum(nil)[:16]))
}
