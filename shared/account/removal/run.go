package removal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/avatar"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
)

// Job is the name of the job that runs removals.
const Job = "removals"

const collection = store.Path("removals")

// grace is how long an organization is left alone after it is deleted: other instances
// accept its keys for some seconds, and what they write then is deleted too.
const grace = time.Minute

// mailFor is for how long the last mail to an account is tried.
const mailFor = 7 * 24 * time.Hour

// A removal is an owner that is gone, whose things are being deleted.
type removal struct {
	Owner  identity.Owner `json:"owner"`
	Since  store.Time     `json:"since"`
	Email  string         `json:"email,omitempty"` // of an account, to say that it is done
	Locale string         `json:"locale,omitempty"`
}

func path(owner identity.Owner) store.Path { return collection.Join(string(owner)) }

// Queue stores the removal of what an organization owns, in the transaction that
// deletes the organization.
func Queue(tx store.Tx, organization identity.Owner, now time.Time) error {
	return tx.Set(path(organization), removal{Owner: organization, Since: store.At(now)})
}

// A Result is what a run did.
type Result struct {
	Accounts      int `json:"accounts"`      // deleted with everything they owned
	Organizations int `json:"organizations"` // the same
}

// Run deletes the accounts that are due and goes on with the removals that have begun.
// One that fails does not stop the others; the next run tries it again.
func (r *Removals) Run(ctx context.Context) (done Result, err error) {
	due, err := r.due(ctx)
	for _, id := range due {
		err = errors.Join(err, r.begin(ctx, id))
	}
	begun, e := r.begun(ctx)
	err = errors.Join(err, e)
	for _, one := range begun {
		if e := r.finish(ctx, one); e != nil {
			err = errors.Join(err, fmt.Errorf("removal of %s: %w", one.Owner, e))
			continue
		}
		if identity.KindOf(one.Owner) == identity.Organization {
			done.Organizations++
		} else {
			done.Accounts++
		}
	}
	return done, err
}

// due returns the accounts whose time has come.
func (r *Removals) due(ctx context.Context) (ids []identity.Owner, err error) {
	q := store.Query{Collection: "accounts", OrderBy: "delete_at", Where: []store.Filter{
		{Field: "delete_at", Op: store.More, Value: store.Time{}}, {Field: "delete_at", Op: store.LessEq, Value: store.At(r.o.Now())},
	}}
	for doc, err := range r.o.DB.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, identity.Owner(doc.ID))
	}
	return ids, nil
}

// begun returns the removals whose things can be deleted now.
func (r *Removals) begun(ctx context.Context) (list []removal, err error) {
	for doc, err := range r.o.DB.Query(ctx, store.Query{Collection: collection}) {
		if err != nil {
			return nil, err
		}
		var one removal
		if err := doc.Decode(&one); err != nil {
			return nil, err
		}
		if identity.KindOf(one.Owner) != identity.Organization || r.o.Now().Sub(one.Since.Time) >= grace {
			list = append(list, one)
		}
	}
	return list, nil
}

// begin deletes an account, unless its owner has signed in meanwhile, and stores its
// removal.
func (r *Removals) begin(ctx context.Context, id identity.Owner) error {
	return r.o.DB.Update(ctx, func(tx store.Tx) error {
		a, err := account.Get(tx, id)
		if errors.Is(err, identity.ErrEnded) || err == nil && (a.DeleteAt.IsZero() || a.DeleteAt.After(r.o.Now())) {
			return nil
		}
		if err != nil {
			return err
		}
		record, err := access.Get(tx, id)
		if err != nil {
			return err
		}
		changed, err := access.EndEverywhere(tx, record, "")
		if err != nil {
			return err
		}
		return errors.Join(
			access.PutAll(tx, changed),
			tx.Delete(avatar.Path(id)),
			account.Remove(tx, a),
			tx.Set(path(id), removal{Owner: id, Since: store.At(r.o.Now()), Email: a.Email, Locale: a.Profile.Locale}),
		)
	})
}

