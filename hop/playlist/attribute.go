package playlist

import (
	"bytes"

	"miramundo.dev/hop/playlist/reference"
)

// An attribute is an attribute of a tag, as offsets into its list.
type attribute struct {
	name, eq int // list[name:eq] is its name, perhaps with space after it
	from, to int // list[from:to] is its value with its quotes
}

// next returns the attribute that begins at or after from, and whether there
// is one. It parses as leniently as players do: space is allowed around
// everything, quotes may be missing, and an unclosed quote ends at a comma.
func next(list []byte, from int) (attribute, bool) {
	i := bytes.IndexByte(list[from:], '=')
	if i < 0 {
		return attribute{}, false
	}
	a := attribute{eq: from + i, from: from + i + 1}
	a.name = from + bytes.LastIndexByte(list[from:a.eq], ',') + 1
	for a.name < a.eq && list[a.name] <= ' ' {
		a.name++
	}
	for a.from < len(list) && list[a.from] <= ' ' {
		a.from++
	}
	a.to = valueEnd(list, a.from)
	return a, true
}

func valueEnd(list []byte, from int) int {
	if quoted(list[from:]) {
		return from + 2 + bytes.IndexByte(list[from+1:], '"')
	}
	if i := bytes.IndexByte(list[from:], ','); i >= 0 {
		return from + i
	}
	return len(list)
}

// quoted reports whether b begins with a quoted string.
func quoted(b []byte) bool {
	return len(b) > 1 && b[0] == '"' && bytes.IndexByte(b[1:], '"') >= 0
}

// is reports whether the attribute is called name.
func (a attribute) is(list []byte, name string) bool {
	return string(reference.Trim(list[a.name:a.eq])) == name
}

// value returns the attribute's value without quotes.
func (a attribute) value(list []byte) []byte {
	v := list[a.from:a.to]
	if quoted(v) {
		return v[1 : len(v)-1]
	}
	return bytes.TrimPrefix(reference.Trim(v), []byte(`"`))
}

// find returns the value of the first attribute called name, and whether
// there is one.
func find(list []byte, name string) ([]byte, bool) {
	for a, ok := next(list, 0); ok; a, ok = next(list, a.to) {
		if a.is(list, name) {
			return a.value(list), true
		}
	}
	return nil, false
}

// attributes writes a list in which put writes the values of the attributes
// called one of names. They come out quoted, unless an earlier quote is left
// open, which another quote would close.
func (r *rewriter) attributes(list []byte, put func(ref []byte) error, names ...string) error {
	done, quote := 0, `"`
	for a, ok := next(list, 0); ok; a, ok = next(list, a.to) {
		ref := a.value(list)
		if !a.named(list, names) || len(reference.Trim(ref)) == 0 {
			if v := list[a.from:a.to]; bytes.HasPrefix(v, []byte(`"`)) && !quoted(v) {
				quote = ""
			}
			continue
		}
		if err := r.copyList(list[done:a.from]); err != nil {
			return err
		}
		r.dst = append(r.dst, quote...)
		if err := put(ref); err != nil {
			return err
		}
		r.dst = append(r.dst, quote...)
		done = a.to
	}
	return r.copyList(list[done:])
}

func (a attribute) named(list []byte, names []string) bool {
	for _, name := range names {
		if a.is(list, name) {
			return true
		}
	}
	return false
}
