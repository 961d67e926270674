package server

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
)

// Faults of playing, beside those of playlists and tickets.
var (
	// ErrAccess says that the origin answered 401 or 403; its field
	// "upstream_status" says which.
	ErrAccess = fault.New(fault.Unprocessable, "playlist_acesso")

	// ErrAway says that the origin does not answer, or that too many requests
	// to origins are under way.
	ErrAway = fault.New(fault.Unavailable, "playlist_indisponivel").With("retry_after", retryAfter)
)

// retryAfter is how many seconds a player is asked to wait for an origin: for
// as long the failure is remembered at least.
const retryAfter = 2

// errGone is the fault of a call whose caller went away. Nobody reads it.
var errGone = fault.New(fault.Unavailable, "unavailable").Because(errors.New("the caller went away"))

// verdicts say which fault of the interface a failure of a fetch is.
var verdicts = []struct {
	is   []error
	told *fault.Error
}{
	{[]error{origin.ErrAccess}, ErrAccess},
	{[]error{origin.ErrLimit, playlist.ErrLimit, ticket.ErrLong}, playlist.ErrLimit},
	{[]error{origin.ErrRefused, origin.ErrOrigin, playlist.ErrOrigin}, playlist.ErrOrigin},
	{[]error{origin.ErrTimeout, origin.ErrBusy, origin.ErrUnreachable}, ErrAway},
}

// judge returns the fault that the caller is told of when there is no playlist
// because of err.
func (c *call) judge(err error) error {
	if c.r.Context().Err() != nil {
		c.gone = true
		return errGone
	}
	for _, v := range verdicts {
		if slices.ContainsFunc(v.is, func(target error) bool { return errors.Is(err, target) }) {
			return c.tell(v.told, err)
		}
	}
	return err
}

// tell returns f, of a playlist, as this hop tells it.
func (s *Server) tell(f *fault.Error, cause error) *fault.Error {
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

// quoted is where an error repeats an address, or what an origin sent.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"?`)

// discreet returns an error for the log that says what err does, but for the
// address that was asked and the words of the origin: they may hold what only
// the player should know.
func discreet(err error) error {
	text := quoted.ReplaceAllString(err.Error(), `"…"`)
	return errors.New(strings.ToValidUTF8(text[:min(len(text), maxCause)], ""))
}
