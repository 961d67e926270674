package functions

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// register stores an account of an address and returns it.
func register(t testing.TB, db store.DB, address string) identity.Owner {
	t.Helper()
	a := account.New(address, strings.ToLower(address), account.Profile{Name: "Ana", Theme: "dark"}, noon)
	err := db.Update(t.Context(), func(tx store.Tx) error {
		if err := account.Create(tx, a); err != nil {
			return err
		}
		return access.Put(tx, &access.Record{Owner: a.ID})
	})
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

// signedIn returns a browser with a new session of an account.
func signedIn(t testing.TB, h http.Handler, db store.DB, owner identity.Owner, at time.Time) *apitest.Browser {
	t.Helper()
	var cookie string
	_, err := access.Update(t.Context(), db, owner, func(r *access.Record) error {
		cookie, _ = r.Open(access.SignIn{Method: "test"}, at)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b := apitest.NewBrowser(t, h)
	b.Set(credential.SessionCookie(cookie, at.Add(access.Absolute)))
	return b
}

// at returns options of parts over db whose clock shows the given time.
func at(t testing.TB, db store.DB, clock *atomic.Int64) compose.Options {
	o := optionsOver(t, db, collect.Place{})
	o.Now = func() time.Time { return time.Unix(0, clock.Load()).UTC() }
	return o
}

// instance returns the handler of one instance over db.
func instance(t testing.TB, o compose.Options) http.Handler {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p, err := compose.Open(ctx, o, Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); p.Close() })
	return mux(t, p)
}

// TestSessions follows sessions of an account at two instances: what they show, how
// they end, and when the other instance notices.
func TestSessions(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		var clock atomic.Int64
		clock.Store(noon.UnixNano())
		o := at(t, db, &clock)
		here, there := instance(t, o), instance(t, o)
		ana := register(t, db, "Ana@mira.example")
		phone, laptop := signedIn(t, here, db, ana, noon), signedIn(t, here, db, ana, noon)
		elsewhere := apitest.NewBrowser(t, there)
		elsewhere.Set(credential.SessionCookie(laptop.Cookie("__Host-mm-auth"), noon.Add(time.Hour)))

		_, text := phone.Do("GET", "/api/me", "")
		var me struct {
			User    struct{ ID, Email string }
			Profile struct{ Name, Theme string }
			App     string
		}
		if err := json.Unmarshal([]byte(text), &me); err != nil || me.User.ID != string(ana) || me.User.Email != "Ana@mira.example" || me.Profile.Theme != "dark" || me.App != "Miramundo" {
			t.Fatalf("me: %s, %v", text, err)
		}
		expect := func(name string, b *apitest.Browser, status int, code string) {
			t.Helper()
			answer, text := b.Do("GET", "/api/account/profile", "")
			if answer.StatusCode != status || !strings.Contains(text, code) || answer.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %s, want %d %s", name, answer.StatusCode, text, status, code)
			}
		}
		before := phone.Cookie("__Host-mm-auth")
		if answer, text := phone.Do("POST", "/api/auth/logout", "{}"); answer.StatusCode != http.StatusOK || phone.Cookie("__Host-mm-auth") != "" {
			t.Errorf("signing out: %d %s", answer.StatusCode, text)
		}
		expect("the browser that signed out", phone, 401, "invalid_session")
		phone.Set(credential.SessionCookie(before, noon.Add(time.Hour)))
		expect("its cookie of before", phone, 401, "session_ended")
		expect("the other browser", laptop, 200, "Ana")
		expect("the other browser, at the other instance", elsewhere, 200, "Ana")
		answer, text := apitest.Do(t, here, "POST", "/api/admin/accounts/sessions/end", `{"email":"ana@mira.example"}`,
			"Authorization", "Bearer "+operatorToken, "Content-Type", "application/json")
		if want := `{"ok":true,"accounts":1,"sessions":1,"keys":0}`; answer.StatusCode != http.StatusOK || strings.TrimSpace(text) != want {
			t.Errorf("the operator ends the sessions: %d %s, want %s", answer.StatusCode, text, want)
		}
		expect("where the operator ended it", laptop, 401, "session_ended")
		clock.Add(int64(5 * time.Second))
		expect("at the other instance five seconds later", elsewhere, 401, "session_ended")
	})
}

