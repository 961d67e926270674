package chat_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social/speech"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// A clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Now().UTC().Truncate(time.Second)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) wait(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// open returns rooms on an empty database in which everyone may write.
func open(t testing.TB) (*chat.Rooms, store.DB, *clock) {
	t.Helper()
	db, c := wiretest.OpenDB(t), newClock()
	return chat.New(chat.Options{DB: db, Free: true, Now: c.now}), db, c
}

func post(t testing.TB, r *chat.Rooms, d chat.Draft) chat.Message {
	t.Helper()
	m, err := r.Post(t.Context(), d)
	if err != nil {
		t.Fatalf("Post(%+v) = %v", d, err)
	}
	return m
}

func bodies(list []chat.Message) []string {
	texts := []string{}
	for _, m := range list {
		texts = append(texts, m.Body)
	}
	return texts
}

// recent returns the texts that Recent returns.
func recent(t testing.TB, r *chat.Rooms, channel, after string) []string {
	t.Helper()
	list, err := r.Recent(t.Context(), channel, after)
	if err != nil {
		t.Fatal(err)
	}
	return bodies(list)
}

func TestPost(t *testing.T) {
	r, _, c := open(t)
	first := post(t, r, chat.Draft{Channel: "A.br", Owner: "g_ana", Body: " hi\n\u200bthere "})
	want := chat.Message{ID: first.ID, Channel: "A.br", Seq: 1, Owner: "g_ana", Author: speech.Nickname("g_ana"), Body: "hi there", At: c.now()}
	if diff := cmp.Diff(want, first); diff != "" || len(first.ID) != chat.IDLen {
		t.Errorf("the first message (-want +got)\n%s", diff)
	}
	if m := post(t, r, chat.Draft{Channel: "A.br", Owner: "g_bob", Author: " Bob ", Body: "hello"}); m.Seq != 2 || m.Author != "Bob" {
		t.Errorf("the second message is %+v", m)
	}
	if m := post(t, r, chat.Draft{Channel: "B.br", Owner: "g_bob", Body: "elsewhere"}); m.Seq != 1 {
		t.Errorf("the first message of another room is %+v", m)
	}
	if diff := cmp.Diff([]string{"hi there", "hello"}, recent(t, r, "A.br", "")); diff != "" {
		t.Errorf("recent (-want +got)\n%s", diff)
	}
	found, err := r.Find(t.Context(), "A.br", first.ID)
	if diff := cmp.Diff(first, found); err != nil || diff != "" {
		t.Errorf("found %v (-want +got)\n%s", err, diff)
	}
}

