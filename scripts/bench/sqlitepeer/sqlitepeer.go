// Package sqlitepeer searches the catalog as is usual with SQLite and its full-text
// search, so that the index can be measured beside it.
package sqlitepeer

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	_ "modernc.org/sqlite" // the peer

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/snapshot"
)

const schema = `
CREATE TABLE d (id INTEGER PRIMARY KEY, kind INT, playable INT, guide INT, online INT, country TEXT, network TEXT, subdivision TEXT,
	city TEXT, votes INT, score INT, renown INT, item TEXT);
CREATE TABLE v (class TEXT, value TEXT, doc INT, PRIMARY KEY (class, value, doc)) WITHOUT ROWID;
CREATE TABLE c (doc INT, category TEXT, PRIMARY KEY (doc, category)) WITHOUT ROWID;
CREATE VIRTUAL TABLE f USING fts5(words, content='', detail=none, prefix='1 2 3');`

const indexes = `
CREATE INDEX d_country ON d (country, id); CREATE INDEX d_network ON d (network, id); CREATE INDEX d_city ON d (city, id);
CREATE INDEX d_kind ON d (kind, playable, id); CREATE INDEX d_votes ON d (votes DESC, id); CREATE INDEX d_score ON d (score DESC, renown);
CREATE INDEX d_renown ON d (renown);
INSERT INTO f(f) VALUES ('optimize'); ANALYZE;`

// A DB is a database with the records of a catalog. Row n+1 is record n.
type DB struct{ db *sql.DB }

// Fill writes the records of v, as v shows them, into a new database in file.
func Fill(ctx context.Context, file string, v *index.View) (*DB, error) {
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(file)+"?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=mmap_size(2000000000)&_pragma=cache_size(-200000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	in := &inserter{ctx: ctx, tx: tx, v: v, renown: renown(v)}
	for i, r := range v.Index().Records() {
		in.insert(i+1, &r)
	}
	if in.err != nil {
		return nil, in.err
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, indexes); err != nil {
		return nil, err
	}
	return &DB{db}, nil
}

// renown returns the place of each record in the order of how well known they
// are, which also decides between equal scores. The peer takes it from v as a
// column: the time of searches does not include computing it.
func renown(v *index.View) []int {
	const page = 500
	places := make([]int, v.Index().Len())
	q := index.Query{Selection: filter.Selection{Kind: "all", Sort: filter.ByPopularity}, Limit: page}
	for ; q.Offset < len(places); q.Offset += page {
		docs, _ := v.Find(q)
		for i, doc := range docs {
			places[doc] = q.Offset + i
		}
	}
	return places
}

// Close closes the database.
func (d *DB) Close() error { return d.db.Close() }

// An inserter inserts records. After the first failure it does nothing.
type inserter struct {
	ctx    context.Context
	tx     *sql.Tx
	v      *index.View
	renown []int // by record
	stmts  map[string]*sql.Stmt
	err    error
}

func (in *inserter) exec(query string, args ...any) {
	if in.err != nil {
		return
	}
	if in.stmts == nil {
		in.stmts = map[string]*sql.Stmt{}
	}
	if in.stmts[query] == nil {
		in.stmts[query], in.err = in.tx.PrepareContext(in.ctx, query)
	}
	if in.err == nil {
		_, in.err = in.stmts[query].ExecContext(in.ctx, args...)
	}
}

