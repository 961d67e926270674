package functions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/functions/aggregate"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/bus"
	queue "miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/counting"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/store/storetest"
)

// openBoth returns a database and the bus in one file, as an installation on
// one machine has them.
func openBoth(t testing.TB) (store.DB, bus.Bus) {
	t.Helper()
	f, err := sqlite.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.On(f.Share(), func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	b, err := queue.On(f, Topology(), queue.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); db.Close() })
	return db, b
}

// guestTokenOf returns the token of a new guest in a network of its own.
func guestTokenOf(t testing.TB, h http.Handler, n int) string {
	t.Helper()
	r := httptest.NewRequest("POST", "/api/guest", nil)
	r.RemoteAddr = fmt.Sprintf("198.18.%d.%d:1", n>>8, n&255)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var made struct{ Token string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.Token == "" {
		t.Fatalf("a guest is answered %d %s", w.Code, w.Body)
	}
	return made.Token
}

// reportAs sends a report and returns the answer.
func reportAs(t testing.TB, h http.Handler, token, channel string) string {
	t.Helper()
	r := httptest.NewRequest("POST", "/api/play-report", strings.NewReader(fmt.Sprintf(`{"channel_id":%q,"ok":true}`, channel)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Guest-Token", token)
	r.Header.Set("X-Client-Region", "BR")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusOK {
		t.Fatalf("a report is answered %d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// TestReportIsCountedAndShown follows a report on one machine: it is sent,
// published, counted and shown.
func TestReportIsCountedAndShown(t *testing.T) {
	db, b := openBoth(t)
	d := deps(t, db, fixture)
	d.Bus = b
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d.Social = social.FollowOverlay(ctx, overlay.NewSet(db, d.Log, time.Now))
	h := mux(t, d)
	ended := make(chan error)
	counting, stop := context.WithCancel(ctx)
	go func() { ended <- Aggregate(counting, d) }()
	reportAs(t, h, guestTokenOf(t, h, 1), "Sakura.jp")
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if c, ok := d.Social.Counts("Sakura.jp"); ok && c.Plays == 1 {
			break
		}
		select {
		case <-ctx.Done():
			t.Fatal("the report is not shown")
		case <-tick.C:
		}
	}
	if answer := reportAs(t, h, guestTokenOf(t, h, 2), "Sakura.jp"); !strings.Contains(answer, `"plays":2`) {
		t.Errorf("the next report is answered %s", answer)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// million is what the reports of TestReportCost are taken to be of: as many in
// a month, evenly, so that next to nothing can be done together.
const million = 1_000_000

// perRefresh is how many reports then come between two runs of the job that
// shows them, each five minutes.
const perRefresh = million * 5 / (30 * 24 * 60)

// TestReportCost counts the operations on documents that reports take from the
// first to the last, when each is of a channel of its own and pushed alone:
// their price falls when more come.
func TestReportCost(t *testing.T) {
	db, b := openBoth(t)
	d := deps(t, db, fixture)
	meter := storetest.NewMeter(db)
	d.DB, d.Bus, d.Config.EventsToken = meter, b, operatorToken
	h := mux(t, d)
	f, _ := Find("aggregate")
	push := handler(t, f, d)
	const n = 2 * perRefresh
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = guestTokenOf(t, h, i)
	}
	before := meter.Ops()
	for i, token := range tokens {
		reportAs(t, h, token, "Sakura.jp")
		pushReport(t, push, fmt.Sprintf("Channel%d.br", i), i)
		if (i+1)%perRefresh == 0 {
			if _, err := counting.Refresh(t.Context(), meter, noon); err != nil {
				t.Fatal(err)
			}
		}
	}
	ops := meter.Ops().Less(before)
	price := ops.USD() / n * million
	t.Logf("%d reports take %+v: %.2f USD for a million", n, ops, price)
	if price >= 3 || price < 1 {
		t.Errorf("a million reports cost %.2f USD, want less than 3 and no less than what one write each costs", price)
	}
	if c, err := social.ReadCounts(t.Context(), db, "Channel0.br"); err != nil || c.Plays != 1 {
		t.Errorf("%d plays are counted, %v", c.Plays, err)
	}
}

// pushReport pushes the event of a report to h, as Pub/Sub does.
func pushReport(t *testing.T, h http.Handler, channel string, n int) {
	t.Helper()
	e, err := social.Report{
		Key: fmt.Sprintf("%064x", n), Channel: channel, OK: true, Browser: "Chrome", OS: "Windows", Country: "BR", At: noon,
	}.Event()
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{
		"message": map[string]any{"data": e.Data, "messageId": fmt.Sprint(n)}, "subscription": "projects/x/subscriptions/" + social.Reports,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/events?token="+operatorToken, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusNoContent {
		t.Fatalf("a push is answered %d %s", w.Code, w.Body)
	}
}

// TestMainHostTakesNoEvents checks that the main host refuses pushed events.
func TestMainHostTakesNoEvents(t *testing.T) {
	h := mux(t, deps(t, openEmbedded(t), fixture))
	if res, _ := apitest.Do(t, h, "POST", "/events?token="+operatorToken, "{}"); res.StatusCode != http.StatusMethodNotAllowed { // a country could be there
		t.Errorf("answers %d, want 405", res.StatusCode)
	}
	for _, e := range aggregate.Endpoints {
		if e.Auth != api.None {
			t.Errorf("%s asks for the credential %s, which no queue has", e.Pattern(), e.Auth)
		}
	}
}
