package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) (store.DB, bus.Bus) {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{
		Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data"), Topology: social.Topology(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return db, events
}

func at(db store.DB, b bus.Bus, now time.Time) *Outbox {
	return &Outbox{DB: db, Bus: b, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }}
}

// keep keeps the letter of a change, as a transaction does.
func keep(t *testing.T, db store.DB, channel string) Letter {
	t.Helper()
	l, err := Write(social.Favorite{Key: fact.NewKey(), Channel: channel, Delta: 1, At: noon})
	if err == nil {
		err = db.Update(t.Context(), l.Keep)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// waiting returns the channels of the letters in the outbox.
func waiting(t *testing.T, db store.DB) []string {
	t.Helper()
	channels := []string{}
	for doc, err := range db.Query(t.Context(), store.Query{Collection: collection}) {
		var l Letter
		if err == nil {
			err = doc.Decode(&l)
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := social.FavoriteOf(bus.Event{Data: l.Data})
		if err != nil {
			t.Fatal(err)
		}
		channels = append(channels, f.Channel)
	}
	slices.Sort(channels)
	return channels
}

// published returns the first n events that the bus has, their keys by channel.
func published(t *testing.T, b bus.Bus, n int) map[string][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var mu sync.Mutex
	keys, left := map[string][]string{}, n
	err := b.Receive(ctx, social.Favorites, func(_ context.Context, e bus.Event) error {
		mu.Lock()
		defer mu.Unlock()
		f, err := social.FavoriteOf(e)
		if err != nil {
			return err
		}
		keys[f.Channel] = append(keys[f.Channel], f.Key)
		if left--; left == 0 {
			cancel()
		}
		return nil
	})
	if err != nil || left != 0 {
		t.Fatalf("%d events did not come: %v", left, err)
	}
	return keys
}

func TestSend(t *testing.T) {
	db, b := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the caller has gone
	at(db, b, noon).Send(ctx, keep(t, db, "A"), keep(t, db, "B"))
	if got := waiting(t, db); len(got) > 0 {
		t.Errorf("sent letters wait: %v", got)
	}
	if got := published(t, b, 2); len(got) != 2 {
		t.Errorf("published %v", got)
	}
}

// A line is a bus that takes nothing, and counts the attempts.
type line struct {
	bus.Bus
	tries int
}

func (l *line) Publish(context.Context, string, ...bus.Event) error {
	l.tries++
	return bustest.ErrBroken
}

// TestRest lets a bus alone that did not take a letter, for a while.
func TestRest(t *testing.T) {
	db, b := open(t)
	cut, now := &line{Bus: b}, noon
	o := &Outbox{DB: db, Bus: cut, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }}
	for n, want := range []int{1, 1, 2} {
		o.Send(t.Context(), keep(t, db, fmt.Sprint("C", n)))
		if cut.tries != want {
			t.Errorf("after %d letters the bus was tried %d times, want %d", n+1, cut.tries, want)
		}
		now = now.Add(restTime * 2 / 3)
	}
	if got := waiting(t, db); len(got) != 3 {
		t.Errorf("%v wait", got)
	}
}

// TestSweep ends a process at each step between the letter and its end: the
// event is published all the same, and with the same key.
func TestSweep(t *testing.T) {
	db, b := open(t)
	keep(t, db, "kept") // and never sent
	at(db, bustest.Broken(), noon).Send(t.Context(), keep(t, db, "refused"))
	twice := keep(t, db, "twice")
	sw := storetest.NewSwitch(db)
	sw.OffAfter(0)
	at(sw, b, noon).Send(t.Context(), twice) // published, and not deleted

	all := []string{"kept", "refused", "twice"}
	if n, err := at(db, b, noon.Add(Grace-time.Second)).Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("letters that others may be sending are sent: %d, %v", n, err)
	}
	if diff := cmp.Diff(all, waiting(t, db)); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	if n, err := at(db, b, noon.Add(Grace)).Sweep(t.Context()); n != 3 || err != nil {
		t.Errorf("sent %d, %v", n, err)
	}
	if got := waiting(t, db); len(got) > 0 {
		t.Errorf("sent letters wait: %v", got)
	}
	got := published(t, b, 4)
	if len(got["kept"]) != 1 || len(got["refused"]) != 1 || len(got["twice"]) != 2 || got["twice"][0] != got["twice"][1] {
		t.Errorf("published %v", got)
	}
}

// TestSweepBroken leaves everything where it is while the bus or the database
// does not answer.
func TestSweepBroken(t *testing.T) {
	db, b := open(t)
	keep(t, db, "A")
	if n, err := at(db, bustest.Broken(), noon.Add(time.Hour)).Sweep(t.Context()); n != 0 || !errors.Is(err, bustest.ErrBroken) {
		t.Errorf("without a bus: %d, %v", n, err)
	}
	if n, err := at(storetest.Broken(), b, noon.Add(time.Hour)).Sweep(t.Context()); n != 0 || !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("without a database: %d, %v", n, err)
	}
	if got := waiting(t, db); len(got) != 1 {
		t.Errorf("waiting: %v", got)
	}
}