// TestRefused checks each fault of a message, and that a refused one changes nothing.
func TestRefused(t *testing.T) {
	db, c := wiretest.OpenDB(t), newClock()
	r := chat.New(chat.Options{DB: db, Now: c.now})
	ctx := t.Context()
	set := func(p store.Path, doc any) {
		if err := db.Set(ctx, p, doc); err != nil {
			t.Fatal(err)
		}
	}
	later := store.At(c.now().Add(time.Hour))
	for _, owner := range []identity.Owner{"g_ana", "g_muted"} {
		set(pass.Path(owner), pass.Passes{ChatUntil: later})
	}
	set(moderation.MutePath("g_muted"), moderation.Mute{ExpireAt: later})
	if err := r.SetClosed(ctx, "Closed.br", later.Time, "rest"); err != nil {
		t.Fatal(err)
	}
	until := later.Format(time.RFC3339)
	for _, test := range []struct {
		name  string
		draft chat.Draft
		want  error
	}{
		{"empty", chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "\u200b \n"}, chat.ErrWords.With("param", "body").With("reason", "empty")},
		{"too long", chat.Draft{Channel: "A.br", Owner: "g_ana", Body: strings.Repeat("x", 501)}, chat.ErrWords.With("param", "body").With("reason", "too_long").With("bound", 500)},
		{"too many bytes", chat.Draft{Channel: "A.br", Owner: "g_ana", Body: strings.Repeat("👩‍👩‍👧", 112)}, chat.ErrWords.With("param", "body").With("reason", "too_long").With("bound", 500)},
		{"direction", chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "a\u202eb"}, chat.ErrWords.With("param", "body").With("reason", "control")},
		{"bytes", chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "a\xff"}, chat.ErrWords.With("param", "body").With("reason", "encoding")},
		{"name", chat.Draft{Channel: "A.br", Owner: "g_ana", Author: strings.Repeat("x", 41), Body: "a"}, chat.ErrWords.With("param", "author").With("reason", "too_long").With("bound", 40)},
		{"ref", chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "a", Ref: "a b"}, chat.ErrWords.With("param", "ref").With("reason", "malformed")},
		{"no pass", chat.Draft{Channel: "A.br", Owner: "g_bob", Body: "a"}, chat.ErrPass},
		{"muted", chat.Draft{Channel: "A.br", Owner: "g_muted", Body: "a"}, moderation.ErrMuted.With("until", until)},
		{"closed", chat.Draft{Channel: "Closed.br", Owner: "g_ana", Body: "a"}, chat.ErrClosed.With("until", until)},
		{"closed and no pass", chat.Draft{Channel: "Closed.br", Owner: "g_bob", Body: "a"}, chat.ErrClosed.With("until", until)},
	} {
		_, err := r.Post(ctx, test.draft)
		if !errors.Is(err, test.want) || !maps.Equal(fault.From(err).Fields, fault.From(test.want).Fields) {
			t.Errorf("%s: %v %v, want %v", test.name, err, fault.From(err).Fields, test.want)
		}
	}
	if n, err := db.Count(ctx, store.Query{Collection: "chat/A.br/messages"}); n != 0 || err != nil {
		t.Errorf("%d messages were stored, %v", n, err)
	}
	post(t, r, chat.Draft{Channel: "A.br", Owner: "g_ana", Body: strings.Repeat("e\u0301", 500)})
	if err := r.SetClosed(ctx, "Closed.br", time.Time{}, ""); err != nil {
		t.Fatal(err)
	}
	post(t, r, chat.Draft{Channel: "Closed.br", Owner: "g_ana", Body: "open again"})
	c.wait(time.Hour)
	if _, err := r.Post(ctx, chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "b"}); !errors.Is(err, chat.ErrPass) {
		t.Errorf("after the end of the pass: %v", err)
	}
}

// TestPaces checks how fast an owner, a network and a room may write.
func TestPaces(t *testing.T) {
	n := 0
	for _, test := range []struct {
		name   string
		rate   chat.Rate
		reason string
		draft  func() chat.Draft
	}{
		{"owner", chat.DefaultLimits.Owner, chat.TooFast, func() chat.Draft { return chat.Draft{Channel: fmt.Sprint("C", n), Owner: "g_ana"} }},
		{"network", chat.DefaultLimits.Network, chat.TooFast, func() chat.Draft {
			return chat.Draft{Channel: fmt.Sprint("C", n), Owner: identity.Owner(fmt.Sprint("g_", n)), Network: "net"}
		}},
		{"room", chat.DefaultLimits.Room, chat.Busy, func() chat.Draft { return chat.Draft{Channel: "A.br", Owner: identity.Owner(fmt.Sprint("g_", n))} }},
	} {
		r, _, c := open(t)
		try := func() error {
			n++
			d := test.draft()
			d.Body = fmt.Sprint("number ", n)
			_, err := r.Post(t.Context(), d)
			return err
		}
		for i := range test.rate.Burst {
			if err := try(); err != nil {
				t.Fatalf("%s: message %d of a burst: %v", test.name, i, err)
			}
		}
		for range 2 {
			err := try()
			fields := fault.From(err).Fields
			if !errors.Is(err, chat.ErrLimit) || fields["reason"] != test.reason || fields["retry_after"] != int((test.rate.Every+time.Second-1)/time.Second) {
				t.Errorf("%s: one more is %v %v", test.name, err, fields)
			}
		}
		c.wait(test.rate.Every)
		if err := try(); err != nil {
			t.Errorf("%s: one more in time is %v", test.name, err)
		}
		if err := try(); !errors.Is(err, chat.ErrLimit) {
			t.Errorf("%s: another at once is %v", test.name, err)
		}
	}
}

