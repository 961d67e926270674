package aggregate

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/counting"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const token = "a token of the push tests"

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

// aReport is the event of a report.
func aReport(t *testing.T) bus.Event {
	t.Helper()
	e, err := social.Report{
		Key: strings.Repeat("0", 64), Channel: "RecordNews.br", OK: true,
		Browser: "Chrome", OS: "Windows", Country: "BR", At: noon,
	}.Event()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// pushed is the body with which Pub/Sub pushes e.
func pushed(t *testing.T, subscription string, e bus.Event) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"message": map[string]any{
			"data": e.Data, "attributes": map[string]string{"a": "b"}, "messageId": "7", "message_id": "7",
			"publishTime": "2026-11-22T12:00:00.123Z", "publish_time": "2026-11-22T12:00:00.123Z",
		},
		"subscription": "projects/demo/subscriptions/" + subscription, "deliveryAttempt": 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func post(h http.Handler, query string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/events"+query, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func handler(db store.DB, dead Rejecter, token string) http.Handler {
	c := counting.New(counting.Options{DB: db, Now: clock})
	return request.Handler(request.Options{Log: slog.New(slog.DiscardHandler), Now: clock, Tokens: map[string]string{api.EventsToken: token}}, New(c, dead, nil), Endpoints)
}

// TestPush takes what Pub/Sub pushes with the token. Only an event that is counted,
// or that is stored as a dead letter, is answered by success.
func TestPush(t *testing.T) {
	db, b := wiretest.Open(t, social.Topology())
	h := handler(db, b, token)
	query := "?token=" + strings.ReplaceAll(token, " ", "+")
	good := pushed(t, social.Reports, aReport(t))
	for name, test := range map[string]struct {
		query  string
		body   []byte
		status int
		code   string
	}{
		"counted":            {query, good, 204, ""},
		"again":              {query, good, 204, ""},
		"no token":           {"", good, 401, "invalid_token"},
		"another token":      {query + "x", good, 401, "invalid_token"},
		"no subscription":    {query, pushed(t, "none", aReport(t)), 400, "subscription_unknown"},
		"poison":             {query, pushed(t, social.Reports, bus.Event{Data: []byte("x")}), 204, ""},
		"no JSON":            {query, []byte("{"), 400, "event_invalid"},
		"no body":            {query, nil, 400, ""},
		"no message":         {query, []byte(`{}`), 400, "subscription_unknown"},
		"data of bad base64": {query, []byte(`{"message":{"data":"%"},"subscription":"plays"}`), 400, "event_invalid"},
		"deep":               {query, bytes.Repeat([]byte("["), 60_000), 400, "event_invalid"},
		"too large":          {query, bytes.Repeat([]byte(" "), api.DefaultMaxBody+1), 413, ""},
	} {
		got := post(h, test.query, test.body)
		if got.Code != test.status || !strings.Contains(got.Body.String(), test.code) {
			t.Errorf("%s: %d %s, want %d %s", name, got.Code, got.Body, test.status, test.code)
		}
	}
	if got, err := social.ReadCounts(t.Context(), db, "RecordNews.br"); err != nil || got.Plays != 1 {
		t.Errorf("%d plays are counted, %v", got.Plays, err)
	}
	dead, err := b.DeadLetters(t.Context(), social.Reports, 9)
	if err != nil || len(dead) != 1 || !dead[0].Rejected || dead[0].Failure == "" {
		t.Errorf("dead letters %+v, %v, want the poison with its reason", dead, err)
	}
	poison := pushed(t, social.Reports, bus.Event{Data: []byte("x")})
	if got := post(handler(db, bustest.Broken(), token), query, poison); got.Code != 503 {
		t.Errorf("without a bus poison is answered %d %s, want 503", got.Code, got.Body)
	}
	if got := post(handler(storetest.Broken(), b, token), query, good); got.Code != 503 {
		t.Errorf("without a database a push is answered %d %s, want 503", got.Code, got.Body)
	}
	if got := post(handler(db, b, ""), "?token=", good); got.Code != 503 {
		t.Errorf("without a token of its own the function answers %d %s, want 503", got.Code, got.Body)
	}
}
