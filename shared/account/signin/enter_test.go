package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// TestMail signs in by codes: the first makes the account, the second finds it and
// replaces the session of its browser.
func TestMail(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		v := browser("Firefox")
		id, m := d.start(v, maria)
		if m.Holds != challenge.Mail.Life || m.From != (mail.Place{Browser: "Firefox", System: "Linux", Country: "BR"}) {
			t.Errorf("the mail is %+v", m)
		}
		_, err := d.FinishMail(t.Context(), v, id, wrong(m.Code))
		want(t, "a wrong code", err, challenge.ErrWrong)
		_, err = d.FinishMail(t.Context(), browser("Chrome"), id, m.Code)
		want(t, "in another browser", err, challenge.ErrExpired)
		first := d.ok(d.FinishMail(t.Context(), v, id, m.Code))
		if !first.Created || first.Restored || first.Email != "Maria@exemplo.com.br" || first.Return != "/canais" || first.Challenge != "" {
			t.Errorf("the first sign-in: %+v", first)
		}
		_, err = d.FinishMail(t.Context(), v, id, m.Code)
		want(t, "the same code again", err, challenge.ErrExpired)
		_, err = d.FinishLink(t.Context(), v, token(t, m))
		want(t, "the link after the code", err, challenge.ErrExpired)
		if a := d.stored("maria@exemplo.com.br"); a.ID != first.Account || a.Profile.Locale != "en" || a.Profile.Theme != "system" || a.Profile.Revision != 1 {
			t.Errorf("the account is %+v", a)
		}
		who := d.speaker(first.Cookie)
		if who.Account != first.Account || who.Session != first.Session.ID || who.SecondFactor || !who.SignedInAt.Equal(d.now.Truncate(time.Microsecond)) {
			t.Errorf("the session is of %+v", who)
		}
		second := d.byMail(v.then(first), "MARIA@exemplo.com.br")
		if second.Created || second.Account != first.Account || second.Session.Method != ByMail {
			t.Errorf("the second sign-in: %+v", second)
		}
		d.ended("the session before", first.Cookie)
		d.speaker(second.Cookie)
	})
}

// TestOtherAccount signs in to another account in a browser that has a session: the
// session ends, here at once, so that a copy of its cookie is worth nothing.
func TestOtherAccount(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		v := browser("Firefox")
		first := d.byMail(v, maria)
		elsewhere := d.byMail(browser("Chrome"), maria)
		second := d.byMail(v.then(first), "ana@exemplo.com.br")
		d.ended("the session of the other account", first.Cookie)
		d.speaker(elsewhere.Cookie)
		d.speaker(second.Cookie)
		forged := first
		forged.Cookie = elsewhere.Cookie[:len(elsewhere.Cookie)-43] + strings.Repeat("x", 43)
		d.byMail(v.then(forged), "ana@exemplo.com.br")
		d.speaker(elsewhere.Cookie)
	})
}

// TestLink signs in by the link of a mail in another browser than the one that asked.
func TestLink(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		pc, phone := browser("Firefox"), browser("Safari")
		id, m := d.start(pc, maria)
		if email, err := d.Link(t.Context(), token(t, m)); email != "Maria@exemplo.com.br" || err != nil {
			t.Errorf("the link is of %q, %v", email, err)
		}
		for name, bad := range map[string]string{"no token": "", "the challenge": id, "a token cut": token(t, m)[:80]} {
			_, err := d.FinishLink(t.Context(), phone, bad)
			want(t, name, err, challenge.ErrExpired)
			_, err = d.Link(t.Context(), bad)
			want(t, name+", shown", err, challenge.ErrExpired)
		}
		phone.Locale = i18n.DE
		r := d.ok(d.FinishLink(t.Context(), phone, token(t, m)))
		if locale := d.stored(maria).Profile.Locale; locale != "en" {
			t.Errorf("the account reads %s, the mail was in English", locale)
		}
		if r.Session.Device != phone.Device || r.Return != "/canais" {
			t.Errorf("signed in: %+v", r)
		}
		_, err := d.FinishMail(t.Context(), pc, id, m.Code)
		want(t, "the code after the link", err, challenge.ErrExpired)
		_, m = d.start(pc, maria)
		d.now = d.now.Add(challenge.Mail.Life)
		_, err = d.FinishLink(t.Context(), phone, token(t, m))
		want(t, "too late", err, challenge.ErrExpired)
	})
}

