// Package markup tokenizes XML, as a stream and in bounded memory.
//
// It is an order of magnitude faster than encoding/xml when most of a file is
// skipped, because it makes no values that nobody asks for. It checks that
// elements are closed in order; callers interpret the tags. Document type
// declarations are skipped, so no entity that a file declares is expanded and
// nothing outside of the file is fetched.
package markup

import (
	"bytes"
	"fmt"
	"io"

	"miramundo.dev/shared/source"
)

// Bounds of a file. A longer text comes in parts; beyond the other bounds
// reading fails.
const (
	MaxDepth = 64        // elements within each other
	MaxTag   = 128 << 10 // bytes of one tag, or of the declaration of the document type
	MaxPart  = 64 << 10  // bytes of a text, from which on it may come in parts
)

// What is wrong with a file, besides [source.ErrForm] and [source.ErrTruncated].
var (
	ErrDeep = fmt.Errorf("the file nests elements more than %d deep", MaxDepth)
	ErrTag  = fmt.Errorf("the file holds a tag of more than %d KiB", MaxTag>>10)
)

// A Token is a kind of token.
type Token int

// The tokens. Comments, instructions and declarations are none.
const (
	nothing Token = iota
	Ended         // the end of the file, with every element closed
	Opened        // a tag that opens an element
	Closed        // a tag that closes one, or the end of one that closes at once
	Text          // characters, or a part of them
)

// Sizes of the window of a scanner.
const (
	windowSize = MaxTag
	leastRead  = 16 << 10 // what is read at once, so that small reads are not gone over too often
	maxEmpty   = 100      // reads that give nothing
)

// A Scanner tokenizes XML in UTF-8. A file may have several root elements.
type Scanner struct {
	// Of the last token, until the next is asked for.
	Name  []byte // of an element that opened
	Attrs []byte // its attributes, as the file writes them; see Attribute
	Part  []byte // of a text, as the file writes it
	CDATA bool   // the text stands in a CDATA section: nothing in it is a reference

	r        io.Reader
	buf      []byte
	pos, end int   // of what was read and is not used yet
	base     int64 // bytes of the file before buf
	err      error // what r ended with

	path      []byte // the names of the open elements, one behind the other
	starts    []int  // where they start in path
	empty     bool   // the element that opened closes at once
	inSection bool   // of CDATA
}

// New returns a scanner of r.
func New(r io.Reader) *Scanner { return &Scanner{r: r, buf: make([]byte, windowSize)} }

// Next returns the next token. It ends with Ended or an error, which later
// calls repeat.
func (s *Scanner) Next() (Token, error) {
	for {
		t, err := s.step()
		if t != nothing || err != nil {
			return t, err
		}
	}
}

// Offset returns the number of bytes of the tokens so far.
func (s *Scanner) Offset() int64 { return s.base + int64(s.pos) }

// Attr returns the raw value of the first attribute called name of the
// current element, or nothing.
func (s *Scanner) Attr(name string) []byte {
	for rest := s.Attrs; ; {
		n, value, more, ok := Attribute(rest)
		if !ok || string(n) == name {
			return value
		}
		rest = more
	}
}

// step advances by one token, possibly one that is not reported.
func (s *Scanner) step() (Token, error) {
	switch {
	case s.empty:
		s.empty = false
		s.pop()
		return Closed, nil
	case s.pos == s.end && !s.more():
		return s.stop()
	case s.inSection:
		return s.rawText()
	case s.buf[s.pos] != '<':
		return s.text()
	}
	return s.markup()
}

// stop returns Ended, or the error that ended reading.
func (s *Scanner) stop() (Token, error) {
	if s.err != io.EOF || len(s.starts) > 0 || s.inSection { //nolint:errorlint // a reader ends with io.EOF itself
		return nothing, s.cut()
	}
	return Ended, nil
}

// cut returns the error for an end of input within a token.
func (s *Scanner) cut() error {
	if s.err == nil {
		return ErrTag
	}
	if s.err == io.EOF || s.err == io.ErrUnexpectedEOF { //nolint:errorlint // a wrapped one is another failure, and says more
		return source.ErrTruncated
	}
	return s.err
}

// more reads more input behind what is not used yet. It returns false at the
// end of the file, and when the window is full.
func (s *Scanner) more() bool {
	if s.err != nil || s.end-s.pos == len(s.buf) {
		return false
	}
	s.base += int64(s.pos)
	s.end = copy(s.buf, s.buf[s.pos:s.end])
	s.pos = 0
	return s.fill()
}

// fill reads until the window is full, at least leastRead bytes if there are
// any.
func (s *Scanner) fill() bool {
	start, empty := s.end, 0
	for s.err == nil && s.end-start < leastRead && s.end < len(s.buf) {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if s.err = err; n == 0 {
			empty++
		}
		if empty == maxEmpty && err == nil {
			s.err = io.ErrNoProgress
		}
	}
	return s.end > start
}

// Wrong returns an error with what is wrong and its position.
func (s *Scanner) Wrong(what string) error {
	return fmt.Errorf("%w: %s at byte %d", source.ErrForm, what, s.Offset())
}

// text returns the characters up to the next tag. A long text comes in parts
// of at least MaxPart bytes, except for the last.
func (s *Scanner) text() (Token, error) {
	for {
		if i := bytes.IndexByte(s.buf[s.pos:s.end], '<'); i >= 0 {
			return s.take(i, false), nil
		}
		if s.end-s.pos >= MaxPart {
			return s.take(s.end-s.pos, false), nil
		}
		if s.more() {
			continue
		}
		if s.err != io.EOF { //nolint:errorlint // a reader ends with io.EOF itself
			return nothing, s.cut()
		}
		return s.take(s.end-s.pos, false), nil
	}
}

