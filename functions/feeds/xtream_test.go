package feeds

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// serveEvening returns the function over db, the catalog of the tests and their guide.
func serveEvening(t testing.TB, db store.DB) http.Handler {
	t.Helper()
	v := &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}
	return request.Handler(request.Options{}, New(db, v, evening(), func() time.Time { return noon }), Endpoints)
}

// queryOf returns the query of a login, of the whole library or of a part.
func queryOf(l *library.Library, part string) string {
	username, password := library.LoginOf(l.Token, part)
	return "?" + url.Values{"username": {username}, "password": {password}}.Encode()
}

// askPlayer asks for an action and decodes the document into out.
func askPlayer(t testing.TB, h http.Handler, query, action string, out any) {
	t.Helper()
	res, body := apitest.Do(t, h, "GET", library.PlayerPath+query+"&action="+action, "")
	if err := json.Unmarshal([]byte(body), out); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s: %v", action, res.Status, body, err)
	}
}

// streamsOf returns the streams of a login; more is further parameters.
func streamsOf(t testing.TB, h http.Handler, query, more string) (list []feed.LiveStream) {
	t.Helper()
	askPlayer(t, h, query, "get_live_streams"+more, &list)
	return list
}

// namesOf returns the names of streams.
func namesOf(list []feed.LiveStream) (names []string) {
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

// TestPlayer logs in as players do, and reads everything that they ask for.
func TestPlayer(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serveEvening(t, db)
	l := keepOne(t, db, "Aurora.br", "Video.br", "Nowhere.br", "rb.1", "Beacon.uk")
	query := queryOf(l, "")
	username, password := library.LoginOf(l.Token, "")

	var account feed.PlayerAccount
	askPlayer(t, h, query, "", &account)
	want := feed.PlayerAccount{
		User: feed.PlayerLogin{
			Username: username, Password: password, Auth: 1, Status: "Active", Trial: "0", Active: "0", Created: "0", MaxConnections: "100", Formats: []string{"m3u8"},
		},
		Server: feed.PlayerServer{
			Host: "mira.example", Port: "443", HTTPSPort: "443", Protocol: "https", Zone: "UTC", Unix: noon.Unix(), Now: "2026-11-22 12:00:00", Process: true,
		},
	}
	if d := cmp.Diff(want, account); d != "" {
		t.Error(d)
	}

	var categories []feed.LiveCategory
	askPlayer(t, h, query, "get_live_categories", &categories)
	number := l.Numbers()[l.Categories[0].Groups[0].ID]
	if d := cmp.Diff([]feed.LiveCategory{{ID: fmt.Sprint(number), Name: "Notícias do Dia / Geral"}}, categories); d != "" {
		t.Error(d)
	}

	streams := streamsOf(t, h, query, "")
	if d := cmp.Diff([]string{"Aurora", "Rádio, \"a boa\" - FM", "Beacon"}, namesOf(streams)); d != "" {
		t.Fatal(d)
	}
	first := feed.LiveStream{
		Num: 1, Name: "Aurora", Type: "live", ID: l.Numbers()[l.Categories[0].Groups[0].Items[0].ID], GuideID: "Aurora.br@HD", Added: "0",
		Category: fmt.Sprint(number), Categories: []int{number},
	}
	if d := cmp.Diff(first, streams[0]); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(streams, streamsOf(t, h, query, fmt.Sprint("&category_id=", number))); d != "" {
		t.Errorf("in the category: %s", d)
	}
	if other := streamsOf(t, h, query, "&category_id=7"); len(other) != 0 {
		t.Errorf("a category that is not there has %v", other)
	}
	_, guide := apitest.Do(t, h, "GET", library.GuidePath+query, "")
	for _, s := range streams {
		if !strings.Contains(guide, `<channel id="`+s.GuideID+`">`) {
			t.Errorf("the guide lacks %s", s.GuideID)
		}
	}
	for action := range emptyActions {
		var list []any
		if askPlayer(t, h, query, action, &list); list == nil || len(list) > 0 {
			t.Errorf("%s: %v", action, list)
		}
	}
}

// TestListings reads the programmes of a channel: those from now on, and those of the day.
func TestListings(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serveEvening(t, db)
	query := queryOf(keepOne(t, db, "Aurora.br"), "")
	id := streamsOf(t, h, query, "")[0].ID
	for _, test := range []struct {
		action string
		titles []string
	}{
		{fmt.Sprint("get_short_epg&stream_id=", id), []string{"Aurora.br 1 <&> ]]>", "Aurora.br 2 <&> ]]>", "Aurora.br 3 <&> ]]>"}},
		{fmt.Sprint("get_short_epg&limit=0&stream_id=", id), []string{"Aurora.br 1 <&> ]]>", "Aurora.br 2 <&> ]]>", "Aurora.br 3 <&> ]]>"}},
		{fmt.Sprint("get_short_epg&limit=1&stream_id=", id), []string{"Aurora.br 1 <&> ]]>"}},
		{fmt.Sprint("get_short_epg&limit=99999999999999999999&stream_id=", id), []string{"Aurora.br 1 <&> ]]>", "Aurora.br 2 <&> ]]>", "Aurora.br 3 <&> ]]>"}},
		{fmt.Sprint("get_simple_data_table&stream_id=", id), []string{"Aurora.br 0 <&> ]]>", "Aurora.br 1 <&> ]]>", "Aurora.br 2 <&> ]]>", "Aurora.br 3 <&> ]]>"}},
		{"get_short_epg&stream_id=1", nil},
		{"get_short_epg", nil},
		{"get_simple_data_table&stream_id=2147483647", nil},
	} {
		var got feed.Listings
		askPlayer(t, h, query, test.action, &got)
		var titles []string
		for _, p := range got.Listings {
			title, err := base64.StdEncoding.DecodeString(p.Title)
			if err != nil {
				t.Error(err)
			}
			titles = append(titles, string(title))
			if on := p.Start <= "2026-11-22 12:00:00" && p.End > "2026-11-22 12:00:00"; on != (p.Now == 1) || p.Channel != "Aurora.br@HD" || p.Stream != fmt.Sprint(id) {
				t.Errorf("%s: %+v", test.action, p)
			}
		}
		if d := cmp.Diff(test.titles, titles); d != "" || got.Listings == nil {
			t.Errorf("%s: %s", test.action, d)
		}
	}
}

// TestPosts sends what players send by POST: a form, JSON, and nothing beside the query.
func TestPosts(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serveEvening(t, db)
	l := keepOne(t, db, "Aurora.br")
	query := queryOf(l, "")
	form := strings.TrimPrefix(query, "?")
	username, password := library.LoginOf(l.Token, "")
	object := fmt.Sprintf(`{"username":%q,"password":%q,"action":"get_live_streams","category_id":%%s}`, username, password)
	number := l.Numbers()[l.Categories[0].Groups[0].ID]
	const formType, jsonType = "application/x-www-form-urlencoded", "application/json"
	for _, test := range []struct {
		name, query, body, contentType string
		want                           string // in the answer
		status                         int
	}{
		{"a form", "", form + "&action=get_live_streams", formType, `"name":"Aurora"`, 200},
		{"a form with a charset", "", form + "&action=get_live_streams", formType + "; charset=UTF-8", `"name":"Aurora"`, 200},
		{"an object", "", fmt.Sprintf(object, fmt.Sprint(number)), jsonType, `"name":"Aurora"`, 200},
		{"an object with a text", "", fmt.Sprintf(object, fmt.Sprintf("%q", fmt.Sprint(number))), jsonType, `"name":"Aurora"`, 200},
		{"an object with null", "", fmt.Sprintf(object, "null"), jsonType, `"name":"Aurora"`, 200},
		{"an object as text", "", fmt.Sprintf(object, "0"), "text/plain; charset=utf-8", `"name":"Aurora"`, 200},
		{"an object without a type", "", fmt.Sprintf(object, "0"), "", `"name":"Aurora"`, 200},
		{"nothing", query, "", "", `"auth":1`, 200},
		{"an empty form", query, "", formType, `"auth":1`, 200},
		{"empty JSON", query, "", jsonType, `"auth":1`, 200},
		{"an empty object", query + "&action=get_live_categories", "{}", jsonType, `"category_name"`, 200},
		{"an empty object as a form", query + "&action=get_live_categories", "{}", formType, `"category_name"`, 200},
		{"the form beside the query", query + "&action=none", "action=get_live_categories", formType, `"category_name"`, 200},
		{"no login", "", "{}", jsonType, `"auth":0`, 200},
		{"a list", query, "[]", jsonType, "not_object", 400},
		{"no JSON", query, "{", jsonType, "syntax", 400},
		{"an object for a number", query, `{"limit":{}}`, jsonType, "not_integer", 400},
		{"letters instead of a number", query, "limit=x", formType, "not_integer", 400},
		{"a negative number", query, "stream_id=-1", formType, "too_small", 400},
		{"a number of 32 bits", query, "stream_id=2147483648", formType, "too_large", 400},
		{"a long name", "", "username=" + strings.Repeat("a", 65), formType, "too_long", 400},
		{"another type", query, "<a/>", "application/xml", "media_type", 415},
		{"too much", query, "a=" + strings.Repeat("a", maxForm), formType, "body_too_large", 413},
	} {
		headers := []string{}
		if test.contentType != "" {
			headers = []string{"Content-Type", test.contentType}
		}
		res, body := apitest.Do(t, h, "POST", library.PlayerPath+test.query, test.body, headers...)
		if res.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s: %s %s", test.name, res.Status, body)
		}
	}
}

