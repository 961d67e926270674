package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// Bounds of what one flush may hold, so that nobody waits long for another.
const (
	batchMax  = 128
	batchTime = 20 * time.Millisecond
)

// A Tx is a write transaction. It lives as long as the function that gets it.
type Tx struct {
	f    *File
	done []func() // run after the commit
}

// Exec runs a statement.
func (tx *Tx) Exec(query string, args ...any) (sql.Result, error) {
	s, err := tx.f.writes.get(context.Background(), query)
	if err != nil {
		return nil, err
	}
	return s.Exec(args...)
}

// Query reads rows, as the transaction has left them.
func (tx *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	s, err := tx.f.writes.get(context.Background(), query)
	if err != nil {
		return nil, err
	}
	return s.Query(args...)
}

// QueryRow reads one row, as the transaction has left it.
func (tx *Tx) QueryRow(query string, args ...any) *sql.Row {
	s, err := tx.f.writes.get(context.Background(), query)
	if err != nil {
		return tx.f.writer.QueryRowContext(context.Background(), query, args...)
	}
	return s.QueryRow(args...)
}

// After has done called once the transaction is on disk.
func (tx *Tx) After(done func()) { tx.done = append(tx.done, done) }

// turns orders the writers of one file. Who has the turn runs its statements
// in the open transaction; the last of a batch commits for all of them.
type turns struct {
	mu      sync.Mutex
	taken   bool
	closed  bool
	queue   []*turn
	batch   []*turn // have run, and wait for the commit
	started time.Time
	idle    *sync.Cond // signalled when a turn ends and none follows
}

type turn struct {
	granted chan bool  // false: the file has been closed
	settled chan error // the outcome of the commit
	after   []func()
}

// Write runs fn in a transaction that excludes all others. When fn fails or
// panics, nothing that it wrote is kept. When Write returns nil, all of it is
// on disk. A cancelled ctx counts until fn starts.
func (f *File) Write(ctx context.Context, fn func(*Tx) error) error {
	t := &turn{granted: make(chan bool, 1), settled: make(chan error, 1)}
	if err := f.turns.take(ctx, t); err != nil {
		return err
	}
	if err := f.begin(ctx); err != nil {
		f.settle(err)
		return err
	}
	failed := errors.New("sqlite: a write did not return")
	defer func() {
		if failed != nil {
			f.undo(t)
		}
	}()
	tx := &Tx{f: f}
	if failed = fn(tx); failed != nil {
		return failed
	}
	t.after = tx.done
	return f.leave(t)
}

// undo takes back what the holder of the turn wrote, and passes the turn on
// once what came before it in the batch is settled.
func (f *File) undo(t *turn) {
	err := f.exec("ROLLBACK TO one")
	if err != nil {
		f.settle(err)
		return
	}
	_ = f.leave(t)
}

// begin opens the transaction, unless the batch has one, and a savepoint in it.
func (f *File) begin(ctx context.Context) error {
	if len(f.turns.batch) == 0 {
		if err := f.immediate(ctx); err != nil {
			return err
		}
		f.turns.started = time.Now()
	}
	err := f.exec("SAVEPOINT one")
	return err
}

// immediate opens a transaction that may write. It waits for other processes
// as long as ctx lets it.
func (f *File) immediate(ctx context.Context) error {
	for {
		err := f.exec("BEGIN IMMEDIATE")
		if !busy(err) {
			return err
		}
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
	}
}

// exec runs a statement of the holder of the turn, whole: its context is not
// the caller's, since an interrupt would end the transaction of others too.
func (f *File) exec(query string) error {
	s, err := f.writes.get(context.Background(), query)
	if err != nil {
		return err
	}
	_, err = s.Exec()
	return err
}

// leave passes the turn on within the batch, or commits for all of it.
func (f *File) leave(t *turn) error {
	err := f.exec("RELEASE one")
	if err != nil {
		f.settle(err)
		return err
	}
	if !f.turns.pass(t) {
		f.settle(nil)
	}
	return <-t.settled
}

// settle ends the transaction, tells its batch how, and ends the turn.
func (f *File) settle(err error) {
	if err == nil {
		err = f.exec("COMMIT")
	}
	if err != nil {
		// The transaction may be gone already; then this fails and harms nothing.
		_ = f.exec("ROLLBACK")
	}
	for _, t := range f.turns.end() {
		if err == nil {
			for _, done := range t.after {
				done()
			}
		}
		t.settled <- err
	}
}

// take waits for the turn.
func (ts *turns) take(ctx context.Context, t *turn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ts.mu.Lock()
	if ts.closed {
		ts.mu.Unlock()
		return ErrClosed
	}
	if !ts.taken {
		ts.taken = true
		ts.mu.Unlock()
		return nil
	}
	ts.queue = append(ts.queue, t)
	ts.mu.Unlock()
	select {
	case ok := <-t.granted:
		return granted(ok)
	case <-ctx.Done():
	}
	if ts.abandon(t) {
		return ctx.Err()
	}
	return granted(<-t.granted)
}

func granted(ok bool) error {
	if !ok {
		return ErrClosed
	}
	return nil
}

// abandon takes t out of the queue. It reports false when t has been called.
func (ts *turns) abandon(t *turn) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for i, q := range ts.queue {
		if q == t {
			ts.queue = append(ts.queue[:i:i], ts.queue[i+1:]...)
			return true
		}
	}
	return false
}

// pass adds t to the batch and gives the turn to the next writer. It reports
// false when the batch is to be committed first.
func (ts *turns) pass(t *turn) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.batch = append(ts.batch, t)
	if len(ts.batch) >= batchMax || time.Since(ts.started) > batchTime {
		return false
	}
	return ts.next()
}

// end empties the batch and gives the turn to the next writer. The turn stays
// untaken when there is none.
func (ts *turns) end() []*turn {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	batch := ts.batch
	ts.batch = nil
	if !ts.next() {
		ts.taken = false
		if ts.idle != nil {
			ts.idle.Broadcast()
		}
	}
	return batch
}

// next calls the first of the queue. mu is held.
func (ts *turns) next() bool {
	if len(ts.queue) == 0 {
		return false
	}
	first := ts.queue[0]
	ts.queue = ts.queue[1:]
	first.granted <- true
	return true
}

// close turns all waiting writers away and waits for the one under way.
func (ts *turns) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.closed = true
	for _, t := range ts.queue {
		t.granted <- false
	}
	ts.queue = nil
	if ts.idle == nil {
		ts.idle = sync.NewCond(&ts.mu)
	}
	for ts.taken {
		ts.idle.Wait()
	}
}
