package functions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/webp"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/mail/folder"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

// A person has an account, and browsers that are signed in to it.
type person struct {
	t  *testing.T
	p  *compose.Parts
	h  http.Handler
	id identity.Owner
}

// newPerson returns a person with a new account in a database.
func newPerson(t *testing.T, db store.DB, address string) *person {
	t.Helper()
	return newPersonWith(t, db, collect.Place{}, address)
}

// newPersonWith does what newPerson does, with a catalog.
func newPersonWith(t *testing.T, db store.DB, sources collect.Place, address string) *person {
	t.Helper()
	p := deps(t, db, sources)
	one := &person{t: t, p: p, h: mux(t, p)}
	a := account.New(address, address, account.Profile{Name: "Ana", Theme: "system"}, noon)
	one.id = a.ID
	one.must(db.Update(t.Context(), func(tx store.Tx) error {
		return errors.Join(account.Create(tx, a), access.Put(tx, &access.Record{Owner: a.ID}))
	}))
	return one
}

func (o *person) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// signIn returns a browser that is signed in, and the id of its session.
func (o *person) signIn(in access.SignIn) (*apitest.Browser, string) {
	o.t.Helper()
	var cookie string
	var s access.Session
	r, err := access.Update(o.t.Context(), o.p.DB, o.id, func(r *access.Record) error {
		cookie, s = r.Open(in, noon)
		return nil
	})
	o.must(err)
	o.p.Access.Learn(r)
	b := apitest.NewBrowser(o.t, o.h)
	b.Set(credential.SessionCookie(cookie, s.Expiry()))
	return b, s.ID
}

// picture returns a PNG of two colours.
func picture(t *testing.T, w, h int) string {
	t.Helper()
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		im.SetNRGBA(i%w, i/w, color.NRGBA{uint8(200 * (i % w) / w), 90, 30, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAvatar sets, shows and deletes the photo of an account, on both backends.
func TestAvatar(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		ana := newPerson(t, db, "ana@mira.example")
		b, _ := ana.signIn(access.SignIn{Method: "mail"})
		const path = "/api/account/avatar"
		expect := func(name string, want int, part string, do func() (*http.Response, string)) string {
			t.Helper()
			answer, body := do()
			if answer.StatusCode != want || !strings.Contains(body, part) {
				t.Errorf("%s: %d %.300s, want %d with %s", name, answer.StatusCode, body, want, part)
			}
			return body
		}
		get := func() (*http.Response, string) { return b.Do("GET", path, "") }
		put := func(media, body string) func() (*http.Response, string) {
			return func() (*http.Response, string) { return b.Do("PUT", path, body, "Content-Type", media) }
		}
		expect("before", 404, `"error":"not_found"`, get)
		expect("without a session", 401, `"error":"invalid_session"`, func() (*http.Response, string) { return apitest.Do(t, ana.h, "GET", path, "") })
		expect("a PNG", 200, `"ok":true`, put("image/png", picture(t, 300, 200)))
		answer, body := get()
		if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "image/webp" || answer.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("the photo: %d, %v", answer.StatusCode, answer.Header)
		}
		if im, err := webp.Decode(strings.NewReader(body)); err != nil || im.Bounds() != image.Rect(0, 0, 200, 200) || len(body) > 64<<10 {
			t.Errorf("the photo: %v, %d bytes", err, len(body))
		}
		expect("an SVG", 400, `"reason":"image_format"`, put("image/png", "<svg/>"))
		expect("another media type", 415, `"error":"unsupported_media_type"`, put("image/svg+xml", "<svg/>"))
		expect("nothing", 400, `"error":"invalid_body"`, put("image/png", ""))
		expect("from another site", 403, `"error":"invalid_origin"`, func() (*http.Response, string) {
			return b.Do("PUT", path, picture(t, 9, 9), "Content-Type", "image/png", "Origin", "https://evil.example")
		})
		expect("without a token", 403, `"error":"invalid_csrf"`, func() (*http.Response, string) { return b.Do("DELETE", path, "", "X-CSRF-Token", "") })
		if again := expect("the photo is still there", 200, "", get); again != body {
			t.Error("a refused write changed the photo")
		}
		expect("delete", 200, `{"ok":true}`, func() (*http.Response, string) { return b.Do("DELETE", path, "") })
		expect("delete again", 200, `{"ok":true}`, func() (*http.Response, string) { return b.Do("DELETE", path, "") })
		expect("after", 404, `"error":"not_found"`, get)
	})
}

// listed returns the sessions that a browser is shown.
func listed(t *testing.T, b *apitest.Browser) (ids []string, body string) {
	t.Helper()
	_, body = b.Do("GET", "/api/account/sessions", "")
	var out struct{ Sessions []struct{ ID string } }
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatal(err)
	}
	for _, s := range out.Sessions {
		ids = append(ids, s.ID)
	}
	return ids, body
}

// whoami returns the status and the code that a browser is answered with when it asks
// who is signed in.
func whoami(b *apitest.Browser) string {
	answer, body := b.Do("GET", "/api/me", "")
	var fault struct{ Error string }
	_ = json.Unmarshal([]byte(body), &fault) // of a body without a code nothing is expected
	return strings.TrimSpace(http.StatusText(answer.StatusCode) + " " + fault.Error)
}

