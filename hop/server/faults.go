package server

import (
	"errors"
	"slices"
	"strings"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
)

// Faults of playing, beside those of playlists and tickets.
var (
	// ErrAccess means that the origin answered 401 or 403, as its field
	// "upstream_status" says.
	ErrAccess = fault.New(fault.Unprocessable, "playlist_acesso")

	// ErrAway means that the origin does not answer, or that too many requests
	// to origins are under way.
	ErrAway = fault.New(fault.Unavailable, "playlist_indisponivel").With("retry_after", retryAfter)
)

// retryAfter is how many seconds a player is asked to wait for an origin. By then
// the origin is asked anew.
const retryAfter = 2

// verdicts give the fault of the interface for each failure of a fetch.
var verdicts = []struct {
	causes []error
	fault  *fault.Error
}{
	{[]error{origin.ErrAccess}, ErrAccess},
	{[]error{origin.ErrLimit, origin.ErrRedirects, playlist.ErrLimit, ticket.ErrLong}, playlist.ErrLimit},
	{[]error{origin.ErrRefused, origin.ErrOrigin, playlist.ErrOrigin}, playlist.ErrOrigin},
	{[]error{origin.ErrTimeout, origin.ErrBusy, origin.ErrUnreachable}, ErrAway},
}

// judge returns the fault to answer when a playlist could not be had because of
// err. When the caller hung up meanwhile, that is the reason.
func (p *playing) judge(err error) error {
	if gone := p.Request.Context().Err(); gone != nil {
		return gone
	}
	for _, v := range verdicts {
		if slices.ContainsFunc(v.causes, func(target error) bool { return errors.Is(err, target) }) {
			return p.failure(v.fault, err)
		}
	}
	return err
}

// failure returns f, of a playlist, with the status of the origin when there is
// one, and with the kind that this hop answers.
func (s *Server) failure(f *fault.Error, cause error) *fault.Error {
	status, known := fault.From(cause).Fields["upstream_status"]
	f = f.Because(discreet(cause))
	if known {
		f = f.With("upstream_status", status)
	}
	if s.Fallback && f.Kind == fault.Unprocessable {
		f.Kind = fault.BadGateway
	}
	return f
}

// maxCause is how much of a cause is logged, in bytes. An origin may fail on
// every request, and its words may take kilobytes.
const maxCause = 300

// discreet returns an error for the log that says what err does, but for the
// address that was asked and the words of the origin: they may hold what only
// the player should know.
func discreet(err error) error {
	text := cloudlog.WithoutQuotes(err.Error())
	return errors.New(strings.ToValidUTF8(text[:min(len(text), maxCause)], ""))
}
