package comments

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/speech"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var (
	noon  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	links = catalog.LinkBase{Base: "https://mira.example"}
)

// counting counts the documents that are read outside of transactions.
type counting struct {
	store.DB
	gets, queried, counts atomic.Int32
	hold                  chan struct{} // when set, queries wait for it
}

func (c *counting) Get(ctx context.Context, p store.Path, doc any) error {
	c.gets.Add(1)
	return c.DB.Get(ctx, p, doc)
}

func (c *counting) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	c.gets.Add(int32(len(ps)))
	return c.DB.GetAll(ctx, ps)
}

func (c *counting) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	if c.hold != nil {
		<-c.hold
	}
	return func(yield func(store.Doc, error) bool) {
		for doc, err := range c.DB.Query(ctx, q) {
			c.queried.Add(1)
			if !yield(doc, err) {
				return
			}
		}
	}
}

func (c *counting) Count(ctx context.Context, q store.Query) (int, error) {
	c.counts.Add(1)
	return c.DB.Count(ctx, q)
}

// spent returns what was read since the last call.
func (c *counting) spent() [3]int32 {
	return [3]int32{c.gets.Swap(0), c.queried.Swap(0), c.counts.Swap(0)}
}

// A world is the function with all that it stands on, at a time that tests set.
type world struct {
	db      store.DB
	events  bus.Bus
	catalog *indextest.Catalog
	people  *identity.People

	mu  sync.Mutex
	now time.Time // guarded by mu
}

func newWorld(t testing.TB, ids ...string) *world {
	db, events := wiretest.Open(t, social.Topology())
	return &world{
		db: db, events: events, catalog: &indextest.Catalog{Shown: indextest.Channels(t, links, nil, ids...)},
		people: identity.NewPeople(keyring.Random()), now: noon,
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// instance returns one more process that serves.
func (w *world) instance() http.Handler {
	log := slog.New(slog.DiscardHandler)
	s := New(Options{
		DB: w.db, Outbox: &outbox.Outbox{DB: w.db, Bus: w.events, Log: log, Now: w.clock},
		Catalog: w.catalog, Links: links, People: w.people, Now: w.clock,
	})
	return request.Handler(request.Options{Auth: guests{}, Log: log}, s, Endpoints)
}

// guests are the guests of package apitest, all of them new but "old".
type guests struct{ apitest.ByName }

func (g guests) Speaker(ctx context.Context, shown identity.Credentials, accepted identity.Class) (identity.Speaker, error) {
	s, err := g.ByName.Speaker(ctx, shown, accepted)
	if s.Since = noon; shown.GuestToken == "old" {
		s.Since = noon.AddDate(0, 0, -7)
	}
	return s, err
}

// reply is all that any answer may hold.
type reply struct {
	list
	OK      bool
	Comment item
	Removed string
	Error   string
	Param   string
	Reason  string
	header  http.Header
}

// call does one call, as owner when that is not empty.
func call(t testing.TB, h http.Handler, owner, method, path, body string) (int, reply) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if owner != "" {
		r.Header.Set("X-Guest-Token", owner)
	}
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	v := reply{header: w.Header()}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, w.Body)
	}
	return w.Code, v
}

func at(channel string) string { return "/api/channels/" + channel + "/comments" }

func say(t testing.TB, h http.Handler, owner, channel, text string) (int, reply) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"body": text})
	if err != nil {
		t.Fatal(err)
	}
	return call(t, h, owner, "POST", at(channel), string(body))
}

// read returns the texts that somebody sees first.
func read(t testing.TB, h http.Handler, owner, channel string) []string {
	t.Helper()
	code, l := call(t, h, owner, "GET", at(channel), "")
	if code != http.StatusOK || l.Total != len(l.Items) {
		t.Fatalf("list: %d, %d of %d", code, len(l.Items), l.Total)
	}
	texts := []string{}
	for _, it := range l.Items {
		texts = append(texts, it.Body)
	}
	return texts
}