// TestSessionList lists the sessions of an account and ends them, one and all.
func TestSessionList(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		ana := newPerson(t, db, "ana@mira.example")
		other := newPerson(t, db, "bea@mira.example")
		phone, phoneID := ana.signIn(access.SignIn{Method: "mail", Device: access.Device{Browser: "Firefox", OS: "Android", Country: "BR"}})
		laptop, laptopID := ana.signIn(access.SignIn{Method: "passkey", SecondFactor: true})
		bea, beaID := other.signIn(access.SignIn{Method: "mail"})
		tv, tvID := ana.signIn(access.SignIn{Method: "link", Vouched: true}) // never recent

		ids, body := listed(t, phone)
		want := `{"id":"` + phoneID + `","device":{"browser":"Firefox","os":"Android","country":"BR"},"createdAt":"` + noon.Format("2006-01-02T15:04:05Z") +
			`","lastUsedAt":"` + noon.Format("2006-01-02T15:04:05Z") + `","current":true,"method":"mail","secondFactor":false}`
		if len(ids) != 3 || !strings.Contains(body, want) || !strings.Contains(body, `"current":false,"method":"passkey","secondFactor":true`) {
			t.Errorf("the list is %s, want %s in it", body, want)
		}
		for _, secret := range []string{"hash", "cookie", phone.Cookie("__Host-mm-auth")} {
			if strings.Contains(body, secret) {
				t.Errorf("the list shows %s: %s", secret, body)
			}
		}
		end := func(b *apitest.Browser, id string) string {
			answer, body := b.Do("POST", "/api/account/sessions/end", `{"id":"`+id+`"}`)
			if answer.StatusCode == 200 {
				return "ended"
			}
			return body[strings.Index(body, `:"`)+2 : strings.Index(body, `",`)]
		}
		got := []string{
			end(phone, beaID), end(phone, "unknown"), whoami(bea), end(phone, laptopID), whoami(laptop), whoami(phone),
			end(phone, laptopID), end(tv, phoneID), end(tv, tvID), end(phone, phoneID), phone.Cookie("__Host-mm-auth"),
		}
		steps := []string{
			"session_not_found", "session_not_found", "OK", "ended", "Unauthorized session_ended", "OK", "session_not_found", "reauth_required", "ended",
			"ended", "",
		}
		if d := cmp.Diff(steps, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// TestSignOutEverywhere checks that it ends every session of an account and stops
// every key that the account made, and nothing of anybody else.
func TestSignOutEverywhere(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		ana, other := newPerson(t, db, "ana@mira.example"), newPerson(t, db, "bea@mira.example")
		phone, _ := ana.signIn(access.SignIn{Method: "mail"})
		laptop, _ := ana.signIn(access.SignIn{Method: "mail"})
		bea, _ := other.signIn(access.SignIn{Method: "mail"})
		club := identity.NewOwner(identity.Organization)
		var own, ofClub, beas string
		ana.must(db.Update(t.Context(), func(tx store.Tx) error {
			r, err := access.Get(tx, ana.id)
			if err != nil {
				return err
			}
			own, _, _ = r.AddKey("own", ana.id, noon)
			r.Memberships = []access.Membership{{Organization: club, Role: access.Administrator}}
			o := &access.Record{Owner: club}
			ofClub, _, _ = o.AddKey("of the club", ana.id, noon)
			beas, _, _ = o.AddKey("of another member", other.id, noon)
			return access.PutAll(tx, []*access.Record{r, o})
		}))
		works := func(key string) bool {
			answer, _ := apitest.Do(t, ana.h, "GET", "/api/library", "", "X-Api-Key", key)
			return answer.StatusCode != http.StatusUnauthorized // a key that is accepted gets 503 here, since the test loads no catalog
		}
		if !works(own) || !works(ofClub) || !works(beas) {
			t.Fatal("a key does not work")
		}
		tv, _ := ana.signIn(access.SignIn{Method: "link", Vouched: true}) // never recent
		if answer, body := tv.Do("POST", "/api/account/sessions/end-all", ""); answer.StatusCode != 401 || !strings.Contains(body, "reauth_required") {
			t.Errorf("without a recent sign-in: %d %s", answer.StatusCode, body)
		}
		if answer, body := phone.Do("POST", "/api/account/sessions/end-all", "", "Origin", "https://evil.example"); answer.StatusCode != 403 {
			t.Errorf("from another site: %d %s", answer.StatusCode, body)
		}
		if answer, body := phone.Do("POST", "/api/account/sessions/end-all", ""); answer.StatusCode != 200 || body != `{"ok":true}` {
			t.Errorf("%d %s", answer.StatusCode, body)
		}
		if phone.Cookie("__Host-mm-auth") != "" {
			t.Error("the cookie stays")
		}
		if got := whoami(laptop); got != "Unauthorized session_ended" {
			t.Errorf("the other session: %s", got)
		}
		if works(own) || works(ofClub) {
			t.Error("a key of the account still works")
		}
		if !works(beas) || whoami(bea) != "OK" {
			t.Error("somebody else is signed out too")
		}
	})
}

