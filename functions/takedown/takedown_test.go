package takedown

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/takedown"
	"miramundo.dev/shared/wire/wiretest"
)

// A post counts mails.
type post struct{ sent int }

func (p *post) Send(context.Context, mail.Message) error { p.sent++; return nil }

// A world is a server whose provider of human verification accepts tokens that begin
// with "good".
type world struct {
	t       *testing.T
	handler http.Handler
	post    *post
	log     strings.Builder
	clock   time.Time
	tokens  int
}

func newWorld(t *testing.T, db store.DB) *world {
	w := &world{t: t, post: &post{}, clock: time.Now()}
	humans := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(rw, `{"success":%t}`, strings.HasPrefix(r.FormValue("response"), "good"))
	}))
	t.Cleanup(humans.Close)
	db = sealed.DB(db, keyringtest.Ring(strings.Repeat("k", 32)))
	now, log := func() time.Time { return w.clock }, slog.New(slog.NewTextHandler(&w.log, nil))
	links := catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example"}
	server := New(Options{
		DB: db, Desk: &takedown.Desk{DB: db, Mail: w.post, Base: links.Base, Log: log, Now: now},
		Catalog: &indextest.Catalog{Shown: indextest.Channels(t, links, nil, "Aurora.br")}, Refresh: func(context.Context) error { return nil },
		Humans: human.New(human.Options{URL: humans.URL, Secret: "s"}), Throttle: throttle.New(db, keyringtest.Ring(strings.Repeat("a", 32)), now),
		Base: links.Base, Now: now,
	})
	w.handler = request.Handler(request.Options{Log: log, Now: now}, server, Endpoints[:3])
	return w
}

