package speech

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Spam is one text that is posted again and again, often with a word or a few letters
// changed. Texts are compared by their prints, which are short enough to be kept beside
// the time of a text and do not contain it.
//
// A print is made from the folded text: compatibility forms are replaced (NFKD), letters
// are lower case and without accents, a letter or emoji that is repeated stands once, and
// spaces, punctuation and invisible characters are left out. Two texts with the same folded form
// are the same.
//
// The print of a long text also has a sketch of its shingles, which are the sequences of
// three characters in the folded text: the sketchLen smallest of their hashes. From two
// sketches the similarity of the sets of shingles (Jaccard) is estimated, with a standard
// error below 0.09. One changed letter in a text of 60 characters leaves a similarity of
// about 0.9, three changed letters 0.7; independent texts of one language stay below 0.2.
//
// Short texts, such as "boa!" or "muito bom", are written by many people who mean them, and
// so are long ones that say little: every long "hahaha" has the same few shingles. They have
// no sketch, and the callers of this package give them wider limits.

// LongFrom is the number of folded characters from which a text is long, unless it has
// fewer than minShingles.
const LongFrom = 20

const (
	keyLen      = 8  // bytes of the hash of a folded text
	shingleLen  = 3  // characters
	minShingles = 8  // different ones in a long text
	hashLen     = 3  // bytes of the hash of a shingle
	sketchLen   = 32 // hashes in a sketch
	nearPercent = 60 // similarity of texts that are nearly the same
)

// A Print stands for a text where texts are compared. It can be stored.
type Print string

var printText = base64.RawURLEncoding

// keyText is the length of the key at the beginning of a print.
var keyText = printText.EncodedLen(keyLen)

// PrintOf returns the print of a text.
func PrintOf(text string) Print {
	folded := fold(text)
	if len(folded) == 0 { // punctuation alone
		folded = []rune(text)
	}
	sum := sha256.Sum256([]byte(string(folded)))
	p := printText.EncodeToString(sum[:keyLen])
	if len(folded) < LongFrom {
		return Print(p)
	}
	hashes := sketch(folded)
	if len(hashes) < minShingles*hashLen {
		return Print(p)
	}
	return Print(p + printText.EncodeToString(hashes))
}

// Long reports whether p is the print of a long text.
func (p Print) Long() bool { return len(p) > keyText }

// Same reports whether the texts of p and q have the same folded form.
func (p Print) Same(q Print) bool {
	return len(p) >= keyText && len(q) >= keyText && p[:keyText] == q[:keyText]
}

// Repeats reports whether the texts of p and q are the same or, where both are long,
// nearly the same.
func (p Print) Repeats(q Print) bool {
	if p.Same(q) {
		return true
	}
	if !p.Long() || !q.Long() {
		return false
	}
	return similarity(p.hashes(), q.hashes()) >= nearPercent
}

// fold returns the characters of a text by which it is compared.
func fold(text string) []rune {
	var folded []rune
	for _, r := range strings.ToLower(norm.NFKD.String(text)) {
		switch {
		case unicode.IsDigit(r):
		case !unicode.In(r, unicode.L, unicode.N, unicode.So) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			continue
		case len(folded) > 0 && folded[len(folded)-1] == r:
			continue // a repeated letter or emoji
		}
		folded = append(folded, r)
	}
	return folded
}

// sketch returns the smallest hashes of the shingles of a folded text, in order.
func sketch(folded []rune) []byte {
	all := make([][]byte, 0, len(folded))
	for i := range len(folded) - shingleLen + 1 {
		sum := sha256.Sum256([]byte(string(folded[i : i+shingleLen])))
		all = append(all, sum[:hashLen])
	}
	slices.SortFunc(all, bytes.Compare)
	all = slices.CompactFunc(all, bytes.Equal)
	return bytes.Join(all[:min(len(all), sketchLen)], nil)
}

// hashes returns the hashes in the sketch of p, in order.
func (p Print) hashes() []uint32 {
	b, err := printText.DecodeString(string(p[keyText:]))
	if err != nil {
		return nil // of a stored print that was damaged: it is similar to no other
	}
	list := make([]uint32, 0, len(b)/hashLen)
	for ; len(b) >= hashLen; b = b[hashLen:] {
		list = append(list, uint32(b[0])<<16|uint32(b[1])<<8|uint32(b[2]))
	}
	return list
}

// similarity estimates the similarity of two sets from their sketches, in percent: the
// share of common hashes among the smallest of both together.
func similarity(a, b []uint32) int {
	common, all := 0, 0
	for len(a) > 0 && len(b) > 0 && all < sketchLen {
		all++
		switch cmp.Compare(a[0], b[0]) {
		case -1:
			a = a[1:]
		case 1:
			b = b[1:]
		default:
			common++
			a, b = a[1:], b[1:]
		}
	}
	all = min(all+len(a)+len(b), sketchLen)
	if all == 0 {
		return 0
	}
	return 100 * common / all
}
