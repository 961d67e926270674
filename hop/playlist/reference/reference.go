// Package reference resolves references of a playlist against its URL, as
// browsers do (WHATWG URL, which agrees with RFC 3986 section 5.2 on all
// valid references).
//
// It works on bytes and neither decodes nor re-encodes a reference, because
// origins compare their tokens byte for byte. Only bytes that would break a
// line or a quoted string are percent-encoded. Nearly all references take a
// fast path that looks at each byte once and copies; net/url would cost
// several allocations for each line.
package reference

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A Base is the URL that references are resolved against. The numbers are
// lengths of its prefixes. The zero Base is not valid.
type Base struct {
	url    []byte // without fragment and dot segments
	scheme int    // "https:"
	host   int    // "https://example.org"
	dir    int    // "https://example.org/live/"
	path   int    // "https://example.org/live/index.m3u8"
}

// Valid reports whether b is an absolute http or https URL with a host.
func (b *Base) Valid() bool { return b.host > b.scheme+len("//") }

// New parses a URL into a Base. It stores the URL in the spare capacity of
// buf if it fits, and returns what is left of buf. The Base is not valid when
// the URL is not an absolute http or https URL.
func New(buf, raw []byte) (Base, []byte) {
	ref := strip(raw)
	if !OnWeb(ref) {
		return Base{}, buf
	}
	u := (&Base{}).appendAny(buf, ref)
	rest := u[len(u):]
	if i := bytes.IndexByte(u, '#'); i >= 0 {
		u = u[:i]
	}
	b := Base{url: u[:len(u):len(u)], scheme: bytes.IndexByte(u, ':') + 1}
	b.host = b.scheme + len("//")
	b.host += bytes.IndexByte(u[b.host:], '/')
	b.path = len(u)
	if i := bytes.IndexByte(u, '?'); i >= 0 {
		b.path = i
	}
	b.dir = bytes.LastIndexByte(u[:b.path], '/') + 1
	return b, rest
}

// Query returns b's query with its question mark, or nothing.
func (b *Base) Query() []byte { return b.url[b.path:] }

// Root returns b's scheme and host with the slash after them.
func (b *Base) Root() []byte { return b.url[:b.host+1] }

// Folder returns the number of bytes that resolving adds to a relative
// reference.
func (b *Base) Folder() int { return b.dir }

// Append appends the URL that ref resolves to. An http or https URL gets its
// scheme in lower case and a path after its host; a URL with another scheme
// stays as it is.
func (b *Base) Append(dst, ref []byte) []byte {
	f := traits(ref)
	switch {
	case f&special != 0:
	case f&colon != 0 && absolute(ref):
		return append(dst, ref...)
	case f&colon != 0 || ref[0] == '?' || ref[0] == '#':
	case ref[0] != '/':
		dst = append(dst, b.url[:b.dir]...)
		return append(dst, ref...)
	case len(ref) > 1 && ref[1] != '/':
		dst = append(dst, b.url[:b.host]...)
		return append(dst, ref...)
	}
	return b.appendAny(dst, ref)
}

// appendAny is Append for references of every form. It writes a path after
// every host.
func (b *Base) appendAny(dst, ref []byte) []byte {
	ref = strip(ref)
	scheme, rest := cutScheme(ref)
	switch {
	case scheme == nil:
		return b.relative(dst, ref)
	case !isHTTP(scheme):
		return appendForeign(dst, ref)
	case bytes.EqualFold(scheme, b.url[:b.scheme]):
		return b.relative(dst, rest)
	}
	return appendHost(appendLower(dst, scheme), rest)
}

// relative appends the URL that a reference without a scheme resolves to.
func (b *Base) relative(dst, ref []byte) []byte {
	root := len(dst) + b.host
	switch {
	case len(ref) == 0:
		return append(dst, b.url...)
	case ref[0] == '?':
		return appendEncoded(append(dst, b.url[:b.path]...), ref)
	case ref[0] == '#':
		return appendEncoded(append(dst, b.url...), ref)
	case !slash(ref[0]):
		return appendPath(append(dst, b.url[:b.dir]...), root, ref)
	case len(ref) > 1 && slash(ref[1]):
		return appendHost(append(dst, b.url[:b.scheme]...), ref)
	}
	return appendPath(append(append(dst, b.url[:b.host]...), '/'), root, ref[1:])
}

// appendHost appends a reference that begins with a host to a scheme,
// whatever slashes precede the host.
func appendHost(dst, ref []byte) []byte {
	for len(ref) > 0 && slash(ref[0]) {
		ref = ref[1:]
	}
	end := bytes.IndexAny(ref, `/\?#`)
	if end < 0 {
		end = len(ref)
	}
	dst = appendEncoded(append(dst, "//"...), ref[:end])
	root := len(dst)
	dst = append(dst, '/')
	if end < len(ref) && slash(ref[end]) {
		end++
	}
	return appendPath(dst, root, ref[end:])
}

