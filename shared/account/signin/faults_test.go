package signin

import (
	"fmt"
	"testing"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// A step is a call of the service whose database may fail. prepare makes what it needs,
// for an address that no other step has, and returns the call and a check of what is
// stored after the call has failed; the check may be nil.
type step struct {
	name    string
	prepare func(d *desk, v Visitor, email string) (call func() error, check func() error)
}

// steps are the calls that change something.
var steps = []step{
	{"StartMail", func(d *desk, v Visitor, email string) (func() error, func() error) {
		return func() error { _, err := d.StartMail(d.t.Context(), v, email, ""); return err }, nil
	}},
	{"FinishMail", func(d *desk, v Visitor, email string) (func() error, func() error) {
		id, m := d.start(v, email)
		return func() error { _, err := d.FinishMail(d.t.Context(), v, id, m.Code); return err }, func() error { return d.wholeOrNothing(email) }
	}},
	{"Password", func(d *desk, v Visitor, email string) (func() error, func() error) {
		d.byMail(v, email)
		d.edit(email, func(a *account.Account) { a.Password = "old:" + good })
		return func() error { _, err := d.Password(d.t.Context(), v, email, good, ""); return err }, nil
	}},
	{"Factor", func(d *desk, v Visitor, email string) (func() error, func() error) {
		_, recovery, _ := d.withApp(v, d.byMail(v, email).Cookie)
		first := d.byMail(v, email)
		sessions := len(d.sessions(email))
		call := func() error { _, err := d.Factor(d.t.Context(), v, first.Challenge, recovery[0]); return err }
		return call, func() error {
			if left := len(d.stored(email).Recovery); left == factor.RecoveryCodes-1 && len(d.sessions(email)) == sessions {
				return fmt.Errorf("a recovery code was used up without a session")
			}
			return nil
		}
	}},
	{"SetPassword", func(d *desk, v Visitor, email string) (func() error, func() error) {
		here := d.byMail(v, email).Cookie
		elsewhere := d.byMail(browser("Chrome"), email).Cookie
		call := func() error { _, err := d.SetPassword(d.t.Context(), d.speaker(here), v, good); return err }
		return call, func() error {
			if _, err := access.NewChecker(d.db, d.o.Now).Session(d.t.Context(), elsewhere, ""); (err == nil) != (d.stored(email).Password == "") {
				return fmt.Errorf("the password is %q, and the other session: %w", d.stored(email).Password, err)
			}
			return nil
		}
	}},
	{"FinishEmailChange", func(d *desk, v Visitor, email string) (func() error, func() error) {
		here := d.byMail(v, email).Cookie
		id := d.text(d.StartEmailChange(d.t.Context(), d.speaker(here), v, "new-"+email))
		code := last[mail.ChangeEmail](d.t, d.post, "new-"+email).Code
		call := func() error { _, err := d.FinishEmailChange(d.t.Context(), d.speaker(here), v, id, code); return err }
		return call, func() error {
			old, _, _ := account.Lookup(d.t.Context(), d.db, email)
			changed, _, _ := account.Lookup(d.t.Context(), d.db, "new-"+email)
			if (old == "") == (changed == "") {
				return fmt.Errorf("the addresses are of %q and %q", old, changed)
			}
			return nil
		}
	}},
	{"FinishApp", func(d *desk, v Visitor, email string) (func() error, func() error) {
		here := d.byMail(v, email).Cookie
		e, err := d.StartApp(d.t.Context(), d.speaker(here), v)
		if err != nil {
			d.t.Fatal(err)
		}
		call := func() error {
			_, _, err := d.FinishApp(d.t.Context(), d.speaker(here), v, e.Challenge, d.codeOf(e))
			return err
		}
		return call, func() error {
			if a := d.stored(email); (a.TOTP == nil) != (len(a.Recovery) == 0) {
				return fmt.Errorf("an app %v with %d recovery codes", a.TOTP, len(a.Recovery))
			}
			return nil
		}
	}},
}

// wholeOrNothing returns an error when there is a part of an account of an address.
func (d *desk) wholeOrNothing(email string) error {
	id, found, err := account.Lookup(d.t.Context(), d.db, email)
	if err != nil || !found {
		return err
	}
	_, err = account.Load(d.t.Context(), d.db, id)
	if r, _ := access.Load(d.t.Context(), d.db, id); err == nil && r.Revision == 0 {
		err = fmt.Errorf("the account has no access record")
	}
	return err
}

// TestEachCallFails lets each call of the database fail in turn, before and after it is
// done, in each step of signing in and changing an account. Nobody is called wrong, what
// is stored is as before the step or as after it, and starting over succeeds.
func TestEachCallFails(t *testing.T) {
	for _, s := range steps {
		for _, done := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, done %t", s.name, done), func(t *testing.T) { failEach(t, s, done) })
		}
	}
}