// TestRefusedMail checks which addresses get no mail, and when.
func TestRefusedMail(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		for _, bad := range []string{"", "maria", "maria@", "maria@localhost", "a b@exemplo.com", strings.Repeat("x", 1<<20) + "@exemplo.com"} {
			_, err := d.StartMail(t.Context(), browser("Firefox"), bad, "")
			want(t, fmt.Sprintf("%.20q", bad), err, address.ErrInvalid)
		}
		for range throttle.MailOfAddress.Free {
			d.start(browser("Firefox"), maria)
		}
		d.post.take()
		_, err := d.StartMail(t.Context(), browser("Chrome"), strings.ToUpper(maria), "")
		want(t, "too many mails", err, throttle.ErrTooMany)
		d.post.none(t)
		d.post.err = mail.ErrNotSent
		_, err = d.StartMail(t.Context(), browser("Chrome"), "ana@exemplo.com.br", "")
		want(t, "without a mail server", err, identity.ErrUnavailable)
	})
}

// TestFamiliar checks that somebody who asks for mails again and again does not keep
// the owner of the address out of a browser in which the owner has signed in.
func TestFamiliar(t *testing.T) {
	d := newDesk(t, wiretest.OpenDB(t))
	hers := browser("Firefox")
	d.byMail(hers, maria)
	for n := range 50 {
		_, err := d.StartMail(t.Context(), browser(fmt.Sprint("bot", n)), maria, "")
		if err != nil && !errors.Is(err, throttle.ErrTooMany) {
			t.Fatal(err)
		}
		_, err = d.Password(t.Context(), browser(fmt.Sprint("bot", n)), maria, "guess", "")
		if !errors.Is(err, ErrCredentials) && !errors.Is(err, throttle.ErrTooMany) {
			t.Fatal(err)
		}
	}
	_, err := d.StartMail(t.Context(), browser("bot"), maria, "")
	want(t, "another browser", err, throttle.ErrTooMany)
	d.byMail(hers, maria)
}

// TestPassword signs in by a password.
func TestPassword(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		v := browser("Firefox")
		created := d.byMail(v, maria)
		d.byMail(v, "ana@exemplo.com.br")
		d.edit(maria, func(a *account.Account) { a.Password = "old:" + good })
		for name, try := range map[string][2]string{
			"a wrong password":          {maria, good + "x"},
			"no password":               {maria, ""},
			"the hash":                  {maria, "old:" + good},
			"an unknown address":        {"ze@exemplo.com.br", good},
			"an account without one":    {"ana@exemplo.com.br", good},
			"an account without, empty": {"ana@exemplo.com.br", ""},
		} {
			_, err := d.Password(t.Context(), v, try[0], try[1], "")
			want(t, name, err, ErrCredentials)
		}
		r := d.ok(d.Password(t.Context(), v, strings.ToLower(maria), good, "/guia"))
		if r.Account != created.Account || r.Return != "/guia" || r.Session.Method != ByPassword || r.Created {
			t.Errorf("signed in: %+v", r)
		}
		if hash := d.stored(maria).Password; hash != "new:"+good {
			t.Errorf("the hash was not made anew: %s", hash)
		}
		d.ok(d.Password(t.Context(), v, maria, good, ""))
		_, err := d.Password(t.Context(), v, "maria", good, "")
		want(t, "no address", err, address.ErrInvalid)
		for range 10 {
			_, err = d.Password(t.Context(), browser("Chrome"), maria, "guess", "")
		}
		want(t, "too many guesses", err, throttle.ErrTooMany)
		_, err = d.Password(t.Context(), browser("Opera"), maria, good, "")
		want(t, "the password after too many guesses", err, throttle.ErrTooMany)
		d.byMail(browser("Opera"), maria) // the way by mail is open
	})
}

