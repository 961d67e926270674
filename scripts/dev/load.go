package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	chatroom "miramundo.dev/chatroom/server"
	"miramundo.dev/functions"
	"miramundo.dev/hop/server"
	"miramundo.dev/scripts/dev/challenge"
	"miramundo.dev/scripts/dev/datafolder"
	"miramundo.dev/scripts/dev/mailbox"
	"miramundo.dev/scripts/dev/testchannel"
	"miramundo.dev/shared/billing/localnet"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
)

// load chooses the catalog, opens the functions on it, and returns when there
// is something to search.
func (st *stack) load(ctx context.Context) error {
	pick, err := choose(ctx, st.catalog, probe(st.cfg))
	if err != nil {
		return err
	}
	if st.catalog == "" && pick.name == sample && st.mark.was(live) {
		pick = choice{live, "kept from before, for now " + pick.why}
	}
	err = st.show(ctx, pick)
	if err != nil && st.catalog == "" && pick.name == live && ctx.Err() == nil {
		st.out.say("%v", err)
		err = st.show(ctx, choice{sample, "the live sources gave nothing to show"})
	}
	return err
}

// show opens the functions on a catalog. It loads the catalog now, unless the
// data has it from before: then it is shown at once, and loaded again later. A
// release of another catalog, or one that this version cannot read, is replaced in
// spite of the guards of a reload.
func (st *stack) show(ctx context.Context, pick choice) error {
	st.out.say("catalog: %s (%s)", pick.name, pick.why)
	if err := st.open(ctx, pick.name); err != nil {
		return err
	}
	at, readable := st.parts.Catalog.Synced()
	if readable && st.mark.was(pick.name) {
		st.out.say("serving what %s has of %s", st.data, at.Local().Format("2006-01-02 15:04"))
		st.pending = !st.seed
		if st.pending {
			return nil
		}
	}
	other := !st.mark.was(pick.name)
	_, noRelease := st.parts.Archive.Current(ctx)
	if noRelease == nil && !readable {
		st.out.say("the release of %s is replaced: %s", st.data, st.parts.Catalog.State().Problem)
	}
	if err := st.reload(ctx, job.Order{Force: noRelease == nil && (other || !readable), Manual: other}); err != nil {
		return err
	}
	return st.mark.set(pick.name)
}

// open opens the functions on the catalog with a name, in place of those that
// were open.
func (st *stack) open(ctx context.Context, name string) error {
	if err := st.close(); err != nil {
		return err
	}
	st.close = func() error { return nil }
	st.cfg.Catalog = name
	parts, err := compose.Open(ctx, compose.Options{
		Config: st.cfg, Log: st.log, Extra: testchannel.Dataset(address(st.at.origin)), Progress: st.out.progress, Schedules: functions.Schedules(),
	}, append(functions.Processes(), server.Process, chatroom.Process)...)
	if err != nil {
		return datafolder.Explain(err, st.remedy())
	}
	st.parts = parts
	if err := st.checkDatabase(ctx); err != nil {
		return errors.Join(err, parts.Close())
	}
	return st.assemble()
}

// closeTime is how long the hop may take to publish what it counted.
const closeTime = 5 * time.Second

// assemble puts the part of the stack behind each front. All of them use the
// documents, events and catalog of st.parts.
func (st *stack) assemble() error {
	h := server.Assemble(st.cfg, st.log, server.Parts{
		DB: st.parts.DB, Bus: st.parts.Bus, Catalog: st.parts.Catalog, Access: st.parts.Access,
		Till: st.parts.Till, Followers: st.parts.Followers, Usage: st.parts.Usage,
	})
	talk := st.newChatRoom()
	st.close = func() error {
		talk.close()
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		return errors.Join(h.Close(ctx), st.parts.Close())
	}
	legacy, ok := functions.Find("legacy")
	if !ok {
		return errors.New("there is no function legacy")
	}
	player, err := legacy.Handler(st.parts)
	if err != nil {
		return err
	}
	gateway, err := functions.Mux(st.parts)
	if err != nil {
		return err
	}
	st.fronts.gateway.set(withChat(st.withChallenge(withMailbox(gateway, st.cfg)), talk))
	st.fronts.chatroom.set(talk)
	st.fronts.hop.set(h)
	st.fronts.legacy.set(player)
	st.fronts.payments.set(localnet.New(st.parts.DB, time.Now))
	return nil
}

// withMailbox adds the pages of the mails that are kept instead of sent.
func withMailbox(gateway http.Handler, c config.Config) http.Handler {
	if c.MailSMTP != "" {
		return gateway
	}
	box := mailbox.Handler(c.MailFolder)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == mailbox.Path || strings.HasPrefix(r.URL.Path, mailbox.Path+"/") {
			box.ServeHTTP(w, r)
			return
		}
		gateway.ServeHTTP(w, r)
	})
}

// withChallenge adds the stack's own provider of human verification, where it is used.
func (st *stack) withChallenge(gateway http.Handler) http.Handler {
	if st.humans == nil {
		return gateway
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, challenge.Path) {
			st.humans.ServeHTTP(w, r)
			return
		}
		gateway.ServeHTTP(w, r)
	})
}