func TestRepeats(t *testing.T) {
	r, _, c := open(t)
	say := func(body string) error {
		c.wait(2 * time.Second)
		_, err := r.Post(t.Context(), chat.Draft{Channel: "A.br", Owner: "g_ana", Body: body})
		return err
	}
	if err := errors.Join(say("buy this"), say("another")); err != nil {
		t.Fatal(err)
	}
	if err := say(" buy\u200b  this"); !errors.Is(err, chat.ErrLimit) || fault.From(err).Fields["reason"] != chat.Repeated || fault.From(err).Fields["retry_after"] != 26 {
		t.Errorf("the same again is %v %v", err, fault.From(err).Fields)
	}
	c.wait(24 * time.Second)
	if err := say("buy this"); err != nil {
		t.Errorf("the same later is %v", err)
	}
}

// TestWrongClock lets an owner write after an instance whose clock was an hour ahead
// stored a message with the same text.
func TestWrongClock(t *testing.T) {
	r, _, c := open(t)
	say := func() error {
		_, err := r.Post(t.Context(), chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "hello"})
		return err
	}
	c.wait(time.Hour)
	if err := say(); err != nil {
		t.Fatal(err)
	}
	c.wait(-time.Hour)
	if err := say(); err != nil {
		t.Error(err)
	}
}

