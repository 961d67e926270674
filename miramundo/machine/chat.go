package machine

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"miramundo.dev/chatroom/server"
	"miramundo.dev/shared/chat"
)

// A chatRoom is the chat room while it runs.
type chatRoom struct {
	*server.Server
	work sync.WaitGroup
	end  context.CancelFunc
}

// newChatRoom starts the chat room on the parts of the machine.
func (m *Machine) newChatRoom() *chatRoom {
	c := &chatRoom{Server: server.Assemble(m.Config, m.Log, m.Parts)}
	ctx, end := context.WithCancel(context.Background())
	c.end = end
	c.work.Go(func() { c.Tend(ctx) })
	return c
}

// close closes the sockets at once, and ends the chat room.
func (c *chatRoom) close() {
	c.end()
	c.work.Wait()
	c.Drain(0)
	c.Close()
}

// withChat leads the requests for sockets to the chat room, as the load balancer does.
func withChat(gateway http.Handler, c *chatRoom) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, chat.Path); ok && strings.HasSuffix(rest, chat.SocketEnd) {
			c.ServeHTTP(w, r)
			return
		}
		gateway.ServeHTTP(w, r)
	})
}
