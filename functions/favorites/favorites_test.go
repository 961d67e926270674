package favorites

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
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
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var (
	noon  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	links = catalog.LinkBase{Base: "https://mira.example"}
)

// A world is the function with all that it stands on, at a time that tests set.
type world struct {
	db      store.DB
	events  bus.Bus
	catalog *indextest.Catalog
	overlay *social.Overlay

	mu  sync.Mutex
	now time.Time // guarded by mu
}

func newWorld(t testing.TB, ids ...string) *world {
	db, events := wiretest.Open(t, social.Topology())
	return &world{db: db, events: events, catalog: &indextest.Catalog{Shown: indextest.Channels(t, links, nil, ids...), SyncedAt: noon}, now: noon}
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

// people names networks, alike at every instance.
var people = identity.NewPeople(keyringtest.Ring("a key of the tests, of 32 letters or so"))

// instance returns one more process that serves.
func (w *world) instance() http.Handler {
	log := slog.New(slog.DiscardHandler)
	s := New(Options{
		DB: w.db, Outbox: &outbox.Outbox{DB: w.db, Bus: w.events, Log: log, Now: w.clock},
		Overlay: w.overlay, People: people, Catalog: w.catalog, Links: links, Now: w.clock,
	})
	return request.Handler(request.Options{Auth: apitest.ByName{}, Log: log}, s, Endpoints)
}

// reply is all that any answer may hold.
type reply struct {
	list
	OK, Favorited, Created bool
	ChannelID              string `json:"channel_id"`
	Favorites              int
	Error                  string
}

// call does one call as owner.
func call(t testing.TB, h http.Handler, owner, method, path, body string) (int, reply) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("X-Guest-Token", owner)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var v reply
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, w.Body)
	}
	return w.Code, v
}

func like(t testing.TB, h http.Handler, owner, channel string) (int, reply) {
	t.Helper()
	return call(t, h, owner, "POST", path, fmt.Sprintf(`{"channel_id":%q}`, channel))
}

func unlike(t testing.TB, h http.Handler, owner, channel string) (int, reply) {
	t.Helper()
	return call(t, h, owner, "DELETE", path+"/"+channel, "")
}

// count counts the events that wait at the bus as aggregate does, in one go.
func (w *world) count(t testing.TB, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var mu sync.Mutex
	err := w.events.Receive(ctx, social.Favorites, func(_ context.Context, e bus.Event) error {
		mu.Lock()
		defer mu.Unlock()
		f, err := social.FavoriteOf(e)
		if err != nil {
			return err
		}
		if n--; n == 0 {
			defer cancel()
		}
		return w.apply(t, f)
	})
	if err != nil || n > 0 {
		t.Fatalf("%d events did not come: %v", n, err)
	}
}