// TestSweepSpoiled sends the others when one letter cannot be read.
func TestSweepSpoiled(t *testing.T) {
	db, b := open(t)
	if err := db.Set(t.Context(), collection.Join("0"), map[string]any{"at": "yesterday"}); err != nil {
		t.Fatal(err)
	}
	keep(t, db, "A")
	if n, err := at(db, b, noon.Add(time.Hour)).Sweep(t.Context()); n != 1 || err == nil {
		t.Errorf("sent %d, %v; want 1, and an error for the spoiled one", n, err)
	}
}

// TestSweepAhead sends a letter that a clock which was 30 days ahead has stamped.
func TestSweepAhead(t *testing.T) {
	db, b := open(t)
	l, err := Write(social.Favorite{Key: fact.NewKey(), Channel: "A", Delta: 1, At: noon.Add(30 * 24 * time.Hour)})
	if err == nil {
		err = db.Update(t.Context(), l.Keep)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n, err := at(db, b, noon).Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("sent %d, %v, want 1", n, err)
	}
}

// TestSweepMany fills the first pages of a shelf with documents that cannot be
// read: the letters after them are sent.
func TestSweepMany(t *testing.T) {
	db, b := open(t)
	const kept = store.Path("kept")
	for n := range 7 {
		var doc any = map[string]any{"at": "yesterday", "sent": false}
		if n > 4 {
			l, err := Write(social.Favorite{Key: fact.NewKey(), Channel: fmt.Sprint("C", n), Delta: 1, At: noon})
			if err != nil {
				t.Fatal(err)
			}
			doc = map[string]any{"topic": l.Topic, "data": l.Data, "at": l.At, "sent": false}
		}
		if err := db.Set(t.Context(), kept.Join(fmt.Sprint(n)), doc); err != nil {
			t.Fatal(err)
		}
	}
	o := at(db, b, noon)
	o.Shelves = []Shelf{{
		Unsent: store.Query{Collection: kept, Where: []store.Filter{{Field: "sent", Op: store.Eq, Value: false}}, Limit: 2},
		Read:   func(doc store.Doc) (l Letter, err error) { return l, doc.Decode(&l) },
		Sent:   func(ctx context.Context, db store.DB, id string) error { return db.Delete(ctx, kept.Join(id)) },
	}}
	if n, err := o.Sweep(t.Context()); n != 2 || err == nil {
		t.Errorf("sent %d, %v; want 2, and an error for the others", n, err)
	}
	if got := published(t, b, 2); len(got["C5"]) != 1 || len(got["C6"]) != 1 {
		t.Errorf("published %v", got)
	}
}

// TestSweepUnknownTopic keeps an older letter of a topic that is gone and one
// without an event: the others are sent, and the bus is not given a rest.
func TestSweepUnknownTopic(t *testing.T) {
	db, b := open(t)
	for key, l := range map[string]Letter{
		"gone":  {Topic: "gone", Data: []byte("{}"), At: store.At(noon.Add(-time.Hour))},
		"empty": {Topic: social.Favorites, At: store.At(noon.Add(-time.Hour))},
	} {
		if err := db.Set(t.Context(), collection.Join(key), l); err != nil {
			t.Fatal(err)
		}
	}
	keep(t, db, "A")
	o := at(db, b, noon.Add(time.Hour))
	if n, err := o.Sweep(t.Context()); n != 1 || !errors.Is(err, bus.ErrTopic) || !errors.Is(err, bus.ErrEvent) {
		t.Errorf("sent %d, %v; want 1, ErrTopic and ErrEvent", n, err)
	}
	if o.isResting() {
		t.Error("the bus rests after an event that it refused")
	}
}

// TestRestClockSetBack moves the clock back by an hour while the bus rests: it is
// asked again at once.
func TestRestClockSetBack(t *testing.T) {
	db, b := open(t)
	cut, now := &line{Bus: b}, noon
	o := &Outbox{DB: db, Bus: cut, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }}
	o.Send(t.Context(), keep(t, db, "A"))
	now = now.Add(-time.Hour)
	o.Send(t.Context(), keep(t, db, "B"))
	if cut.tries != 2 {
		t.Errorf("the bus was tried %d times, want 2", cut.tries)
	}
}

// TestWriteRefuses returns an error for a fact that cannot be published.
func TestWriteRefuses(t *testing.T) {
	_, err := Write(social.Comment{Key: strings.Repeat("x", 32), Channel: "A", Delta: 1, At: noon})
	if !errors.Is(err, bus.ErrEvent) {
		t.Errorf("Write = %v, want ErrEvent", err)
	}
}