// TestAgain posts a draft again by its ref: also at once, too fast, after it was
// removed, and while the room is closed.
func TestAgain(t *testing.T) {
	r, db, _ := open(t)
	d := chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "hello", Ref: "r-1"}
	var g errgroup.Group
	var fresh, again sync.Map
	for i := range 20 {
		g.Go(func() error {
			m, err := r.Post(t.Context(), d)
			if m.Again {
				again.Store(i, m.ID)
			} else {
				fresh.Store(i, m.ID)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	count := func(m *sync.Map) (n int) { m.Range(func(any, any) bool { n++; return true }); return n }
	if count(&fresh) != 1 || count(&again) != 19 {
		t.Errorf("%d fresh, %d again", count(&fresh), count(&again))
	}
	if n, err := db.Count(t.Context(), store.Query{Collection: "chat/A.br/messages"}); n != 1 || err != nil {
		t.Errorf("%d messages, %v", n, err)
	}
	for _, other := range []chat.Draft{
		{Channel: "A.br", Owner: "g_bob", Body: "hello", Ref: "r-1"}, {Channel: "B.br", Owner: "g_bob", Body: "hello you", Ref: "r-1"}, {Channel: "A.br", Owner: "g_ana", Body: "more", Ref: "r-2"},
	} {
		if m := post(t, r, other); m.Again {
			t.Errorf("%+v was taken for another draft", other)
		}
	}
	m := post(t, r, d)
	if _, err := r.Remove(t.Context(), "A.br", m.ID); err != nil {
		t.Fatal(err)
	}
	if err := r.SetClosed(t.Context(), "A.br", time.Now().Add(time.Hour), ""); err != nil {
		t.Fatal(err)
	}
	if m := post(t, r, d); !m.Again || !m.Removed || m.Body != "" {
		t.Errorf("after its removal it is %+v", m)
	}
}

// TestRecent reads on after a message, and over more messages than are shown at once.
func TestRecent(t *testing.T) {
	r, _, c := open(t)
	var ids, all []string
	for i := range chat.Window + 20 {
		c.wait(time.Second)
		m := post(t, r, chat.Draft{Channel: "A.br", Owner: identity.Owner(fmt.Sprint("g_", i%7)), Body: fmt.Sprint("number ", i)})
		ids, all = append(ids, m.ID), append(all, m.Body)
	}
	check := func(what, after string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(append([]string{}, want...), recent(t, r, "A.br", after)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", what, diff)
		}
	}
	check("the newest", "", all[20:]...)
	check("after one", ids[5], all[6:]...)
	check("after the last", ids[len(ids)-1])
	check("after an unknown one", strings.Repeat("a", chat.IDLen), all[20:]...)
	check("after a malformed id", "../x", all[20:]...)
	for i := range chat.MaxMissed {
		c.wait(time.Second)
		post(t, r, chat.Draft{Channel: "A.br", Owner: identity.Owner(fmt.Sprint("g_", i%7)), Body: fmt.Sprint("more ", i)})
	}
	if got := recent(t, r, "A.br", ids[0]); len(got) != chat.MaxMissed || got[0] != "number 1" {
		t.Errorf("%d after the first, from %q", len(got), got[0])
	}
	if got := recent(t, r, "Empty.br", ""); len(got) != 0 {
		t.Errorf("an empty room has %q", got)
	}
	c.wait(chat.KeepFor)
	check("what is over", "")
}

func TestRemove(t *testing.T) {
	r, _, c := open(t)
	first := post(t, r, chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "one"})
	second := post(t, r, chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "two", Ref: "x"})
	recent(t, r, "A.br", "") // remembers
	c.wait(time.Second)
	for range 2 { // the second time changes nothing
		removed, err := r.Remove(t.Context(), "A.br", second.ID)
		if err != nil || removed.Owner != "g_ana" {
			t.Fatalf("removed %+v, %v", removed, err)
		}
	}
	if diff := cmp.Diff([]string{"one"}, recent(t, r, "A.br", "")); diff != "" {
		t.Errorf("recent (-want +got)\n%s", diff)
	}
	missed, err := r.Recent(t.Context(), "A.br", first.ID)
	if err != nil || len(missed) != 2 || !missed[0].Removed || missed[0].Body != "" || missed[1].ID != second.ID || !missed[1].Removed || missed[1].Seq != 3 {
		t.Errorf("after the first: %+v, %v", missed, err)
	}
	if m, err := r.Find(t.Context(), "A.br", second.ID); err != nil || !m.Removed || m.Body != "" {
		t.Errorf("found %+v, %v", m, err)
	}
	if m := post(t, r, chat.Draft{Channel: "A.br", Owner: "g_bob", Body: "three"}); m.Seq != 4 {
		t.Errorf("the next is %+v", m)
	}
	for _, id := range []string{strings.Repeat("a", chat.IDLen), "", "../x", first.ID + "x"} {
		if _, err := r.Remove(t.Context(), "A.br", id); !errors.Is(err, chat.ErrUnknown) {
			t.Errorf("Remove(%q) = %v", id, err)
		}
		if _, err := r.Find(t.Context(), "A.br", id); !errors.Is(err, chat.ErrUnknown) {
			t.Errorf("Find(%q) = %v", id, err)
		}
	}
}

// TestFollow checks that followers see every entry once and in order, from wherever
// they begin and however fast messages come.
func TestFollow(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		c := newClock()
		r := chat.New(chat.Options{DB: db, Free: true, Now: c.now, Limits: chat.Limits{Room: chat.Rate{Every: time.Nanosecond, Burst: 1000}}})
		const all = 3*chat.Window + 10
		say := func(i int) chat.Message {
			return post(t, r, chat.Draft{Channel: "A.br", Owner: identity.Owner(fmt.Sprint("g_", i)), Body: fmt.Sprint("number ", i)})
		}
		follow := func(seq int64, until int, began chan<- bool) ([]int64, error) {
			var got []int64
			for list, err := range r.Follow(t.Context(), "A.br", seq) {
				if err != nil {
					return got, err
				}
				if began != nil {
					close(began)
					began = nil
				}
				for _, m := range list {
					got = append(got, m.Seq)
				}
				if n := len(got); n > 0 && got[n-1] >= int64(until) {
					return got, nil
				}
			}
			return got, t.Context().Err()
		}
		var g errgroup.Group
		for range 3 {
			began := make(chan bool)
			g.Go(func() error {
				got, err := follow(0, all+1, began)
				return errors.Join(err, sequence(got, 1, all+1))
			})
			<-began
		}
		for i := range all {
			say(i)
		}
		if _, err := r.Remove(t.Context(), "A.br", mustID(t, r)); err != nil {
			t.Fatal(err)
		}
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
		for _, test := range []struct{ seq, first int64 }{{0, all + 2 - chat.Window}, {5, 6}, {all, all + 1}} {
			got, err := follow(test.seq, all+1, nil)
			if err := errors.Join(err, sequence(got, test.first, all+1)); err != nil {
				t.Errorf("after %d: %v", test.seq, err)
			}
		}
	})
}

// mustID returns the id of the newest message of the room.
func mustID(t *testing.T, r *chat.Rooms) string {
	t.Helper()
	list, err := r.Recent(t.Context(), "A.br", "")
	if err != nil {
		t.Fatal(err)
	}
	return list[len(list)-1].ID
}

