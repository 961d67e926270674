package signin

import (
	"encoding/base32"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/account/password"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

// changes are the changes that a caller can make, each by one call.
func (d *desk) changes(v Visitor) map[string]func(identity.Speaker) error {
	ctx := d.t.Context()
	return map[string]func(identity.Speaker) error{
		"SetPassword":    func(who identity.Speaker) error { _, err := d.SetPassword(ctx, who, v, good); return err },
		"RemovePassword": func(who identity.Speaker) error { _, err := d.RemovePassword(ctx, who, v); return err },
		"StartEmailChange": func(who identity.Speaker) error {
			_, err := d.StartEmailChange(ctx, who, v, "m@exemplo.com")
			return err
		},
		"FinishEmailChange": func(who identity.Speaker) error {
			_, err := d.FinishEmailChange(ctx, who, v, "id", "123456")
			return err
		},
		"StartApp":  func(who identity.Speaker) error { _, err := d.StartApp(ctx, who, v); return err },
		"FinishApp": func(who identity.Speaker) error { _, _, err := d.FinishApp(ctx, who, v, "id", "123456"); return err },
		"RemoveApp": func(who identity.Speaker) error { _, err := d.RemoveApp(ctx, who, v); return err },
		"AddPasskey": func(who identity.Speaker) error {
			_, err := d.AddPasskey(ctx, who, v, passkey.Credential{ID: []byte("one")})
			return err
		},
		"RemovePasskey": func(who identity.Speaker) error { _, err := d.RemovePasskey(ctx, who, v, "ref"); return err },
		"SetTwoStep":    func(who identity.Speaker) error { _, _, err := d.SetTwoStep(ctx, who, v, true); return err },
		"NewRecovery":   func(who identity.Speaker) error { _, _, err := d.NewRecovery(ctx, who, v); return err },
	}
}

// TestChangesNeed checks which sessions may change what protects an account.
func TestChangesNeed(t *testing.T) {
	d := newDesk(t, wiretest.OpenDB(t))
	v := browser("Firefox")
	r := d.byMail(v, maria)
	fresh := d.speaker(r.Cookie)
	other := fresh
	other.Session = d.byMail(browser("Chrome"), "ana@exemplo.com.br").Session.ID
	stale := fresh
	stale.SignedInAt = d.now.Add(-access.Recent)
	for name, change := range d.changes(v) {
		want(t, name+" as a guest", change(identity.Speaker{Owner: "g_1", Guest: true}), identity.ErrCredential)
		want(t, name+" by an API key", change(identity.Speaker{Owner: r.Account, Account: r.Account}), identity.ErrCredential)
		want(t, name+" long after the sign-in", change(stale), identity.ErrReauth)
	}
	d.now = d.now.Add(access.Recent)
	late := fresh
	late.SignedInAt, other.SignedInAt = d.now, d.now // the caller says so, what is stored does not
	for name, change := range d.changes(v) {
		if strings.HasPrefix(name, "Start") || strings.HasPrefix(name, "Finish") {
			continue // they change no account
		}
		want(t, name+" long after the stored sign-in", change(late), identity.ErrReauth)
		want(t, name+" by the session of another account", change(other), identity.ErrEnded)
	}
	r = d.byMail(v, maria)
	d.edit(maria, func(a *account.Account) { a.TOTP = &factor.Authenticator{} })
	for name, change := range d.changes(v) {
		if strings.HasPrefix(name, "Start") || strings.HasPrefix(name, "Finish") {
			continue
		}
		want(t, name+" without the second factor", change(d.speaker(r.Cookie)), identity.ErrReauth)
	}
	if a := d.stored(maria); a.Password != "" || len(a.Passkeys) != 0 || a.TOTP == nil {
		t.Errorf("the account was changed: %+v", a)
	}
}

// TestSetPassword checks that a new password ends the other sessions and stops the
// keys that the account made, also those of its organizations.
func TestSetPassword(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		v := browser("Firefox")
		elsewhere, here := d.byMail(browser("Chrome"), maria), d.byMail(v, maria)
		var key string
		_, err := access.Update(t.Context(), d.db, here.Account, func(r *access.Record) (err error) {
			key, _, err = r.AddKey("one", here.Account, d.now)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		keys := []string{key, d.organizationKey(here.Account)}
		for _, key := range keys {
			if _, err := d.checker.Key(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		for pw, reason := range map[string]string{"short": password.TooShort, "password1": password.Common, "Maria@exemplo": password.Context} {
			_, err := d.SetPassword(t.Context(), d.speaker(here.Cookie), v, pw)
			want(t, pw, err, password.ErrWeak)
			if got := fault.From(err).Fields["reason"]; got != reason {
				t.Errorf("%s is refused as %v, want %s", pw, got, reason)
			}
		}
		d.post.take()
		cookie := d.text(d.SetPassword(t.Context(), d.speaker(here.Cookie), v, good))
		if last[mail.FactorAdded](t, d.post, "Maria@exemplo.com.br").Factor != mail.Password {
			t.Error("the notice names another factor")
		}
		d.ended("the cookie before", here.Cookie)
		d.ended("another session", elsewhere.Cookie)
		for n, key := range keys {
			if _, err := d.checker.Key(t.Context(), key); !errors.Is(err, identity.ErrCredential) {
				t.Errorf("key %d is not stopped: %v", n, err)
			}
		}
		if who := d.speaker(cookie); who.Session != here.Session.ID {
			t.Errorf("the session became %s", who.Session)
		}
		d.ok(d.Password(t.Context(), v, maria, good, ""))
		cookie = d.text(d.SetPassword(t.Context(), d.speaker(cookie), v, good+"!"))
		last[mail.PasswordChanged](t, d.post, "Maria@exemplo.com.br")
		_, err = d.Password(t.Context(), v, maria, good, "")
		want(t, "the password before", err, ErrCredentials)

		d.text(d.RemovePassword(t.Context(), d.speaker(cookie), v))
		last[mail.FactorRemoved](t, d.post, "Maria@exemplo.com.br")
		_, err = d.Password(t.Context(), v, maria, good+"!", "")
		want(t, "a removed password", err, ErrCredentials)
	})
}

// organizationKey makes an account the administrator of an organization and returns a
// key of the organization that the account made.
func (d *desk) organizationKey(maker identity.Owner) (key string) {
	d.t.Helper()
	o := &access.Record{Owner: identity.NewOwner(identity.Organization)}
	var err error
	if key, _, err = o.AddKey("shared", maker, d.now); err == nil {
		err = d.db.Update(d.t.Context(), func(tx store.Tx) error {
			r, err := access.Get(tx, maker)
			if err != nil {
				return err
			}
			r.Memberships = append(r.Memberships, access.Membership{Organization: o.Owner, Role: access.Administrator})
			return access.PutAll(tx, []*access.Record{r, o})
		})
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return key
}

// TestChangeThrottled checks that an account is not changed again and again.
func TestChangeThrottled(t *testing.T) {
	d := newDesk(t, wiretest.OpenDB(t))
	v := browser("Firefox")
	cookie := d.byMail(v, maria).Cookie
	for range throttle.ChangeOfAccount.Free {
		cookie = d.text(d.SetPassword(t.Context(), d.speaker(cookie), v, good))
	}
	_, err := d.SetPassword(t.Context(), d.speaker(cookie), v, good)
	want(t, "once more", err, throttle.ErrTooMany)
}

// TestEmailChange gives an account another address.
func TestEmailChange(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		v := browser("Firefox")
		d.byMail(browser("Chrome"), "ana@exemplo.com.br")
		r := d.byMail(v, maria)
		who := func() identity.Speaker { t.Helper(); return d.speaker(r.Cookie) }
		start := func(to string) (id, code string) {
			t.Helper()
			id = d.text(d.StartEmailChange(t.Context(), who(), v, to))
			return id, last[mail.ChangeEmail](t, d.post, to).Code
		}
		id, code := start("ana@exemplo.com.br") // the mail does not say that it is taken
		_, err := d.FinishEmailChange(t.Context(), who(), v, id, code)
		want(t, "an address of another account", err, account.ErrTaken)

		id, code = start("nova@exemplo.com.br")
		_, err = d.FinishEmailChange(t.Context(), who(), v, id, wrong(code))
		want(t, "a wrong code", err, challenge.ErrWrong)
		_, err = d.FinishEmailChange(t.Context(), who(), browser("Opera"), id, code)
		want(t, "in another browser", err, challenge.ErrExpired)
		_, err = d.FinishMail(t.Context(), v, id, code)
		want(t, "to sign in", err, challenge.ErrExpired)
		d.post.take()
		cookie := d.text(d.FinishEmailChange(t.Context(), who(), v, id, code))
		last[mail.EmailChanged](t, d.post, "Maria@exemplo.com.br")
		d.ended("the cookie before", r.Cookie)
		if a := d.stored("nova@exemplo.com.br"); a.ID != r.Account || a.Email != "nova@exemplo.com.br" || d.speaker(cookie).Account != a.ID {
			t.Errorf("the account is %+v", a)
		}
		if r := d.byMail(browser("Edge"), maria); !r.Created {
			t.Error("the address before still leads to the account")
		}

		// The code of one account does not rename another, whose session the browser has by now.
		r.Cookie = cookie
		id, code = start("outra@exemplo.com.br")
		r = d.byMail(v, "ze@exemplo.com.br")
		_, err = d.FinishEmailChange(t.Context(), who(), v, id, code)
		want(t, "as another account", err, challenge.ErrExpired)
	})
}

// codeOf returns the code of an enrolment at the present time of d.
func (d *desk) codeOf(e Enrolment) string {
	d.t.Helper()
	a, err := url.Parse(e.URL)
	if err != nil || a.Query().Get("secret") != e.Secret || a.Query().Get("issuer") != "Miramundo" {
		d.t.Fatalf("the enrolment is %+v, %v", e, err)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(e.Secret)
	if err != nil {
		d.t.Fatal(err)
	}
	return factor.Secret(secret).Code(d.now)
}

// withApp adds an authenticator app to the account of a session, and returns it with
// the recovery codes and the new cookie.
func (d *desk) withApp(v Visitor, cookie string) (e Enrolment, recovery []string, after string) {
	d.t.Helper()
	e, err := d.StartApp(d.t.Context(), d.speaker(cookie), v)
	if err != nil {
		d.t.Fatal(err)
	}
	recovery, after, err = d.FinishApp(d.t.Context(), d.speaker(cookie), v, e.Challenge, d.codeOf(e))
	if err != nil {
		d.t.Fatal(err)
	}
	return e, recovery, after
}

// TestApp adds an authenticator app, signs in by it and by recovery codes, and removes
// it.
func TestApp(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		v := browser("Firefox")
		cookie := d.byMail(v, maria).Cookie
		e, err := d.StartApp(t.Context(), d.speaker(cookie), v)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := d.App(t.Context(), d.speaker(cookie), v, e.Challenge); err != nil || again != e {
			t.Errorf("shown again: %+v, %v", again, err)
		}
		_, err = d.App(t.Context(), d.speaker(cookie), browser("Opera"), e.Challenge)
		want(t, "shown to another browser", err, challenge.ErrExpired)
		_, _, err = d.FinishApp(t.Context(), d.speaker(cookie), v, e.Challenge, wrong(d.codeOf(e)))
		want(t, "a wrong code", err, challenge.ErrWrong)
		d.post.take()
		recovery, after, err := d.FinishApp(t.Context(), d.speaker(cookie), v, e.Challenge, d.codeOf(e))
		if err != nil || len(recovery) != factor.RecoveryCodes {
			t.Fatalf("%d recovery codes, %v", len(recovery), err)
		}
		if last[mail.FactorAdded](t, d.post, "Maria@exemplo.com.br").Factor != mail.App || !d.speaker(after).SecondFactor {
			t.Error("the notice or the session is not right")
		}
		d.ended("the cookie before", cookie)
		text, _ := json.Marshal(d.stored(maria))
		for _, secret := range append(recovery, e.Secret) {
			if strings.Contains(string(text), secret) {
				t.Errorf("the account holds %s: %s", secret, text)
			}
		}
		_, err = d.StartApp(t.Context(), d.speaker(after), v)
		want(t, "another app", err, ErrHasApp)

		first := d.byMail(v, maria)
		if first.Cookie != "" || first.Account != "" || first.Email != "" || !slices.Equal(first.Factors, []Factor{App, Recovery}) {
			t.Fatalf("the first factor yields %+v", first)
		}
		_, err = d.Factor(t.Context(), browser("Opera"), first.Challenge, d.codeOf(e))
		want(t, "in another browser", err, challenge.ErrExpired)
		_, err = d.Factor(t.Context(), v, first.Challenge, d.codeOf(e))
		want(t, "the code that added the app", err, challenge.ErrWrong)
		d.now = d.now.Add(30 * time.Second)
		d.post.take()
		r := d.ok(d.Factor(t.Context(), v, first.Challenge, d.codeOf(e)))
		if !d.speaker(r.Cookie).SecondFactor || r.Session.Method != ByMail || r.Return != "/canais" {
			t.Errorf("signed in: %+v", r)
		}
		d.post.none(t)
		_, err = d.Factor(t.Context(), v, first.Challenge, recovery[0])
		want(t, "the challenge again", err, challenge.ErrExpired)

		first = d.byMail(v, maria)
		d.post.take()
		d.ok(d.Factor(t.Context(), browser("Firefox"), first.Challenge, strings.ToUpper(recovery[3])))
		if c := last[mail.RecoveryUsed](t, d.post, "Maria@exemplo.com.br"); c.Left != factor.RecoveryCodes-1 {
			t.Errorf("the notice says that %d are left", c.Left)
		}
		first = d.byMail(v, maria)
		_, err = d.Factor(t.Context(), v, first.Challenge, recovery[3])
		want(t, "a used recovery code", err, challenge.ErrWrong)

		d.text(d.RemoveApp(t.Context(), d.speaker(r.Cookie), v))
		if a := d.stored(maria); a.NeedsFactor() || len(a.Recovery) != 0 || d.byMail(v, maria).Cookie == "" {
			t.Errorf("the account still has %+v", a)
		}
	})
}

// TestFactorThrottled checks that codes cannot be guessed by starting over.
func TestFactorThrottled(t *testing.T) {
	d := newDesk(t, wiretest.OpenDB(t))
	v := browser("Firefox")
	e, recovery, cookie := d.withApp(v, d.byMail(v, maria).Cookie)
	d.now = d.now.Add(30 * time.Second)
	for range throttle.FactorOfAccount.Free {
		d.now = d.now.Add(throttle.MaxWait) // for the mails
		_, err := d.Factor(t.Context(), v, d.byMail(v, maria).Challenge, wrong(d.codeOf(e)))
		want(t, "a wrong code", err, challenge.ErrWrong)
	}
	pending, err := d.askFactor(t.Context(), &proof{visitor: v, method: ByMail}, d.stored(maria))
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Factor(t.Context(), v, pending.Challenge, recovery[0])
	want(t, "a recovery code after too many", err, throttle.ErrTooMany)
	d.speaker(cookie) // sessions go on
	d.now = d.now.Add(throttle.FactorOfAccount.First)
	d.ok(d.Factor(t.Context(), v, pending.Challenge, recovery[0]))
}

// TestTwoStep asks for a passkey after a code by mail.
func TestTwoStep(t *testing.T) {
	each(t, func(t *testing.T, d *desk, _ int) {
		v := browser("Firefox")
		cookie := d.byMail(v, maria).Cookie
		_, _, err := d.SetTwoStep(t.Context(), d.speaker(cookie), v, true)
		want(t, "without a passkey", err, ErrNoFactor)
		_, _, err = d.NewRecovery(t.Context(), d.speaker(cookie), v)
		want(t, "recovery codes without a factor", err, ErrNoFactor)
		key := passkey.Credential{ID: []byte("one"), Name: "Phone", CreatedAt: store.At(d.now)}
		cookie = d.text(d.AddPasskey(t.Context(), d.speaker(cookie), v, key))
		_, err = d.AddPasskey(t.Context(), d.speaker(cookie), v, key)
		want(t, "the same passkey again", err, passkey.ErrInvalid)
		if r := d.byMail(browser("Chrome"), maria); r.Cookie == "" {
			t.Error("a passkey alone is asked for after a code")
		}
		codes, cookie, err := d.SetTwoStep(t.Context(), d.speaker(cookie), v, true)
		if err != nil || len(codes) != factor.RecoveryCodes {
			t.Fatalf("%d recovery codes, %v", len(codes), err)
		}
		first := d.byMail(browser("Chrome"), maria)
		if first.Cookie != "" || !slices.Equal(first.Factors, []Factor{Passkey, Recovery}) {
			t.Errorf("the first factor yields %+v", first)
		}
		newer, cookie, err := d.NewRecovery(t.Context(), d.speaker(cookie), v)
		if err != nil || len(newer) != factor.RecoveryCodes {
			t.Fatalf("%d recovery codes, %v", len(newer), err)
		}
		_, err = d.Factor(t.Context(), browser("Chrome"), first.Challenge, codes[0])
		want(t, "a recovery code that was replaced", err, challenge.ErrWrong)
		d.ok(d.Factor(t.Context(), browser("Chrome"), first.Challenge, newer[0]))
		if len(d.sessions(maria)) != 3 {
			t.Errorf("sessions: %+v", d.sessions(maria))
		}
		_, err = d.RemovePasskey(t.Context(), d.speaker(cookie), v, "ref")
		want(t, "another passkey", err, passkey.ErrUnknown)
		d.text(d.RemovePasskey(t.Context(), d.speaker(cookie), v, key.Ref()))
		if a := d.stored(maria); a.TwoStep || len(a.Recovery) != 0 || len(a.Passkeys) != 0 {
			t.Errorf("the account still has %+v", a)
		}
	})
}

// TestTwoStepOff switches the second step off again.
func TestTwoStepOff(t *testing.T) {
	d := newDesk(t, wiretest.OpenDB(t))
	v := browser("Firefox")
	cookie := d.text(d.AddPasskey(t.Context(), d.speaker(d.byMail(v, maria).Cookie), v, passkey.Credential{ID: []byte("one")}))
	for _, on := range []bool{true, false} {
		var err error
		if _, cookie, err = d.SetTwoStep(t.Context(), d.speaker(cookie), v, on); err != nil {
			t.Fatal(err)
		}
	}
	if a := d.stored(maria); a.NeedsFactor() || len(a.Passkeys) != 1 || len(a.Recovery) != 0 {
		t.Errorf("the account has %+v", a)
	}
}