// TestOwnWrites shows each at once what that one wrote and took back, on
// whichever instance, and the others after some seconds.
func TestOwnWrites(t *testing.T) {
	w := newWorld(t, "A.br")
	one, other := w.instance(), w.instance()
	check := func(what string, h http.Handler, who string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(append([]string{}, want...), read(t, h, who, "A.br")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	check("nothing yet", one, "")
	check("nothing there either", other, "")
	w.wait(time.Second)
	_, r := say(t, one, "ana", "A.br", "hello")
	check("all see it where it was written", one, "", "hello")
	check("those elsewhere see it later", other, "bob")
	check("its author sees it everywhere", other, "ana", "hello")
	check("and then all do", other, "", "hello")
	w.wait(time.Second)
	call(t, one, "ana", "DELETE", "/api/comments/"+r.Comment.ID, "")
	check("gone where it was taken back", one, "")
	check("those elsewhere see it go later", other, "bob", "hello")
	check("its author sees it gone everywhere", other, "ana")
	say(t, one, "bob", "A.br", "hi")
	check("not yet", other, "")
	w.wait(fresh)
	check("some seconds later", other, "", "hi")
}

// TestMine marks the caller's own comments alone.
func TestMine(t *testing.T) {
	w := newWorld(t, "A.br")
	h := w.instance()
	_, r := say(t, h, "ana", "A.br", "hello")
	if !r.OK || !r.Comment.Mine || r.Comment.Author != speech.Nickname("g_ana") || r.Comment.API != links.Base+"/api/comments/"+r.Comment.ID {
		t.Errorf("posted: %+v", r.Comment)
	}
	for who, want := range map[string]bool{"ana": true, "bob": false, "": false} {
		if _, l := call(t, h, who, "GET", at("A.br"), ""); len(l.Items) != 1 || l.Items[0].Mine != want {
			t.Errorf("%q sees %+v, want mine %t", who, l.Items, want)
		}
	}
	if code, r := call(t, h, "bob", "DELETE", "/api/comments/"+r.Comment.ID, ""); code != 404 || r.Error != "comment_not_found" {
		t.Errorf("another's is taken back: %d %+v", code, r)
	}
}

// TestHidden leaves out the comments of authors that the caller hides, at once, on
// whichever instance.
func TestHidden(t *testing.T) {
	w := newWorld(t, "A.br")
	h, other := w.instance(), w.instance()
	for _, text := range []string{"by bob", "by eve", "again by bob"} {
		say(t, h, text[len(text)-3:], "A.br", text)
		w.wait(time.Second)
	}
	list := func(h http.Handler, owner string) (got []string) {
		_, l := call(t, h, owner, "GET", at("A.br"), "")
		if l.Total != 3 {
			t.Errorf("%d comments in all", l.Total)
		}
		for _, it := range l.Items {
			got = append(got, it.Body)
		}
		return got
	}
	all, rest := []string{"again by bob", "by eve", "by bob"}, []string{"by eve"}
	list(h, "ana") // is cached from now on
	hidden := moderation.Hidden{Owners: []moderation.HiddenOwner{{Owner: "g_bob"}}}
	if err := w.db.Set(t.Context(), moderation.HiddenPath("g_ana"), hidden); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		h     http.Handler
		owner string
		want  []string
	}{
		"the caller":                     {h, "ana", rest},
		"the caller on a fresh instance": {other, "ana", rest},
		"another caller":                 {h, "eve", all},
		"the hidden author":              {h, "bob", all},
		"without a credential":           {h, "", all},
	} {
		if d := cmp.Diff(test.want, list(test.h, test.owner)); d != "" {
			t.Errorf("%s sees (-want +got):\n%s", name, d)
		}
	}
}

// TestMuted answers a muted caller 403 with the end of the mute.
func TestMuted(t *testing.T) {
	w := newWorld(t, "A.br")
	h := w.instance()
	mute := moderation.Mute{ExpireAt: store.At(time.Now().Add(time.Hour))}
	w.wait(time.Since(noon)) // the database hides a mute that has ended
	if err := w.db.Set(t.Context(), moderation.MutePath("g_ana"), mute); err != nil {
		t.Fatal(err)
	}
	if code, r := say(t, h, "ana", "A.br", "hello"); code != http.StatusForbidden || r.Error != "muted" {
		t.Errorf("a muted caller: %d %+v", code, r)
	}
	if code, r := say(t, h, "bob", "A.br", "hello"); code != http.StatusOK {
		t.Errorf("another caller: %d %+v", code, r)
	}
	w.wait(time.Hour)
	if code, r := say(t, h, "ana", "A.br", "hello"); code != http.StatusOK {
		t.Errorf("when the mute has ended: %d %+v", code, r)
	}
}

// TestCost counts what pages read: for some seconds, nothing.
func TestCost(t *testing.T) {
	w := newWorld(t, "A.br", "B.br")
	db := &counting{DB: w.db}
	w.db = db
	h := w.instance()
	for i := range 3 {
		say(t, h, "ana", "A.br", fmt.Sprint(i))
	}
	w.wait(time.Minute)
	db.spent()
	check := func(what string, want [3]int32) {
		t.Helper()
		if got := db.spent(); got != want {
			t.Errorf("%s: reads, queried and counted %v, want %v", what, got, want)
		}
	}
	read(t, h, "", "A.br")
	check("the first page", [3]int32{0, 3, 0})
	for range 10 {
		read(t, h, "", "A.br")
	}
	check("the same page", [3]int32{})
	call(t, h, "", "GET", at("A.br")+"?offset=2", "")
	check("another page", [3]int32{})
	read(t, h, "bob", "A.br")
	check("a caller that may have written and may hide authors", [3]int32{2, 0, 0})
	read(t, h, "", "B.br")
	check("a channel without comments", [3]int32{})
	w.wait(fresh)
	read(t, h, "bob", "A.br")
	check("after some seconds", [3]int32{1, 3, 0})
}

// TestLimit refuses the comment after the last of the hour, on all instances.
func TestLimit(t *testing.T) {
	w := newWorld(t, "A.br", "B.br")
	hs := []http.Handler{w.instance(), w.instance()}
	var kept, refused atomic.Int32
	var g errgroup.Group
	for i := range 50 {
		g.Go(func() error {
			code, r := say(t, hs[i%2], "ana", []string{"A.br", "B.br"}[i%2], fmt.Sprint("hello ", i))
			switch {
			case code == 200:
				kept.Add(1)
			case code == 429 && r.Error == "comment_limit_reached" && r.header.Get("Retry-After") == "3600":
				refused.Add(1)
			default:
				return fmt.Errorf("%d %+v", code, r)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil || kept.Load() != comment.PerHour || refused.Load() != 50-comment.PerHour {
		t.Errorf("%d kept, %d refused, %v", kept.Load(), refused.Load(), err)
	}
	w.wait(time.Hour)
	if code, _ := say(t, hs[0], "ana", "A.br", "hello"); code != 200 {
		t.Errorf("an hour later: %d", code)
	}
}

// TestTold publishes what was said and taken back.
func TestTold(t *testing.T) {
	w := newWorld(t, "A.br")
	h := w.instance()
	_, r := say(t, h, "ana", "A.br", "hello")
	say(t, h, "bob", "A.br", "hi")
	call(t, h, "ana", "DELETE", "/api/comments/"+r.Comment.ID, "")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var mu sync.Mutex
	var counts social.Counts
	keys := map[string]bool{}
	err := w.events.Receive(ctx, social.Comments, func(_ context.Context, e bus.Event) error {
		c, err := social.CommentOf(e)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		counts.Apply(c)
		if keys[c.Key] = true; len(keys) == 3 {
			cancel()
		}
		return nil
	})
	if err != nil || counts.Comments != 1 || len(keys) != 3 {
		t.Errorf("%d comments of %d events, %v", counts.Comments, len(keys), err)
	}
	if n, err := w.db.Count(t.Context(), store.Query{Collection: "outbox"}); n != 0 || err != nil {
		t.Errorf("%d letters wait, %v", n, err)
	}
}

// TestOutage answers 503 without the database or the catalog, and goes on
// without the bus.
func TestOutage(t *testing.T) {
	w := newWorld(t, "A.br")
	sw := storetest.NewSwitch(w.db)
	w.db, w.events = sw, bustest.Broken()
	h := w.instance()
	code, r := say(t, h, "ana", "A.br", "hello")
	if code != 200 {
		t.Fatalf("without the bus: %d %+v", code, r)
	}
	sw.Off()
	calls := map[string]func() (int, reply){
		"list":   func() (int, reply) { return call(t, h, "ana", "GET", at("A.br"), "") },
		"post":   func() (int, reply) { return say(t, h, "ana", "A.br", "again") },
		"delete": func() (int, reply) { return call(t, h, "ana", "DELETE", "/api/comments/"+r.Comment.ID, "") },
	}
	for what, f := range calls {
		if code, r := f(); code != 503 || r.Error != "unavailable" {
			t.Errorf("%s without the database: %d %+v", what, code, r)
		}
	}
	sw.On()
	if got := read(t, h, "", "A.br"); len(got) != 1 {
		t.Errorf("a failure is remembered: %v", got)
	}
	sw.Off()
	if got := read(t, h, "ana", "A.br"); len(got) != 1 {
		t.Errorf("what is remembered is not shown without the database: %v", got)
	}
	sw.On()
	w.catalog.Shown = nil
	for what, want := range map[string]int{"list": 503, "post": 503, "delete": 200} {
		if code, r := calls[what](); code != want {
			t.Errorf("%s without the catalog: %d %+v, want %d", what, code, r, want)
		}
	}
}

// TestHostile sends what nobody should: an answer comes, and it is a refusal.
func TestHostile(t *testing.T) {
	h := newWorld(t, "A.br").instance()
	for _, body := range []string{
		``, `null`, `[]`, `"x"`, `{"body":null}`, `{"body":7}`, `{"body":["x"]}`, `{"body":"x"`, `{"body":"x","author":7}`,
		`{"body":"` + strings.Repeat("x", 501) + `"}`, `{"body":"` + strings.Repeat("x", 70_000) + `"}`, `{"body":"\u0000"}`,
		`{"body":"x\u202e"}`, `{"body":"x\u2066y"}`, `{"body":"x\rz"}`, `{"body":"\u200b"}`, "{\"body\":\"\xff\"}",
		`{"body":"x","author":"` + strings.Repeat("x", 41) + `"}`, `{"body":"x","author":"\u202e"}`, strings.Repeat("[", 60_000),
	} {
		if code, r := call(t, h, "ana", "POST", at("A.br"), body); code != 400 && code != 413 || r.Error == "" {
			t.Errorf("POST %.40q: %d %+v", body, code, r)
		}
	}
	for _, id := range []string{"cm_", "cm_..", "cm_%2f", "x", "cm_" + strings.Repeat("A", 26), "cm_" + strings.Repeat("a", 61), strings.Repeat("x", 200)} {
		if code, r := call(t, h, "ana", "DELETE", "/api/comments/"+id, ""); code != 400 && code != 404 || r.Error == "" {
			t.Errorf("DELETE %q: %d %+v", id, code, r)
		}
	}
	for _, id := range []string{"B.br", "%2e%2e%2fA.br", strings.Repeat("x", 300)} {
		if code, r := call(t, h, "", "GET", at(id), ""); code != 400 && code != 404 || r.Error == "" {
			t.Errorf("GET of %.20q: %d %+v", id, code, r)
		}
	}
	if got := read(t, h, "", "A.br"); len(got) != 0 {
		t.Errorf("kept: %q", got)
	}
}

// BenchmarkList shows a page of 20 comments that is remembered.
func BenchmarkList(b *testing.B) {
	w := newWorld(b, "A.br")
	h := w.instance()
	for i := range 20 {
		say(b, h, "ana", "A.br", fmt.Sprint("number ", i))
	}
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", at("A.br"), nil))
	}
}
