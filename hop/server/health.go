package server

import (
	"net/http"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
)

// A health is the answer of the health route: that this instance answers, and
// from which catalog. The route reads memory alone.
type health struct {
	OK      bool      `json:"ok"` // always true
	App     string    `json:"app"`
	Build   string    `json:"build"`
	TS      string    `json:"ts"`
	Catalog freshness `json:"catalog"`
}

// A freshness is how old the catalog is.
type freshness struct {
	Version   string  `json:"version"`   // empty before the first
	SyncedAt  *string `json:"synced_at"` // null before the first
	AgeHours  *int    `json:"age_hours"` // likewise
	Stale     bool    `json:"stale"`
	LimitDays int     `json:"limit_days"`
	Problem   bool    `json:"problem"` // a failure keeps newer data out; the log has its cause
}

func (s *Server) health(c *request.Call) error {
	state := s.Catalog.State()
	h := health{
		OK: true, App: "miramundo-hop", Build: s.Build, TS: c.Start.UTC().Format(time.RFC3339),
		Catalog: freshness{Version: state.Version, Problem: state.Problem != "", Stale: true, LimitDays: int(catalog.StaleAfter / (24 * time.Hour))},
	}
	if at, ok := s.Catalog.Synced(); ok {
		text, age := at.UTC().Format(time.RFC3339), max(c.Start.Sub(at), 0)
		hours := int(age / time.Hour)
		h.Catalog.SyncedAt, h.Catalog.AgeHours, h.Catalog.Stale = &text, &hours, age > catalog.StaleAfter
	}
	return api.Send(c.Writer(), c.Request, http.StatusOK, h)
}
