// Package machine runs the whole service on one machine, in one process: every
// function behind one address, the hop, the legacy player, the chat room, the jobs on a
// local clock and the events. The documents are in its data folder, or elsewhere.
//
// The program miramundo and the local stack of developers are made of it. They decide
// the settings and listen; a machine never reads the environment.
package machine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	chatroom "miramundo.dev/chatroom/server"
	"miramundo.dev/functions"
	"miramundo.dev/hop/server"
	"miramundo.dev/miramundo/backup"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
)

// Options are what a machine is made from. All but Extra, Progress and Gateway are
// required.
type Options struct {
	Config  config.Config // of every part; the machine sets Catalog
	Catalog string        // Live, Sample or a folder; empty is Live when its sources answer, and else Sample
	Log     *slog.Logger
	Folder  Folder
	Files   map[string][]byte        // of Folder beside the database; they are in every backup
	Fronts  *Fronts                  // get the parts when they are open
	Every   map[string]time.Duration // how often each job runs; the others run once

	Extra    *source.Dataset // records beside those of the sources
	Progress func(collect.Progress)
	Gateway  func(h http.Handler, p *compose.Parts) http.Handler // returns what stands before the functions; nil leaves them as they are
}

// A Machine is the whole service. Its methods must not be called concurrently.
type Machine struct {
	Options
	Parts *compose.Parts // open after Load

	mark    Mark
	checked bool         // the whole database was read when it was opened
	pending bool         // what is shown was kept from before: a reload follows
	stop    func() error // closes Parts and what runs on them
}

// New returns the machine of o, which opens nothing before Load.
func New(o Options) *Machine {
	m := &Machine{Options: o, stop: func() error { return nil }}
	if !o.Folder.Elsewhere {
		m.mark = MarkIn(o.Folder.Dir)
	}
	return m
}

// Load chooses the catalog, opens the functions on it, and returns when there is
// something to search. What the data has from before is shown without a reload when
// kept is set.
func (m *Machine) Load(ctx context.Context, kept bool) error {
	pick, err := Choose(ctx, m.Catalog, m.Config)
	if err != nil {
		return err
	}
	if m.Catalog == "" && pick.Name == Sample && m.mark.Was(Live) {
		pick = Choice{Live, "kept from before, for now " + pick.Why}
	}
	err = m.show(ctx, pick, kept)
	if err != nil && m.Catalog == "" && pick.Name == Live && ctx.Err() == nil {
		m.Folder.Warn("%v", err)
		err = m.show(ctx, Choice{Sample, "the live sources gave nothing to show"}, kept)
	}
	return err
}

// show opens the functions on a catalog. It loads the catalog now, unless the
// data has it from before and kept is set: then it is shown at once, and loaded again
// later. A release of another catalog, or one that this version cannot read, is
// replaced in spite of the guards of a reload.
func (m *Machine) show(ctx context.Context, pick Choice, kept bool) error {
	m.Folder.Say("catalog: %s (%s)", pick.Name, pick.Why)
	if err := m.open(ctx, pick.Name); err != nil {
		return err
	}
	at, readable := m.Parts.Catalog.Synced()
	if readable && m.mark.Was(pick.Name) {
		m.Folder.Say("serving what %s has of %s", m.Folder.Dir, at.Local().Format("2006-01-02 15:04"))
		if m.pending = kept; kept {
			return nil
		}
	}
	other := !m.mark.Was(pick.Name)
	_, noRelease := m.Parts.Archive.Current(ctx)
	if noRelease == nil && !readable {
		m.Folder.Warn("the release of %s is replaced: %s", m.Folder.Dir, m.Parts.Catalog.State().Problem)
	}
	if err := m.reload(ctx, job.Order{Force: noRelease == nil && (other || !readable), Manual: other}); err != nil {
		return err
	}
	return m.mark.set(pick.Name)
}

// open opens the functions on the catalog with a name, in place of those that
// were open.
func (m *Machine) open(ctx context.Context, name string) error {
	m.Fronts.clear()
	if err := m.Close(); err != nil {
		return err
	}
	m.Config.Catalog = name
	follow, unfollow := context.WithCancel(ctx)
	m.stop = func() error { unfollow(); return nil }
	parts, err := compose.Open(follow, compose.Options{
		Config: m.Config, Log: m.Log, Extra: m.Extra, Progress: m.Progress, Schedules: functions.Schedules(),
	}, append(functions.Processes(), server.Process, chatroom.Process)...)
	if err != nil {
		return datafolder.Explain(err, m.Folder.remedy())
	}
	m.Parts = parts
	m.stop = func() error { unfollow(); return parts.Close() }
	if err := m.checkDatabase(ctx); err != nil {
		return err
	}
	return m.assemble()
}

// Close closes the parts that are open, and what runs on them.
func (m *Machine) Close() error {
	stop := m.stop
	m.stop = func() error { return nil }
	return stop()
}

// closeTime is how long the hop may take to publish what it counted.
const closeTime = 5 * time.Second

