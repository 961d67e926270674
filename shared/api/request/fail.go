package request

import (
	"net/http"
	"strconv"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// fail answers with the fault in err, when no answer was begun.
func (c *Call) fail(err error) {
	f := fault.From(err)
	if c.cause = err; c.causedByHangUp(f) {
		c.hungUp = true
		f = atLeastUnavailable(f)
	}
	if c.w.status != 0 {
		return
	}
	h := c.w.Header()
	for _, name := range []string{"Content-Encoding", "Content-Length", "Etag", "Location"} {
		h.Del(name)
	}
	h["X-Request-Id"] = []string{c.ID()}
	h["Cache-Control"] = noStore
	if f.Kind == fault.Unauthenticated {
		h["Www-Authenticate"] = challenge
	}
	if seconds := retryAfter(f); seconds > 0 {
		h["Retry-After"] = []string{strconv.Itoa(seconds)}
	}
	for _, value := range f.Fields {
		if field, ok := value.(api.HeaderField); ok {
			field.AddTo(h)
		}
	}
	if c.showFault(f) {
		return
	}
	status := api.Status(f.Kind)
	if err := api.Send(&c.w, c.Request, status, api.Body(c.Locale(), f)); err != nil && c.w.status == 0 {
		http.Error(&c.w, f.Code, status)
	}
}

// Seconds that callers are asked to wait after a fault that names no time of its own:
// about as long as a restart takes, and a minute after too many requests, which most
// limits count by.
const (
	retryUnavailable = 5
	retryLimited     = 60
)

// retryAfter returns the seconds after which the caller may try again; 0 when a
// repetition would not help.
func retryAfter(f *fault.Error) int {
	if seconds, ok := f.Fields["retry_after"].(int); ok {
		return seconds
	}
	switch f.Kind {
	case fault.Unavailable:
		return retryUnavailable
	case fault.Limited:
		return retryLimited
	}
	return 0
}

// showFault answers with a page that shows f, and reports whether it did.
func (c *Call) showFault(f *fault.Error) bool {
	if c.layer.FaultPage == nil || !c.forPeople() {
		return false
	}
	page := c.layer.FaultPage(c.Request, api.Status(f.Kind), f)
	return page != nil && page.Reply(&c.w, c.Request) == nil
}

// forPeople reports whether a person reads the answer: a browser requested a
// page, or an address that no route has.
func (c *Call) forPeople() bool {
	if c.route != nil && !c.route.Page {
		return false
	}
	return (c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead) && c.WantsPage()
}
