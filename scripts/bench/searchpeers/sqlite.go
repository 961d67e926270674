package searchpeers

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"

	_ "modernc.org/sqlite" // the peer

	"miramundo.dev/shared/catalog/index"
)

const sqliteSchema = `
CREATE TABLE d (id INTEGER PRIMARY KEY, kind INT, playable INT, guide INT, online INT, country TEXT, network TEXT, subdivision TEXT,
	city TEXT, votes INT, score INT, renown INT, item TEXT);
CREATE TABLE v (class TEXT, value TEXT, doc INT, PRIMARY KEY (class, value, doc)) WITHOUT ROWID;
CREATE TABLE c (doc INT, category TEXT, PRIMARY KEY (doc, category)) WITHOUT ROWID;
CREATE VIRTUAL TABLE f USING fts5(words, content='', detail=none, prefix='1 2 3');`

// columnIndexes are the indexes of both databases.
const columnIndexes = `
CREATE INDEX d_country ON d (country, id); CREATE INDEX d_network ON d (network, id); CREATE INDEX d_city ON d (city, id);
CREATE INDEX d_kind ON d (kind, playable, id); CREATE INDEX d_votes ON d (votes DESC, id); CREATE INDEX d_score ON d (score DESC, renown);
CREATE INDEX d_renown ON d (renown);`

// SQLite writes the records of v into a new SQLite database in file.
func SQLite(ctx context.Context, file string, v *index.View) (Peer, error) {
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(file)+"?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=mmap_size(2000000000)&_pragma=cache_size(-200000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := fillSQLite(ctx, db, v); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &database{name: "SQLite FTS5", db: db, match: "id IN (SELECT rowid FROM f WHERE f MATCH ?)", terms: func(words []string) string {
		return `"` + strings.Join(words, `"* "`) + `"*`
	}}, nil
}

func fillSQLite(ctx context.Context, db *sql.DB, v *index.View) error {
	if _, err := db.ExecContext(ctx, sqliteSchema); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	in := &inserter{ctx: ctx, tx: tx, stmts: map[string]*sql.Stmt{}}
	if err := rows(v, in.insert); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, columnIndexes+"INSERT INTO f(f) VALUES ('optimize'); ANALYZE;")
	return err
}

// An inserter inserts rows. After the first failure it does nothing.
type inserter struct {
	ctx   context.Context
	tx    *sql.Tx
	stmts map[string]*sql.Stmt
	err   error
}

func (in *inserter) exec(query string, args ...any) {
	if in.err != nil {
		return
	}
	if in.stmts[query] == nil {
		in.stmts[query], in.err = in.tx.PrepareContext(in.ctx, query)
	}
	if in.err == nil {
		_, in.err = in.stmts[query].ExecContext(in.ctx, args...)
	}
}

func (in *inserter) insert(r *row) error {
	in.exec("INSERT INTO d VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", r.id, r.kind, r.playable, r.guide, r.online,
		r.country, r.network, r.subdivision, r.city, r.votes, r.score, r.renown, r.item)
	for class, values := range r.values {
		for _, value := range values {
			in.exec("INSERT OR IGNORE INTO v VALUES (?,?,?)", class, value, r.id)
		}
	}
	for _, k := range r.values["category"] {
		in.exec("INSERT OR IGNORE INTO c VALUES (?,?)", r.id, k)
	}
	in.exec("INSERT INTO f(rowid, words) VALUES (?,?)", r.id, r.words)
	return in.err
}
