package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// maxNesting is how deep lists and maps may lie in a document, itself counted.
const maxNesting = 20

// An Encoded is a document as implementations keep it.
type Encoded struct {
	JSON   []byte    // one object, compact, without a name said twice
	Expire time.Time // the value of expire_at; zero when the document stays
}

// Encode returns doc as JSON, or why it cannot be kept: ErrTooLarge or
// ErrDocument. Implementations keep nothing that has not passed here.
func Encode(doc any) (Encoded, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return Encoded{}, ErrDocument.Because(err)
	}
	return check(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// check returns body, valid and compact JSON, as a document that can be kept.
func check(body []byte) (Encoded, error) {
	if len(body) > MaxSize {
		return Encoded{}, ErrTooLarge
	}
	if len(body) == 0 || body[0] != '{' {
		return Encoded{}, ErrDocument.Because(fmt.Errorf("not an object"))
	}
	s := scanner{b: body, size: 32}
	s.object(1)
	if s.err != nil {
		return Encoded{}, ErrDocument.Because(s.err)
	}
	if s.size > MaxSize {
		return Encoded{}, ErrTooLarge
	}
	expire, err := expireAt(s.expire)
	return Encoded{JSON: body, Expire: expire}, err
}

// expireAt returns the moment that raw, the JSON value of the field expire_at,
// names: zero when there is no such field.
func expireAt(raw []byte) (time.Time, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return time.Time{}, nil
	}
	t, err := time.Parse(`"`+timeLayout+`"`, string(raw))
	if err != nil {
		return time.Time{}, ErrDocument.Because(fmt.Errorf("expire_at: %w", err))
	}
	return t, nil
}

// Decode sets doc, a pointer, from the JSON of a document.
func Decode(body []byte, doc any) error {
	if err := json.Unmarshal(body, doc); err != nil {
		return fmt.Errorf("decode document: %w", err)
	}
	return nil
}

// A scanner walks valid, compact JSON and counts its size as Firestore does:
// a string takes its bytes and one, a number 8, a bool or null 1, a map or
// list its parts, and a map 32 more. The bytes are those of JSON, where an
// escape takes several: too many rather than too few.
// See https://firebase.google.com/docs/firestore/storage-size.
type scanner struct {
	b      []byte
	i      int    // the position of the next value
	size   int    // bytes
	expire []byte // the value of the top-level field expire_at
	err    error
}

func (s *scanner) value(depth int, inList bool) {
	switch c := s.b[s.i]; {
	case depth > maxNesting && (c == '{' || c == '['):
		s.err = fmt.Errorf("nested more than %d deep", maxNesting)
	case c == '{':
		s.size += 32
		s.object(depth)
	case c == '[' && inList:
		s.err = fmt.Errorf("a list directly within a list")
	case c == '[':
		s.list(depth)
	case c == '"':
		s.text()
	case c == 't', c == 'n':
		s.i, s.size = s.i+4, s.size+1
	case c == 'f':
		s.i, s.size = s.i+5, s.size+1
	default:
		s.number()
	}
}

// object walks the object at the scanner's position.
func (s *scanner) object(depth int) {
	names := map[string]struct{}{}
	for s.i++; s.err == nil && s.b[s.i] != '}'; {
		if s.b[s.i] == ',' {
			s.i++
		}
		name := s.name(names)
		if s.err != nil {
			return
		}
		start := s.i
		s.value(depth+1, false)
		if depth == 1 && name == "expire_at" {
			s.expire = s.b[start:s.i]
		}
	}
	s.i++
}

// name walks the name of a field and its colon, and adds it to those that the
// object has.
func (s *scanner) name(names map[string]struct{}) string {
	raw := s.text()
	s.i++
	name := string(raw[1 : len(raw)-1])
	if strings.Contains(name, `\`) {
		s.err = json.Unmarshal(raw, &name)
	}
	if name == "" || len(name) > maxSegment || reserved(name) {
		s.err = fmt.Errorf("field name %.40q", name)
	}
	if _, twice := names[name]; twice {
		s.err = fmt.Errorf("field %.40q twice", name)
	}
	names[name] = struct{}{}
	return name
}

func (s *scanner) list(depth int) {
	for s.i++; s.err == nil && s.b[s.i] != ']'; {
		if s.b[s.i] == ',' {
			s.i++
		}
		s.value(depth+1, true)
	}
	s.i++
}

// text walks the string at the scanner's position and returns it, quoted.
func (s *scanner) text() []byte {
	start := s.i
	for s.i++; s.b[s.i] != '"'; {
		s.i += bytes.IndexAny(s.b[s.i:], `"\`)
		if s.b[s.i] == '\\' {
			s.i += 2
		}
	}
	s.i++
	s.size += s.i - start - 1
	return s.b[start:s.i]
}

// number walks the number at the scanner's position. A whole one must fit
// int64, since both databases would round it otherwise, and any other float64.
func (s *scanner) number() {
	start := s.i
	for s.i < len(s.b) && !strings.ContainsRune(",]}", rune(s.b[s.i])) {
		s.i++
	}
	s.size += 8
	n := json.Number(s.b[start:s.i])
	if strings.ContainsAny(string(n), ".eE") {
		_, s.err = n.Float64()
		return
	}
	if _, err := n.Int64(); err != nil {
		s.err = fmt.Errorf("a whole number beyond 64 bits")
	}
}