// finish deletes everything that an owner has, and its removal at the end. Each step
// finds what is left of it.
func (r *Removals) finish(ctx context.Context, one removal) error {
	for _, step := range []func(context.Context, removal) error{
		r.leave, r.removePublic, r.removeLibrary, r.removeFavorites, r.removeHistory, r.removeComments, r.removeModeration, r.removePurchases, r.say,
	} {
		if err := step(ctx, one); err != nil {
			return err
		}
	}
	return r.o.DB.Delete(ctx, path(one.Owner))
}

// leave takes an account out of its organizations and deletes its access record. An
// organization without another member is removed too.
func (r *Removals) leave(ctx context.Context, one removal) error {
	if identity.KindOf(one.Owner) != identity.Person {
		return nil
	}
	organizations := organization.On(r.o.DB, r.o.Access.Learn, r.o.Now)
	err := organizations.Abandon(ctx, one.Owner, func(tx store.Tx, id identity.Owner) error { return Queue(tx, id, r.o.Now()) })
	if err != nil {
		return err
	}
	return r.o.DB.Delete(ctx, access.Path(one.Owner))
}

// removePublic deletes what the owner publishes and follows, before the library that the
// publication shows.
func (r *Removals) removePublic(ctx context.Context, one removal) error {
	return errors.Join(public.Remove(ctx, r.o.DB, one.Owner, r.o.Now()), follow.RemoveAll(ctx, r.o.DB, one.Owner))
}

func (r *Removals) removeLibrary(ctx context.Context, one removal) error {
	return library.Remove(ctx, r.o.DB, one.Owner)
}

func (r *Removals) removeFavorites(ctx context.Context, one removal) error {
	return r.removeCounted(ctx, func() (bool, []outbox.Letter, error) {
		return kept.RemoveFavorites(ctx, r.o.DB, one.Owner, r.o.Now())
	})
}

func (r *Removals) removeHistory(ctx context.Context, one removal) error {
	return kept.RemoveHistory(ctx, r.o.DB, one.Owner)
}

func (r *Removals) removeComments(ctx context.Context, one removal) error {
	return r.removeCounted(ctx, func() (bool, []outbox.Letter, error) {
		return comment.RemoveAll(ctx, r.o.DB, one.Owner, r.o.Now())
	})
}

// removeModeration deletes what the owner reported and hid. The operator's own records,
// which are the log and the copies of reported texts, stay until they expire.
func (r *Removals) removeModeration(ctx context.Context, one removal) error {
	return errors.Join(moderation.Remove(ctx, r.o.DB, one.Owner), act.RemoveReports(ctx, r.o.DB, one.Owner))
}

// removePurchases deletes the passes and the list of purchases, and how fast the owner
// wrote in chats. The register of purchases names no owners, and stays.
func (r *Removals) removePurchases(ctx context.Context, one removal) error {
	return errors.Join(billing.Remove(ctx, r.o.DB, one.Owner), chat.RemovePace(ctx, r.o.DB, one.Owner))
}

// removeCounted removes batches of what is counted in public until none is left, and
// sends the facts of each. Facts that are not sent stay in the outbox.
func (r *Removals) removeCounted(ctx context.Context, batch func() (more bool, letters []outbox.Letter, err error)) error {
	for {
		more, letters, err := batch()
		if err != nil {
			return err
		}
		r.o.Outbox.Send(ctx, letters...)
		if !more {
			return nil
		}
	}
}

// say sends the last mail to the owner of an account. An address that has stopped
// working does not keep the removal, and with it the address, for ever.
func (r *Removals) say(ctx context.Context, one removal) error {
	if one.Email == "" {
		return nil
	}
	locale, ok := i18n.Find(one.Locale)
	if !ok {
		locale = i18n.PT
	}
	err := r.o.Mail.Send(ctx, mail.Message{To: one.Email, Locale: locale, Content: mail.Deleted{}})
	if errors.Is(err, address.ErrInvalid) || err != nil && r.o.Now().Sub(one.Since.Time) >= mailFor {
		r.o.Log.WarnContext(ctx, "the notice of a deleted account was not sent", "cause", err.Error())
		return nil
	}
	return err
}
