package functions

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/wire"
)

// The channels that the people of these tests play, like and talk about.
var talkedOf = []string{"Aurora.br", "Beacon.uk", "Quiet.fr", "SaoPauloTV.br"}

// openPeople returns the functions over a database and a bus of one file.
func openPeople(t *testing.T, dir string) *compose.Parts {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: dir, Topology: social.Topology()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	d := deps(t, db, fixture)
	d.Bus = events
	return d
}

// keepCounting has the events of d counted until the test ends.
func keepCounting(t *testing.T, d *compose.Parts) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- Aggregate(ctx, d) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// await returns when a channel has so many favorites and comments, counted.
func await(t *testing.T, d *compose.Parts, channel string, favorites, comments int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var last social.Counts
	for doc, err := range d.DB.Watch(ctx, social.CountsPath(channel)) {
		if err != nil {
			break
		}
		var c social.Counted
		if doc.Decode != nil {
			if err := doc.Decode(&c); err != nil {
				t.Fatal(err)
			}
		}
		if last = c.Counts; int(last.Favorites) == favorites && int(last.Comments) == comments {
			return
		}
	}
	t.Errorf("%s has %d favorites and %d comments, want %d and %d", channel, last.Favorites, last.Comments, favorites, comments)
}

// do does a call as the holder of a token, which must succeed.
func do(t *testing.T, h http.Handler, token, method, path, body string, answer any) {
	t.Helper()
	res, text := apitest.Do(t, h, method, path, body, "X-Guest-Token", token, "Content-Type", "application/json")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %s", method, path, res.Status, text)
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		t.Fatal(err)
	}
}

func issue(t *testing.T, d *compose.Parts) (token string, owner identity.Owner) {
	t.Helper()
	token, owner, err := d.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	return token, owner
}

// TestPeopleCounted has favorites and comments counted while people make them.
// Each is told the right number, however far the counting has come.
func TestPeopleCounted(t *testing.T) {
	d := openPeople(t, filepath.Join(t.TempDir(), "data"))
	keepCounting(t, d)
	h := mux(t, d)
	const people = 12
	var tokens []string
	liked := func(method, path, body string, token string) int {
		var answer struct{ Favorites int }
		do(t, h, token, method, path, body, &answer)
		return answer.Favorites
	}
	for i := range people {
		token, _ := issue(t, d)
		tokens = append(tokens, token)
		if got := liked("POST", "/api/favorites", `{"channel_id":"Beacon.uk"}`, token); got != i+1 {
			t.Errorf("person %d is told of %d people", i+1, got)
		}
		var said struct{ OK bool }
		do(t, h, token, "POST", "/api/channels/Beacon.uk/comments", `{"body":"hello"}`, &said)
	}
	await(t, d, "Beacon.uk", people, people)
	for i, token := range tokens {
		if got := liked("DELETE", "/api/favorites/Beacon.uk", "", token); got != people-i-1 {
			t.Errorf("after %d people took it back, %d are told of", i+1, got)
		}
	}
	await(t, d, "Beacon.uk", 0, people)
}

// Operations are of three kinds in turn: a play, a favorite made or taken back,
// and a comment while the hour allows it.
const (
	playing = iota
	liking
	saying
	kinds
)

// kindOf returns what operation n does.
func kindOf(n int) int {
	if kind := n % kinds; kind != saying || n/kinds < comment.PerHour {
		return kind
	}
	return playing
}

func channelOf(n int) string { return talkedOf[n/kinds%len(talkedOf)] }

// A trace is what one person has left.
type trace struct {
	Plays, Comments int
	Favorites       []string
}

// traceAfter returns what one person has left by the first n operations.
func traceAfter(n int) (tr trace) {
	liked := map[string]bool{}
	for i := range n {
		switch kindOf(i) {
		case playing:
			tr.Plays++
		case liking:
			if liked[channelOf(i)] = !liked[channelOf(i)]; !liked[channelOf(i)] {
				delete(liked, channelOf(i))
			}
		case saying:
			tr.Comments++
		}
	}
	tr.Favorites = slices.Sorted(maps.Keys(liked))
	return tr
}

