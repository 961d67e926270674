package contact

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/credit"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/contact"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/partner"
	"miramundo.dev/shared/price"
)

// This file takes a message from a request to the mail server. The order of the steps
// keeps a sender from paying for nothing: the message is checked first, then the
// settings for mail, then the back-off, and only then is anything charged. A call that
// is repeated with its payment skips the back-off, since it is not charged again.

// How long before the call a message was begun.
const (
	minAge = 2 * time.Second
	maxAge = 12 * time.Hour
)

type sendIn struct {
	Name      string   `json:"name" required:"true" minLength:"1" maxLength:"100" description:"Name of the sender."`
	Email     string   `json:"email" required:"true" minLength:"3" maxLength:"254" description:"E-mail address that the answer goes to."`
	Message   string   `json:"message" required:"true" minLength:"1" maxLength:"4000" description:"The message, as plain text of several lines."`
	FormTS    int64    `json:"form_ts" required:"true" description:"Time at which the sender began to write, in Unix milliseconds: 2 seconds to 12 hours ago."`
	Challenge string   `json:"challenge_response" maxLength:"2048" description:"Token of the human verification of the form. Without it the sender is a program, which pays."`
	Turnstile string   `json:"cf-turnstile-response" maxLength:"2048" description:"The same, by the name that the provider's widget gives it."`
	Kind      *string  `json:"tipo" enum:"patrocinio,parceria,anuncio" description:"Form of support that a partner asks for. Without it the fields about the partner are ignored."`
	Company   *string  `json:"empresa" maxLength:"120" description:"Company or project of the partner."`
	Site      *string  `json:"site" maxLength:"200" description:"Web site of the partner."`
	Budget    *string  `json:"orcamento" enum:"ate_100,100_500,500_2000,2000_mais,a_combinar" description:"Budget in US dollars."`
	Spaces    []string `json:"espaco" maxItems:"6" maxLength:"40" description:"Ids of placements of GET /api/partners."`
	Days      *string  `json:"duracao" enum:"30,90,365" description:"For how many days."`
	Payment   *string  `json:"pagamento" enum:"usdc,deposito,a_combinar" description:"Way in which the partner would pay."`
}

// A Sent is the answer to a message.
type Sent struct {
	OK      bool             `json:"ok"`
	Receipt *billing.Receipt `json:"receipt,omitempty" description:"Receipt of the payment; absent when nothing was charged."`
}

// Sending is the answer with the headers of the payment.
type sending = api.WithHeader[Sent]

func (s *Server) send(ctx context.Context, in sendIn) (sending, error) {
	m, err := in.message(s.o.Now())
	if err != nil {
		return sending{}, err
	}
	m.Locale = api.LocaleOf(ctx)
	if err := s.o.Desk.Check(); err != nil {
		return sending{}, err
	}
	if token := cmp.Or(in.Challenge, in.Turnstile); token != "" {
		return sending{Body: Sent{OK: true}}, s.sendOfPerson(ctx, m, token)
	}
	if s.o.Till.Free() {
		return sending{Body: Sent{OK: true}}, s.sendForFree(ctx, m)
	}
	return s.sendForPayment(ctx, m)
}

// message returns the message of a request, or the fault of its first bad field.
func (in sendIn) message(now time.Time) (m contact.Message, err error) {
	m = contact.Message{
		Name: strings.Join(strings.Fields(in.Name), " "), Text: mail.Quoted(in.Message), FormTS: in.FormTS,
	}
	switch age := now.Sub(time.UnixMilli(in.FormTS)); {
	case age < minAge:
		return m, refused("form_ts", "too_large").With("bound", now.Add(-minAge).UnixMilli())
	case age > maxAge:
		return m, refused("form_ts", "too_small").With("bound", now.Add(-maxAge).UnixMilli())
	case mail.Harmless(m.Name) == mail.Nameless:
		return m, refused("name", "missing")
	case m.Text == "":
		return m, refused("message", "missing")
	}
	if m.Email, err = address.Wire(in.Email); err != nil || in.Kind == nil {
		return m, err
	}
	if i := slices.IndexFunc(in.Spaces, func(id string) bool { return !partner.IsSpace(id) }); i >= 0 {
		return m, refused("espaco", "not_listed").With("bound", partner.Spaces())
	}
	slices.Sort(in.Spaces)
	m.Kind, m.Company, m.Site, m.Budget = *in.Kind, value(in.Company), value(in.Site), value(in.Budget)
	m.Spaces, m.Days, m.Payment = slices.Compact(in.Spaces), value(in.Days), value(in.Payment)
	return m, nil
}

