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
	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// A Hop is a server with everything that it runs on.
type Hop struct {
	http.Handler
	flushers []func(context.Context) error // publish or save what is left, each to a place of its own
	release  func() error                  // of what they need
}

// Close publishes and saves what is pending, within ctx, and releases what the
// hop opened. A place that does not answer does not delay the others. Requests
// must have ended before.
func (h *Hop) Close(ctx context.Context) error {
	errs := make([]error, len(h.flushers))
	var all sync.WaitGroup
	for i, flush := range h.flushers {
		all.Go(func() { errs[i] = flush(ctx) })
	}
	all.Wait()
	return errors.Join(append(errs, h.release())...)
}

// Open opens what c names: the database, the bus, and the catalog in it, which
// the hop follows until ctx is done.
func Open(ctx context.Context, c config.Config, log *slog.Logger) (*Hop, error) {
	db, events, err := wire.Open(ctx, wire.Config{
		Backend: wire.Backend(c.Backend), DataDir: c.DataDir, Project: c.Project,
		FirestoreHost: c.FirestoreHost, PubSubHost: c.PubSubHost,
		Topology: social.Topology(), Log: log,
	})
	if err != nil {
		return nil, err
	}
	p := Parts{DB: db, Bus: events, Catalog: release.Follow(ctx, overlay.NewSet(db, log, time.Now), release.Options{
		Archive: &release.Archive{DB: db, Now: time.Now}, Blocks: block.NewList(db), Links: links(c),
	})}
	h := Assemble(c, log, p)
	h.release = func() error { return errors.Join(events.Close(), db.Close()) }
	return h, nil
}

// Parts are what a hop may share with the process that it runs in.
type Parts struct {
	DB      store.DB // where allowances are kept
	Bus     bus.Bus  // with the topics of package social
	Catalog Catalog
}

// Assemble makes the hop that c names from parts, which stay the caller's.
func Assemble(c config.Config, log *slog.Logger, p Parts) *Hop {
	people := identity.NewPeople(c.PeopleKey)
	signer := ticket.New(c.TicketKey, c.TicketKeyOld, time.Now)
	cache := upstream.New(upstream.Options{
		Client: origin.New(origin.Options{UserAgent: c.UserAgent(), Allow: c.OriginAllow, Deny: c.OwnHosts()}),
		Signer: signer, HopURL: c.HopURL, Now: time.Now, Log: log,
	})
	counter := audience.New(audience.Options{Bus: p.Bus, People: people, Now: time.Now, Log: log})
	o := Options{
		Catalog: p.Catalog, Playlists: cache, Tickets: signer, Audience: counter, Log: log,
		OwnHosts: c.OwnHosts(), Fallback: c.HopFallback, Build: c.Build,
		Speakers:      identity.NewAuthority(identity.Options{Guests: identity.NewGuests(c.GuestKey, c.GuestKeyOld, time.Now)}),
		CountryHeader: c.CountryHeader, AddressHeader: c.AddressHeader,
	}
	h := &Hop{flushers: []func(context.Context) error{counter.Close}, release: func() error { return nil }}
	if c.FreeMinutes > 0 {
		meter := allowance.New(allowance.Options{DB: p.DB, People: people, Minutes: c.FreeMinutes, Now: time.Now, Log: log})
		o.Allowance = meter
		h.flushers = append(h.flushers, meter.Close)
	}
	h.Handler = New(o)
	return h
}

func links(c config.Config) catalog.LinkBase {
	return catalog.LinkBase{Base: c.BaseURL, Hop: c.HopURL, Legacy: c.LegacyURL}
}
