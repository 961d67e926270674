package main

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/miramundo/machine"
	"miramundo.dev/scripts/dev/challenge"
	"miramundo.dev/scripts/dev/mailbox"
	"miramundo.dev/scripts/dev/testchannel"
	"miramundo.dev/shared/billing/localnet"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// load opens the service on the catalog, and returns when there is something to
// search.
func (st *stack) load(ctx context.Context) error {
	if st.backend == string(wire.Emulators) {
		st.whole = newDeployment(st)
	} else {
		st.whole = st.newMachine()
	}
	return st.whole.Load(ctx, !st.seed)
}

// newMachine returns the service in one process.
func (st *stack) newMachine() *machine.Machine {
	return machine.New(machine.Options{
		Config: st.cfg, Catalog: st.catalog, Log: st.log, Folder: st.folder(), Files: st.files, Fronts: &st.fronts, Every: st.every(),
		Extra: testchannel.Dataset(address(st.at.origin)), Progress: st.out.progress, Gateway: st.gateway,
	})
}

// every returns how often each job runs.
func (st *stack) every() map[string]time.Duration {
	every := map[string]time.Duration{}
	for name, j := range st.file.Jobs {
		every[name] = j.Every.Duration
	}
	return every
}

// gateway adds to the functions what the stack alone has, and opens the network of
// payments on the documents of the parts.
func (st *stack) gateway(functions http.Handler, p *compose.Parts) http.Handler {
	return st.withExtras(functions, p.DB)
}

// withExtras is gateway, with the documents.
func (st *stack) withExtras(functions http.Handler, db store.DB) http.Handler {
	st.payments.Set(localnet.New(db, time.Now))
	return st.withChallenge(withMailbox(functions, st.cfg))
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
	work.Go(func() { st.whole.Run(ctx, st.jobs) })
	select {
	case <-ctx.Done():
		return nil
	case err := <-st.servers.Failed:
		return err
	}
}
