// Package compose opens the parts of the service that a process needs, and
// nothing else.
//
// A function declares its needs as data. [Open] opens the parts that these
// needs name: a function that needs no catalog loads none and follows nothing,
// so that it answers at once and costs little memory. Opening never waits long
// for a database that does not answer: what could not be loaded is loaded in
// the background, and the functions answer what they can meanwhile.
package compose

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/account/password"
	"miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/metrics"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/companion"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/trace"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/wire"
)

// Options say what parts are made from.
type Options struct {
	Config config.Config
	Log    *slog.Logger
	Now    func() time.Time // nil: time.Now

	// DB and Bus are used in place of those that Config names. They stay the
	// caller's: Close does not close them.
	DB  store.DB
	Bus bus.Bus

	// Schedules are the jobs that the part Jobs runs.
	Schedules []Schedule

	Plan     *collect.Plan          // of the sources of the catalog; nil: as Config.Catalog names them
	Extra    *source.Dataset        // records beside those of the sources
	Progress func(collect.Progress) // is called as a reload proceeds; may be nil
	Retry    time.Duration          // between attempts to read what could not be read; 0: the default of package release
	Lazy     bool                   // compute nothing before a request asks for it, as suits tests, which open many parts and ask them little
}

// Parts are the parts that one process has opened. A part that it does not
// need is nil.
type Parts struct {
	Config config.Config
	Log    *slog.Logger
	Now    func() time.Time
	Lazy   bool // compute nothing before a request asks for it

	Metrics *metrics.Metrics // with METRICS_PORT alone: counts what the process does, for Prometheus

	Trace *trace.Tracer // with OTEL_EXPORTER_OTLP_ENDPOINT alone: records what requests lead to

	DB  store.DB // Documents
	Bus bus.Bus  // Events

	Budgets   *budget.Meter // of the calls of owners and networks; with Documents, instances share some
	Followers *overlay.Set  // keeps Catalog, Guide, Social and Companions up to date; empty where none of them is open

	Archive    *release.Archive // Catalog: the releases that are kept
	Blocks     *block.List      // Catalog: what the operator took out
	Catalog    *release.Live    // Catalog: one release in memory, two watches
	Guide      *guide.Live      // Guide: the programmes of today and tomorrow in memory, one watch
	Social     *social.Overlay  // Social: the counters of every channel in memory, a watch for each shard
	Companions *companion.Live  // Companions: which channels people keep together in memory, one watch
	Jobs       *job.Runner      // Jobs
	Mail       mail.Sender      // Mail: sends, or keeps in a folder
	Courier    mail.Sender      // Mail: likewise, and returns when a mail is handed over also where Mail returns earlier; nil without settings for mail
	Till       *billing.Till    // Billing: sells, or is free where PAYMENT_TO is not set
	SignIn     *signin.Service  // SignIn: computes two hashes of passwords at once, with 7 MiB each
	Usage      *usage.Meter     // Usage: counts in memory, and publishes at most once a minute
	Access     *access.Checker  // Documents: recognizes sessions and API keys, with the records of the last five seconds in memory

	options Options
	close   []func() error // in the order of opening
	whole   *Parts         // of which Only returned these; nil for parts that Open returned
}