// TestLive opens streams as players do: by number, with and without an ending.
func TestLive(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serveEvening(t, db)
	l := keepOne(t, db, "Aurora.br", "rb.1")
	username, password := library.LoginOf(l.Token, "")
	streams := streamsOf(t, h, queryOf(l, ""), "")
	base := library.LivePath + "/" + username + "/" + password + "/"
	for i, want := range []string{links.Hop + "/api/s/" + playlist("Aurora.br", "HD"), links.Hop + "/api/s/" + streamID("rb.1", "").String()} {
		for _, ending := range []string{"", ".m3u8", ".ts"} {
			for _, method := range []string{"GET", "HEAD"} {
				res, _ := apitest.Do(t, h, method, fmt.Sprint(base, streams[i].ID, ending), "")
				if res.StatusCode != http.StatusFound || res.Header.Get("Location") != want || res.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s%s: %s %v", method, ending, res.Status, res.Header)
				}
			}
		}
	}
	id := fmt.Sprint(streams[0].ID)
	for _, path := range []string{
		base + "1", base + "0", base + "-1", base + "+" + id, base + id + ".mp4", base + id + ".ts.m3u8", base + "x", base + ".ts", base + "4294967297", base + strings.Repeat("1", 40),
		library.LivePath + "/" + username + "/" + strings.Repeat("a", 18) + "/" + id, library.LivePath + "/" + username + "/x/" + id, library.LivePath + "/" + strings.Repeat("a", 90) + "/x/" + id,
		library.LivePath + "/" + username + "-zzzzzzzz/" + password + "/" + id,
	} {
		if res, body := apitest.Do(t, h, "GET", path, ""); res.StatusCode != http.StatusNotFound || !strings.Contains(body, "feed_not_found") {
			t.Errorf("%s: %s %s", path, res.Status, body)
		}
	}
}

