package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Encoding is the same for every database: a document becomes JSON once, and
// a scanner checks it against the limits of both databases and measures it.
// Implementations store only documents that passed it.

// maxNesting is how deep lists and maps may nest, the document included.
const maxNesting = 20

// An Encoded is a document ready to be stored.
type Encoded struct {
	JSON   []byte    // one object, compact, without duplicate names
	Expire time.Time // the value of expire_at; zero when it does not expire
}

// Encode returns doc as JSON. It returns ErrTooLarge or ErrDocument when doc
// cannot be stored.
func Encode(doc any) (Encoded, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return Encoded{}, ErrDocument.Because(err)
	}
	return check(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// check checks body, valid and compact JSON.
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

// expireAt parses raw, the JSON value of the field expire_at; it returns zero
// when there is none.
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

// Decode decodes the JSON of a document into doc, a pointer. A *json.RawMessage gets
// body itself, which must not be changed.
func Decode(body []byte, doc any) error {
	if raw, ok := doc.(*json.RawMessage); ok {
		*raw = body
		return nil
	}
	if err := json.Unmarshal(body, doc); err != nil {
		return fmt.Errorf("decode document: %w", err)
	}
	return nil
}

// A scanner walks valid, compact JSON and adds up its size as Firestore does:
// the bytes of a string plus one, 8 for a number, 1 for a bool or null, 32
// for a map plus its parts, and the parts of a list. Escapes are counted as
// they are in JSON, which is more than Firestore counts. See
// https://firebase.google.com/docs/firestore/storage-size.
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

// object walks an object.
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

// name walks a field name and its colon, and refuses a duplicate.
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

// text walks a string and returns it with its quotes.
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

// number walks a number. An integer must fit int64 and any other number
// float64, since both databases would round it otherwise.
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