func failEach(t *testing.T, s step, done bool) {
	faulty := storetest.NewFaulty(wiretest.OpenDB(t))
	d := newDesk(t, faulty)
	for n := 1; ; n++ {
		email := fmt.Sprintf("maria%d@exemplo.com.br", n)
		d.now = d.now.Add(time.Hour) // so that nothing waits
		call, check := s.prepare(d, browser(fmt.Sprint("Firefox ", n)), email)
		faulty.Fail(n, done)
		err := call()
		failed := faulty.Failed()
		faulty.Fail(0, false)
		if !failed {
			if err != nil || n == 1 {
				t.Errorf("without a failure the step ends with %v after %d calls", err, n-1)
			}
			return
		}
		if err != nil && fault.From(err).Kind != fault.Unavailable {
			t.Errorf("call %d failed, and the visitor gets %v", n, err)
		}
		if check != nil {
			if err := check(); err != nil {
				t.Errorf("call %d failed: %v", n, err)
			}
		}
	}
}

// TestConflicts runs every transaction twice, as a backend does after a conflict: what
// the first run left in memory must not count.
func TestConflicts(t *testing.T) {
	faulty := storetest.NewFaulty(wiretest.OpenDB(t))
	faulty.Twice = true
	d := newDesk(t, faulty)
	for n, s := range steps {
		d.now = d.now.Add(time.Hour)
		call, _ := s.prepare(d, browser(s.name), fmt.Sprintf("maria%d@exemplo.com.br", n))
		if err := call(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	var kinds []identity.Kind
	for doc, err := range d.db.Query(t.Context(), store.Query{Collection: "accounts"}) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, identity.KindOf(identity.Owner(doc.ID)))
	}
	if len(kinds) != len(steps)-1 { // StartMail makes none
		t.Errorf("%d accounts of %d addresses", len(kinds), len(steps)-1)
	}
}

// TestFactorOnce sends one code of an app, and then one recovery code, from several
// browsers at once: each opens one session.
func TestFactorOnce(t *testing.T) {
	each(t, func(t *testing.T, d *desk, writers int) {
		v := browser("Firefox")
		e, recovery, _ := d.withApp(v, d.byMail(v, maria).Cookie)
		for name, code := range map[string]string{"the app": "", "recovery": recovery[0]} {
			d.now = d.now.Add(throttle.FactorOfAccount.Forget)
			if code == "" {
				code = d.codeOf(e)
			}
			before := len(d.sessions(maria))
			opened := make(chan error)
			crowd := min(writers, throttle.FactorOfAccount.Free-1)
			for n := range crowd {
				v := browser(fmt.Sprint(name, n))
				first, err := d.askFactor(t.Context(), &proof{visitor: v, method: ByMail}, d.stored(maria))
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					_, err := d.Factor(t.Context(), v, first.Challenge, code)
					opened <- err
				}()
			}
			ok := 0
			for range crowd {
				if err := <-opened; err == nil {
					ok++
				} else {
					want(t, name, err, challenge.ErrWrong)
				}
			}
			if after := len(d.sessions(maria)); ok != 1 || after != before+1 {
				t.Errorf("%s: %d of %d calls succeed, and the account has %d sessions after %d", name, ok, crowd, after, before)
			}
		}
	})
}
