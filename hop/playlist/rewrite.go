package playlist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"miramundo.dev/hop/playlist/reference"
	"miramundo.dev/shared/fault"
)

// Rewriting is one pass over the lines. Tags are looked up in a table
// (tag.go) that says what each one contributes to Info and how its references
// are written. Only a variable defined below a reference that may import it
// needs a second pass.

// header is the first line of every playlist.
const header = "#EXTM3U"

// Rewrite appends to dst the playlist src rewritten as o says, and returns
// the extended slice and what it learned. The output is UTF-8 with LF line
// ends; all its references are absolute but those that o.Route wrote. Invalid
// UTF-8 is percent-encoded in references and replaced by U+FFFD elsewhere.
//
// It fails with [ErrOrigin] when src is not a playlist, or not one that can
// be rewritten; with [ErrLimit] when it is over the bounds of this package;
// and with the errors of o.Route, for a multivariant playlist also with those
// that leave references out when no variant is left. Then it returns dst
// unchanged.
//
// It is safe for concurrent use, keeps no part of src, and calls o.Route once
// for each reference, or twice when a variable is defined below one.
func Rewrite(dst, src []byte, o Options) ([]byte, Info, error) {
	if len(src) > MaxInput {
		return dst, Info{}, ErrLimit.Because(fmt.Errorf("%d bytes", len(src)))
	}
	r, err := newRewriter(dst, src, o)
	if err == nil {
		err = r.run()
	}
	if err == nil && r.definedLate {
		handed := r.vars
		r, _ = newRewriter(dst, src, o)
		r.exported = handed
		err = r.run()
	}
	if err != nil {
		return dst, Info{}, err
	}
	return r.dst, r.info, nil
}

// A rewriter holds the state of one rewrite.
type rewriter struct {
	o    Options
	base reference.Base
	src  []byte // all of it, without the byte order mark
	dst  []byte // the output; dst[from:] is this playlist
	from int
	info Info

	lines   lines
	valid   bool // src is UTF-8
	hasVars bool // src may refer to variables
	kind    kind // of the tags seen

	variant bool // the next reference line is a variant
	segment bool // the next reference line is a segment

	variantAt int   // where the tag of that variant begins in dst; -1 when the tag was left out
	variants  int   // variants that were written
	unusable  error // why the first reference was left out; nil when none was

	blockChecked, blockAllowed bool // whether blocking was decided, and the decision

	vars        []Var // defined so far
	exported    []Var // all that other playlists may import; known in the second pass
	definedLate bool  // a variable was defined after a reference was routed

	root     []byte // of the base, up to the slash after its host
	admitted []byte // the same of the URL whose host Options.Host returned last
	escapes  bool   // the value of a variable has a brace, which must not be read as a variable again

	url      []byte // the reference that is being routed
	expanded []byte // the line whose variables have been replaced
}

var errBase = errors.New("the base is not an http or https URL")

func newRewriter(dst, src []byte, o Options) (*rewriter, error) {
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return nil, ErrOrigin.Because(fmt.Errorf("a NUL at byte %d", i))
	}
	r := &rewriter{
		o:       o,
		src:     src,
		from:    len(dst),
		lines:   newLines(src),
		valid:   utf8.Valid(src),
		hasVars: bytes.Contains(src, []byte("{$")),
	}
	buf := append(make([]byte, 0, 3*len(o.Base)+256), o.Base...)
	if r.base, r.url = reference.New(buf[len(buf):], buf); !r.base.Valid() {
		return nil, ErrOrigin.Because(errBase)
	}
	r.root = r.base.Root()
	r.dst = slices.Grow(dst, r.estimate())
	return r, nil
}

// estimate returns the approximate size of the output, if every second line
// is a relative reference.
func (r *rewriter) estimate() int {
	lines := bytes.Count(r.src, []byte("\n")) + 2
	return min(len(r.src)+lines/2*r.base.Folder()+256, MaxOutput)
}