// TestChangedMeanwhile checks that a password which was changed after it was compared
// opens no session.
func TestChangedMeanwhile(t *testing.T) {
	d := newDesk(t, wiretest.OpenDB(t))
	d.byMail(browser("Firefox"), maria)
	d.edit(maria, func(a *account.Account) { a.Password = "new:" + good })
	checked := d.stored(maria)
	d.edit(maria, func(a *account.Account) { a.Password = "new:another" })
	changed := false
	_, err := d.enter(t.Context(), &proof{visitor: browser("Firefox"), method: ByPassword, find: byPassword(checked, &changed)})
	want(t, "a password that was changed meanwhile", err, ErrCredentials)
	if !changed {
		t.Error("it does not count as changed")
	}
}

// A slowCheck lets something happen after each check of a password.
type slowCheck struct {
	*plainPasswords
	then func()
}

func (p slowCheck) Check(ctx context.Context, hash, pw string) (ok, rehash bool, err error) {
	ok, rehash, err = p.plainPasswords.Check(ctx, hash, pw)
	p.then()
	return ok, rehash, err
}

// TestRehashedMeanwhile signs in while another sign-in stores the same password with the
// current parameters: both visitors know the password.
func TestRehashedMeanwhile(t *testing.T) {
	d := newDesk(t, wiretest.OpenDB(t))
	d.byMail(browser("Firefox"), maria)
	d.edit(maria, func(a *account.Account) { a.Password = "old:" + good })
	d.o.Passwords = slowCheck{d.hashes, func() { d.edit(maria, func(a *account.Account) { a.Password = "new:" + good }) }}
	d.ok(d.Password(t.Context(), browser("Firefox"), maria, good, ""))
	d.o.Passwords = slowCheck{d.hashes, func() { d.edit(maria, func(a *account.Account) { a.Password = "new:another" }) }}
	_, err := d.Password(t.Context(), browser("Firefox"), maria, good, "")
	want(t, "a password that was changed meanwhile", err, ErrCredentials)
}

// TestSameWork counts what a sign-in costs for an account with a password, one
// without, and an address without an account: it must be the same to the document.
func TestSameWork(t *testing.T) {
	d := newDesk(t, wiretest.OpenDB(t))
	d.byMail(browser("Firefox"), maria)
	d.byMail(browser("Firefox"), "ana@exemplo.com.br")
	d.edit(maria, func(a *account.Account) { a.Password = "new:" + good })
	type work struct {
		storetest.Ops
		Hashes, Mails int
		Err           string
	}
	measure := func(f func() error) work {
		before, hashes := d.db.Ops(), d.hashes.hashes
		d.post.take()
		err := f()
		return work{d.db.Ops().Less(before), d.hashes.hashes - hashes, len(d.post.take()), fmt.Sprint(err)}
	}
	for name, c := range map[string]struct {
		want work
		call func(v Visitor, email string) error
	}{
		"a mail": {work{storetest.Ops{Reads: 2, Writes: 3, Deletes: 1}, 0, 1, "<nil>"}, func(v Visitor, email string) error {
			_, err := d.StartMail(t.Context(), v, email, "")
			return err
		}},
		"a password": {work{storetest.Ops{Reads: 4, Writes: 2}, 1, 0, "invalid_credentials"}, func(v Visitor, email string) error {
			_, err := d.Password(t.Context(), v, email, "guess", "")
			return err
		}},
	} {
		for _, email := range []string{maria, "ana@exemplo.com.br", "ze@exemplo.com.br"} {
			if diff := cmp.Diff(c.want, measure(func() error { return c.call(browser("bot"), email) })); diff != "" {
				t.Errorf("%s to %s (-want +got):\n%s", name, email, diff)
			}
		}
	}
}

