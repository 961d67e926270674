package functions

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// An idleCall is a call that changes nothing for a guest who has nothing.
type idleCall struct {
	method, path, body string
	status             int
}

// idleCalls are the writes among them.
var idleCalls = []idleCall{
	{"DELETE", "/api/favorites/Aurora.br", "", 404},
	{"DELETE", "/api/history/Aurora.br", "", 404},
	{"DELETE", "/api/history", "", 200},
	{"POST", "/api/history", `{"channel_id":"unknown"}`, 404},
	{"DELETE", "/api/comments/aaaaaaaaaaaaaaaaaaaaaaaaaa", "", 404},
	{"POST", "/api/channels/Aurora.br/comments", `{"body":""}`, 400},
	{"POST", "/api/categories", `{"name":""}`, 400},
	{"PATCH", "/api/categories/cat_x", `{"name":"TV"}`, 404},
	{"DELETE", "/api/items/itm_x", "", 404},
	{"POST", "/api/items/itm_x/play", "", 404},
	{"POST", "/api/library/import", "#EXTM3U\n", 400},
	{"POST", "/api/library/import", "#EXTM3U\n#EXTINF:-1,Nobody\nhttps://nobody.example/x.m3u8\n", 200},
	{"POST", "/api/library/import?replace=1", `{"v":1,"categories":[]}`, 400},
	{"POST", "/api/play-report", `{"channel_id":"unknown","ok":true}`, 404},
}

// TestIdleGuestLeavesNothing calls every endpoint that only reads, and writes that
// change nothing, as a guest who has nothing and as one who has only a favorite: no
// document is written, and none of the guest's is there.
func TestIdleGuestLeavesNothing(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		meter := storetest.NewMeter(db)
		d := deps(t, meter, fixture)
		h := mux(t, d)
		token, owner, err := d.Guests().Issue()
		if err != nil {
			t.Fatal(err)
		}
		old, _ := identity.OldGuest(oldToken)
		if err := db.Set(t.Context(), kept.FavoritesPath(old), kept.Favorites{Rows: []kept.Favorite{{Channel: "Beacon.uk"}}}); err != nil {
			t.Fatal(err)
		}
		calls := idleCalls
		for _, e := range Table() {
			if e.Method == "GET" && (e.Auth == api.Guest || e.Speaker) {
				calls = append(calls, idleCall{"GET", strings.NewReplacer("{$}", "", "{id}", "Aurora.br", "{channel_id}", "Aurora.br").Replace(e.Path), "", 200})
			}
		}
		for _, c := range calls {
			for _, credential := range []string{token, oldToken} {
				before := meter.Ops()
				if status := callAs(h, credential, c); status != c.status {
					t.Errorf("%s %s: %d, want %d", c.method, c.path, status, c.status)
				}
				if made := meter.Ops().Less(before); made.Writes+made.Deletes > 0 {
					t.Errorf("%s %s writes %d documents and deletes %d", c.method, c.path, made.Writes, made.Deletes)
				}
			}
		}
		docs, err := db.GetAll(t.Context(), []store.Path{
			library.Path(owner), kept.FavoritesPath(owner), kept.HistoryPath(owner), comment.PacePath(owner), library.Path(old),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range docs {
			if doc.Decode != nil {
				t.Errorf("%s is stored", doc.Path)
			}
		}
		if n, err := db.Count(t.Context(), store.Query{Collection: "feeds"}); err != nil || n != 0 {
			t.Errorf("%d feeds are stored, %v", n, err)
		}
	})
}

// callAs makes a call with a guest token, and returns the status.
func callAs(h http.Handler, token string, c idleCall) int {
	r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
	r.Header.Set("X-Guest-Token", token)
	r.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(c.body, "#") {
		r.Header.Set("Content-Type", "text/plain")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// TestFirstFeedAddress copies the feed address of a library before anything is kept
// in it: it opens nothing yet, stays the same while the key of guests is replaced,
// and is the address of the first folder.
func TestFirstFeedAddress(t *testing.T) {
	before := deps(t, openEmbedded(t), fixture)
	after := *before
	after.Config.GuestKeys = keyringtest.Ring("next:" + accountSecret + ",main:" + guestSecret)
	old, next := mux(t, before), mux(t, &after)
	token, _, err := before.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := before.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	address := func(h http.Handler, method, path, token, body string) string {
		t.Helper()
		res, text := apitest.Do(t, h, method, path, body, "X-Guest-Token", token, "Content-Type", "application/json")
		var shown struct{ Feeds struct{ M3U string } }
		if err := json.Unmarshal([]byte(text), &shown); err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s %s", method, path, res.Status, text)
		}
		return strings.TrimPrefix(shown.Feeds.M3U, before.Config.BaseURL)
	}
	opens := func(when, path string, want int) {
		t.Helper()
		for name, h := range map[string]http.Handler{"with the old key": old, "with the new key": next} {
			if res, body := apitest.Do(t, h, "GET", path, ""); res.StatusCode != want {
				t.Errorf("%s, %s: %s %s, want %d", when, name, res.Status, body, want)
			}
		}
	}
	first := address(old, "GET", "/api/library", token, "")
	opens("before the first change", first, http.StatusNotFound)
	if got := address(next, "GET", "/api/library", token, ""); got != first {
		t.Errorf("the address is %s with the new key, and was %s", got, first)
	}
	if got := address(old, "GET", "/api/library", other, ""); got == first {
		t.Error("two guests have one address")
	}
	if got := address(next, "POST", "/api/categories", token, `{"name":"TV"}`); got != first {
		t.Errorf("the address is %s after the first change, and was %s", got, first)
	}
	opens("after the first change", first, http.StatusOK)
	fresh := address(old, "POST", "/api/library/feed-token", token, "")
	opens("after it was replaced", first, http.StatusNotFound)
	opens("the address that replaced it", fresh, http.StatusOK)
	// A guest may replace the address before the first change, too.
	hidden := address(old, "GET", "/api/library", other, "")
	shown := address(old, "POST", "/api/library/feed-token", other, "")
	if got := address(old, "POST", "/api/categories", other, `{"name":"TV"}`); got != shown || shown == hidden {
		t.Errorf("the address is %s after the first change, and was %s, and %s before it was replaced", got, shown, hidden)
	}
	opens("replaced before the first change", hidden, http.StatusNotFound)
}
