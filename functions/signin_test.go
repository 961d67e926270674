package functions

import (
	"encoding/base32"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail/folder"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
)

// signIn returns what gives a browser a session of an account in db, as a sign-in by
// mail does. A name is the account of the address name@example.com, which is made
// when it is new.
func signIn(db store.DB) apitest.SignIn {
	return func(t testing.TB, name string) *http.Cookie {
		t.Helper()
		var cookie *http.Cookie
		err := db.Update(t.Context(), func(tx store.Tx) error {
			email := name + "@example.com"
			id, known, err := account.Find(tx, email)
			if err != nil {
				return err
			}
			made := account.New(email, email, account.Profile{Theme: "system"}, noon)
			if !known {
				id = made.ID
			}
			r, err := access.Get(tx, id)
			if err != nil {
				return err
			}
			value, s := r.Open(access.SignIn{Method: "mail"}, noon)
			cookie = credential.SessionCookie(value, s.EndsAt.Time)
			if !known {
				err = account.Create(tx, made)
			}
			return errors.Join(err, access.Put(tx, r))
		})
		if err != nil {
			t.Fatal(err)
		}
		return cookie
	}
}

// withMails returns h with the mails in a folder: GET /-/mail?to= answers with the last
// one to an address, so that scripts can go on with its code or its link.
func withMails(h http.Handler, dir string) http.Handler {
	m := http.NewServeMux()
	m.Handle("/", h)
	m.HandleFunc("GET /-/mail", func(w http.ResponseWriter, r *http.Request) {
		var last folder.Kept
		var written time.Time
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			kept, err := folder.Read(dir, f.Name())
			info, errInfo := f.Info()
			if err == nil && errInfo == nil && kept.To == r.FormValue("to") && !info.ModTime().Before(written) {
				last, written = kept, info.ModTime()
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(last)
	})
	return m
}

// TestSignInByTwoFactors signs in by a password and a code of an authenticator app, as
// the pages do.
func TestSignInByTwoFactors(t *testing.T) {
	p := deps(t, openEmbedded(t), collect.Place{})
	h := withMails(mux(t, p), p.Config.MailFolder)
	b := apitest.NewBrowser(t, h)
	post := func(path, body string) (answer struct {
		Status, Challenge, Code string
		Factors                 []string
	}) {
		t.Helper()
		if res, text := b.Do("POST", path, body); res.StatusCode != http.StatusOK || json.Unmarshal([]byte(text), &answer) != nil {
			t.Fatalf("POST %s: %d %s", path, res.StatusCode, text)
		}
		return answer
	}
	started := post("/api/auth/email/start", `{"email":"flora@example.com"}`)
	var kept folder.Kept
	if _, text := b.Do("GET", "/-/mail?to=flora@example.com", ""); json.Unmarshal([]byte(text), &kept) != nil {
		t.Fatal(text)
	}
	post("/api/auth/email/finish", `{"challenge":"`+started.Challenge+`","code":"`+kept.Code+`"}`)
	first := b.Cookie("__Host-mm-auth")

	who, err := p.Access.Session(t.Context(), first, "")
	if err != nil {
		t.Fatal(err)
	}
	v := signin.Visitor{Browser: "another", Locale: i18n.EN}
	if _, err := p.SignIn.SetPassword(t.Context(), who, v, "três pratos de trigo"); err != nil {
		t.Fatal(err)
	}
	enrolment, err := p.SignIn.StartApp(t.Context(), who, v)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(enrolment.Secret)
	if err != nil {
		t.Fatal(err)
	}
	code := func(step time.Duration) string { return factor.Secret(secret).Code(noon.Add(step * 30 * time.Second)) }
	if _, _, err := p.SignIn.FinishApp(t.Context(), who, v, enrolment.Challenge, code(0)); err != nil {
		t.Fatal(err)
	}
	if res, _ := b.Do("GET", "/api/me", ""); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the cookie before the changes answers %d", res.StatusCode)
	}

	pending := post("/api/auth/password", `{"email":"flora@example.com","password":"três pratos de trigo"}`)
	if diff := cmp.Diff([]string{"app", "recovery"}, pending.Factors); pending.Status != "second_factor" || diff != "" {
		t.Fatalf("the password yields %+v", pending)
	}
	if b.Cookie("__Host-mm-auth") != first {
		t.Error("the password alone sets a cookie")
	}
	if done := post("/api/auth/factor", `{"challenge":"`+pending.Challenge+`","code":"`+code(1)+`"}`); done.Status != "signed_in" {
		t.Errorf("the code yields %+v", done)
	}
	if res, text := b.Do("GET", "/api/me", ""); res.StatusCode != http.StatusOK || !strings.Contains(text, "flora@example.com") {
		t.Errorf("signed in: %d %s", res.StatusCode, text)
	}
}
