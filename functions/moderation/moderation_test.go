package moderation

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const (
	token = "operator-token-of-the-tests"
	base  = "https://mira.example"
)

// start is when tests begin: now, because the databases hide what has expired.
var start = time.Now().UTC().Truncate(time.Second)

// A world is the function with all that it stands on.
type world struct {
	t  *testing.T
	db *storetest.Switch
	h  http.Handler
}

func newWorld(t *testing.T) *world {
	db, events := wiretest.Open(t, social.Topology())
	sw, log, now := storetest.NewSwitch(db), slog.New(slog.DiscardHandler), func() time.Time { return start }
	s := New(Options{
		Moderator: act.New(act.Options{DB: sw, Outbox: &outbox.Outbox{DB: sw, Bus: events, Log: log, Now: now}, Now: now}),
		DB:        sw, Base: base,
	})
	return &world{t, sw, request.Handler(request.Options{Auth: apitest.ByName{}, Tokens: map[string]string{api.CatalogToken: token}, Log: log}, s, Endpoints)}
}

// call does a call as a guest by its name, or as the operator when the name is empty,
// and returns the status with the body.
func (w *world) call(owner, method, path, body string) (int, string) {
	w.t.Helper()
	headers := []string{"Authorization", "Bearer " + token}
	if owner != "" {
		headers = []string{"X-Guest-Token", owner}
	}
	if body != "" {
		headers = append(headers, "Content-Type", "application/json")
	}
	answer, text := apitest.Do(w.t, w.h, method, path, body, headers...)
	return answer.StatusCode, text
}

// answer does a call that must succeed, and decodes its answer.
func answer[T any](w *world, owner, method, path, body string) (out T) {
	w.t.Helper()
	status, text := w.call(owner, method, path, body)
	if err := json.Unmarshal([]byte(text), &out); err != nil || status != http.StatusOK {
		w.t.Fatalf("%s %s %s: %d %s", method, path, body, status, text)
	}
	return out
}

// message posts a message of an owner in the room of A.br, and returns the JSON members
// that name it.
func (w *world) message(owner identity.Owner, body string) string {
	w.t.Helper()
	rooms := chat.New(chat.Options{DB: w.db, Free: true, Now: func() time.Time { return start }})
	m, err := rooms.Post(w.t.Context(), chat.Draft{Channel: "A.br", Owner: owner, Author: "Eve", Body: body})
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf(`"kind":"message","channel_id":"A.br","id":%q`, m.ID)
}

