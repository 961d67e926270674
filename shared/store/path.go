package store

import (
	"strings"
	"unicode/utf8"
)

// Limits of names, which fit both databases.
const (
	maxSegment = 1500 // bytes; Firestore's limit
	maxPath    = 4000 // bytes; the room that MaxSize leaves for names
	maxDepth   = 100  // collections within documents
)

// Split returns the collection and the id of the document at p. It returns
// ErrPath when p is not the path of a document.
func (p Path) Split() (collection Path, id string, err error) {
	if err := p.check(0); err != nil {
		return "", "", err
	}
	cut := strings.LastIndexByte(string(p), '/')
	return p[:cut], string(p[cut+1:]), nil
}

// CheckCollection returns ErrPath when p is not the path of a collection.
func (p Path) CheckCollection() error { return p.check(1) }

// Join returns p followed by names.
func (p Path) Join(names ...string) Path {
	return Path(strings.Join(append([]string{string(p)}, names...), "/"))
}

// check checks that the segments of p are valid and that their number is even
// for a document (parity 0) or odd for a collection (1).
func (p Path) check(parity int) error {
	if len(p) > maxPath {
		return ErrPath.With("problem", "too long")
	}
	n := 0
	for s := range strings.SplitSeq(string(p), "/") {
		if !segment(s) {
			return ErrPath.With("path", strings.ToValidUTF8(string(p), "�"))
		}
		n++
	}
	if n%2 != parity || n > 2*maxDepth {
		return ErrPath.With("path", string(p))
	}
	return nil
}

// segment reports whether s is a valid id or collection name.
func segment(s string) bool {
	if s == "" || s == "." || s == ".." || len(s) > maxSegment || reserved(s) {
		return false
	}
	return utf8.ValidString(s) && !strings.ContainsFunc(s, control) && !strings.Contains(s, "/")
}

// reserved reports whether Firestore reserves the name s.
func reserved(s string) bool {
	return len(s) >= 4 && strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__")
}

func control(r rune) bool { return r < 0x20 || r == 0x7f }
