package server

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// TestInstances lets clients of three instances write at once: all of them see every
// message, in one order, and how many are in the room.
func TestInstances(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, writers int) {
		w := newWorld(t, db)
		each := min(writers/3, 20) // messages of one client
		var clients []*client
		for range 3 {
			c, _ := w.enter(w.instance(), "A.br")
			clients = append(clients, c)
		}
		began := time.Now()
		for _, c := range clients {
			c.watches(3)
		}
		t.Logf("the instances agree on presence after %s", time.Since(began))
		orders := make([][]string, 3)
		var g errgroup.Group
		for i, c := range clients {
			g.Go(func() error {
				for n := range each {
					c.say(fmt.Sprint("message ", n, " of ", i), fmt.Sprint("r", n))
				}
				return nil
			})
			g.Go(func() error {
				for mine := 0; len(orders[i]) < 3*each; {
					f := c.wait("msg")
					orders[i] = append(orders[i], f.ID)
					if f.Mine {
						if f.Ref != fmt.Sprint("r", mine) {
							return fmt.Errorf("client %d: its message %d has ref %s", i, mine, f.Ref)
						}
						mine++
					}
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if diff := cmp.Diff(orders[0], orders[i+1]); diff != "" {
				t.Errorf("instances 0 and %d disagree on the order\n%s", i+1, diff)
			}
		}
		clients[0].conn.CloseNow()
		clients[1].watches(2)
		clients[2].watches(2)
	})
}

// TestResume reads on after a break: nothing is missed and nothing comes twice.
func TestResume(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	in := w.instance()
	c, _ := w.enter(in, "A.br")
	var ids []string
	for i := range chat.Window + 30 {
		c.say(fmt.Sprint("number ", i), "")
		ids = append(ids, c.wait("msg").ID)
	}
	c.conn.CloseNow()
	for name, have := range map[string]int{"what the room remembers": len(ids) - 5, "what it does not": 10, "everything": len(ids) - 1} {
		b := open(t, in, "A.br")
		if first := b.wait("pronto"); len(first.Items) != chat.Window {
			t.Errorf("%d messages on entry", len(first.Items))
		}
		b.send(`{"t":"hello","token":"` + token(w) + `","depois":"` + ids[have] + `"}`)
		var got []string
		for _, it := range b.wait("pronto").Items {
			got = append(got, it.ID)
		}
		if diff := cmp.Diff(append([]string(nil), ids[have+1:]...), got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func token(w *world) string {
	token, _ := w.guest()
	return token
}

// TestCost counts the documents that messages and sockets take. Each is done several
// times, and the cheapest counts: the presence is written beside the first.
func TestCost(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	w := newWorld(t, db)
	w.announce = time.Hour
	in := w.instance()
	first, _ := w.enter(in, "A.br")
	n := 0
	for _, test := range []struct {
		what string
		do   func()
		want storetest.Ops
	}{
		{"a message, with the watch of one instance", func() { n++; first.say(fmt.Sprint("number ", n), ""); first.wait("msg") }, storetest.Ops{Reads: 7, Writes: 3, Deletes: 1}},
		{"a mute socket in an open room", func() { open(t, in, "A.br").wait("pronto") }, storetest.Ops{}},
		{"a socket that says hello", func() { w.enter(in, "A.br") }, storetest.Ops{Reads: 1}},
	} {
		least := storetest.Ops{Reads: 1000}
		for range 5 {
			before := db.Ops()
			test.do()
			if got := db.Ops().Less(before); got.Reads+got.Writes < least.Reads+least.Writes {
				least = got
			}
		}
		if diff := cmp.Diff(test.want, least); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.what, diff)
		}
	}
}
