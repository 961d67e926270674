package functions

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
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
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// testChannels are the channels that the operations of these tests are about.
var testChannels = []string{"Aurora.br", "Beacon.uk", "Quiet.fr", "SaoPauloTV.br"}

// openPeople returns the functions over a database and a bus of one file.
func openPeople(t *testing.T, dir string) *compose.Parts {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: dir, Topology: Topology()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	d := deps(t, db, fixture)
	d.Bus = events
	return d
}

// runAggregate runs the function aggregate over d in the background until the test
// ends.
func runAggregate(t *testing.T, d *compose.Parts) {
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

// waitForCounts waits until the stored counts of a channel are as given, at most 30
// seconds.
func waitForCounts(t *testing.T, d *compose.Parts, channel string, favorites, comments int) {
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

// call sends a request with a guest token and decodes the answer. The test fails
// unless the status is 200.
func call(t *testing.T, h http.Handler, token, method, path, body string, answer any) {
	t.Helper()
	res, text := apitest.Do(t, h, method, path, body, "X-Guest-Token", token, "Content-Type", "application/json")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %s", method, path, res.Status, text)
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		t.Fatal(err)
	}
}

func issueGuest(t *testing.T, d *compose.Parts) (token string, owner identity.Owner) {
	t.Helper()
	token, owner, err := d.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	return token, owner
}

// TestFavoritesAndCommentsCounted adds and removes favorites and comments while they
// are counted. Every answer has the right number, however far the counting is.
func TestFavoritesAndCommentsCounted(t *testing.T) {
	d := openPeople(t, filepath.Join(t.TempDir(), "data"))
	runAggregate(t, d)
	h := mux(t, d)
	const people = 12
	var tokens []string
	setFavorite := func(method, path, body string, token string) int {
		var answer struct{ Favorites int }
		call(t, h, token, method, path, body, &answer)
		return answer.Favorites
	}
	for i := range people {
		token, _ := issueGuest(t, d)
		tokens = append(tokens, token)
		if got := setFavorite("POST", "/api/favorites", `{"channel_id":"Beacon.uk"}`, token); got != i+1 {
			t.Errorf("person %d gets the count %d", i+1, got)
		}
		var answer struct{ OK bool }
		call(t, h, token, "POST", "/api/channels/Beacon.uk/comments", `{"body":"hello"}`, &answer)
	}
	waitForCounts(t, d, "Beacon.uk", people, people)
	for i, token := range tokens {
		if got := setFavorite("DELETE", "/api/favorites/Beacon.uk", "", token); got != people-i-1 {
			t.Errorf("after %d removals the count is %d", i+1, got)
		}
	}
	waitForCounts(t, d, "Beacon.uk", 0, people)
}

// Operations are of four kinds in turn: a play, adding or removing a favorite, renaming
// a folder of the library, and a comment while the hourly limit allows it.
const (
	playing = iota
	favoriting
	renaming
	commenting
	kinds
)

// kindOf returns the kind of operation n.
func kindOf(n int) int {
	if kind := n % kinds; kind != commenting || n/kinds < comment.PerHour {
		return kind
	}
	return playing
}

func channelOf(n int) string { return testChannels[n/kinds%len(testChannels)] }

// An ownerState is the state that the operations of one owner lead to.
type ownerState struct {
	Plays, Comments int
	Favorites       []string
	Folder          string // its name
}

// expectedState returns the state after the first n operations.
func expectedState(n int) (tr ownerState) {
	liked := map[string]bool{}
	tr.Folder = firstFolder
	for i := range n {
		switch kindOf(i) {
		case playing:
			tr.Plays++
		case favoriting:
			if liked[channelOf(i)] = !liked[channelOf(i)]; !liked[channelOf(i)] {
				delete(liked, channelOf(i))
			}
		case renaming:
			tr.Folder = folderOf(i)
		case commenting:
			tr.Comments++
		}
	}
	tr.Favorites = slices.Sorted(maps.Keys(liked))
	return tr
}

// firstFolder is the name of the folder that every owner makes first.
const firstFolder = "Folder"

// folderOf returns the name that operation n gives the folder.
func folderOf(n int) string { return fmt.Sprint("Folder ", n) }

// childOperations runs in the child process: it does operations as one guest, and
// reports each operation once it is acknowledged.
func childOperations(t *testing.T, dir string) {
	d := openPeople(t, dir)
	network := fmt.Sprintf("[2001:db8:%x::1]:1", rand.Uint32N(1<<16)) // a process is a person at home: networks are limited
	served := mux(t, d)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = network
		served.ServeHTTP(w, r)
	})
	token, owner := issueGuest(t, d)
	var made struct{ ID string }
	call(t, h, token, "POST", "/api/categories", fmt.Sprintf(`{"name":%q}`, firstFolder), &made)
	killtest.Say("owner", owner)
	for n := 0; ; n++ {
		var answer struct{}
		switch of := fmt.Sprintf(`{"channel_id":%q}`, channelOf(n)); {
		case kindOf(n) == playing:
			call(t, h, token, "POST", "/api/history", of, &answer)
		case kindOf(n) == renaming:
			call(t, h, token, "PATCH", "/api/categories/"+made.ID, fmt.Sprintf(`{"name":%q}`, folderOf(n)), &answer)
		case kindOf(n) == commenting:
			call(t, h, token, "POST", "/api/channels/"+channelOf(n)+"/comments", fmt.Sprintf(`{"body":"hello %d"}`, n), &answer)
		case slices.Contains(expectedState(n).Favorites, channelOf(n)):
			call(t, h, token, "DELETE", "/api/favorites/"+channelOf(n), "", &answer)
		default:
			call(t, h, token, "POST", "/api/favorites", of, &answer)
		}
		killtest.Say("done", n)
	}
}

