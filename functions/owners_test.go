package functions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail/folder"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

// An actor is a way in which a caller may be identified, and what follows from it.
type actor struct {
	name    string
	owner   string // the name of the owner that it acts as
	headers []string
	cookie  string // of a session: writes are accepted from own pages alone
	account string // the name of the account of the session
	reads   bool   // writes are refused
}

// A cast is the accounts and the organization of a test with their credentials.
type cast struct {
	db     store.DB
	owners map[string]identity.Owner
	actors []actor
}

// newCast stores an account with a session and a key, and an organization with
// members in every role and a key.
func newCast(t *testing.T, d *compose.Parts) *cast {
	t.Helper()
	token, guest, err := d.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	c := &cast{db: d.DB, owners: map[string]identity.Owner{"guest": guest}}
	cookies := map[string]string{}
	for _, name := range []string{"owner", "administrator", "member"} {
		c.owners[name] = register(t, d.DB, name+"@mira.example")
		_, err := access.Update(t.Context(), d.DB, c.owners[name], func(r *access.Record) error {
			cookies[name], _ = r.Open(access.SignIn{Method: "test", SecondFactor: true}, noon)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	club := string(c.found(t))
	own, clubs := c.key(t, c.owners["owner"]), c.key(t, c.owners["club"])
	c.actors = []actor{
		{name: "a guest token", owner: "guest", headers: []string{"X-Guest-Token", token}},
		{name: "an API key", owner: "owner", headers: []string{"X-Api-Key", own}},
		{name: "an API key as a bearer token", owner: "owner", headers: []string{"Authorization", "Bearer " + own}},
		{name: "an API key beside a guest token", owner: "owner", headers: []string{"X-Api-Key", own, "X-Guest-Token", token}},
		{name: "a key of the organization", owner: "club", headers: []string{"X-Api-Key", clubs}},
		{name: "a key of the organization as a bearer token", owner: "club", headers: []string{"Authorization", "bearer " + clubs}},
		{name: "an API key beside an organization", owner: "owner", headers: []string{"X-Api-Key", own, "X-Organization", club}},
		{name: "a session", owner: "owner"},
		{name: "a session beside a guest token", owner: "owner", headers: []string{"X-Guest-Token", token}},
		{name: "a session beside an API key", owner: "administrator", headers: []string{"X-Api-Key", clubs}},
		{name: "an owner's session for the organization", owner: "club", headers: []string{"X-Organization", club}},
		{name: "an administrator's session for the organization", owner: "club", headers: []string{"X-Organization", club}},
		{name: "a member's session for the organization", owner: "club", headers: []string{"X-Organization", club}, reads: true},
	}
	for i, account := range []string{"owner", "owner", "administrator", "owner", "administrator", "member"} {
		a := &c.actors[7+i]
		a.account, a.cookie = account, cookies[account]
	}
	return c
}

// found stores the organization.
func (c *cast) found(t *testing.T) identity.Owner {
	t.Helper()
	organizations := organization.On(c.db, nil, func() time.Time { return noon })
	club, err := organizations.Create(t.Context(), c.owners["owner"], "Club")
	if err != nil {
		t.Fatal(err)
	}
	c.owners["club"] = club.ID
	for name, role := range map[string]access.Role{"administrator": access.Administrator, "member": access.Member} {
		address := name + "@mira.example"
		in, err := organizations.Invite(t.Context(), c.owners["owner"], club.ID, organization.Address{Shown: address, Key: address}, role)
		if err == nil {
			_, err = organizations.Accept(t.Context(), c.owners[name], in.Token)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return club.ID
}

// key stores a key of an owner, which the account named owner made.
func (c *cast) key(t *testing.T, owner identity.Owner) (key string) {
	t.Helper()
	err := c.db.Update(t.Context(), func(tx store.Tx) error {
		r, err := access.Get(tx, owner)
		if err == nil {
			key, _, err = r.AddKey("key", c.owners["owner"], noon)
		}
		return errors.Join(err, access.Put(tx, r))
	})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// do makes a call as an actor: from a page of the service when own is set.
func (a *actor) do(t *testing.T, h http.Handler, own bool, method, path, body string) (int, string) {
	t.Helper()
	headers := slices.Clone(a.headers)
	if a.cookie == "" {
		if body != "" {
			headers = append(headers, "Content-Type", "application/json")
		}
		answer, text := apitest.Do(t, h, method, path, body, headers...)
		return answer.StatusCode, text
	}
	b := apitest.NewBrowser(t, h)
	b.Set(credential.SessionCookie(a.cookie, noon.Add(time.Hour)))
	if !own {
		headers = append(headers, "Origin", "https://evil.example")
	}
	answer, text := b.Do(method, path, body, headers...)
	return answer.StatusCode, text
}

// echoServer answers with the owner of its caller.
type echoServer struct{}

func (echoServer) owner(ctx context.Context, _ struct{}) (callerReply, error) {
	speaker, _ := identity.SpeakerOf(ctx)
	return callerReply{string(speaker.Owner)}, nil
}

// echo returns a handler of every endpoint that identifies its caller. Behind the
// gate of the service, each answers with the owner that the call acts as.
func echo(t *testing.T, d *compose.Parts) (http.Handler, []api.Endpoint) {
	t.Helper()
	var endpoints []api.Endpoint
	for _, e := range Table() {
		if e.Auth == api.Guest || e.Auth == api.Session || e.Speaker {
			endpoints = append(endpoints, api.Bind(echoServer.owner, api.Endpoint{
				Method: e.Method, Path: e.Path, Auth: e.Auth, Speaker: e.Speaker, FromPage: e.FromPage, Summary: e.Summary, Doc: e.Doc,
			}))
		}
	}
	whole, answers := mux(t, d), request.Handler(options(d, All()), echoServer{}, endpoints)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == api.BootstrapPath { // from which own pages have their tokens
			whole.ServeHTTP(w, r)
			return
		}
		answers.ServeHTTP(w, r)
	}), endpoints
}

// expected returns how an endpoint answers an actor: as an owner, or with a fault.
func (a *actor) expected(e *api.Endpoint, own bool) (owner string, code string) {
	switch {
	case e.Auth == api.Session && a.cookie == "":
		return "", "invalid_session"
	case e.Auth == api.Session && (own || !e.Writes()):
		return a.account, ""
	case e.Auth != api.Session && e.Writes() && a.reads:
		return "", "organization_forbidden"
	case a.cookie != "" && e.Writes() && !own:
		return "", "invalid_origin"
	}
	return a.owner, ""
}

// TestActors calls every endpoint that identifies its caller with every credential.
// Each acts as its owner; a session writes from own pages alone, and a member of an
// organization does not write for it. Where only a session is accepted, it acts as
// its account whatever organization is named.
func TestActors(t *testing.T) {
	db := openEmbedded(t)
	d := deps(t, db, fixture)
	c := newCast(t, d)
	h, endpoints := echo(t, d)
	if len(endpoints) < 30 {
		t.Fatalf("%d endpoints identify their callers", len(endpoints))
	}
	for _, e := range endpoints {
		path := strings.NewReplacer("{id}", "x", "{channel_id}", "x").Replace(e.Path)
		for _, a := range c.actors {
			for _, own := range []bool{true, false} {
				owner, code := a.expected(&e, own)
				status, text := a.do(t, h, own, e.Method, path, "")
				var got struct{ Owner, Error string }
				if err := json.Unmarshal([]byte(text), &got); err != nil || got.Owner != string(c.owners[owner]) || got.Error != code {
					t.Errorf("%s %s by %s, from an own page %t: %d %s; want %s %q", e.Method, path, a.name, own, status, text, owner, code)
				}
			}
		}
	}
}

// holdings is what a caller sees of what its owner has.
type holdings struct {
	Folders   []string
	Favorites int
	Plays     int // in the history
	Mine      int // comments
	Feed      int // channels
}

// see returns what an actor sees.
func (a *actor) see(t *testing.T, h http.Handler) (got holdings) {
	t.Helper()
	read := func(path string, into any) {
		t.Helper()
		status, text := a.do(t, h, true, http.MethodGet, path, "")
		if err := json.Unmarshal([]byte(text), into); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %s: %d %.300s", a.name, path, status, text)
		}
	}
	var library struct {
		Categories []struct{ Name string }
		Feeds      struct{ JSON string }
	}
	read("/api/library", &library)
	for _, category := range library.Categories {
		got.Folders = append(got.Folders, category.Name)
	}
	var favorites struct{ Total int }
	read("/api/favorites", &favorites)
	got.Favorites = favorites.Total
	var history struct{ Items []struct{ Plays int } }
	read("/api/history", &history)
	for _, row := range history.Items {
		got.Plays += row.Plays
	}
	var comments struct{ Items []struct{ Mine bool } }
	read("/api/channels/Beacon.uk/comments?limit=50", &comments)
	for _, item := range comments.Items {
		if item.Mine {
			got.Mine++
		}
	}
	var feed struct{ Channels []struct{ ID string } }
	_, text := apitest.Do(t, h, http.MethodGet, strings.TrimPrefix(library.Feeds.JSON, apitest.Origin), "")
	if err := json.Unmarshal([]byte(text), &feed); err != nil {
		t.Fatalf("%s: the feed: %.300s", a.name, text)
	}
	got.Feed = len(feed.Channels)
	return got
}

// addFolder adds a folder and returns the id of its sub-tab.
func (a *actor) addFolder(t *testing.T, h http.Handler, name string) string {
	t.Helper()
	status, text := a.do(t, h, true, http.MethodPost, "/api/categories", fmt.Sprintf(`{"name":%q}`, name))
	var created struct {
		GroupID string `json:"group_id"`
	}
	if err := json.Unmarshal([]byte(text), &created); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %.300s", a.name, status, text)
	}
	return created.GroupID
}

// TestOwnersAreAlike has every credential write what an owner can have. All
// credentials of an owner see the same afterwards, and nothing of other owners.
func TestOwnersAreAlike(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		d := deps(t, db, fixture)
		c := newCast(t, d)
		h := mux(t, d)
		want := map[string]*holdings{}
		for i, a := range c.actors {
			if a.reads {
				continue
			}
			has := want[a.owner]
			first := has == nil
			if first {
				has = &holdings{Favorites: 1}
				want[a.owner] = has
			}
			folder := fmt.Sprint("Folder ", i)
			has.Folders = append(has.Folders, folder)
			has.Feed++
			has.Plays++
			has.Mine++
			for _, call := range []struct{ path, body, want string }{
				{"/api/items", fmt.Sprintf(`{"group_id":%q,"channel_id":"Beacon.uk"}`, a.addFolder(t, h, folder)), folder},
				{"/api/favorites", `{"channel_id":"Beacon.uk"}`, fmt.Sprintf(`"created":%t`, first)},
				{"/api/history", `{"channel_id":"Beacon.uk"}`, fmt.Sprintf(`"plays":%d`, has.Plays)},
				{"/api/channels/Beacon.uk/comments", fmt.Sprintf(`{"body":"Hello %d"}`, i), `"mine":true`},
				{"/api/play-report", `{"channel_id":"Beacon.uk","ok":true}`, fmt.Sprintf(`"counted":%t`, first)},
			} {
				if status, text := a.do(t, h, true, http.MethodPost, call.path, call.body); status != http.StatusOK || !strings.Contains(text, call.want) {
					t.Errorf("%s: POST %s: %d %.300s; want %s", a.name, call.path, status, text, call.want)
				}
			}
		}
		for _, a := range c.actors {
			if d := cmp.Diff(*want[a.owner], a.see(t, h)); d != "" {
				t.Errorf("%s sees (-want +got):\n%s", a.name, d)
			}
			if !a.reads {
				continue
			}
			if status, text := a.do(t, h, true, http.MethodPost, "/api/categories", `{"name":"Mine"}`); status != http.StatusForbidden {
				t.Errorf("%s writes: %d %.300s", a.name, status, text)
			}
		}
	})
}

