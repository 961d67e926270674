// Package contact sends the messages of people and programs to the operator.
//
//	contacts/{purchase}    a billing.Contact: a paid message that waits to be sent
//
// A free message is sent within the request that brings it: when the mail server refuses
// it, the sender learns of that and can send it again. A paid one is stored in the
// transaction that charges for it (package billing), so that it outlives a crash between
// the charge and the mail. The request makes the first attempt to send it by
// [Desk.SendPaid], and the job of [Desk.Run] makes the others until the mail server
// takes it: see package outbox.
package contact

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/outbox"
	"miramundo.dev/shared/store"
)

// Faults of messages to the operator.
var (
	// ErrSettings means that the service has no address or no server for mail.
	// Nothing was sent or charged.
	ErrSettings = fault.New(fault.Unavailable, "mail_not_configured")
	// ErrRefused means that the mail server did not take the message. A paid one is
	// stored and sent later.
	ErrRefused = fault.New(fault.BadGateway, "mail_refused")
)

// A Message is what somebody writes to the operator. Its fields are checked by the
// caller. It is stored as JSON: fields may be added.
type Message struct {
	Name    string      `json:"name"`
	Email   string      `json:"email"` // that package address accepts
	Text    string      `json:"text"`
	Kind    string      `json:"tipo,omitempty"` // the following fields are empty without it
	Company string      `json:"empresa,omitempty"`
	Site    string      `json:"site,omitempty"`
	Budget  string      `json:"orcamento,omitempty"`
	Spaces  []string    `json:"espaco,omitempty"`
	Days    string      `json:"duracao,omitempty"`
	Payment string      `json:"pagamento,omitempty"`
	Locale  i18n.Locale `json:"locale"` // in which the sender reads
	FormTS  int64       `json:"form_ts"`
}

// Encode returns m as it is stored with its payment. Two messages of one encoding are
// the same.
func (m Message) Encode() ([]byte, error) { return json.Marshal(m) }

// A Desk sends messages. Its methods may be called concurrently, also in several
// processes.
type Desk struct {
	DB   store.DB    // which seals texts; only SendPaid and Run use it
	Mail mail.Sender // must return when a mail is handed over, and not before; nil where mail is not configured
	To   string      // address of the operator; empty where none is configured
	Log  *slog.Logger
	Now  func() time.Time
}

// Check returns ErrSettings when mail cannot be sent.
func (d *Desk) Check() error {
	if d.To == "" || d.Mail == nil {
		return ErrSettings
	}
	return nil
}

// Send sends m now, and returns ErrRefused when the mail server does not take it.
func (d *Desk) Send(ctx context.Context, m Message) error { return d.send(ctx, m, "") }

// send sends m in a mail with an id.
func (d *Desk) send(ctx context.Context, m Message, id string) error {
	if err := d.Check(); err != nil {
		return err
	}
	err := d.Mail.Send(ctx, mail.Message{To: d.To, Locale: m.Locale, Content: m.content(), ReplyTo: m.Email, ID: id})
	if err != nil {
		return ErrRefused.Because(err)
	}
	return nil
}

// content returns m as a mail shows it.
func (m Message) content() mail.Contact {
	c := mail.Contact{Name: m.Name, Email: m.Email, Text: m.Text}
	for _, d := range []mail.Detail{
		{Field: "tipo", Value: m.Kind}, {Field: "empresa", Value: m.Company}, {Field: "site", Value: m.Site},
		{Field: "orcamento", Value: m.Budget}, {Field: "espaco", Value: strings.Join(m.Spaces, ", ")},
		{Field: "duracao", Value: m.Days}, {Field: "pagamento", Value: m.Payment},
	} {
		if d.Value != "" {
			c.Details = append(c.Details, d)
		}
	}
	return c
}

// SendPaid sends the message of a purchase, unless it was sent before or is being sent.
// It returns ErrRefused when the mail server does not take it, and fault.ErrUnavailable
// when the database does not answer: the message is then left to Run.
func (d *Desk) SendPaid(ctx context.Context, purchase string) error {
	ctx = context.WithoutCancel(ctx) // a paid message is sent even if the caller hangs up
	box := d.box()
	kept, err := box.Claim(ctx, purchase)
	if err != nil {
		return fault.OrUnavailable(err)
	}
	if kept == nil {
		return nil
	}
	var m Message
	data, err := kept.Message()
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		return ErrRefused.Because(errors.Join(errors.New("the stored message cannot be read"), err))
	}
	if err := d.send(ctx, m, "contact"+strings.TrimPrefix(purchase, "pu_")); err != nil {
		if e := box.Release(ctx, purchase, kept); e != nil {
			d.Log.WarnContext(ctx, "a message stays claimed for a while", "purchase", purchase, "err", e)
		}
		return err
	}
	if err := box.Delete(ctx, purchase); err != nil {
		d.Log.WarnContext(ctx, "a sent message stays in the queue", "purchase", purchase, "err", err)
	}
	return nil
}

// box returns the paid messages that wait to be sent.
func (d *Desk) box() outbox.Box[billing.Contact] {
	return outbox.Box[billing.Contact]{DB: d.DB, Path: billing.Contacts, Now: d.Now, Of: func(c *billing.Contact) outbox.Attempts {
		return outbox.Attempts{DueAt: &c.DueAt, BusyUntil: &c.BusyUntil, Count: &c.Attempts}
	}}
}

// Job is the name of the job that calls Run.
const Job = "contacts"

// Run sends the paid messages that are due. One that fails does not stop the others. A
// run without messages costs two queries.
func (d *Desk) Run(ctx context.Context) (outbox.Result, error) { return d.box().Run(ctx, d.SendPaid) }
