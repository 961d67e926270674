package refresh

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/gather"
	"miramundo.dev/shared/guide/pin"
	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/source/xmltv"
	"miramundo.dev/shared/store"
)

// Limits on reading a source.
const (
	maxBytes     = 300 << 20        // of the file, as received and unpacked
	maxTime      = 20 * time.Second // for the whole file
	maxMemory    = 256 << 20        // bytes for the programmes of one source
	minShare     = 0.5              // of the channels that show its programmes, which it must still have
	maxUnmatched = 600              // named in a report, of all sources together, so that it fits a document
)

// The limits that a report names, in SourceReport.Limit.
const (
	limitBytes  = "bytes"
	limitTime   = "time"
	limitMemory = "memory"
	limitItems  = "items"
)

// Problems of a source besides malformed content.
var (
	errUnchanged = errors.New("the file is unchanged")
	errNothing   = errors.New("no channel of the catalog has a programme of today or tomorrow in it")
	errNoFile    = errors.New("the path does not name a regular file")
	errTime      = errors.New("reading it took too long")
)

// limits fills in the limits that are not set.
func (o *Options) limits() {
	o.MaxBytes, o.MaxTime = cmp.Or(o.MaxBytes, maxBytes), cmp.Or(o.MaxTime, maxTime)
	o.MaxMemory = cmp.Or(o.MaxMemory, maxMemory)
}

// limit returns the name of the limit that ended the reading of a source, and err
// with its figure; an empty name and err itself when it was none.
func (o *Options) limit(err error) (string, error) {
	switch {
	case errors.Is(err, xmltv.ErrTooLarge), errors.Is(err, origin.ErrLimit):
		return limitBytes, fmt.Errorf("the file is larger than it may be: more than %d bytes, packed or unpacked", o.MaxBytes)
	case errors.Is(err, errTime), errors.Is(err, origin.ErrTimeout):
		return limitTime, fmt.Errorf("the file was not read within %v", o.MaxTime)
	case errors.Is(err, gather.ErrTooMuch):
		return limitMemory, err
	case errors.Is(err, xmltv.ErrTooMany):
		return limitItems, err
	}
	return "", err
}

// A file is an open source, with the validators by which a later run sees that
// it has not changed. Reading it counts and hashes its bytes.
type file struct {
	io.Reader
	io.Closer
	etag, modified string
	hash           hash.Hash
	bytes          int64
}

// newFile returns a file that reads body until ctx is done.
func newFile(ctx context.Context, body io.ReadCloser, etag, modified string) *file {
	f := &file{Closer: body, etag: etag, modified: modified, hash: sha256.New()}
	f.Reader = io.TeeReader(&untilDone{ctx, body}, f)
	return f
}

// Write counts and hashes bytes that were read.
func (f *file) Write(p []byte) (int, error) {
	f.bytes += int64(len(p))
	return f.hash.Write(p)
}

// untilDone is a reader that fails with the cause once its context is done.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// read reads a source, unless its file is unchanged, and returns its new note
// and the programmes of its channels. After errUnchanged, as after any other
// error, what the source gave before stays.
func (r *run) read(ctx context.Context, s *setting.Source, rep *SourceReport) (guide.Note, map[string]guide.Grid, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.MaxTime, errTime)
	defer cancel()
	last, _ := noteOf(r.state.Notes, s.Name)
	known := last
	if !r.fits(&last, s) {
		known = guide.Note{}
	}
	f, err := r.open(ctx, s, &known)
	if errors.Is(err, errUnchanged) {
		last.FetchedAt = store.At(r.Now())
		return last, nil, errUnchanged
	}
	if err != nil {
		rep.Limit, err = r.limit(err)
		return last, nil, err
	}
	defer f.Close() // read only: what matters is seen while reading
	grids, err := r.collect(ctx, s, f, rep)
	rep.Bytes = f.bytes
	if err != nil {
		rep.Limit, err = r.limit(err)
		return last, nil, err
	}
	return guide.Note{
		Name: s.Name, Place: r.place(s), Catalog: r.matching(s), Day: r.report.Day, ETag: f.etag, Modified: f.modified,
		SHA256: hex.EncodeToString(f.hash.Sum(nil)), FetchedAt: store.At(r.Now()), Items: rep.Programmes, Channels: rep.Channels,
	}, grids, nil
}

