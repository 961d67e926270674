package server

import (
	"fmt"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// bodies returns the texts of messages.
func bodies(items []told) (list []string) {
	for _, it := range items {
		list = append(list, it.Body)
	}
	return list
}

// TestHiddenMissed leaves a hidden author out of what a reader missed, whether the room
// remembers it or the database is read, and says when further messages follow.
func TestHiddenMissed(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	in := w.instance()
	good, _ := w.enter(in, "A.br")
	good.say("first", "")
	first := good.wait("msg").ID
	bad, hidden := w.enter(in, "A.br")
	for i := range chat.MaxMissed {
		bad.say(fmt.Sprint("shout ", i), "")
		bad.wait("msg")
		good.wait("msg")
	}
	good.say("last", "")
	last := good.wait("msg").ID
	reader, owner := w.guest()
	list := moderation.Hidden{Owners: []moderation.HiddenOwner{{Owner: hidden}}}
	if err := w.db.Set(t.Context(), moderation.HiddenPath(owner), list); err != nil {
		t.Fatal(err)
	}
	c := open(t, in, "A.br", "X-Guest-Token", reader)
	if diff := cmp.Diff([]string{"last"}, bodies(c.wait("pronto").Items)); diff != "" {
		t.Errorf("on entry (-want +got)\n%s", diff)
	}
	for _, test := range []struct {
		after string
		want  []string
		more  bool
	}{{first, nil, true}, {last, nil, false}, {"", []string{"last"}, false}} {
		c.send(`{"t":"hello","depois":"` + test.after + `"}`)
		f := c.wait("pronto")
		if diff := cmp.Diff(test.want, bodies(f.Items)); diff != "" || f.More != test.more {
			t.Errorf("after %q: more %t (-want +got)\n%s", test.after, f.More, diff)
		}
	}
}

// TestAgainInOrder sends a message again to an instance that does not have it yet: its
// author receives it there after the messages that come before it.
func TestAgainInOrder(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	line := storetest.NewLine(w.db)
	first := w.instance()
	w.db = line
	second := w.instance()
	token, _ := w.guest()
	other, _ := w.enter(first, "A.br")
	before := open(t, first, "A.br", "X-Guest-Token", token)
	before.wait("pronto")
	after := open(t, second, "A.br", "X-Guest-Token", token)
	after.wait("pronto")

	line.Mute()
	other.say("one", "")
	before.wait("msg")
	before.say("two", "r")
	before.wait("msg")
	after.say("two", "r")
	after.say("three", "s") // it is stored when "two" was answered, or left to the room
	if f := before.wait("msg"); f.Body != "three" {
		t.Fatalf("the first instance sends %s", f.raw)
	}
	line.Thaw()
	other.say("four", "")
	for _, want := range []string{"one", "two", "three", "four"} {
		if f := after.wait("msg"); f.Body != want {
			t.Errorf("got %s, want %s", f.raw, want)
		}
	}
}

// TestUnreadable closes the socket of a client whose missed messages cannot be read, so
// that it asks again: a refusal alone would leave a gap.
func TestUnreadable(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	faulty := storetest.NewFaulty(w.db)
	w.db = faulty
	in := w.instance()
	c, _ := w.enter(in, "A.br")
	c.send(`{"t":"hello","depois":"aaaaaaaaaaaaaaaaaaaaaaaaaa"}`)
	c.wait("pronto")
	faulty.Fail(2, false) // of what the caller hides, and of the message
	c.send(`{"t":"hello","depois":"aaaaaaaaaaaaaaaaaaaaaaaaaa"}`)
	if code := c.closed(); code != websocket.StatusTryAgainLater {
		t.Errorf("closed with %d", code)
	}
}

// TestIdentifiedLate identifies a caller by its next message when the database failed
// at its entry.
func TestIdentifiedLate(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	in := w.instance()
	c, _ := w.enter(in, "A.br") // the room is open
	broken := storetest.NewSwitch(w.db)
	in.DB = broken
	broken.Off()
	token, _ := w.guest()
	late := open(t, in, "A.br", "X-Guest-Token", token)
	late.wait("pronto")
	if f := late.wait("erro"); f.Ref != "" || f.Reason == "invalid_session" {
		t.Errorf("refused with %s", f.raw)
	}
	broken.On()
	late.say("hello", "r")
	if f := late.wait("msg"); f.Ref != "r" || !f.Mine {
		t.Errorf("got %s", f.raw)
	}
	c.wait("msg")
}

// TestQueueBytes closes a socket that does not read long frames before they take more
// memory than short ones may.
func TestQueueBytes(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	in := w.instance()
	w.enter(in, "A.br")
	var k *socket
	for i := range slots {
		for _, k = range in.sockets.group(i) {
			break
		}
	}
	k.mu.Lock()
	k.writing = true // nothing leaves the queue
	defer k.mu.Unlock()
	for i := 1; i <= 3; i++ {
		k.enqueue(make([]byte, maxQueued/2))
		if full := i > 2; k.closed != full {
			t.Errorf("closed %t after %d frames of half the bytes", k.closed, i)
		}
	}
}
