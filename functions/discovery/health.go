package discovery

import (
	"context"
	"slices"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/release"
)

// limit is the age after which the catalog and each of its sources are stale.
const limit = catalog.StaleAfter

// patience is how long health waits for the database to answer.
const patience = 2 * time.Second

// Health is the answer of GET /api/health. It is told whatever fails: what
// does not answer is a member, not an error.
type health struct {
	OK       bool                 `json:"ok" description:"Always true when the service answers."`
	App      string               `json:"app"`
	Build    string               `json:"build" description:"Short id of the published commit."`
	TS       string               `json:"ts" format:"date-time"`
	Catalog  freshness            `json:"catalog"`
	Sources  map[string]reference `json:"sources" nullable:"false" description:"Each file that the catalog and the guides are made of, by name."`
	Database bool                 `json:"database" description:"Whether the database answers. Search and detail go on without it."`
	Snapshot *release.State       `json:"snapshot" description:"What this instance answers from; null before the first catalog."`
}

// freshness is how old the catalog is.
type freshness struct {
	SyncedAt  *string `json:"synced_at" format:"date-time" description:"When its sources were last confirmed."`
	AgeHours  *int    `json:"age_hours"`
	Stale     bool    `json:"stale" description:"Older than the limit, or not there."`
	LimitDays int     `json:"limit_days"`
}

// A reference is how one file of a source stands.
type reference struct {
	FetchedAt *string `json:"fetched_at" format:"date-time" description:"When it was last read or confirmed; null when never."`
	SHA256    *string `json:"sha256" description:"Of the file, in hex."`
	Items     int     `json:"itens" description:"Records understood."`
	AgeHours  *int    `json:"age_hours"`
	LimitDays int     `json:"limit_days"`
	Stale     bool    `json:"stale"`
	Missing   bool    `json:"ausente" description:"Never fetched, and nothing was kept of it."`
}

func (s *Server) health(ctx context.Context, _ struct{}) (health, error) {
	now := s.Now()
	h := health{
		OK: true, App: App, Build: s.Build, TS: stamp(now),
		Catalog: freshness{Stale: true, LimitDays: int(limit / (24 * time.Hour))},
		Sources: map[string]reference{},
	}
	if at, ok := s.State.Synced(); ok {
		text, age := stamp(at), hours(now.Sub(at))
		h.Catalog.SyncedAt, h.Catalog.AgeHours, h.Catalog.Stale = &text, &age, now.Sub(at) > limit
		state := s.State.State()
		h.Snapshot = &state
	}
	for _, src := range s.sources() {
		h.Sources[src.Name] = referTo(src, now)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	h.Database = s.State.Database(ctx) == nil
	return h, nil
}

// sources returns how the files of the catalog and of the guides stand.
func (s *Server) sources() []catalog.Source {
	all := s.State.Sources()
	if s.Guides != nil {
		all = slices.Concat(all, s.Guides.Sources())
	}
	return all
}

func referTo(src catalog.Source, now time.Time) reference {
	r := reference{Items: src.Items, Missing: src.Missing, Stale: true, LimitDays: int(limit / (24 * time.Hour))}
	if src.SHA256 != "" {
		r.SHA256 = &src.SHA256
	}
	if !src.FetchedAt.IsZero() {
		text, age := stamp(src.FetchedAt), hours(now.Sub(src.FetchedAt))
		r.FetchedAt, r.AgeHours, r.Stale = &text, &age, now.Sub(src.FetchedAt) > limit
	}
	return r
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// hours returns whole hours; a clock that runs behind makes nothing younger
// than now.
func hours(d time.Duration) int { return int(max(d, 0) / time.Hour) }