// place identifies where and how a source is read, and the sources preferred to
// it: when those change, so may the channels that this source provides.
func (r *run) place(s *setting.Source) string {
	place := ""
	for i := range r.Sources {
		place += r.Sources[i].Sum()[:8]
		if r.Sources[i].Name == s.Name {
			break
		}
	}
	return place
}

// matching returns a hash of what the channels of a source are matched by.
func (r *run) matching(s *setting.Source) string {
	return r.matcher.Sum() + pin.Of(r.pins, s.Name).Sum()
}

// fits reports whether a note was made for the same source, day and catalog, so
// that an unchanged file need not be read again.
func (r *run) fits(n *guide.Note, s *setting.Source) bool {
	return !r.order.Force && !r.lost && n.SHA256 != "" &&
		n.Place == r.place(s) && n.Catalog == r.matching(s) && n.Day == r.report.Day
}

// open opens the file of a source, or returns errUnchanged when its validators
// are those of known.
func (r *run) open(ctx context.Context, s *setting.Source, known *guide.Note) (*file, error) {
	if s.File != "" {
		return openFile(ctx, s.File, known, r.MaxBytes)
	}
	res, err := r.Client.Open(ctx, origin.Request{
		URL: s.URL, MaxBytes: r.MaxBytes, Timeout: r.MaxTime, Wait: r.MaxTime,
		IfNoneMatch: known.ETag, IfModifiedSince: known.Modified,
	})
	if err != nil {
		return nil, err
	}
	if res.Status == http.StatusNotModified {
		res.Body.Close() // a response without a body
		return nil, errUnchanged
	}
	return newFile(ctx, res.Body, res.Header.Get("ETag"), res.Header.Get("Last-Modified")), nil
}

// openFile opens a file on disk, with an ETag made from its size and time of
// modification, unless it has more than most bytes.
func openFile(ctx context.Context, path string, known *guide.Note, most int64) (*file, error) {
	info, err := os.Stat(path) // before os.Open, which blocks on a pipe
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, collect.ErrMissing
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNoFile
	case info.Size() > most:
		return nil, origin.ErrLimit.Because(fmt.Errorf("the file has %d bytes", info.Size()))
	}
	etag := fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano())
	if known.ETag == etag {
		return nil, errUnchanged
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return newFile(ctx, f, etag, ""), nil
}

// collect reads a file to its end and returns the programmes of its channels.
func (r *run) collect(ctx context.Context, s *setting.Source, f *file, rep *SourceReport) (map[string]guide.Grid, error) {
	c := gather.NewCollector(gather.Options{
		Source: *s, Matcher: r.matcher, Pins: pin.Of(r.pins, s.Name), Window: r.window,
		Memory: r.MaxMemory, Sample: maxUnmatched / len(r.Sources),
	})
	o := c.Reading()
	o.MaxBytes, o.Check = r.MaxBytes, func() error { return context.Cause(ctx) }
	count, err := xmltv.Read(f, o, c.Channel, c.Programme)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, f); err != nil { // what follows the end of a compressed file
		return nil, err
	}
	grids, found := c.Grids()
	found.Skipped += count.Skipped
	rep.Found = found
	return grids, r.enough(s, grids)
}

// enough returns an error for a file with too few channels, unless the run is
// forced. A channel whose only programme began before today and is over does not
// count: that is what is left of a file that is out of date.
func (r *run) enough(s *setting.Source, grids map[string]guide.Grid) error {
	held, channels := r.holds(s.Name), 0
	for _, g := range grids {
		if g.Begins() || g.EndsAfter(r.Now()) {
			channels++
		}
	}
	switch {
	case r.order.Force:
		return nil
	case channels == 0:
		return errNothing
	case float64(channels) < minShare*float64(held):
		return fmt.Errorf("%w: it has %d channels where %d show what it gave before", collect.ErrShrunk, channels, held)
	}
	return nil
}

// location returns the path or URL of a source, without the query, which may
// hold a secret.
func location(s *setting.Source) string {
	if s.File != "" {
		return s.File
	}
	address, _, _ := strings.Cut(s.URL, "?")
	return address
}
