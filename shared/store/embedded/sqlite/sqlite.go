// Package sqlite opens the database file of a local installation.
//
// Documents and events are tables of the same file, so that there is one file
// to keep, copy and lock. A write is on disk when it returns: the write-ahead
// log is flushed at each commit, and concurrent writers share one flush.
// Several processes may use the file.
//
// A file whose log is missing or is of another database, and a file that is deleted
// while it is open, are noticed: see [Damage] and [Vanished].
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"miramundo.dev/shared/store"
)

// ErrClosed is returned by calls on a closed file.
var ErrClosed = errors.New("sqlite: the file is closed")

// format is the version of the tables, stored in the file. It is raised when
// a change to a table means that an older program would damage it.
const format = 1

// openTime is how long Open waits for another process.
const openTime = 3 * time.Second

const (
	readers    = 8                // connections for reading
	busyWait   = 1_000            // ms that one attempt waits for another process's write
	journalMax = 64 << 20         // bytes that the log may keep after a checkpoint
	magic      = 0x4d49_524d      // application_id; distinguishes our files from other programs'
	cacheKiB   = 16 << 10         // of pages, for each connection
	pragmas    = "synchronous(2)" // FULL: flushed at each commit
)

// A File is an open database file. Its methods may be called concurrently.
type File struct {
	path    string    // absolute
	db      *sql.DB   // the readers and the three connections below
	writer  *sql.Conn // used by the writer whose turn it is
	watcher *sql.Conn // sees the changes of all other connections; guarded by watching
	copier  *sql.Conn // makes copies; guarded by copying
	reads   statements
	writes  statements // used by the writer whose turn it is
	turns   turns
	users   atomic.Int32 // number of users that have not closed the file

	mark     mark     // of the last commit; used by the writer whose turn it is
	markFile *os.File // beside the database
	changed  bool     // the open transaction may have changed something; used by the writer whose turn it is

	openFile, openLog os.FileInfo                 // those that are open
	problem           atomic.Pointer[error]       // of Problem
	report            atomic.Pointer[func(error)] // is called when problem changes; may be nil
	stop              context.CancelFunc          // ends the loop of watch
	watched           sync.WaitGroup              // that loop

	watching, copying sync.Mutex
}

// Open opens the file at path, and creates it when it is missing. Its folder
// must exist. Open returns a [Damage] when files of the database are missing or do
// not belong together; then it has changed nothing.
func Open(path string) (*File, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(filepath.Dir(abs)); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("the folder of the database %s does not exist", path)
	}
	if err := inspect(abs); err != nil {
		return nil, err
	}
	db, err := open(abs)
	if err != nil {
		return nil, explain(path, err)
	}
	f := &File{path: abs, db: db}
	f.users.Store(1)
	if err := f.connect(); err != nil {
		return nil, errors.Join(explain(path, err), f.disconnect())
	}
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	f.watched.Go(func() { f.watch(ctx) })
	return f, nil
}

// open creates the file when it is missing and opens connections to it, which never
// create it again.
func open(abs string) (*sql.DB, error) {
	file, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("it cannot be opened for writing: %w", errors.Unwrap(err))
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	query := url.Values{"mode": {"rw"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyWait),
		"journal_mode(WAL)",
		pragmas,
		fmt.Sprintf("journal_size_limit(%d)", journalMax),
		fmt.Sprintf("cache_size(-%d)", cacheKiB),
		"temp_store(MEMORY)",
	}}
	db, err := sql.Open("sqlite", address(abs, query))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(readers + 3)
	db.SetMaxIdleConns(readers + 3)
	return db, nil
}

// connect opens the three lasting connections and checks that the file is ours.
func (f *File) connect() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), openTime)
	defer cancel()
	if f.writer, err = f.db.Conn(ctx); err != nil {
		return err
	}
	if f.watcher, err = f.db.Conn(ctx); err != nil {
		return err
	}
	if f.copier, err = f.db.Conn(ctx); err != nil {
		return err
	}
	if err := f.openLogs(ctx); err != nil {
		return err
	}
	f.reads.prepare = f.db.PrepareContext
	f.writes.prepare = f.writer.PrepareContext
	return errors.Join(f.Write(ctx, (*Tx).claim), f.begun(ctx))
}

