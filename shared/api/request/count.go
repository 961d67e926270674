package request

import (
	"strings"
	"time"

	"miramundo.dev/shared/fault"
)

// The methods below are what [Options.Count] reads of a finished call.

// Pattern returns the method and path of the route that matched, as
// [Route.Pattern] does, or "" when none did.
func (c *Call) Pattern() string {
	if c.route == nil {
		return ""
	}
	return c.route.pattern
}

// ForPages reports whether the route is one of the pages for people, or of the
// files that pages load.
func (c *Call) ForPages() bool { return c.route != nil && c.route.Page }

// Status returns the status of the answer, [StatusHungUp] when the caller hung up
// before it had the answer, or 0 when nothing was answered.
func (c *Call) Status() int {
	if c.hungUp {
		return StatusHungUp
	}
	return int(c.w.status)
}

// FaultCode returns the code of the fault that was answered, or "" for any other answer
// and for a caller that hung up before.
func (c *Call) FaultCode() string {
	if c.cause == nil || c.hungUp {
		return ""
	}
	return fault.From(c.cause).Code
}

// Size returns how many bytes of body were written.
func (c *Call) Size() int64 { return c.w.bytes }

// End returns when the answer was finished.
func (c *Call) End() time.Time { return c.end }

// Latency returns how long the answer took, until its last byte was written.
func (c *Call) Latency() time.Duration { return c.end.Sub(c.Start) }

// ContentType returns the media type of the answer, with its parameters.
func (c *Call) ContentType() string { return c.w.Header().Get("Content-Type") }

// WantsPage reports whether the caller accepts HTML, as browsers do when a person
// opens a page, and not for the files that the page loads.
func (c *Call) WantsPage() bool { return strings.Contains(c.Request.Header.Get("Accept"), "text/html") }
