package functions

import (
	"errors"
	"net/http"
	"testing"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/credential"
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
