package password

import (
	"strings"
	"unicode/utf8"

	"miramundo.dev/shared/fault"
)

// The rules follow OWASP ASVS 5.0, section 6.2: a length, common passwords and words
// of the context. No kinds of characters are required.

// ErrWeak refuses a password. Its field "reason" is one of the constants below, and
// "bound" the length that a password of another length must have.
var ErrWeak = fault.New(fault.Invalid, "weak_password")

// Reasons of ErrWeak.
const (
	TooShort = "too_short" // fewer than MinLength characters
	TooLong  = "too_long"  // more than MaxLength characters
	Common   = "common"    // one of the most used passwords, or a repetition
	Context  = "context"   // little more than the product's name or the account's address
)

// Lengths of a password, in Unicode code points.
const (
	MinLength = 8
	MaxLength = 128
)

// product is the name of the product, which passwords must not be made from.
const product = "miramundo"

// Weak returns nil when pw may become the password of the account with an e-mail
// address, and otherwise ErrWeak with its reason.
func Weak(pw, email string) error {
	n := utf8.RuneCountInString(pw)
	switch folded := strings.ToLower(pw); {
	case n < MinLength:
		return ErrWeak.With("reason", TooShort).With("bound", MinLength)
	case n > MaxLength:
		return ErrWeak.With("reason", TooLong).With("bound", MaxLength)
	case repeats(folded) || isCommon(folded):
		return ErrWeak.With("reason", Common)
	case utf8.RuneCountInString(without(folded, contextWords(email))) < MinLength:
		return ErrWeak.With("reason", Context)
	}
	return nil
}

// minDistinct is how many different characters a password must have at least.
const minDistinct = 4

// repeats reports whether pw has very few different characters, or is one group of
// up to four characters again and again.
func repeats(pw string) bool {
	seen := map[rune]bool{}
	for _, r := range pw {
		seen[r] = true
	}
	if len(seen) < minDistinct {
		return true
	}
	runes := []rune(pw)
	for size := 1; size <= 4; size++ {
		if periodic(runes, size) {
			return true
		}
	}
	return false
}

// periodic reports whether each of runes equals the one that is size before it.
func periodic(runes []rune, size int) bool {
	for i := size; i < len(runes); i++ {
		if runes[i] != runes[i-size] {
			return false
		}
	}
	return true
}

// minWord is the length from which a part of an address is a word of the context.
const minWord = 4

// contextWords returns the product's name and the words of an e-mail address, in
// lower case, the whole address first.
func contextWords(email string) []string {
	email = strings.ToLower(email)
	local, domain, _ := strings.Cut(email, "@")
	parts := strings.FieldsFunc(email, func(r rune) bool { return strings.ContainsRune("@.+-_", r) })
	return append([]string{email, domain, local, product}, parts...)
}

// without returns pw with each of words that is long enough removed.
func without(pw string, words []string) string {
	for _, w := range words {
		if utf8.RuneCountInString(w) >= minWord {
			pw = strings.ReplaceAll(pw, w, "")
		}
	}
	return pw
}