// TestDeleteAccount schedules a deletion, which ends every session at once, and runs
// the job that deletes accounts, which leaves this one alone until its day.
func TestDeleteAccount(t *testing.T) {
	ana := newPerson(t, openEmbedded(t), "ana@mira.example")
	phone, _ := ana.signIn(access.SignIn{Method: "mail"})
	laptop, _ := ana.signIn(access.SignIn{Method: "passkey", Vouched: true}) // never recent
	ask := func(b *apitest.Browser, confirmation string) string {
		answer, body := b.Do("POST", "/api/account/delete", `{"confirmation":"`+confirmation+`"}`)
		return fmt.Sprint(answer.StatusCode, " ", body)
	}
	for _, step := range []struct {
		b                  *apitest.Browser
		confirmation, want string
	}{
		{laptop, "ana@mira.example", `401 {"error":"reauth_required"`},
		{phone, "bea@mira.example", `400 {"error":"invalid_confirmation"`},
		{phone, "ana@mira.example", `200 {"ok":true,"deleteAt":"` + noon.Add(removal.Delay).Format(time.RFC3339) + `"}`},
	} {
		if got := ask(step.b, step.confirmation); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: %s, want %s", step.confirmation, got, step.want)
		}
	}
	if phone.Cookie("__Host-mm-auth") != "" || whoami(laptop) != "Unauthorized session_ended" {
		t.Errorf("the sessions stay: %s", whoami(laptop))
	}
	report, err := ana.p.Jobs.Run(t.Context(), removal.Job, job.Order{})
	if d := cmp.Diff(removal.Result{}, report.Result); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if _, err := account.Load(t.Context(), ana.p.DB, ana.id); err != nil {
		t.Errorf("the account: %v", err)
	}
}

// TestDeleteAccountUndone checks that the public library of an account goes when its owner
// asks for the deletion, and is back with the account after a sign-in by mail.
func TestDeleteAccountUndone(t *testing.T) {
	ana := newPersonWith(t, openEmbedded(t), fixture, "ana@mira.example")
	phone, _ := ana.signIn(access.SignIn{Method: "mail"})
	stranger := apitest.NewBrowser(t, withMails(ana.h, ana.p.Config.MailFolder))
	expect := func(b *apitest.Browser, method, path, body string, status int) string {
		t.Helper()
		answer, text := b.Do(method, path, body)
		if answer.StatusCode != status {
			t.Fatalf("%s %s: %d %s, want %d", method, path, answer.StatusCode, text, status)
		}
		return text
	}
	var added struct{ ID string }
	ana.must(json.Unmarshal([]byte(expect(phone, "POST", "/api/categories", `{"name":"News"}`, http.StatusOK)), &added))
	expect(phone, "PUT", "/api/library/public", `{"name":"ana-news","title":"News","folders":["`+added.ID+`"]}`, http.StatusOK)
	expect(stranger, "GET", "/api/libraries/ana-news", "", http.StatusOK)

	expect(phone, "POST", "/api/account/delete", `{"confirmation":"ana@mira.example"}`, http.StatusOK)
	expect(stranger, "GET", "/api/libraries/ana-news", "", http.StatusNotFound)
	expect(stranger, "GET", "/l/ana-news/library.m3u", "", http.StatusNotFound)

	var started struct{ Challenge string }
	ana.must(json.Unmarshal([]byte(expect(stranger, "POST", "/api/auth/email/start", `{"email":"ana@mira.example"}`, http.StatusOK)), &started))
	expect(stranger, "GET", "/api/libraries/ana-news", "", http.StatusNotFound)
	var kept folder.Kept
	ana.must(json.Unmarshal([]byte(expect(stranger, "GET", "/-/mail?to=ana@mira.example", "", http.StatusOK)), &kept))
	expect(stranger, "POST", "/api/auth/email/finish", `{"challenge":"`+started.Challenge+`","code":"`+kept.Code+`"}`, http.StatusOK)
	expect(apitest.NewBrowser(t, ana.h), "GET", "/api/libraries/ana-news", "", http.StatusOK)
}

// TestExport checks who gets an archive, and how often.
func TestExport(t *testing.T) {
	ana := newPerson(t, openEmbedded(t), "ana@mira.example")
	phone, _ := ana.signIn(access.SignIn{Method: "mail"})
	vouched, _ := ana.signIn(access.SignIn{Method: "link", Vouched: true}) // never recent
	for i, test := range []struct {
		b    *apitest.Browser
		want string
	}{
		{vouched, `401 {"error":"reauth_required"`}, {phone, "200 PK"}, {phone, "200 PK"}, {phone, `429 {"error":"too_many_requests"`},
	} {
		answer, body := test.b.Do("GET", "/api/account/export", "")
		if got := fmt.Sprint(answer.StatusCode, " ", body); !strings.HasPrefix(got, test.want) {
			t.Errorf("call %d: %.200s, want %s", i, got, test.want)
		}
	}
}
