// Package keyring signs and seals values with keys that an operator can replace
// while several instances run.
//
// A [Ring] is parsed from one setting, which lists named keys: "name:secret"
// entries, separated by commas. The key of the first entry signs and seals. Every
// key verifies and opens, however many there are, so a key takes three steps to
// become the one that signs: it is appended to the setting of every instance, then
// moved to the front everywhere, and the key that it replaced stays behind it for as
// long as values that it signed must be accepted. In each step an instance with the
// new setting and one with the old setting accept each other's values.
//
// Every value that a ring signs or seals has the id of its key. The id is computed
// from the key's secret and not from its name, so instances agree on it whatever
// their settings call the key, and a name that is used for another secret later
// cannot be taken for the first one.
//
// Callers name the purpose of each value. A key's secret is never used itself: each
// purpose has a subkey, the HMAC-SHA-256 of the purpose under the secret, and the
// subkey of one purpose cannot be computed from that of another.
package keyring

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Random returns a ring of one random key, for values that are valid within this
// process only.
func Random() *Ring {
	r := &Ring{}
	_ = r.add("random", rand.Text()+rand.Text()) // cannot fail: it is long enough, and the only key
	return r
}

// MinSecret is the least length of a secret, in bytes.
const MinSecret = 32

// Errors of rings. None contains a part of a secret or of a value.
var (
	ErrNoKey  = errors.New("no key is configured")
	ErrSealed = errors.New("the value was not sealed for this purpose by a key of the ring")
)

// A Ring is a list of keys, of which the first one signs and all verify. A nil or
// empty Ring signs and accepts nothing. A Ring does not change; its methods may be
// called concurrently.
type Ring struct {
	keys []key
}

// A key is one entry of a ring.
type key struct {
	name   string // in the setting; empty for a setting that is one secret
	id     string // in the values that it signs
	secret []byte
}