// Open opens the parts that processes need, and those that these stand on, with
// the topics that the processes publish to or receive. What it opened follows
// the database until ctx is done, and is released by Close.
func Open(ctx context.Context, o Options, processes ...Process) (*Parts, error) {
	p := &Parts{Config: o.Config, Log: o.Log, Now: o.Now, Lazy: o.Lazy, DB: o.DB, Bus: o.Bus, options: o}
	if p.Now == nil {
		p.Now = time.Now
	}
	if err := p.openTrace(ctx, processes); err != nil {
		return nil, err
	}
	needs, topics := together(processes)
	needed := func(n Need) bool { return slices.Contains(needs, n) }
	if err := p.openBackend(ctx, needed(Documents), needed(Events), topics); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.Bus = p.Trace.Bus(p.Bus)
	p.openMetrics(processes)
	if p.DB != nil && p.Config.GuestKeys != nil {
		p.DB = sealed.DB(p.DB, p.Config.GuestKeys) // the tokens of feeds
	}
	if p.DB != nil {
		p.Access = access.NewChecker(p.DB, p.Now)
	}
	p.openBudgets()
	p.Followers = overlay.NewSet(p.DB, p.Log, p.Now)
	p.Metrics.ReadFollowers(p.Followers)
	if needed(Social) {
		p.Social = social.FollowOverlay(ctx, p.Followers)
	}
	if needed(Companions) {
		p.Companions = companion.Follow(ctx, p.Followers)
	}
	layers := p.openLayers(ctx, needed(Overlays), needed(Guide))
	if needed(Catalog) {
		p.openCatalog(ctx, o.Retry, layers)
	}
	if needed(Mail) {
		if err := p.openMail(); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	if needed(Billing) {
		if err := p.openTill(); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	if needed(Jobs) {
		if err := p.openJobs(); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	if needed(SignIn) {
		p.openSignIn()
	}
	if needed(Usage) {
		p.openUsage()
	}
	return p, nil
}

// openBudgets opens the budgets of callers. Instances share some of them where the
// process has a database and a key that names the documents.
func (p *Parts) openBudgets() {
	o := budget.Options{Guests: p.Config.GuestBurst, Factor: p.Config.BudgetFactor, Now: p.Now, Log: p.Log, Refused: p.Metrics.RefusedByBudget()}
	if p.DB != nil && p.Config.GuestKeys != nil {
		o.Ledger = throttle.New(p.DB, p.Config.GuestKeys, p.Now)
	}
	p.Budgets = budget.New(o)
}

// openSignIn opens the ways to a session.
func (p *Parts) openSignIn() {
	p.SignIn = signin.New(signin.Options{
		DB: p.DB, Keys: p.AccountKeys(), Access: p.Access, Mail: p.Mail, Passwords: password.NewHasher(),
		Base: p.Config.BaseURL, Product: config.Product, Log: p.Log, Now: p.Now,
	})
}

// openUsage opens what counts calls. It is closed before the bus.
func (p *Parts) openUsage() {
	p.Usage = usage.NewMeter(usage.Options{Bus: p.Bus, People: p.People(), Now: p.Now, Log: p.Log})
	p.close = append(p.close, p.Usage.Close)
}

// People returns what names callers and networks for a day. A process that uses it must
// declare the secret PEOPLE_KEYS: without it the names differ between processes.
func (p *Parts) People() *identity.People { return identity.NewPeople(p.Config.PeopleKeys) }

// together returns what processes need in all, and their topics with the
// subscriptions of these.
func together(processes []Process) ([]Need, bus.Topology) {
	var needs []Need
	topics := bus.Topology{}
	for _, p := range processes {
		needs = append(needs, p.Needs...)
		for _, topic := range slices.Concat(p.Publishes, p.Receives) {
			topics[topic] = []string{topic}
		}
		if slices.Contains(p.Needs, Usage) {
			maps.Copy(topics, usage.Topology())
		}
	}
	return Expand(needs...), topics
}

// Only returns p with the parts that needs name, and those that they stand on;
// the others are nil. A process that serves several functions gives each of them
// only what it declared, so that a function which uses a part it did not declare
// fails in tests and not when it is deployed. The result is not to be closed.
func (p *Parts) Only(needs ...Need) *Parts {
	only := &Parts{Config: p.Config, Log: p.Log, Now: p.Now, Lazy: p.Lazy, Metrics: p.Metrics, Trace: p.Trace, Budgets: p.Budgets, Followers: p.Followers, whole: p}
	for _, n := range Expand(needs...) {
		switch n {
		case Documents:
			only.DB, only.Access = p.DB, p.Access
		case Events:
			only.Bus = p.Bus
		case Catalog:
			only.Archive, only.Blocks, only.Catalog = p.Archive, p.Blocks, p.Catalog
		case Guide:
			only.Guide = p.Guide
		case Social:
			only.Social = p.Social
		case Companions:
			only.Companions = p.Companions
		case Jobs:
			only.Jobs = p.Jobs
		case Mail:
			only.Mail, only.Courier = p.Mail, p.Courier
		case SignIn:
			only.SignIn = p.SignIn
		case Billing:
			only.Till = p.Till
		case Usage:
			only.Usage = p.Usage
		case Overlays: // they are in the catalog
		}
	}
	return only
}

// AtClose has Close call f before it releases what was opened earlier, also for parts
// that Only returned.
func (p *Parts) AtClose(f func() error) {
	if p.whole != nil {
		p.whole.AtClose(f)
		return
	}
	p.close = append(p.close, f)
}

// Close releases what Open opened, the last first. Requests must have ended.
func (p *Parts) Close() error {
	var errs []error
	for _, f := range slices.Backward(p.close) {
		errs = append(errs, f())
	}
	p.close = nil
	return errors.Join(errs...)
}

// openBackend opens the database and the bus, where they are needed and not
// given.
func (p *Parts) openBackend(ctx context.Context, documents, events bool, topics bus.Topology) error {
	documents, events = documents && p.DB == nil, events && p.Bus == nil
	c := wire.Config{
		Backend: wire.Backend(p.Config.Backend), DataDir: p.Config.DataDir, Project: p.Config.Project,
		FirestoreHost: p.Config.FirestoreHost, PubSubHost: p.Config.PubSubHost,
		Topology: topics, Log: p.Log,
	}
	switch {
	case events && documents:
		db, b, err := wire.Open(ctx, c)
		if err != nil {
			return err
		}
		p.close = append(p.close, db.Close, b.Close)
		p.DB, p.Bus = db, b
	case events:
		b, err := wire.OpenEvents(ctx, c)
		if err != nil {
			return err
		}
		p.close = append(p.close, b.Close)
		p.Bus = b
	case documents:
		db, err := wire.OpenDocuments(ctx, c)
		if err != nil {
			return err
		}
		p.close = append(p.close, db.Close)
		p.DB = db
	}
	return nil
}

// openCatalog follows the catalog under layers.
func (p *Parts) openCatalog(ctx context.Context, retry time.Duration, layers []release.Layer) {
	p.Archive = &release.Archive{DB: p.DB, Now: p.Now}
	p.Blocks = block.NewList(p.DB)
	p.Catalog = release.Follow(ctx, p.Followers, release.Options{
		Archive: p.Archive, Blocks: p.Blocks, Links: p.Links(), Layers: layers, Retry: retry,
	})
	p.Metrics.ReadCatalog(p.catalogState)
}

// Links returns the addresses of the parts of the service, as records name
// them.
func (p *Parts) Links() catalog.LinkBase {
	return catalog.LinkBase{Base: p.Config.BaseURL, Hop: p.Config.HopURL, Legacy: p.Config.LegacyURL}
}

// Guests returns the signer of guest tokens.
func (p *Parts) Guests() *identity.Guests {
	return identity.NewGuests(p.Config.GuestKeys, p.Now)
}

// Owning returns what decides whether an old guest token is valid: one whose owner has
// a library, favorites, a history, comments or a pass is.
func (p *Parts) Owning() func(context.Context, identity.Owner) (bool, error) {
	return identity.Owning(p.DB, library.Path, kept.FavoritesPath, kept.HistoryPath, comment.PacePath, pass.Path)
}

// Pages returns what recognizes the requests of the service's own pages.
func (p *Parts) Pages() *identity.Pages {
	pages := &identity.Pages{Origins: p.Config.Origins()}
	if p.Config.AccountKeys != nil {
		pages.Keys = p.Config.AccountKeys
	}
	return pages
}

// Throttle returns what slows down repeated attempts, such as to sign in.
func (p *Parts) Throttle() *throttle.Throttle {
	return throttle.New(p.DB, p.Config.AccountKeys, p.Now)
}

// Passkeys returns what registers and verifies passkeys of the service's own pages.
func (p *Parts) Passkeys() (*passkey.Party, error) { return passkey.New(p.Config.Origins()) }

// Challenges returns the proofs of identity that are pending.
func (p *Parts) Challenges() *challenge.Challenges {
	return challenge.New(p.DB, p.Config.AccountKeys, p.Now)
}

// DeviceLinks returns the links by which a signed-in device signs in another.
func (p *Parts) DeviceLinks() *devicelink.Links {
	return &devicelink.Links{DB: p.DB, Keys: p.Config.AccountKeys, Now: p.Now}
}

// AccountKeys returns the keys that protect accounts.
func (p *Parts) AccountKeys() *keyring.Ring { return p.Config.AccountKeys }