// assemble puts each part of the service behind its front. All of them use the
// documents, events and catalog of m.Parts.
func (m *Machine) assemble() error {
	h := server.Assemble(m.Config, m.Log, server.Parts{
		DB: m.Parts.DB, Bus: m.Parts.Bus, Catalog: m.Parts.Catalog, Access: m.Parts.Access,
		Till: m.Parts.Till, Followers: m.Parts.Followers, Usage: m.Parts.Usage, Metrics: m.Parts.Metrics,
		Trace: m.Parts.Trace,
	})
	talk, closeParts := m.newChatRoom(), m.stop
	m.stop = func() error {
		talk.close()
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		return errors.Join(h.Close(ctx), closeParts())
	}
	legacy, ok := functions.Find("legacy")
	if !ok {
		return errors.New("the table of functions lacks legacy")
	}
	player, err := legacy.Handler(m.Parts)
	if err != nil {
		return err
	}
	gateway, err := functions.Mux(m.Parts)
	if err != nil {
		return err
	}
	if m.Gateway != nil {
		gateway = m.Gateway(gateway, m.Parts)
	}
	m.Fronts.Gateway.Set(withChat(gateway, talk))
	m.Fronts.Chatroom.Set(talk)
	m.Fronts.Hop.Set(h)
	m.Fronts.Legacy.Set(player)
	if m.Parts.Metrics != nil {
		if m.hasBackups() {
			m.Parts.Metrics.ReadBackups(func() (time.Time, error) { return backup.Last(m.Folder.backupFolder(), time.Now()) })
		}
		m.Fronts.Metrics.Set(m.Parts.Metrics.Handler())
	}
	return nil
}

// reload runs the job that loads the catalog, shows what it published, and
// prints how it went.
func (m *Machine) reload(ctx context.Context, o job.Order) error {
	report, err := m.awaited(ctx, reload.Name, o)
	if report != nil {
		if r, ok := report.Result.(*reload.Report); ok {
			err = errors.Join(err, m.print(r))
		}
	}
	if err == nil {
		err = m.Parts.Catalog.Refresh(ctx)
	}
	return err
}

// awaited runs a job once its lease is free: a machine that was killed leaves one
// behind, which ends by itself.
func (m *Machine) awaited(ctx context.Context, name string, o job.Order) (*job.Report, error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for waiting := false; ; waiting = true {
		report, err := m.Parts.Jobs.Run(ctx, name, o)
		if !errors.Is(err, job.ErrRunning) {
			return report, err
		}
		if !waiting {
			run := fault.From(err).Fields
			m.Folder.Say("job %s: another process runs it, or was cut off while it did (since %v, on %v); waiting", name, run["since"], run["where"])
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// print prints what a reload found. A catalog that holds nothing but Extra is an error.
func (m *Machine) print(r *reload.Report) error {
	for _, f := range r.Files {
		if f.Problem != "" {
			m.Folder.Warn("  %s: %s", f.Name, f.Problem)
		}
	}
	for _, refusal := range r.Overridden {
		m.Folder.Warn("  %s: taken although %s", refusal.File, refusal.Reason)
	}
	b, own := r.Built, m.Extra
	if b == nil {
		return nil // the job has failed before, and said why
	}
	if own == nil {
		own = new(source.Dataset)
	}
	m.Folder.Say("loaded %d channels and %d stations with %d streams; %d can be played", b.Channels, b.Stations, b.Streams, b.Playable)
	if b.Channels <= len(own.Channels) && b.Stations <= len(own.Stations) {
		return fmt.Errorf("the catalog %s has no channel and no station", m.Config.Catalog)
	}
	return nil
}

// Run runs what is done besides answering requests, until ctx is done: it counts
// events and guards the database and, when jobs is set, runs each job once and then by
// the clock. It must be called after Load.
func (m *Machine) Run(ctx context.Context, jobs bool) {
	var work sync.WaitGroup
	defer work.Wait()
	if jobs {
		work.Go(func() { m.first(ctx) })
		work.Go(func() { m.clock().Tick(ctx) })
	}
	work.Go(func() { m.aggregate(ctx) })
	work.Go(func() { m.guard(ctx) })
	<-ctx.Done()
}

// first runs each job once: the reload when what is shown was kept from before,
// and then those that find out what the sources do not say.
func (m *Machine) first(ctx context.Context) {
	for _, name := range m.Parts.Jobs.Names() {
		if ctx.Err() == nil && (name != reload.Name || m.pending) {
			m.run(ctx, name)
		}
	}
	if m.hasBackups() {
		m.backupIfDue(ctx)
	}
	if ctx.Err() == nil {
		m.Folder.Say("each job has run once")
	}
}

// aggregate counts what people do. Without it the rest goes on.
func (m *Machine) aggregate(ctx context.Context) {
	if err := functions.Aggregate(ctx, m.Parts); err != nil {
		m.Folder.Warn("events are not counted: %v", err)
	}
}

// clock returns the clock of the jobs and the backups.
func (m *Machine) clock() *Clock {
	c := &Clock{Run: m.run, Every: map[string]time.Duration{}}
	for _, name := range m.Parts.Jobs.Names() {
		if every := m.Every[name]; every > 0 {
			c.Every[name] = every
		}
	}
	if m.hasBackups() {
		c.Every[backupJob] = m.Folder.Every / backupsPerPeriod
	}
	return c
}

// run runs a job and prints its failure, which stops nothing else.
func (m *Machine) run(ctx context.Context, name string) {
	var err error
	switch name {
	case backupJob:
		m.backupIfDue(ctx)
	case reload.Name:
		err = m.reload(ctx, job.Order{})
	default:
		_, err = m.Parts.Jobs.Run(ctx, name, job.Order{})
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, job.ErrRunning) {
		m.Folder.Warn("job %s: %v", name, err)
	}
}