// TestNetwork checks that a new favorite names the network that it came from, as
// package social does, and that its end names none.
func TestNetwork(t *testing.T) {
	w := newWorld(t, "A.br")
	h := w.instance()
	like(t, h, "ana", "A.br")
	unlike(t, h, "ana", "A.br")
	id := people.WiderNetwork(identity.Caller{Addr: netip.MustParseAddr("192.0.2.99")}, identity.DayOf(w.clock())) // httptest calls from there
	want := map[int]string{1: social.NetworkOf(id, "A.br"), -1: ""}
	got := map[int]string{}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var mu sync.Mutex
	err := w.events.Receive(ctx, social.Favorites, func(_ context.Context, e bus.Event) error {
		f, err := social.FavoriteOf(e)
		mu.Lock()
		defer mu.Unlock()
		if got[f.Delta] = f.Network; len(got) == len(want) {
			cancel()
		}
		return err
	})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func (w *world) apply(t testing.TB, f social.Favorite) error {
	kept, err := social.ReadCounted(t.Context(), w.db, f.Channel)
	if err != nil {
		return err
	}
	kept.Apply(f)
	about := f.About()
	if kept.Seen == nil {
		kept.Seen = map[string]fact.Seen{}
	}
	mark := about.Mark()
	kept.Seen[about.Day()] = fact.Seen{Marks: append(kept.Seen[about.Day()].Marks, mark[:]...)}
	return w.db.Set(t.Context(), social.CountsPath(f.Channel), kept)
}

// TestNumbers checks the number of favorites in answers, before and after the
// facts are counted.
func TestNumbers(t *testing.T) {
	w := newWorld(t, "A.br", "B.br")
	h := w.instance()
	check := func(what string, wantCode, want int, code int, r reply) {
		t.Helper()
		if code != wantCode || r.Favorites != want {
			t.Errorf("%s: %d, %d people; want %d, %d", what, code, r.Favorites, wantCode, want)
		}
	}
	do := func(what string, want int, f func(testing.TB, http.Handler, string, string) (int, reply), who string) {
		t.Helper()
		code, r := f(t, h, who, "A.br")
		check(what, 200, want, code, r)
	}
	do("the first", 1, like, "ana")
	do("the second, before the first is counted", 2, like, "bob")
	w.count(t, 2)
	do("again, after both are counted", 2, like, "ana")
	do("the third", 3, like, "eve")
	do("one less, before the third is counted", 2, unlike, "bob")
	w.count(t, 2)
	do("after all is counted", 2, like, "ana")

	h = w.instance() // which remembers nothing
	do("another instance", 3, like, "bob")
	do("and back", 2, unlike, "bob")
	w.wait(2 * countedWithin)
	do("what is not counted for long is not known", 2, like, "ana")
	_, l := call(t, h, "ana", "GET", path, "")
	if len(l.Items) != 1 || l.Items[0].Favorites != 2 {
		t.Errorf("list: %+v", l.Items)
	}
}

// TestCreated checks that an answer says whether a favorite is new.
func TestCreated(t *testing.T) {
	h := newWorld(t, "A.br").instance()
	for i, want := range []bool{true, false} {
		if _, r := like(t, h, "ana", "A.br"); r.Created != want || !r.Favorited || !r.OK {
			t.Errorf("call %d: %+v", i, r)
		}
	}
	if code, r := unlike(t, h, "bob", "A.br"); code != 404 || r.Error != "favorite_not_found" {
		t.Errorf("another's: %d %+v", code, r)
	}
	if code, r := unlike(t, h, "ana", "A.br"); code != 200 || r.Favorited || !r.OK || r.ChannelID != "A.br" {
		t.Errorf("removed: %d %+v", code, r)
	}
	if code, _ := unlike(t, h, "ana", "A.br"); code != 404 {
		t.Errorf("again: %d", code)
	}
}

// TestVanished shows only channels that the catalog still has, and lets people
// drop those that it has not.
func TestVanished(t *testing.T) {
	w := newWorld(t, "A.br", "B.br", "C.br")
	h := w.instance()
	for _, id := range []string{"A.br", "B.br", "C.br"} {
		like(t, h, "ana", id)
	}
	w.catalog.Shown = indextest.Channels(t, links, map[string]string{"A.br": "New.br"}, "New.br", "C.br")
	_, l := call(t, h, "ana", "GET", path, "")
	var ids []string
	for _, it := range l.Items {
		ids = append(ids, it.ChannelID)
	}
	if diff := cmp.Diff([]string{"C.br", "New.br"}, ids); diff != "" || l.Total != 2 {
		t.Errorf("%d in all (-want +got):\n%s", l.Total, diff)
	}
	if len(l.Gone) != 1 || l.Gone[0].ChannelID != "B.br" || l.Gone[0].Reason != "vanished" {
		t.Errorf("gone: %+v, want B.br", l.Gone)
	}
	for _, id := range []string{"B.br", "New.br"} {
		if code, r := unlike(t, h, "ana", id); code != 200 || r.ChannelID != id {
			t.Errorf("removal of %s: %d %+v", id, code, r)
		}
	}
	if code, r := like(t, h, "ana", "B.br"); code != 404 || r.Error != "channel_not_found" {
		t.Errorf("a channel that is gone: %d %+v", code, r)
	}
}

// TestFull refuses what does not fit.
func TestFull(t *testing.T) {
	w := newWorld(t, "A.br", "B.br")
	_, _, err := kept.UpdateFavorites(t.Context(), w.db, "g_ana", func(f *kept.Favorites) ([]social.Favorite, error) {
		f.Rows = nil
		for i := range kept.MaxFavorites - 1 {
			f.Rows = append(f.Rows, kept.Favorite{Channel: fmt.Sprint("C", i), Since: store.At(noon)})
		}
		return f.Add("A.br", noon, func(id string) (string, bool) { return id, true })
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range kept.MaxFavorites - 1 {
		all = append(all, fmt.Sprint("C", i))
	}
	w.catalog.Shown = indextest.Channels(t, links, nil, append(all, "A.br", "B.br")...)
	h := w.instance()
	if code, r := like(t, h, "ana", "B.br"); code != 400 || r.Error != "favorites_limit_reached" || r.Max != kept.MaxFavorites {
		t.Errorf("one more: %d %+v", code, r)
	}
	if code, r := like(t, h, "ana", "A.br"); code != 200 || r.Created {
		t.Errorf("one that is there: %d %+v", code, r)
	}
	unlike(t, h, "ana", "C7")
	if code, _ := like(t, h, "ana", "B.br"); code != 200 {
		t.Errorf("after there is room: %d", code)
	}
}

// TestCrowd lets many people like a channel at once, on two instances, and
// some think better of it. Counted, the number is right.
func TestCrowd(t *testing.T) {
	w := newWorld(t, "A.br")
	hs := []http.Handler{w.instance(), w.instance()}
	var g errgroup.Group
	const people = 50
	for i := range people {
		g.Go(func() error {
			h, who := hs[i%2], fmt.Sprint("p", i)
			if code, r := like(t, h, who, "A.br"); code != 200 || !r.Created || r.Favorites < 1 || r.Favorites > people {
				return fmt.Errorf("%s: %d %+v", who, code, r)
			}
			if i%5 == 0 {
				if code, _ := unlike(t, h, who, "A.br"); code != 200 {
					return fmt.Errorf("%s takes it back: %d", who, code)
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	w.count(t, people+people/5)
	if _, r := like(t, w.instance(), "last", "A.br"); r.Favorites != people-people/5+1 {
		t.Errorf("%d people, want %d", r.Favorites, people-people/5+1)
	}
}

// TestBusAway adds favorites without a bus: the facts are kept, and callers get
// their answers.
func TestBusAway(t *testing.T) {
	w := newWorld(t, "A.br")
	events := w.events
	w.events = bustest.Broken()
	if code, r := like(t, w.instance(), "ana", "A.br"); code != 200 || !r.Created || r.Favorites != 1 {
		t.Fatalf("without the bus: %d %+v", code, r)
	}
	w.events = events
	w.wait(outbox.Grace)
	out := &outbox.Outbox{DB: w.db, Bus: events, Log: slog.New(slog.DiscardHandler), Now: w.clock}
	if n, err := out.Sweep(t.Context()); n != 1 || err != nil {
		t.Fatalf("swept %d, %v", n, err)
	}
	w.count(t, 1)
	if c, err := social.ReadCounts(t.Context(), w.db, "A.br"); err != nil || c.Favorites != 1 {
		t.Errorf("counted %d, %v", c.Favorites, err)
	}
}

// TestOutage answers 503 without the database; what was kept before it went is
// answered as kept.
func TestOutage(t *testing.T) {
	w := newWorld(t, "A.br", "B.br")
	sw := storetest.NewSwitch(w.db)
	w.db = sw
	h := w.instance()
	sw.OffAfter(1) // the transaction, and nothing after it
	if code, r := like(t, h, "ana", "A.br"); code != 200 || !r.Created || r.Favorites != 1 {
		t.Errorf("the database goes after the commit: %d %+v", code, r)
	}
	sw.Off()
	for what, f := range map[string]func() (int, reply){
		"list": func() (int, reply) { return call(t, h, "ana", "GET", path, "") },
		"add":  func() (int, reply) { return like(t, h, "ana", "B.br") },
		"drop": func() (int, reply) { return unlike(t, h, "ana", "A.br") },
	} {
		if code, r := f(); code != 503 || r.Error != "unavailable" {
			t.Errorf("%s: %d %+v", what, code, r)
		}
	}
	sw.On()
	w.catalog.Shown = nil
	if code, r := like(t, h, "ana", "B.br"); code != 503 || r.Error != "catalog_unavailable" {
		t.Errorf("without the catalog: %d %+v", code, r)
	}
	if code, _ := unlike(t, h, "ana", "A.br"); code != 200 {
		t.Errorf("removal without the catalog: %d", code)
	}
}

// TestRecentReordered has what was read first come last: changes that it lacks
// and that are forgotten still count.
func TestRecentReordered(t *testing.T) {
	var r recent
	var early, late social.Counted
	early.Favorites, early.Revision = 4, 1
	late.Favorites, late.Revision = 4, 1
	for range 3 {
		f := social.Favorite{Key: fact.NewKey(), Channel: "A.br", Delta: 1, At: noon}
		r.add(f, noon)
		mark := f.About().Mark()
		late.Seen = map[string]fact.Seen{"2026-11-22": {Marks: append(late.Seen["2026-11-22"].Marks, mark[:]...)}}
		late.Favorites++
		late.Revision++
	}
	for _, counted := range []*social.Counted{&early, &late, &early, &late} {
		if n := r.total("A.br", counted, noon); n != 7 {
			t.Errorf("%d people by revision %d, want 7", n, counted.Revision)
		}
	}
}

// TestRecentSpilled counts nobody twice on a day of so many keys that most lie
// elsewhere.
func TestRecentSpilled(t *testing.T) {
	var r recent
	r.add(social.Favorite{Key: fact.NewKey(), Channel: "A.br", Delta: 1, At: noon}, noon)
	counted := social.Counted{Ledger: fact.Ledger{Seen: map[string]fact.Seen{"2026-11-22": {Spilled: 1}}}}
	counted.Favorites, counted.Revision = 4, 1
	if n := r.total("A.br", &counted, noon.Add(time.Second)); n != 5 {
		t.Errorf("at once %d people, want 5", n)
	}
	counted.Favorites, counted.Revision = 5, 2
	if n := r.total("A.br", &counted, noon.Add(2*countedSoon)); n != 5 {
		t.Errorf("when it is counted %d people, want 5", n)
	}
}

// TestRecentIsBounded makes more channels than are remembered.
func TestRecentIsBounded(t *testing.T) {
	var r recent
	for i := range 3 * maxChannels {
		r.add(social.Favorite{Channel: fmt.Sprint(i), Delta: 1, At: noon}, noon.Add(time.Duration(i)*time.Millisecond))
		if len(r.channels) > maxChannels {
			t.Fatalf("%d channels remembered", len(r.channels))
		}
	}
}
