package server

import (
	"log/slog"
	"time"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/usage/edge"
)

// Process declares what a chat room needs.
var Process = compose.Process{
	Name:      "chatroom",
	Needs:     []compose.Need{compose.Documents, compose.Catalog, compose.Usage},
	Secrets:   []string{"GUEST_KEYS", "ACCOUNT_KEYS", "PEOPLE_KEYS"}, // the last names networks
	Settings:  []string{"PAYMENT_TO"},
	Publishes: []string{usage.Topic},
}

// surfaces are as what the routes are counted.
var surfaces = edge.Surfaces{"GET " + chat.SocketPath: usage.Chat}

// Assemble makes the server that c names from parts, which stay the caller's.
func Assemble(c config.Config, log *slog.Logger, p *compose.Parts) *Server {
	now := p.Now
	if now == nil {
		now = time.Now
	}
	o := identity.Options{Guests: p.Guests(), Owns: p.Owning(), Now: now}
	if p.Access != nil {
		o.Accounts = p.Access
	}
	s := New(Options{
		Rooms: chat.New(chat.Options{DB: p.DB, Free: c.PaymentTo == "", Now: now}), DB: p.DB, Catalog: p.Catalog,
		Speakers: identity.NewAuthority(o), Pages: p.Pages(), People: p.People(), Log: log, Now: now,
		Followers: p.Followers, CountryHeader: c.CountryHeader, AddressHeader: c.AddressHeader, Secure: c.Secure(), Build: c.Build,
		Count: p.Metrics.CountCalls(edge.Count(p.Usage, surfaces)), Trace: p.Trace,
	})
	p.Metrics.ReadChat(s.size)
	return s
}
