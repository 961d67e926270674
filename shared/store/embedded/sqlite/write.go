package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// SQLite allows one writer, and a commit costs a flush to disk. So concurrent
// writers take turns within one transaction, each in a savepoint of its own:
// a failed writer rolls back to its savepoint, and the last of the batch
// commits for all. Every writer returns only after that commit.

// Bounds of a batch, so that no writer waits long for another.
const (
	batchMax  = 128
	batchTime = 20 * time.Millisecond
)

// A Tx is a write transaction. It is valid while the function that gets it
// runs.
type Tx struct {
	f    *File
	done []func() // called after the commit
}

// Exec runs a statement.
func (tx *Tx) Exec(query string, args ...any) (sql.Result, error) {
	s, err := tx.f.writes.get(context.Background(), query)
	if err != nil {
		return nil, err
	}
	res, err := s.Exec(args...)
	if err != nil {
		return nil, err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		tx.f.changed = true
	}
	return res, nil
}

// Query returns rows, with the changes of the transaction.
func (tx *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	s, err := tx.f.writes.get(context.Background(), query)
	if err != nil {
		return nil, err
	}
	return s.Query(args...)
}

// QueryRow returns one row, with the changes of the transaction.
func (tx *Tx) QueryRow(query string, args ...any) *sql.Row {
	s, err := tx.f.writes.get(context.Background(), query)
	if err != nil {
		return tx.f.writer.QueryRowContext(context.Background(), query, args...)
	}
	return s.QueryRow(args...)
}

// After calls done once the transaction is on disk.
func (tx *Tx) After(done func()) { tx.done = append(tx.done, done) }

// turns orders the writers of a file. The writer whose turn it is runs its
// statements in the open transaction; the last one of a batch commits.
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

// Write runs fn in a transaction that excludes all other writers. When fn
// fails or panics, its writes are rolled back. When Write returns nil, they
// are on disk. Canceling ctx has no effect once fn runs. Where SQLite reports why
// nothing can be written now, the error is an outage of package store.
func (f *File) Write(ctx context.Context, fn func(*Tx) error) error {
	err := outage(f.write(ctx, fn))
	f.note(err)
	return err
}

func (f *File) write(ctx context.Context, fn func(*Tx) error) error {
	t := &turn{granted: make(chan bool, 1), settled: make(chan error, 1)}
	if err := f.turns.acquire(ctx, t); err != nil {
		return err
	}
	if err := f.begin(ctx); err != nil {
		f.commit(err)
		return err
	}
	failed := errors.New("sqlite: a write panicked")
	defer func() {
		if failed != nil {
			f.rollback(t)
		}
	}()
	tx := &Tx{f: f}
	if failed = fn(tx); failed != nil {
		return failed
	}
	t.after = tx.done
	return f.finish(t)
}

// rollback undoes the writes of t, and passes the turn on. It returns when
// the writers before it in the batch have their outcome.
func (f *File) rollback(t *turn) {
	err := f.exec("ROLLBACK TO one")
	if err != nil {
		f.commit(err)
		return
	}
	_ = f.finish(t)
}

// begin opens the transaction, unless the batch has one, and a savepoint.
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

// immediate begins a write transaction. It waits for other processes until
// ctx is done.
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

// exec runs a statement for the writer whose turn it is. It does not use the
// caller's context, because canceling a statement would end the transaction
// of the whole batch.
func (f *File) exec(query string) error {
	s, err := f.writes.get(context.Background(), query)
	if err != nil {
		return err
	}
	_, err = s.Exec()
	return err
}

// finish passes the turn on within the batch, or commits the batch.
func (f *File) finish(t *turn) error {
	err := f.exec("RELEASE one")
	if err != nil {
		f.commit(err)
		return err
	}
	if !f.turns.pass(t) {
		f.commit(nil)
	}
	return <-t.settled
}

// commit commits the transaction, or rolls it back after err, hands the
// outcome to the batch, and ends the turn.
func (f *File) commit(err error) {
	if err == nil && f.changed {
		err = f.count(true)
	}
	if err == nil {
		err = f.exec("COMMIT")
	}
	if err == nil && f.changed {
		err = f.acknowledge()
	}
	f.changed = false
	if err != nil {
		// The transaction may have ended already; then this fails harmlessly.
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

// acknowledge finds out whether a commit may be acknowledged, and stores its mark
// beside the database. A mark that cannot be stored is behind, which is harmless.
func (f *File) acknowledge() error {
	if err := f.Vanished(); err != nil {
		return err
	}
	_ = f.writeMarkFile()
	return nil
}

// acquire waits for the turn.
func (ts *turns) acquire(ctx context.Context, t *turn) error {
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
		return closedUnless(ok)
	case <-ctx.Done():
	}
	if ts.abandon(t) {
		return ctx.Err()
	}
	return closedUnless(<-t.granted)
}

// closedUnless returns ErrClosed unless the turn was granted.
func closedUnless(ok bool) error {
	if !ok {
		return ErrClosed
	}
	return nil
}

// abandon removes t from the queue. It returns false when t has been granted
// the turn.
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

// pass adds t to the batch and grants the turn to the next writer. It returns
// false when the batch must be committed first.
func (ts *turns) pass(t *turn) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.batch = append(ts.batch, t)
	if len(ts.batch) >= batchMax || time.Since(ts.started) > batchTime {
		return false
	}
	return ts.next()
}

// end empties the batch and grants the turn to the next writer, if there is
// one.
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

// next grants the turn to the first writer in the queue. The caller holds mu.
func (ts *turns) next() bool {
	if len(ts.queue) == 0 {
		return false
	}
	first := ts.queue[0]
	ts.queue = ts.queue[1:]
	first.granted <- true
	return true
}

// close refuses all waiting writers and waits for the one in progress.
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
