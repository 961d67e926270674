package factor

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/store"
)

// These are the parameters that every authenticator app supports: SHA-1, six digits,
// 30 seconds. The weaknesses of SHA-1 do not concern HMAC.
const (
	secretSize = 20 // bytes
	digits     = 6
	step       = 30 * time.Second
	skew       = 1 // steps by which the clock of the app may be wrong
)

// An Authenticator is an authenticator app of an account, as the document of the
// account stores it.
type Authenticator struct {
	Secret   string     `json:"secret"`    // sealed
	LastStep int64      `json:"last_step"` // the time step of the last code; no code of it or before works again
	Since    store.Time `json:"since"`
}

// A Secret is shared with an authenticator app. It is shown once, when the app is
// added.
type Secret []byte

// NewSecret returns a random secret.
func NewSecret() Secret {
	s := make(Secret, secretSize)
	_, _ = rand.Read(s) // never fails
	return s
}

// base32Text is how a secret is typed into an app.
var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// String returns s in base32, for apps that cannot read a QR code.
func (s Secret) String() string { return base32Text.EncodeToString(s) }

// URL returns the otpauth URL of s, which apps read from a QR code. issuer is the
// name of the service and account that of the account, as the app lists them.
func (s Secret) URL(issuer, account string) string {
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + account}
	q := url.Values{"secret": {s.String()}, "issuer": {issuer}}
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // apps show a plus as it stands
	return u.String()
}

// sealPurpose names the subkey for secrets.
const sealPurpose = "authenticator"

// Seal returns s encrypted for an account: for another account it does not open.
func (s Secret) Seal(keys *keyring.Ring, account string) (string, error) {
	return keys.Seal(sealPurpose, s, []byte(account))
}

var errSecret = errors.New("factor: a sealed secret has the wrong length")

// Open returns the secret that Seal encrypted for an account.
func Open(keys *keyring.Ring, account, sealed string) (Secret, error) {
	plain, err := keys.Open(sealPurpose, sealed, []byte(account))
	if err != nil {
		return nil, fmt.Errorf("factor: %w", err)
	}
	if len(plain) != secretSize {
		return nil, errSecret
	}
	return plain, nil
}

// Use checks a code of the app at a time. On success it sets LastStep, and the caller
// must store a. Otherwise it returns ErrWrong, and any other error when the secret
// cannot be opened.
func (a *Authenticator) Use(keys *keyring.Ring, account, code string, now time.Time) error {
	secret, err := Open(keys, account, a.Secret)
	if err != nil {
		return err
	}
	used, ok := secret.match(code, now, a.LastStep)
	if !ok {
		return ErrWrong
	}
	a.LastStep = used
	return nil
}

// Add returns the Authenticator of a new app, whose first code proves that it has the
// secret. It returns ErrWrong when it does not.
func (s Secret) Add(keys *keyring.Ring, account, code string, now time.Time) (*Authenticator, error) {
	used, ok := s.match(code, now, 0)
	if !ok {
		return nil, ErrWrong
	}
	sealed, err := s.Seal(keys, account)
	return &Authenticator{Secret: sealed, LastStep: used, Since: store.At(now)}, err
}

// match returns the time step after last of which code is the code, within skew of
// now. It compares with every step of the window in constant time.
func (s Secret) match(code string, now time.Time, last int64) (used int64, ok bool) {
	code = typed(code)
	for n := -skew; n <= skew; n++ {
		at := now.Add(time.Duration(n) * step)
		if subtle.ConstantTimeCompare([]byte(s.Code(at)), []byte(code)) == 1 && stepOf(at) > last {
			used, ok = stepOf(at), true
		}
	}
	return used, ok
}

// stepOf returns the number of the time step that t is in.
func stepOf(t time.Time) int64 { return t.Unix() / int64(step/time.Second) }

// Code returns the code that an app with the secret shows at a time, by RFC 4226,
// section 5.3.
func (s Secret) Code(at time.Time) string {
	mac := hmac.New(sha1.New, s)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(stepOf(at))))
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 15
	n := binary.BigEndian.Uint32(sum[offset:]) & (1<<31 - 1)
	return fmt.Sprintf("%0*d", digits, n%1_000_000)
}
