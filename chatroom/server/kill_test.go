package server

import (
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// openFile returns the database in a folder that several processes use.
func openFile(t *testing.T, folder string) store.DB {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{Backend: wire.Embedded, DataDir: folder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return db
}

// TestKilled kills an instance while clients write at it. They go on at another one and
// send again what was not acknowledged, by its ref: no message that was acknowledged is
// missing, none is there twice, and both instances show one order.
func TestKilled(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		w := newWorld(t, openFile(t, args[0]))
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		in := w.instance()
		killtest.Say("http://" + l.Addr().String())
		t.Fatal(http.Serve(l, in.Server))
	}
	folder := filepath.Join(t.TempDir(), "data")
	w := newWorld(t, openFile(t, folder))
	other := w.instance()
	watcher, _ := w.enter(other, "A.br")
	const writers, each = 8, 25
	progress, all := make(chan int, writers*each), make(chan struct{})
	var acked sync.Map // ids of messages, by client and ref
	killtest.Run(t, killtest.Plan{
		Args: []string{folder},
		Hear: func(line string) bool {
			dying := &instance{other.Server, line}
			var work sync.WaitGroup
			for i := range writers {
				work.Go(func() { write(w, i, each, dying, other, &acked, progress) })
			}
			go func() { work.Wait(); close(all) }()
			for range writers * each / 3 { // it dies in the middle
				<-progress
			}
			return true
		},
	})
	<-all
	list, seen := stored(t, w), map[string]bool{}
	for _, id := range list {
		seen[id] = true
	}
	if len(list) != writers*each || len(seen) != writers*each {
		t.Errorf("%d messages are stored, %d of them different, want %d", len(list), len(seen), writers*each)
	}
	acked.Range(func(k, id any) bool {
		if !seen[id.(string)] {
			t.Errorf("the acknowledged message %v is missing", k)
		}
		return true
	})
	for n, id := range list {
		if f := watcher.wait("msg"); f.ID != id {
			t.Fatalf("the other instance shows %q as message %d", f.Body, n)
		}
	}
}

// stored returns every message of the room, in order.
func stored(t *testing.T, w *world) (ids []string) {
	t.Helper()
	for doc, err := range w.db.Query(t.Context(), store.Query{Collection: "chat/A.br/messages", OrderBy: "seq"}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, doc.ID)
	}
	return ids
}

// write sends messages of one guest, each until it is acknowledged: at the first
// instance until that is gone, and then at the second.
func write(w *world, i, each int, first, second *instance, acked *sync.Map, progress chan<- int) {
	token, _, err := w.guests.Issue()
	if err != nil {
		w.t.Error(err)
		return
	}
	at, c := first, (*client)(nil)
	for n := 0; n < each; {
		if c == nil {
			if c = reach(w.t, at, token); c == nil {
				at = second
				continue
			}
		}
		ref := fmt.Sprintf("w%d-%d", i, n)
		id, ok := acknowledged(c, fmt.Sprint("message ", n, " of ", i), ref)
		if !ok {
			c.conn.CloseNow()
			at, c = second, nil
			continue
		}
		acked.Store(ref, id)
		progress <- n
		n++
	}
	c.conn.CloseNow()
}

// reach returns a socket that is identified, or nil when the instance is gone.
func reach(t testing.TB, in *instance, token string) *client {
	conn, _, err := websocket.Dial(t.Context(), in.url+chat.Path+"A.br"+chat.SocketEnd, nil)
	if err != nil {
		return nil
	}
	conn.SetReadLimit(1 << 20)
	c := &client{t: t, conn: conn}
	hello := fmt.Sprintf(`{"t":"hello","token":%q}`, token)
	if conn.Write(t.Context(), websocket.MessageText, []byte(hello)) != nil {
		return nil
	}
	for {
		f, err := c.next()
		switch {
		case err != nil:
			return nil
		case f.T == "pronto" && f.Autor != nil:
			return c
		}
	}
}

// acknowledged sends a message and returns its id when the room shows it; false when
// the connection ends before.
func acknowledged(c *client, body, ref string) (id string, ok bool) {
	text := fmt.Sprintf(`{"t":"msg","body":%q,"ref":%q}`, body, ref)
	if c.conn.Write(c.t.Context(), websocket.MessageText, []byte(text)) != nil {
		return "", false
	}
	for {
		f, err := c.next()
		switch {
		case err != nil:
			return "", false
		case f.T == "erro":
			c.t.Errorf("%s is refused: %s", ref, f.raw)
			return "", true
		case f.T == "msg" && f.Mine && f.Ref == ref:
			return f.ID, true
		}
	}
}
