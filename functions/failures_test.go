package functions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/mail/folder"
	"miramundo.dev/shared/store/storetest"
)

// A journey is the calls of one person who uses everything that an account has, each
// with what the calls before it have returned.
type journey struct {
	t            *testing.T
	h            http.Handler
	laptop, tv   *apitest.Browser
	address      string
	guest        string
	secrets      []string       // that no log may hold
	answer       map[string]any // of the last call
	challenge    string
	device, club string
}

// journeyCalls are the calls in their order. Each returns the method, the path and the
// body of a request, and the browser that sends it.
var journeyCalls = []struct {
	name string
	call func(j *journey) (b *apitest.Browser, method, path string, body any)
}{
	{"a mail", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.laptop, "POST", "/api/auth/email/start", map[string]any{"email": j.address}
	}},
	{"a wrong code", func(j *journey) (*apitest.Browser, string, string, any) {
		j.challenge = j.secret(j.answer["challenge"])
		return j.laptop, "POST", "/api/auth/email/finish", map[string]any{"challenge": j.challenge, "code": "nothing like it"}
	}},
	{"the code", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.laptop, "POST", "/api/auth/email/finish", map[string]any{"challenge": j.challenge, "code": j.secret(j.mailed(j.address).Code)}
	}},
	{"a wrong password", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.tv, "POST", "/api/auth/password", map[string]any{"email": j.address, "password": j.secret("the tower of three winds")}
	}},
	{"the guest", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.laptop, "POST", "/api/auth/claim", map[string]any{"guest_token": j.secret(j.guest)}
	}},
	{"a key", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.laptop, "POST", "/api/account/keys/create", map[string]any{"name": "script", "organizationId": nil}
	}},
	{"an organization", func(j *journey) (*apitest.Browser, string, string, any) {
		j.secret(j.answer["secret"])
		return j.laptop, "POST", "/api/account/organizations/create", map[string]any{"name": "Film club"}
	}},
	{"an invitation", func(j *journey) (*apitest.Browser, string, string, any) {
		j.club = fmt.Sprint(j.answer["id"])
		return j.laptop, "POST", "/api/account/organizations/invite", map[string]any{"id": j.club, "email": "friend-" + j.address, "role": "member"}
	}},
	{"an invitation without a session", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.tv, "POST", "/api/account/organizations/accept", map[string]any{"token": j.secret(tokenOf(j.mailed("friend-" + j.address)))}
	}},
	{"a link for the television", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.laptop, "POST", "/api/account/devices/link", map[string]any{}
	}},
	{"the television", func(j *journey) (*apitest.Browser, string, string, any) {
		_, token, _ := strings.Cut(fmt.Sprint(j.answer["url"]), "#")
		j.secret(j.answer["code"])
		return j.tv, "POST", "/api/auth/device/claim", map[string]any{"secret": j.secret(token)}
	}},
	{"its confirmation", func(j *journey) (*apitest.Browser, string, string, any) {
		j.device = fmt.Sprint(j.answer["id"])
		return j.laptop, "POST", "/api/account/devices/confirm", map[string]any{"id": j.device}
	}},
	{"its session", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.tv, "POST", "/api/auth/device/finish", map[string]any{"id": j.device}
	}},
	{"the account", func(j *journey) (*apitest.Browser, string, string, any) { return j.tv, "GET", "/api/me", nil }},
	{"the archive", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.laptop, "GET", "/api/account/export", nil
	}},
	{"the deletion", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.laptop, "POST", "/api/account/delete", map[string]any{"confirmation": j.address}
	}},
	{"the end", func(j *journey) (*apitest.Browser, string, string, any) {
		return j.tv, "POST", "/api/auth/logout", map[string]any{}
	}},
}

// secret remembers that no log may hold a value, and returns it.
func (j *journey) secret(value any) string {
	j.secrets = append(j.secrets, fmt.Sprint(value))
	return fmt.Sprint(value)
}

// mailed returns the last mail to an address.
func (j *journey) mailed(to string) (kept folder.Kept) {
	j.t.Helper()
	if _, text := apitest.Do(j.t, j.h, "GET", "/-/mail?to="+url.QueryEscape(to), ""); json.Unmarshal([]byte(text), &kept) != nil || kept.Subject == "" {
		j.t.Fatalf("no mail to %s: %s", to, text)
	}
	return kept
}

// tokenOf returns the token in the link of a mail.
func tokenOf(m folder.Kept) string {
	u, err := url.Parse(m.Link)
	if err != nil {
		return err.Error()
	}
	for _, values := range u.Query() {
		return values[0]
	}
	return u.Fragment
}