// TestKeyUse calls with a key many times: its last use is shown to the hour, and
// written once in it.
func TestKeyUse(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		var clock atomic.Int64
		clock.Store(noon.UnixNano())
		h := instance(t, at(t, db, &clock))
		ana := register(t, db, "ana@mira.example")
		var key string
		_, err := access.Update(t.Context(), db, ana, func(r *access.Record) (err error) {
			key, _, err = r.AddKey("key", ana, noon)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		b := signedIn(t, h, db, ana, noon)
		revision := revisionOf(t, db, ana)
		for _, step := range []struct {
			after  time.Duration
			writes int64
			used   time.Time
		}{
			{0, 1, noon},
			{time.Hour - time.Second, 0, noon},
			{time.Second, 2, noon.Add(time.Hour)}, // of the key, and of the session that lists it
			{time.Hour, 2, noon.Add(2 * time.Hour)},
		} {
			clock.Add(int64(step.after))
			for range 10 {
				if answer, text := apitest.Do(t, h, http.MethodDelete, "/api/history", "", "X-Api-Key", key); answer.StatusCode != http.StatusOK {
					t.Fatalf("%d %s", answer.StatusCode, text)
				}
				clock.Add(int64(time.Millisecond))
			}
			_, text := b.Do(http.MethodGet, "/api/account/keys", "")
			var out struct {
				Keys []struct{ LastUsedAt time.Time }
			}
			if err := json.Unmarshal([]byte(text), &out); err != nil || len(out.Keys) != 1 || !out.Keys[0].LastUsedAt.Truncate(time.Second).Equal(step.used) {
				t.Errorf("after %v: %s, want used at %v", step.after, text, step.used)
			}
			now := revisionOf(t, db, ana)
			if now-revision != step.writes {
				t.Errorf("after %v: %d writes, want %d", step.after, now-revision, step.writes)
			}
			revision = now
		}
	})
}

