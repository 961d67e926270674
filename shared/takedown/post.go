package takedown

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/store"
)

// A mail is stored by the transaction that causes it, sealed, and sent afterwards. An
// attempt claims the document first, so that of a call and the job only one sends at a
// time; a mail that was sent is deleted. A process that ends between the mail and the
// deletion leaves a mail that is sent again, with the same Message-ID, which mail
// programs show once.

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

const (
	keepMail    = 30 * 24 * time.Hour // after which a mail that was never taken is deleted
	attemptTime = 30 * time.Second    // for one attempt, which a mail server may take 10 seconds for
	maxBackoff  = 6 * time.Hour       // between attempts of the job
)

// post stores a mail within tx, and returns its id.
func (d *Desk) post(tx store.Tx, e envelope) ([]string, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	id, now := strings.ToLower(rand.Text()), d.Now()
	l := &letter{
		Text: base64.StdEncoding.EncodeToString(data), DueAt: store.At(now.Add(time.Minute)), ExpireAt: store.At(now.Add(keepMail)),
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
	kept, err := d.claim(ctx, id)
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
	return d.DB.Delete(ctx, letters.Join(id))
}

// claim takes a mail for an attempt. It returns nil when the mail was sent, or when
// another attempt may be under way.
func (d *Desk) claim(ctx context.Context, id string) (claimed *letter, err error) {
	err = d.DB.Update(ctx, func(tx store.Tx) error {
		claimed = nil
		var kept letter
		err := tx.Get(letters.Join(id), &kept)
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
		return tx.Set(letters.Join(id), &kept)
	})
	return claimed, err
}

// Job is the name of the job that calls Run.
const Job = "takedown-mails"

// A Result is what a run did.
type Result struct {
	Sent   int `json:"sent"`
	Failed int `json:"failed"`
}

// batch is how many mails a run takes up.
const batch = 100

// Run sends the mails that are due, or later than any can be, because a clock was ahead
// when they were stored. One that fails does not stop the others. A run without mails
// costs two queries.
func (d *Desk) Run(ctx context.Context) (done Result, err error) {
	now := d.Now()
	var ids []string
	for _, due := range []store.Filter{
		{Field: "due_at", Op: store.LessEq, Value: store.At(now)},
		{Field: "due_at", Op: store.More, Value: store.At(now.Add(maxBackoff + store.Skew))},
	} {
		for doc, err := range d.DB.Query(ctx, store.Query{Collection: letters, Where: []store.Filter{due}, OrderBy: "due_at", Limit: batch}) {
			if err != nil {
				return done, err
			}
			ids = append(ids, doc.ID)
		}
	}
	for _, id := range ids {
		if e := d.send(ctx, id); e != nil {
			done.Failed++
			err = errors.Join(err, e)
			continue
		}
		done.Sent++
	}
	return done, err
}
