package takedown

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

// File stores a request or a counter-notice with its receipt and a mail to the operator,
// and returns its case and the stored request. The targets of a counter-notice are what
// the case that it answers blocks. It returns ErrMail, ErrNoCase, ErrNotBlocked or
// ErrManyNotices.
func (d *Desk) File(ctx context.Context, r Request) (c Case, stored Request, err error) {
	if d.Mail == nil {
		return c, r, ErrMail
	}
	r.Secret = strings.ToLower(rand.Text())
	var sent []string
	err = d.DB.Update(ctx, func(tx store.Tx) error {
		var err error
		stored = r
		c, sent, err = d.file(tx, &stored)
		return err
	})
	if err != nil {
		return Case{}, r, err
	}
	d.sendAll(ctx, sent)
	return c, stored, nil
}

// file is the transaction of File. It also returns the ids of the mails.
func (d *Desk) file(tx store.Tx, r *Request) (c Case, sent []string, err error) {
	t, err := readTotals(tx)
	if err != nil {
		return c, nil, err
	}
	var about *Case
	if r.Answers != 0 {
		if about, err = readBlocked(tx, r.Answers); err != nil {
			return c, nil, err
		}
		r.Kind, r.Targets = Counter, nil
		for _, b := range about.Blocked {
			r.Targets = append(r.Targets, Target{Kind: b.Kind, Value: b.Value})
		}
	}
	now := d.Now()
	t.Last++
	c = Case{Number: t.Last, Kind: r.Kind, At: store.At(now), State: Received, Open: true, Answers: r.Answers}
	t.move(&c, "")
	if about != nil {
		about.Notices = append(about.Notices, c.Number)
		err = tx.Set(casePath(about.Number), about)
	} else {
		if t.Kinds == nil {
			t.Kinds = map[Kind]int{}
		}
		t.Kinds[c.Kind]++
	}
	kept, e := r.record(now)
	if err = errors.Join(err, e); err != nil {
		return c, nil, err
	}
	sent, err = d.post(tx, envelope{To: r.Email, Locale: r.Locale, Number: c.Number, Link: d.link(r.Locale, c.Number, r.Secret), What: receipt})
	if err == nil && d.To != "" {
		var more []string
		more, err = d.post(tx, envelope{To: d.To, Locale: i18n.EN, Number: c.Number, Link: d.Base + site.Operator.Path(i18n.EN, "") + "#takedowns", What: arrival})
		sent = append(sent, more...)
	}
	return c, sent, errors.Join(err, tx.Create(casePath(c.Number), c), tx.Create(recordPath(c.Number), kept), tx.Set(totalPath, t))
}

func readTotals(tx store.Tx) (t Totals, err error) {
	err = tx.Get(totalPath, &t)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return t, err
}

// readBlocked returns a case that a counter-notice can answer.
func readBlocked(tx store.Tx, number int) (*Case, error) {
	var c Case
	err := tx.Get(casePath(number), &c)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, ErrNoCase
	case err != nil:
		return nil, err
	case c.State != Blocked:
		return nil, ErrNotBlocked
	case len(c.Notices) >= MaxNotices:
		return nil, ErrManyNotices
	}
	return &c, nil
}

// link returns the address at which the sender of a case reads its status. The secret is
// in the fragment, which browsers send to no server.
func (d *Desk) link(l i18n.Locale, number int, secret string) string {
	return d.Base + site.Takedown.Path(l, "") + "#" + strconv.Itoa(number) + "." + secret
}

// Status returns a case with what its sender wrote, to whom has the secret of the
// receipt. It returns ErrNoCase for an unknown number and for another secret.
func (d *Desk) Status(ctx context.Context, number int, secret string) (Case, *Request, error) {
	c, r, err := d.Read(ctx, number)
	if err != nil {
		return Case{}, nil, err
	}
	if r == nil || subtle.ConstantTimeCompare([]byte(r.Secret), []byte(secret)) != 1 {
		return Case{}, nil, ErrNoCase
	}
	return c, r, nil
}

// Draft returns what the operator may answer with a decision, in a locale.
func Draft(l i18n.Locale, v Verb, number int) string {
	return l.T("takedown_draft."+string(v), map[string]any{"number": number})
}

// Verbs lists the decisions that a case can take now.
func (c *Case) Verbs() []Verb {
	var all []Verb
	for _, v := range verbs {
		if slices.Contains(steps[v].from(c), c.State) {
			all = append(all, v)
		}
	}
	return all
}