// TestCosts states what a whole sign-in costs in documents.
func TestCosts(t *testing.T) {
	d := newDesk(t, wiretest.OpenDB(t))
	v := browser("Firefox")
	for _, step := range []struct {
		name string
		want storetest.Ops
	}{
		{"a new account", storetest.Ops{Reads: 6, Writes: 6, Deletes: 1}},
		{"a known account", storetest.Ops{Reads: 8, Writes: 5, Deletes: 1}},
	} {
		id, m := d.start(v, maria)
		before := d.db.Ops()
		v = v.then(d.ok(d.FinishMail(t.Context(), v, id, m.Code)))
		if diff := cmp.Diff(step.want, d.db.Ops().Less(before)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	before := d.db.Ops()
	d.speaker(v.Cookie)
	if diff := cmp.Diff(storetest.Ops{}, d.db.Ops().Less(before)); diff != "" {
		t.Errorf("the first request after it (-want +got):\n%s", diff)
	}
}

// TestOneAccount proves one new address in many browsers at once.
func TestOneAccount(t *testing.T) {
	each(t, func(t *testing.T, d *desk, writers int) {
		writers = min(writers, 20)
		sent, visitors := make([]challenge.Sent, writers), make([]Visitor, writers)
		for n := range sent {
			visitors[n] = browser(fmt.Sprint(n))
			var err error
			sent[n], err = d.challenges.StartMailed(t.Context(), challenge.Request{
				Kind: challenge.Mail, Browser: visitors[n].Browser, Subject: "maria@exemplo.com.br", Payload: pending{Email: maria},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		var group sync.WaitGroup
		results := make([]Result, writers)
		for n := range sent {
			group.Go(func() {
				var err error
				if results[n], err = d.FinishMail(t.Context(), visitors[n], sent[n].ID, sent[n].Code); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		created := 0
		for _, r := range results {
			if r.Created {
				created++
			}
			if r.Account != d.stored(maria).ID {
				t.Errorf("%s is a second account", r.Account)
			}
			d.speaker(r.Cookie)
		}
		if created != 1 {
			t.Errorf("%d accounts were made", created)
		}
	})
}

// TestRestored checks that signing in keeps an account that was to be deleted, and that its
// public library is seen again.
func TestRestored(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		v := browser("Firefox")
		d.byMail(v, maria)
		owner := d.stored(maria).ID
		l, err := library.Update(t.Context(), d.db, owner, d.now, func(l *library.Library) error {
			_, err := l.AddCategory("News")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := public.Put(t.Context(), d.db, owner, public.Draft{Name: "maria-tv", Title: "TV", Folders: []string{l.Categories[0].ID}}, d.now); err != nil {
			t.Fatal(err)
		}
		d.edit(maria, func(a *account.Account) { a.DeleteAt = store.At(d.now.Add(time.Hour)) })
		err = d.db.Update(t.Context(), func(tx store.Tx) error {
			absence, err := public.ReadAbsence(tx, owner)
			if err != nil {
				return err
			}
			return absence.Begin(tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		if r := d.byMail(v, maria); !r.Restored || r.Created {
			t.Errorf("the sign-in says %+v", r)
		}
		if a := d.stored(maria); !a.DeleteAt.IsZero() {
			t.Errorf("the account is deleted at %v", a.DeleteAt)
		}
		if _, err := public.Open(t.Context(), d.db, "maria-tv"); err != nil {
			t.Errorf("its public library: %v", err)
		}
		if r := d.byMail(v, maria); r.Restored {
			t.Error("the next sign-in says that the account was restored")
		}
	})
}

// TestNewDevice checks when the owner hears of a sign-in.
func TestNewDevice(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		pc, phone := browser("Firefox"), browser("Safari")
		d.byMail(pc, maria)
		d.edit(maria, func(a *account.Account) {
			a.Password, a.Profile.Locale, a.Profile.TimeZone = "new:"+good, "pt", "America/Sao_Paulo"
		})
		d.post.take()
		d.ok(d.Password(t.Context(), pc, maria, good, ""))
		d.post.none(t)
		d.ok(d.Password(t.Context(), phone, maria, good, ""))
		c := last[mail.NewDevice](t, d.post, "Maria@exemplo.com.br")
		if c.Event.Place.Browser != "Safari" || c.Event.At.Location().String() != "America/Sao_Paulo" || c.Security != "https://mira.example/conta/seguranca" {
			t.Errorf("the notice is %+v", c)
		}
		d.post.take()
		d.ok(d.Password(t.Context(), phone, maria, good, ""))
		d.post.none(t)

		_, m := d.start(pc, maria)
		d.post.take()
		d.ok(d.FinishLink(t.Context(), browser("Opera"), token(t, m)))
		last[mail.NewDevice](t, d.post, "Maria@exemplo.com.br")
		d.byMail(browser("Edge"), maria)
		last[mail.SignIn](t, d.post, "Maria@exemplo.com.br") // the mail with the code named the device
		d.post.err = mail.ErrNotSent
		d.ok(d.Password(t.Context(), browser("Brave"), maria, good, ""))
	})
}

// TestWithoutDatabase checks that nobody is called wrong when the database does not
// answer, and that the reason of the database is that of the fault.
func TestWithoutDatabase(t *testing.T) {
	v := browser("Firefox")
	who := identity.Speaker{Account: "a_aaaaaaaaaaaaaaaaaaaaaaaa", Owner: "a_aaaaaaaaaaaaaaaaaaaaaaaa", Session: "s", SignedInAt: time.Now()}
	db := storetest.NewSwitch(storetest.Broken())
	d := newDesk(t, db)
	calls := map[string]func() error{
		"StartMail":  func() error { _, err := d.StartMail(t.Context(), v, maria, ""); return err },
		"FinishMail": func() error { _, err := d.FinishMail(t.Context(), v, "id", "123456"); return err },
		"FinishLink": func() error { _, err := d.FinishLink(t.Context(), v, "token"); return err },
		"Password":   func() error { _, err := d.Password(t.Context(), v, maria, good, ""); return err },
		"Factor":     func() error { _, err := d.Factor(t.Context(), v, strings.Repeat("x", 43), "123456"); return err },
		"Passkey": func() error {
			_, err := d.Passkey(t.Context(), v, who.Account, "", func(*account.Account) error { return nil })
			return err
		},
		"Link": func() error {
			_, err := d.Link(t.Context(), strings.Repeat("x", 43)+"."+strings.Repeat("x", 43))
			return err
		},
	}
	for name, change := range d.changes(v) {
		calls[name] = func() error { return change(who) }
	}
	for _, outage := range []error{storetest.ErrBroken, store.ErrFull} {
		db.OffBecause(outage)
		_, known := errors.AsType[*fault.Outage](outage)
		for name, call := range calls {
			err := call()
			want(t, name, err, identity.ErrUnavailable)
			if reason := fault.From(err).Fields["reason"]; known != (reason == "storage_full") {
				t.Errorf("%s: %v has the reason %v", name, outage, reason)
			}
		}
	}
}

// TestPasskey signs in by a passkey, which counts as both factors.
func TestPasskey(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		v, refused := browser("Firefox"), errors.New("refused")
		first := d.byMail(v, maria)
		id := first.Account
		d.edit(maria, func(a *account.Account) { a.Recovery = []string{"one"} })
		_, err := d.Passkey(t.Context(), v, id, "", func(*account.Account) error { return refused })
		want(t, "a refused passkey", err, refused)
		_, err = d.Passkey(t.Context(), v, "a_bbbbbbbbbbbbbbbbbbbbbbbb", "", func(a *account.Account) error {
			if a.Email != "" || len(a.Passkeys) > 0 {
				t.Errorf("an account that does not exist is %+v", a)
			}
			return refused
		})
		want(t, "of no account", err, refused)
		_, err = d.Passkey(t.Context(), v, "a_bbbbbbbbbbbbbbbbbbbbbbbb", "", func(*account.Account) error { return nil })
		want(t, "of no account, accepted", err, identity.ErrEnded)
		r := d.ok(d.Passkey(t.Context(), v.then(first), id, "/guia", func(a *account.Account) error {
			a.Recovery = nil
			return nil
		}))
		if r.Session.Method != ByPasskey || !d.speaker(r.Cookie).SecondFactor || r.Return != "/guia" || len(d.stored(maria).Recovery) != 0 {
			t.Errorf("signed in: %+v", r)
		}
		d.ended("the session before", first.Cookie)
	})
}

// sessions returns the sessions that an account has.
func (d *desk) sessions(email string) []access.Session {
	d.t.Helper()
	var r access.Record
	if err := d.db.Get(d.t.Context(), access.Path(d.stored(email).ID), &r); err != nil {
		d.t.Fatal(err)
	}
	return r.Live(d.now)
}
