package room

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// A member gets frames as a socket of an owner does.
type member struct {
	owner  identity.Owner
	hidden *moderation.Hidden
	got    chan string
}

func newMember(owner identity.Owner) *member {
	return &member{owner: owner, got: make(chan string, 1000)}
}

func (m *member) Send(f *Frame) {
	if text := f.For(m.owner, m.hidden); text != nil {
		m.got <- string(text)
	}
}

// next returns the next frame that contains a text, such as a kind; others are skipped.
func (m *member) next(t *testing.T, part string) string {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case text := <-m.got:
			if strings.Contains(text, part) {
				return text
			}
		case <-late:
			t.Fatalf("no frame with %s", part)
		}
	}
}

var many = chat.Rate{Every: time.Microsecond, Burst: 1_000_000}

// open returns the rooms in a database, and a hub on them that does not wait long.
func open(t *testing.T, db store.DB) (*chat.Rooms, *Hub) {
	t.Helper()
	rooms := chat.New(chat.Options{DB: db, Free: true, Limits: chat.Limits{Owner: many, Room: many, Repeat: time.Nanosecond}})
	h := NewHub(Options{Rooms: rooms, Linger: 20 * time.Millisecond, Announce: 20 * time.Millisecond, Return: 50 * time.Millisecond})
	t.Cleanup(h.Close)
	return rooms, h
}

func join(t *testing.T, h *Hub, m *member) *Room {
	t.Helper()
	r, err := h.Join(t.Context(), "A.br")
	if err != nil {
		t.Fatal(err)
	}
	r.Enter(m, Greeting{Owner: m.owner})
	return r
}

func say(t *testing.T, rooms *chat.Rooms, owner identity.Owner, text string) chat.Message {
	t.Helper()
	m, err := rooms.Post(t.Context(), chat.Draft{Channel: "A.br", Owner: owner, Body: text})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCast checks what members are sent: everybody each message once and in order, its
// author its own form, and nobody those of an owner that it hides.
func TestCast(t *testing.T) {
	rooms, h := open(t, wiretest.OpenDB(t))
	say(t, rooms, "g_ana", "before")
	ana, bob, carl := newMember("g_ana"), newMember("g_bob"), newMember("g_carl")
	carl.hidden = &moderation.Hidden{Owners: []moderation.HiddenOwner{{Owner: "g_ana"}}}
	for _, m := range []*member{ana, bob, carl} {
		join(t, h, m)
	}
	for i := range 30 {
		say(t, rooms, "g_ana", fmt.Sprint("number ", i, "."))
	}
	say(t, rooms, "g_bob", "the end")
	for i := range 30 {
		text := fmt.Sprint(`"number `, i, `."`)
		if got := ana.next(t, `"t":"msg"`); !strings.Contains(got, text) || !strings.Contains(got, `"mine":true`) {
			t.Errorf("the author is sent %s", got)
		}
		if got := bob.next(t, `"t":"msg"`); !strings.Contains(got, text) || strings.Contains(got, "mine") {
			t.Errorf("another is sent %s", got)
		}
	}
	if got := carl.next(t, `"t":"msg"`); !strings.Contains(got, "the end") {
		t.Errorf("one who hides the author is sent %s", got)
	}
}

// TestLinger follows a room until it has been empty for a while, and begins again with
// what was said meanwhile.
func TestLinger(t *testing.T) {
	rooms, h := open(t, wiretest.OpenDB(t))
	m := newMember("g_ana")
	r := join(t, h, m)
	m.next(t, `"watching":1`)
	h.Leave(r, m)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(h.list()) > 0 {
		<-tick.C
	}
	say(t, rooms, "g_ana", "meanwhile")
	again := newMember("g_ana")
	if join(t, h, again) == r {
		t.Error("the room was not ended")
	}
	if got := again.next(t, "pronto"); !strings.Contains(got, "meanwhile") {
		t.Errorf("greeted with %s", got)
	}
}

// A stalled database has a first watch of messages that yields what there is and then
// nothing, as on a connection that is lost without an error.
type stalled struct {
	store.DB
	watches atomic.Int32
}

func (s *stalled) WatchQuery(ctx context.Context, q store.Query) iter.Seq2[[]store.Doc, error] {
	if !strings.HasSuffix(string(q.Collection), "/messages") || s.watches.Add(1) > 1 {
		return s.DB.WatchQuery(ctx, q)
	}
	return func(yield func([]store.Doc, error) bool) {
		for docs, err := range s.DB.WatchQuery(ctx, q) {
			if yield(docs, err) {
				<-ctx.Done()
			}
			return
		}
	}
}

// TestExpect begins another watch when a message that was stored does not come back.
func TestExpect(t *testing.T) {
	db := &stalled{DB: wiretest.OpenDB(t)}
	rooms, h := open(t, db)
	m := newMember("g_bob")
	r := join(t, h, m)
	m.next(t, "pronto")
	r.Expect(say(t, rooms, "g_ana", "one").Seq)
	m.next(t, "one")
	last := say(t, rooms, "g_ana", "two")
	m.next(t, "two")
	r.Expect(last.Seq)
	if n := db.watches.Load(); n != 2 {
		t.Errorf("%d watches, want 2", n)
	}
}

// TestOutage joins no room while the database does not answer, and joins it after.
func TestOutage(t *testing.T) {
	db := storetest.NewSwitch(wiretest.OpenDB(t))
	_, h := open(t, db)
	db.Off()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := h.Join(ctx, "A.br"); err == nil {
		t.Error("a room was joined without the database")
	}
	db.On()
	m := newMember("g_ana")
	join(t, h, m)
	m.next(t, "pronto")
}

// TestPresenceOfNewMembers corrects the sum in the greeting of a member when the room
// is as large again as it was before the member came.
func TestPresenceOfNewMembers(t *testing.T) {
	rooms, _ := open(t, wiretest.OpenDB(t))
	h := NewHub(Options{Rooms: rooms, Announce: time.Hour}) // the test sends the sums
	t.Cleanup(h.Close)
	a, b := newMember("g_ana"), newMember("g_bob")
	r := join(t, h, a)
	r.present(0)
	a.next(t, `"presenca","watching":1`)
	join(t, h, b)
	b.next(t, `"watching":2`)
	h.Leave(r, a)
	r.present(0)
	b.next(t, `"presenca","watching":1`)
}

// TestPresence sums the sockets of all instances, and forgets one that stops.
func TestPresence(t *testing.T) {
	db := wiretest.OpenDB(t)
	_, one := open(t, db)
	rooms, two := open(t, db)
	a, b := newMember("g_ana"), newMember("g_bob")
	r := join(t, one, a)
	join(t, two, b)
	a.next(t, `"presenca","watching":2`)
	b.next(t, `"presenca","watching":2`)
	one.Leave(r, a)
	b.next(t, `"presenca","watching":1`)
	for p, err := range rooms.Instances(t.Context()) {
		if diff := cmp.Diff(map[string]int{"A.br": 1}, p.Sums(time.Now(), "")); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
		break
	}
}