// TestEveryone checks that the operator ends the sessions of everyone, and stops
// their keys.
func TestEveryone(t *testing.T) {
	db := openEmbedded(t)
	var clock atomic.Int64
	clock.Store(noon.UnixNano())
	h := instance(t, at(t, db, &clock))
	var browsers []*apitest.Browser
	for range 3 {
		owner := register(t, db, string(identity.NewOwner(identity.Person))+"@mira.example")
		browsers = append(browsers, signedIn(t, h, db, owner, noon), signedIn(t, h, db, owner, noon))
		if _, err := access.Update(t.Context(), db, owner, func(r *access.Record) error { _, _, err := r.AddKey("k", owner, noon); return err }); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{`{"ok":true,"accounts":3,"sessions":6,"keys":3}`, `{"ok":true,"accounts":0,"sessions":0,"keys":0}`} {
		answer, text := apitest.Do(t, h, "POST", "/api/admin/accounts/sessions/end", `{"everyone":true,"keys":true}`,
			"Authorization", "Bearer "+operatorToken, "Content-Type", "application/json")
		if answer.StatusCode != http.StatusOK || strings.TrimSpace(text) != want {
			t.Errorf("%d %s, want %s", answer.StatusCode, text, want)
		}
	}
	for _, b := range browsers {
		if answer, _ := b.Do("GET", "/api/me", ""); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("a browser is signed in: %d", answer.StatusCode)
		}
	}
}

// TestNeverAGuest checks at every endpoint that asks for a caller that a session
// which is over is refused, and that the guest of the same browser does not act in
// its place.
func TestNeverAGuest(t *testing.T) {
	d := deps(t, openEmbedded(t), fixture)
	h := mux(t, d)
	token, _, err := d.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range Table() {
		if e.Auth != api.Guest && e.Auth != api.Session {
			continue
		}
		b := apitest.NewBrowser(t, h)
		b.Set(&http.Cookie{Name: "__Host-mm-auth", Value: "aaaaaaaaaaaaaaaaaaaaaaaa." + strings.Repeat("A", 43)})
		path := strings.NewReplacer("{id}", "x", "{channel_id}", "x").Replace(e.Path)
		answer, text := b.Do(e.Method, path, "", "X-Guest-Token", token)
		if answer.StatusCode != http.StatusUnauthorized || !strings.Contains(text, "session_ended") {
			t.Errorf("%s %s: %d %s", e.Method, path, answer.StatusCode, text)
		}
	}
}

// TestSessionsWithoutDatabase checks, at every endpoint that asks for an account, that a
// session is not called over because the database does not answer: the answer is
// auth_unavailable, the cookie stays, and the session goes on when the database is back.
func TestSessionsWithoutDatabase(t *testing.T) {
	db := storetest.NewSwitch(openEmbedded(t))
	h := mux(t, deps(t, db, collect.Place{}))
	ana := register(t, db, "ana@mira.example")
	b := signedIn(t, h, db, ana, noon)
	cookie := b.Cookie("__Host-mm-auth")
	db.Off()
	for _, e := range Table() {
		if e.Auth != api.Guest && e.Auth != api.Session {
			continue
		}
		path := strings.NewReplacer("{id}", "x", "{channel_id}", "x").Replace(e.Path)
		answer, text := b.Do(e.Method, path, "")
		if answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "auth_unavailable") || b.Cookie("__Host-mm-auth") != cookie {
			t.Errorf("%s %s: %d %s", e.Method, path, answer.StatusCode, text)
		}
	}
	if answer, text := b.Do("POST", "/api/auth/logout", "{}"); answer.StatusCode != http.StatusServiceUnavailable || b.Cookie("__Host-mm-auth") != cookie {
		t.Errorf("signing out: %d %s", answer.StatusCode, text)
	}
	db.On()
	if answer, text := b.Do("GET", "/api/me", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("when it is back: %d %s", answer.StatusCode, text)
	}
}
