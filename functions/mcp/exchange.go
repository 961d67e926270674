package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"miramundo.dev/shared/api"
)

// A request is answered in three steps. A body that is not a valid JSON-RPC message is
// refused here, with a JSON-RPC error. The SDK answers every other message into memory.
// When that answer is a refusal in plain text, it is rewritten as a JSON-RPC error. The
// answer is sent compressed, as every other.

type postIn struct {
	Message []byte `body:"application/json" empty:"true" description:"A JSON-RPC 2.0 request or notification of the Model Context Protocol. Requests of the revision 2026-07-28 repeat their method and name in the headers Mcp-Method and Mcp-Name."`
}

// An exchange is one POST while it is answered, and the result that writes the answer.
type exchange struct {
	server  *Server
	ctx     context.Context // of the request to this service, with its caller
	message []byte
}

func (s *Server) post(ctx context.Context, in postIn) (*exchange, error) {
	if err := s.o.Pages.CheckOrigin(api.BrowserOf(ctx), false); err != nil {
		return nil, err
	}
	return &exchange{s, ctx, in.Message}, nil
}

// exchangeKey is the context key of the exchange.
type exchangeKey struct{}

// exchangeOf returns the exchange that a handler of the SDK is called for.
func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// Reply answers the message.
func (e *exchange) Reply(w http.ResponseWriter, r *http.Request) error {
	end, err := e.server.turns.take(e.ctx)
	if err != nil {
		return err
	}
	defer end()
	modern := isModern(r.Header.Get(versionHeader))
	first, refusal := check(e.message, modern)
	if refusal != nil {
		return refusal.send(w, r, first)
	}
	if first.ignored {
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	answer := &memory{header: http.Header{}}
	e.server.handler.ServeHTTP(answer, e.request(r))
	return answer.send(w, r, first)
}

// request returns the request that the SDK answers. A client may accept JSON alone,
// since every answer is JSON, and cookies are left out.
func (e *exchange) request(r *http.Request) *http.Request {
	q := (&http.Request{
		Method: r.Method, URL: r.URL, Host: r.Host, Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
		Header: r.Header.Clone(), Body: io.NopCloser(bytes.NewReader(e.message)), ContentLength: int64(len(e.message)),
	}).WithContext(context.WithValue(e.ctx, exchangeKey{}, e))
	q.Header.Set("Accept", "application/json, text/event-stream")
	for _, name := range []string{"Cookie", "Last-Event-Id", "Mcp-Session-Id"} {
		q.Header.Del(name)
	}
	return q
}

// A memory holds what the SDK answers. The SDK writes it from one goroutine at a time.
type memory struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers of the answer.
func (m *memory) Header() http.Header { return m.header }

// WriteHeader keeps the first status.
func (m *memory) WriteHeader(status int) {
	if m.status == 0 {
		m.status = status
	}
}

// Write keeps data.
func (m *memory) Write(data []byte) (int, error) {
	m.WriteHeader(http.StatusOK)
	return m.body.Write(data)
}

// send sends the answer to the first message of a request.
func (m *memory) send(w http.ResponseWriter, r *http.Request, first envelope) error {
	m.WriteHeader(http.StatusOK)
	switch {
	case strings.HasPrefix(m.header.Get("Content-Type"), "text/plain"):
		return refusalOf(m.status, strings.TrimSpace(m.body.String()), r.Header.Get(versionHeader)).send(w, r, first)
	case m.body.Len() == 0:
		w.WriteHeader(m.status)
		return nil
	}
	body, err := withoutQuotes(m.body.Bytes())
	if err != nil {
		return err
	}
	return api.WriteStatus(w, r, m.status, "application/json", body)
}
