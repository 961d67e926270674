package request

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// A caller that hangs up makes things fail: a query is canceled, the rest of the
// body is missing, the answer cannot be written. That is nobody's defect, so it
// is logged at the level of other requests, with a status that no caller
// receives. Three signs tell such a failure from others:
//
//   - the context of the request is canceled, which the server does when the
//     connection ends, and the failure would be one of ours;
//   - the body of the request ends early, and not because its time was over;
//   - a write of the answer fails.
//
// A panic is a defect, even while the caller hangs up.

// StatusHungUp is the status that the log shows for a request whose caller hung
// up before it had the answer.
const StatusHungUp = 499

// errHungUp is the cause that the log shows for such a request. The cause itself
// may hold the caller's address.
var errHungUp = errors.New("the caller hung up")

// causedByHangUp reports whether the call failed with f because its caller hung
// up.
func (c *Call) causedByHangUp(f *fault.Error) bool {
	switch {
	case c.panicked:
		return false
	case c.w.lost:
		return true
	case errors.Is(f, fault.ErrBody) && isCut(f):
		return true
	}
	return errors.Is(c.Request.Context().Err(), context.Canceled) && api.Status(f.Kind) >= 500
}

// isCut reports whether a read of the request body failed because the
// connection ended.
func isCut(err error) bool {
	network, ok := errors.AsType[net.Error](err)
	return errors.Is(err, io.ErrUnexpectedEOF) || ok && !network.Timeout()
}

// isLost reports whether a write of an answer failed because the connection
// ended. Any other error is a complaint of the server about the answer.
func isLost(err error) bool {
	return err != nil && !errors.Is(err, http.ErrBodyNotAllowed) && !errors.Is(err, http.ErrContentLength) && !errors.Is(err, http.ErrHijacked)
}

// atLeastUnavailable returns f, or in place of a defect that the service is
// unavailable: a caller that closed its side of the connection alone may still
// read the answer.
func atLeastUnavailable(f *fault.Error) *fault.Error {
	if f.Kind == fault.Internal {
		return fault.ErrUnavailable
	}
	return f
}

// withoutAddress returns text without the address of the caller, which network
// errors repeat.
func (c *Call) withoutAddress(text string) string {
	if c.Request.RemoteAddr == "" {
		return text
	}
	return strings.ReplaceAll(text, c.Request.RemoteAddr, "the caller")
}