func refused(param, reason string) *fault.Error {
	return fault.ErrBody.With("param", param).With("reason", reason)
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// sendOfPerson sends a message from the form, once for each challenge.
func (s *Server) sendOfPerson(ctx context.Context, m contact.Message, token string) error {
	if err := s.o.Throttle.Attempt(ctx, throttle.ContactOfNetwork.Of(networkOf(ctx))); err != nil {
		return err
	}
	if err := s.o.Humans.Verify(ctx, token, api.AddrOf(ctx)); err != nil {
		return err
	}
	if err := human.Use(ctx, s.o.DB, token, s.o.Now()); err != nil {
		return err
	}
	return s.o.Desk.Send(ctx, m)
}

// sendForFree sends the message of a program where nothing is sold.
func (s *Server) sendForFree(ctx context.Context, m contact.Message) error {
	if err := backoff(s.o.Throttle.Attempt(ctx, throttle.ContactOfPayer.Of("network "+networkOf(ctx)))); err != nil {
		return err
	}
	return s.o.Desk.Send(ctx, m)
}

// sendForPayment sells the sending of a message, and sends it. After a sale the message
// is in the queue of the desk, whatever happens to this call.
func (s *Server) sendForPayment(ctx context.Context, m contact.Message) (sending, error) {
	data, err := m.Encode()
	if err != nil {
		return sending{}, err
	}
	shown := api.CredentialsOf(ctx)
	order := billing.Order{Products: []price.Product{price.Contact}, Route: http.MethodPost + " " + sendPath, URL: s.o.Base + sendPath, Data: data}
	repeated, err := s.o.Till.Repeats(ctx, order, shown)
	if err != nil {
		return sending{}, err
	}
	payer := payerOf(shown)
	if payer != "" && !repeated {
		if err := backoff(s.o.Throttle.Check(ctx, throttle.ContactOfPayer.Of(payer))); err != nil {
			return sending{}, err
		}
	}
	sale, err := s.o.Till.Sell(ctx, order, shown)
	if err != nil {
		return sending{}, err
	}
	if !repeated {
		// A second payment of the payer at the same time has passed the check as well:
		// both messages are sent, and a wait that is refused here changes nothing.
		_ = s.o.Throttle.Attempt(context.WithoutCancel(ctx), throttle.ContactOfPayer.Of(payer))
	}
	if err := s.o.Desk.SendPaid(ctx, sale.Receipt.ID); err != nil {
		return sending{}, fault.From(err).With("receipt", sale.Receipt)
	}
	return sending{Body: Sent{OK: true, Receipt: &sale.Receipt}, Header: sale.Header}, nil
}

// payerOf names the payer of a call as the payment names it, which is not verified yet:
// a payer is only counted after a sale. It is empty when no payment is shown.
func payerOf(c identity.Credentials) string {
	if p, err := x402.Parse(c.Payment, c.Signature); err == nil && p != nil {
		return "payer " + p.From
	}
	if c.Credit != "" {
		return "credit " + credit.ID(c.Credit)
	}
	return ""
}

// backoff returns ErrBackoff for an attempt that must wait.
func backoff(err error) error {
	if errors.Is(err, throttle.ErrTooMany) {
		return ErrBackoff.With("retry_after", fault.From(err).Fields["retry_after"])
	}
	return err
}

// networkOf names the network of the caller.
func networkOf(ctx context.Context) string { return identity.Network(api.AddrOf(ctx)).String() }
