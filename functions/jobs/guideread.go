package jobs

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
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/source/xmltv"
	"miramundo.dev/shared/store"
)

// Bounds of the reading of a source.
const (
	maxGuideFile   = xmltv.MaxBytes   // bytes, packed or not as they come
	maxGuideTime   = 15 * time.Minute // with the whole file
	maxGuideWait   = time.Minute      // until its server begins to answer
	maxGuideMemory = 256 << 20        // bytes of the programmes of one source
	minGuideShare  = 0.5              // of the channels that show what it gave before
	maxUnmatched   = 1000             // that a report names, of all sources: it must fit a document
)

// What is wrong with a source beside its content.
var (
	errUnchanged = errors.New("the file is unchanged")
	errNothing   = errors.New("no channel of the catalog has a programme of today or tomorrow in it")
	errNoFile    = errors.New("what the path names is no regular file")
)

// A guideFile is a file while it is read, with what tells whether it has
// changed.
type guideFile struct {
	io.Reader
	io.Closer
	etag, modified string
	hash           hash.Hash
	bytes          int64
}

// newGuideFile returns the file whose bytes body gives, until ctx is done.
func newGuideFile(ctx context.Context, body io.ReadCloser, etag, modified string) *guideFile {
	f := &guideFile{Closer: body, etag: etag, modified: modified, hash: sha256.New()}
	f.Reader = io.TeeReader(&untilDone{ctx, body}, f)
	return f
}

// Write takes the bytes that were read.
func (f *guideFile) Write(p []byte) (int, error) {
	f.bytes += int64(len(p))
	return f.hash.Write(p)
}

// untilDone reads until its context is done.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// read reads a source, unless it is as it was when it was read last, and says
// what to note of it. When its error is errUnchanged or says why it gives
// nothing, what it gave before stays.
func (r *guideRun) read(ctx context.Context, s *guide.Source, rep *GuideSourceReport) (guide.Note, map[string]guide.Grid, error) {
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
		return last, nil, err
	}
	defer f.Close() // read only: what matters is seen while reading
	grids, err := r.collect(s, f, rep)
	rep.Bytes = f.bytes
	if err != nil {
		return last, nil, err
	}
	return guide.Note{
		Name: s.Name, Place: r.place(s), Catalog: r.matcher.Sum(), Day: r.report.Day, ETag: f.etag, Modified: f.modified,
		SHA256: hex.EncodeToString(f.hash.Sum(nil)), FetchedAt: store.At(r.Now()), Items: rep.Programmes, Channels: rep.Channels,
	}, grids, nil
}

// place names where and how a source is read, and which are preferred to it:
// among others it may have other channels to show.
func (r *guideRun) place(s *guide.Source) string {
	place := ""
	for i := range r.Sources {
		place += r.Sources[i].Sum()[:8]
		if r.Sources[i].Name == s.Name {
			break
		}
	}
	return place
}

// fits reports whether what is noted of a source is of the same file, days and
// catalog, so that it need not be read again when it is unchanged.
func (r *guideRun) fits(n *guide.Note, s *guide.Source) bool {
	return !r.order.Force && !r.lost && n.SHA256 != "" &&
		n.Place == r.place(s) && n.Catalog == r.matcher.Sum() && n.Day == r.report.Day
}

// open opens the file of a source, or returns errUnchanged when it is that
// which is known.
func (r *guideRun) open(ctx context.Context, s *guide.Source, known *guide.Note) (*guideFile, error) {
	if s.File != "" {
		return openGuideFile(ctx, s.File, known)
	}
	res, err := r.Client.Open(ctx, origin.Request{
		URL: s.URL, MaxBytes: maxGuideFile, Timeout: maxGuideTime, Wait: maxGuideWait,
		IfNoneMatch: known.ETag, IfModifiedSince: known.Modified,
	})
	if err != nil {
		return nil, err
	}
	if res.Status == http.StatusNotModified {
		res.Body.Close() // an answer without a body
		return nil, errUnchanged
	}
	return newGuideFile(ctx, res.Body, res.Header.Get("ETag"), res.Header.Get("Last-Modified")), nil
}

// openGuideFile opens a file on disk, whose size and time stand for its ETag.
func openGuideFile(ctx context.Context, path string, known *guide.Note) (*guideFile, error) {
	info, err := os.Stat(path) // first, for to open a pipe would wait
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, collect.ErrMissing
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNoFile
	case info.Size() > maxGuideFile:
		return nil, origin.ErrLimit.Because(fmt.Errorf("it takes %d bytes", info.Size()))
	}
	etag := fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano())
	if known.ETag == etag {
		return nil, errUnchanged
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return newGuideFile(ctx, f, etag, ""), nil
}

// collect reads a file to its end and returns what it gives.
func (r *guideRun) collect(s *guide.Source, f *guideFile, rep *GuideSourceReport) (map[string]guide.Grid, error) {
	c := gather.NewCollector(*s, r.matcher, r.window, cmp.Or(r.MaxMemory, maxGuideMemory))
	count, err := xmltv.Read(f, c.Options(), c.Channel, c.Programme)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, f); err != nil { // what is behind the end of the packed file
		return nil, err
	}
	grids, found := c.Grids()
	found.Skipped += count.Skipped
	found.Sample = found.Sample[:min(len(found.Sample), maxUnmatched/len(r.Sources))]
	rep.Found = found
	return grids, r.enough(s, found.Channels)
}

// enough refuses a file that has too little, unless the operator says to take
// it, or nothing is left of what the source gave before.
func (r *guideRun) enough(s *guide.Source, channels int) error {
	held := r.holds(s.Name)
	switch {
	case r.order.Force:
		return nil
	case channels == 0:
		return errNothing
	case float64(channels) < minGuideShare*float64(held):
		return fmt.Errorf("%w: it has %d channels where %d show what it gave before", collect.ErrShrunk, channels, held)
	}
	return nil
}

// location says where a source is, without what may be a secret.
func location(s *guide.Source) string {
	if s.File != "" {
		return s.File
	}
	address, _, _ := strings.Cut(s.URL, "?")
	return address
}
