// Package admin is the function by which the operator inspects and controls the
// service: the releases and blocks of the catalog, the jobs, the events that were not
// delivered, and the pins of the guides.
package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/fact/undelivered"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide/pin"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
)

// Endpoints is this function's part of the API.
var Endpoints = slices.Concat([]api.Endpoint{
	api.Bind((*Server).status, api.Endpoint{
		Name:   "get_catalog_state",
		Method: "GET", Path: "/api/admin/catalogo", Auth: api.Operator,
		Summary: "Get the state of the catalog",
		Doc: "Returns the release that this instance answers from, the releases that are kept, what the last reload refused, the number " +
			"of blocks, the jobs that can be run, and the report of each job's last run. It changes nothing.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).reload, api.Endpoint{
		Name:   "reload_catalog",
		Method: "POST", Path: "/api/admin/catalogo/reload", Auth: api.Operator,
		Summary: "Reload the catalog from its sources",
		Doc: "Publishes a release of what the sources have now, ends the hold of a rollback, and returns the report, which can take " +
			"minutes. Of a source with a file that cannot be right the last good files are used, and a release that loses much answers " +
			"409; the field refusals has each file, figure and limit. With force both are accepted and listed in overridden.",
		Faults: []*fault.Error{job.ErrRunning, release.ErrRefused, fault.ErrUnavailable},
	}),
	api.Bind((*Server).rollback, api.Endpoint{
		Name:   "roll_back_catalog",
		Method: "POST", Path: "/api/admin/catalogo/rollback", Auth: api.Operator,
		Summary: "Roll back to an earlier release",
		Doc: "Shows a release that is still kept, and returns it. Scheduled reloads publish nothing from then on, until a reload is " +
			"requested by hand.",
		Faults: []*fault.Error{release.ErrNoVersion, fault.ErrUnavailable},
	}),
	api.Bind((*Server).blocks, api.Endpoint{
		Name:   "list_blocks",
		Method: "GET", Path: "/api/admin/catalogo/bloqueios", Auth: api.Operator,
		Summary: "List the blocks of the catalog",
		Doc:     "Returns every channel, stream and host that the operator has taken out of the catalog, with the reason of each.",
		Faults:  []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).addBlock, api.Endpoint{
		Name:   "add_block",
		Method: "POST", Path: "/api/admin/catalogo/bloqueios", Auth: api.Operator,
		Summary: "Block a channel, stream or host",
		Doc: "Takes a channel, a stream or every stream of a host out of the catalog and returns the block. It is in force on this " +
			"instance when the call returns and survives reloads. The reason is stored with it.",
		Faults: []*fault.Error{block.ErrInvalid, fault.ErrUnavailable},
	}),
	api.Bind((*Server).removeBlock, api.Endpoint{
		Name:   "remove_block",
		Method: "DELETE", Path: "/api/admin/catalogo/bloqueios/{id}", Auth: api.Operator,
		Summary: "Remove a block",
		Doc:     "Removes one block, so that its channel, stream or host is shown again, and returns the blocks that remain.",
		Faults:  []*fault.Error{block.ErrNoBlock, fault.ErrUnavailable},
	}),
}, jobs, events, guides, pins, sessions)

// Options are the parts that the operator controls.
type Options struct {
	Archive *release.Archive
	Live    *release.Live
	Blocks  *block.List
	Pins    *pin.List
	DB      store.DB
	Access  *access.Checker
	Guides  []string // the names of the sources of guides
	Jobs    *job.Runner
	Events  *undelivered.Desk
	Now     func() time.Time

	Schedules []Schedule // of the jobs
}

// A Server answers the requests of the operator.
type Server struct {
	Options
}

// New returns a server that controls the given parts.
func New(o Options) *Server { return &Server{o} }