// body returns a good request with a new token and other members; nil removes one.
func (w *world) body(change map[string]any) string {
	w.tokens++
	all := map[string]any{
		"name": "Ana Holder", "email": "ana@holder.example", "kind": "copyright", "targets": []string{"Aurora.br"}, "text": "It is mine.",
		"good_faith": true, "signature": "Ana Holder", "challenge_response": fmt.Sprint("good", w.tokens),
	}
	for name, value := range change {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	b, err := json.Marshal(all)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// send sends a request, and returns the status, the code of the error and its parameter.
func (w *world) send(body string) (status int, code, param, text string) {
	w.t.Helper()
	res, text := apitest.Do(w.t, w.handler, "POST", listPath, body, "Content-Type", "application/json", "Accept-Language", "en")
	var said struct{ Error, Param string }
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		w.t.Errorf("%s: %v", text, err)
	}
	return res.StatusCode, said.Error, said.Param, text
}

// TestHostile sends what is not a request: nothing is stored or mailed, and nothing that
// names the sender is logged or answered.
func TestHostile(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	long := strings.Repeat("ä", 5000)
	var many []string
	for i := range 51 {
		many = append(many, fmt.Sprint(i, ".example"))
	}
	for name, test := range map[string]struct {
		change map[string]any
		status int
		code   string
		param  string
	}{
		"no name":                {map[string]any{"name": nil}, 400, "invalid_body", "name"},
		"a name of no letters":   {map[string]any{"name": "\u200b\u202e"}, 400, "invalid_body", "name"},
		"a long name":            {map[string]any{"name": long}, 400, "invalid_body", "name"},
		"a name of another type": {map[string]any{"name": []string{"x"}}, 400, "invalid_body", "name"},
		"no address":             {map[string]any{"email": nil}, 400, "invalid_body", "email"},
		"a header in an address": {map[string]any{"email": "a@b.example\r\nBcc: c@d.example"}, 400, "invalid_email", ""},
		"no kind":                {map[string]any{"kind": nil}, 400, "invalid_body", "kind"},
		"an unknown kind":        {map[string]any{"kind": "envy"}, 400, "invalid_body", "kind"},
		"a kind of ours":         {map[string]any{"kind": "counter_notice"}, 400, "invalid_body", "kind"},
		"no targets":             {map[string]any{"targets": nil}, 400, "invalid_body", "targets"},
		"blank targets":          {map[string]any{"targets": []string{" ", "\t"}}, 400, "invalid_body", "targets"},
		"many targets":           {map[string]any{"targets": many}, 400, "invalid_body", "targets"},
		"a long target":          {map[string]any{"targets": []string{long}}, 400, "invalid_body", "targets"},
		"targets of numbers":     {map[string]any{"targets": []int{1}}, 400, "invalid_body", "targets"},
		"no text":                {map[string]any{"text": "\u2066\n"}, 400, "invalid_body", "text"},
		"a long text":            {map[string]any{"text": long}, 400, "invalid_body", "text"},
		"bad faith":              {map[string]any{"good_faith": false}, 400, "invalid_body", "good_faith"},
		"no faith":               {map[string]any{"good_faith": nil}, 400, "invalid_body", "good_faith"},
		"no signature":           {map[string]any{"signature": " "}, 400, "invalid_body", "signature"},
		"a negative number":      {map[string]any{"answers": -1}, 400, "invalid_body", "answers"},
		"a huge number":          {map[string]any{"answers": 1e12}, 400, "invalid_body", "answers"},
		"no such block":          {map[string]any{"answers": 77}, 404, "takedown_not_found", ""},
		"no token":               {map[string]any{"challenge_response": nil}, 403, "human_verification_failed", ""},
		"a bad token":            {map[string]any{"challenge_response": "bad"}, 403, "human_verification_failed", ""},
		"a long token":           {map[string]any{"challenge_response": long}, 400, "invalid_body", "challenge_response"},
	} {
		w.clock = w.clock.Add(7 * time.Hour) // the limits of networks and addresses have a test of their own
		status, code, param, text := w.send(w.body(test.change))
		if status != test.status || code != test.code || param != test.param {
			t.Errorf("%s: %d %s %s, want %d %s %s", name, status, code, param, test.status, test.code, test.param)
		}
		if strings.Contains(text, "holder.example") || strings.Contains(text, "Ana") {
			t.Errorf("%s: the answer names the sender: %s", name, text)
		}
	}
	if _, text := apitest.Do(t, w.handler, "GET", listPath, ""); !strings.Contains(text, `"total":0`) || w.post.sent != 0 {
		t.Errorf("something was stored or sent: %d mails, %s", w.post.sent, text)
	}
	if log := w.log.String(); strings.Contains(log, "holder.example") || strings.Contains(log, "Ana") {
		t.Errorf("the log names the sender: %s", log)
	}
}

// TestLimits sends a token twice, and more requests than a network may.
func TestLimits(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	body := w.body(nil)
	if status, code, _, text := w.send(body); status != 200 || w.post.sent != 1 {
		t.Fatalf("%d %s: %s", status, code, text)
	}
	if status, code, _, _ := w.send(body); status != 403 || code != "human_verification_failed" {
		t.Errorf("a token twice: %d %s", status, code)
	}
	for range 3 {
		if status, code, _, _ := w.send(w.body(map[string]any{"email": fmt.Sprintf("x%d@y.example", w.tokens)})); status != 200 {
			t.Errorf("%d %s", status, code)
		}
	}
	if status, code, _, _ := w.send(w.body(nil)); status != 429 || code != "too_many_requests" {
		t.Errorf("one too many: %d %s", status, code)
	}
}

// TestStatus asks for the status with what is not the secret.
func TestStatus(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.send(w.body(nil))
	for _, test := range []struct {
		number, secret string
		status         int
	}{
		{"1", "wrong", 404}, {"1", "", 400}, {"1", strings.Repeat("x", 65), 400}, {"2", "wrong", 404}, {"0", "x", 404}, {"x", "x", 404}, {"99999999999", "x", 404}, {"-1", "x", 404},
	} {
		res, text := apitest.Do(t, w.handler, "GET", listPath+"/"+test.number+"/status", "", "X-Takedown-Secret", test.secret)
		if res.StatusCode != test.status || strings.Contains(text, "Aurora") {
			t.Errorf("%s with %.10q: %d %s, want %d", test.number, test.secret, res.StatusCode, text, test.status)
		}
	}
}

// TestOutage checks that without a database nothing is sent.
func TestOutage(t *testing.T) {
	w := newWorld(t, storetest.Broken())
	if status, code, _, _ := w.send(w.body(nil)); status != 503 || w.post.sent != 0 {
		t.Errorf("%d %s, %d mails", status, code, w.post.sent)
	}
	for _, path := range []string{listPath, listPath + "/1/status"} {
		if res, text := apitest.Do(t, w.handler, "GET", path, "", "X-Takedown-Secret", "x"); res.StatusCode != 503 {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
}
