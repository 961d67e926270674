package devicelink

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"miramundo.dev/shared/store"
)

// tokenLen is the length of a token: 32 random bytes in base64url.
const tokenLen = 43

func newToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// Codes are written in the alphabet of Crockford's base 32, which has no letters that
// look like digits. A code has 40 bits: enough for two minutes, after which a person
// still confirms the device. It is stored as a keyed hash, since a plain one could be
// undone by trying all codes.
const (
	alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	codeLen  = 8
)

func newCode() string {
	b := make([]byte, codeLen)
	_, _ = rand.Read(b) // it never fails
	for i := range b {
		b[i] = alphabet[b[i]%byte(len(alphabet))] // 256 is a multiple of 32
	}
	return string(b)
}

// similar replaces what people type in place of the letters and digits of a code.
var similar = strings.NewReplacer("O", "0", "I", "1", "L", "1", "-", "", " ", "")

// readCode returns a code as newCode made it, from what a person typed.
func readCode(typed string) (string, bool) {
	if len(typed) > 2*codeLen+tokenLen {
		return "", false
	}
	code := similar.Replace(strings.ToUpper(typed))
	return code, len(code) == codeLen && strings.Trim(code, alphabet) == ""
}

// newDigits returns four random digits.
func newDigits() string {
	n, _ := rand.Int(rand.Reader, big.NewInt(10_000)) // it never fails
	return fmt.Sprintf("%04d", n)
}

// codePaths returns where the pointer of a code may be: for each key, the one that
// signs first.
func (l *Links) codePaths(code string) (paths []store.Path) {
	for _, mac := range l.Keys.MACs(codePurpose, []byte(code)) {
		paths = append(paths, collection.Join("c_"+hex.EncodeToString(mac)))
	}
	return paths
}

func pathOf(id string) store.Path { return collection.Join(id) }

// hashOf returns the hash under which a token or a boot cookie is stored.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// isID reports whether id has the form of a hash.
func isID(id string) bool {
	return len(id) == 2*sha256.Size && strings.Trim(id, "0123456789abcdef") == ""
}

// same compares two hashes in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