// make makes a call of the journey and returns its status.
func (j *journey) make(n int) int {
	j.t.Helper()
	b, method, path, body := journeyCalls[n].call(j)
	text := ""
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			j.t.Fatal(err)
		}
		text = string(data)
	}
	answer, got := b.Do(method, path, text)
	j.answer = nil
	_ = json.Unmarshal([]byte(got), &j.answer) // an archive is not JSON
	for _, name := range []string{"__Host-mm-auth", "__Host-mm-boot"} {
		if value := b.Cookie(name); value != "" {
			j.secret(value)
		}
	}
	return answer.StatusCode
}

// A road is where the journeys take place.
type road struct {
	t      *testing.T
	h      http.Handler
	db     *storetest.Faulty
	log    *bytes.Buffer
	clock  *clock
	guests func() string
	people []*journey
}

// newRoad returns a road with a catalog, without which no guest can be claimed.
func newRoad(t *testing.T) *road {
	t.Helper()
	r := &road{t: t, db: storetest.NewFaulty(openEmbedded(t)), log: new(bytes.Buffer), clock: newClock()}
	o := optionsOver(t, r.db, fixture)
	o.Now = r.clock.now
	o.Log = slog.New(cloudlog.New(r.log, slog.LevelDebug, "p"))
	o.Config.MailFolder = t.TempDir()
	p, err := compose.Open(t.Context(), o, Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	loadCatalog(t.Context(), t, p)
	r.h = withMails(mux(t, p), o.Config.MailFolder)
	r.guests = func() string {
		var made struct{ Token string }
		if _, text := apitest.Do(t, r.h, "POST", "/api/guest", ""); json.Unmarshal([]byte(text), &made) != nil {
			t.Fatal(text)
		}
		return made.Token
	}
	return r
}

// person begins a journey, an hour after the one before so that nothing waits.
func (r *road) person() *journey {
	r.clock.pass(time.Hour)
	j := &journey{
		t: r.t, h: r.h, laptop: apitest.NewBrowser(r.t, r.h), tv: apitest.NewBrowser(r.t, r.h), guest: r.guests(),
		address: fmt.Sprintf("person-%d@mira.example", len(r.people)),
	}
	j.secret(j.address)
	r.people = append(r.people, j)
	return j
}

// checkLog checks that the log holds no secret of a journey, and that it does hold what
// was done.
func (r *road) checkLog() {
	r.t.Helper()
	if !strings.Contains(r.log.String(), "/api/auth/email/start") {
		r.t.Error("the sign-in is not logged")
	}
	for _, j := range r.people {
		for _, secret := range j.secrets {
			if len(secret) < 6 || strings.Contains(r.log.String(), secret) {
				r.t.Errorf("the log contains %q", secret)
			}
		}
	}
}

// TestJourney makes every call of a journey and checks the statuses and the log, also
// when every transaction runs twice, as after a conflict.
func TestJourney(t *testing.T) {
	refused := map[string]int{
		"a wrong code": http.StatusBadRequest, "a wrong password": http.StatusUnauthorized, "an invitation without a session": http.StatusUnauthorized,
	}
	for _, twice := range []bool{false, true} {
		r := newRoad(t)
		r.db.Twice = twice
		j := r.person()
		for n, c := range journeyCalls {
			want := http.StatusOK
			if status, ok := refused[c.name]; ok {
				want = status
			}
			if status := j.make(n); status != want {
				t.Errorf("%s, twice %t: %d %v, want %d", c.name, twice, status, j.answer, want)
			}
		}
		r.checkLog()
	}
}

// TestEachCallOfTheDatabaseFails lets each call of the database fail in turn, in every
// call of a journey, before and after it is done. The answer is that of a service which
// is not available, or that of success where the failure does no harm: nobody is called
// wrong, nothing is a defect, and no secret gets into the log.
func TestEachCallOfTheDatabaseFails(t *testing.T) {
	for at, c := range journeyCalls {
		for _, done := range []bool{false, true} {
			if testing.Short() && (done || at%4 != 2) {
				continue
			}
			t.Run(fmt.Sprintf("%s, done %t", c.name, done), func(t *testing.T) {
				t.Parallel()
				r := newRoad(t)
				usual := 0
				for n := 0; ; n++ {
					j := r.person()
					for before := range at {
						j.make(before)
					}
					r.db.Fail(n, done)
					status := j.make(at)
					failed := r.db.Failed()
					r.db.Fail(0, false)
					if usual == 0 {
						usual = status
						continue
					}
					if status != usual && (status != http.StatusServiceUnavailable || !failed) {
						t.Errorf("call %d failed (%t): %d %v, want 503 or %d", n, failed, status, j.answer, usual)
					}
					if !failed {
						break
					}
				}
				r.checkLog()
			})
		}
	}
}
