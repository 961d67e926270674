package markup

import "bytes"

// nameEnd returns the length of the name at the start of p, or 0.
func nameEnd(p []byte) int {
	for i, c := range p {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
		if !letter && (i == 0 || c != '-' && c != '.' && (c < '0' || '9' < c)) {
			return i
		}
	}
	return len(p)
}

// Attribute splits the first attribute from attrs: its name, its raw value,
// and the rest. ok is false when there is no well-formed attribute.
func Attribute(attrs []byte) (name, value, rest []byte, ok bool) {
	attrs = TrimLeft(attrs)
	n := nameEnd(attrs)
	name, rest = attrs[:n], TrimLeft(attrs[n:])
	if n == 0 || len(rest) == 0 || rest[0] != '=' {
		return nil, nil, nil, false
	}
	rest = TrimLeft(rest[1:])
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return nil, nil, nil, false
	}
	end := bytes.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return nil, nil, nil, false
	}
	return name, rest[1 : end+1], rest[end+2:], true
}

// TrimLeft returns p without leading white space.
func TrimLeft(p []byte) []byte {
	for len(p) > 0 && (p[0] == ' ' || p[0] == '\t' || p[0] == '\r' || p[0] == '\n') {
		p = p[1:]
	}
	return p
}