// rawText returns the characters up to the end of a CDATA section, in parts
// like text.
func (s *Scanner) rawText() (Token, error) {
	const end = "]]>"
	for {
		if i := bytes.Index(s.buf[s.pos:s.end], []byte(end)); i >= 0 {
			t := s.take(i, true)
			s.pos += len(end)
			s.inSection = false
			return t, nil
		}
		if s.end-s.pos > MaxPart {
			return s.take(s.end-s.pos-len(end), true), nil
		}
		if !s.more() {
			return nothing, s.cut()
		}
	}
}

func (s *Scanner) take(n int, cdata bool) Token {
	s.Part, s.CDATA = s.buf[s.pos:s.pos+n], cdata
	s.pos += n
	return Text
}

// section begins a CDATA section. It is the longest mark.
const section = "<![CDATA["

// markup handles what begins with "<".
func (s *Scanner) markup() (Token, error) {
	for s.end-s.pos < len(section) && s.more() {
		continue
	}
	switch head := s.buf[s.pos:s.end]; {
	case bytes.HasPrefix(head, []byte("</")):
		return s.closeTag()
	case bytes.HasPrefix(head, []byte("<?")):
		return nothing, s.skip("<?", "?>")
	case bytes.HasPrefix(head, []byte("<!--")):
		return nothing, s.skip("<!--", "-->")
	case bytes.HasPrefix(head, []byte(section)):
		s.pos += len(section)
		s.inSection = true
		return nothing, nil
	case bytes.HasPrefix(head, []byte("<!")):
		return nothing, s.declaration()
	}
	return s.openTag()
}

// skip skips what is between two marks, however long it is.
func (s *Scanner) skip(from, to string) error {
	s.pos += len(from)
	for {
		if i := bytes.Index(s.buf[s.pos:s.end], []byte(to)); i >= 0 {
			s.pos += i + len(to)
			return nil
		}
		s.pos = max(s.pos, s.end-len(to)+1)
		if !s.more() {
			return s.cut()
		}
	}
}

// declaration skips the document type declaration.
func (s *Scanner) declaration() error {
	if bytes.HasPrefix([]byte(section), s.buf[s.pos:s.end]) {
		return s.cut()
	}
	if len(s.starts) > 0 {
		return s.Wrong("a declaration inside of an element")
	}
	_, err := s.until(declarationEnd)
	return err
}

// until returns the input up to the index that end finds, without "<" and
// ">".
func (s *Scanner) until(end func([]byte) int) ([]byte, error) {
	for {
		i := end(s.buf[s.pos:s.end])
		if i == misplaced {
			return nil, s.Wrong("a tag inside of a tag")
		}
		if i >= 0 {
			tag := s.buf[s.pos+1 : s.pos+i]
			s.pos += i + 1
			return tag, nil
		}
		if !s.more() {
			return nil, s.cut()
		}
	}
}

// What the functions that look for an end return when there is none.
const (
	notYet    = -1
	misplaced = -2
)

// tagEnd returns the index of the ">" that ends a tag, outside of quotes.
func tagEnd(tag []byte) int {
	for i := 1; i < len(tag); i++ {
		switch c := tag[i]; c {
		case '>':
			return i
		case '<':
			return misplaced
		case '"', '\'':
			value := tag[i+1:]
			n := bytes.IndexByte(value, c)
			if n < 0 {
				n = len(value)
			}
			if bytes.IndexByte(value[:n], '<') >= 0 {
				return misplaced
			}
			i += n + 1
		}
	}
	return notYet
}

// declarationEnd returns the index of the ">" that ends a declaration,
// outside of nested declarations, quotes and comments.
func declarationEnd(p []byte) int {
	depth := 0
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '>':
			if depth--; depth == 0 {
				return i
			}
		case '<':
			if !bytes.HasPrefix(p[i:], []byte("<!--")) {
				depth++
				continue
			}
			n := bytes.Index(p[i+4:], []byte("-->"))
			if n < 0 {
				return notYet
			}
			i += 4 + n + 2
		case '"', '\'':
			n := bytes.IndexByte(p[i+1:], c)
			if n < 0 {
				return notYet
			}
			i += n + 1
		}
	}
	return notYet
}

// openTag handles an opening tag.
func (s *Scanner) openTag() (Token, error) {
	tag, err := s.until(tagEnd)
	if err != nil {
		return nothing, err
	}
	tag, s.empty = bytes.CutSuffix(tag, []byte("/"))
	n := nameEnd(tag)
	if n == 0 {
		return nothing, s.Wrong("a tag without a name")
	}
	s.Name, s.Attrs = tag[:n], tag[n:]
	return Opened, s.push()
}

// closeTag handles a closing tag, which must match the current element.
func (s *Scanner) closeTag() (Token, error) {
	tag, err := s.until(tagEnd)
	if err != nil {
		return nothing, err
	}
	if len(s.starts) == 0 {
		return nothing, s.Wrong("a tag that closes nothing")
	}
	if name := bytes.TrimRight(tag[1:], " \t\r\n"); !bytes.Equal(name, s.path[s.starts[len(s.starts)-1]:]) {
		return nothing, s.Wrong("a tag that closes another element")
	}
	s.pop()
	return Closed, nil
}

func (s *Scanner) push() error {
	if len(s.starts) == MaxDepth {
		return ErrDeep
	}
	s.starts = append(s.starts, len(s.path))
	s.path = append(s.path, s.Name...)
	return nil
}

func (s *Scanner) pop() {
	last := len(s.starts) - 1
	s.path = s.path[:s.starts[last]]
	s.starts = s.starts[:last]
}
