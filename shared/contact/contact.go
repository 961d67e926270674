// Package contact sends the messages of people and programs to the operator.
//
//	contacts/{purchase}    a billing.Contact: a paid message that waits to be sent
//
// A free message is sent within the request that brings it: when the mail server refuses
// it, the sender learns of that and can send it again. A paid one is stored in the
// transaction that charges for it (package billing), so that it outlives a crash between
// the charge and the mail. The request makes the first attempt to send it by
// [Desk.SendPaid], and the job of [Desk.Run] makes the others until the mail server
// takes it. An attempt claims the document first, so that of a request, its repetition
// and the job only one sends at a time; a message that was sent is deleted. A process
// that ends between the mail and the deletion leaves a message that is sent again, with
// the same Message-ID, which mail programs show once.
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
	kept, err := d.claim(ctx, purchase)
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
		d.release(ctx, purchase, kept)
		return err
	}
	if err := d.DB.Delete(ctx, billing.ContactPath(purchase)); err != nil {
		d.Log.WarnContext(ctx, "a sent message stays in the queue", "purchase", purchase, "err", err)
	}
	return nil
}

const (
	attemptTime = 30 * time.Second // for one attempt, which a mail server may take 10 seconds for
	maxBackoff  = 6 * time.Hour    // between attempts of the job
)

// claim takes the message of a purchase for an attempt. It returns nil when the message
// was sent, or when another attempt may be under way.
func (d *Desk) claim(ctx context.Context, purchase string) (claimed *billing.Contact, err error) {
	err = d.DB.Update(ctx, func(tx store.Tx) error {
		claimed = nil
		var kept billing.Contact
		err := tx.Get(billing.ContactPath(purchase), &kept)
		now := d.Now()
		if errors.Is(err, store.ErrNotFound) || err == nil && kept.BusyUntil.Left(now, attemptTime) > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		kept.BusyUntil = store.At(now.Add(attemptTime))
		kept.DueAt = store.At(now.Add(min(time.Minute<<min(kept.Attempts, 9), maxBackoff)))
		kept.Attempts++
		claimed = &kept
		return tx.Set(billing.ContactPath(purchase), &kept)
	})
	return claimed, err
}

// release ends a claim, so that the sender can repeat the call at once. A claim that
// stays ends by itself.
func (d *Desk) release(ctx context.Context, purchase string, kept *billing.Contact) {
	kept.BusyUntil = store.Time{}
	if err := d.DB.Set(ctx, billing.ContactPath(purchase), kept); err != nil {
		d.Log.WarnContext(ctx, "a message stays claimed for a while", "purchase", purchase, "err", err)
	}
}

// Job is the name of the job that calls Run.
const Job = "contacts"

// A Result is what a run did.
type Result struct {
	Sent   int `json:"sent"`
	Failed int `json:"failed"`
}

// batch is how many messages a run takes up.
const batch = 100

// Run sends the paid messages that are due, or later than any can be, because a clock
// was ahead when they were stored. One that fails does not stop the others. A run
// without messages costs two queries.
func (d *Desk) Run(ctx context.Context) (done Result, err error) {
	now := d.Now()
	var ids []string
	for _, due := range []store.Filter{
		{Field: "due_at", Op: store.LessEq, Value: store.At(now)},
		{Field: "due_at", Op: store.More, Value: store.At(now.Add(maxBackoff + store.Skew))},
	} {
		query := store.Query{Collection: billing.Contacts, Where: []store.Filter{due}, OrderBy: "due_at", Limit: batch}
		for doc, err := range d.DB.Query(ctx, query) {
			if err != nil {
				return done, err
			}
			ids = append(ids, doc.ID)
		}
	}
	for _, id := range ids {
		if e := d.SendPaid(ctx, id); e != nil {
			done.Failed++
			err = errors.Join(err, e)
			continue
		}
		done.Sent++
	}
	return done, err
}
