package collect

import (
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
	ErrShrunk  = errors.New("the file has lost too many records")
	ErrMissing = errors.New("the file is not there")
	errSame    = errors.New("the file is unchanged")
)

// A body is a file being read, with what its server said about it.
type body struct {
	io.ReadCloser
	location       string
	etag, modified string
}

// fresh reads the current state of a file into d and saves it. When the
// server says that nothing has changed, the saved body is decoded; when that
// is lost, the file is requested again without conditions.
func (c *collector) fresh(ctx context.Context, j job, last source.File, d *source.Dataset) (source.File, error) {
	b, err := c.open(ctx, j, last)
	if errors.Is(err, errSame) {
		if err := c.decodeSaved(ctx, j.part, last, d); err == nil {
			return c.confirm(ctx, last), nil
		}
		*d = source.Dataset{}
		last.SHA256 = "" // so that the body is kept anew, even if it is the same
		b, err = c.open(ctx, j, source.File{})
	}
	if err != nil {
		return source.File{}, err
	}
	defer b.Close() // read only: what matters is seen while reading
	return c.read(ctx, j, b, last, d)
}

// open opens a file at its place.
func (c *collector) open(ctx context.Context, j job, last source.File) (*body, error) {
	switch {
	case j.place.Folder != nil:
		return openFolder(j)
	case j.part.Name == radiobrowser.Part.Name && !isDump(j.place.URL):
		return c.openStations(ctx, j.place)
	}
	addresses := j.place.addresses(j.part)
	if len(addresses) > 1 {
		return c.openPlaylists(ctx, addresses), nil
	}
	return c.openAddress(ctx, addresses[0], last)
}

// openFolder opens a file in the folder, in any of the layouts.
func openFolder(j job) (*body, error) {
	f, path, err := j.part.Open(j.place.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, err
	}
	return &body{ReadCloser: f, location: strings.TrimSuffix(j.place.Name, "/") + "/" + path}, nil
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
func (c *collector) openAddress(ctx context.Context, address string, last source.File) (*body, error) {
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
func (c *collector) openPlaylists(ctx context.Context, addresses []string) *body {
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

func (c *collector) copyPlaylist(ctx context.Context, w io.Writer, address string) error {
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

// read decodes a body into d, and saves it when it is good.
func (c *collector) read(ctx context.Context, j job, b *body, last source.File, d *source.Dataset) (source.File, error) {
	m := &meter{ctx: ctx, r: b, hash: sha256.New(), name: j.part.Name, report: c.opts.Progress}
	plain, err := source.Unpack(m, c.opts.MaxBytes)
	if err != nil {
		return source.File{}, err
	}
	packed, err := newCompressedBody(c.opts.Cache != nil)
	if err != nil {
		return source.File{}, err
	}
	count, err := j.part.Decode(d, io.TeeReader(plain, packed))
	if err != nil {
		return source.File{}, err
	}
	if err := packed.Close(); err != nil {
		return source.File{}, err
	}
	file := source.File{
		Name: j.part.Name, Location: b.location, FetchedAt: c.opts.Now().UTC(),
		SHA256: hex.EncodeToString(m.hash.Sum(nil)), Items: count.Items, Skipped: count.Skipped,
		Bytes: m.n, ETag: b.etag, Modified: b.modified,
	}
	if err := c.checkShrunk(j.part, file, last); err != nil {
		return source.File{}, err
	}
	return c.save(ctx, j, file, last, packed), nil
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

func (c *collector) findServers(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	return radiobrowser.Servers(ctx, c.opts.Resolver)
}

// openStations opens the pages of radio-browser, from the named server or
// from those that DNS lists.
func (c *collector) openStations(ctx context.Context, place Place) (*body, error) {
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