func (r *rewriter) run() error {
	if err := r.begin(); err != nil {
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
	return r.finish()
}

var (
	errNoTag   = errors.New("text before the first tag")
	errEmpty   = errors.New("no tag of an HLS playlist")
	errMixed   = errors.New("variants and segments in one playlist")
	errNoEntry = errors.New("a multivariant playlist without a reference")
)

// begin writes the first line, also when it is missing. Comments above it are
// dropped.
func (r *rewriter) begin() error {
	for line := r.lines.next(); line != nil; line = r.lines.next() {
		switch {
		case hasPrefix(line, header):
			r.copyLine(line)
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

// finish decides the kind of the playlist, or that it is not one.
func (r *rewriter) finish() error {
	switch {
	case r.kind&variants != 0 && r.kind&segments != 0:
		return ErrOrigin.Because(errMixed)
	case r.kind == 0:
		return ErrOrigin.Because(errEmpty)
	case r.kind&variants != 0 && r.unusable != nil && r.variants == 0:
		return r.unusable
	case r.kind&variants != 0 && r.info.References == 0:
		return ErrOrigin.Because(errNoEntry)
	}
	r.info.Multivariant = r.kind&variants != 0
	r.info.Media = !r.info.Multivariant
	r.info.CanBlock = r.info.CanBlock && !r.info.End
	return nil
}

// line rewrites a line that is not blank.
func (r *rewriter) line(line []byte) error {
	switch {
	case line[0] != '#':
		return r.referenceLine(line)
	case hasPrefix(line, "#EXTINF"):
		r.kind |= segments
		r.segment = true
		r.copyLine(line)
		return nil
	case hasPrefix(line, "#EXT-X-"):
		return r.tag(line)
	}
	r.copyLine(line)
	return nil
}

// referenceLine rewrites a line that is a reference.
func (r *rewriter) referenceLine(line []byte) error {
	ref, err := r.expandAll(line)
	if err != nil {
		return err
	}
	switch {
	case len(reference.Trim(ref)) == 0:
		return nil
	case r.variant:
		return r.variantLine(ref)
	}
	r.passSegment()
	if err := r.writeMedia(ref); err != nil {
		return err
	}
	r.dst = append(r.dst, '\n')
	return nil
}

// variantLine writes the reference of a variant, or drops it with its tag.
func (r *rewriter) variantLine(ref []byte) error {
	r.variant = false
	if r.variantAt < 0 {
		return nil
	}
	err := r.route(ref, false)
	if r.leaveOut(err) {
		end := r.variantAt + bytes.IndexByte(r.dst[r.variantAt:], '\n') + 1
		r.dst = slices.Delete(r.dst, r.variantAt, end)
		return nil
	}
	if err != nil {
		return err
	}
	r.variants++
	r.dst = append(r.dst, '\n')
	return nil
}

// writeURL writes the URL that a reference resolves to.
func (r *rewriter) writeURL(ref []byte) error {
	n := len(r.dst)
	r.dst = r.base.Append(r.dst, ref)
	if r.escapes {
		r.dst = escapeVariables(r.dst, n)
	}
	return r.admit(&r.dst, n)
}

// writeMedia writes a reference to media as an absolute URL.
func (r *rewriter) writeMedia(ref []byte) error {
	n := len(r.dst)
	err := r.writeURL(ref)
	if hasPrefix(r.dst[n:], "http:") {
		r.info.MediaHTTP = true
	}
	return err
}

var errNotRouted = errors.New("a reference to a playlist is not an http or https URL")

// An unusableError is why a reference to a playlist is left out.
type unusableError struct{ error }

func (e unusableError) Unwrap() error { return e.error }

// leaveOut reports whether err says that a reference is left out, and counts it.
func (r *rewriter) leaveOut(err error) bool {
	why, ok := errors.AsType[unusableError](err)
	if !ok {
		return false
	}
	r.info.LeftOut++
	if r.unusable == nil {
		r.unusable = fmt.Errorf("line %d: %w", r.lines.n, why.error)
	}
	return true
}

// route writes what o.Route returns for a reference to another playlist. Its
// error is an unusableError when the reference is left out; nothing is written
// then.
func (r *rewriter) route(ref []byte, report bool) error {
	if r.info.References+r.info.LeftOut == MaxReferences {
		return ErrLimit.Because(fmt.Errorf("more than %d references", MaxReferences))
	}
	r.url = r.base.Append(r.url[:0], ref)
	if !reference.OnWeb(r.url) {
		return unusableError{ErrOrigin.Because(errNotRouted)}
	}
	if err := r.admit(&r.url, 0); err != nil {
		return unusableError{err}
	}
	dst, err := r.o.Route(r.dst, Reference{URL: r.url, Report: report, Vars: r.importable(report)})
	if known, ok := errors.AsType[*fault.Error](err); ok && known.Kind == fault.Unprocessable {
		return unusableError{err}
	}
	if err != nil {
		return err
	}
	r.info.References++
	r.dst = dst
	return nil
}

// copyLine writes a line unchanged.
func (r *rewriter) copyLine(line []byte) {
	r.writeText(line)
	r.dst = append(r.dst, '\n')
}

// writeText writes part of a line that is not a reference.
func (r *rewriter) writeText(b []byte) {
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