// revisionOf returns how often the access record of an owner was written.
func revisionOf(t *testing.T, db store.DB, owner identity.Owner) int64 {
	t.Helper()
	var r access.Record
	if err := db.Get(t.Context(), access.Path(owner), &r); err != nil {
		t.Fatal(err)
	}
	return r.Revision
}

// TestInvitation invites by mail, and follows the invited account from the link of
// the mail to the library of the organization and out of it again.
func TestInvitation(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		d := deps(t, db, fixture)
		h := mux(t, d)
		ana, bob := register(t, db, "ana@mira.example"), register(t, db, "bob@mira.example")
		owner, guest := signedIn(t, h, db, ana, noon), signedIn(t, h, db, bob, noon)
		call := func(b *apitest.Browser, status int, method, path, body string, headers ...string) (out struct{ ID string }) {
			t.Helper()
			answer, text := b.Do(method, path, body, headers...)
			if answer.StatusCode != status {
				t.Fatalf("%s %s: %d %.300s, want %d", method, path, answer.StatusCode, text, status)
			}
			_ = json.Unmarshal([]byte(text), &out)
			return out
		}
		const path = "/api/account/organizations"
		club := call(owner, 200, "POST", path+"/create", `{"name":"Club"}`).ID
		call(owner, 200, "POST", path+"/invite", fmt.Sprintf(`{"id":%q,"email":"Bob@Mira.example","role":"administrator"}`, club))
		names, err := folder.Names(d.Config.MailFolder)
		if err != nil || len(names) != 1 {
			t.Fatalf("mails: %q, %v", names, err)
		}
		mail, err := folder.Read(d.Config.MailFolder, names[0])
		if err != nil || mail.To != "Bob@mira.example" {
			t.Fatalf("%+v, %v", mail, err)
		}
		link, err := url.Parse(mail.Link)
		if err != nil {
			t.Fatal(err)
		}
		token := fmt.Sprintf(`{"token":%q}`, link.Query().Get(organization.TokenParam))
		other := signedIn(t, h, db, register(t, db, "carl@mira.example"), noon)
		call(other, 403, "POST", path+"/accept", token)
		call(guest, 403, "POST", "/api/categories", `{"name":"News"}`, "X-Organization", club)
		call(guest, 200, "POST", path+"/accept", token)
		call(guest, 200, "POST", "/api/categories", `{"name":"News"}`, "X-Organization", club)
		call(owner, 200, "POST", path+"/role", fmt.Sprintf(`{"id":%q,"account":%q,"role":"member"}`, club, bob))
		call(guest, 403, "POST", "/api/categories", `{"name":"Sport"}`, "X-Organization", club)
		call(guest, 200, "GET", "/api/library", "", "X-Organization", club)
		call(guest, 403, "POST", path+"/remove", fmt.Sprintf(`{"id":%q,"account":%q}`, club, ana))
		call(guest, 200, "POST", path+"/remove", fmt.Sprintf(`{"id":%q,"account":%q}`, club, bob))
		call(guest, 403, "GET", "/api/library", "", "X-Organization", club)
	})
}
