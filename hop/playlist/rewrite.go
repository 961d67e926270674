package playlist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"miramundo.dev/hop/playlist/reference"
)

// header is the first line of every playlist.
const header = "#EXTM3U"

// Rewrite appends to dst the playlist src with its references changed as o
// says, and tells what it learned of it. What it appends is UTF-8 with LF at
// every line's end, and names nothing relative but what o.Route wrote; a byte
// that is no UTF-8 is percent-encoded in references and U+FFFD elsewhere.
//
// It fails with [ErrOrigin] when src is no playlist, or one that cannot be
// passed on; with [ErrLimit] when it is over the bounds of this package; and
// with the error of o.Route. Then it returns dst as it was.
//
// It is safe for concurrent use, keeps nothing of src, and calls o.Route once
// for every reference, or twice when a variable is defined below one.
func Rewrite(dst, src []byte, o Options) ([]byte, Info, error) {
	if len(src) > MaxInput {
		return dst, Info{}, ErrLimit.Because(fmt.Errorf("%d bytes", len(src)))
	}
	r, err := newRewriter(dst, src, o)
	if err == nil {
		err = r.run()
	}
	if err == nil && r.late {
		handed := r.vars
		r, _ = newRewriter(dst, src, o)
		r.handed = handed
		err = r.run()
	}
	if err != nil {
		return dst, Info{}, err
	}
	return r.dst, r.info, nil
}

// A rewriter is one playlist on its way.
type rewriter struct {
	o    Options
	base reference.Base
	src  []byte // all of it, without the byte order mark
	dst  []byte // what is written; dst[from:] is this playlist
	from int
	info Info

	lines lines
	valid bool // src is UTF-8
	refs  bool // src may refer to variables
	kind  kind // of the tags seen

	variant bool // the next reference line is a variant
	segment bool // the next reference line is a segment

	asked, block bool // whether requests may be held back has been found out, and is so

	vars   []Var // that were defined so far
	handed []Var // that other playlists may import, when known before
	late   bool  // a variable was defined after a reference was routed

	url      []byte // the reference that is being routed
	expanded []byte // the line whose variables have been replaced
}

var errBase = errors.New("the base is no HTTP URL")

func newRewriter(dst, src []byte, o Options) (*rewriter, error) {
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return nil, ErrOrigin.Because(fmt.Errorf("a NUL at byte %d", i))
	}
	r := &rewriter{
		o:     o,
		src:   src,
		from:  len(dst),
		lines: newLines(src),
		valid: utf8.Valid(src),
		refs:  bytes.Contains(src, []byte("{$")),
	}
	buf := append(make([]byte, 0, 3*len(o.Base)+256), o.Base...)
	if r.base, r.url = reference.New(buf[len(buf):], buf); !r.base.Valid() {
		return nil, ErrOrigin.Because(errBase)
	}
	r.dst = slices.Grow(dst, r.estimate())
	return r, nil
}

// estimate returns about how many bytes will be written, if every second line
// is a relative reference.
func (r *rewriter) estimate() int {
	lines := bytes.Count(r.src, []byte("\n")) + 2
	return min(len(r.src)+lines/2*r.base.Folder()+256, MaxOutput)
}

func (r *rewriter) run() error {
	if err := r.open(); err != nil {
		return err
	}
	for line := r.lines.next(); line != nil; line = r.lines.next() {
		if err := r.line(line); err != nil {
			return fmt.Errorf("line %d: %w", r.lines.n, err)
		}
		if len(r.dst)-r.from > MaxOutput {
			return ErrLimit.Because(fmt.Errorf("more than %d bytes to write", MaxOutput))
		}
	}
	return r.close()
}

var (
	errNoTag   = errors.New("text where a playlist begins")
	errEmpty   = errors.New("no tag of a playlist")
	errMixed   = errors.New("variants and segments in one playlist")
	errNoEntry = errors.New("a multivariant playlist without a reference")
)

// open writes the first line, given or not. Comments above it go.
func (r *rewriter) open() error {
	for line := r.lines.next(); line != nil; line = r.lines.next() {
		switch {
		case hasPrefix(line, header):
			r.copy(line)
			return nil
		case hasPrefix(line, "#EXT-X-"), hasPrefix(line, "#EXTINF"):
			r.dst = append(r.dst, header+"\n"...)
			return r.line(line)
		case line[0] != '#':
			return ErrOrigin.Because(errNoTag)
		}
	}
	return ErrOrigin.Because(errEmpty)
}

// close decides what kind of playlist has been seen.
func (r *rewriter) close() error {
	switch {
	case r.kind&variants != 0 && r.kind&segments != 0:
		return ErrOrigin.Because(errMixed)
	case r.kind == 0:
		return ErrOrigin.Because(errEmpty)
	case r.kind&variants != 0 && r.info.References == 0:
		return ErrOrigin.Because(errNoEntry)
	}
	r.info.Multivariant = r.kind&variants != 0
	r.info.Media = !r.info.Multivariant
	r.info.CanBlock = r.info.CanBlock && !r.info.End
	return nil
}

// line writes what becomes of a line that is not blank.
func (r *rewriter) line(line []byte) error {
	switch {
	case line[0] != '#':
		return r.leads(line)
	case hasPrefix(line, "#EXTINF"):
		r.kind |= segments
		r.segment = true
		r.copy(line)
		return nil
	case hasPrefix(line, "#EXT-X-"):
		return r.tag(line)
	}
	r.copy(line)
	return nil
}

// leads writes a line that is a reference.
func (r *rewriter) leads(line []byte) error {
	ref, err := r.expandAll(line)
	if err != nil {
		return err
	}
	switch {
	case len(reference.Trim(ref)) == 0:
		return nil
	case r.variant:
		r.variant = false
		err = r.route(ref, false)
	default:
		r.passSegment()
		r.fetch(ref)
	}
	r.dst = append(r.dst, '\n')
	return err
}

// fetch writes a reference to media.
func (r *rewriter) fetch(ref []byte) {
	n := len(r.dst)
	r.dst = r.base.Append(r.dst, ref)
	if hasPrefix(r.dst[n:], "http:") {
		r.info.MediaHTTP = true
	}
}

var errNotRouted = errors.New("a playlist that is not on the web")

// route writes what stands for a reference to another playlist.
func (r *rewriter) route(ref []byte, report bool) error {
	if r.info.References == MaxReferences {
		return ErrLimit.Because(fmt.Errorf("more than %d references", MaxReferences))
	}
	r.info.References++
	r.url = r.base.Append(r.url[:0], ref)
	if !reference.OnWeb(r.url) {
		return ErrOrigin.Because(errNotRouted)
	}
	dst, err := r.o.Route(r.dst, Reference{URL: r.url, Report: report, Vars: r.imports(report)})
	if err != nil {
		return err
	}
	r.dst = dst
	return nil
}

// copy writes a line as it is.
func (r *rewriter) copy(line []byte) {
	r.text(line)
	r.dst = append(r.dst, '\n')
}

// text writes a part of a line that is no reference.
func (r *rewriter) text(b []byte) {
	if r.valid {
		r.dst = append(r.dst, b...)
		return
	}
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		r.dst = utf8.AppendRune(r.dst, c)
		b = b[n:]
	}
}
