package collect

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/iptvorg"
	"miramundo.dev/shared/source/radiobrowser"
)

// A body is read once and never completely in memory: it passes through a
// meter, which hashes and counts the bytes as fetched, through decompression
// to the decoder, and at the same time into the compressed copy for the
// cache.

// What is wrong with a file beside its content.
var (
	ErrMissing = errors.New("the file is not there")
	errSame    = errors.New("the file is unchanged")
)

// A body is a file being read, with what its server said about it.
type body struct {
	io.ReadCloser
	location       string
	etag, modified string
}

// A reading is one file of a source: its last good state, and what it has now.
type reading struct {
	part    source.Part
	place   Place
	last    source.File // without a SHA256 when nothing comparable was saved
	lastErr error       // why the last good file is not known; nil when it is

	lost bool // the last good body could not be decoded

	file     source.File
	data     source.Dataset
	body     []byte           // compressed; nil when the saved one is the same
	missing  bool             // it is not in the folder
	absent   []string         // columns that the file begins without
	refusals []source.Refusal // what speaks against taking the file
}

// readFile reads the current state of a file, and judges it.
func (c *Collection) readFile(ctx context.Context, r *reading) {
	r.last, r.lastErr = c.last(ctx, r.part.Name)
	if errors.Is(r.lastErr, ErrNothing) {
		r.lastErr = nil
	}
	if r.lastErr != nil || r.last.Origin != r.place.Origin {
		r.last = source.File{} // another publisher's file is not comparable
	}
	if err := c.fresh(ctx, r); err != nil {
		r.data, r.body = source.Dataset{}, nil
		r.file = source.File{Name: r.part.Name, Location: r.place.location(r.part), Problem: Problem(err)}
		r.refusals, r.missing = []source.Refusal{unreadable(r.file)}, errors.Is(err, ErrMissing)
	} else {
		r.refusals = checkFile(r)
	}
	c.opts.Progress(Progress{Name: r.part.Name, Bytes: r.file.Bytes, Items: r.file.Items, Done: true})
}

// fresh reads the current state of a file. When the server says that nothing
// has changed, the saved body is decoded; when that is lost, the file is
// requested again without conditions.
func (c *Collection) fresh(ctx context.Context, r *reading) error {
	b, err := c.open(ctx, r, r.last)
	if errors.Is(err, errSame) {
		if err := c.decodeSaved(ctx, r); err == nil {
			r.file = r.last
			r.file.FetchedAt, r.file.Problem = c.opts.Now().UTC(), ""
			r.count()
			return nil
		}
		r.data, r.lost = source.Dataset{}, true
		b, err = c.open(ctx, r, source.File{})
	}
	if err != nil {
		return err
	}
	defer b.Close() // read only: what matters is seen while reading
	return c.decode(ctx, r, b)
}

// count sets the figures of a file that are counted in its records.
func (r *reading) count() {
	if r.part.Filled != nil {
		r.file.Filled = r.part.Filled(&r.data)
	}
}

// open opens a file at its place. When it is unchanged since last, open may
// return errSame.
func (c *Collection) open(ctx context.Context, r *reading, last source.File) (*body, error) {
	switch {
	case r.place.Folder != nil:
		return openFolder(r)
	case r.part.Name == radiobrowser.Part.Name && !isDump(r.place.URL):
		return c.openStations(ctx, r.place)
	}
	addresses := r.place.addresses(r.part)
	if len(addresses) > 1 {
		return c.openPlaylists(ctx, addresses), nil
	}
	return c.openAddress(ctx, addresses[0], last)
}

// openFolder opens a file in the folder, in any of the layouts.
func openFolder(r *reading) (*body, error) {
	f, path, err := r.part.Open(r.place.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, err
	}
	return &body{ReadCloser: f, location: strings.TrimSuffix(r.place.Name, "/") + "/" + path}, nil
}

// isDump reports whether an address is that of a file of stations instead of
// a server.
func isDump(address string) bool {
	return strings.HasSuffix(address, ".json") || strings.HasSuffix(address, ".gz")
}

// addresses returns the addresses that together have a part.
func (p Place) addresses(part source.Part) []string {
	base := strings.TrimSuffix(p.URL, "/") + "/"
	switch {
	case part.Name == radiobrowser.Part.Name && isDump(p.URL):
		return []string{p.URL}
	case len(p.Playlists) == 0:
		return []string{base + part.Path}
	case part.Name == iptvorg.StreamsPart:
		return p.Playlists
	}
	return []string{base + strings.TrimSuffix(part.Path, ".json") + ".csv"}
}

