package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// A selection says which members a result keeps. Nil keeps all.
type selection struct {
	whole bool // keeps everything below
	order []string
	of    map[string]*selection
}

// child returns the selection of a member, which it adds when it is missing.
func (s *selection) child(name string) *selection {
	if s.of == nil {
		s.of = map[string]*selection{}
	}
	if s.of[name] == nil {
		s.order, s.of[name] = append(s.order, name), &selection{}
	}
	return s.of[name]
}

// all reports whether s keeps everything.
func (s *selection) all() bool { return s == nil || s.whole }

// names lists the paths of what s keeps, in their order; those below a member alone,
// and relative to it, when member is not empty.
func (s *selection) names(member string) (paths []string) {
	if s.all() {
		return nil
	}
	if member != "" {
		return s.of[member].names("")
	}
	for _, name := range s.order {
		below := s.of[name].names("")
		if len(below) == 0 {
			paths = append(paths, name)
		}
		for _, path := range below {
			paths = append(paths, name+"."+path)
		}
	}
	return paths
}

// outside lists the paths of what s keeps that do not lead through a member.
func (s *selection) outside(member string) (paths []string) {
	if s.all() || member == "" {
		return nil
	}
	for _, name := range s.order {
		if name == member {
			continue
		}
		rest := &selection{order: []string{name}, of: map[string]*selection{name: s.of[name]}}
		paths = append(paths, rest.names("")...)
	}
	return paths
}

// apply returns a JSON value with what s keeps of it. Lists keep their length.
func (s *selection) apply(value json.RawMessage) (json.RawMessage, error) {
	if s.all() || len(value) == 0 {
		return value, nil
	}
	switch value[0] {
	case '{':
		return s.applyObject(value)
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			return nil, err
		}
		var err error
		for i := range list {
			if list[i], err = s.apply(list[i]); err != nil {
				return nil, err
			}
		}
		return joinList(list), nil
	}
	return value, nil
}

func (s *selection) applyObject(value json.RawMessage) (json.RawMessage, error) {
	out := make(object, 0, len(s.of))
	err := eachMember(value, func(name string, member json.RawMessage) (err error) {
		if child, ok := s.of[name]; ok {
			if member, err = child.apply(member); err == nil {
				out = append(out, field{name, member})
			}
		}
		return err
	})
	return out.json(), err
}

// eachMember calls f with the members of a JSON object, in their order.
func eachMember(value json.RawMessage, f func(name string, member json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(value))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, ok := key.(string)
		if !ok {
			return fmt.Errorf("the name of a member is %v", key)
		}
		var member json.RawMessage
		if err := d.Decode(&member); err != nil {
			return err
		}
		if err := f(name, member); err != nil {
			return err
		}
	}
	return nil
}

// An object is a JSON object whose members keep their order.
type object []field

type field struct {
	name  string
	value json.RawMessage
}

// json returns the object as text. Names of members are those of Go tags, which need
// no escapes but quotes.
func (o object) json() json.RawMessage {
	b := []byte{'{'}
	for i, f := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, f.name), ':')
		b = append(b, f.value...)
	}
	return append(b, '}')
}

// joinList returns values as a JSON list.
func joinList(values []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}
