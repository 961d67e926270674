package logo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
)

var noon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// TestStates walks a source through what can happen to it.
func TestStates(t *testing.T) {
	const day = 24 * time.Hour
	a, b := SourceID("https://a.example/logo.png"), SourceID("https://a.example/new.png")
	const first = "0123456789abcdef--d"
	s := State{}.Answered(a, `"1"`, "Mon", first, noon)
	if s.Logo != first || s.Due(a, noon.Add(26*day)) || !s.Due(a, noon.Add(34*day)) || !s.Due(b, noon) {
		t.Errorf("after an answer: %+v", s)
	}
	if !s.Due(a, noon.Add(-30*day)) {
		t.Error("a clock that was 30 days ahead puts a source off by as much")
	}
	if etag, modified := s.Validators(a); etag != `"1"` || modified != "Mon" {
		t.Errorf("validators %q, %q", etag, modified)
	}
	if etag, modified := s.Validators(b); etag != "" || modified != "" {
		t.Errorf("of another source: %q, %q", etag, modified)
	}
	old := State{}.Answered(a, `"1"`, "Mon", "0123456789abcdef", noon)
	if etag, modified := old.Validators(a); etag != "" || modified != "" {
		t.Errorf("of a logo without a tone: %q, %q", etag, modified)
	}
	for n, rest := range []time.Duration{day, 3 * day, 7 * day, 30 * day, 30 * day} {
		s = s.Failed(a, noon)
		if s.Failures != n+1 || s.Logo != first || s.ETag != `"1"` || s.Due(a, noon.Add(rest-time.Second)) || !s.Due(a, noon.Add(rest)) {
			t.Errorf("after %d failures: %+v", n+1, s)
		}
	}
	if s = s.Failed(b, noon); s.Failures != 1 || s.Logo != first || s.ETag != "" {
		t.Errorf("after another source failed: %+v", s)
	}
	if s = s.Answered(b, "", "", "", noon); s.Failures != 0 || s.Logo != first || s.Due(b, noon.Add(26*day)) {
		t.Errorf("after a file that no logo was made from: %+v", s)
	}
	if s = s.Answered(b, fmt.Sprintf("%0200d", 1), fmt.Sprintf("%0200d", 1), "logo2", noon).Unchanged(noon.Add(day)); s.ETag+s.Modified != "" || s.Logo != "logo2" || s.Checked != noon.Add(day).Unix() {
		t.Errorf("with long validators: %+v", s)
	}
}

// TestSpread checks that sources which were found at one time come again apart.
func TestSpread(t *testing.T) {
	days := map[int64]int{}
	for i := range 6000 {
		s := State{}.Answered(SourceID(fmt.Sprint(i)), "", "", "x", noon)
		days[(s.Next-noon.Unix())/86400]++
	}
	for day, n := range days {
		if day < 27 || day > 32 || n < 800 || n > 1200 {
			t.Errorf("%[2]d sources are due on day %[1]d", day, n)
		}
	}
}

// A failing is a database in which transactions fail after some.
type failing struct {
	store.DB
	left int
}

var errDied = errors.New("the process died")

func (f *failing) Update(ctx context.Context, fn func(store.Tx) error) error {
	if f.left--; f.left < 0 {
		return errDied
	}
	return f.DB.Update(ctx, fn)
}

// picture returns a picture that differs by n, and its id.
func pictureOf(n int) (string, Image) {
	im := NewImage("image/png", fmt.Appendf(nil, "picture %d", n))
	return im.ID(), im
}

// batchOf returns a batch that gives channels from, from+1, … pictures that
// differ by edition; every third shares one.
func batchOf(from, count, edition int) (map[string]Image, map[string]*State) {
	pictures, changes := map[string]Image{}, map[string]*State{}
	for n := from; n < from+count; n++ {
		number := edition*1000 + n
		if n%3 == 0 {
			number = edition * 1000
		}
		id, im := pictureOf(number)
		pictures[id] = im
		s := State{}.Answered(SourceID(fmt.Sprint(n)), "", "", id, noon)
		changes[fmt.Sprintf("C%d.br", n)] = &s
	}
	return pictures, changes
}

