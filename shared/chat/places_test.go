package chat_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// channelsOf returns the rooms in which a sender wrote.
func channelsOf(t *testing.T, db store.DB, s chat.Sender) (channels []string) {
	t.Helper()
	list, err := chat.Places(t.Context(), db, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		channels = append(channels, p.Channel)
	}
	return channels
}

// TestPlaces finds the rooms and messages of an owner and of a network. A network costs a
// write only in a room in which it has not written.
func TestPlaces(t *testing.T) {
	meter := storetest.NewMeter(wiretest.OpenDB(t))
	c := newClock()
	r := chat.New(chat.Options{DB: meter, Free: true, Now: c.now})
	for i, step := range []struct {
		channel string
		writes  int64
	}{{"A", 4}, {"A", 3}, {"B", 4}, {"A", 3}} {
		before := meter.Ops()
		post(t, r, chat.Draft{Channel: step.channel, Owner: "g_eve", Wider: "net", Body: fmt.Sprint("message ", i)})
		if cost := meter.Ops().Less(before); cost.Writes != step.writes || cost.Reads != 6 {
			t.Errorf("message %d in %s costs %+v", i, step.channel, cost)
		}
		c.wait(10 * time.Second)
	}
	post(t, r, chat.Draft{Channel: "A", Owner: "g_ana", Wider: "other", Body: "hello"})
	for _, s := range []chat.Sender{{Owner: "g_eve"}, {Network: "net"}} {
		if got := channelsOf(t, meter, s); len(got) != 2 {
			t.Errorf("%+v wrote in %v", s, got)
		}
		list, err := chat.Sent(t.Context(), meter, "A", s, "", 2)
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v: %d messages, %v", s, len(list), err)
		}
		rest, err := chat.Sent(t.Context(), meter, "A", s, list[1].ID, 10)
		if err != nil || len(rest) != 1 || rest[0].Network != "net" {
			t.Errorf("%+v: %d further messages, %v", s, len(rest), err)
		}
	}
	if got := channelsOf(t, meter, chat.Sender{Network: "unknown"}); len(got) != 0 {
		t.Errorf("an unknown network wrote in %v", got)
	}
	var kept struct {
		ExpireAt store.Time `json:"expire_at"`
	}
	if err := meter.Get(t.Context(), "chat_networks/net", &kept); err != nil || kept.ExpireAt.Sub(c.now()) > chat.KeepFor {
		t.Errorf("the rooms expire at %v, %v", kept.ExpireAt, err)
	}
}

// TestPlacesForgotten forgets rooms whose messages have expired, and the oldest of many.
func TestPlacesForgotten(t *testing.T) {
	r, db, c := open(t)
	say := func(channel string) {
		post(t, r, chat.Draft{Channel: channel, Owner: "g_eve", Body: "hello " + channel})
		c.wait(time.Minute)
	}
	say("Old")
	c.wait(chat.KeepFor)
	for i := range 301 {
		say(fmt.Sprint("C", i))
	}
	got := channelsOf(t, db, chat.Sender{Owner: "g_eve"})
	if len(got) != 300 || got[0] != "C1" || got[299] != "C300" {
		t.Errorf("%d rooms, from %s to %s", len(got), got[0], got[len(got)-1])
	}
}

