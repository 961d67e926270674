package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"miramundo.dev/hop/allowance"
	"miramundo.dev/hop/audience"
	"miramundo.dev/hop/networkpass"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/metrics"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/trace"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/usage/edge"
)

// Process declares what a hop needs.
var Process = compose.Process{
	Name:      "hop",
	Needs:     []compose.Need{compose.Documents, compose.Events, compose.Catalog, compose.Billing, compose.Usage},
	Secrets:   []string{"HOP_TICKET_KEYS"},
	Meter:     []string{"PEOPLE_KEYS"},
	Settings:  []string{"GUEST_KEYS", "HOP_FALLBACK", "HOP_FREE_MINUTES", "ORIGIN_ALLOW"},
	Publishes: []string{social.Plays, social.Latencies, usage.Topic},
}

// A Hop is a server with the counters that it feeds.
type Hop struct {
	http.Handler
	flushers []func(context.Context) error // each publishes or saves what is left, to a place of its own
}

// Close publishes and saves what has been counted and not yet sent, within ctx.
// A place that does not answer takes no time from the others. Requests must
// have ended before; the parts that the hop was made from stay open.
func (h *Hop) Close(ctx context.Context) error {
	errs := make([]error, len(h.flushers))
	var all sync.WaitGroup
	for i, flush := range h.flushers {
		all.Go(func() { errs[i] = flush(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// Parts are what a hop may share with the process that it runs in.
type Parts struct {
	DB      store.DB // where allowances are kept
	Bus     bus.Bus  // with the topics of package social
	Catalog Catalog
	Access  *access.Checker // recognizes sessions and API keys; nil refuses them
	Till    *billing.Till   // sells passes for networks; nil sells nothing

	Followers *overlay.Set     // of Catalog; nil when it follows nothing
	Usage     *usage.Meter     // counts what is answered; nil counts nothing
	Metrics   *metrics.Metrics // shows to Prometheus what the hop does; nil shows nothing
	Trace     *trace.Tracer    // records requests and fetches; nil records nothing
}

// Assemble makes the hop that c names from parts, which stay the caller's.
func Assemble(c config.Config, log *slog.Logger, p Parts) *Hop {
	people := identity.NewPeople(c.PeopleKeys)
	signer := ticket.New(c.TicketKeys, time.Now)
	cache := upstream.New(upstream.Options{
		Client: origin.New(origin.Options{UserAgent: c.UserAgent(), Shoutcast: true, Allow: c.OriginAllow, Deny: c.OwnHosts(), MaxInFlight: upstream.MaxFetches, Wrap: p.Trace.Transport}),
		Signer: signer, HopURL: c.HopURL, Now: time.Now, Log: log, Fetched: byOutcome(p.Metrics.CountFetches()),
	})
	p.Metrics.ReadHop(func() metrics.Hop { return sizeOf(cache) })
	counter := audience.New(audience.Options{Bus: p.Bus, People: people, Played: p.Usage.Play, Now: time.Now, Log: log})
	o := Options{
		Catalog: p.Catalog, Playlists: cache, Tickets: signer, Audience: counter, Log: log,
		HopURL: c.HopURL, OwnHosts: c.OwnHosts(), Fallback: c.HopFallback, Secure: c.Secure(), Build: c.Build,
		Speakers:      speakers(c, p.Access),
		CountryHeader: c.CountryHeader, AddressHeader: c.AddressHeader, Followers: p.Followers,
		Count: p.Metrics.CountCalls(edge.Count(p.Usage, surfaces)), Trace: p.Trace,
	}
	h := &Hop{flushers: []func(context.Context) error{counter.Close}}
	if c.FreeMinutes > 0 {
		o.Till, o.Passes = p.Till, networkpass.New(networkpass.Options{DB: p.DB, Keys: c.GuestKeys, Now: time.Now, Log: log})
		meter := allowance.New(allowance.Options{
			DB: p.DB, People: people, Minutes: c.FreeMinutes, Paid: o.Passes.Valid, Now: time.Now, Log: log,
		})
		o.Allowance = meter
		h.flushers = append(h.flushers, meter.Close)
	}
	h.Handler = New(o)
	return h
}

// byOutcome returns what counts fetches by their outcome; nil when count is nil.
func byOutcome(count func(outcome string, took time.Duration)) func(error, time.Duration) {
	if count == nil {
		return nil
	}
	return func(err error, took time.Duration) { count(outcomeOf(err), took) }
}

// outcomeOf returns the outcome of a fetch, as metrics show it: the code of the fault that
// it failed with.
func outcomeOf(err error) string {
	if err == nil {
		return "ok"
	}
	if _, ok := errors.AsType[*upstream.Other](err); ok {
		return "other"
	}
	return fault.From(err).Code
}

// sizeOf returns what metrics show of a cache.
func sizeOf(c *upstream.Cache) metrics.Hop {
	s := c.Size()
	pool := func(p upstream.Pool) metrics.Pool { return metrics.Pool{Taken: p.Taken, Waiting: p.Waiting} }
	return metrics.Hop{
		Pools: map[string]metrics.Pool{"fetches": pool(s.Fetches), "held": pool(s.Held), "bodies": pool(s.Bodies)},
		Bytes: s.Bytes, Entries: s.Entries,
	}
}

// speakers returns what identifies callers: guests by the keys in c, accounts and
// organizations by their sessions and API keys. Recognizing these needs no secret,
// and a read of one document at most every five seconds.
func speakers(c config.Config, accounts *access.Checker) *identity.Authority {
	o := identity.Options{Guests: identity.NewGuests(c.GuestKeys, time.Now)}
	if accounts != nil {
		o.Accounts = accounts
	}
	return identity.NewAuthority(o)
}