// TestDying has a process die after every number of writes, in a batch that
// changes some channels, gives some a logo, and takes those of others. Whoever
// comes next finds every logo that readers see kept, does the batch again, and
// leaves no picture that nobody knows.
func TestDying(t *testing.T) {
	first, firstChanges := batchOf(0, 6, 1)
	second, secondChanges := batchOf(4, 6, 2)
	secondChanges["C0.br"], secondChanges["C1.br"] = nil, nil
	for writes := 0; ; writes++ {
		db := open(t)
		if err := opened(t, db).Keep(t.Context(), first, firstChanges, noon); err != nil {
			t.Fatal(err)
		}
		err := opened(t, db).over(&failing{db, writes}).Keep(t.Context(), second, secondChanges, noon)
		if err != nil && !errors.Is(err, errDied) {
			t.Fatal(err)
		}
		l := opened(t, db)
		checkKept(t, db)
		if err := l.Keep(t.Context(), second, secondChanges, noon); err != nil {
			t.Fatal(err)
		}
		checkSeen(t, db)
		if err == nil {
			checkFinal(t, db)
			if writes < 12 {
				t.Errorf("a batch took only %d writes", writes)
			}
			return
		}
	}
}

// over returns the ledger on another database.
func (l *Ledger) over(db store.DB) *Ledger {
	l.db = db
	return l
}

func opened(t *testing.T, db store.DB) *Ledger {
	t.Helper()
	l, _, err := OpenLedger(t.Context(), db, noon)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// checkKept checks that what readers see is kept, and that what is kept is
// known.
func checkKept(t *testing.T, db store.DB) {
	t.Helper()
	l := opened(t, db)
	for channel, id := range seen(t, db) {
		if _, err := Get(t.Context(), db, id); err != nil || l.States[channel].Logo != id {
			t.Errorf("%s shows %s: %v, %+v", channel, id, err, l.States[channel])
		}
	}
	for doc, err := range db.Query(t.Context(), store.Query{Collection: "logos"}) {
		if err != nil {
			t.Fatal(err)
		}
		if !l.Has(doc.ID) {
			t.Errorf("%s is stored, but in no ledger", doc.ID)
		}
	}
}

// checkSeen checks that readers see what is left of both batches.
func checkSeen(t *testing.T, db store.DB) {
	t.Helper()
	want := map[string]string{}
	_, first := batchOf(2, 2, 1)
	_, second := batchOf(4, 6, 2)
	for channel, s := range first {
		want[channel] = s.Logo
	}
	for channel, s := range second {
		want[channel] = s.Logo
	}
	if diff := cmp.Diff(want, seen(t, db)); diff != "" {
		t.Errorf("readers see (-want +got):\n%s", diff)
	}
}

// checkFinal checks that the old pictures stay until their time is over.
func checkFinal(t *testing.T, db store.DB) {
	t.Helper()
	checkKept(t, db)
	if _, deleted, err := OpenLedger(t.Context(), db, noon.Add(keepUnused-time.Second)); deleted != 0 || err != nil {
		t.Errorf("%d pictures are deleted before their time, %v", deleted, err)
	}
	// C1, C4 and C5 had pictures of their own; the one that C0 shared is still C3's.
	if _, deleted, err := OpenLedger(t.Context(), db, noon.Add(keepUnused)); deleted != 3 || err != nil {
		t.Errorf("%d pictures are deleted, want 3; %v", deleted, err)
	}
	checkKept(t, db)
	if _, deleted, err := OpenLedger(t.Context(), db, noon.Add(2*keepUnused)); deleted != 0 || err != nil {
		t.Errorf("later %d more are deleted, %v", deleted, err)
	}
}

// seen returns what a reader sees.
func seen(t *testing.T, db store.DB) map[string]string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	return maps.Collect(Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now)).All())
}

