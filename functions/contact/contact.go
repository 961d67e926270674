// Package contact is the function that takes messages to the operator, says what the
// operator offers to partners and producers, and counts visits.
//
// The form of a page sends the token of a challenge, which package shared/human
// verifies: the package comment there says how a page shows it. Without a token the
// sender counts as a program, which pays for each message and waits between messages.
// The message of a program is stored with its payment and sent from a queue (package
// shared/contact); that of a person is sent or refused at once.
package contact

import (
	"context"
	"net/http"
	"time"

	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/contact"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/visit"
)

// Paths of the endpoints.
const (
	sendPath      = "/api/contact"
	partnersPath  = "/api/partners"
	producersPath = "/api/producers"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).send, api.Endpoint{
		Name:    "contact_operator",
		Method:  http.MethodPost,
		Path:    sendPath,
		Auth:    api.None,
		Summary: "Send a message to the operator",
		Doc: "Sends a message and answers ok once the mail server has it. A program pays 0.10 USD for each message, and waits 60 seconds " +
			"after the first one, then twice as long each time, up to an hour; form_ts must be 2 seconds to 12 hours old. A refused " +
			"mail of a paid message is stored and sent later: repeating the call with the same payment and body is not charged.",
		Tool:   true,
		Prices: []price.Product{price.Contact},
		Faults: []*fault.Error{
			address.ErrInvalid, human.ErrRefused, human.ErrUnavailable, ErrBackoff, throttle.ErrTooMany,
			contact.ErrRefused, contact.ErrSettings, identity.ErrUnavailable, fault.ErrUnavailable,
		},
	}),
	api.Bind((*Server).partners, api.Endpoint{
		Name:    "get_partners",
		Method:  http.MethodGet,
		Path:    partnersPath,
		Auth:    api.None,
		Summary: "Get the offer to partners",
		Doc: "Returns the forms of support and the spaces that can be asked for, with suggested prices, in one language. Nothing is " +
			"reserved or activated: send a message by POST /api/contact for that.",
		Tool:  true,
		Cache: api.Public(time.Hour),
	}),
	api.Bind((*Server).producers, api.Endpoint{
		Name:    "get_producers",
		Method:  http.MethodGet,
		Path:    producersPath,
		Auth:    api.None,
		Summary: "Get the offer to producers",
		Doc: "Returns what the service offers to producers who authorize the transmission of their channels, in one language, and how " +
			"to ask for it. Nothing is provisioned, charged or activated.",
		Tool:  true,
		Cache: api.Public(time.Hour),
	}),
	api.Bind((*Server).visit, api.Endpoint{
		Name:    "count_visit",
		Method:  http.MethodPost,
		Path:    "/api/visit",
		Auth:    api.None,
		Summary: "Count a visit of a page",
		Doc: "Counts the visitor once per day, by network and browser. Pages of the service call it; programs need not, and are not " +
			"counted. The answer says why a visit did not count.",
		SameOrigin: true,
	}),
	api.Bind((*Server).charge, api.Endpoint{
		Name:    "report_price_shown",
		Method:  http.MethodPost,
		Path:    "/api/pagamento/aberto",
		Auth:    api.None,
		Summary: "Report that a price was shown",
		Doc: "Counts that a page of the service showed a price to a visitor. Only such pages call it; programs must not. It grants " +
			"nothing and starts no payment: 202 when it counts, 204 when it is ignored.",
		SameOrigin: true,
	}),
}

// ErrBackoff means that a payer, or where nothing is sold a network, must wait before
// the next message. Nothing was charged.
var ErrBackoff = fault.New(fault.Limited, "contact_backoff")

// Options are what a Server is made from.
type Options struct {
	DB       store.DB
	Desk     *contact.Desk
	Till     *billing.Till // nil sells nothing
	Humans   *human.Verifier
	Throttle *throttle.Throttle
	Visits   *visit.Taker
	Pages    *identity.Pages
	Base     string // address of the service
	PayTo    string // address that takes payments; empty where nothing is sold
	Now      func() time.Time
}

// A Server takes messages and visits.
type Server struct{ o Options }

// New returns a server.
func New(o Options) *Server { return &Server{o} }

type visitIn struct {
	Header string `header:"X-MM-Smoke" description:"With any value the visit is a test and does not count."`
	Smoke  bool   `json:"smoke" description:"True for a test, which does not count."`
}

// A Visited is the answer to a visit.
type Visited struct {
	OK      bool   `json:"ok"`
	Counted bool   `json:"counted" description:"False when the visit did not count, for the reason given."`
	Reason  string `json:"reason,omitempty" enum:"ja_contado_hoje,smoke,robo,agente,indisponivel" description:"The visitor was counted today already, the visit is a test, the caller is a crawler or another program, or counting failed."`
}

func (s *Server) visit(ctx context.Context, in visitIn) (Visited, error) {
	reason := visit.Smoke
	if in.Header == "" && !in.Smoke {
		var err error
		if reason, err = s.o.Visits.Take(ctx, callerOf(ctx), visit.Page); err != nil {
			return Visited{}, err
		}
	}
	return Visited{OK: true, Counted: reason == "", Reason: reason}, nil
}

type chargeIn struct {
	Site string `header:"Sec-Fetch-Site" description:"same-origin, as browsers set it."`
	View string `header:"X-MM-Payment-View" description:"1"`
}

// charge counts that a price was shown. The page needs no reason when the report is
// ignored, so all bad reports are answered alike.
func (s *Server) charge(ctx context.Context, in chargeIn) (api.Accepted, error) {
	if in.View != "1" || in.Site != "same-origin" || s.o.Pages.CheckOrigin(api.BrowserOf(ctx), true) != nil {
		return false, nil
	}
	reason, err := s.o.Visits.Take(ctx, callerOf(ctx), visit.Charge)
	return api.Accepted(err == nil && reason == ""), nil
}

func callerOf(ctx context.Context) identity.Caller {
	return identity.Caller{Addr: api.AddrOf(ctx), UserAgent: api.UserAgentOf(ctx), Country: api.CountryOf(ctx)}
}
