package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// A copy is made by VACUUM INTO, which reads the database as of one moment without
// holding up writers, and writes a file that needs no log. It reads every page, so
// that a damaged database is not copied in silence.

// CopyInto writes a copy of the database, as of one moment, into a new file at path.
// Writers are not held up. It works from the open file, also when that was deleted or
// replaced since. The copy is on disk when CopyInto returns; it is not checked.
func (f *File) CopyInto(ctx context.Context, path string) error {
	f.copying.Lock()
	defer f.copying.Unlock()
	if _, err := f.copier.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return outage(err)
	}
	return finishCopy(ctx, path)
}

// finishCopy marks a copy as complete without a log, and flushes it to disk.
func finishCopy(ctx context.Context, path string) (err error) {
	if err := closeMark(ctx, path); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(os.Chmod(path, 0o600), file.Sync(), file.Close(), SyncFolder(filepath.Dir(path)))
}

// closeMark makes the mark of a copy say that it is closed, since it needs no log. A
// database that only an earlier version has opened has no mark; its copy gets one.
func closeMark(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", address(path, url.Values{"mode": {"rw"}, "_pragma": {"journal_mode(DELETE)", pragmas}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, createMark)
	if err == nil {
		_, err = db.ExecContext(ctx, insertMark, mark{id: rand.Text()}.String())
	}
	if err == nil {
		_, err = db.ExecContext(ctx, "UPDATE commits SET mark = replace(mark, ':open:', ':shut:')")
	}
	return err
}

// CopyFile copies the database at path from into a new file at path to, as CopyInto
// does. Another process may use the database meanwhile. It returns a [Damage] as Open
// does.
func CopyFile(ctx context.Context, from, to string) (err error) {
	abs, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	if size(abs) == 0 {
		return fmt.Errorf("%s has no database", from)
	}
	if err := inspect(abs); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", address(abs, url.Values{"mode": {"rw"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busyWait)}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return explain(from, err)
	}
	return finishCopy(ctx, to)
}

// A Content is what a copy holds.
type Content struct {
	Mark string         // its last commit, as the file beside a database has it
	Rows map[string]int // by table
}

// Verify reads a copy back: every page, every index, and how much it holds. It
// returns an error when something of it is damaged.
func Verify(ctx context.Context, path string) (c Content, err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return c, err
	}
	db, err := sql.Open("sqlite", address(abs, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := integrity(ctx, db, path, "integrity_check"); err != nil {
		return c, err
	}
	if err := db.QueryRowContext(ctx, selectMark).Scan(&c.Mark); err != nil {
		return c, explain(path, err)
	}
	tables, err := tablesOf(ctx, db)
	if err != nil {
		return c, explain(path, err)
	}
	c.Rows = map[string]int{}
	for _, name := range tables {
		var n int
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`).Scan(&n); err != nil {
			return c, explain(path, err)
		}
		c.Rows[name] = n
	}
	return c, nil
}

// querier is a database or a connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// integrity runs one of SQLite's own checks, and returns a Damage with the first
// defect that it finds.
func integrity(ctx context.Context, db querier, path, check string) error {
	found, err := texts(ctx, db, "PRAGMA "+check+"(1)")
	if err != nil {
		return explain(path, err)
	}
	if strings.Join(found, "") != "ok" {
		return &Damage{Path: path, Problem: "it is damaged", err: errors.New(strings.Join(found, "; "))}
	}
	return nil
}

func tablesOf(ctx context.Context, db querier) ([]string, error) {
	return texts(ctx, db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
}

// texts returns the only column of the rows of a query.
func texts(ctx context.Context, db querier, query string) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// Check reads every page of the file and returns a [Damage] with the first defect,
// also of pages that no start reads. It takes about half a second for 130 MB, and
// holds up no other call.
func (f *File) Check(ctx context.Context) error {
	f.copying.Lock()
	defer f.copying.Unlock()
	return integrity(ctx, f.copier, f.path, "quick_check")
}

// WriteMark stores the mark of a copy beside the place where a database is about to
// be put. Until it is there, Open refuses the place.
func WriteMark(path string, c Content) error {
	all := parseMarks([]byte(c.Mark))
	if len(all) != 1 {
		return fmt.Errorf("%q is not a mark", c.Mark)
	}
	return os.WriteFile(path+markSuffix, []byte(all[0].String()+"\n"), 0o600)
}
