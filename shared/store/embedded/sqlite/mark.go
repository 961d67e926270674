package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// After a kill the newest commits are in the write-ahead log alone, and SQLite opens
// a database without its log as if these commits had never been. So the number of
// commits is kept in two places: in the table commits, in the transaction of each
// commit, and in a small file beside the database, which is written once the commit
// is on disk. The file is therefore never ahead of the database, whatever is killed
// and when, and a database that is behind the file has lost commits that were
// acknowledged. The file is not flushed: after a power failure it may be behind,
// which raises no alarm.
//
// The mark also names the database, so that a log or a file of another one is
// recognized, and says whether the database is open. A database that was copied
// alone while it was open is recognized by that.

// A mark is what the table commits holds, in one row. Its text has always the same
// length, so that SQLite overwrites it in place and it is found in the pages of a
// log.
type mark struct {
	id      string // of the database, random
	open    bool   // a process uses the database, or was killed while it did
	commits int64
}

// markSuffix is added to the path of a database to name the file with its mark.
const markSuffix = "-mark"

var markText = regexp.MustCompile(`commits:([A-Z2-7]{26}):(open|shut):([0-9]{16})`)

func (m mark) String() string {
	state := "shut"
	if m.open {
		state = "open"
	}
	return fmt.Sprintf("commits:%s:%s:%016d", m.id, state, m.commits)
}

// parseMarks returns the marks in text.
func parseMarks(text []byte) (all []mark) {
	for _, match := range markText.FindAllSubmatch(text, -1) {
		n, err := strconv.ParseInt(string(match[3]), 10, 64)
		if err == nil {
			all = append(all, mark{string(match[1]), string(match[2]) == "open", n})
		}
	}
	return all
}

// readMarkFile returns the mark beside the database at path, and false when there is
// no file with one.
func readMarkFile(path string) (mark, bool) {
	text, err := os.ReadFile(path + markSuffix)
	if all := parseMarks(text); err == nil && len(all) > 0 {
		return all[0], true
	}
	return mark{}, false
}

const (
	createMark = "CREATE TABLE IF NOT EXISTS commits (mark TEXT NOT NULL)"
	selectMark = "SELECT mark FROM commits"
	insertMark = "INSERT INTO commits SELECT ? WHERE NOT EXISTS (" + selectMark + ")"
	updateMark = "UPDATE commits SET mark = ? WHERE mark = ?"
)

// createMark creates the table commits, and the mark of a database that has none.
func (tx *Tx) createMark() error {
	_, err := tx.Exec(createMark)
	if err != nil {
		return err
	}
	_, err = tx.Exec(insertMark, mark{id: rand.Text()}.String())
	return err
}

// count adds one commit to the mark, for the writer whose turn it is, in its
// transaction. Another process may have counted since the last time.
func (f *File) count(open bool) error {
	update, err := f.writes.get(context.Background(), updateMark) //nolint:sqlclosecheck // kept for the next call
	if err != nil {
		return err
	}
	for range 2 {
		next := mark{f.mark.id, open, f.mark.commits + 1}
		res, err := update.Exec(next.String(), f.mark.String())
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			f.mark = next
			return err
		}
		if f.mark, err = queryMark(f.writer); err != nil {
			return err
		}
	}
	return errors.New("the table commits has no mark")
}

// queryMark reads the mark by a connection.
func queryMark(c *sql.Conn) (mark, error) {
	var text string
	if err := c.QueryRowContext(context.Background(), selectMark).Scan(&text); err != nil {
		return mark{}, err
	}
	all := parseMarks([]byte(text))
	if len(all) != 1 {
		return mark{}, fmt.Errorf("the table commits holds %q, which is not a mark", text)
	}
	return all[0], nil
}

// openMarkFile opens the file for the mark, and makes it last.
func (f *File) openMarkFile() (err error) {
	if f.markFile, err = os.OpenFile(f.path+markSuffix, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	if err := f.writeMarkFile(); err != nil {
		return err
	}
	return errors.Join(f.markFile.Sync(), SyncFolder(filepath.Dir(f.path)))
}

// writeMarkFile stores the mark of the last commit beside the database.
func (f *File) writeMarkFile() error {
	_, err := f.markFile.WriteAt([]byte(f.mark.String()+"\n"), 0)
	return err
}

// SyncFolder flushes the names in a folder to disk.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