func (in *inserter) insert(row int, r *catalog.Record) {
	item, ok := in.v.Item(r.ID, 0)
	if !ok {
		in.err = fmt.Errorf("no item %q", r.ID)
		return
	}
	votes, score, online := 0, 0, 0
	var tags []string
	if r.Radio != nil {
		votes, tags = r.Radio.Votes, r.Radio.Tags
	}
	if h := item.HealthExt; h != nil {
		online = number(h.Online)
		if h.Score != nil { // a channel whose streams were never reached has none
			score = 1 + *h.Score
		}
	}
	page, err := json.Marshal(item)
	if err != nil {
		in.err = err
		return
	}
	in.exec("INSERT INTO d VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", row, int(r.Kind), number(item.PlayableHint), number(item.HasGuide), online,
		r.Country, r.Network, r.Subdivision, r.City, votes, score, in.renown[row-1], page)
	for class, values := range map[string][]string{"category": r.Categories, "language": r.Languages, "quality": filter.All[filter.Quality].Values(r), "tag": tags} {
		for _, value := range values {
			in.exec("INSERT OR IGNORE INTO v VALUES (?,?,?)", class, value, row)
		}
	}
	for _, k := range r.Categories {
		in.exec("INSERT OR IGNORE INTO c VALUES (?,?)", row, k)
	}
	var words []string
	for name := range snapshot.Names(r) {
		if name.Class <= snapshot.OtherName {
			words = append(words, fold.Words(name.Text), fold.Joined(name.Text))
		}
	}
	in.exec("INSERT INTO f(rowid, words) VALUES (?,?)", row, strings.Join(words, " "))
}

// Ask answers q with three statements, for the page, the total and the
// facets, and returns the numbers of the records of the page.
func (d *DB) Ask(ctx context.Context, q *index.Query) (docs []uint32, total int, err error) {
	where, args := condition(q)
	order := map[string]string{"": "id", "name": "id", "score": "score DESC, renown", "votes": "votes DESC, id", filter.ByPopularity: "renown"}[q.Sort]
	rows, err := d.db.QueryContext(ctx, "SELECT id, item FROM d WHERE "+where+" ORDER BY "+order+fmt.Sprintf(" LIMIT %d OFFSET %d", q.Limit, q.Offset), args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	page := []byte(`{"items":[`)
	for rows.Next() {
		var id uint32
		var item sql.RawBytes
		if err := rows.Scan(&id, &item); err != nil {
			return nil, 0, err
		}
		docs, page = append(docs, id-1), append(page, item...)
	}
	if err := rows.Err(); err != nil {
		return nil, 0, err
	}
	if err := d.db.QueryRowContext(ctx, "SELECT count(*) FROM d WHERE "+where, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	facets, err := d.db.QueryContext(ctx, "SELECT category, count(*) n FROM c WHERE doc IN (SELECT id FROM d WHERE "+where+") GROUP BY category ORDER BY n DESC, category", args...)
	if err != nil {
		return nil, 0, err
	}
	defer facets.Close()
	for facets.Next() {
		var category string
		var n int
		if err := facets.Scan(&category, &n); err != nil {
			return nil, 0, err
		}
		page = fmt.Appendf(page, "%s:%d,", category, n)
	}
	return docs, total, facets.Err()
}

// condition returns the filters of q as an SQL condition with its arguments.
func condition(q *index.Query) (where string, args []any) {
	parts := []string{"1"}
	add := func(when bool, part string, values ...any) {
		if when {
			parts, args = append(parts, part), append(args, values...)
		}
	}
	add(q.Kind != "all", "kind = ?", number(q.Kind == "radio"))
	add(q.Playable, "playable = 1")
	add(q.Guide, "guide = 1")
	add(q.Online, "online = 1")
	for column, value := range map[string]string{"country": q.Country, "network": q.Network, "subdivision": q.Subdivision, "city": q.City} {
		add(value != "", column+" = ?", value)
	}
	for class, value := range map[string]string{"category": q.Category, "language": q.Language, "quality": q.Quality, "tag": q.Tag} {
		add(value != "", "id IN (SELECT doc FROM v WHERE class = ? AND value = ?)", class, value)
	}
	if words := strings.Fields(fold.Words(q.Q)); q.Q != "" {
		for i, w := range words {
			words[i] = `"` + w + `"*`
		}
		add(len(words) > 0, "id IN (SELECT rowid FROM f WHERE f MATCH ?)", strings.Join(words, " "))
		add(len(words) == 0, "0")
	}
	return strings.Join(parts, " AND "), args
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
