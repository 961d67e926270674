package removal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/avatar"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// silent is a bus that takes nothing: every letter stays in the outbox, where the
// tests count it.
type silent struct{ bus.Bus }

func (silent) Publish(context.Context, string, ...bus.Event) error { return errors.New("no bus") }

// A world is a database with people in it.
type world struct {
	t    *testing.T
	db   store.DB
	now  time.Time
	sent posted
	*Removals
}

// posted are the mails that were sent.
type posted struct {
	mu   sync.Mutex
	list []mail.Message
	fail error
}

func (p *posted) Send(_ context.Context, m mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail == nil {
		p.list = append(p.list, m)
	}
	return p.fail
}

func newWorld(t *testing.T, db store.DB) *world {
	w := &world{t: t, db: db, now: noon}
	clock := func() time.Time { return w.now }
	w.Removals = New(Options{
		DB: db, Access: access.NewChecker(db, clock), Mail: &w.sent, Base: "https://mira.example",
		Outbox: &outbox.Outbox{DB: db, Bus: silent{}, Log: slog.New(slog.DiscardHandler), Now: clock},
		Log:    slog.New(slog.DiscardHandler), Now: clock,
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// signUp returns a new account that is signed in.
func (w *world) signUp(address string) identity.Speaker {
	w.t.Helper()
	a := account.New(address, strings.ToLower(address), account.Profile{Theme: "system", Locale: "de", TimeZone: "America/Sao_Paulo"}, w.now)
	r := &access.Record{Owner: a.ID}
	_, s := r.Open(access.SignIn{Method: "mail"}, w.now)
	_, _, err := r.AddKey("key", a.ID, w.now)
	w.must(err)
	w.must(w.db.Update(w.t.Context(), func(tx store.Tx) error { return errors.Join(account.Create(tx, a), access.Put(tx, r)) }))
	return identity.Speaker{Owner: a.ID, Account: a.ID, Session: s.ID, SignedInAt: w.now}
}

// What a full owner has.
const (
	favorites = removeTwice + 20 // in three batches
	comments  = 70               // in two batches

	removeTwice = 200
)

// fill gives an owner everything that an owner can have. Its channels begin with a
// name.
func (w *world) fill(owner identity.Owner, name string) {
	w.t.Helper()
	ctx := w.t.Context()
	_, err := library.Update(ctx, w.db, owner, w.now, func(l *library.Library) error {
		c, err := l.AddCategory("Folder")
		if err != nil {
			return err
		}
		_, _, err = l.AddItem(c.Groups[0].ID, library.Item{Channel: name, Name: name}, nil)
		return err
	})
	w.must(err)
	w.claimFeed(owner)
	w.publish(owner, "library-"+strings.Trim(name, "-"))
	w.must(w.db.Update(ctx, func(tx store.Tx) error {
		f, h := kept.Favorites{}, kept.History{}
		for i := range favorites {
			f.Rows = append(f.Rows, kept.Favorite{Channel: fmt.Sprint(name, i), Since: store.At(w.now)})
		}
		h.Play(name, w.now, func(id string) (string, bool) { return id, true })
		return errors.Join(
			tx.Set(kept.FavoritesPath(owner), f), tx.Set(kept.HistoryPath(owner), h),
			tx.Set(pass.Path(owner), pass.Passes{ChatUntil: store.At(w.now.Add(time.Hour))}),
			tx.Set(billing.ListPath(owner), billing.List{Purchases: []billing.Purchase{{ID: "pu_" + name}}}),
		)
	}))
	_, err = chat.New(chat.Options{DB: w.db, Free: true, Now: func() time.Time { return w.now }}).Post(ctx, chat.Draft{
		Channel: name, Owner: owner, Body: "hello",
	})
	w.must(err)
	for i := range comments {
		at := w.now.Add(-time.Duration(comments-i) * 4 * time.Minute) // as many as an hour allows
		c, err := comment.New(owner, fmt.Sprint(name, i), "Ana", fmt.Sprint("hello ", i), at)
		w.must(err)
		_, err = comment.Post(ctx, w.db, c)
		w.must(err)
	}
	w.moderate(owner)
	if identity.KindOf(owner) == identity.Person {
		w.must(w.db.Set(ctx, avatar.Path(owner), avatar.Photo{Data: []byte("photo"), Hash: "0"}))
	}
}

// moderate mutes an owner for a long time, and has it report a comment and hide its
// author.
func (w *world) moderate(owner identity.Owner) {
	w.t.Helper()
	ctx := w.t.Context()
	c, err := comment.New(identity.NewOwner(identity.Person), "Other.br", "Eve", "spam", w.now)
	w.must(err)
	_, err = comment.Post(ctx, w.db, c)
	w.must(err)
	moderator := act.New(act.Options{DB: w.db, Now: func() time.Time { return w.now }})
	ref := act.Ref{Kind: act.Comment, ID: c.PublicID()}
	_, err = moderator.Report(ctx, owner, ref, "spam")
	w.must(err)
	_, _, err = moderator.Hide(ctx, owner, ref)
	w.must(err)
	w.must(w.db.Set(ctx, moderation.MutePath(owner), moderation.Mute{ExpireAt: store.At(w.now.AddDate(100, 0, 0))}))
}

// publish publishes the folder of an owner, under a second name, and has the owner follow
// the library of another.
func (w *world) publish(owner identity.Owner, name string) {
	w.t.Helper()
	ctx := w.t.Context()
	l, err := library.Load(ctx, w.db, owner)
	w.must(err)
	for _, name := range []string{name + "-old", name} {
		_, _, err = public.Put(ctx, w.db, owner, public.Draft{Name: name, Title: "Folder", Folders: []string{l.Categories[0].ID}}, w.now)
		w.must(err)
	}
	_, _, err = follow.Add(ctx, w.db, owner, &public.Publication{ID: "pub_" + name, Owner: "g_other"}, "", w.now)
	w.must(err)
}

// claimFeed gives an owner the feed of a guest, whose token then opens its library.
func (w *world) claimFeed(owner identity.Owner) {
	w.t.Helper()
	guest := identity.NewOwner(identity.Guest)
	_, err := library.Open(w.t.Context(), w.db, guest, w.now)
	w.must(err)
	w.must(w.db.Update(w.t.Context(), func(tx store.Tx) error {
		m, err := library.ReadMove(tx, guest, owner)
		if err != nil {
			return err
		}
		return m.Write(tx, w.now)
	}))
	l, err := library.Load(w.t.Context(), w.db, owner)
	w.must(err)
	if len(l.Taken) == 0 {
		w.t.Fatal("the feed was not taken")
	}
}

// found returns a short description of the documents that are left of an owner.
func (w *world) found(owner identity.Owner) (list []string) {
	w.t.Helper()
	for name, path := range map[string]store.Path{
		"account": account.Path(owner), "access": access.Path(owner), "avatar": avatar.Path(owner), "library": library.Path(owner),
		"passes": pass.Path(owner), "purchases": billing.ListPath(owner), "pace of chats": store.Path("owners").Join(string(owner), "kept", "chat"),
		"favorites": kept.FavoritesPath(owner), "history": kept.HistoryPath(owner), "pace": comment.PacePath(owner),
		"organization": organization.Path(owner), "removal": path(owner),
		"mute": moderation.MutePath(owner), "hidden": moderation.HiddenPath(owner), "reporting": store.Path("owners").Join(string(owner), "kept", "reports"),
		"public": public.OwnPath(owner), "following": follow.Path(owner),
	} {
		if err := w.db.Get(w.t.Context(), path, &map[string]any{}); err == nil {
			list = append(list, name)
		} else if !errors.Is(err, store.ErrNotFound) {
			w.t.Fatal(err)
		}
	}
	for name, q := range map[string]store.Query{
		"comments":     {Collection: "comments", Where: []store.Filter{{Field: "owner", Op: store.Eq, Value: string(owner)}}},
		"feeds":        {Collection: "feeds", Where: []store.Filter{{Field: "owner", Op: store.Eq, Value: string(owner)}}},
		"reports":      {Collection: "text_reports", Where: []store.Filter{{Field: "owner", Op: store.Eq, Value: string(owner)}}},
		"publications": {Collection: "publications", Where: []store.Filter{{Field: "owner", Op: store.Eq, Value: string(owner)}}},
		"names":        {Collection: "public_libraries", Where: []store.Filter{{Field: "owner", Op: store.Eq, Value: string(owner)}}},
		"emails":       {Collection: "emails", Where: []store.Filter{{Field: "account", Op: store.Eq, Value: string(owner)}}},
	} {
		if n, err := w.db.Count(w.t.Context(), q); err != nil {
			w.t.Fatal(err)
		} else if n > 0 {
			list = append(list, name)
		}
	}
	return list
}

// counted returns by how much the facts in the outbox change the favorites and the
// comments of the channels that begin with a name. Posting a comment adds one.
func (w *world) counted(name string) (favorites, comments int) {
	w.t.Helper()
	for doc, err := range w.db.Query(w.t.Context(), store.Query{Collection: "outbox"}) {
		w.must(err)
		var l outbox.Letter
		w.must(doc.Decode(&l))
		switch e := (bus.Event{Data: l.Data}); l.Topic {
		case social.Favorites:
			f, err := fact.Decode[social.Favorite](e)
			w.must(err)
			if strings.HasPrefix(f.Channel, name) {
				favorites += f.Delta
			}
		case social.Comments:
			c, err := fact.Decode[social.Comment](e)
			w.must(err)
			if strings.HasPrefix(c.Channel, name) {
				comments += c.Delta
			}
		}
	}
	return favorites, comments
}

// schedule schedules the deletion of a caller's account.
func (w *world) schedule(who identity.Speaker, confirmation string) (time.Time, error) {
	return w.Schedule(w.t.Context(), Request{Speaker: who, Confirmation: confirmation, Place: mail.Place{Browser: "Firefox"}})
}

// run runs the job as it is run when a time has passed.
func (w *world) run(later time.Duration) Result {
	w.t.Helper()
	w.now = w.now.Add(later)
	done, err := w.Run(w.t.Context())
	w.must(err)
	return done
}
