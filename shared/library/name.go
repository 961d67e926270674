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

// MaxName is the greatest length of a name, in characters as people count
// them: an accented letter is one, and so is a flag or a family of emoji.
const MaxName = 40

// maxNameBytes bounds what those characters may take. The longest that people
// write are emoji: a flag of a nation takes 28 bytes, a family 25.
const maxNameBytes = MaxName * 28

// maxSlug bounds slugs, in bytes. In some scripts a letter folds to a sentence,
// and addresses take three bytes for each of a slug.
const maxSlug = 160

// CleanName returns name as it is kept: trimmed, in Unicode's form NFC. The
// error is ErrName, with a reason: "empty" for a name that shows nothing,
// "too_long", "control" for characters that break lines or turn the direction
// of what follows, and "encoding".
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

// blank reports whether r at an end of a name is no part of it. Joiners and
// marks of direction belong to the letters beside them.
func blank(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

// forbidden reports whether r breaks lines or is an embedding, override or
// isolate of direction. The plain marks of direction are used in names.
func forbidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// unseen are letters that show nothing: the fillers of Hangul, and the blank
// pattern of Braille.
const unseen = "\u115f\u1160\u3164\uffa0\u2800"

// visible reports whether r shows something by itself.
func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !strings.ContainsRune(unseen, r)
}

// slugOf returns the readable part of an address for a name, always the same:
// its words, without accents, joined by hyphens. A name without words has one
// made of its hash.
func slugOf(name string) string {
	if words := cutWords(fold.Words(name)); words != "" {
		return strings.ReplaceAll(words, " ", "-")
	}
	sum := sha256.Sum256([]byte(name))
	return "x" + hex.EncodeToString(sum[:4])
}

// cutWords returns the first of words, as many as a slug may hold. No word is as
// long as that.
func cutWords(words string) string {
	if len(words) <= maxSlug {
		return words
	}
	end := strings.LastIndexByte(words[:maxSlug], ' ')
	return words[:max(end, 0)]
}

// freeSlug returns the slug of a name, with a number when it is taken.
func freeSlug(name string, taken func(string) bool) string {
	slug := slugOf(name)
	for n, first := 2, slug; taken(slug); n++ {
		slug = first + "-" + strconv.Itoa(n)
	}
	return slug
}
