package takedown

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/outbox"
	"miramundo.dev/shared/store"
)

// A mail is stored by the transaction that causes it, sealed, and sent afterwards: see
// package outbox.

// What a mail says.
const (
	receipt = "receipt"
	arrival = "arrival" // tells the operator
	answer  = "answer"
)

// An envelope is a mail with its address. It is stored as JSON: fields may be added.
type envelope struct {
	What   string      `json:"what"`
	To     string      `json:"to"`
	Locale i18n.Locale `json:"locale"`
	Number int         `json:"number"`
	Link   string      `json:"link"`
	Text   string      `json:"text"` // of an answer
}

// content returns what the mail says.
func (e envelope) content() mail.Content {
	switch e.What {
	case receipt:
		return mail.TakedownReceived{Number: e.Number, Link: e.Link}
	case arrival:
		return mail.TakedownArrived{Number: e.Number, Link: e.Link}
	}
	return mail.TakedownDecided{Number: e.Number, Text: e.Text, Link: e.Link}
}

// A letter is a stored mail.
type letter struct {
	Text      string     `json:"text"`       // the envelope as JSON in base64; stored sealed
	DueAt     store.Time `json:"due_at"`     // when the job takes it up
	BusyUntil store.Time `json:"busy_until"` // an attempt may run until then
	Attempts  int        `json:"attempts"`
	ExpireAt  store.Time `json:"expire_at"`
}

// Secrets implements sealed.Document.
func (l *letter) Secrets() []*string { return []*string{&l.Text} }

func (l *letter) envelope() (e envelope, err error) {
	data, err := base64.StdEncoding.DecodeString(l.Text)
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	return e, err
}

const letters = store.Path("takedown_mails")

// keepMail is the time after which a mail that was never taken is deleted.
const keepMail = 30 * 24 * time.Hour

// box returns the mails that wait to be sent.
func (d *Desk) box() outbox.Box[letter] {
	return outbox.Box[letter]{DB: d.DB, Path: letters, Now: d.Now, Of: func(l *letter) outbox.Attempts {
		return outbox.Attempts{DueAt: &l.DueAt, BusyUntil: &l.BusyUntil, Count: &l.Attempts}
	}}
}

// post stores a mail within tx, and returns its id.
func (d *Desk) post(tx store.Tx, e envelope) ([]string, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	id, now := strings.ToLower(rand.Text()), d.Now()
	l := &letter{
		Text: base64.StdEncoding.EncodeToString(data), DueAt: outbox.First(now), ExpireAt: store.At(now.Add(keepMail)),
	}
	return []string{id}, tx.Create(letters.Join(id), l)
}

// sendAll makes the first attempt to send mails. One that fails is left to the job.
func (d *Desk) sendAll(ctx context.Context, ids []string) {
	ctx = context.WithoutCancel(ctx) // the decision is stored, even if the caller hangs up
	for _, id := range ids {
		if err := d.send(ctx, id); err != nil {
			d.Log.WarnContext(ctx, "a mail about a takedown request is sent later", "mail", id, "err", err)
		}
	}
}

// send sends a stored mail, unless it was sent before or is being sent.
func (d *Desk) send(ctx context.Context, id string) error {
	if d.Mail == nil {
		return ErrMail
	}
	box := d.box()
	kept, err := box.Claim(ctx, id)
	if err != nil || kept == nil {
		return err
	}
	e, err := kept.envelope()
	if err == nil {
		err = d.Mail.Send(ctx, mail.Message{To: e.To, Locale: e.Locale, Content: e.content(), ID: "takedown" + id})
	}
	if err != nil {
		return err
	}
	return box.Delete(ctx, id)
}

// Job is the name of the job that calls Run.
const Job = "takedown-mails"

// Run sends the mails that are due. One that fails does not stop the others. A run
// without mails costs two queries.
func (d *Desk) Run(ctx context.Context) (outbox.Result, error) { return d.box().Run(ctx, d.send) }
