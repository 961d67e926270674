package packing

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"miramundo.dev/shared/source/xmltv/markup"
)

// maxDeclaration is how many bytes of a file may hold its XML declaration.
const maxDeclaration = 512

// decode returns the text of r in UTF-8, without a byte order mark. The
// encoding is that of the mark, or of the first "<", or the one in the XML
// declaration.
func decode(r *bufio.Reader) (io.Reader, error) {
	head, _ := r.Peek(maxDeclaration) // an error comes again with the next read
	switch {
	case bytes.HasPrefix(head, []byte("\ufeff")):
		_, err := r.Discard(len("\ufeff"))
		return r, err
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{'<', 0}):
		return transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()), nil
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}), bytes.HasPrefix(head, []byte{0, '<'}):
		return transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()), nil
	}
	enc, err := named(strings.ToLower(declared(head)))
	if err != nil || enc == nil {
		return r, err
	}
	return transform.NewReader(r, enc.NewDecoder()), nil
}

// declared returns the encoding in the XML declaration of a file.
func declared(head []byte) string {
	declaration, found := bytes.CutPrefix(head, []byte("<?xml"))
	end := bytes.Index(declaration, []byte("?>"))
	if !found || end < 0 {
		return ""
	}
	for rest := declaration[:end]; ; {
		name, value, more, ok := markup.Attribute(rest)
		if !ok || string(name) == "encoding" {
			return strings.TrimSpace(string(value))
		}
		rest = more
	}
}

// named returns the encoding of a name in lower case, or nil for UTF-8. ASCII
// is read as UTF-8, which includes it, and so is UTF-16 declared in
// single-byte letters, since that is wrong. Latin-1 is read as windows-1252,
// as on the web.
func named(name string) (encoding.Encoding, error) {
	if name == "" || name == "ascii" || name == "us-ascii" || strings.HasPrefix(name, "utf-16") {
		return nil, nil
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		enc, err = ianaindex.IANA.Encoding(name)
	}
	switch {
	case err != nil, enc == nil, enc == encoding.Replacement:
		return nil, ErrEncoding
	case enc == unicode.UTF8:
		return nil, nil
	}
	return enc, nil
}