// talkForever is the child: it speaks for one person, and says of each
// operation that it was acknowledged.
func talkForever(t *testing.T, dir string) {
	d := openPeople(t, dir)
	h := mux(t, d)
	token, owner := issue(t, d)
	killtest.Say("owner", owner)
	for n := 0; ; n++ {
		var answer struct{}
		switch of := fmt.Sprintf(`{"channel_id":%q}`, channelOf(n)); {
		case kindOf(n) == playing:
			do(t, h, token, "POST", "/api/history", of, &answer)
		case kindOf(n) == saying:
			do(t, h, token, "POST", "/api/channels/"+channelOf(n)+"/comments", `{"body":"hello"}`, &answer)
		case slices.Contains(traceAfter(n).Favorites, channelOf(n)):
			do(t, h, token, "DELETE", "/api/favorites/"+channelOf(n), "", &answer)
		default:
			do(t, h, token, "POST", "/api/favorites", of, &answer)
		}
		killtest.Say("done", n)
	}
}

// TestPeopleKilled kills a process that serves people, at random points. What
// was acknowledged is there, nothing is half done, and the counts that are shown
// in the end are those of what is there.
func TestPeopleKilled(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		talkForever(t, args[0])
	}
	runs := 40
	if testing.Short() {
		runs = 8
	}
	dir := filepath.Join(t.TempDir(), "data")
	rnd := rand.New(rand.NewPCG(5, 5))
	done := map[identity.Owner]int{}
	for range runs {
		owner, n := killTalker(t, dir, rnd.IntN(40), time.Duration(rnd.IntN(10_000))*time.Microsecond)
		if owner != "" {
			done[owner] = n
		}
	}
	if len(done) < runs/2 {
		t.Fatalf("only %d of %d children spoke", len(done), runs)
	}
	d := openPeople(t, dir)
	favorites := map[string]int{}
	for owner, n := range done {
		tr := traceOf(t, d, owner)
		before, after := traceAfter(n), traceAfter(n+1) // the one under way may be kept
		if !cmp.Equal(before, tr) && !cmp.Equal(after, tr) {
			t.Errorf("after %d operations (-acknowledged +kept):\n%s", n, cmp.Diff(before, tr))
		}
		for _, channel := range tr.Favorites {
			favorites[channel]++
		}
	}
	box := &outbox.Outbox{DB: d.DB, Bus: d.Bus, Log: d.Log, Now: func() time.Time { return noon.Add(time.Hour) }}
	swept, err := box.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d events were left in the outbox by %d processes", swept, runs)
	keepCounting(t, d)
	for _, channel := range talkedOf {
		comments, err := comment.Count(t.Context(), d.DB, channel)
		if err != nil {
			t.Fatal(err)
		}
		await(t, d, channel, favorites[channel], comments)
	}
}

// killTalker starts a child, kills it a while after its n-th operation, and
// returns who it spoke for and how many operations it had acknowledged.
func killTalker(t *testing.T, dir string, n int, later time.Duration) (owner identity.Owner, done int) {
	t.Helper()
	killtest.Run(t, killtest.Plan{Args: []string{dir}, After: later, Hear: func(line string) bool {
		var i int
		if _, err := fmt.Sscanf(line, "done %d", &i); err == nil {
			done = i + 1
		} else if _, err := fmt.Sscanf(line, "owner %s", &owner); err != nil {
			t.Errorf("the child says %q", line)
		}
		return done > n
	}})
	return owner, done
}

// traceOf returns what one person has left in the database.
func traceOf(t *testing.T, d *compose.Parts, owner identity.Owner) (tr trace) {
	t.Helper()
	h, err := kept.LoadHistory(t.Context(), d.DB, owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range h.Rows {
		tr.Plays += r.Plays
	}
	f, err := kept.LoadFavorites(t.Context(), d.DB, owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Rows {
		tr.Favorites = append(tr.Favorites, r.Channel)
	}
	slices.Sort(tr.Favorites)
	pace, err := comment.PaceOf(t.Context(), d.DB, owner)
	if err != nil {
		t.Fatal(err)
	}
	tr.Comments = len(pace.Made)
	return tr
}
