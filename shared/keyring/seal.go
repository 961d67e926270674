package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"strings"
)

// A sealed value is the id of its key, a dot, and the base64url text of a random
// nonce and the AES-256-GCM encryption of the value under the key's subkey for the
// purpose. The database holds sealed values of secrets that the service must read
// again, so that a copy of the database without the key opens none of them.

// encoding refuses texts that are not exactly those that Seal writes.
var encoding = base64.RawURLEncoding.Strict()

// Seal encrypts plain for a purpose and returns it as text. Bound is not encrypted
// and not in the text, but Open needs the same bytes: with the owner's id as bound,
// a value that is copied to another owner's document does not open there. One key
// may seal up to 2^32 values of a purpose. It returns ErrNoKey when r has no key.
func (r *Ring) Seal(purpose string, plain, bound []byte) (string, error) {
	id, secret := r.Secret(purpose)
	if secret == nil {
		return "", ErrNoKey
	}
	box, err := newBox(secret)
	if err != nil {
		return "", err
	}
	return id + "." + encoding.EncodeToString(box.Seal(nil, nil, plain, bound)), nil
}

// Open returns the value that Seal encrypted as sealed, for the same purpose and
// bound and with any key of r. It returns ErrNoKey when r has no key, and ErrSealed
// for every other text.
func (r *Ring) Open(purpose, sealed string, bound []byte) ([]byte, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	id, text, _ := strings.Cut(sealed, ".")
	secret, ok := r.SecretOf(purpose, id)
	if !ok || strings.ContainsAny(text, "\r\n") { // the decoder ignores line ends
		return nil, ErrSealed
	}
	data, err := encoding.DecodeString(text)
	if err != nil {
		return nil, ErrSealed
	}
	box, err := newBox(secret)
	if err != nil {
		return nil, err
	}
	plain, err := box.Open(nil, nil, data, bound)
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// newBox returns the cipher of a subkey, which puts a random nonce before each
// encrypted value.
func newBox(secret []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
