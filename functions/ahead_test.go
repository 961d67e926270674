package functions

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
)

// TestClockAhead has a clock that is 30 days ahead while a guest uses what is limited
// and stored with times, up to its limits, and while every job runs. Once the clock is
// set right, the same guest can do all of it again, the operator sees which jobs ran
// with a wrong clock, and the next run of each sets that right.
func TestClockAhead(t *testing.T) {
	const ahead = 30 * 24 * time.Hour
	clock := newClock()
	o := optionsOver(t, openEmbedded(t), fixture)
	o.Now = clock.now
	p, err := compose.Open(t.Context(), o, Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	loadCatalog(t.Context(), t, p)
	h := mux(t, p)
	clock.pass(ahead)
	token := guestTokenOf(t, h, 1)
	use := func(round int) map[string]int {
		t.Helper()
		statuses := map[string]int{}
		for _, call := range [][2]string{
			{"POST /api/favorites", `{"channel_id":"Beacon.uk"}`},
			{"POST /api/history", `{"channel_id":"Beacon.uk"}`},
			{"POST /api/play-report", `{"channel_id":"Beacon.uk","ok":true}`},
			{"POST /api/channels/Beacon.uk/comments", fmt.Sprintf(`{"body":%q}`, unlikeComment(round))},
			{"POST /api/chat/Beacon.uk/mensagens", fmt.Sprintf(`{"body":%q}`, unlikeComment(round))},
		} {
			method, path, _ := strings.Cut(call[0], " ")
			res, _ := apitest.Do(t, h, method, path, call[1], "X-Guest-Token", token, "Content-Type", "application/json")
			statuses[call[0]] = res.StatusCode
		}
		return statuses
	}
	first := use(0)
	limited := map[string]bool{}
	for round := 1; round < 25; round++ {
		for what, status := range use(round) {
			limited[what] = limited[what] || status == http.StatusTooManyRequests
		}
	}
	runJobs := func() {
		t.Helper()
		for _, name := range p.Jobs.Names() {
			operate(t, h, "POST", "/api/admin/jobs/"+name, `{}`, http.StatusOK, nil)
		}
	}
	runJobs()

	now := clock.pass(-ahead)
	for what, status := range use(100) {
		if status != first[what] {
			t.Errorf("%s is answered %d with the right clock, and was answered %d before; limited meanwhile: %t", what, status, first[what], limited[what])
		}
	}
	if !limited["POST /api/channels/Beacon.uk/comments"] || !limited["POST /api/chat/Beacon.uk/mensagens"] {
		t.Errorf("the limits were not reached: %v", limited)
	}
	var jobs struct {
		Items []struct {
			Name       string
			DueAt      time.Time `json:"due_at"`
			ClockAhead bool      `json:"clock_ahead"`
		}
	}
	for _, want := range []bool{true, false} {
		operate(t, h, "GET", "/api/admin/jobs", "", http.StatusOK, &jobs)
		for _, j := range jobs.Items {
			if j.ClockAhead != want || want && !j.DueAt.Equal(now) {
				t.Errorf("%s: clock_ahead %t, due at %v, at %v", j.Name, j.ClockAhead, j.DueAt, now)
			}
		}
		runJobs()
	}
}

// unlikeComment returns a text that repeats no other.
func unlikeComment(n int) string {
	words := strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima")
	return fmt.Sprintf("%s %s %d %s", words[n%12], words[(n/12+5)%12], n*n, words[(n*7)%12])
}
