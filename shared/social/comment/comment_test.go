package comment

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social/speech"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// backends runs f on an empty database of each kind that there is.
func backends(t *testing.T, f func(t *testing.T, db store.DB, writers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), f)
}

func made(t *testing.T, owner identity.Owner, channel, body string, at time.Time) Comment {
	t.Helper()
	c, err := New(owner, channel, "", body, at)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func post(t *testing.T, db store.DB, owner identity.Owner, channel, body string, at time.Time) (Comment, error) {
	t.Helper()
	c := made(t, owner, channel, body, at)
	_, err := Post(t.Context(), db, c)
	return c, err
}

// paceOf returns the pace of an owner; zero when it never commented.
func paceOf(t *testing.T, db store.DB, owner identity.Owner) (p Pace) {
	t.Helper()
	if err := db.Get(t.Context(), PacePath(owner), &p); err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return p
}

// TestNewNeutral stores a text without its invisible characters, composed.
func TestNewNeutral(t *testing.T) {
	c, err := New("g_1", "A", "", "e\u0301\u200b\u2060 \u2800", noon)
	if err != nil || c.Body != "é " {
		t.Errorf("stored %+q, %v", c.Body, err)
	}
}

func TestNew(t *testing.T) {
	nickname := speech.Nickname("g_1")
	for _, test := range []struct {
		author, body string
		want         string // author kept, or else the parameter and reason of the refusal
	}{
		{"", "hello", nickname},
		{"  ", "hello", nickname},
		{" Ana ", " hello\n", "Ana"},
		{"A\u200bna", "x", "Ana"},
		{strings.Repeat("ã", MaxAuthor), "x", strings.Repeat("ã", MaxAuthor)},
		{strings.Repeat("ã", MaxAuthor+1), "x", "author too_long"},
		{"a\u202eb", "x", "author control"},
		{"a\nb", "x", "author control"},
		{"\u3164", "x", "author empty"},
		{"Ana", "", "body empty"},
		{"Ana", " \n ", "body empty"},
		{"Ana", strings.Repeat("ã", MaxLength), "Ana"},
		{"Ana", strings.Repeat("ã", MaxLength+1), "body too_long"},
		{"Ana", "a\u202eb", "body control"},
		{"Ana", "a\x00b", "body control"},
		{"Ana", "a\xffb", "body encoding"},
	} {
		c, err := New("g_1", "A", test.author, test.body, noon)
		got := c.Author
		if f, ok := errors.AsType[*fault.Error](err); ok {
			if !errors.Is(err, ErrWords) || (f.Fields["bound"] == nil) == strings.Contains(test.want, "too_long") {
				t.Errorf("%q by %q is refused with %v, %v", test.body, test.author, err, f.Fields)
			}
			got = fmt.Sprint(f.Fields["param"], " ", f.Fields["reason"])
		} else if c.Body != test.body {
			t.Errorf("%q is kept as %q", test.body, c.Body)
		}
		if got != test.want {
			t.Errorf("%q by %q: %q, want %q", test.body, test.author, got, test.want)
		}
	}
}

// TestOrder reads comments newest first, of one channel.
func TestOrder(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		for i := range 5 {
			if _, err := post(t, db, "g_1", "A", fmt.Sprint("number ", i), noon.Add(time.Duration(i)*time.Second)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := post(t, db, "g_1", "B", "another", noon); err != nil {
			t.Fatal(err)
		}
		list, err := Newest(t.Context(), db, "A", 3)
		var got []string
		for _, c := range list {
			got = append(got, c.Body)
		}
		if diff := cmp.Diff([]string{"number 4", "number 3", "number 2"}, got); diff != "" || err != nil {
			t.Errorf("newest: %v (-want +got):\n%s", err, diff)
		}
		if n, err := Count(t.Context(), db, "A"); n != 5 || err != nil {
			t.Errorf("%d comments, %v", n, err)
		}
		if n, err := Count(t.Context(), db, "C"); n != 0 || err != nil {
			t.Errorf("%d comments on a channel without, %v", n, err)
		}
	})
}

// TestPace makes all comments of an hour at once, from many sides: no more than
// allowed are kept. There is room again when the first is an hour old.
func TestPace(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, writers int) {
		var kept atomic.Int32
		var g errgroup.Group
		g.SetLimit(writers)
		for i := range PerHour + PerHour/2 {
			g.Go(func() error {
				c, err := New("g_1", fmt.Sprint("C", i%3), "", unlike(i), noon.Add(time.Duration(i)*time.Second))
				if err != nil {
					return err
				}
				_, err = Post(t.Context(), db, c)
				if err == nil {
					kept.Add(1)
				} else if !errors.Is(err, ErrLimit) {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		there := 0
		for i := range 3 {
			n, err := Count(t.Context(), db, fmt.Sprint("C", i))
			if err != nil {
				t.Fatal(err)
			}
			there += n
		}
		if kept.Load() != PerHour || there != PerHour {
			t.Errorf("%d acknowledged, %d kept, want %d", kept.Load(), there, PerHour)
		}
		if _, err := post(t, db, "g_2", "C0", "hello", noon); err != nil {
			t.Errorf("another's comments: %v", err)
		}
		if _, err := post(t, db, "g_1", "C0", "hello", noon.Add(2*time.Hour)); err != nil {
			t.Errorf("two hours later: %v", err)
		}
	})
}

// TestClockAhead uses up the comments of an hour while the clock is 30 days ahead. Once
// it is set right another is accepted.
func TestClockAhead(t *testing.T) {
	db := wiretest.OpenDB(t)
	const ahead = 30 * 24 * time.Hour
	for i := range PerHour {
		if _, err := post(t, db, "g_1", "A", unlike(i), noon.Add(ahead)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := post(t, db, "g_1", "A", unlike(PerHour), noon); err != nil {
		t.Errorf("with the right clock: %v", err)
	}
}

func TestWait(t *testing.T) {
	db := wiretest.OpenDB(t)
	for i := range PerHour {
		if _, err := post(t, db, "g_1", "A", unlike(i), noon.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	for i, test := range []struct {
		at   time.Duration
		want any // seconds to wait; nil when there is room
	}{
		{20 * time.Minute, 2400},
		{time.Hour - time.Millisecond, 1},
		{-time.Hour, 3600}, // a clock that runs behind
		{time.Hour, nil},
		{time.Hour, 60}, // until the second is an hour old
		{time.Hour + time.Minute, nil},
	} {
		_, err := post(t, db, "g_1", "A", unlike(PerHour+i), noon.Add(test.at))
		var got any
		if err != nil {
			got = fault.From(err).Fields["retry_after"]
		}
		if got != test.want || err != nil && !errors.Is(err, ErrLimit) {
			t.Errorf("after %v: %v to wait (%v), want %v", test.at, got, err, test.want)
		}
	}
}

// TestTakenBack checks that a comment which was taken back counts for the pace
// all the same: otherwise one could go on for ever.
func TestTakenBack(t *testing.T) {
	db := wiretest.OpenDB(t)
	for i := range PerHour {
		c, err := post(t, db, "g_1", "A", unlike(i), noon)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Remove(t.Context(), db, "g_1", c.ID, noon); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := post(t, db, "g_1", "A", "hello", noon); !errors.Is(err, ErrLimit) {
		t.Errorf("one more: %v, want ErrLimit", err)
	}
}

func TestRemove(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		c, err := post(t, db, "g_1", "A", "hello", noon)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{strings.Repeat("a", idLen), "", "x", "../" + c.ID, strings.Repeat("/", idLen), strings.ToUpper(c.ID)} {
			if _, _, err := Remove(t.Context(), db, "g_1", id, noon); !errors.Is(err, ErrUnknown) {
				t.Errorf("unknown id %q: %v, want ErrUnknown", id, err)
			}
		}
		if _, _, err := Remove(t.Context(), db, "g_2", c.ID, noon); !errors.Is(err, ErrUnknown) {
			t.Errorf("another's: %v, want ErrUnknown", err)
		}
		got, _, err := Remove(t.Context(), db, "g_1", c.ID, noon.Add(time.Minute))
		if diff := cmp.Diff(c, got); diff != "" || err != nil {
			t.Errorf("removed: %v (-want +got):\n%s", err, diff)
		}
		if _, _, err := Remove(t.Context(), db, "g_1", c.ID, noon); !errors.Is(err, ErrUnknown) {
			t.Errorf("again: %v, want ErrUnknown", err)
		}
		p := paceOf(t, db, "g_1")
		if !p.ChangedAt.Equal(noon.Add(time.Minute)) || len(p.Made) != 1 {
			t.Errorf("pace %v", p)
		}
		if p := paceOf(t, db, "g_2"); p.Made != nil {
			t.Errorf("pace of an owner that never commented: %v", p)
		}
	})
}

// TestRemoveAtOnce takes a comment back from many sides: one does.
func TestRemoveAtOnce(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		c, err := post(t, db, "g_1", "A", "hello", noon)
		if err != nil {
			t.Fatal(err)
		}
		var removed atomic.Int32
		var g errgroup.Group
		for range 10 {
			g.Go(func() error {
				_, _, err := Remove(t.Context(), db, "g_1", c.ID, noon)
				if err == nil {
					removed.Add(1)
				} else if !errors.Is(err, ErrUnknown) {
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil || removed.Load() != 1 {
			t.Errorf("removed %d times, %v", removed.Load(), err)
		}
		letters, err := db.Count(t.Context(), store.Query{Collection: "outbox"})
		if err != nil || letters != 2 {
			t.Errorf("%d letters, %v; want that it came and that it went", letters, err)
		}
	})
}

func TestBroken(t *testing.T) {
	db := storetest.Broken()
	c := made(t, "g_1", "A", "hello", noon)
	_, e1 := Post(t.Context(), db, c)
	_, _, e2 := Remove(t.Context(), db, "g_1", c.ID, noon)
	_, e3 := Newest(t.Context(), db, "A", 3)
	_, e4 := Count(t.Context(), db, "A")
	for i, err := range []error{e1, e2, e3, e4} {
		if !errors.Is(err, storetest.ErrBroken) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// TestMuted refuses the comments of a muted owner until the mute ends.
func TestMuted(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		start := time.Now() // the databases hide a mute that has ended
		end := store.At(start.Add(time.Hour))
		if err := db.Set(t.Context(), moderation.MutePath("g_1"), moderation.Mute{Reason: "spam", Since: store.At(start), ExpireAt: end}); err != nil {
			t.Fatal(err)
		}
		_, err := post(t, db, "g_1", "A", "hello", start)
		if !errors.Is(err, moderation.ErrMuted) || fault.From(err).Fields["until"] != end.Format(time.RFC3339) {
			t.Errorf("a muted owner: %v, %v", err, fault.From(err).Fields)
		}
		if p := paceOf(t, db, "g_1"); len(p.Made) > 0 {
			t.Errorf("a refused comment is counted: %v", p)
		}
		if _, err := post(t, db, "g_2", "A", "hello", start); err != nil {
			t.Errorf("another owner: %v", err)
		}
		if _, err := post(t, db, "g_1", "A", "hello", end.Time); err != nil {
			t.Errorf("when the mute has ended: %v", err)
		}
	})
}

// TestDelete deletes the comment of any owner within a transaction, with its letter.
func TestDelete(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		c, err := post(t, db, "g_1", "A", "hello", noon)
		if err != nil {
			t.Fatal(err)
		}
		remove := func() error {
			return db.Update(t.Context(), func(tx store.Tx) error {
				got, err := Get(tx, c.ID)
				if err != nil {
					return err
				}
				if diff := cmp.Diff(c, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				_, err = got.Delete(tx, noon)
				return err
			})
		}
		letters := func() int {
			n, err := db.Count(t.Context(), store.Query{Collection: "outbox"})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := letters()
		if err := remove(); err != nil || letters() != before+1 {
			t.Errorf("%v, %d letters more", err, letters()-before)
		}
		if err := remove(); !errors.Is(err, ErrUnknown) {
			t.Errorf("again: %v, want ErrUnknown", err)
		}
	})
}

// TestParseID accepts the ids that PublicID returns, and nothing else.
func TestParseID(t *testing.T) {
	c := made(t, "g_1", "A", "hello", noon)
	if id, err := ParseID(c.PublicID()); id != c.ID || err != nil {
		t.Errorf("%s is %q, %v", c.PublicID(), id, err)
	}
	for _, public := range []string{"", "cm_", c.ID, "cm_../" + c.ID, "CM_" + c.ID, "cm_" + strings.ToUpper(c.ID), "cm_" + strings.Repeat("/", idLen)} {
		if id, err := ParseID(public); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q is %q, %v", public, id, err)
		}
	}
}
