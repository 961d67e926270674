package library

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// A stage is the function with some public libraries: that of ana is shown, that of hid
// is hidden, and that of wim was withdrawn. Bob follows all of them, and a folder of ana
// that is gone.
type stage struct {
	http.Handler
	db      store.DB
	replace *strings.Replacer // names such as ANA_FOLDER in paths and bodies by ids
}

func newStage(t *testing.T) stage {
	t.Helper()
	db := wiretest.OpenDB(t)
	s := stage{Handler: serve(db, &indextest.Catalog{Shown: viewOf(t, records())}), db: db}
	ok := func(owner, method, path, body string) reply {
		t.Helper()
		status, got := call(t, s, owner, method, path, body)
		if status != http.StatusOK {
			t.Fatalf("%s %s: %d %s", method, path, status, got.Error)
		}
		return got
	}
	var ids []string
	for _, owner := range []string{"ana", "hid", "wim", "bob"} {
		folder := ok(owner, "POST", "/api/categories", `{"name":"TV"}`)
		ok(owner, "POST", "/api/items", `{"group_id":"`+folder.GroupID+`","channel_id":"Aurora.br"}`)
		other := ok(owner, "POST", "/api/categories", `{"name":"Other"}`)
		ids = append(ids, strings.ToUpper(owner)+"_FOLDER", folder.ID, strings.ToUpper(owner)+"_OTHER", other.ID)
		if owner == "bob" {
			break
		}
		ok(owner, "PUT", "/api/library/public", `{"name":"`+owner+`-tv","title":"The TV","folders":["`+folder.ID+`","`+other.ID+`"]}`)
		row := ok("bob", "POST", "/api/following", `{"library":"`+owner+`-tv"}`)
		ids = append(ids, strings.ToUpper(owner)+"_ROW", row.Followed.ID)
		if owner == "ana" {
			ids = append(ids, "GONE_ROW", ok("bob", "POST", "/api/following", `{"library":"ana-tv","folder":"other"}`).Followed.ID)
			ok(owner, "DELETE", "/api/categories/"+other.ID, "")
		}
	}
	ok("wim", "DELETE", "/api/library/public", "")
	s.update(t, func(tx store.Tx) error {
		p, err := public.Lookup(tx, "hid-tv")
		if err != nil {
			return err
		}
		return p.Hide(tx, &public.Hiding{Reason: "Advertising", Since: store.At(noon)})
	})
	s.replace = strings.NewReplacer(ids...)
	return s
}

