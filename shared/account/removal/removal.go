// Package removal deletes accounts that their owners want deleted, and everything that
// they own.
//
//	removals/{owner}    a removal: what is left of an owner that is gone
//
// A deletion is scheduled first: the account ends everywhere at once, and is deleted
// [Delay] later unless its owner signs in, which needs no more than that. Then one
// transaction deletes the account with its address and its photo and stores a removal.
// From there on nobody can sign in to it, and a new account with the same address has
// nothing to do with it. What the account owned is deleted step by step; each step
// can be repeated, so a process that dies leaves a removal that the next run goes on
// with. The removal itself is deleted last.
//
// Organizations whose last member is deleted are removed in the same way. Play reports
// and other events name no account, and expire on their own.
package removal

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

// Delay is how long a deletion can be undone by signing in.
const Delay = 14 * 24 * time.Hour

// Faults of deletions.
var (
	// ErrConfirmation means that the typed confirmation is not the account's address.
	ErrConfirmation = fault.New(fault.Invalid, "invalid_confirmation")
	// ErrLastOwner means that an organization, which the field organization names,
	// would lose its only owner and has other members.
	ErrLastOwner = organization.ErrLastOwner
)

// Options are what Removals use. All fields are required by the methods that need
// them: Schedule sends mail, and Run empties what is left.
type Options struct {
	DB     store.DB
	Access *access.Checker
	Mail   mail.Sender
	Outbox *outbox.Outbox // for Run alone
	Base   string         // URL of the service, without a trailing slash
	Log    *slog.Logger
	Now    func() time.Time
}

// Removals deletes accounts. Its methods may be called concurrently, also in several
// processes.
type Removals struct{ o Options }

// New returns Removals that use o.
func New(o Options) *Removals { return &Removals{o} }

// A Request is what a person asks for.
type Request struct {
	Speaker      identity.Speaker
	Confirmation string      // the address of the account, typed again
	Locale       i18n.Locale // of the notice, when the profile has none
	Place        mail.Place  // where the request comes from
}

// Schedule schedules the deletion of the caller's account and returns when it is due.
// All sessions of the account end, the caller's too, its keys stop, nobody sees its public
// library, and a notice goes to its address. What an organization publishes stays, also
// when the account is its only member. It returns ErrConfirmation, ErrLastOwner,
// identity.ErrReauth when the sign-in is not recent, and identity.ErrEnded when the session
// is over.
func (r *Removals) Schedule(ctx context.Context, q Request) (due time.Time, err error) {
	due = r.o.Now().Add(Delay)
	var a *account.Account
	var changed []*access.Record
	err = r.o.DB.Update(ctx, func(tx store.Tx) error {
		record, err := access.Get(tx, q.Speaker.Account)
		if err != nil {
			return err
		}
		if a, err = r.check(tx, record, q); err != nil {
			return err
		}
		if changed, err = access.EndEverywhere(tx, record, ""); err != nil {
			return err
		}
		absence, err := public.ReadAbsence(tx, a.ID)
		if err != nil {
			return err
		}
		a.DeleteAt = store.At(due)
		return errors.Join(account.Put(tx, a), access.PutAll(tx, changed), absence.Begin(tx))
	})
	if err != nil {
		return time.Time{}, fault.OrUnavailable(err)
	}
	for _, record := range changed {
		r.o.Access.Learn(record)
	}
	r.notify(ctx, a, q, due)
	return due, nil
}

// check returns the account of a request that is to be granted.
func (r *Removals) check(tx store.Tx, record *access.Record, q Request) (*account.Account, error) {
	here, ok := record.Session(q.Speaker.Session)
	if !ok {
		return nil, identity.ErrEnded
	}
	a, err := account.Get(tx, record.Owner)
	if err != nil {
		return nil, err
	}
	switch {
	case !access.IsRecent(here.SignedInAt.Time, r.o.Now()), a.NeedsFactor() && !here.SecondFactor:
		return nil, identity.ErrReauth
	case !strings.EqualFold(strings.TrimSpace(q.Confirmation), a.Email):
		return nil, ErrConfirmation
	}
	return a, checkOwner(tx, record)
}

// checkOwner returns ErrLastOwner when an organization needs the account of record.
func checkOwner(tx store.Tx, record *access.Record) error {
	for _, m := range record.Memberships {
		var o organization.Organization
		if err := tx.Get(organization.Path(m.Organization), &o); errors.Is(err, store.ErrNotFound) {
			continue
		} else if err != nil {
			return err
		}
		if len(o.Members) > 1 && o.IsLastOwner(record.Owner) {
			return ErrLastOwner.With("organization", o.Name)
		}
	}
	return nil
}

// notify tells the owner of an account which day it is deleted. A failure is logged:
// the person has read the day where the deletion was asked for.
func (r *Removals) notify(ctx context.Context, a *account.Account, q Request, due time.Time) {
	locale, zone := localeOf(a, q.Locale), zoneOf(a)
	err := r.o.Mail.Send(ctx, mail.Message{To: a.Email, Locale: locale, Content: mail.DeletionScheduled{
		Day: due.In(zone).Format(time.DateOnly), SignIn: r.o.Base + site.SignIn.Path(locale, ""),
		Event: mail.Event{At: r.o.Now().In(zone), Place: q.Place},
	}})
	if err != nil {
		r.o.Log.WarnContext(ctx, "the notice of a deletion was not sent", "cause", err.Error())
	}
}

// localeOf returns the locale that an account prefers, or another one.
func localeOf(a *account.Account, other i18n.Locale) i18n.Locale {
	if l, ok := i18n.Find(a.Profile.Locale); ok {
		return l
	}
	return other
}

// zoneOf returns the time zone of an account; UTC when its profile has none.
func zoneOf(a *account.Account) *time.Location {
	if zone, err := time.LoadLocation(a.Profile.TimeZone); err == nil {
		return zone
	}
	return time.UTC
}
