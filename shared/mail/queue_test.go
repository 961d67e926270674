package mail

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"miramundo.dev/shared/mail/address"
)

// A gate is a sender that delivers nothing until it is opened.
type gate struct {
	begun     chan struct{} // receives once for each delivery that begins
	open      chan struct{}
	delivered atomic.Int32
}

func newGate() *gate { return &gate{begun: make(chan struct{}, 1000), open: make(chan struct{})} }

func (g *gate) Send(ctx context.Context, m Message) error {
	g.begun <- struct{}{}
	<-g.open
	g.delivered.Add(1)
	if ctx.Err() != nil || m.To == "" {
		return errors.Join(address.ErrInvalid, ctx.Err())
	}
	return nil
}

// TestQueue checks that a queue returns before the delivery, refuses what does not
// fit, and delivers what it took before it is closed, whatever became of the
// request.
func TestQueue(t *testing.T) {
	g := newGate()
	var log bytes.Buffer
	q := NewQueue(g, 2, slog.New(slog.NewTextHandler(&log, nil)))
	request, end := context.WithCancel(t.Context())
	taken := 0
	for range 2 { // one for each worker
		if err := q.Send(request, Message{To: "maria@example.org"}); err != nil {
			t.Fatal(err)
		}
		<-g.begun
		taken++
	}
	for q.Send(request, Message{To: "maria@example.org"}) == nil {
		taken++
	}
	if want := 2 + 2*queued; taken != want {
		t.Errorf("the queue took %d messages, want %d", taken, want)
	}
	if err := q.Send(request, Message{To: "maria@example.org"}); !errors.Is(err, ErrNotSent) {
		t.Errorf("a full queue returns %v, want ErrNotSent", err)
	}
	end()
	close(g.open)
	if err := q.Close(); err != nil || int(g.delivered.Load()) != taken || log.Len() != 0 {
		t.Errorf("after Close %d of %d are delivered, error %v, log %s", g.delivered.Load(), taken, err, log.String())
	}
	if err := errors.Join(q.Send(t.Context(), Message{}), q.Close()); !errors.Is(err, ErrNotSent) {
		t.Errorf("a closed queue returns %v, want ErrNotSent", err)
	}
}

// TestQueueLogs checks that a failure is logged.
func TestQueueLogs(t *testing.T) {
	g := newGate()
	close(g.open)
	var log bytes.Buffer
	q := NewQueue(g, 1, slog.New(slog.NewTextHandler(&log, nil)))
	if err := errors.Join(q.Send(t.Context(), Message{}), q.Close()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "invalid_email") {
		t.Errorf("the log is %q", log.String())
	}
}
