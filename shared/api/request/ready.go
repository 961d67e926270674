package request

import (
	"net/http"
	"strconv"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/overlay"
)

// ReadyPath is where every process answers the platform's probes. It is no part
// of the API: the load balancer does not lead to it.
const ReadyPath = "/ready"

// readiness is the answer of ReadyPath. A process that has what it needs in
// memory goes on answering while the database is away, so being behind does not
// make it unready: only a part that never came does.
type readiness struct {
	OK        bool     `json:"ok"`        // every part that the process needs was loaded once
	Following int      `json:"following"` // subjects of the database that it keeps up to date
	Stale     []behind `json:"stale"`     // the parts that may be old, by name
}

// behind is a part whose last confirmation by the database is too old.
type behind struct {
	Name       string `json:"name"`
	AgeSeconds int    `json:"age_seconds"` // since the last confirmation, or since the start
	Loaded     bool   `json:"loaded"`
}

// readyRoute returns the route of ReadyPath: 200 when the process can answer, and
// 503 while a part of what it needs has never been loaded.
func readyRoute(followers *overlay.Set, now func() time.Time) Route {
	return Route{
		Method: http.MethodGet, Path: ReadyPath, Policy: Policy{Headers: []Header{{"Cache-Control", noStore}}},
		Serve: func(c *Call) error {
			state, status := readiness{OK: true, Following: followers.Len(), Stale: []behind{}}, http.StatusOK
			for _, lag := range followers.Stale(now()) {
				state.Stale = append(state.Stale, behind{lag.Name, int(lag.Age / time.Second), lag.Loaded})
				if !lag.Loaded {
					state.OK, status = false, http.StatusServiceUnavailable
				}
			}
			if !state.OK {
				c.w.Header()["Retry-After"] = []string{strconv.Itoa(retryUnavailable)}
			}
			return api.Send(&c.w, c.Request, status, state)
		},
	}
}