// kills is how often TestProcessKilledWhileServing kills a process; 0 is a number that
// suits every run of the tests. The promise was checked with 300:
//
//	go test ./functions -run KilledWhileServing -v -kills 300
var kills = flag.Int("kills", 0, "processes that TestProcessKilledWhileServing kills")

// TestProcessKilledWhileServing kills a serving process at random points. Every
// acknowledged operation is stored, none is half done, and the final counts are
// those of the stored documents.
func TestProcessKilledWhileServing(t *testing.T) {
	t.Parallel()
	if args, ok := killtest.Child(t); ok {
		childOperations(t, args[0])
	}
	runs := 40
	if testing.Short() {
		runs = 8
	}
	if *kills > 0 {
		runs = *kills
	}
	dir := filepath.Join(t.TempDir(), "data")
	rnd := rand.New(rand.NewPCG(5, 5))
	done := map[identity.Owner]int{}
	for range runs {
		owner, n := killChild(t, dir, rnd.IntN(40), time.Duration(rnd.IntN(10_000))*time.Microsecond)
		if owner != "" {
			done[owner] = n
		}
	}
	if len(done) < runs/2 {
		t.Fatalf("only %d of %d children acknowledged an operation", len(done), runs)
	}
	d := openPeople(t, dir)
	favorites, acknowledged := map[string]int{}, 0
	for owner, n := range done {
		acknowledged += n
		tr := storedState(t, d, owner)
		before, after := expectedState(n), expectedState(n+1) // the operation in progress may be stored
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
	t.Logf("%d processes were killed and had acknowledged %d operations; %d events were left in the outbox", runs, acknowledged, swept)
	runAggregate(t, d)
	for _, channel := range testChannels {
		comments, err := comment.Count(t.Context(), d.DB, channel)
		if err != nil {
			t.Fatal(err)
		}
		waitForCounts(t, d, channel, favorites[channel], comments)
	}
}

// killChild starts a child, kills it some time after its n-th operation, and returns
// its owner and how many operations it had acknowledged.
func killChild(t *testing.T, dir string, n int, later time.Duration) (owner identity.Owner, done int) {
	t.Helper()
	killtest.Run(t, killtest.Plan{Args: []string{dir}, After: later, Hear: func(line string) bool {
		var i int
		if _, err := fmt.Sscanf(line, "done %d", &i); err == nil {
			done = i + 1
		} else if _, err := fmt.Sscanf(line, "owner %s", &owner); err != nil {
			t.Errorf("unexpected line of the child: %q", line)
		}
		return done > n
	}})
	return owner, done
}

// storedState returns the state of an owner in the database.
func storedState(t *testing.T, d *compose.Parts, owner identity.Owner) (tr ownerState) {
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
	l, err := library.Load(t.Context(), d.DB, owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range l.Categories {
		tr.Folder = folder.Name
	}
	var pace comment.Pace
	if err := d.DB.Get(t.Context(), comment.PacePath(owner), &pace); err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	tr.Comments = len(pace.Made)
	return tr
}
