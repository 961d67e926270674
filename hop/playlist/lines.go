package playlist

import "bytes"

// lines iterates over the lines of a text that are not blank, whether they
// end with LF, CR or both.
type lines struct {
	text   []byte
	at, lf int  // where the next line begins, and the first LF from there on
	cr     bool // there is a CR somewhere
	n      int  // lines read, blank ones included
}

func newLines(text []byte) lines {
	return lines{text: text, lf: -1, cr: bytes.IndexByte(text, '\r') >= 0}
}

// next returns the next line without leading space, or nil at the end. Every
// byte is searched once for LF and once for CR.
func (l *lines) next() []byte {
	for l.at < len(l.text) {
		if line := trimLeft(l.raw()); len(line) > 0 {
			return line
		}
	}
	return nil
}

func (l *lines) raw() []byte {
	if l.lf < l.at {
		l.lf = len(l.text)
		if i := bytes.IndexByte(l.text[l.at:], '\n'); i >= 0 {
			l.lf = l.at + i
		}
	}
	l.n++
	line := l.text[l.at:l.lf]
	end := l.lf
	if l.cr {
		if i := bytes.IndexByte(line, '\r'); i >= 0 {
			line, end = line[:i], l.at+i
			if end+1 == l.lf && l.lf < len(l.text) {
				end++
			}
		}
	}
	l.at = end + 1
	return line
}

// trimLeft cuts leading spaces and control characters.
func trimLeft(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	return b
}

// hasPrefix is bytes.HasPrefix for a constant, which compiles to one
// comparison.
func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}
