package server

import (
	"encoding/json"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
)

// A health is the answer of the health route: that this instance answers, and
// from which catalog. It reads nothing but memory.
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
	Problem   bool    `json:"problem"` // something keeps newer data out, which the log tells
}

func (c *call) health(string) error {
	state := c.Catalog.State()
	h := health{
		OK: true, App: "miramundo-hop", Build: c.Build, TS: c.start.UTC().Format(time.RFC3339),
		Catalog: freshness{Version: state.Version, Problem: state.Problem != "", Stale: true, LimitDays: int(catalog.StaleAfter / (24 * time.Hour))},
	}
	if at, ok := c.Catalog.Synced(); ok {
		text, age := at.UTC().Format(time.RFC3339), max(c.start.Sub(at), 0)
		hours := int(age / time.Hour)
		h.Catalog.SyncedAt, h.Catalog.AgeHours, h.Catalog.Stale = &text, &hours, age > catalog.StaleAfter
	}
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	c.told, c.status, c.bytes = true, 200, int64(len(data))
	return api.WriteJSON(c.w, c.r, data)
}
