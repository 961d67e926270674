package mail

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

// queued is how many messages may wait for each worker of a queue.
const queued = 16

// A Queue is a [Sender] that returns before the message is delivered. A failure
// is only logged: the visitor waits for a mail that does not come, and asks for
// another one.
//
// It is right for a process that keeps its processor when no request is under way.
// On a platform that takes it away after an answer, messages would lie still until
// the next request.
type Queue struct {
	next    Sender
	log     *slog.Logger
	waiting chan Message
	work    sync.WaitGroup

	mu     sync.RWMutex // held for reading while a message is added
	closed bool
}

// NewQueue returns a queue whose workers deliver by next, each one message at a
// time.
func NewQueue(next Sender, workers int, log *slog.Logger) *Queue {
	q := &Queue{next: next, log: log, waiting: make(chan Message, workers*queued)}
	for range workers {
		q.work.Go(q.deliver)
	}
	return q
}

// Send adds m to the queue. It returns ErrNotSent when the queue is full or
// closed. The deadline of ctx does not end the delivery.
func (q *Queue) Send(_ context.Context, m Message) error {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.closed {
		return ErrNotSent.Because(errors.New("the queue of mails is closed"))
	}
	select {
	case q.waiting <- m:
		return nil
	default:
		return ErrNotSent.Because(errors.New("the queue of mails is full"))
	}
}

// Close delivers the messages that wait, and returns when the last one is
// delivered or has failed. Those that are sent later are refused.
func (q *Queue) Close() error {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.waiting)
	}
	q.mu.Unlock()
	q.work.Wait()
	return nil
}

// deliver sends what waits until the queue is closed and empty.
func (q *Queue) deliver() {
	for m := range q.waiting {
		if err := q.next.Send(context.Background(), m); err != nil {
			q.log.Error("a mail was not sent", "error", err)
		}
	}
}
