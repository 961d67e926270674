package dump

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the format of one file

	"miramundo.dev/shared/catalog"
)

// indexes are made when all rows are there.
const indexes = `
CREATE INDEX streams_channel ON streams (channel_id);
CREATE INDEX channels_country ON channels (country);
CREATE INDEX channels_name ON channels (name);`

// A database writes the tables channels and streams into a SQLite file, all rows in one
// transaction. The file is read back when it is finished.
type database struct {
	ctx               context.Context
	path              string
	out               io.Writer
	db                *sql.DB
	tx                *sql.Tx
	channels, streams *sql.Stmt
	rows              int
}

func openDatabase(ctx context.Context, work string, out io.Writer) (format, error) {
	d := &database{ctx: ctx, path: filepath.Join(work, "catalog.sqlite"), out: out}
	if err := d.open(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *database) open() (err error) {
	// A file that is not complete is thrown away, so it needs no journal.
	address := "file:" + url.PathEscape(d.path) + "?_pragma=journal_mode(off)&_pragma=synchronous(off)"
	if d.db, err = sql.Open("sqlite", address); err != nil {
		return err
	}
	d.db.SetMaxOpenConns(1)
	schema := create("channels", channelColumns) + create("streams", streamColumns)
	if _, err := d.db.ExecContext(d.ctx, schema); err != nil {
		return err
	}
	if d.tx, err = d.db.BeginTx(d.ctx, nil); err != nil {
		return err
	}
	if d.channels, err = d.tx.PrepareContext(d.ctx, insert("channels", len(channelColumns))); err != nil {
		return err
	}
	d.streams, err = d.tx.PrepareContext(d.ctx, insert("streams", len(streamColumns)))
	return err
}

// create returns the statement that makes a table, whose first column is its key.
func create[T any](name string, columns []column[T]) string {
	var all []string
	for i, c := range columns {
		s := c.name + " " + c.typ
		if i == 0 {
			s += " PRIMARY KEY"
		}
		all = append(all, s)
	}
	return fmt.Sprintf("CREATE TABLE %s (%s) WITHOUT ROWID;\n", name, strings.Join(all, ", "))
}

func insert(name string, columns int) string {
	return fmt.Sprintf("INSERT INTO %s VALUES (?%s)", name, strings.Repeat(", ?", columns-1))
}

func (d *database) add(c *catalog.ChannelFull) error {
	d.rows++
	if _, err := d.channels.ExecContext(d.ctx, values(row(channelColumns, c))...); err != nil {
		return err
	}
	for i := range c.Streams {
		if _, err := d.streams.ExecContext(d.ctx, values(row(streamColumns, &stream{c.ID, &c.Streams[i]}))...); err != nil {
			return err
		}
	}
	return nil
}

// values returns cells as SQLite stores them: empty ones as NULL. The type of a column
// turns texts of numbers into numbers.
func values(cells []string) []any {
	all := make([]any, len(cells))
	for i, s := range cells {
		if s != "" {
			all[i] = s
		}
	}
	return all
}

func (d *database) finish() (int, error) {
	if err := d.tx.Commit(); err != nil {
		return 0, err
	}
	if _, err := d.db.ExecContext(d.ctx, indexes); err != nil {
		return 0, err
	}
	if err := d.db.Close(); err != nil {
		return 0, err
	}
	f, err := os.Open(d.path)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(d.out, f)
	return d.rows, errors.Join(err, f.Close())
}

// close closes the file, which is an error that says nothing new when it is closed
// already. An unfinished transaction ends with it.
func (d *database) close() {
	if d.tx != nil {
		_ = d.tx.Rollback()
	}
	if d.db != nil {
		_ = d.db.Close()
	}
}
