package store

import (
	"strings"
	"unicode/utf8"
)

// Bounds of names, so that a path and its document fit both databases.
const (
	maxSegment = 1500 // bytes, as Firestore has it
	maxPath    = 4000 // bytes: what MaxSize leaves for names
	maxDepth   = 100  // collections within documents
)

// Split returns the collection of the document at p, and its id.
// It returns ErrPath when p names no document.
func (p Path) Split() (collection Path, id string, err error) {
	if err := p.check(0); err != nil {
		return "", "", err
	}
	cut := strings.LastIndexByte(string(p), '/')
	return p[:cut], string(p[cut+1:]), nil
}

// CheckCollection returns ErrPath when p names no collection.
func (p Path) CheckCollection() error { return p.check(1) }

// Join returns the path of what lies below p under names.
func (p Path) Join(names ...string) Path {
	return Path(strings.Join(append([]string{string(p)}, names...), "/"))
}

// check tells whether p has well-formed segments, their number being even for
// a document (0) and odd for a collection (1).
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

// segment tells whether s can be an id or the name of a collection.
func segment(s string) bool {
	if s == "" || s == "." || s == ".." || len(s) > maxSegment || reserved(s) {
		return false
	}
	return utf8.ValidString(s) && !strings.ContainsFunc(s, control) && !strings.Contains(s, "/")
}

// reserved tells whether Firestore keeps the name s for itself.
func reserved(s string) bool {
	return len(s) >= 4 && strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__")
}

func control(r rune) bool { return r < 0x20 || r == 0x7f }