// sequence returns an error unless got are the numbers from first to last.
func sequence(got []int64, first, last int64) error {
	var want []int64
	for n := first; n <= last; n++ {
		want = append(want, n)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("got %v, want %d to %d", got, first, last)
	}
	return nil
}

func TestPresence(t *testing.T) {
	r, _, c := open(t)
	ctx := t.Context()
	announce := func(id string, rooms map[string]int) {
		t.Helper()
		if err := r.Announce(ctx, id, rooms); err != nil {
			t.Fatal(err)
		}
	}
	watching := func(want int) {
		t.Helper()
		if n, err := r.Watching(ctx, "A.br"); n != want || err != nil {
			t.Errorf("%d are watching, want %d, %v", n, want, err)
		}
	}
	watching(0)
	announce("one", map[string]int{"A.br": 3, "B.br": 1, "C.br": 0})
	announce("two", map[string]int{"A.br": 4})
	watching(0) // remembered
	c.wait(5 * time.Second)
	watching(7)
	announce("one", map[string]int{"A.br": 0})
	c.wait(5 * time.Second)
	watching(4)
	for p, err := range r.Instances(ctx) {
		if diff := cmp.Diff(map[string]int{"A.br": 4}, p.Sums(c.now(), "")); err != nil || diff != "" {
			t.Errorf("sums %v (-want +got)\n%s", err, diff)
		}
		if sums := p.Sums(c.now(), "two"); len(sums) != 0 {
			t.Errorf("without the second instance: %v", sums)
		}
		if sums := p.Sums(c.now().Add(chat.Lease), ""); len(sums) != 0 {
			t.Errorf("after the lease: %v", sums)
		}
		if sums := p.Sums(c.now().Add(-30*24*time.Hour), ""); len(sums) != 0 {
			t.Errorf("of an instance that died while its clock was ahead: %v", sums)
		}
		break
	}
}

// TestCost counts the documents that a message and a reader take.
func TestCost(t *testing.T) {
	c := newClock()
	db := storetest.NewMeter(wiretest.OpenDB(t))
	r := chat.New(chat.Options{DB: db, Now: c.now})
	if err := db.Set(t.Context(), pass.Path("g_ana"), pass.Passes{ChatUntil: store.At(c.now().Add(time.Hour))}); err != nil {
		t.Fatal(err)
	}
	check := func(what string, want storetest.Ops, f func()) {
		t.Helper()
		before := db.Ops()
		f()
		if diff := cmp.Diff(want, db.Ops().Less(before)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", what, diff)
		}
	}
	say := func() { c.wait(time.Minute); post(t, r, chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "hello"}) }
	check("a message", storetest.Ops{Reads: 5, Writes: 3, Deletes: 1}, say)
	check("the first reader", storetest.Ops{Reads: 2}, func() { recent(t, r, "A.br", "") })
	check("the next", storetest.Ops{Reads: 1}, func() { recent(t, r, "A.br", "") })
	check("an empty room", storetest.Ops{Reads: 1}, func() { recent(t, r, "B.br", "") })
	check("a text that is refused", storetest.Ops{}, func() {
		if _, err := r.Post(t.Context(), chat.Draft{Channel: "A.br", Owner: "g_ana"}); err == nil {
			t.Error("an empty message was posted")
		}
	})
}

// TestFaults lets each call of the database fail: a message that was refused is not
// there, and a draft with a ref that is posted again is there once.
func TestFaults(t *testing.T) {
	for _, done := range []bool{false, true} {
		db := storetest.NewFaulty(wiretest.OpenDB(t))
		db.Twice = true
		r := chat.New(chat.Options{DB: db, Free: true})
		db.Fail(1, done)
		d := chat.Draft{Channel: "A.br", Owner: "g_ana", Body: "hello", Ref: "a"}
		if _, err := r.Post(t.Context(), d); !errors.Is(err, storetest.ErrBroken) {
			t.Errorf("a failure is %v", err)
		}
		if m := post(t, r, d); m.Again != done || m.Seq != 1 {
			t.Errorf("again, done %t: %+v", done, m)
		}
		if got := recent(t, r, "A.br", ""); len(got) != 1 {
			t.Errorf("stored: %q", got)
		}
	}
}
