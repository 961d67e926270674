package functions

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// TestBackends runs the scripts over both backends. They answer with the same
// bytes.
func TestBackends(t *testing.T) {
	host := os.Getenv("FIRESTORE_EMULATOR_HOST")
	if host == "" {
		if os.Getenv("CI") != "" && os.Getenv("MIRAMUNDO_EMULATORS") == "required" {
			t.Fatal("no Firestore emulator")
		}
		t.Skip("no Firestore emulator")
	}
	cloud, events, err := wire.Open(t.Context(), wire.Config{
		Backend: wire.Emulators, Project: fmt.Sprintf("demo-backends-%d", os.Getpid()),
		FirestoreHost: host, PubSubHost: os.Getenv("PUBSUB_EMULATOR_HOST"), Now: func() time.Time { return noon },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); cloud.Close() })
	want := transcript(t, "embedded", openEmbedded(t))
	got := transcript(t, "cloud", cloud)
	if len(want) == 0 {
		t.Fatal("the scripts called nothing")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("answers differ (-embedded +cloud):\n%s", d)
	}
}

// transcript runs the scripts over db and returns every call with its answer.
// Durations are not compared: jobs report how long they took.
func transcript(t *testing.T, name string, db store.DB) []string {
	var calls []string
	keepGuide(t, db)
	keepLogo(t, db)
	p := deps(t, db, fixture)
	h := mux(t, p)
	record := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		body := answer.Body.String()
		if answer.Header().Get("Content-Type") == "application/zip" {
			body = "an archive" // compressed together with what is random in it
		}
		if r.Method == http.MethodGet && r.URL.Path == "/api/admin/moderation/acts" {
			body = "a log" // in the order of random ids, since the clock stands still
		}
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/comments") && r.FormValue("limit") == "1" && answer.Code == http.StatusOK {
			body = "a page of one comment" // of several of one moment, which are in the order of random ids
		}
		if r.URL.Path == "/api/admin/moderation/preview" && answer.Code == http.StatusOK {
			body = "a preview" // of a few of the texts of one moment, which are in the order of random ids
		}
		text := fmt.Sprintf("%s %s\n%d %s", r.Method, r.URL, answer.Code, steps.ReplaceAllString(body, ""))
		calls = append(calls, random.ReplaceAllString(text, "$1$2$3$4$5$6$7$8…"))
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		answer.Body.WriteTo(w)
	})
	t.Run(name, func(t *testing.T) {
		apitest.Run(t, withMails(record, p.Config.MailFolder), "testdata/api/*.txt", signIn(db))
	})
	return calls
}

// random matches what is random in a call and its answer: ids and tokens after their
// prefixes, also in base64, hashes, names of networks, ids of sessions and of messages, nicknames,
// numbers and logins of players, and members that hold secrets or parts of them.
var random = regexp.MustCompile(`(\b(?:ipt|g|a|o|cat|grp|itm|cm|inv|key|mmk|hid|act|pub|fol)_|/f/)[\w.-]+|\b(?:[0-9a-f]{32}){1,2}\b|("id":")(?:[a-z2-7]{16}\b|[\w-]{30,}")|` +
	`("(?:challenge|csrf|context|last4|digits|secret)":")[^"]*|("code":")[\w-]{8,9}"|(#)[\w-]{20,}|\b[a-z2-7]{26}\b|("(?:autor|author|author_key|name)":")(?:[A-Z][a-z]+ \d{4}|[0-9a-f]{20})"|` +
	`((?:"(?:stream_id|epg_id|category_id)":"?|"category_ids":\[|\b(?:stream_id|category_id)=))\d+|((?:\b(?:username|password)=|"(?:username|password)":"|/live/))[\w./-]+`)

// steps matches the members with the durations of steps.
var steps = regexp.MustCompile(`"steps_ms":\{[^}]*\}`)
