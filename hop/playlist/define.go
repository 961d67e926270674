package playlist

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxVars bounds the variables of a playlist.
const maxVars = 128

var (
	errUndefined = errors.New("a variable that has no value")
	errTwice     = errors.New("a variable that has two values")
	errValue     = errors.New("a variable's value that cannot stand in a line")
)

// define gives a variable its value. A line without any of the three forms
// names none.
func (r *rewriter) define(list []byte) error {
	v, ok, err := r.definition(list)
	if err != nil || !ok {
		return err
	}
	switch {
	case len(r.vars) == maxVars:
		return ErrLimit.Because(fmt.Errorf("more than %d variables", maxVars))
	case !printable(v.Value):
		return ErrOrigin.Because(errValue)
	}
	if _, twice := valueOf(r.vars, []byte(v.Name)); twice {
		return ErrOrigin.Because(errTwice)
	}
	r.vars = append(r.vars, v)
	r.late = r.late || r.info.References > 0 && r.handed == nil
	return nil
}

func (r *rewriter) definition(list []byte) (Var, bool, error) {
	var value string
	name, ok := find(list, "NAME")
	if ok {
		v, _ := find(list, "VALUE")
		value = string(v)
	} else if name, ok = find(list, "QUERYPARAM"); ok {
		v, given := parameter(r.base.Query(), string(name))
		if !given {
			return Var{}, false, ErrOrigin.Because(errUndefined)
		}
		value = v
	} else if name, ok = find(list, "IMPORT"); ok {
		v, given := valueOf(r.o.Vars, name)
		if !given {
			return Var{}, false, ErrOrigin.Because(errUndefined)
		}
		value = v
	}
	return Var{string(name), value}, ok, nil
}

// imports returns the variables that a playlist may import which a reference
// leads to. All renditions import from the same playlist, so that a report of
// one equals the reference that it is known by.
func (r *rewriter) imports(report bool) []Var {
	switch {
	case report:
		return r.o.Vars
	case r.handed != nil:
		return r.handed
	}
	return r.vars
}

func valueOf(vars []Var, name []byte) (string, bool) {
	for _, v := range vars {
		if v.Name == string(name) {
			return v.Value, true
		}
	}
	return "", false
}

// printable reports whether a value ends neither a line nor a quoted string.
func printable(value string) bool {
	return utf8.ValidString(value) && !strings.ContainsFunc(value, func(c rune) bool {
		return c < ' ' || c == '"' || c == 0x7F
	})
}

// parameter returns the value of the first parameter with a name in a query,
// percent-decoded. A plus sign stays one: tokens contain them.
func parameter(query []byte, name string) (string, bool) {
	query = bytes.TrimPrefix(query, []byte("?"))
	for len(query) > 0 {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		key, value, _ := bytes.Cut(pair, []byte("="))
		if decode(key) == name {
			return decode(value), true
		}
	}
	return "", false
}

// decode replaces what is percent-encoded; a percent sign alone is itself.
func decode(b []byte) string {
	var out []byte
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '%' && i+2 < len(b) {
			if high, low := digit(b[i+1]), digit(b[i+2]); high >= 0 && low >= 0 {
				c = byte(high<<4 | low)
				i += 2
			}
		}
		out = append(out, c)
	}
	return string(out)
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// expandAll returns b with every variable replaced.
func (r *rewriter) expandAll(b []byte) ([]byte, error) {
	if !r.refs {
		return b, nil
	}
	var err error
	r.expanded, err = r.expand(r.expanded[:0], b)
	return r.expanded, err
}

// references are the attributes whose values are written with quotes, whether
// they had them or not.
var references = []string{"URI", "X-ASSET-URI", "X-ASSET-LIST", "X-URI"}

// expandList returns an attribute list with the variables replaced that are in
// quoted strings, in hexadecimal numbers and in references.
func (r *rewriter) expandList(list []byte) ([]byte, error) {
	if !r.refs || !bytes.Contains(list, []byte("{$")) {
		return list, nil
	}
	out, done := r.expanded[:0], 0
	for a, ok := next(list, 0); ok; a, ok = next(list, a.to) {
		value := list[a.from:a.to]
		if !quoted(value) && !hexadecimal(value) && !a.named(list, references) {
			continue
		}
		var err error
		out = append(out, list[done:a.from]...)
		if out, err = r.expand(out, value); err != nil {
			return nil, err
		}
		done = a.to
	}
	r.expanded = append(out, list[done:]...)
	return r.expanded, nil
}

func hexadecimal(b []byte) bool {
	return len(b) > 1 && b[0] == '0' && b[1]|0x20 == 'x'
}

// expand adds b to out with every variable replaced.
func (r *rewriter) expand(out, b []byte) ([]byte, error) {
	for {
		i := bytes.Index(b, []byte("{$"))
		if i < 0 {
			return append(out, b...), nil
		}
		out = append(out, b[:i]...)
		b = b[i:]
		name := variable(b)
		if name == nil {
			out = append(out, "{$"...)
			b = b[len("{$"):]
			continue
		}
		value, ok := valueOf(r.vars, name)
		if !ok {
			return nil, ErrOrigin.Because(errUndefined)
		}
		if out = append(out, value...); len(out) > MaxOutput {
			return nil, ErrLimit.Because(errors.New("a line that variables make too long"))
		}
		b = b[len("{$}")+len(name):]
	}
}

// variable returns the name in the reference to a variable that b begins with,
// or nil when it begins with none.
func variable(b []byte) []byte {
	rest := b[len("{$"):]
	for i, c := range rest {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
		case c == '}' && i > 0:
			return rest[:i]
		default:
			return nil
		}
	}
	return nil
}
