// Package jsontext knows how a text stands inside a JSON string: exactly as
// encoding/json writes it with HTML escaping off.
package jsontext

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Append adds s, escaped and without quotes, to dst.
func Append[T string | []byte](dst []byte, s T) []byte {
	if Plain(s) {
		return append(dst, s...)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(string(s)) != nil {
		return dst // a string always encodes
	}
	quoted := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return append(dst, quoted[1:len(quoted)-1]...)
}

// Quote adds s as a JSON string to dst.
func Quote[T string | []byte](dst []byte, s T) []byte {
	return append(Append(append(dst, '"'), s), '"')
}

// Plain reports whether s stands for itself. It answers false for some that
// do, never true for one that does not.
func Plain[T string | []byte](s T) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		if !plainWord(w) {
			break
		}
	}
	for ; i < len(s); i++ {
		if !plain[s[i]] {
			return multibyte(s[i:])
		}
	}
	return true
}

// plainWord reports whether all eight bytes of w are plain ASCII: no high bit,
// none below a space, no quote, no backslash. It may answer false for some
// that are.
func plainWord(w uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := w^ones*'"', w^ones*'\\'
	return (w|(w-ones*' ')|(quote-ones)|(slash-ones))&highs == 0
}

// multibyte is Plain for the rest of a string that is not all ASCII.
func multibyte[T string | []byte](s T) bool {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case plain[c]:
			i++
			continue
		case c < utf8.RuneSelf:
			return false
		}
		r, size := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
		if r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
			return false
		}
		i += size
	}
	return true
}

// plain holds the ASCII bytes that need no escape.
var plain = func() (t [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// Text returns the text that Append made escaped of.
func Text(escaped []byte) string {
	if bytes.IndexByte(escaped, '\\') < 0 {
		return string(escaped)
	}
	var s string
	quoted := append(append([]byte{'"'}, escaped...), '"')
	if json.Unmarshal(quoted, &s) != nil {
		return string(escaped) // never: Append wrote it
	}
	return s
}