// TestUsedAgain checks that a picture which comes back in time stays.
func TestUsedAgain(t *testing.T) {
	db := open(t)
	id, im := pictureOf(1)
	s := State{}.Answered("a", "", "", id, noon)
	steps := []map[string]*State{{"A.br": &s}, {"A.br": nil}, {"B.br": &s}}
	for n, changes := range steps {
		if err := opened(t, db).Keep(t.Context(), map[string]Image{id: im}, changes, noon.Add(time.Duration(n)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, deleted, err := OpenLedger(t.Context(), db, noon.Add(10*keepUnused)); deleted != 0 || err != nil {
			t.Errorf("%d pictures are deleted, %v", deleted, err)
		}
	}
	if diff := cmp.Diff(map[string]string{"B.br": id}, seen(t, db)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFenced checks that a process whose place another has taken writes nothing.
func TestFenced(t *testing.T) {
	db := open(t)
	l := opened(t, db)
	lost := errors.New("lost")
	l.checks = []func(store.Tx) error{func(store.Tx) error { return lost }}
	pictures, changes := batchOf(0, 3, 1)
	if err := l.Keep(t.Context(), pictures, changes, noon); !errors.Is(err, lost) {
		t.Errorf("Keep = %v", err)
	}
	for id := range pictures {
		if _, err := Get(t.Context(), db, id); !errors.Is(err, ErrNoLogo) {
			t.Errorf("%s is stored: %v", id, err)
		}
	}
}

// TestRoom checks that the shards of 100,000 channels fit their documents, with
// ids as long as stations have and validators as long as are kept.
func TestRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("many states")
	}
	db := open(t)
	random := rand.NewChaCha8([32]byte{1})
	b := book{map[string]State{}, map[string]int64{}}
	logos := map[string]string{}
	text := func(n int) string {
		data := make([]byte, n)
		random.Read(data)
		return fmt.Sprintf("%x", data)
	}
	for range 100_000 / shards * 11 / 10 { // shards are not all alike
		id := "rb." + text(18)
		s := State{}.Answered(text(6), text(maxValidator/2), "Sun, 15 Mar 2026 12:00:00 GMT", text(8), noon)
		b.Channels[id], logos[id] = s, s.Logo
	}
	for _, test := range []struct {
		kind overlay.Kind
		what any
	}{{states, b}, {shown, logos}} {
		err := test.kind.Update(t.Context(), db, 0, func([]byte) ([]byte, error) { return json.Marshal(test.what) })
		if err != nil {
			t.Errorf("%s: %v", test.kind.Name, err)
		}
	}
}

// TestLive checks that a reader sees logos come and go, and not what would not
// do as an address.
func TestLive(t *testing.T) {
	db := open(t)
	live := Follow(t.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
	pictures, changes := batchOf(0, 1, 1)
	if err := opened(t, db).Keep(t.Context(), pictures, changes, noon); err != nil {
		t.Fatal(err)
	}
	<-live.Changed()
	if got := maps.Collect(live.All()); len(got) != 1 || got["C0.br"] != changes["C0.br"].Logo {
		t.Errorf("readers see %v", got)
	}
	for _, bad := range []string{`{"C0.br":"a/b"}`, `{"C0.br":""}`, `{"":"a"}`, `["x"]`, `{`} {
		if err := live.show(shown.ShardOf("C0.br"), []byte(bad)); err == nil {
			t.Errorf("%s is shown", bad)
		}
	}
	if got := maps.Collect(live.All()); len(got) != 1 {
		t.Errorf("after malformed shards readers see %v", got)
	}
	if err := opened(t, db).Keep(t.Context(), nil, map[string]*State{"C0.br": nil}, noon); err != nil {
		t.Fatal(err)
	}
	<-live.Changed()
	for range live.All() {
		t.Error("readers still see a logo")
	}
}

// FuzzShards checks that no document breaks who reads shards.
func FuzzShards(f *testing.F) {
	for _, s := range []string{"", "{}", "null", `{"a":"b"}`, `{"channels":null}`, `{"channels":{"a":{"n":-1,"f":1e9}},"unused":{"x":0}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if logos, err := decodeShown(data); err == nil {
			for _, id := range logos {
				if !ids.MatchString(id) {
					t.Errorf("an id %q", id)
				}
			}
		}
		if b, err := decodeBook(data); err == nil {
			s := State{}
			b.change("x", &s, noon)
		}
	})
}