type status struct {
	Shown    release.State     `json:"shown" description:"Release that this instance answers from."`
	Held     bool              `json:"held" description:"True after a rollback: scheduled reloads publish nothing."`
	SyncedAt *store.Time       `json:"synced_at" type:"string" format:"date-time" description:"Time at which this instance last read the blocks; null before the first."`
	Refusals []catalog.Refusal `json:"refusals" nullable:"false" description:"Refusals of the last reload, each with file, figure and limit; empty when it took every file."`
	Releases []release.Release `json:"releases" nullable:"false" description:"Releases that are kept, newest first."`
	Blocks   int               `json:"blocks" description:"Number of blocks in force."`
	Jobs     []string          `json:"jobs" nullable:"false" description:"Jobs that can be run."`
	Reload   *job.Report       `json:"reload" description:"Report of the last reload; null before the first."`
	Reports  []job.Report      `json:"reports" nullable:"false" description:"Report of each job's last run; jobs that never ran are absent."`
}

func (s *Server) status(ctx context.Context, _ struct{}) (*status, error) {
	out := &status{Shown: s.Live.State(), Releases: []release.Release{}, Jobs: s.Jobs.Names(), Reports: []job.Report{}, Refusals: []catalog.Refusal{}}
	p, err := s.Archive.Current(ctx)
	if err != nil && !errors.Is(err, release.ErrNoVersion) {
		return nil, fault.OrUnavailable(err)
	}
	if err == nil {
		out.Held, out.SyncedAt = p.Held, &p.SyncedAt
		for _, src := range p.Sources {
			out.Refusals = append(out.Refusals, src.Refusals...)
		}
	}
	rs, err := s.Archive.Releases(ctx)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	out.Releases = append(out.Releases, rs...)
	blocks, err := s.Blocks.All(ctx)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	out.Blocks = len(blocks)
	return out, fault.OrUnavailable(s.report(ctx, out))
}

// report adds to out how the last run of each job went.
func (s *Server) report(ctx context.Context, out *status) error {
	for _, name := range out.Jobs {
		rep, err := s.Jobs.Last(ctx, name)
		if err != nil {
			return err
		}
		if rep != nil {
			out.Reports = append(out.Reports, *rep)
		}
		if name == reload.Name {
			out.Reload = rep
		}
	}
	return nil
}

type orderIn struct {
	Force bool `json:"force" description:"True takes the files and publishes the release in spite of the refusals, which the report then lists as overridden."`
}

func (s *Server) reload(ctx context.Context, in orderIn) (*job.Report, error) {
	return s.runJob(ctx, reload.Name, in.Force)
}

type rollbackIn struct {
	Version string `json:"version" required:"true" maxLength:"64" description:"Version of a kept release, from the state of the catalog."`
}

func (s *Server) rollback(ctx context.Context, in rollbackIn) (*release.Release, error) {
	r, err := s.Archive.Rollback(ctx, in.Version)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return &r, fault.OrUnavailable(s.Live.Refresh(ctx))
}

type blockList struct {
	Items []block.Block `json:"items" nullable:"false"`
	Total int           `json:"total"`
}

func (s *Server) blocks(ctx context.Context, _ struct{}) (*blockList, error) {
	all, err := s.Blocks.All(ctx)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return &blockList{Items: append([]block.Block{}, all...), Total: len(all)}, nil
}

type blockIn struct {
	Kind   string `json:"kind" required:"true" enum:"channel,stream,host" description:"Kind of the value to block."`
	Value  string `json:"value" required:"true" minLength:"1" maxLength:"253" description:"Channel id, stream id or host name; a host name includes its subdomains."`
	Reason string `json:"reason" required:"true" minLength:"1" maxLength:"500" description:"Reason for the block, stored with it."`
}

func (s *Server) addBlock(ctx context.Context, in blockIn) (*block.Block, error) {
	b, err := block.New(in.Kind, in.Value, in.Reason, s.Now())
	if err != nil {
		return nil, err
	}
	if err := s.Blocks.Add(ctx, b); err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return &b, fault.OrUnavailable(s.Live.Refresh(ctx))
}

type removeIn struct {
	ID string `path:"id" maxLength:"64" description:"Id of the block."`
}

func (s *Server) removeBlock(ctx context.Context, in removeIn) (*blockList, error) {
	if err := s.Blocks.Remove(ctx, in.ID); err != nil {
		return nil, fault.OrUnavailable(err)
	}
	if err := s.Live.Refresh(ctx); err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return s.blocks(ctx, struct{}{})
}