// openAddress requests a file. It returns errSame when the file is unchanged
// since last.
func (c *Collection) openAddress(ctx context.Context, address string, last source.File) (*body, error) {
	req := origin.Request{URL: address, MaxBytes: c.opts.MaxBytes, Timeout: c.opts.Timeout}
	if last.Location == address && last.SHA256 != "" {
		req.IfNoneMatch, req.IfModifiedSince = last.ETag, last.Modified
	}
	res, err := c.opts.Client.Open(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	b := &body{
		ReadCloser: res.Body, location: address,
		etag: res.Header.Get("ETag"), modified: res.Header.Get("Last-Modified"),
	}
	if res.Status != http.StatusNotModified {
		return b, nil
	}
	res.Body.Close() // an answer without a body
	if req.IfNoneMatch == "" && req.IfModifiedSince == "" {
		return nil, fmt.Errorf("%s: %w: it answers that nothing has changed, but nothing is known", address, source.ErrForm)
	}
	return nil, errSame
}

// openPlaylists concatenates the playlists at several addresses, as those of
// a folder. Each is requested when the one before has been read.
func (c *Collection) openPlaylists(ctx context.Context, addresses []string) *body {
	pr, pw := io.Pipe()
	go func() {
		for _, address := range addresses {
			if err := c.copyPlaylist(ctx, pw, address); err != nil {
				pw.CloseWithError(err)
				return
			}
		}
		pw.Close()
	}()
	return &body{ReadCloser: pr, location: addresses[0]}
}

func (c *Collection) copyPlaylist(ctx context.Context, w io.Writer, address string) error {
	b, err := c.openAddress(ctx, address, source.File{})
	if err != nil {
		return err
	}
	defer b.Close()
	name := strings.TrimSuffix(address[strings.LastIndexByte(address, '/')+1:], ".m3u")
	if _, err := io.WriteString(w, iptvorg.Heading(name)); err != nil {
		return err
	}
	r, err := source.Unpack(b, c.opts.MaxBytes)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

// headBytes is how much of a file is looked at for the names of its columns.
const headBytes = 64 << 10

// decode decodes a body. A file without a valid record is an error, unless its
// part may be empty.
func (c *Collection) decode(ctx context.Context, r *reading, b *body) error {
	m := &meter{ctx: ctx, r: b, hash: sha256.New(), name: r.part.Name, report: c.opts.Progress}
	unpacked, err := source.Unpack(m, c.opts.MaxBytes)
	if err != nil {
		return err
	}
	plain := bufio.NewReaderSize(unpacked, headBytes)
	head, _ := plain.Peek(headBytes) // an error comes again when decoding reads
	r.absent = source.AbsentColumns(head, r.part.Columns)
	packed, err := newCompressedBody(c.opts.Cache != nil)
	if err != nil {
		return err
	}
	count, err := r.part.Decode(&r.data, io.TeeReader(plain, packed))
	if err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	if count.Items == 0 && (count.Skipped > 0 || !r.part.Optional) {
		return fmt.Errorf("%w: of its %d records none makes sense", source.ErrForm, count.Skipped)
	}
	r.file = source.File{
		Name: r.part.Name, Location: b.location, FetchedAt: c.opts.Now().UTC(),
		SHA256: hex.EncodeToString(m.hash.Sum(nil)), Items: count.Items, Skipped: count.Skipped,
		Bytes: m.n, ETag: b.etag, Modified: b.modified, Origin: r.place.Origin,
	}
	r.body = bytes.Clone(packed.buf.Bytes()) // the buffer has up to twice as much
	r.count()
	return nil
}

// A meter counts and hashes a body as it is fetched. It also ends reading
// from a folder when ctx is done.
type meter struct {
	ctx      context.Context
	r        io.Reader
	hash     hash.Hash
	n        int64 // bytes read
	reported int64 // n at the last report
	name     string
	report   func(Progress)
}

// reportEvery is the number of bytes between two progress reports.
const reportEvery = 1 << 20

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.hash.Write(p[:n])
	if m.n += int64(n); m.n-m.reported >= reportEvery {
		m.reported = m.n
		m.report(Progress{Name: m.name, Bytes: m.n})
	}
	return n, err
}

// compressedBody compresses a body while it is read. Without a cache it
// discards it.
type compressedBody struct {
	buf bytes.Buffer
	enc *zstd.Encoder
}

func newCompressedBody(kept bool) (*compressedBody, error) {
	p := new(compressedBody)
	if !kept {
		return p, nil
	}
	var err error
	p.enc, err = zstd.NewWriter(&p.buf, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2))
	return p, err
}

func (p *compressedBody) Write(data []byte) (int, error) {
	if p.enc == nil {
		return len(data), nil
	}
	return p.enc.Write(data)
}

func (p *compressedBody) Close() error {
	if p.enc == nil {
		return nil
	}
	return p.enc.Close()
}

// lookupTime bounds the search for servers: without a network some resolvers
// try for much longer.
const lookupTime = 15 * time.Second

func (c *Collection) findServers(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	return radiobrowser.Servers(ctx, c.opts.Resolver)
}

// openStations opens the pages of radio-browser, from the named server or
// from those that DNS lists.
func (c *Collection) openStations(ctx context.Context, place Place) (*body, error) {
	servers := []string{strings.TrimSuffix(place.URL, "/")}
	if place.URL == "" {
		found, err := c.findServers(ctx)
		if err != nil {
			return nil, err
		}
		servers = found
	}
	pages, err := radiobrowser.OpenPages(ctx, c.opts.Client, servers, c.opts.Timeout)
	if err != nil {
		return nil, err
	}
	return &body{ReadCloser: pages, location: pages.Server() + "/" + radiobrowser.Part.Path}, nil
}