// TestParts logs in to a folder and to a sub-tab: the channels have the numbers that they
// have in the whole library.
func TestParts(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serveEvening(t, db)
	l, err := library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error {
		for _, name := range []string{"One", "Two"} {
			c, err := l.AddCategory(name)
			if err != nil {
				return err
			}
			if _, _, err := l.AddGroup(c.ID, "More"); err != nil {
				return err
			}
			for i, channel := range []string{"Aurora.br", "Beacon.uk"} {
				if _, _, err := l.AddItem(c.Groups[i].ID, library.ItemOf(channel, "", catalog.TV, ""), nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := streamsOf(t, h, queryOf(l, ""), "")
	if len(all) != 4 {
		t.Fatalf("%d streams", len(all))
	}
	for _, test := range []struct {
		part       string
		ids        []int
		categories []string
		file       string
	}{
		{"", []int{all[0].ID, all[1].ID, all[2].ID, all[3].ID}, []string{"One / Geral", "One / More", "Two / Geral", "Two / More"}, "library.m3u"},
		{l.Categories[1].ID, []int{all[2].ID, all[3].ID}, []string{"Geral", "More"}, "two.m3u"},
		{l.Categories[1].Groups[1].ID, []int{all[3].ID}, []string{"More"}, "two-more.m3u"},
	} {
		query := queryOf(l, test.part)
		var ids []int
		for _, s := range streamsOf(t, h, query, "") {
			ids = append(ids, s.ID)
		}
		var categories []feed.LiveCategory
		askPlayer(t, h, query, "get_live_categories", &categories)
		var names []string
		for _, c := range categories {
			names = append(names, c.Name)
		}
		if d := cmp.Diff(test.ids, ids) + cmp.Diff(test.categories, names); d != "" {
			t.Errorf("%s: %s", test.part, d)
		}
		res, list := apitest.Do(t, h, "GET", library.ListPath+query, "")
		if got := res.Header.Get("Content-Disposition"); len(addresses(list)) != len(ids) || got != "inline; filename="+test.file {
			t.Errorf("%s: %s %s", test.part, got, list)
		}
	}
}

// TestKept checks that a number opens the same channel after the library was edited, or
// none when it was removed.
func TestKept(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serveEvening(t, db)
	l := keepOne(t, db, "Aurora.br", "Beacon.uk", "rb.1")
	before := streamsOf(t, h, queryOf(l, ""), "")
	username, password := library.LoginOf(l.Token, "")
	open := func(id int) string {
		res, _ := apitest.Do(t, h, "GET", fmt.Sprint(library.LivePath+"/", username, "/", password, "/", id), "")
		return res.Header.Get("Location")
	}
	aurora, beacon := open(before[0].ID), open(before[1].ID)
	group := &l.Categories[0].Groups[0]
	first, second := group.Items[0].ID, group.Items[1].ID
	if _, err := library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error {
		if err := l.ChangeItem(second, library.ItemChange{Position: new(2)}); err != nil {
			return err
		}
		if err := l.RenameCategory(l.Categories[0].ID, "Renamed"); err != nil {
			return err
		}
		return l.RemoveItem(first)
	}); err != nil {
		t.Fatal(err)
	}
	if got := open(before[0].ID); got != "" || aurora == "" {
		t.Errorf("the removed channel leads to %q, and led to %q", got, aurora)
	}
	if got := open(before[1].ID); got != beacon {
		t.Errorf("the moved channel leads to %q, and led to %q", got, beacon)
	}
	if d := cmp.Diff([]string{before[2].Name, before[1].Name}, namesOf(streamsOf(t, h, queryOf(l, ""), ""))); d != "" {
		t.Error(d)
	}
}

// TestLoginEnds checks what is answered to a login that is not valid: an account of auth 0
// from the API, and elsewhere what feeds answer to an unknown token.
func TestLoginEnds(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serveEvening(t, db)
	l := keepOne(t, db, "Aurora.br")
	ended := queryOf(l, "")
	if _, err := library.Update(t.Context(), db, "g_ana", noon, func(l *library.Library) error { l.RotateToken(); return nil }); err != nil {
		t.Fatal(err)
	}
	for name, query := range map[string]string{
		"ended": ended, "none": "?", "half": strings.Split(ended, "&")[0], "unknown part": strings.Replace(ended, "username="+l.Token[:8], "username="+l.Token[:8]+"-zzzzzzzz", 1),
		"another": "?username=aaaaaaaa&password=aaaaaaaaaaaaaaaaaa", "hostile": "?username=%2e%2e%2f&password=%F0%9F%93%BA",
	} {
		for _, action := range []string{"", "&action=get_live_streams", "&action=get_vod_streams"} {
			res, body := apitest.Do(t, h, "GET", library.PlayerPath+query+action, "", "Accept-Language", "de")
			var a feed.PlayerAccount
			if err := json.Unmarshal([]byte(body), &a); err != nil || res.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s %s", name, res.Status, body)
			}
			if a.User.Auth != 0 || a.User.Status != "Disabled" || a.User.Username != "" || a.User.Password != "" || a.User.Message != "Diese Liste gibt es nicht." {
				t.Errorf("%s: %+v", name, a.User)
			}
		}
		for _, path := range []string{library.ListPath, library.GuidePath} {
			if res, body := apitest.Do(t, h, "GET", path+query, ""); res.StatusCode != http.StatusNotFound || !strings.Contains(body, "feed_not_found") {
				t.Errorf("%s%s: %s %s", path, query, res.Status, body)
			}
		}
	}
}

// TestPlayerFiles checks the playlist and the guide, which are those of the feed.
func TestPlayerFiles(t *testing.T) {
	db := wiretest.OpenDB(t)
	h := serveEvening(t, db)
	l := keepOne(t, db, "Aurora.br", "rb.1")
	query := queryOf(l, "")
	for path, same := range map[string]string{
		library.ListPath + query:                                 "/library.m3u",
		library.ListPath + query + "&type=m3u&output=ts":         "/library.m3u",
		library.ListPath + query + "&type=m3u_plus&output=m3u8":  "/library.m3u",
		library.ListPath + query + "&type=m3u_plus&output=hls":   "/library.m3u",
		library.ListPath + query + "&type=&output=mpegts&key=no": "/library.m3u",
		library.GuidePath + query:                                "/guia.xml",
	} {
		res, body := apitest.Do(t, h, "GET", path, "")
		if want := read(t, h, l, same); res.StatusCode != http.StatusOK || body != want {
			t.Errorf("%s: %s %s, want %s", path, res.Status, body, want)
		}
		if res, _ := apitest.Do(t, h, "GET", path, "", "If-None-Match", res.Header.Get("Etag")); res.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %s", path, res.Status)
		}
	}
	for _, more := range []string{"&type=xspf", "&output=" + strings.Repeat("x", 17)} {
		if res, body := apitest.Do(t, h, "GET", library.ListPath+query+more, ""); res.StatusCode != http.StatusBadRequest || !strings.Contains(body, "invalid_request") {
			t.Errorf("%s: %s %s", more, res.Status, body)
		}
	}
	address := library.PlayerPath + query + "&action=get_live_streams"
	res, _ := apitest.Do(t, h, "GET", address, "")
	if again, _ := apitest.Do(t, h, "GET", address, "", "If-None-Match", res.Header.Get("Etag")); again.StatusCode != http.StatusNotModified || res.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("streams again: %s, %v", again.Status, res.Header)
	}
}

