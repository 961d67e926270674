package radiobrowser

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source"
)

// PageSize is the number of stations in a page: about 6 MB, small enough to
// be requested again from another server.
const PageSize = 5000

// errRepeatedPage means that a server ignores the offset.
var errRepeatedPage = errors.New("the server sends the same page again and again")

const (
	maxPage = 32 << 20 // bytes of a page

	// wholeTimes is the time limit of all pages, in limits of one page.
	// Anyone may run a server, also one that sends many small pages slowly.
	wholeTimes = 6
)

// Pages reads all stations page by page, as the body of [Part]. When a server
// fails, the next one is asked for the same page; pages are ordered by
// station id, so they fit together.
type Pages struct {
	ctx     context.Context // ends when all pages should be there
	cancel  context.CancelFunc
	outer   context.Context // the caller's
	client  *origin.Client
	timeout time.Duration // for one page
	servers []string      // servers that have not failed; the first is used
	server  string        // the server of the last page
	offset  int
	last    [sha256.Size]byte // of the last page
	page    bytes.Reader
	err     error
}

// OpenPages requests the first page, and fails when no server answers. The
// addresses of servers have no path. timeout is for one page.
func OpenPages(ctx context.Context, client *origin.Client, servers []string, timeout time.Duration) (*Pages, error) {
	p := &Pages{outer: ctx, client: client, timeout: timeout, servers: servers}
	p.ctx, p.cancel = context.WithTimeout(ctx, wholeTimes*timeout)
	p.next()
	if p.err != nil && !errors.Is(p.err, io.EOF) {
		p.cancel()
		return nil, p.err
	}
	return p, nil
}

// Server returns the address of the server of the last page.
func (p *Pages) Server() string { return p.server }

func (p *Pages) Read(b []byte) (int, error) {
	for p.page.Len() == 0 {
		if p.err != nil {
			return 0, p.err
		}
		p.next()
	}
	return p.page.Read(b)
}

// Close ends reading.
func (p *Pages) Close() error {
	p.cancel()
	p.err = io.ErrClosedPipe
	return nil
}

// next fetches a page from the first server that sends a complete one.
func (p *Pages) next() {
	failed := ErrNoServer
	for len(p.servers) > 0 {
		data, n, err := p.fetch(p.servers[0])
		switch {
		case err == nil && n == 0:
			p.err = io.EOF
			return
		case err == nil:
			p.server = p.servers[0]
			p.take(data, n)
			return
		case p.ctx.Err() != nil:
			p.err = p.deadlineError()
			return
		}
		failed = fmt.Errorf("%w: %s: %w", ErrNoServer, p.servers[0], err)
		p.servers = p.servers[1:]
	}
	p.err = failed
}

// deadlineError returns the error of the caller's context, or a timeout
// caused by slow servers.
func (p *Pages) deadlineError() error {
	if err := p.outer.Err(); err != nil {
		return err
	}
	return origin.ErrTimeout.Because(p.ctx.Err())
}

// take makes data, a page of n records, the one that is read. It stops at a
// repeated page, since a server that repeats one would do so forever.
func (p *Pages) take(data []byte, n int) {
	sum := sha256.Sum256(data)
	if sum == p.last {
		p.err = errRepeatedPage
		return
	}
	p.last = sum
	p.page.Reset(data)
	if p.offset += n; p.offset > source.MaxRecords {
		p.err = source.ErrTooMany
	}
}

// fetch returns the next page of a server and its number of records. It
// parses the page, to be sure that it is complete before any of it is passed
// on.
func (p *Pages) fetch(server string) ([]byte, int, error) {
	query := url.Values{
		"hidebroken": {"true"},
		"order":      {"stationuuid"},
		"limit":      {strconv.Itoa(PageSize)},
		"offset":     {strconv.Itoa(p.offset)},
	}
	_, data, err := p.client.Fetch(p.ctx, origin.Request{
		URL: server + "/" + Part.Path + "?" + query.Encode(), MaxBytes: maxPage, Timeout: p.timeout,
	})
	if err != nil {
		return nil, 0, err
	}
	count, err := source.Array(bytes.NewReader(data), func(*struct{}) bool { return true })
	return data, count.Items + count.Skipped, err
}
