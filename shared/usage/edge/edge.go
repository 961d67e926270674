// Package edge counts the finished calls of a process for package usage.
package edge

import (
	"strings"

	"miramundo.dev/shared/agent"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/usage"
)

// Surfaces are the surfaces of routes, by their patterns. Routes that are not listed
// are [usage.Internal], and those of pages need not be.
type Surfaces map[string]usage.Surface

// Count returns what counts the calls of routes that have some surfaces. It returns
// nil without a meter.
func Count(m *usage.Meter, of Surfaces) func(*request.Call) {
	if m == nil {
		return nil
	}
	return func(c *request.Call) {
		pattern := c.Pattern()
		if pattern == readyPattern {
			return
		}
		surface, userAgent, end := of.surface(c, pattern), c.UserAgent(), c.End()
		kind := m.Answered(usage.Answer{
			Route: pattern, Surface: surface, Agent: userAgent,
			Status: c.Status(), Bytes: c.Size(), Took: c.Latency(), At: end,
		})
		if surface == usage.Site && kind == agent.Person {
			m.Visitor(identity.Caller{Addr: c.Addr(), UserAgent: userAgent}, end)
		}
	}
}

// readyPattern is the route of the platform's probes, which nobody uses.
const readyPattern = "GET " + request.ReadyPath

// surface returns the surface of a call.
func (of Surfaces) surface(c *request.Call, pattern string) usage.Surface {
	if c.ForPages() {
		if isPage(c) {
			return usage.Site
		}
		return usage.Files
	}
	if surface, ok := of[pattern]; ok {
		return surface
	}
	return usage.Internal
}

// Statuses of a page that is shown.
const (
	statusOK          = 200
	statusNotModified = 304
)

// isPage reports whether a page was shown, and not one of the files that pages load,
// nor a fault. A page that the caller had already has no media type.
func isPage(c *request.Call) bool {
	switch c.Status() {
	case statusOK:
		kind := c.ContentType()
		return c.Request.Method == "GET" && (strings.HasPrefix(kind, "text/html") || strings.HasPrefix(kind, "text/markdown"))
	case statusNotModified:
		return c.WantsPage()
	}
	return false
}