func (s stage) update(t *testing.T, f func(store.Tx) error) {
	t.Helper()
	if err := s.db.Update(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// A step is a call and what its answer must have, and must not have.
type step struct {
	name, owner, method, path, body string
	status                          int
	want, lacks                     []string
}

func (c step) run(t *testing.T, s stage) {
	t.Helper()
	r := httptest.NewRequest(c.method, s.replace.Replace(c.path), strings.NewReader(s.replace.Replace(c.body)))
	r.Header.Set("Content-Type", "application/json")
	if c.owner != "" {
		r.Header.Set("X-Guest-Token", c.owner)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != c.status {
		t.Errorf("%s: %d, want %d: %s", c.name, w.Code, c.status, w.Body)
	}
	for _, part := range c.want {
		if part = s.replace.Replace(part); !strings.Contains(w.Body.String(), part) {
			t.Errorf("%s lacks %s: %s", c.name, part, w.Body)
		}
	}
	for _, part := range c.lacks {
		if part = s.replace.Replace(part); strings.Contains(w.Body.String(), part) {
			t.Errorf("%s has %s: %s", c.name, part, w.Body)
		}
	}
}

func runAll(t *testing.T, steps []step) {
	t.Helper()
	for _, c := range steps {
		t.Run(c.name, func(t *testing.T) { c.run(t, newStage(t)) })
	}
}

const (
	unknown  = `"error":"public_library_not_found"`
	noFolder = `"error":"category_not_found"`
	taken    = `"error":"library_name_taken"`
	words    = `"error":"invalid_publication"`
)

func TestGetOwnPublic(t *testing.T) {
	const path = "/api/library/public"
	runAll(t, []step{
		{name: "shown", owner: "ana", method: "GET", path: path, status: 200, want: []string{`"published":true`, `"hidden":null`, `"folders":["ANA_FOLDER"]`, `"name":"ana-tv"`}, lacks: []string{"ANA_OTHER"}},
		{name: "hidden", owner: "hid", method: "GET", path: path, status: 200, want: []string{`"published":true`, `"reason":"Advertising"`, `"name":"hid-tv"`}},
		{name: "withdrawn", owner: "wim", method: "GET", path: path, status: 200, want: []string{`{"published":false,"hidden":null,"folders":[],"public":null}`}},
		{name: "none", owner: "eve", method: "GET", path: path, status: 200, want: []string{`{"published":false,"hidden":null,"folders":[],"public":null}`}},
		{name: "anonymous", method: "GET", path: path, status: 401},
	})
}

func TestPutPublic(t *testing.T) {
	put := func(name, owner, body string, status int, want ...string) step {
		return step{name: name, owner: owner, method: "PUT", path: "/api/library/public", body: body, status: status, want: want}
	}
	runAll(t, []step{
		put("changed", "ana", `{"name":"ana-tv","title":"New","folders":["ANA_FOLDER"]}`, 200, `"published":true`, `"title":"New"`),
		put("hidden stays hidden", "hid", `{"name":"hid-tv","title":"New","folders":["HID_FOLDER"]}`, 200, `"published":true`, `"reason":"Advertising"`, `"title":"New"`),
		put("withdrawn comes back", "wim", `{"name":"wim-tv","title":"New","folders":["WIM_FOLDER"]}`, 200, `"published":true`, `"hidden":null`),
		put("a name that is shown", "bob", `{"name":"ana-tv","title":"x","folders":["BOB_FOLDER"]}`, 409, taken),
		put("a name that is hidden", "bob", `{"name":"hid-tv","title":"x","folders":["BOB_FOLDER"]}`, 409, taken),
		put("a name that is reserved", "bob", `{"name":"wim-tv","title":"x","folders":["BOB_FOLDER"]}`, 409, taken),
		put("a folder that is gone", "ana", `{"name":"ana-tv","title":"x","folders":["ANA_OTHER"]}`, 404, noFolder),
		put("a folder of another", "bob", `{"name":"bob-tv","title":"x","folders":["ANA_FOLDER"]}`, 404, noFolder),
		put("no name", "bob", `{"name":"Bob TV","title":"x","folders":["BOB_FOLDER"]}`, 400, words, `"param":"name"`),
		put("a name of the service", "bob", `{"name":"admin","title":"x","folders":["BOB_FOLDER"]}`, 400, words, `"reason":"reserved"`),
		put("no title", "bob", `{"name":"bob-tv","title":" ","folders":["BOB_FOLDER"]}`, 400, words, `"param":"title"`),
		put("a long text", "bob", `{"name":"bob-tv","title":"x","about":"`+strings.Repeat("x", 501)+`","folders":["BOB_FOLDER"]}`, 400, words, `"bound":500`),
		put("no folders", "bob", `{"name":"bob-tv","title":"x","folders":[]}`, 400),
		put("another type", "bob", `{"name":"bob-tv","title":"x","folders":"BOB_FOLDER"}`, 400),
		put("anonymous", "", `{"name":"bob-tv","title":"x","folders":["BOB_FOLDER"]}`, 401),
	})
}

// TestPreviewPublic checks that a preview refuses what publishing would refuse, and stores
// nothing.
func TestPreviewPublic(t *testing.T) {
	preview := func(name, owner, called, folder string, status int, want ...string) step {
		body := `{"name":"` + called + `","title":"New","folders":["` + folder + `"],"preview":true}`
		return step{name: name, owner: owner, method: "PUT", path: "/api/library/public", body: body, status: status, want: want}
	}
	for _, c := range []step{
		preview("its own name", "ana", "ana-tv", "ANA_FOLDER", 200, `"published":false`, `"title":"New"`),
		preview("another name", "ana", "ana-fm", "ANA_FOLDER", 200, `"name":"ana-fm"`),
		preview("hidden", "hid", "hid-tv", "HID_FOLDER", 200, `"title":"New"`),
		preview("withdrawn", "wim", "wim-tv", "WIM_FOLDER", 200, `"title":"New"`),
		preview("a name that is shown", "bob", "ana-tv", "BOB_FOLDER", 409, taken),
		preview("a name that is hidden", "bob", "hid-tv", "BOB_FOLDER", 409, taken),
		preview("a folder that is gone", "ana", "ana-tv", "ANA_OTHER", 404, noFolder),
		preview("no name", "bob", "--", "BOB_FOLDER", 400, words),
		preview("anonymous", "", "bob-tv", "BOB_FOLDER", 401),
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			c.run(t, s)
			for _, owner := range []string{"ana", "hid", "wim", "bob"} {
				step{name: owner + " afterwards", owner: owner, method: "GET", path: "/api/library/public", status: 200, lacks: []string{`"title":"New"`}}.run(t, s)
			}
		})
	}
	s := newStage(t)
	mute := moderation.Mute{Reason: "Spam", Since: store.At(noon), ExpireAt: store.At(noon.Add(time.Hour))}
	s.update(t, func(tx store.Tx) error { return tx.Set(moderation.MutePath("g_bob"), mute) })
	preview("muted", "bob", "bob-tv", "BOB_FOLDER", 403, `"error":"muted"`).run(t, s)
}

func TestRemovePublic(t *testing.T) {
	const path = "/api/library/public"
	runAll(t, []step{
		{name: "shown", owner: "ana", method: "DELETE", path: path, status: 200, want: []string{`"removed":true`}},
		{name: "hidden", owner: "hid", method: "DELETE", path: path, status: 200, want: []string{`"removed":true`}},
		{name: "withdrawn", owner: "wim", method: "DELETE", path: path, status: 200, want: []string{`"removed":false`}},
		{name: "none", owner: "eve", method: "DELETE", path: path, status: 200, want: []string{`"removed":false`}},
		{name: "anonymous", method: "DELETE", path: path, status: 401},
	})
	s := newStage(t)
	step{name: "hidden", owner: "hid", method: "DELETE", path: path, status: 200}.run(t, s)
	step{name: "the mark of a hidden one stays", owner: "hid", method: "GET", path: path, status: 200, want: []string{`"published":false`, `"reason":"Advertising"`, `"public":null`}}.run(t, s)
}

func TestOpenPublic(t *testing.T) {
	const path = "/api/libraries/"
	none := func(name, called string) step {
		return step{name: name, method: "GET", path: path + called, status: 404, want: []string{unknown}}
	}
	runAll(t, []step{
		{name: "shown", method: "GET", path: path + "ana-tv", status: 200, want: []string{`"name":"ana-tv"`, `"slug":"tv"`, `"channel_id":"Aurora.br"`, `"followers":null`}, lacks: []string{"g_ana", "ANA_FOLDER", `"slug":"other"`}},
		none("hidden", "hid-tv"), none("withdrawn", "wim-tv"), none("unknown", "eve-tv"), none("no name", "Ana-TV"), none("an id", "pub_aaaaaaaaaaaaaaaaaaaa"), none("a path", "..%2Fana-tv"),
		{name: "long", method: "GET", path: path + strings.Repeat("a", 65), status: 404},
	})
}

// countless is a database that counts nothing.
type countless struct{ store.DB }

func (countless) Count(context.Context, store.Query) (int, error) { return 0, errors.New("no answer") }

// TestUncounted checks that a public library is shown while its followers cannot be counted.
func TestUncounted(t *testing.T) {
	s := newStage(t)
	s.Handler = serve(countless{s.db}, &indextest.Catalog{Shown: viewOf(t, records())})
	for _, c := range []step{
		{name: "to everybody", method: "GET", path: "/api/libraries/ana-tv"},
		{name: "to its owner", owner: "ana", method: "GET", path: "/api/library/public"},
		{name: "published", owner: "ana", method: "PUT", path: "/api/library/public", body: `{"name":"ana-tv","title":"x","folders":["ANA_FOLDER"]}`},
	} {
		c.status, c.want = 200, []string{`"name":"ana-tv"`, `"followers":null`}
		c.run(t, s)
	}
}

func TestCopyFolder(t *testing.T) {
	copied := func(name, owner, at string, status int, want ...string) step {
		return step{name: name, owner: owner, method: "POST", path: "/api/libraries/" + at + "/copy", status: status, want: want}
	}
	runAll(t, []step{
		copied("shown", "eve", "ana-tv/folders/tv", 200, `"name":"TV"`, `"created":true`),
		copied("the same as a folder", "bob", "ana-tv/folders/tv", 200, `"id":"BOB_FOLDER"`, `"created":false`),
		copied("its own", "ana", "ana-tv/folders/tv", 200, `"id":"ANA_FOLDER"`, `"created":false`),
		copied("gone", "bob", "ana-tv/folders/other", 404, noFolder),
		copied("hidden", "bob", "hid-tv/folders/tv", 404, unknown),
		copied("hidden, by its owner", "hid", "hid-tv/folders/tv", 404, unknown),
		copied("withdrawn", "bob", "wim-tv/folders/tv", 404, unknown),
		copied("no name", "bob", "Ana-TV/folders/tv", 404, unknown),
		copied("no slug", "bob", "ana-tv/folders/%3Cb%3E", 404, noFolder),
		copied("anonymous", "", "ana-tv/folders/tv", 401),
	})
}

func TestFollow(t *testing.T) {
	add := func(name, owner, body string, status int, want ...string) step {
		return step{name: name, owner: owner, method: "POST", path: "/api/following", body: body, status: status, want: want}
	}
	runAll(t, []step{
		add("shown", "eve", `{"library":"ana-tv"}`, 200, `"created":true`, `"folder":null`, `"gone":false`),
		add("a folder", "eve", `{"library":"ana-tv","folder":"tv"}`, 200, `"created":true`, `"folder":"tv"`),
		add("again", "bob", `{"library":"ana-tv"}`, 200, `"created":false`, `"id":"ANA_ROW"`),
		add("a folder that is gone", "bob", `{"library":"ana-tv","folder":"other"}`, 404, noFolder),
		add("its own", "ana", `{"library":"ana-tv"}`, 400, `"error":"own_library"`),
		add("hidden", "eve", `{"library":"hid-tv"}`, 404, unknown),
		add("withdrawn", "eve", `{"library":"wim-tv"}`, 404, unknown),
		add("no name", "eve", `{"library":"../ana-tv"}`, 404, unknown),
		add("nothing", "eve", `{}`, 400),
		add("another type", "eve", `{"library":["ana-tv"]}`, 400),
		add("anonymous", "", `{"library":"ana-tv"}`, 401),
	})
}

func TestUnfollow(t *testing.T) {
	remove := func(name, owner, id string, status int, want ...string) step {
		return step{name: name, owner: owner, method: "DELETE", path: "/api/following/" + id, status: status, want: want}
	}
	runAll(t, []step{
		remove("shown", "bob", "ANA_ROW", 200, `"removed":true`), remove("gone", "bob", "GONE_ROW", 200, `"removed":true`),
		remove("hidden", "bob", "HID_ROW", 200, `"removed":true`), remove("withdrawn", "bob", "WIM_ROW", 200, `"removed":true`),
		remove("of another", "ana", "ANA_ROW", 200, `"removed":false`), remove("unknown", "bob", "fol_aaaaaaaaaaaa", 200, `"removed":false`),
		remove("no id", "bob", "..%2F", 200, `"removed":false`), remove("anonymous", "", "ANA_ROW", 401),
	})
}

// TestListFollowing checks the pages of what bob follows, and the entries of one library.
func TestListFollowing(t *testing.T) {
	s := newStage(t)
	for _, test := range []struct {
		owner, query string
		status       int
		want         []string // id and whether it is gone
		total        int
		next         string
	}{
		{"bob", "", 200, []string{"WIM_ROW gone", "HID_ROW gone", "GONE_ROW gone", "ANA_ROW"}, 4, ""},
		{"bob", "?limit=50", 200, []string{"WIM_ROW gone", "HID_ROW gone", "GONE_ROW gone", "ANA_ROW"}, 4, ""},
		{"bob", "?limit=2&offset=1", 200, []string{"HID_ROW gone", "GONE_ROW gone"}, 4, "https://mira.example/api/following?limit=2&offset=3"},
		{"bob", "?library=ana-tv", 200, []string{"ANA_ROW"}, 1, ""},
		{"bob", "?library=hid-tv", 200, nil, 0, ""},
		{"bob", "?library=wim-tv", 200, nil, 0, ""},
		{"bob", "?library=eve-tv", 200, nil, 0, ""},
		{"bob", "?library=..%2Fana-tv", 200, nil, 0, ""},
		{"ana", "?library=ana-tv", 200, nil, 0, ""},
		{"eve", "", 200, nil, 0, ""},
		{"bob", "?limit=0", 400, nil, 0, ""},
		{"bob", "?offset=x", 400, nil, 0, ""},
		{"bob", "?library=" + strings.Repeat("a", 65), 400, nil, 0, ""},
		{"", "", 401, nil, 0, ""},
	} {
		status, got := list(t, s, test.owner, test.query)
		var rows []string
		for _, it := range got.Items {
			rows = append(rows, it.ID+map[bool]string{true: " gone"}[it.Gone])
			if it.Gone && (it.Title != nil || it.Page != nil || len(it.Folders) > 0) {
				t.Errorf("%q shows of what is gone: %+v", test.query, it)
			}
		}
		want := []string(nil)
		for _, row := range test.want {
			want = append(want, s.replace.Replace(row))
		}
		if d := cmp.Diff(want, rows); d != "" || status != test.status || got.Total != test.total {
			t.Errorf("%s%q: %d, %d in all (-want +got):\n%s", test.owner, test.query, status, got.Total, d)
		}
		if next := got.Next; (next == nil) != (test.next == "") || next != nil && *next != test.next {
			t.Errorf("%q goes on at %v, want %q", test.query, next, test.next)
		}
	}
}

func list(t *testing.T, h http.Handler, owner, query string) (int, followingList) {
	t.Helper()
	r := httptest.NewRequest("GET", "/api/following"+query, nil)
	if owner != "" {
		r.Header.Set("X-Guest-Token", owner)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var out followingList
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return w.Code, out
}

// TestFollowMany checks that a page of many libraries is small, and that the next page of
// the entries of one library is of that library.
func TestFollowMany(t *testing.T) {
	s := newStage(t)
	var own reply
	for range library.MaxCategories - 1 { // it has one
		_, own = call(t, s, "ana", "POST", "/api/categories", `{"name":"More"}`)
	}
	var ids, slugs []string
	for _, c := range own.Categories {
		ids, slugs = append(ids, `"`+c.ID+`"`), append(slugs, c.Slug)
	}
	call(t, s, "ana", "PUT", "/api/library/public", `{"name":"ana-tv","title":"x","folders":[`+strings.Join(ids, ",")+`]}`)
	for _, slug := range slugs {
		if status, got := call(t, s, "bob", "POST", "/api/following", `{"library":"ana-tv","folder":"`+slug+`"}`); status != 200 {
			t.Fatalf("%s: %d %s", slug, status, got.Error)
		}
	}
	if _, all := list(t, s, "bob", "?limit=50"); len(all.Items) != 10 || all.Total != 12 || all.Limit != 10 || *all.Next != "https://mira.example/api/following?limit=10&offset=10" {
		t.Errorf("a page of %d items of %d, limit %d", len(all.Items), all.Total, all.Limit)
	}
	_, part := list(t, s, "bob", "?library=ana-tv&limit=8")
	if len(part.Items) != 8 || part.Total != 9 || part.Next == nil || *part.Next != "https://mira.example/api/following?limit=8&offset=8&library=ana-tv" {
		t.Errorf("%d items of %d", len(part.Items), part.Total)
	}
	if part.Max != follow.Max {
		t.Errorf("at most %d", part.Max)
	}
}

// TestPublicUnavailable checks what callers are told without a database.
func TestPublicUnavailable(t *testing.T) {
	h := serve(storetest.Broken(), &indextest.Catalog{Shown: viewOf(t, records())})
	for _, c := range [][3]string{
		{"GET", "/api/library/public", ""}, {"PUT", "/api/library/public", `{"name":"ana-tv","title":"x","folders":["cat_a"]}`}, {"DELETE", "/api/library/public", ""},
		{"PUT", "/api/library/public", `{"name":"ana-tv","title":"x","folders":["cat_a"],"preview":true}`},
		{"GET", "/api/libraries/ana-tv", ""}, {"POST", "/api/libraries/ana-tv/folders/tv/copy", "{}"},
		{"GET", "/api/following", ""}, {"GET", "/api/following?library=ana-tv", ""}, {"POST", "/api/following", `{"library":"ana-tv"}`}, {"DELETE", "/api/following/fol_a", ""},
	} {
		if status, got := call(t, h, "ana", c[0], c[1], c[2]); status != 503 || got.Error != "unavailable" {
			t.Errorf("%s %s: %d %s", c[0], c[1], status, got.Error)
		}
	}
}