// appendPath appends ref to dst[root:], a path that ends with a slash. Dot
// segments are removed; the query and the fragment are appended unchanged.
func appendPath(dst []byte, root int, ref []byte) []byte {
	path, rest := ref, []byte(nil)
	if i := bytes.IndexAny(ref, "?#"); i >= 0 {
		path, rest = ref[:i], ref[i:]
	}
	for {
		i := bytes.IndexAny(path, `/\`)
		segment := path
		if i >= 0 {
			segment = path[:i]
		}
		switch dots(segment) {
		case 0:
			dst = appendEncoded(dst, segment)
			if i >= 0 {
				dst = append(dst, '/')
			}
		case 2:
			if up := len(dst) - 1; up > root {
				dst = dst[:root+bytes.LastIndexByte(dst[root:up], '/')+1]
			}
		}
		if i < 0 {
			return appendEncoded(dst, rest)
		}
		path = path[i+1:]
	}
}

// dots returns 1 for ".", 2 for "..", also percent-encoded, and 0 for any
// other segment.
func dots(segment []byte) int {
	n := 0
	for len(segment) > 0 && n < 3 {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case encodedDot(segment):
			segment = segment[len("%2e"):]
		default:
			return 0
		}
		n++
	}
	return n % 3
}

func encodedDot(b []byte) bool {
	return len(b) >= 3 && b[0] == '%' && b[1] == '2' && b[2]|0x20 == 'e'
}

const hex = "0123456789ABCDEF"

// appendEncoded appends b, and percent-encodes what cannot stand in a line or
// a quoted string, and bytes that are not valid UTF-8.
func appendEncoded(dst, b []byte) []byte {
	for len(b) > 0 {
		n := 0
		for n < len(b) && !unsafe[b[n]] {
			n++
		}
		dst = append(dst, b[:n]...)
		if b = b[n:]; len(b) == 0 {
			break
		}
		c, size := utf8.DecodeRune(b)
		if c < utf8.RuneSelf || c == utf8.RuneError && size == 1 {
			dst = append(dst, '%', hex[b[0]>>4], hex[b[0]&15])
		} else {
			dst = append(dst, b[:size]...)
		}
		b = b[size:]
	}
	return dst
}

// appendForeign appends a reference with a scheme other than http and https.
// Only quotes, which would end a quoted string, and invalid UTF-8 are
// changed.
func appendForeign(dst, ref []byte) []byte {
	for _, c := range string(ref) {
		if c == '"' {
			dst = append(dst, "%22"...)
			continue
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}

func appendLower(dst, b []byte) []byte {
	for _, c := range b {
		dst = append(dst, c|0x20)
	}
	return dst
}

// strip removes what browsers remove from a reference before they parse it.
func strip(ref []byte) []byte {
	ref = Trim(ref)
	if slices.ContainsFunc(ref, breaks) {
		ref = slices.DeleteFunc(bytes.Clone(ref), breaks)
	}
	return ref
}

func breaks(c byte) bool { return c == '\t' || c == '\r' || c == '\n' }

// cutScheme splits a reference after the colon of its scheme. A name with a
// colon, such as "2024-01-01T10:00:00.ts", has no scheme.
func cutScheme(ref []byte) (scheme, rest []byte) {
	for i, c := range ref {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return ref[:i+1], ref[i+1:]
		default:
			return nil, ref
		}
	}
	return nil, ref
}

func isHTTP(scheme []byte) bool {
	return bytes.EqualFold(scheme, []byte("http:")) || bytes.EqualFold(scheme, []byte("https:"))
}

// OnWeb reports whether ref is an absolute http or https URL with a host.
func OnWeb(ref []byte) bool {
	scheme, rest := cutScheme(ref)
	return isHTTP(scheme) && len(rest) > 2 && slash(rest[0]) && slash(rest[1]) && !slash(rest[2])
}

func slash(c byte) bool { return c == '/' || c == '\\' }

// unsafe are the bytes that appendEncoded must look at.
var unsafe = func() (u [256]bool) {
	for c := range u {
		u[c] = c <= ' ' || c == '"' || c >= 0x7F
	}
	return u
}()

// What a reference contains, as far as it decides how it is resolved.
const (
	special = 1 << iota // a byte that the fast path cannot copy
	slashes             // "/"
	percent             // "%"
	colon               // ":"
)

var trait = func() (t [256]uint8) {
	for c, u := range unsafe {
		if u {
			t[c] = special
		}
	}
	t['\\'], t['/'], t['%'], t[':'] = special, slashes, percent, colon
	return t
}()

// traits looks at every byte of a reference once. It returns special for an
// empty reference, and for one that may have a dot segment.
func traits(ref []byte) uint8 {
	var f uint8
	rest := ref
	for ; len(rest) >= 4; rest = rest[4:] {
		f |= trait[rest[0]] | trait[rest[1]] | trait[rest[2]] | trait[rest[3]]
	}
	for _, c := range rest {
		f |= trait[c]
	}
	switch {
	case len(ref) == 0, ref[0] == '.', f&slashes != 0 && bytes.Contains(ref, []byte("/.")):
		return special
	case f&percent != 0 && (bytes.Contains(ref, []byte("%2e")) || bytes.Contains(ref, []byte("%2E"))):
		return special
	}
	return f
}

// absolute reports whether ref is an http or https URL with a host and a
// path, all in the form that Append writes.
func absolute(ref []byte) bool {
	n := len("http://")
	if !hasPrefix(ref, "http://") {
		if n++; !hasPrefix(ref, "https://") {
			return false
		}
	}
	for i, c := range ref[n:] {
		switch c {
		case '/':
			return i > 0
		case '?', '#':
			return false
		}
	}
	return false
}

// Trim cuts spaces and control characters on both sides of b, as browsers do
// with references.
func Trim(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// hasPrefix is bytes.HasPrefix for a constant, which compiles to one
// comparison.
func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}
