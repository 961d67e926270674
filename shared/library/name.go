package library

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"

	"miramundo.dev/shared/catalog/fold"
)

// MaxName is the greatest length of a name in grapheme clusters: an accented letter
// is one, and so is an emoji of a flag or a family.
const MaxName = 40

// maxNameBytes bounds the bytes of a name. The longest characters in use are emoji:
// the flag of a nation takes 28 bytes, a family 25.
const maxNameBytes = MaxName * 28

// maxSlug bounds slugs, in bytes. Some letters fold to a whole phrase, and an
// address takes three bytes for each byte of a slug that must be escaped.
const maxSlug = 160

// CleanName returns name in the form in which it is stored: trimmed and in Unicode
// normalization form C. Its error is ErrName with one of these reasons: "empty" for
// a name without a visible character, "too_long", "control" for characters that
// break the line or change the direction of the text after them, and "encoding" for
// invalid UTF-8.
func CleanName(name string) (string, error) {
	if len(name) > 2*maxNameBytes {
		return "", ErrName.With("reason", "too_long").With("bound", MaxName)
	}
	if !utf8.ValidString(name) {
		return "", ErrName.With("reason", "encoding")
	}
	name = norm.NFC.String(strings.TrimFunc(name, blank))
	switch {
	case strings.ContainsFunc(name, forbidden):
		return "", ErrName.With("reason", "control")
	case !strings.ContainsFunc(name, visible):
		return "", ErrName.With("reason", "empty")
	case len(name) > maxNameBytes || uniseg.GraphemeClusterCount(name) > MaxName:
		return "", ErrName.With("reason", "too_long").With("bound", MaxName)
	}
	return name, nil
}

// blank reports whether r is trimmed from the ends of a name. Joiners and direction
// marks stay: they belong to the letters beside them.
func blank(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

// forbidden reports whether r breaks lines or embeds, overrides or isolates the
// direction of text. The plain direction marks are allowed, because names use them.
func forbidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// invisibles are characters that Unicode counts as letters and symbols, and that
// show nothing: the fillers of Hangul and the blank pattern of Braille.
const invisibles = "\u115f\u1160\u3164\uffa0\u2800"

// visible reports whether r by itself can be seen.
func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !strings.ContainsRune(invisibles, r)
}

// slugOf returns the slug of a name, which depends on nothing else: its words
// without accents, joined by hyphens, or part of its hash when it has no words.
func slugOf(name string) string {
	if words := cutWords(fold.Words(name)); words != "" {
		return strings.ReplaceAll(words, " ", "-")
	}
	sum := sha256.Sum256([]byte(name))
	return "x" + hex.EncodeToString(sum[:4])
}

// cutWords returns as many of the first words as fit into maxSlug bytes.
func cutWords(words string) string {
	if len(words) <= maxSlug {
		return words
	}
	end := strings.LastIndexByte(words[:maxSlug], ' ')
	return words[:max(end, 0)]
}

// freeSlug returns the slug of name, with the first free number from 2 when it is
// taken.
func freeSlug(name string, taken func(string) bool) string {
	slug := slugOf(name)
	for n, first := 2, slug; taken(slug); n++ {
		slug = first + "-" + strconv.Itoa(n)
	}
	return slug
}