// openLogs opens the log for the connection that makes copies and for two that read.
// A connection opens it with its first read, and cannot any more once the file was
// deleted.
func (f *File) openLogs(ctx context.Context) error {
	all := []*sql.Conn{f.copier}
	defer func() {
		for _, c := range all[1:] {
			_ = c.Close() // gives it back
		}
	}()
	for range 2 {
		c, err := f.db.Conn(ctx)
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	for _, c := range all {
		if _, err := c.ExecContext(ctx, "SELECT count(*) FROM sqlite_schema"); err != nil {
			return err
		}
	}
	return nil
}

// begun makes the mark say that the database is open, also in the file itself.
func (f *File) begun(ctx context.Context) (err error) {
	if f.mark, err = queryMark(f.writer); err != nil {
		return err
	}
	if err := f.openMarkFile(); err != nil {
		return err
	}
	if err := f.Write(ctx, func(tx *Tx) error { tx.f.changed = true; return nil }); err != nil {
		return err
	}
	// What another process reads at the moment is not moved; then the log has it.
	if _, err := f.writer.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil {
		return err
	}
	return f.identify()
}

// claim marks a new file as ours. It refuses a file of another program, or of
// a newer format.
func (tx *Tx) claim() error {
	var id, version, tables int
	err := errors.Join(
		tx.QueryRow("PRAGMA application_id").Scan(&id),
		tx.QueryRow("PRAGMA user_version").Scan(&version),
		tx.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables))
	switch {
	case err != nil:
		return err
	case id == 0 && tables == 0:
		_, err := tx.Exec(fmt.Sprintf("PRAGMA application_id = %d", magic))
		_, err2 := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", format))
		return errors.Join(err, err2, tx.createMark())
	case id != magic:
		return errors.New("belongs to another program")
	case version > format:
		return fmt.Errorf("has format %d, but this program supports formats up to %d", version, format)
	}
	return tx.createMark()
}

// explain adds to an error of Open what the operator can do about it.
func explain(path string, err error) error {
	if full := outage(err); errors.Is(full, store.ErrFull) {
		return fmt.Errorf("database %s cannot be opened, because its disk is full: %w", path, full)
	}
	var e *driver.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case code.SQLITE_NOTADB, code.SQLITE_CORRUPT:
			return &Damage{Path: path, Problem: "it is damaged or is not a SQLite database", err: err}
		case code.SQLITE_BUSY, code.SQLITE_LOCKED:
			return fmt.Errorf("database %s is locked by another program: %w", path, err)
		case code.SQLITE_CANTOPEN, code.SQLITE_READONLY, code.SQLITE_PERM:
			return fmt.Errorf("database %s cannot be opened for writing: %w", path, err)
		}
	}
	return fmt.Errorf("database %s: %w", path, err)
}

// busy reports whether err means that another process is writing.
func busy(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == code.SQLITE_BUSY
}

// Query returns rows, as of one moment until they are closed. It keeps the
// prepared statement, so query must be one of few texts.
func (f *File) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := f.reads.get(ctx, query) //nolint:sqlclosecheck // kept for the next call
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// Scan reads one row into dest. It returns [sql.ErrNoRows] when there is
// none.
func (f *File) Scan(ctx context.Context, query string, args []any, dest ...any) error {
	s, err := f.reads.get(ctx, query) //nolint:sqlclosecheck // kept for the next call
	if err != nil {
		return err
	}
	return s.QueryRowContext(ctx, args...).Scan(dest...)
}

// Version returns a number that changes with every write, also of other
// processes.
func (f *File) Version(ctx context.Context) (int64, error) {
	f.watching.Lock()
	defer f.watching.Unlock()
	var version int64
	err := f.watcher.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, err
}

// Share returns f for one more user, who must close it too.
func (f *File) Share() *File {
	f.users.Add(1)
	return f
}

// Close closes the file when its last user closes it, after the write in
// progress.
func (f *File) Close() error {
	if f.users.Add(-1) != 0 {
		return nil
	}
	f.stop()
	f.watched.Wait()
	f.turns.close()
	f.watching.Lock()
	defer f.watching.Unlock()
	f.copying.Lock()
	defer f.copying.Unlock()
	f.shut()
	return f.disconnect()
}

// shut makes the mark say that the database is closed. Where that fails, the next
// Open finds the log, which the last connection then leaves behind.
func (f *File) shut() {
	if f.Vanished() != nil || f.exec("BEGIN IMMEDIATE") != nil {
		return
	}
	if errors.Join(f.count(false), f.exec("COMMIT")) != nil {
		_ = f.exec("ROLLBACK")
		return
	}
	_ = f.writeMarkFile()
}

// disconnect closes what connect opened.
func (f *File) disconnect() error {
	err := errors.Join(f.reads.close(), f.writes.close())
	for _, c := range []*sql.Conn{f.writer, f.watcher, f.copier} {
		if c != nil {
			err = errors.Join(err, c.Close())
		}
	}
	if f.markFile != nil {
		err = errors.Join(err, f.markFile.Close())
	}
	return errors.Join(err, f.db.Close())
}

// statements caches prepared statements by their text.
type statements struct {
	prepare func(context.Context, string) (*sql.Stmt, error)

	mu       sync.RWMutex
	prepared map[string]*sql.Stmt // guarded by mu; grows with the texts in the code
}

func (s *statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt := s.prepared[query]
	s.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.prepared[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // kept for the next call
	if err != nil {
		return nil, err
	}
	if s.prepared == nil {
		s.prepared = map[string]*sql.Stmt{}
	}
	s.prepared[query] = stmt
	return stmt, nil
}

func (s *statements) close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.prepared {
		err = errors.Join(err, stmt.Close())
	}
	return err
}