// reload runs the job that loads the catalog, shows what it published, and
// prints how it went.
func (st *stack) reload(ctx context.Context, o job.Order) error {
	report, err := st.awaited(ctx, reload.Name, o)
	if report != nil {
		if r, ok := report.Result.(*reload.Report); ok {
			err = errors.Join(err, st.print(r))
		}
	}
	if err == nil {
		err = st.parts.Catalog.Refresh(ctx)
	}
	return err
}

// awaited runs a job once its lease is free: a stack that was killed leaves one
// behind, which ends by itself.
func (st *stack) awaited(ctx context.Context, name string, o job.Order) (*job.Report, error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for waiting := false; ; waiting = true {
		report, err := st.parts.Jobs.Run(ctx, name, o)
		if !errors.Is(err, job.ErrRunning) {
			return report, err
		}
		if !waiting {
			run := fault.From(err).Fields
			st.out.say("job %s: another process runs it, or was cut off while it did (since %v, on %v); waiting", name, run["since"], run["where"])
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// print prints what a reload found. A catalog that holds nothing but the test
// channel of the stack is an error.
func (st *stack) print(r *reload.Report) error {
	for _, f := range r.Files {
		if f.Problem != "" {
			st.out.say("  %s: %s", f.Name, f.Problem)
		}
	}
	for _, refusal := range r.Overridden {
		st.out.say("  %s: taken although %s", refusal.File, refusal.Reason)
	}
	b, own := r.Built, testchannel.Dataset("")
	if b == nil {
		return nil // the job has failed before, and said why
	}
	st.out.say("loaded %d channels and %d stations with %d streams; %d can be played", b.Channels, b.Stations, b.Streams, b.Playable)
	if b.Channels <= len(own.Channels) && b.Stations <= len(own.Stations) {
		return fmt.Errorf("the catalog %s has no channel and no station", st.cfg.Catalog)
	}
	return nil
}

// serve says that the stack is ready and runs its jobs until ctx is done or a
// server fails.
func (st *stack) serve(ctx context.Context) error {
	if st.seed {
		return nil
	}
	st.out.say("hop at %s, legacy player at %s", st.cfg.HopURL, st.cfg.LegacyURL)
	st.out.say("test channel at %s/tv/master.m3u8 (a station at /station.mp3)", address(st.at.origin))
	if st.cfg.CatalogToken == st.token {
		st.out.say("operator token %s (kept in %s)", st.token, filepath.Join(st.data, datafolder.TokenFile))
	}
	if st.cfg.MailSMTP == "" {
		st.out.say("mails at %s%s (kept in %s)", st.cfg.BaseURL, mailbox.Path, st.cfg.MailFolder)
	}
	if network := address(st.at.payments); slices.Contains(st.cfg.PaymentFacilitators, network) {
		st.out.say("payments with test money at %s", network)
	}
	st.out.say("ready %s", st.cfg.BaseURL)

	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	if st.jobs {
		work.Go(func() { st.first(ctx) })
		work.Go(func() { st.clock().tick(ctx) })
	}
	work.Go(func() { st.aggregate(ctx) })
	work.Go(func() { st.guard(ctx) })
	select {
	case <-ctx.Done():
		return nil
	case err := <-st.servers.failed:
		return err
	}
}

// first runs each job once: the reload when what is shown was kept from before,
// and then those that find out what the sources do not say.
func (st *stack) first(ctx context.Context) {
	for _, name := range st.parts.Jobs.Names() {
		if ctx.Err() == nil && (name != reload.Name || st.pending) {
			st.run(ctx, name)
		}
	}
	if st.hasBackups() {
		st.backupIfDue(ctx)
	}
	if ctx.Err() == nil {
		st.out.say("each job has run once")
	}
}

// aggregate counts what people do. Without it the rest goes on.
func (st *stack) aggregate(ctx context.Context) {
	if err := functions.Aggregate(ctx, st.parts); err != nil {
		st.out.say("events are not counted: %v", err)
	}
}

// clock runs the jobs of the stack's file that there are.
func (st *stack) clock() *clock {
	c := &clock{run: st.run, every: map[string]time.Duration{}}
	for _, name := range st.parts.Jobs.Names() {
		if j, ok := st.file.Jobs[name]; ok {
			c.every[name] = j.Every.Duration
		}
	}
	if st.hasBackups() {
		c.every[backupJob] = st.file.Backups.Every.Duration / backupsPerPeriod
	}
	return c
}

// run runs a job and prints its failure, which stops nothing else.
func (st *stack) run(ctx context.Context, name string) {
	var err error
	switch name {
	case backupJob:
		st.backupIfDue(ctx)
	case reload.Name:
		err = st.reload(ctx, job.Order{})
	default:
		_, err = st.parts.Jobs.Run(ctx, name, job.Order{})
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, job.ErrRunning) {
		st.out.say("job %s: %v", name, err)
	}
}