// TestPlayerReads counts what players cost: two documents for each request, and none for
// what cannot be a login.
func TestPlayerReads(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	h := serveEvening(t, db)
	l := keepOne(t, db, "Aurora.br")
	query := queryOf(l, "")
	username, password := library.LoginOf(l.Token, "")
	for path, want := range map[string]int{
		library.PlayerPath + query: 2, library.PlayerPath + query + "&action=get_live_streams": 2, library.PlayerPath + query + "&action=get_short_epg&stream_id=1": 2,
		library.ListPath + query: 2, library.GuidePath + query: 2, library.LivePath + "/" + username + "/" + password + "/1.ts": 2,
		library.PlayerPath + "?username=x&password=y": 0, library.LivePath + "/" + "x/y/1": 0, library.LivePath + "/" + username + "/" + password + "/x": 0,
	} {
		before := db.Ops()
		apitest.Do(t, h, "GET", path, "")
		if got := db.Ops().Less(before); got != (storetest.Ops{Reads: int64(want)}) {
			t.Errorf("%s costs %+v", path, got)
		}
	}
}

// TestPlayerSecret checks that neither part of a login comes into the log.
func TestPlayerSecret(t *testing.T) {
	var log bytes.Buffer
	good := wiretest.OpenDB(t)
	db := storetest.NewSwitch(good)
	v := &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}
	h := request.Handler(request.Options{Log: slog.New(cloudlog.New(&log, slog.LevelDebug, "test"))}, New(db, v, grid{}, func() time.Time { return noon }), Endpoints)
	l := keepOne(t, good, "Aurora.br")
	username, password := library.LoginOf(l.Token, "")
	for range 2 {
		for _, path := range []string{library.PlayerPath, library.ListPath, library.GuidePath} {
			apitest.Do(t, h, "GET", path+queryOf(l, ""), "")
			apitest.Do(t, h, "GET", path+queryOf(l, "")+"&limit=x&type=x", "")
		}
		apitest.Do(t, h, "POST", library.PlayerPath, strings.TrimPrefix(queryOf(l, ""), "?"), "Content-Type", "application/x-www-form-urlencoded")
		apitest.Do(t, h, "GET", library.LivePath+"/"+username+"/"+password+"/1.ts", "")
		apitest.Do(t, h, "GET", library.LivePath+"/"+username+"/"+password+"/1/2", "")
		db.Off()
	}
	if text := log.String(); strings.Contains(text, username) || strings.Contains(text, password) || !strings.Contains(text, "/live/{username}") {
		t.Errorf("the log is %s", text)
	}
}

// BenchmarkPlayer reads the streams of a full library, and opens one.
func BenchmarkPlayer(b *testing.B) {
	db := wiretest.OpenDB(b)
	l, list := full(b, db)
	view := &indextest.Catalog{Shown: viewOf(b, list, index.Overlay{})}
	h := request.Handler(request.Options{}, New(db, view, grid{}, func() time.Time { return noon }), Endpoints)
	address := library.PlayerPath + queryOf(l, "") + "&action=get_live_streams"
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			view.Shown = view.Shown.WithOverlay(index.Overlay{})
			b.StartTimer()
			apitest.Do(b, h, "GET", address, "")
		}
	})
	username, password := library.LoginOf(l.Token, "")
	for name, path := range map[string]string{"streams": address, "live": fmt.Sprint(library.LivePath+"/", username, "/", password, "/1")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				apitest.Do(b, h, "GET", path, "")
			}
		})
	}
}
