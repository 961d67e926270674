package password

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// A hash is stored as a PHC string, which names its parameters, so that hashes made
// with older ones can still be checked:
//
//	$argon2id$v=19$m=7168,t=5,p=1$<salt>$<key>
//
// Salt and key are standard base64 without padding. See
// https://github.com/P-H-C/phc-string-format.

// Sizes of the parts of a hash, in bytes.
const (
	saltSize = 16
	keySize  = 32
)

// Greatest parameters of a stored hash that are computed, so that a damaged document
// cannot exhaust the memory of an instance.
const (
	maxMemory = 64 << 10
	maxTime   = 16
)

var errHash = errors.New("password: a stored hash is malformed")

// params are the costs of a hash.
type params struct {
	memory  uint32 // KiB
	time    uint32 // passes over the memory
	threads uint8
}

// A phc is a parsed hash.
type phc struct {
	params
	salt, key []byte
}

// String returns p as a PHC string.
func (p phc) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.time, p.threads,
		b64.EncodeToString(p.salt), b64.EncodeToString(p.key))
}

// parse parses a PHC string as String returns it, and nothing else. Its error
// contains no part of s.
func parse(s string) (phc, error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 {
		return phc{}, errHash
	}
	var p phc
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.time, &p.threads); err != nil {
		return phc{}, errHash
	}
	b64 := base64.RawStdEncoding.Strict()
	salt, errSalt := b64.DecodeString(parts[4])
	key, errKey := b64.DecodeString(parts[5])
	p.salt, p.key = salt, key
	if errSalt != nil || errKey != nil || !p.computable() || p.String() != s {
		return phc{}, errHash
	}
	return p, nil
}

// computable reports whether argon2 accepts the parameters of p within our bounds.
func (p phc) computable() bool {
	return p.memory >= 8*uint32(p.threads) && p.memory <= maxMemory &&
		p.time >= 1 && p.time <= maxTime && p.threads >= 1 && p.threads <= 4 &&
		len(p.salt) == saltSize && len(p.key) == keySize
}
