// Package status is the function that reports the health of the service: which
// catalog it answers from, how old each source is and whether the database
// answers.
//
// The report is of one instance, and is computed for each request from memory and
// one read of the database. It never fails: monitors and agents read the fields,
// and readiness is a separate endpoint of the process.
package status

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/overlay"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).health, api.Endpoint{
		Name: "get_health", Tool: true,
		Brief:   "ok build ts catalog.synced_at catalog.age_hours catalog.stale",
		Method:  "GET",
		Path:    api.HealthPath,
		Auth:    api.None,
		Summary: "Get the health of the service",
		Doc: "Returns the build, the age of the catalog and of each of its sources, what the last reload refused of them, and whether " +
			"the database answers. The status is 200 whenever the service answers: a stale catalog, a refused source or a failing " +
			"database shows only in the fields.",
	}),
}

// A State reports which catalog an instance answers from.
type State interface {
	// Synced returns when the sources were last confirmed, and false before the
	// first release.
	Synced() (time.Time, bool)
	// Sources returns the state of each file of the sources.
	Sources() []catalog.Source
	// State returns which release is shown, and what prevents a newer one.
	State() release.State
	// Database returns an error when the database does not answer or takes no
	// writes: a fault.Outage where the reason is known.
	Database(context.Context) error
}

// Sourced is a part of the service that is made from files, such as the guides.
type Sourced interface {
	// Sources returns the state of each file.
	Sources() []catalog.Source
}

// Options are the parts that health is computed from.
type Options struct {
	State     State
	Guides    Sourced      // may be nil
	Followers *overlay.Set // of the parts that the instance shows; may be nil
	Build     string       // short id of the commit
	Now       func() time.Time
}

// A Server answers for the health of the service.
type Server struct{ Options }

// New returns a server that reports o.
func New(o Options) *Server { return &Server{o} }

// limit is the age after which the catalog and each of its sources are stale.
const limit = catalog.StaleAfter

// patience is how long health waits for the database to answer.
const patience = 2 * time.Second

// health is the answer of GET /api/health. It is always sent: a failing part is
// reported in a field, never as an error.
type health struct {
	OK       bool                 `json:"ok" description:"Always true when the service answers."`
	App      string               `json:"app" description:"Name of the service."`
	Build    string               `json:"build" description:"Short id of the published commit."`
	TS       string               `json:"ts" format:"date-time" description:"Time of the answer, in UTC."`
	Catalog  freshness            `json:"catalog" description:"Age of the catalog."`
	Sources  map[string]reference `json:"sources" nullable:"false" description:"State of every file that the catalog and the guides are made from, by name."`
	Database bool                 `json:"database" description:"Whether the database answers and takes writes. Search and detail work without it."`
	Reason   fault.Reason         `json:"database_reason,omitempty" enum:"storage_full,read_only,busy,starting" description:"Reason for which database is false: storage_full or read_only (nothing is saved, reads succeed), busy or starting; absent where it is not known."`
	Behind   []string             `json:"behind" nullable:"false" description:"Parts of this instance that may be out of date, because the database has not confirmed them lately."`
	Snapshot *release.State       `json:"snapshot" description:"Release that this instance answers from; null before the first."`
}

// freshness is the age of the catalog.
type freshness struct {
	SyncedAt  *string `json:"synced_at" format:"date-time" description:"Time at which the sources of the catalog were last confirmed."`
	AgeHours  *int    `json:"age_hours" description:"Hours since the catalog was made; null before the first."`
	Stale     bool    `json:"stale" description:"True when the catalog is older than the limit, of unknown age or not loaded."`
	LimitDays int     `json:"limit_days" description:"Age in days from which the catalog is stale."`
	Problem   string  `json:"problem,omitempty" description:"Reason for which this instance shows no release, or cannot say how old its release is; absent otherwise."`
}

