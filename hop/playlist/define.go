package playlist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file replaces variables (EXT-X-DEFINE). The hop's own URLs would hide
// the query that QUERYPARAM reads and the parent that IMPORT reads, so the
// hop resolves all variables itself and drops the definitions.
//
// A value is text: what looks like a reference to a variable in it is not
// replaced (RFC 8216bis 6.3.1). The quoted value of a definition is an attribute
// like others, in which variables defined above are replaced first (4.3); so such
// text comes from a query, from another playlist, or from a value without quotes.
// Players would read it in the hop's output as a reference to a variable that
// nobody defined, and give up. In URLs its brace is percent-encoded, as browsers
// do in paths; elsewhere it stays.

// maxVars bounds the variables of a playlist.
const maxVars = 128

var (
	errUndefined = errors.New("a variable is not defined")
	errTwice     = errors.New("a variable is defined twice")
	errValue     = errors.New("a variable's value has a control character or a quote")
)

// define defines a variable. It ignores a tag in none of the three forms.
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
	r.escapes = r.escapes || strings.Contains(v.Value, "{")
	r.definedLate = r.definedLate || r.info.References > 0 && r.exported == nil
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

// importable returns the variables that the playlist behind a reference may
// import. All renditions import from the same parent, so a rendition report
// carries the parent's variables and equals the reference that the parent
// wrote.
func (r *rewriter) importable(report bool) []Var {
	switch {
	case report:
		return r.o.Vars
	case r.exported != nil:
		return r.exported
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

// printable reports whether a value can stand in a line and in a quoted
// string.
func printable(value string) bool {
	return utf8.ValidString(value) && !strings.ContainsFunc(value, func(c rune) bool {
		return c < ' ' || c == '"' || c == 0x7F
	})
}

// parameter returns the value of the first query parameter called name,
// percent-decoded. A plus sign stays a plus sign: tokens contain them.
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

// decode decodes percent-encoded bytes. It keeps a percent sign that begins
// none.
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
	if !r.hasVars {
		return b, nil
	}
	var err error
	r.expanded, err = r.expand(r.expanded[:0], b)
	return r.expanded, err
}

// references are the attributes whose values are always written with quotes.
var references = []string{"URI", "X-ASSET-URI", "X-ASSET-LIST", "X-URI"}

// expandList returns an attribute list in which variables are replaced in
// quoted strings, hexadecimal numbers and references (RFC 8216bis 4.3).
func (r *rewriter) expandList(list []byte) ([]byte, error) {
	if !r.hasVars || !bytes.Contains(list, []byte("{$")) {
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

// expand appends b to out with every variable replaced. It stops once the
// line is longer than MaxOutput.
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
			return nil, ErrLimit.Because(errors.New("a line with its variables replaced is too long"))
		}
		b = b[len("{$}")+len(name):]
	}
}

// variable returns the name in the variable reference at the start of b, or
// nil when there is none.
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

// escapeVariables percent-encodes the brace of what looks like a reference to a
// variable in text[n:].
func escapeVariables(text []byte, n int) []byte {
	for {
		i := bytes.Index(text[n:], []byte("{$"))
		if i < 0 {
			return text
		}
		if n += i; variable(text[n:]) != nil {
			text = slices.Replace(text, n, n+1, []byte("%7B")...)
		}
		n += len("{$")
	}
}
