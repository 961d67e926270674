package history

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var (
	noon  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	links = catalog.LinkBase{Base: "https://mira.example"}
)

func serve(db store.DB, v index.DatedViewer, now func() time.Time) http.Handler {
	return request.Handler(request.Options{Auth: apitest.ByName{}}, New(db, v, links, now), Endpoints)
}

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

// call does one call as owner, and decodes the answer into v.
func call(t testing.TB, h http.Handler, owner, method, path, body string, v any) int {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("X-Guest-Token", owner)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, w.Body)
	}
	return w.Code
}

func play(t testing.TB, h http.Handler, owner, channel string) (p played) {
	t.Helper()
	if code := call(t, h, owner, "POST", path, fmt.Sprintf(`{"channel_id":%q}`, channel), &p); code != http.StatusOK {
		t.Fatalf("play of %s: %d", channel, code)
	}
	return p
}

func ids(l list) (ids []string) {
	for _, it := range l.Items {
		ids = append(ids, it.ChannelID)
	}
	return ids
}

// TestVanished shows only channels that the catalog still has, by the names
// that they have now; those that come back are there again.
func TestVanished(t *testing.T) {
	db := wiretest.OpenDB(t)
	c := &indextest.Catalog{Shown: indextest.Channels(t, links, nil, "A.br", "B.br", "C.br"), SyncedAt: noon}
	h := serve(db, c, at(noon))
	for _, id := range []string{"A.br", "B.br", "C.br", "B.br"} {
		play(t, h, "ana", id)
	}
	c.Shown = indextest.Channels(t, links, map[string]string{"A.br": "New.br"}, "New.br", "C.br")
	var l list
	call(t, h, "ana", "GET", path, "", &l)
	if diff := cmp.Diff([]string{"C.br", "New.br"}, ids(l)); diff != "" || l.Total != 2 {
		t.Errorf("%d in all (-want +got):\n%s", l.Total, diff)
	}
	if p := play(t, h, "ana", "A.br"); p.ChannelID != "New.br" || p.Plays != 2 {
		t.Errorf("a play by an old name: %+v", p)
	}
	c.Shown = indextest.Channels(t, links, nil, "A.br", "B.br", "C.br", "New.br")
	call(t, h, "ana", "GET", path, "", &l)
	if diff := cmp.Diff([]string{"New.br", "B.br", "C.br"}, ids(l)); diff != "" || l.Items[1].Plays != 2 {
		t.Errorf("after they are back (-want +got):\n%s", diff)
	}
}

// TestMerged shows a channel once that the catalog has made of two.
func TestMerged(t *testing.T) {
	c := &indextest.Catalog{Shown: indextest.Channels(t, links, nil, "A.br", "B.br"), SyncedAt: noon}
	h := serve(wiretest.OpenDB(t), c, at(noon))
	play(t, h, "ana", "A.br")
	play(t, h, "ana", "B.br")
	c.Shown = indextest.Channels(t, links, map[string]string{"A.br": "B.br"}, "B.br")
	var l list
	if call(t, h, "ana", "GET", path, "", &l); l.Total != 1 || len(l.Items) != 1 || l.Items[0].ChannelID != "B.br" {
		t.Errorf("%d in all: %v", l.Total, ids(l))
	}
	var r removed
	if code := call(t, h, "ana", "DELETE", path+"/B.br", "", &r); code != http.StatusOK {
		t.Errorf("removal: %d", code)
	}
	if call(t, h, "ana", "GET", path, "", &l); l.Total != 0 {
		t.Errorf("left: %v", ids(l))
	}
}

// TestStale says when the catalog is stale, as its health does.
func TestStale(t *testing.T) {
	db := wiretest.OpenDB(t)
	c := &indextest.Catalog{Shown: indextest.Channels(t, links, nil, "A.br"), SyncedAt: noon}
	play(t, serve(db, c, at(noon)), "ana", "A.br")
	for name, test := range map[string]struct {
		synced time.Time
		want   bool
	}{
		"fresh":  {noon, false},
		"old":    {noon.Add(-48 * time.Hour), false},
		"stale":  {noon.Add(-48*time.Hour - time.Second), true},
		"future": {noon.Add(time.Hour), false},
		"never":  {time.Time{}, true},
	} {
		c.SyncedAt = test.synced
		var l list
		call(t, serve(db, c, at(noon)), "ana", "GET", path, "", &l)
		if len(l.Items) != 1 || l.Items[0].Stale != test.want {
			t.Errorf("%s: %+v, want stale %t", name, l.Items, test.want)
		}
	}
}

// TestPages goes through a full history, and drops what is beyond its cap.
func TestPages(t *testing.T) {
	db := wiretest.OpenDB(t)
	var all []string
	for i := range kept.MaxHistory + 5 {
		all = append(all, fmt.Sprintf("C%03d.br", i))
	}
	now := noon
	h := serve(db, &indextest.Catalog{Shown: indextest.Channels(t, links, nil, all...), SyncedAt: noon}, func() time.Time { return now })
	for _, id := range all {
		now = now.Add(time.Second)
		play(t, h, "ana", id)
	}
	var got []string
	for next := path + "?limit=50"; next != ""; {
		var l list
		if code := call(t, h, "ana", "GET", next, "", &l); code != http.StatusOK || l.Total != kept.MaxHistory || l.Max != kept.MaxHistory {
			t.Fatalf("GET %s: %d, %+v", next, code, l.Position)
		}
		got = append(got, ids(l)...)
		next = ""
		if l.Next != nil {
			next = strings.TrimPrefix(*l.Next, links.Base)
		}
	}
	if len(got) != kept.MaxHistory || got[0] != all[len(all)-1] || got[len(got)-1] != all[5] {
		t.Errorf("%d channels, from %s to %s", len(got), got[0], got[len(got)-1])
	}
}