// A reference is the state of one file of a source.
type reference struct {
	FetchedAt *string `json:"fetched_at" format:"date-time" description:"Time at which the file was last read or confirmed; null when it never was."`
	SHA256    *string `json:"sha256" description:"SHA-256 of the file, in hex."`
	Items     int     `json:"itens" description:"Number of records read from the file."`
	AgeHours  *int    `json:"age_hours" description:"Hours since the file was read; null when it never was."`
	LimitDays int     `json:"limit_days" description:"Age in days from which the file is stale."`
	Stale     bool    `json:"stale"`
	Missing   bool    `json:"ausente" description:"True when the file was never fetched and no copy of it is kept."`

	Kept     bool              `json:"kept" description:"True when the last reload did not take the file as it is now, and the last good one is used."`
	Problem  string            `json:"problem,omitempty" description:"Reason for which the file was not taken. The files of one source are taken or left together."`
	Refusals []catalog.Refusal `json:"refusals,omitempty" description:"Figures of the file, or of the catalog made from it, that are beyond their limits."`
}

func (s *Server) health(ctx context.Context, _ struct{}) (health, error) {
	now := s.Now()
	h := health{
		OK: true, App: config.Product, Build: s.Build, TS: stamp(now),
		Catalog: freshness{Stale: true, LimitDays: int(limit / (24 * time.Hour))},
		Sources: map[string]reference{}, Behind: []string{},
	}
	for _, lag := range s.Followers.Stale(now) {
		h.Behind = append(h.Behind, lag.Name)
	}
	state := s.State.State()
	if at, ok := s.State.Synced(); ok {
		text, age := stamp(at), hours(now.Sub(at))
		h.Catalog.SyncedAt, h.Catalog.AgeHours, h.Catalog.Stale = &text, &age, now.Sub(at) > limit
		h.Snapshot = &state
		if ahead(at, now) {
			h.Catalog.Stale, h.Catalog.Problem = true, clockAhead
		}
	} else {
		h.Catalog.Problem = state.Problem
	}
	for _, src := range s.sources() {
		h.Sources[src.Name] = referTo(src, now)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := s.State.Database(ctx)
	h.Database = err == nil
	if outage, known := errors.AsType[*fault.Outage](err); known {
		h.Reason = outage.Reason
	}
	return h, nil
}

// sources returns the state of the files of the catalog and of the guides.
func (s *Server) sources() []catalog.Source {
	all := s.State.Sources()
	if s.Guides != nil {
		all = slices.Concat(all, s.Guides.Sources())
	}
	return all
}

// referTo returns the state of a file at now. A file that was never fetched is
// stale.
func referTo(src catalog.Source, now time.Time) reference {
	r := reference{
		Items: src.Items, Missing: src.Missing, Stale: true, LimitDays: int(limit / (24 * time.Hour)),
		Kept: src.Kept, Problem: src.Problem, Refusals: src.Refusals,
	}
	if src.SHA256 != "" {
		r.SHA256 = &src.SHA256
	}
	if !src.FetchedAt.IsZero() {
		text, age := stamp(src.FetchedAt), hours(now.Sub(src.FetchedAt))
		r.FetchedAt, r.AgeHours, r.Stale = &text, &age, now.Sub(src.FetchedAt) > limit
		if ahead(src.FetchedAt, now) {
			r.Stale, r.Problem = true, cmp.Or(r.Problem, clockAhead)
		}
	}
	return r
}

// clockAhead is the problem of something that was fetched at a time to come.
const clockAhead = "the clock was ahead when this was fetched, so its age is not known; the next reload sets that right"

// ahead reports whether t is further ahead of now than a clock that is a little wrong
// puts it.
func ahead(t, now time.Time) bool { return t.Sub(now) > time.Hour }

// stamp returns t as the interface writes times.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// hours returns d in whole hours, and 0 for a negative one: the clock of another
// machine may be ahead of ours.
func hours(d time.Duration) int { return int(max(d, 0) / time.Hour) }
