package functions

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
)

// A visit is what a browser has of an instance that it talked to: the token of a
// guest, and of an account the cookies with the token of the pages.
type visit struct {
	guest, session, boot, csrf string
}

// An answered is the answer to a request: what is said by POST /api/guest, and by GET
// /api/auth/bootstrap.
type answered struct {
	Token         string
	CSRF, Context string
	status        int
	cookies       []*http.Cookie
}

// send sends a request as the page of the session, or else as the guest.
func (v visit) send(t *testing.T, h http.Handler, method, path string, session bool) (answer answered) {
	t.Helper()
	r := httptest.NewRequest(method, path, http.NoBody)
	if session {
		r.Header.Set("Origin", testConfig.BaseURL)
		r.Header.Set("X-CSRF-Token", v.csrf)
		r.AddCookie(&http.Cookie{Name: "__Host-mm-auth", Value: v.session})
		if v.boot != "" {
			r.AddCookie(&http.Cookie{Name: "__Host-mm-boot", Value: v.boot})
		}
	} else if v.guest != "" {
		r.Header.Set("X-Guest-Token", v.guest)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	answer.status, answer.cookies = w.Code, w.Result().Cookies()
	return answer
}

// TestRollingDeployment replaces the keys of guests and of accounts in the steps of
// docs/keys.md, beginning with settings of one secret. In each step one instance has
// the settings before it and another those after it. Both accept every guest, and
// every write of a page, that either of them or an instance of an earlier step
// prepared.
func TestRollingDeployment(t *testing.T) {
	d := deps(t, openEmbedded(t), fixture)
	session := openSession(t, d.DB)
	instance := func(form string) http.Handler {
		fill := func(secret string) string {
			return strings.NewReplacer("ONE", secret, "TWO", secret+"; the second").Replace(form)
		}
		with := *d
		with.Config.GuestKeys = keyringtest.Ring(fill(guestSecret))
		with.Config.AccountKeys = keyringtest.Ring(fill(accountSecret))
		return mux(t, &with)
	}
	steps := []string{"ONE", "first:ONE", "first:ONE,next:TWO", "next:TWO,first:ONE"}
	var visits []visit
	for i := 1; i < len(steps); i++ {
		instances := map[string]http.Handler{"before": instance(steps[i-1]), "after": instance(steps[i])}
		for _, h := range instances {
			visits = append(visits, visitTo(t, h, session))
		}
		for name, h := range instances {
			for n, v := range visits {
				if got := v.send(t, h, "GET", "/api/library", false); got.status != http.StatusOK {
					t.Errorf("step %d, the instance %s it: guest %d is answered %d", i, name, n, got.status)
				}
				if got := v.send(t, h, "POST", "/api/library/feed-token", true); got.status != http.StatusOK {
					t.Errorf("step %d, the instance %s it: a write of page %d is answered %d", i, name, n, got.status)
				}
			}
		}
		contexts := map[string]bool{}
		for _, h := range instances {
			contexts[visits[0].send(t, h, "GET", "/api/auth/bootstrap", true).Context] = true
		}
		if len(contexts) != 1 {
			t.Errorf("step %d: the instances name one view %v", i, contexts)
		}
	}
	// Putting a new key in front at once is the mistake that the steps avoid.
	hasty := visitTo(t, instance("other:TWO"), session)
	if got := hasty.send(t, instance("first:ONE"), "GET", "/api/library", false); got.status != http.StatusUnauthorized {
		t.Errorf("a guest of a key that an instance does not have is answered %d", got.status)
	}
	if got := hasty.send(t, instance("first:ONE"), "POST", "/api/library/feed-token", true); got.status != http.StatusForbidden {
		t.Errorf("a page of a key that an instance does not have is answered %d", got.status)
	}
}

// openSession stores an account with one session, and returns the session's cookie.
func openSession(t *testing.T, db store.DB) (cookie string) {
	t.Helper()
	owner := identity.NewOwner(identity.Person)
	err := db.Update(t.Context(), func(tx store.Tx) error {
		r, err := access.Get(tx, owner)
		if err != nil {
			return err
		}
		cookie, _ = r.Open(access.SignIn{}, noon)
		return access.Put(tx, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	return cookie
}

// visitTo makes a guest at an instance, and prepares a page of a session there.
func visitTo(t *testing.T, h http.Handler, session string) visit {
	t.Helper()
	v := visit{session: session}
	made := v.send(t, h, "POST", "/api/guest", false)
	prepared := v.send(t, h, "GET", "/api/auth/bootstrap", true)
	if prepared.status != http.StatusOK || made.Token == "" || len(prepared.cookies) != 1 {
		t.Fatalf("the page is answered %d with %d cookies, and the guest %d", prepared.status, len(prepared.cookies), made.status)
	}
	v.guest, v.csrf, v.boot = made.Token, prepared.CSRF, prepared.cookies[0].Value
	return v
}