// Parse returns the ring of a setting. A name has 1 to 16 of a-z, 0-9 and hyphen, a
// secret at least MinSecret bytes, in which %2C stands for a comma and %25 for a
// percent sign. Space around an entry is ignored. No two entries may have the same
// name or the same secret. A setting that is one secret without a name is taken
// exactly as it stands. An empty setting is a ring without keys.
func Parse(setting string) (*Ring, error) {
	r := &Ring{}
	if setting == "" {
		return r, nil
	}
	if isSecret(setting) {
		if err := r.add("", setting); err != nil {
			return nil, err
		}
		return r, nil
	}
	for i, entry := range strings.Split(setting, ",") {
		name, text, ok := cutName(entry)
		if !ok { // it may be a secret, so it is not shown
			return nil, fmt.Errorf("entry %d must be name:secret, with a name of 1 to %d of a-z, 0-9 and hyphen", i+1, maxName)
		}
		secret, err := url.PathUnescape(text)
		if err != nil { // it contains a part of the secret
			return nil, fmt.Errorf("in the secret of the key %s a percent sign must be written as %%25", name)
		}
		if err := r.add(name, secret); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// isSecret reports whether a setting is one secret without a name, as settings of
// one key were before there were rings. It may contain commas, but nothing between
// them that could be meant as an entry: two secrets without names are a mistake.
func isSecret(setting string) bool {
	for i, part := range strings.Split(setting, ",") {
		if _, _, named := cutName(part); named || i > 0 && len(part) >= MinSecret {
			return false
		}
	}
	return true
}

// cutName splits an entry into its name and its secret as written. It reports false
// when the entry does not begin with a name and a colon.
func cutName(entry string) (name, text string, ok bool) {
	name, text, ok = strings.Cut(strings.TrimSpace(entry), ":")
	ok = ok && name != "" && len(name) <= maxName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
	return name, text, ok
}

// maxName is the greatest length of a name.
const maxName = 16

// add appends a key to r.
func (r *Ring) add(name, secret string) error {
	if len(secret) < MinSecret {
		return fmt.Errorf("each secret must have at least %d characters", MinSecret)
	}
	k := key{name: name, secret: []byte(secret)}
	k.id = base64.RawURLEncoding.EncodeToString(k.subkey(idPurpose)[:idBytes])
	for _, other := range r.keys {
		if other.name == name {
			return fmt.Errorf("the name %s is used twice", name)
		}
		if other.id == k.id {
			return fmt.Errorf("the keys %s and %s have the same secret", other.name, name)
		}
	}
	r.keys = append(r.keys, k)
	return nil
}

// The id of a key is the start of a subkey. Its purpose is that of the first keys of
// the service, those of guests: their tokens do not expire and contain the id.
const (
	idPurpose = "guest key id"
	idBytes   = 6
)

// UnmarshalText parses a setting into r, as Parse does.
func (r *Ring) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*r = *parsed
	return nil
}

// String returns the names of the keys, the signing one first, without secrets.
func (r *Ring) String() string {
	if r == nil {
		return "no keys"
	}
	names := make([]string, len(r.keys))
	for i, k := range r.keys {
		names[i] = cmp.Or(k.name, "(unnamed)")
	}
	return "keys [" + strings.Join(names, " ") + "]"
}

// Check returns ErrNoKey when r has no key.
func (r *Ring) Check() error {
	if r == nil || len(r.keys) == 0 {
		return ErrNoKey
	}
	return nil
}

// subkey returns the subkey of a purpose, in 32 bytes.
func (k *key) subkey(purpose string) []byte { return sum(k.secret, []byte(purpose)) }

func sum(secret, data []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(data)
	return mac.Sum(nil)
}

// find returns the key with an id, or nil.
func (r *Ring) find(id string) *key {
	if r == nil {
		return nil
	}
	for i := range r.keys {
		if r.keys[i].id == id {
			return &r.keys[i]
		}
	}
	return nil
}

// Sign returns the HMAC-SHA-256 of data for a purpose, and the id of the key that
// made it. Both are empty when r has no key; Verify accepts neither.
func (r *Ring) Sign(purpose string, data []byte) (mac []byte, keyID string) {
	keyID, secret := r.Secret(purpose)
	if secret == nil {
		return nil, ""
	}
	return sum(secret, data), keyID
}

// Verify reports whether mac is the one that Sign made of data for a purpose with
// the key that keyID names. It takes the same time for every wrong mac.
func (r *Ring) Verify(purpose, keyID string, data, mac []byte) bool {
	secret, ok := r.SecretOf(purpose, keyID)
	return ok && hmac.Equal(sum(secret, data), mac)
}

// MACs returns the HMAC-SHA-256 of data for a purpose under each key, the signing
// key's first. It is for values that are looked up by their MAC: they are stored
// under the first one, and were perhaps stored under another.
func (r *Ring) MACs(purpose string, data []byte) [][]byte {
	if r == nil {
		return nil
	}
	macs := make([][]byte, len(r.keys))
	for i := range r.keys {
		macs[i] = sum(r.keys[i].subkey(purpose), data)
	}
	return macs
}

// Secret returns the subkey of the signing key for a purpose, in 32 bytes, and the
// key's id. It returns nil when r has no key.
func (r *Ring) Secret(purpose string) (keyID string, secret []byte) {
	if r.Check() != nil {
		return "", nil
	}
	return r.keys[0].id, r.keys[0].subkey(purpose)
}

// SecretOf returns the subkey for a purpose of the key that keyID names, and false
// when r does not have that key.
func (r *Ring) SecretOf(purpose, keyID string) ([]byte, bool) {
	k := r.find(keyID)
	if k == nil {
		return nil, false
	}
	return k.subkey(purpose), true
}

// SecretOn returns the subkey for a purpose of the key that is in force on the UTC
// day of t, for values that every instance must compute alike and that nothing
// verifies later. A key whose name is a date, such as 2026-12-01, is in force from
// that day on, until the day of a later one; before the first of them it is the
// first key without a date. So instances change over at the same moment, although
// they were deployed at different ones. When no key is in force yet it is the first
// one. SecretOn returns nil when r has no key.
func (r *Ring) SecretOn(purpose string, t time.Time) []byte {
	if r.Check() != nil {
		return nil
	}
	day := t.UTC().Format(time.DateOnly)
	var found *key
	for i := range r.keys {
		k := &r.keys[i]
		if from := k.since(); from <= day && (found == nil || from > found.since()) {
			found = k
		}
	}
	return cmp.Or(found, &r.keys[0]).subkey(purpose)
}

// since returns the day that the name of k is, and the empty string, which is before
// every day, for any other name.
func (k *key) since() string {
	if _, err := time.Parse(time.DateOnly, k.name); err != nil {
		return ""
	}
	return k.name
}

// Secrets returns the secrets themselves, the signing one first. It is for formats
// that are older than rings and were signed with the secret; new formats use a
// subkey.
func (r *Ring) Secrets() [][]byte {
	if r == nil {
		return nil
	}
	secrets := make([][]byte, len(r.keys))
	for i, k := range r.keys {
		secrets[i] = k.secret
	}
	return secrets
}
