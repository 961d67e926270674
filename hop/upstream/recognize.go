package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/playlist/reference"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe/content"
)

// This file recognizes what an address sends. The first bytes decide, since
// what servers say of their content is often wrong: a text that begins with #
// is read as a playlist, and of anything else only the first bytes are read.
// A station that plays for ever is so told from a playlist at once.
//
// A list of addresses, as radio stations have, is followed once, to the first
// of its entries that can be played. It works like a redirect: a playlist that
// it leads to is the stream's playlist, and is asked for directly from then on
// (edge.go).

// maxHead is how many first bytes are read of what is not a playlist.
const maxHead = 8 << 10

// leastHead is how many bytes of media are looked at before there are more.
const leastHead = 1 << 10

// maxEntries is how many entries of a list are tried.
const maxEntries = 2

// foundTime is for how long an address that sends something else than a
// playlist is not asked again.
const foundTime = 10 * time.Second

// An Other is the error of a request for a playlist whose origin sends
// something else that players can play.
type Other struct {
	Kind  string // of the interface; empty for media that has no kind there
	Entry string // its address, when a list at the stream's address leads to it; empty when it is at the stream's address
}

func (o *Other) Error() string { return "the origin sends no playlist, but " + o.name() }

// Unwrap lets an Other count as a failure of the origin where a playlist alone
// will do.
func (o *Other) Unwrap() error { return playlist.ErrOrigin }

func (o *Other) name() string {
	if o.Kind == "" {
		return "other media"
	}
	return o.Kind
}

// A listing is the error of a response that is a list of addresses.
type listing struct {
	entries []string // the first ones
	base    string   // its own address, after redirects; set by get
}

func (*listing) Error() string { return "the origin sends a list of addresses" }

func (*listing) Unwrap() error { return playlist.ErrOrigin }

// Responses that are not playlists, nor anything else that players play.
var (
	errNothing  = playlist.ErrOrigin.Because(errors.New("the response is empty"))
	errDocument = playlist.ErrOrigin.Because(errors.New("the response is a document"))
	errBytes    = playlist.ErrOrigin.Because(errors.New("the response is neither a playlist nor media"))
	errNested   = playlist.ErrOrigin.Because(errors.New("a list leads to another list"))
	errTooLarge = origin.ErrLimit.Because(errors.New("the playlist is too large"))
	errNoEntry  = playlist.ErrOrigin.Because(errors.New("a list without an address"))
)

// readHead reads the first bytes of a body into data, until they begin a text
// that may be a playlist. It reports whether the body has ended. When they are
// anything else, it returns an *Other, a *listing, or an error with
// playlist.ErrOrigin in its chain.
func readHead(data *bytes.Buffer, body io.Reader) (ended bool, err error) {
	for next := leastHead; ; {
		data.Grow(bytes.MinRead)
		room := data.AvailableBuffer()
		n, err := body.Read(room[:min(cap(room), maxHead-data.Len())])
		data.Write(room[:n])
		ended := errors.Is(err, io.EOF)
		if beginsAsPlaylist(data.Bytes()) {
			if ended {
				err = nil
			}
			return ended, err
		}
		if err == nil && data.Len() < next {
			continue
		}
		if found := recognize(data.Bytes(), ended || data.Len() >= maxHead); found != nil {
			return ended, found
		}
		if err != nil {
			return ended, err
		}
		next *= 2
	}
}

// beginsAsPlaylist reports whether the first character is a #, with which all
// playlists begin.
func beginsAsPlaylist(data []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	return len(text) > 0 && text[0] == '#'
}

// recognize returns what data is, the first bytes of a response that is not a
// playlist. It returns nil when more bytes are needed to decide, unless all
// says that there are no more.
func recognize(data []byte, all bool) error {
	form := content.Tell(data)
	switch form {
	case content.Binary:
		if kind, ok := content.KindOf(data); ok {
			return &Other{Kind: kind}
		}
	case content.Manifest:
		return &Other{Kind: catalog.StreamDASH}
	}
	if !all {
		return nil
	}
	switch form {
	case content.List:
		return &listing{entries: content.Listed(wholeLines(data), maxEntries)}
	case content.Nothing:
		return errNothing
	case content.Document:
		return errDocument
	}
	return errBytes
}

// wholeLines cuts the last line of data when its end was not read.
func wholeLines(data []byte) []byte {
	if len(data) < maxHead {
		return data
	}
	return data[:bytes.LastIndexByte(data, '\n')+1]
}

// checkText returns an error when data, a whole text that begins as a playlist,
// is too large to be one, or is a list of addresses: one without any tag of HLS,
// and without the durations that segments have.
func checkText(data []byte) error {
	switch {
	case len(data) > playlist.MaxInput:
		return errTooLarge
	case bytes.Contains(data, []byte("#EXT-X-")), content.IsTimed(data):
		return nil
	}
	if entries := content.Listed(data, maxEntries); len(entries) > 0 {
		return &listing{entries: entries}
	}
	return nil
}

// followList returns the playlist that a list leads to. It tries the first
// entries, within the time of the whole fetch.
func (e *fetcher) followList(ctx context.Context, l *listing, timeout time.Duration) (*origin.Response, []byte, error) {
	err := error(errNoEntry)
	for _, entry := range l.entries {
		left := e.left(timeout)
		if left <= 0 {
			break
		}
		var res *origin.Response
		var body []byte
		to := resolve(l.base, entry)
		if res, body, err = e.get(ctx, to, left); err == nil {
			return res, body, nil
		}
		if _, ok := errors.AsType[*listing](err); ok {
			err = errNested
		}
		if other, ok := errors.AsType[*Other](err); ok {
			other.Entry = to
			break
		}
	}
	return nil, nil, err
}

// resolve returns the address that a reference of a list leads to.
func resolve(base, ref string) string {
	b, _ := reference.New(nil, []byte(base))
	return string(b.Append(nil, []byte(ref)))
}