// counting counts what is asked of a database.
type counting struct {
	store.DB
	gets, updates, others atomic.Int32
}

func (c *counting) Get(ctx context.Context, p store.Path, doc any) error {
	c.gets.Add(1)
	return c.DB.Get(ctx, p, doc)
}

func (c *counting) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	c.others.Add(int32(len(ps)))
	return c.DB.GetAll(ctx, ps)
}

func (c *counting) Update(ctx context.Context, f func(store.Tx) error) error {
	c.updates.Add(1)
	return c.DB.Update(ctx, f)
}

// TestCost counts the documents of a page: one, however many channels it has.
func TestCost(t *testing.T) {
	db := &counting{DB: wiretest.OpenDB(t)}
	h := serve(db, &indextest.Catalog{Shown: indextest.Channels(t, links, nil, "A.br", "B.br", "C.br"), SyncedAt: noon}, at(noon))
	for _, id := range []string{"A.br", "B.br", "C.br"} {
		play(t, h, "ana", id)
	}
	var l list
	call(t, h, "ana", "GET", path, "", &l)
	if db.gets.Load() != 1 || db.updates.Load() != 3 || db.others.Load() != 0 {
		t.Errorf("%d reads, %d transactions, %d others; want 1, 3, 0", db.gets.Load(), db.updates.Load(), db.others.Load())
	}
}

// TestOutage answers 503 without the database; without the catalog, what needs
// it does.
func TestOutage(t *testing.T) {
	db := storetest.NewSwitch(wiretest.OpenDB(t))
	c := &indextest.Catalog{Shown: indextest.Channels(t, links, nil, "A.br"), SyncedAt: noon}
	h := serve(db, c, at(noon))
	play(t, h, "ana", "A.br")
	calls := map[string]string{"GET " + path: "", "POST " + path: `{"channel_id":"A.br"}`, "DELETE " + path: "", "DELETE " + path + "/A.br": ""}
	db.Off()
	for name, body := range calls {
		var f struct{ Error string }
		method, path, _ := strings.Cut(name, " ")
		if code := call(t, h, "ana", method, path, body, &f); code != http.StatusServiceUnavailable || f.Error != "unavailable" {
			t.Errorf("%s without the database: %d %s", name, code, f.Error)
		}
	}
	db.On()
	c.Shown = nil
	for name, want := range map[string]int{"GET " + path: 503, "POST " + path: 503, "DELETE " + path + "/A.br": 200} {
		var f struct{ Error string }
		method, path, _ := strings.Cut(name, " ")
		if code := call(t, h, "ana", method, path, calls[name], &f); code != want {
			t.Errorf("%s without the catalog: %d %s, want %d", name, code, f.Error, want)
		}
	}
}

// TestHostile sends what nobody should: an answer comes, and it is a refusal.
func TestHostile(t *testing.T) {
	h := serve(wiretest.OpenDB(t), &indextest.Catalog{Shown: indextest.Channels(t, links, nil, "A.br"), SyncedAt: noon}, at(noon))
	for _, body := range []string{
		``, `null`, `[]`, `"A.br"`, `{"channel_id":null}`, `{"channel_id":{}}`, `{"channel_id":["A.br"]}`, `{"channel_id":"A.br"`,
		`{"channel_id":"` + strings.Repeat("A", 257) + `"}`, `{"channel_id":"A.br\u0000"}`, strings.Repeat("[", 100_000), "{\"channel_id\":\"\xff\"}",
	} {
		var f struct{ Error string }
		if code := call(t, h, "ana", "POST", path, body, &f); code != 400 && code != 413 || f.Error == "" {
			t.Errorf("POST %.40q: %d %s", body, code, f.Error)
		}
	}
	for _, id := range []string{"..%2f..%2fx", "%00", "a%20b", strings.Repeat("x", 256), "A.br%00", "%F0%9F%93%BA"} {
		var f struct{ Error string }
		if code := call(t, h, "ana", "DELETE", path+"/"+id, "", &f); code != 400 && code != 404 || f.Error == "" {
			t.Errorf("DELETE %.40q: %d %s", id, code, f.Error)
		}
	}
}

// BenchmarkList shows the first page of a full history.
func BenchmarkList(b *testing.B) {
	db := wiretest.OpenDB(b)
	var all []string
	for i := range kept.MaxHistory {
		all = append(all, fmt.Sprintf("C%03d.br", i))
	}
	h := serve(db, &indextest.Catalog{Shown: indextest.Channels(b, links, nil, all...), SyncedAt: noon}, at(noon))
	for _, id := range all {
		play(b, h, "ana", id)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-Guest-Token", "ana")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}