// comment posts a comment of an owner on A.br, as message does.
func (w *world) comment(owner identity.Owner, body string) string {
	w.t.Helper()
	c, err := comment.New(owner, "A.br", "Eve", body, start)
	if err == nil {
		_, err = comment.Post(w.t.Context(), w.db, c)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf(`"kind":"comment","channel_id":"A.br","id":%q`, c.PublicID())
}

// TestNetwork removes everything of a network by one of its comments, and mutes the network.
func TestNetwork(t *testing.T) {
	w := newWorld(t)
	var id string
	for _, owner := range []identity.Owner{"g_eve", "g_bob"} {
		c, err := comment.New(owner, "A.br", "Eve", "Buy now", start)
		c.Network = strings.Repeat("a1", 16)
		if err == nil {
			_, err = comment.Post(t.Context(), w.db, c)
		}
		if err != nil {
			t.Fatal(err)
		}
		id = c.PublicID()
	}
	text := fmt.Sprintf(`{"kind":"comment","id":%q,"of":"network"`, id)
	p := answer[previewed](w, "", "POST", previewPath, text+"}")
	if p.Owner != nil || p.Network == nil || *p.Network != strings.Repeat("a1", 16) || p.Comments != 2 || len(p.Examples) != 2 {
		t.Fatalf("preview: %+v", p)
	}
	mute := fmt.Sprintf(`{"act":"mute","network":%q,"hours":2,"reason":"a flood","by":"Olga"}`, *p.Network)
	if done := answer[acted](w, "", "POST", actsPath, mute); !done.Changed || done.Until == nil {
		t.Errorf("muted: %+v", done)
	}
	if done := answer[bulkAct](w, "", "POST", bulkPath, text+`,"reason":"a flood","by":"Olga"}`); !done.Done || done.Comments != 2 {
		t.Errorf("removed: %+v", done)
	}
	for _, e := range answer[entryList](w, "", "GET", actsPath, "").Items {
		if e.Network == nil || *e.Network != *p.Network || e.Owner != nil || (e.Bulk != nil) != (e.Act == "remove_all") {
			t.Errorf("log: %+v", e)
		}
	}
}

// TestPublicAnswers checks that no answer to a guest contains the id of another owner,
// and that the operator's answers do.
func TestPublicAnswers(t *testing.T) {
	w := newWorld(t)
	for _, text := range []string{w.comment("g_secret-eve", "one"), w.message("g_secret-eve", "two")} {
		for _, call := range []struct{ method, path, body string }{
			{"POST", reportsPath, "{" + text + `,"reason":"spam"}`}, {"POST", hiddenPath, "{" + text + "}"}, {"GET", hiddenPath, ""},
		} {
			if status, body := w.call("ana", call.method, call.path, call.body); status != http.StatusOK || strings.Contains(body, "secret") {
				t.Errorf("%s %s: %d %s", call.method, call.path, status, body)
			}
		}
	}
	for _, it := range answer[caseList](w, "", "GET", casesPath, "").Items {
		if it.Owner != "g_secret-eve" || it.AuthorKey == "" || strings.Contains(it.AuthorKey, "secret") {
			t.Errorf("the operator sees %+v", it)
		}
	}
	if got := answer[hiddenList](w, "ana", "GET", hiddenPath, ""); got.Total != 1 {
		t.Errorf("one author is hidden as %+v", got.Items)
	}
}

// TestMessages reports a message and removes it with its author and its room.
func TestMessages(t *testing.T) {
	w := newWorld(t)
	text := w.message("g_eve", "Buy <b>now</b>")
	answer[reported](w, "ana", "POST", reportsPath, "{"+text+`,"reason":"spam"}`)
	list := answer[caseList](w, "", "GET", casesPath, "")
	if len(list.Items) != 1 || list.Items[0].Body != "Buy <b>now</b>" || list.Items[0].Kind != "message" || list.Items[0].ChannelID != "A.br" {
		t.Fatalf("reported: %+v", list.Items)
	}
	for _, do := range []string{"remove_message", "mute", "close_room"} {
		body := fmt.Sprintf(`{"act":%q,%s,"hours":3,"reason":"because","by":"Olga"}`, do, text)
		for _, changed := range []bool{true, false} {
			if got := answer[acted](w, "", "POST", actsPath, body); got.Changed != changed || (got.Until == nil) != (do == "remove_message") {
				t.Errorf("%s: %+v, want changed %t", do, got, changed)
			}
		}
	}
	_, err := chat.New(chat.Options{DB: w.db, Free: true}).Post(t.Context(), chat.Draft{Channel: "A.br", Owner: "g_bob", Body: "hello"})
	if code := fmt.Sprint(err); code != "room_closed" {
		t.Errorf("in the closed room: %v", err)
	}
}

// TestPages goes through more reports and acts than one page has.
func TestPages(t *testing.T) {
	w := newWorld(t)
	const all = 5
	for i := range all {
		text := w.comment("g_eve", fmt.Sprint("text ", i))
		answer[reported](w, "ana", "POST", reportsPath, "{"+text+`,"reason":"spam"}`)
		answer[acted](w, "", "POST", actsPath, fmt.Sprintf(`{"act":"close_room","channel_id":"C%d","hours":1,"reason":"x","by":"x"}`, i))
	}
	seen := map[string]bool{}
	for next := casesPath + "?limit=2"; next != ""; {
		page := answer[caseList](w, "", "GET", next, "")
		for _, it := range page.Items {
			seen[it.Body] = true
		}
		if next = ""; page.Next != nil {
			next = strings.TrimPrefix(*page.Next, base)
		}
	}
	rooms := map[string]bool{}
	for next := actsPath + "?limit=2"; next != ""; {
		page := answer[entryList](w, "", "GET", next, "")
		for _, it := range page.Items {
			rooms[*it.ChannelID] = true
		}
		if next = ""; page.Next != nil {
			next = strings.TrimPrefix(*page.Next, base)
		}
	}
	if len(seen) != all || len(rooms) != all {
		t.Errorf("the pages have %v and %v", seen, rooms)
	}
	for _, path := range []string{casesPath, actsPath} {
		if got := answer[caseList](w, "", "GET", path+"?offset=100000000", ""); len(got.Items) != 0 || got.Total != all {
			t.Errorf("%s beyond the end: %+v", path, got)
		}
	}
}

// TestExpired shows an act without its text when the copy has expired.
func TestExpired(t *testing.T) {
	w := newWorld(t)
	text := w.comment("g_eve", "spam")
	answer[acted](w, "", "POST", actsPath, `{"act":"remove_comment",`+text+`,"reason":"x","by":"x"}`)
	got := answer[entryList](w, "", "GET", actsPath, "").Items[0]
	if got.Body == nil || *got.Body != "spam" {
		t.Fatalf("the act: %+v", got)
	}
	for doc, err := range w.db.Query(t.Context(), store.Query{Collection: "cases"}) {
		var c act.Case
		if err == nil {
			err = doc.Decode(&c)
		}
		c.ExpireAt = store.At(wiretest.Epoch().Add(-time.Second))
		if err == nil {
			err = w.db.Set(t.Context(), doc.Path, c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := got
	want.Body, want.Author = nil, nil
	if d := cmp.Diff(want, answer[entryList](w, "", "GET", actsPath, "").Items[0]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestHostile sends what nobody should: an answer comes, and it is a refusal that
// changes nothing.
func TestHostile(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 70_000)
	for _, call := range []struct{ path, body string }{
		{reportsPath, ``}, {reportsPath, `null`}, {reportsPath, `[]`}, {reportsPath, `{"kind":"comment","id":7,"reason":"spam"}`},
		{reportsPath, `{"kind":"comment","id":"../x","reason":"spam"}`}, {reportsPath, `{"kind":"message","channel_id":"..","id":"aaaaaaaaaaaaaaaaaaaaaaaaaa","reason":"spam"}`},
		{reportsPath, `{"kind":"message","channel_id":"a/b/c","id":"aaaaaaaaaaaaaaaaaaaaaaaaaa","reason":"spam"}`},
		{reportsPath, `{"kind":"message","channel_id":"__x__","id":"aaaaaaaaaaaaaaaaaaaaaaaaaa","reason":"spam"}`},
		{reportsPath, `{"kind":"message","channel_id":"\u0000","id":"aaaaaaaaaaaaaaaaaaaaaaaaaa","reason":"spam"}`},
		{reportsPath, `{"kind":"comment","id":"` + long + `","reason":"spam"}`}, {reportsPath, strings.Repeat("[", 60_000)},
		{hiddenPath, `{"kind":"message","id":"aaaaaaaaaaaaaaaaaaaaaaaaaa"}`}, {hiddenPath, `{"kind":"comment","id":"cm_%2e%2e"}`}, {hiddenPath, "{\"kind\":\"comment\",\"id\":\"\xff\"}"},
	} {
		if status, text := w.call("ana", "POST", call.path, call.body); status != 400 && status != 404 && status != 413 || !strings.Contains(text, `"error"`) {
			t.Errorf("POST %s %.60q: %d %s", call.path, call.body, status, text)
		}
	}
	for _, body := range []string{
		`{"act":"mute","owner":"g_../x","hours":1,"reason":"x","by":"x"}`, `{"act":"mute","owner":"g_x","hours":1e9,"reason":"x","by":"x"}`,
		`{"act":"mute","owner":"g_x","hours":-1,"reason":"x","by":"x"}`, `{"act":"mute","owner":"g_x","hours":1,"reason":"` + strings.Repeat("x", 501) + `","by":"x"}`,
		`{"act":"close_room","channel_id":"..","hours":1,"reason":"x","by":"x"}`, `{"act":"dismiss","kind":"comment","id":"cm_x","reason":"x","by":"x"}`,
		`{"act":"open_room","channel_id":"` + strings.Repeat("x", 300) + `","reason":"x","by":"x"}`, `{"act":"remove_message","id":"x","reason":"x","by":"x"}`,
	} {
		if status, text := w.call("", "POST", actsPath, body); status != 400 && status != 404 || !strings.Contains(text, `"error"`) {
			t.Errorf("POST %.60q: %d %s", body, status, text)
		}
	}
	for _, id := range []string{"x", "hid_", "hid_%2f", strings.Repeat("x", 60)} {
		if got := answer[shown](w, "ana", "DELETE", hiddenPath+"/"+id, ""); got.Removed {
			t.Errorf("DELETE %q removed something", id)
		}
	}
	if got := answer[entryList](w, "", "GET", actsPath, ""); got.Total != 0 {
		t.Errorf("the log has %+v", got.Items)
	}
}

// TestOutage answers 503 while the database does not answer.
func TestOutage(t *testing.T) {
	w := newWorld(t)
	text := w.comment("g_eve", "spam")
	w.db.Off()
	for _, call := range []struct{ owner, method, path, body string }{
		{"ana", "POST", reportsPath, "{" + text + `,"reason":"spam"}`}, {"ana", "POST", hiddenPath, "{" + text + "}"}, {"ana", "GET", hiddenPath, ""},
		{"ana", "DELETE", hiddenPath + "/hid_x", ""}, {"", "GET", casesPath, ""}, {"", "GET", actsPath, ""},
		{"", "POST", actsPath, `{"act":"mute",` + text + `,"hours":1,"reason":"x","by":"x"}`},
	} {
		if status, body := w.call(call.owner, call.method, call.path, call.body); status != 503 || !strings.Contains(body, `"unavailable"`) {
			t.Errorf("%s %s: %d %s", call.method, call.path, status, body)
		}
	}
}

// TestBulk removes and restores what an author wrote, and shows both in the log.
func TestBulk(t *testing.T) {
	w := newWorld(t)
	text := w.comment("g_eve", "Buy now")
	w.message("g_eve", "Buy now, too")
	p := answer[previewed](w, "", "POST", previewPath, "{"+text+`,"of":"author"}`)
	if p.Owner == nil || *p.Owner != "g_eve" || p.Network != nil || p.Comments != 1 || p.Messages != 1 || len(p.Examples) != 2 {
		t.Errorf("preview: %+v", p)
	}
	done := answer[bulkAct](w, "", "POST", bulkPath, "{"+text+`,"of":"author","reason":"a flood","by":"Olga"}`)
	if !done.Done || done.Comments != 1 || done.Messages != 1 {
		t.Errorf("removed: %+v", done)
	}
	back := answer[bulkAct](w, "", "POST", bulkPath+"/"+done.ID+undoEnd, `{"reason":"by mistake","by":"Olga"}`)
	if again := answer[bulkAct](w, "", "POST", bulkPath+"/"+done.ID, ""); again.ID != back.ID || !back.Done || back.Comments != 1 || back.Messages != 1 {
		t.Errorf("restored: %+v, and continued: %+v", back, again)
	}
	log := map[string]entry{}
	for _, e := range answer[entryList](w, "", "GET", actsPath, "").Items {
		log[e.Act] = e
	}
	removal, restoration := log["remove_all"], log["restore_all"]
	if removal.ID != done.ID || removal.Bulk == nil || *removal.Bulk.UndoneBy != back.ID || *restoration.Bulk.Undoes != done.ID || removal.By != "Olga" || removal.Reason != "a flood" {
		t.Errorf("log: %+v", log)
	}
}