// edit removes or restores messages of the room A.
func edit(t *testing.T, db store.DB, c *clock, restore bool, list ...chat.Message) {
	t.Helper()
	err := db.Update(t.Context(), func(tx store.Tx) error {
		var ids []string
		bodies := map[string]string{}
		for _, m := range list {
			ids = append(ids, m.ID)
			bodies[m.ID] = m.Body
		}
		e, err := chat.ReadEdit(tx, "A", ids...)
		if err != nil {
			return err
		}
		for _, m := range e.Messages {
			if restore {
				e.Restore(tx, m, bodies[m.ID], c.now())
			} else {
				e.Remove(tx, m, c.now())
			}
		}
		return e.Write(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEdit removes and restores a message twice: it is in its place again, readers learn of
// each change, and the numbers of the room have no gaps.
func TestEdit(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		c := newClock()
		r := chat.New(chat.Options{DB: db, Free: true, Now: c.now})
		var all []chat.Message
		for i := range 4 {
			all = append(all, post(t, r, chat.Draft{Channel: "A", Owner: "g_eve", Wider: "net", Body: fmt.Sprint("message ", i)}))
		}
		want := bodies(all)
		for range 2 {
			edit(t, db, c, false, all[1], all[2])
			edit(t, db, c, false, all[1])
			if d := cmp.Diff([]string{want[0], want[3]}, recent(t, r, "A", "")); d != "" {
				t.Errorf("removed (-want +got):\n%s", d)
			}
			edit(t, db, c, true, all[2], all[1])
			edit(t, db, c, true, all[2])
			list, err := r.Recent(t.Context(), "A", "")
			if d := cmp.Diff(want, bodies(list)); d != "" || err != nil || list[1].Network != "net" || list[1].Seq != all[1].Seq {
				t.Errorf("restored: %v (-want +got):\n%s", err, d)
			}
		}
		after, err := r.Recent(t.Context(), "A", all[3].ID)
		var changes []string
		for i, m := range after {
			if m.Seq != int64(5+i) {
				t.Errorf("entry %d has the number %d", i, m.Seq)
			}
			changes = append(changes, fmt.Sprint(m.Removed, m.Restored, m.Body != ""))
		}
		one := []string{"true false false", "true false false", "false true true", "false true true"}
		if d := cmp.Diff(append(one, one...), changes); d != "" || err != nil {
			t.Errorf("readers learn %v (-want +got):\n%s", err, d)
		}
		edit(t, db, c, false, all[1])
		c.wait(chat.KeepFor)
		edit(t, db, c, true, all[1])
		if m, err := r.Find(t.Context(), "A", all[1].ID); err != nil || !m.Removed {
			t.Errorf("a message that expired is restored: %+v, %v", m, err)
		}
	})
}

// TestManyRemoved removes more messages at once than a window has: the older ones show.
func TestManyRemoved(t *testing.T) {
	r, db, c := open(t)
	old := post(t, r, chat.Draft{Channel: "A", Owner: "g_ana", Body: "an honest message"})
	var flood []chat.Message
	for i := range 60 {
		c.wait(2 * time.Second)
		flood = append(flood, post(t, r, chat.Draft{Channel: "A", Owner: "g_eve", Body: strings.Repeat(string(rune('a'+i%26)), 1+i%3) + fmt.Sprint(i)}))
	}
	edit(t, db, c, false, flood...)
	if d := cmp.Diff([]string{old.Body}, recent(t, r, "A", "")); d != "" {
		t.Errorf("a fresh reader (-want +got):\n%s", d)
	}
	for list, err := range r.Follow(t.Context(), "A", 0) {
		if err != nil || list[0].ID != old.ID || len(list) != 1+60+60 {
			t.Errorf("a follower gets %d entries, %v", len(list), err)
		}
		break
	}
}

// TestLongRepeated refuses a long text that differs from one of the last seconds in case
// and punctuation only, and short ones only when they are the same.
func TestLongRepeated(t *testing.T) {
	const long = "Watch every match for free at matches.example tonight"
	for _, test := range []struct {
		first, second string
		want          bool
	}{{long, strings.ToUpper(long) + "!!", true}, {long, strings.Replace(long, "every", "each", 1), false}, {long, "Who has seen the match of last night?", false}, {"kkkk", "kkkkkk", false}, {"kkkk", "kkkk", true}} {
		r, _, c := open(t)
		post(t, r, chat.Draft{Channel: "A", Owner: "g_eve", Body: test.first})
		c.wait(5 * time.Second)
		_, err := r.Post(t.Context(), chat.Draft{Channel: "B", Owner: "g_eve", Body: test.second})
		if got := errors.Is(err, chat.ErrLimit) && fault.From(err).Fields["reason"] == chat.Repeated; got != test.want {
			t.Errorf("%q after %q: %v", test.second, test.first, err)
		}
	}
}
