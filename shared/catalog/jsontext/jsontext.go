// Package jsontext writes texts as JSON strings, exactly as encoding/json does
// with HTML escaping off.
//
// Records of the catalog are rendered by appending texts. Most texts need no escaping, which is checked eight bytes at a time;
// the few others are left to encoding/json, so that the result cannot differ.
package jsontext

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"unicode/utf8"
)

// Append appends s to dst, escaped and without quotes.
func Append[T string | []byte](dst []byte, s T) []byte {
	start := len(dst)
	dst = append(dst, s...)
	if Plain(dst[start:]) {
		return dst
	}
	return escape(dst[:start], string(s))
}

func escape(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return dst // a string always encodes
	}
	quoted := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return append(dst, quoted[1:len(quoted)-1]...)
}

// Quote appends s to dst as a JSON string.
func Quote[T string | []byte](dst []byte, s T) []byte {
	return append(Append(append(dst, '"'), s), '"')
}

// Plain reports whether s needs no escaping. It may report false for a text that
// needs none, but never true for one that does. Invalid UTF-8 is not plain.
func Plain(s []byte) bool {
	high := uint64(0)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		if special(w) {
			return false
		}
		high |= w
	}
	for ; i < len(s); i++ {
		if special(spaces | uint64(s[i])) { // the other bytes are above spaces
			return false
		}
		high |= uint64(s[i])
	}
	return high&highs == 0 || multibyte(s)
}

// Words of eight bytes: 0x01 each, the highest bit of each, and seven spaces
// above a free byte.
const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	spaces = 0x2020202020202000
)

// special reports whether one of the eight bytes of w is a control character, a
// quote or a backslash. It tests all bytes at once: subtracting a bound from a
// byte below it sets the byte's highest bit. It may be wrong, and report true,
// for words with bytes from 0x80 on.
func special(w uint64) bool {
	quote, slash := w^ones*'"', w^ones*'\\'
	return ((w-ones*' ')|(quote-ones)|(slash-ones))&^w&highs != 0
}

// multibyte is Plain for a string without special bytes that is not all ASCII:
// it must be valid UTF-8 without U+2028 and U+2029, which encoding/json escapes
// because JavaScript takes them for line ends.
func multibyte(s []byte) bool {
	for i := 0; ; i++ {
		at := bytes.IndexByte(s[i:], 0xE2) // which begins U+2028 and U+2029
		if at < 0 {
			return utf8.Valid(s)
		}
		if i += at; i+2 < len(s) && s[i+1] == 0x80 && s[i+2]&^1 == 0xA8 {
			return false
		}
	}
}

// Text returns the text from which Append made escaped.
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

// AppendText appends to dst the text from which Append made escaped. It does not
// allocate but for dst.
func AppendText(dst, escaped []byte) []byte {
	for {
		at := bytes.IndexByte(escaped, '\\')
		if at < 0 || at+1 == len(escaped) {
			return append(dst, escaped...)
		}
		dst = append(dst, escaped[:at]...)
		c := escaped[at+1]
		escaped = escaped[at+2:]
		if c != 'u' || len(escaped) < 4 {
			dst = append(dst, unescaped[c])
			continue
		}
		r := rune(0)
		for _, h := range escaped[:4] {
			r = r<<4 | rune(hexDigit[h])
		}
		dst, escaped = utf8.AppendRune(dst, r), escaped[4:]
	}
}

// unescaped holds what an escape of one letter stands for, hexDigit the values of
// digits.
var unescaped, hexDigit = func() (t, hex [256]byte) {
	for c := range t {
		t[c] = byte(c)
	}
	for i, c := range "bfnrt" {
		t[c] = "\b\f\n\r\t"[i]
	}
	for i, c := range "0123456789abcdef" {
		hex[c] = byte(i)
	}
	return t, hex
}()

// AppendValue appends v as encoding/json writes it without HTML escaping.
func AppendValue(dst []byte, v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return append(dst, "null"...) // never: the wire structs always encode
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
