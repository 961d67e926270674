// Package sqlite is the one database file of a local installation.
//
// Its documents and its events lie in tables of the same file, so that there
// is one thing to keep, copy and lock. A write is on disk when it returns:
// the file has a write-ahead log that is flushed at each commit. Writers that
// come together share one flush. A second process may use the file too.
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
)

// ErrClosed is returned by the calls on a file that has been closed.
var ErrClosed = errors.New("sqlite: the file is closed")

// format is kept in the file. It rises when a table changes so that an older
// program would harm it.
const format = 1

// openTime is how long Open waits for another process.
const openTime = 3 * time.Second

const (
	readers    = 8                // connections that read
	busyWait   = 1_000            // ms to wait for another process's write at once
	journalMax = 64 << 20         // bytes that the log keeps after a checkpoint
	magic      = 0x4d49_524d      // tells our files from other programs'
	cacheKiB   = 16 << 10         // of pages, for each connection
	pragmas    = "synchronous(2)" // FULL: flushed at each commit
)

// A File is an open database file. Its methods may be called concurrently.
type File struct {
	db      *sql.DB   // readers, and the two connections below
	writer  *sql.Conn // used by who has the turn
	watcher *sql.Conn // sees the changes of all others; guarded by watching
	reads   statements
	writes  statements // used by who has the turn
	turns   turns
	users   atomic.Int32 // who have yet to close the file

	watching sync.Mutex
}

// Open opens the file at path, and makes it when it is not there. The folder
// must be there.
func Open(path string) (*File, error) {
	db, err := open(path)
	if err != nil {
		return nil, err
	}
	f := &File{db: db}
	f.users.Store(1)
	if err := f.prepare(); err != nil {
		return nil, errors.Join(explain(path, err), db.Close())
	}
	return f, nil
}

func open(path string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(filepath.Dir(abs)); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("no folder for the database %s", path)
	}
	query := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyWait),
		"journal_mode(WAL)",
		pragmas,
		fmt.Sprintf("journal_size_limit(%d)", journalMax),
		fmt.Sprintf("cache_size(-%d)", cacheKiB),
		"temp_store(MEMORY)",
	}}
	dsn := "file:" + (&url.URL{Path: abs}).EscapedPath() + "?" + query.Encode()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(readers + 2)
	db.SetMaxIdleConns(readers + 2)
	return db, nil
}

// prepare takes the two lasting connections and checks whose file it is.
func (f *File) prepare() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), openTime)
	defer cancel()
	if f.writer, err = f.db.Conn(ctx); err != nil {
		return err
	}
	if f.watcher, err = f.db.Conn(ctx); err != nil {
		return err
	}
	f.reads.prepare = f.db.PrepareContext
	f.writes.prepare = f.writer.PrepareContext
	return f.Write(ctx, func(tx *Tx) error { return tx.claim() })
}

// claim marks a new file as ours, and refuses what is not, or too new.
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
		return errors.Join(err, err2)
	case id != magic:
		return errors.New("belongs to another program")
	case version > format:
		return fmt.Errorf("is of format %d, newer than %d that this program knows", version, format)
	}
	return nil
}

// explain says of an error at opening what the reader can do.
func explain(path string, err error) error {
	var e *driver.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case code.SQLITE_NOTADB, code.SQLITE_CORRUPT:
			return fmt.Errorf("database %s is damaged or is no database: %w", path, err)
		case code.SQLITE_BUSY, code.SQLITE_LOCKED:
			return fmt.Errorf("database %s is locked by another program: %w", path, err)
		case code.SQLITE_CANTOPEN, code.SQLITE_READONLY, code.SQLITE_PERM:
			return fmt.Errorf("database %s cannot be opened for writing: %w", path, err)
		}
	}
	return fmt.Errorf("database %s: %w", path, err)
}

// busy tells whether err says that another process is writing.
func busy(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == code.SQLITE_BUSY
}

// Query reads rows. Values stay as they are at one moment until the rows are
// closed. The text of query is kept, so it must be one of few.
func (f *File) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := f.reads.get(ctx, query) //nolint:sqlclosecheck // kept for the next call
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// Scan reads one row into dest. It returns [sql.ErrNoRows] when there is none.
func (f *File) Scan(ctx context.Context, query string, args []any, dest ...any) error {
	s, err := f.reads.get(ctx, query) //nolint:sqlclosecheck // kept for the next call
	if err != nil {
		return err
	}
	return s.QueryRowContext(ctx, args...).Scan(dest...)
}

// Version returns a number that changes with every write, whoever made it.
func (f *File) Version(ctx context.Context) (int64, error) {
	f.watching.Lock()
	defer f.watching.Unlock()
	var version int64
	err := f.watcher.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, err
}

// Share returns f for one more user, who is to close it too.
func (f *File) Share() *File {
	f.users.Add(1)
	return f
}

// Close closes the file when its last user does, after the write under way.
func (f *File) Close() error {
	if f.users.Add(-1) != 0 {
		return nil
	}
	f.turns.close()
	f.watching.Lock()
	defer f.watching.Unlock()
	return errors.Join(f.reads.close(), f.writes.close(), f.writer.Close(), f.watcher.Close(), f.db.Close())
}

// statements keeps prepared statements by their text.
type statements struct {
	prepare func(context.Context, string) (*sql.Stmt, error)

	mu   sync.RWMutex
	kept map[string]*sql.Stmt // guarded by mu; grows with the texts in the code
}

func (s *statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt := s.kept[query]
	s.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.kept[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // kept for the next call
	if err != nil {
		return nil, err
	}
	if s.kept == nil {
		s.kept = map[string]*sql.Stmt{}
	}
	s.kept[query] = stmt
	return stmt, nil
}

func (s *statements) close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.kept {
		err = errors.Join(err, stmt.Close())
	}
	return err
}
