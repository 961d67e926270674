package collect

import (
	"errors"
	"fmt"
	"strings"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
)

// maxProblem is the greatest length of a problem's text in bytes.
const maxProblem = 400

// Problem returns err as a sentence for the operator, of at most a few
// hundred bytes and without the requested address.
func Problem(err error) string {
	text := sentence(err)
	if len(text) > maxProblem {
		text = text[:maxProblem] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// sentence describes the faults of a request.
func sentence(err error) string {
	answer := "with an error: " + cause(err)
	if code, ok := fault.From(err).Fields["upstream_status"]; ok {
		answer = fmt.Sprintf("with status %d", code)
	}
	switch {
	case errors.Is(err, origin.ErrRefused):
		return "requests to this address are not allowed: " + cause(err)
	case errors.Is(err, origin.ErrAccess):
		return "the server refuses access: it answered " + answer
	case errors.Is(err, origin.ErrLimit):
		return "the file is larger than it may be: " + cause(err)
	case errors.Is(err, origin.ErrRedirects):
		return "the server redirects too often: " + cause(err)
	case errors.Is(err, origin.ErrTimeout):
		return "the file was not complete in time"
	case errors.Is(err, origin.ErrUnreachable):
		return "the server cannot be reached: " + cause(err)
	case errors.Is(err, origin.ErrBusy):
		return "too many requests are in progress"
	case errors.Is(err, origin.ErrOrigin):
		return "the server answered " + answer
	}
	return err.Error()
}

// cause returns the innermost message, without the layers that repeat the
// request.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
