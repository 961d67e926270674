package factor

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

// A recovery code has 24 letters and digits of base32, which has neither 0 nor 1: 120
// random bits, written in six groups: "h3k5-pw2c-7rxa-m4qz-2bvd-ue6j". So a plain hash
// suffices to store it; with fewer than 112 bits it would need that of a password
// (OWASP ASVS 5.0, 6.5.2). The hash is bound to the account; each code works once, after the first
// factor, and wrong ones are slowed down as those of an app are.

// RecoveryCodes is how many recovery codes an account gets.
const RecoveryCodes = 10

// codeLength is the number of characters of a recovery code.
const codeLength = 24

// NewRecovery returns new recovery codes of an account: the codes, which are shown
// once, and their hashes, which replace those in the document of the account.
func NewRecovery(account string) (codes, hashes []string) {
	for range RecoveryCodes {
		code := strings.ToLower(rand.Text()[:codeLength])
		codes = append(codes, grouped(code))
		hashes = append(hashes, recoveryHash(account, code))
	}
	return codes, hashes
}

// grouped returns a code with a hyphen after every fourth character.
func grouped(code string) string {
	var groups []string
	for part := range slices.Chunk([]byte(code), 4) {
		groups = append(groups, string(part))
	}
	return strings.Join(groups, "-")
}

// UseRecovery returns the hashes that are left after a code was used. It returns
// ErrWrong when the code has none of the hashes.
func UseRecovery(account string, hashes []string, code string) (left []string, err error) {
	want := recoveryHash(account, typed(code))
	err = ErrWrong
	for _, h := range hashes {
		if subtle.ConstantTimeCompare([]byte(h), []byte(want)) == 1 {
			err = nil
			continue
		}
		left = append(left, h)
	}
	if err != nil {
		return nil, err
	}
	return left, nil
}

// recoveryHash returns the hash of a code of an account, in hexadecimal digits.
func recoveryHash(account, code string) string {
	sum := sha256.Sum256([]byte("recovery code\x00" + account + "\x00" + code))
	return hex.EncodeToString(sum[:])
}

// maxTyped is more than anyone types for a code, in bytes.
const maxTyped = 64

// typed returns a code as a person meant it: in lower case, without spaces and
// hyphens. It returns "" for a longer text.
func typed(code string) string {
	if len(code) > maxTyped {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, code)
}
